// A check in a sentence: "openmpi on its platform, median errors: half round trips of 9 sizes that
// no fit saw 0.55 %, 95 % below 3.9 %; bcast 6.5 % (the cluster without a calibration 54 %, the
// usual formulas 32 %); allreduce 24 % (26 %, 20 %); worst: allreduce; 2 ranks in bcast, ...".
#include <algorithm>
#include <utility>

#include "analysis/network/simulator/network_check.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// What has been checked is no more than what was simulated.
constexpr const char* kNotSimulated =
    "the XML was simulated, and not the C++ platform, which has the same lines, and noise and "
    "interruptions beside";

std::string spread_text(const CheckedErrors& one, CheckedBy by) {
  const auto& spread = one.errors[static_cast<std::size_t>(by)];
  return spread ? percent_text(spread->median) : "no time";
}

// "bcast 12 % (the cluster without a calibration 54 %, the usual formulas 18 %)"; `named`: else the
// two are there as numbers alone, in this order.
std::string errors_text(const NetworkCheck& check, const CheckedErrors& one, bool named) {
  std::vector<std::string> others;
  for (const auto& [by, name] :
       {std::pair(CheckedBy::kDefaults, "the cluster without a calibration "),
        {CheckedBy::kUsual, "the usual formulas "}}) {
    if (has_times(check, one.arm, by)) others.push_back((named ? name : "") + spread_text(one, by));
  }
  return one.operation + " " + spread_text(one, CheckedBy::kPlatform) +
         (others.empty() ? "" : " (" + base::join(others, ", ") + ")");
}

// "worst: allreduce", of several; empty: of fewer.
std::string worst_text(const std::vector<const CheckedErrors*>& unseen) {
  const CheckedErrors* worst = nullptr;
  std::size_t known = 0;
  for (const CheckedErrors* one : unseen) {
    if (!one->errors[0]) continue;
    ++known;
    if (worst == nullptr || one->errors[0]->median > worst->errors[0]->median) worst = one;
  }
  return known < 2 ? std::string() : "worst: " + worst->operation;
}

// "the usual formulas give no platform that can be written (...)"; empty: they give one.
std::string usual_clause(const NetworkCheck& check, std::size_t arms) {
  std::vector<std::string> whys;
  for (const MissingUsual& one : check.usual_missing) {
    whys.push_back((arms > 1 ? one.arm + ": " : "") + one.why);
  }
  if (whys.empty()) return {};
  return "; the usual formulas give no platform that can be written (" + base::join(whys, "; ") +
         ")";
}

// Names operations without errors: "nothing of bcast and halo, measured in another regime ...".
std::string elsewhere_clause(const std::vector<const CheckedErrors*>& all) {
  if (all.empty()) return {};
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const CheckedErrors* one : all) names.push_back(one->operation);
  return "nothing of " + list_text(names) + ", " + all.front()->why;
}

std::string arm_text(const NetworkCheck& check, const std::string& arm) {
  std::vector<std::string> parts;
  std::vector<const CheckedErrors*> unseen;
  std::vector<const CheckedErrors*> elsewhere;
  for (const CheckedErrors& one : check.errors) {
    if (one.arm != arm || one.calibrated) continue;
    const bool round_trip = one.operation == std::string(info_of(SeriesKind::kRoundTrip).name);
    if (one.held_out && round_trip && one.errors[0]) {
      parts.push_back("half round trips of " + count_text(one.sizes, "size") + " that no fit saw " +
                      spread_text(one, CheckedBy::kPlatform) + ", 95 % below " +
                      percent_text(one.errors[0]->most));
    } else if (one.sizes == 0 && one.elsewhere > 0) {
      elsewhere.push_back(&one);
    } else if (!one.held_out) {
      unseen.push_back(&one);
    }
  }
  for (const CheckedErrors* one : unseen) {
    parts.push_back(errors_text(check, *one, one == unseen.front()));
  }
  for (std::string clause : {worst_text(unseen), elsewhere_clause(elsewhere)}) {
    if (!clause.empty()) parts.push_back(std::move(clause));
  }
  return arm + " on its platform, median errors: " +
         (parts.empty() ? "nothing was simulated" : base::join(parts, "; "));
}

}  // namespace

std::string check_sentence(const NetworkCheck& check) {
  // In the order of the tables.
  std::vector<std::string> arms;
  for (const CheckedErrors& one : check.errors) {
    if (std::ranges::find(arms, one.arm) == arms.end()) arms.push_back(one.arm);
  }
  std::vector<std::string> texts;
  texts.reserve(arms.size());
  for (const std::string& arm : arms) texts.push_back(arm_text(check, arm));
  return base::join(texts, ". ") + "; " + base::count_text(check.ranks, "rank") +
         " in bcast, allreduce and halo, to which nothing was fitted" +
         usual_clause(check, arms.size()) + "; " + kNotSimulated;
}

}  // namespace invar::analysis
