#include "analysis/sessions/sessions_lack.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "analysis/compare/method_table.hpp"
#include "analysis/sessions/campaign_sides.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::string side_name(const Study& study, std::size_t campaign) {
  return campaign < study.campaigns_of_first_side() ? "A" : "B";
}

// The first repetitions of two campaigns never agree to the picosecond.
bool same_records(const store::Data& a, const store::Data& b) {
  if (a.groups.empty() || b.groups.empty()) return false;
  const std::vector<store::Visit>& ours = a.groups.front().launches.front().visits;
  const std::vector<store::Visit>& theirs = b.groups.front().launches.front().visits;
  if (ours.empty() || theirs.empty()) return false;
  const auto first = ours.front().records;
  const auto second = theirs.front().records;
  return !first.empty() && first.size() == second.size() &&
         std::memcmp(first.data(), second.data(), first.size_bytes()) == 0;
}

void add_same_sessions(const Study& study, std::vector<base::Fault>& faults) {
  for (std::size_t later = 1; later < study.campaigns(); ++later) {
    const store::Data& data = study.all(later);
    for (std::size_t before = 0; before < later; ++before) {
      const store::Data& other = study.all(before);
      std::error_code ignored;
      const bool same = std::filesystem::weakly_canonical(other.dir, ignored) ==
                        std::filesystem::weakly_canonical(data.dir, ignored);
      if (!same && !same_records(other, data)) continue;
      const std::string side = side_name(study, later);
      const bool one_side = side_name(study, before) == side;
      faults.push_back(
          {.place = data.dir.string(),
           .what = same ? "stands " + (one_side ? "twice in side " + side : "in both sides")
                        : "holds the same data as " + other.dir.string() + ", which stands in " +
                              (one_side ? "side " + side + " as well" : "the other side"),
           .remedy = "name every session once"});
      break;
    }
  }
}

void add_few_sessions(const Study& study, std::vector<base::Fault>& faults) {
  const std::size_t first = study.campaigns_of_first_side();
  for (const auto& [name, count] :
       {std::pair("A", first), std::pair("B", study.campaigns() - first)}) {
    if (count >= kFewestSessions) continue;
    faults.push_back({.place = std::string("side ") + name,
                      .what = "has " + count_text(count, "session") + ", of " +
                              std::to_string(kFewestSessions) + " that are needed at least",
                      .remedy = "measure " + std::to_string(kFewestSessions - count) +
                                " more, each on a day or in an allocation of its own"});
  }
}

void add_arms(const CampaignSides& sides, std::vector<base::Fault>& faults) {
  for (const CampaignSide& side : sides) {
    if (!side.labels.empty()) continue;
    std::vector<std::string> texts;
    for (const OneCampaign& one : side.campaigns) {
      texts.push_back(one.name + " has " + list_text(labels_of(*one.data)));
    }
    faults.push_back(
        {.place = "side " + side.name,
         .what = "no arm is in all of its sessions: " + base::first_items(texts, 4, "; "),
         .remedy = "give the same build the same label in every session"});
  }
}

// The gravest one of campaigns that lack something themselves.
base::Exit graver(base::Exit a, base::Exit b) {
  for (const base::Exit exit :
       {base::Exit::kDamaged, base::Exit::kIncomplete, base::Exit::kMeasurementFailed}) {
    if (a == exit || b == exit) return exit;
  }
  return b;
}

}  // namespace

std::optional<Lack> lack_of_sessions(const Study& study) {
  Lack lack;
  add_same_sessions(study, lack.faults);
  add_few_sessions(study, lack.faults);
  if (study.rules().method != Method::kInvar) {
    lack.faults.push_back({.place = "--method",
                           .what = "other suites know launches and no sessions",
                           .remedy = "write --method invar"});
  }
  const bool usage = !lack.faults.empty();
  bool all_have_data = true;
  for (std::size_t i = 0; i < study.campaigns(); ++i) {
    std::optional<Lack> own = lack_of_groups(study.data(i));
    if (!own && study.rules().method == Method::kInvar) own = lack_of_method(study, i);
    if (!own) continue;
    all_have_data = false;
    if (!usage) lack.status = graver(lack.status, own->status);
    lack.faults.insert(lack.faults.end(), own->faults.begin(), own->faults.end());
  }
  if (all_have_data && study.rules().method == Method::kInvar) {
    const CampaignSides sides = sides_of_study(study);
    const std::size_t before = lack.faults.size();
    add_arms(sides, lack.faults);
    if (shared_cells(sides).empty()) {
      const Lack cells = lack_of_shared_cells(sides);
      lack.faults.insert(lack.faults.end(), cells.faults.begin(), cells.faults.end());
    }
    if (auto fault = fault_of_regimes(sides, study.rules())) {
      lack.faults.push_back(std::move(*fault));
    }
    if (lack.faults.size() > before) lack.status = base::Exit::kUsage;
  }
  return lack.faults.empty() ? std::nullopt : std::optional(std::move(lack));
}

}  // namespace invar::analysis
