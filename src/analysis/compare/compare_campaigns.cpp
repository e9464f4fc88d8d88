// Two campaigns: unpaired, over sessions. What differs between them is the arms' libraries and the
// machine's state, and nothing in the data tells these apart; every answer says so.
#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/compare/method_table.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/metadata/metadata_compare.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/sentence.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

struct OneCampaign {
  const store::Data* data = nullptr;  // without visits that were made another suite's way
  const Summaries* summaries = nullptr;
  std::string name = {};
  CellTable table = {};
  std::vector<CellTable> in_regime = {};
};

// "2026-11-21-om", or as many of the last parts as tell both apart: "monday/om". The whole path
// where one ends like the other.
std::string name_of(const store::Data& data, const store::Data& other) {
  const auto parts_of = [](const std::filesystem::path& dir) {
    std::filesystem::path normal = dir.lexically_normal();
    if (!normal.has_filename()) normal = normal.parent_path();
    return std::vector<std::filesystem::path>(normal.begin(), normal.end());
  };
  const std::vector<std::filesystem::path> ours = parts_of(data.dir);
  const std::vector<std::filesystem::path> theirs = parts_of(other.dir);
  std::size_t alike = 0;
  while (alike < std::min(ours.size(), theirs.size()) &&
         ours[ours.size() - 1 - alike] == theirs[theirs.size() - 1 - alike]) {
    ++alike;
  }
  if (alike == std::min(ours.size(), theirs.size())) return data.dir.string();
  std::filesystem::path name;
  for (std::size_t i = ours.size() - 1 - alike; i < ours.size(); ++i) name /= ours[i];
  return name.string();
}

OneCampaign campaign_side(const Study& both, std::size_t campaign) {
  const store::Data& data = both.data(campaign);
  OneCampaign side{.data = &data,
                   .summaries = &summaries_by_method(both, campaign),
                   .name = name_of(data, both.data(1 - campaign)),
                   .table = table_by_method(both, campaign)};
  drop_failed_cells(data, side.table);
  return side;
}

// The regimes of both campaigns' canaries together, and what each campaign measured in them. A
// preset knows nothing of regimes.
Regimes split_regimes(OneCampaign& first, OneCampaign& second, const Rules& rules) {
  if (rules.method != Method::kInvar) return {};
  Regimes regimes = common_regimes(
      {CampaignCanaries{.data = first.data, .summaries = first.summaries, .name = first.name},
       CampaignCanaries{.data = second.data, .summaries = second.summaries, .name = second.name}});
  if (regimes.found.size() < 2) return regimes;
  for (OneCampaign* side : {&first, &second}) {
    for (std::size_t i = 0; i < regimes.found.size(); ++i) {
      side->in_regime.push_back(visits_in_regime(side->summaries->visits, regimes, i,
                                                 side->data->cells.size(), side->data->arms.size(),
                                                 kRegimeBlocks));
      drop_failed_cells(*side->data, side->in_regime.back());
    }
  }
  return regimes;
}

// Arms of both campaigns side by side; a cell is one that both measured.
Contest contest_of_campaigns(const OneCampaign& first, const OneCampaign& second,
                             const Regimes& regimes) {
  Contest contest{.times = {TimedVisits{}}};
  TimedVisits& timed = contest.times.front();
  timed.in_regime.resize(first.in_regime.size());
  for (std::size_t i = 0; i < first.in_regime.size(); ++i) {
    contest.regimes.push_back(regimes.found[i].name);
  }
  for (const OneCampaign* side : {&first, &second}) {
    for (const store::ArmRecord& arm : side->data->arms) {
      contest.labels.push_back(arm.label + "@" + side->name);
    }
  }
  for (std::size_t i = 0; i < first.data->cells.size(); ++i) {
    const record::Cell& cell = first.data->cells[i];
    const auto match = std::ranges::find_if(
        second.data->cells, [&](const record::Cell& other) { return cell.same_levels(other); });
    if (match == second.data->cells.end()) continue;
    const auto theirs = static_cast<std::size_t>(match - second.data->cells.begin());
    const auto both = [&](const CellTable& ours, const CellTable& others) {
      std::vector<CellVisits> row = ours[i];
      row.insert(row.end(), others[theirs].begin(), others[theirs].end());
      return row;
    };
    contest.cells.push_back(cell);
    timed.table.push_back(both(first.table, second.table));
    for (std::size_t regime = 0; regime < timed.in_regime.size(); ++regime) {
      timed.in_regime[regime].push_back(both(first.in_regime[regime], second.in_regime[regime]));
    }
  }
  return contest;
}

// `text` knows the cells of both: what differs between the campaigns is told as well.
std::string cells_text(const store::Data& data, const record::CellTexts& text) {
  std::vector<std::string> cells;
  for (const record::Cell& cell : data.cells) cells.push_back(text(cell));
  return base::first_items(cells, 5, ", ");
}

Lack lack_of_shared_cells(const store::Data& first, const store::Data& second) {
  std::vector<record::Cell> both = first.cells;
  both.insert(both.end(), second.cells.begin(), second.cells.end());
  const record::CellTexts text(both);
  return {.faults = {
              {.place = first.dir.string(),
               .what = "no common cell; this campaign has " + cells_text(first, text)},
              {.place = second.dir.string(), .what = "this one has " + cells_text(second, text)}}};
}

// Selected arms of the first campaign come first, whatever their order on the command line: the
// first campaign is the reference.
std::vector<Pair> arms_against_each_other(const Contest& contest, std::size_t arms_of_first,
                                          std::span<const std::uint32_t> selected,
                                          const OneCampaign& first, const OneCampaign& second,
                                          bool all_pairs) {
  std::vector<std::uint32_t> ours;
  std::vector<std::uint32_t> theirs;
  for (const std::uint32_t arm : selected) (arm < arms_of_first ? ours : theirs).push_back(arm);
  std::vector<Pair> pairs;
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    pairs.push_back({.a = {.arm = a}, .b = {.campaign = 1, .arm = b}});
  };
  const auto label = [&](const OneCampaign& side, std::size_t arm) {
    return side.data->arms[arm].label;
  };
  for (const std::uint32_t a : ours) {
    for (const std::uint32_t b : theirs) {
      if (all_pairs || label(first, a) == label(second, b - arms_of_first)) {
        add(a, b);
      }
    }
  }
  if (pairs.empty() && !ours.empty()) {
    for (const std::uint32_t b : theirs) add(ours.front(), b);
  }
  if (pairs.empty()) {
    throw base::UserError("--arms", "a comparison of two campaigns needs an arm of each",
                          "known: " + list_text(contest.labels, ", "));
  }
  return pairs;
}

// "openmpi" stands for that arm in both campaigns, "openmpi@new" for one of them.
std::vector<std::string> expanded(std::span<const std::string> asked, const Contest& contest) {
  std::vector<std::string> labels;
  for (const std::string& label : asked) {
    bool found = false;
    for (const std::string& known : contest.labels) {
      if (known != label && !known.starts_with(label + "@")) continue;
      labels.push_back(known);
      found = true;
    }
    if (!found) labels.push_back(label);  // refused with a did-you-mean
  }
  return labels;
}

// Calls in a row hide what their begin costs, and overlap: the times of a batch and of single calls
// say different things.
bool one_in_batches(const CellVisits& a, const CellVisits& b) {
  const auto batched = [](const CellVisits& visits) {
    return std::ranges::any_of(visits.launches, [](const LaunchVisits& launch) {
      return std::ranges::any_of(
          launch.visits, [](const VisitSummary& visit) { return visit.source->line.calls > 1; });
    });
  };
  return batched(a) != batched(b);
}

// Each pair in each cell, over everything and then in every regime where both have launches enough.
// Where the regimes themselves would make the ratio over everything, or a batch stands against
// single calls, it is not asked.
std::vector<Pair> pairs_of_campaigns(const Contest& contest, const std::vector<Pair>& of_arms,
                                     const Regimes& regimes, const Rules& rules) {
  std::vector<Pair> pairs;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    std::vector<Pair> in_regimes;
    for (Pair pair : of_arms) {
      pair.a.cell = pair.b.cell = cell;
      const CellVisits& a = visits_of(contest, pair.a);
      const CellVisits& b = visits_of(contest, pair.b);
      if (a.empty() || b.empty()) continue;
      const bool machine = !contest.regimes.empty() &&
                           regimes_matter(regime_part(a, b, regimes), rules.decision.min_effect);
      const bool mixed = rules.method == Method::kInvar && one_in_batches(a, b);
      if (!mixed) in_regimes.push_back(pair);
      pair.times_only = machine || mixed;
      pairs.push_back(pair);
    }
    for (std::size_t regime = 0; regime < contest.regimes.size(); ++regime) {
      for (Pair& pair : in_regimes) {
        pair.regime = regime;
        if (enough_in_regime(contest, pair, rules.pairing)) pairs.push_back(pair);
      }
    }
  }
  return pairs;
}

// What is printed beside each other does not contradict itself.
void add_doubts(const Contest& contest, const std::vector<Pair>& pairs, const Rules& rules,
                std::vector<ComparedCell>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparedCell& row = rows[i];
    if (pairs[i].times_only) {
      const CellVisits& a = visits_of(contest, pairs[i].a, pairs[i].regime);
      const CellVisits& b = visits_of(contest, pairs[i].b, pairs[i].regime);
      row.launches = std::min(a.launches.size(), b.launches.size());
      row.doubt = one_in_batches(a, b) ? Doubt::kBatches : Doubt::kShares;
    } else if (rules.method == Method::kInvar && times_contradict(row, rules.decision.min_effect)) {
      row.ratio.reset();
      row.ratio_interval.reset();
      row.p.reset();
      row.p_adjusted.reset();
      row.verdict.reset();
      row.doubt = Doubt::kTimes;
    }
  }
  mark_disagreements(rows);
}

std::string scope_of(const store::Data& first, const store::Data& second) {
  const std::string scope =
      first.scope == second.scope ? first.scope : first.scope + " against " + second.scope;
  return scope + ", two campaigns, includes the machine's change";
}

void add_arms(Comparison& result, const OneCampaign& side, const std::vector<bool>& used,
              std::size_t offset) {
  std::vector<std::uint32_t> arms;
  for (std::uint32_t i = 0; i < side.data->arms.size(); ++i) {
    if (used[offset + i]) arms.push_back(i);
  }
  for (ComparedArm& arm : compared_arms(*side.data, arms)) {
    arm.label += "@" + side.name;
    result.arms.push_back(std::move(arm));
  }
}

void add_warnings(Comparison& result, const OneCampaign& side, const Rules& rules,
                  const std::vector<bool>& used, std::size_t offset) {
  std::vector<std::uint32_t> arms;
  for (std::uint32_t i = 0; i < side.data->arms.size(); ++i) {
    if (used[offset + i]) arms.push_back(i);
  }
  for (const std::string& warning : data_warnings(*side.data, rules, *side.summaries, arms)) {
    result.warnings.push_back(side.name + ": " + warning);
  }
  if (!side.data->looks.empty()) {
    result.warnings.push_back(
        side.name +
        ": looks at its results ended each cell's measurement (stopping = \"looks\"): its decided "
        "cells have fewer launches than the others, and their times lean to what decided them");
  }
}

std::optional<Lack> lack_before_cells(const Study& both) {
  for (std::size_t i = 0; i < both.campaigns(); ++i) {
    if (std::optional<Lack> lack = lack_of_groups(both.data(i))) return lack;
  }
  const store::Data& data = both.data(0);
  if (both.campaigns() < 2 || name_of(data, both.data(1)) == name_of(both.data(1), data)) {
    const std::string dir = data.dir.string();
    return Lack{.faults = {{.place = dir,
                            .what = "a campaign cannot be compared with itself",
                            .remedy = "invar compare " + dir + " compares its arms"}}};
  }
  for (std::size_t i = 0; i < both.campaigns(); ++i) {
    if (std::optional<Lack> lack = lack_of_method(both, i)) return lack;
  }
  return std::nullopt;
}

}  // namespace

Comparison compare_campaigns(const Study& both) {
  require(lack_before_cells(both));
  const CompareOptions& options = both.options();
  const Rules& rules = both.rules();
  const store::Data& data = both.data(0);
  const store::Data& other = both.data(1);
  OneCampaign first = campaign_side(both, 0);
  OneCampaign second = campaign_side(both, 1);
  Regimes regimes = split_regimes(first, second, rules);
  const Contest contest = contest_of_campaigns(first, second, regimes);
  if (contest.cells.empty()) require(lack_of_shared_cells(data, other));

  const std::vector<std::string> labels = expanded(options.arms, contest);
  const std::vector<Pair> pairs =
      pairs_of_campaigns(contest,
                         arms_against_each_other(contest, data.arms.size(),
                                                 select_labels(contest.labels, labels, "--arms"),
                                                 first, second, options.all_pairs),
                         regimes, rules);
  std::vector<bool> used(contest.labels.size(), false);
  for (const Pair& pair : pairs) used[pair.a.arm] = used[pair.b.arm] = true;
  if (pairs.empty()) require(lack_of_shared_cells(data, other));
  Answers answers = answer(contest, pairs, rules);
  add_doubts(contest, pairs, rules, answers.rows);

  Comparison result;
  result.campaigns = {first.name, second.name};
  add_arms(result, first, used, 0);
  add_arms(result, second, used, data.arms.size());
  result.scope = scope_of(data, other);
  if (std::optional<std::string> change = change_warning(data, other)) {
    result.warnings.push_back(std::move(*change));
  }
  add_warnings(result, first, rules, used, 0);
  add_warnings(result, second, rules, used, data.arms.size());
  for (std::string& warning : launch_warnings(contest, pairs, answers.rows, rules)) {
    result.warnings.push_back(std::move(warning));
  }
  const std::size_t left_out = data.cells.size() + other.cells.size() - 2 * contest.cells.size();
  if (left_out > 0) {
    result.warnings.push_back(count_text(left_out, "cell") +
                              " not compared: only one campaign has " +
                              (left_out == 1 ? "it" : "them"));
  }
  if (const auto mixed = std::ranges::count(answers.rows, Doubt::kBatches, &ComparedCell::doubt);
      mixed > 0) {
    result.warnings.push_back(
        "no ratio in " + count_text(static_cast<std::size_t>(mixed), "row") +
        ": one campaign timed single calls, the other batches of calls, which measures something "
        "else; race both in one campaign, where all arms of a cell are timed alike");
  }
  if (std::optional<std::string> doubt = times_warning(answers.rows)) {
    result.warnings.push_back(std::move(*doubt));
  }
  result.cells = std::move(answers.rows);
  result.regimes = std::move(regimes);
  result.method = rules.method;
  if (rules.preset != nullptr) result.preset = rules.preset->name;
  result.pairing = Pairing::kNone;
  result.global_runtime = first.summaries->global && second.summaries->global;
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.correction = rules.method != Method::kInvar ? stats::Correction::kNone : rules.correction;
  result.comparisons = answers.tests;
  result.no_verdict = rules.no_verdict;
  result.dirs = {data.dir, other.dir};
  result.health = both.health();
  result.detail = regimes_sentences(result);
  result.sentence = sentence_of(result);
  return result;
}

std::optional<Lack> campaigns_lack(const Study& both) {
  if (std::optional<Lack> lack = lack_before_cells(both)) return lack;
  OneCampaign first = campaign_side(both, 0);
  OneCampaign second = campaign_side(both, 1);
  const Regimes regimes = split_regimes(first, second, both.rules());
  const Contest contest = contest_of_campaigns(first, second, regimes);
  const std::vector<std::uint32_t> all =
      select_labels(contest.labels, std::vector<std::string>(), "--arms");
  const std::size_t arms = first.data->arms.size();
  const bool any = !contest.cells.empty() &&
                   !pairs_of_campaigns(
                        contest, arms_against_each_other(contest, arms, all, first, second, false),
                        regimes, both.rules())
                        .empty();
  if (any) return std::nullopt;
  return lack_of_shared_cells(both.data(0), both.data(1));
}

}  // namespace invar::analysis
