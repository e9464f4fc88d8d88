#include "analysis/sessions/sides_warnings.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_times.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/metadata/metadata_compare.hpp"
#include "analysis/sessions/sessions_lack.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// What several campaigns say alike is said once, with all their names.
class NamedWarnings {
 public:
  void add(const std::string& name, const Warning& warning) {
    const auto known = std::ranges::find(warnings_, warning, &std::pair<Warning, Names>::first);
    if (known != warnings_.end()) {
      known->second.push_back(name);
    } else {
      warnings_.push_back({warning, {name}});
    }
  }
  void add_to(std::vector<Warning>& all) const {
    for (const auto& [warning, names] : warnings_) {
      const std::string whose = base::first_items(names, kMostSessionsNamed, ", ") + ": ";
      all.emplace_back(whose + warning.text, warning.gravity);
      if (!warning.left_open.empty()) all.back().left_open = whose + warning.left_open;
    }
  }

 private:
  using Names = std::vector<std::string>;
  std::vector<std::pair<Warning, Names>> warnings_ = {};
};

// "n1 and n2 are of one session (...)": what the user calls two is one for all that the data say.
void warn_of_shared_sessions(const CampaignSides& sides, std::vector<Warning>& warnings) {
  std::map<std::string, std::vector<std::string>> by_session;
  for (const CampaignSide& side : sides) {
    for (const OneCampaign& one : side.campaigns) by_session[one.data->session].push_back(one.name);
  }
  for (const auto& [session, names] : by_session) {
    if (names.size() < 2) continue;
    warnings.emplace_back(base::first_items(names, kMostSessionsNamed, ", ") +
                              " were measured in one session (" + session +
                              "): how days and allocations differ is not in the intervals",
                          Gravity::kDoubt);
  }
}

// They begin with the day.
std::string day_of(const store::Data& data) {
  constexpr std::size_t kDay = std::string_view("2026-11-21").size();
  return data.session.substr(0, kDay);
}

void warn_of_sessions(const CampaignSides& sides, std::vector<Warning>& warnings) {
  warn_of_shared_sessions(sides, warnings);
  std::array<SessionData, 2> data;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const OneCampaign& one : sides[i].campaigns) data.at(i).push_back(one.data);
  }
  for (auto& warning : session_change_warnings(data[0], data[1])) {
    warnings.push_back(std::move(warning));
  }
  const bool all_before = std::ranges::all_of(data[0], [&](const store::Data* a) {
    return std::ranges::all_of(data[1],
                               [&](const store::Data* b) { return day_of(*a) < day_of(*b); });
  });
  if (all_before) {
    warnings.emplace_back(
        "every session of A is older than those of B: what changed on the machine for good in "
        "between counts as the arms' difference; let the sides take turns, day by day");
  }
}

}  // namespace

void warn_of_data(const CampaignSides& sides, const Rules& rules,
                  const std::array<UsedArms, 2>& used, std::vector<Warning>& all) {
  NamedWarnings warnings;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    for (std::size_t i = 0; i < sides[side].campaigns.size(); ++i) {
      const OneCampaign& one = sides[side].campaigns[i];
      for (const auto& warning :
           data_warnings(*one.data, rules, *one.summaries, arms_in(sides[side], used[side], i))) {
        warnings.add(one.name, warning);
      }
      if (one.data->looks.empty()) continue;
      warnings.add(
          one.name,
          {"looks at its results ended each cell's measurement (stopping = \"looks\"): its "
           "decided cells have fewer launches than the others, and their times lean to "
           "what decided them"});
    }
  }
  warnings.add_to(all);
}

void warn_of_changes(const CampaignSides& sides, std::vector<Warning>& warnings) {
  if (sides[0].of_sessions()) return warn_of_sessions(sides, warnings);
  if (std::optional<std::string> change =
          change_warning(*sides[0].campaigns.front().data, *sides[1].campaigns.front().data)) {
    warnings.emplace_back(std::move(*change));
  }
}

void warn_of_gaps(const CampaignSides& sides, std::size_t shared,
                  const std::vector<ComparedCell>& rows, std::vector<Warning>& warnings) {
  const bool over_sessions = sides[0].of_sessions();
  std::size_t left_out = 0;
  std::size_t most = 0;
  for (const CampaignSide& side : sides) {
    for (const OneCampaign& one : side.campaigns) {
      left_out += one.data->cells.size() - shared;
      most = std::max(most, one.data->cells.size() - shared);
    }
  }
  if (over_sessions) left_out = most;
  if (left_out > 0) {
    const std::string them = left_out == 1 ? "it" : "them";
    warnings.emplace_back(
        count_text(left_out, "cell") + " not compared: " +
        (over_sessions ? "not every session has " + them : "only one campaign has " + them));
  }
  const auto rows_with = [&](Doubt doubt) {
    return static_cast<std::size_t>(std::ranges::count(rows, doubt, &ComparedCell::doubt));
  };
  if (const std::size_t mixed = rows_with(Doubt::kBatches); mixed > 0) {
    warnings.emplace_back(
        "no ratio in " + count_text(mixed, "row") + ": one " +
        (over_sessions ? "session" : "campaign") +
        " timed single calls, the other batches of calls, which measures something "
        "else; race both in one campaign, where all arms of a cell are timed alike");
  }
  if (const std::size_t few = rows_with(Doubt::kSessions); few > 0) {
    warnings.emplace_back("no ratio in " + count_text(few, "row") + ": fewer than " +
                              std::to_string(kFewestSessions) +
                              " sessions of a side gave times there, in the regime that is "
                              "compared",
                          Gravity::kDoubt);
  }
  if (std::optional<std::string> doubt = times_warning(rows)) {
    warnings.emplace_back(std::move(*doubt));
  }
  if (auto weighs = weighs_warning(rows, over_sessions ? "session" : "launch")) {
    warnings.emplace_back(std::move(*weighs));
  }
}

std::optional<Warning> regimes_apart(const Study& both, const CampaignSides& sides) {
  if (both.over_sessions() || both.rules().method != Method::kInvar || both.options().regime) {
    return std::nullopt;
  }
  const OneCampaign& first = sides[0].campaigns.front();
  const OneCampaign& second = sides[1].campaigns.front();
  const std::optional<base::CanaryBand>& named = both.campaign(0).analysis.regime;
  const std::optional<base::CanaryBand>& other = both.campaign(1).analysis.regime;
  const std::optional<base::CanaryBand> ours = named ? named : looked_at(first);
  const std::optional<base::CanaryBand> theirs = other ? other : looked_at(second);
  if (!ours || !theirs || ours->touches(*theirs)) return std::nullopt;
  const std::string about = "; this is about the first: --regime chooses";
  if (named || other) {
    return Warning{first.name + " is about regime " + base::band_text(*ours) + ", " + second.name +
                       " about " + base::band_text(*theirs) + about,
                   Gravity::kDoubt};
  }
  return Warning{"the looks of " + first.name + " were at regime " + base::band_text(*ours) +
                     ", those of " + second.name + " at " + base::band_text(*theirs) + about,
                 Gravity::kDoubt};
}

}  // namespace invar::analysis
