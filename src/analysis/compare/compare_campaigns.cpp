// Two campaigns: unpaired, over sessions. What differs between them is the arms' libraries and the
// machine's state, and nothing in the data tells these apart; every answer says so.
#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/compare/method_table.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
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
  std::vector<CellTable> in_view = {};
};

// What the machine did in both campaigns.
struct CommonRegimes {
  Regimes regimes = {};
  std::optional<base::CanaryBand> reference = {};  // none: there is none that both were in
  bool named = false;
  std::vector<std::string> views = {};
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

// Named by the rules, or by the first look of the first campaign, which is the baseline; else the
// fastest regime that holds a tenth of the visits of both.
std::optional<base::CanaryBand> common_reference(const store::Data& baseline,
                                                 const Regimes& regimes, const Rules& rules) {
  if (rules.regime) return rules.regime;
  if (!baseline.looks.empty() && baseline.looks.front().regime) {
    return baseline.looks.front().regime;
  }
  Regimes both = regimes;
  for (Regime& regime : both.found) regime.share = std::ranges::min(regime.campaign_shares);
  return reference_band(both);
}

// The regimes of both campaigns' canaries together, and what each campaign measured in them. A
// preset knows nothing of regimes.
CommonRegimes split_regimes(OneCampaign& first, OneCampaign& second, const Rules& rules) {
  if (rules.method != Method::kInvar) return {};
  CommonRegimes common{
      .regimes = common_regimes(
          {CampaignCanaries{.data = first.data, .summaries = first.summaries, .name = first.name},
           CampaignCanaries{
               .data = second.data, .summaries = second.summaries, .name = second.name}}),
      .named = rules.regime.has_value()};
  const std::vector<Regime>& found = common.regimes.found;
  if (found.size() < 2) return common;
  const auto band = common_reference(*first.data, common.regimes, rules);
  const auto splits = [&](const OneCampaign& side) { return share_in(side.table, *band).splits(); };
  if (band && (splits(first) || splits(second))) common.reference = band;
  const auto is_reference = [&](const Regime& regime) {
    return common.reference && common.reference->contains(regime.median_ns);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_reference(found[i])) continue;
    common.views.push_back(found[i].name);
    for (OneCampaign* side : {&first, &second}) {
      side->in_view.push_back(visits_in_regime(side->summaries->visits, common.regimes, i,
                                               side->data->cells.size(), side->data->arms.size(),
                                               kRegimeBlocks));
      drop_failed_cells(*side->data, side->in_view.back());
    }
  }
  if (!common.reference) return common;
  common.views.emplace_back(kAllRegimes);
  for (OneCampaign* side : {&first, &second}) side->in_view.push_back(side->table);
  return common;
}

// Arms of both campaigns side by side; a cell is one that both measured.
Contest contest_of_campaigns(const OneCampaign& first, const OneCampaign& second,
                             const CommonRegimes& common) {
  Contest contest{.times = {TimedVisits{}}, .reference = common.reference, .views = common.views};
  TimedVisits& timed = contest.times.front();
  timed.in_view.resize(common.views.size());
  // A side that is in the reference regime all the time loses nothing.
  const auto headline = [&](const OneCampaign& side) {
    return common.reference ? within_band(side.table, *common.reference) : side.table;
  };
  const CellTable first_headline = headline(first);
  const CellTable second_headline = headline(second);
  for (const OneCampaign* side : {&first, &second}) {
    for (const store::ArmRecord& arm : side->data->arms) {
      contest.labels.push_back(arm.label + "@" + side->name);
    }
  }
  for (std::size_t i = 0; i < first.data->cells.size(); ++i) {
    const record::Cell& cell = first.data->cells[i];
    const std::optional<std::size_t> match =
        record::counterpart(cell, first.data->cells, second.data->cells);
    if (!match) continue;
    const std::size_t theirs = *match;
    const auto both = [&](const CellTable& ours, const CellTable& others) {
      std::vector<CellVisits> row = ours[i];
      row.insert(row.end(), others[theirs].begin(), others[theirs].end());
      return row;
    };
    contest.cells.push_back(cell);
    timed.table.push_back(both(first_headline, second_headline));
    if (common.reference) timed.everything.push_back(both(first.table, second.table));
    for (std::size_t view = 0; view < timed.in_view.size(); ++view) {
      timed.in_view[view].push_back(both(first.in_view[view], second.in_view[view]));
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

// Each pair in each cell, and then in every view where both have launches enough. Not asked are a
// headline without launches enough in the reference regime; a ratio over everything that the
// regimes themselves would make; a batch against single calls.
std::vector<Pair> pairs_of_campaigns(const Contest& contest, const std::vector<Pair>& of_arms,
                                     const CommonRegimes& common, const Rules& rules) {
  std::vector<Pair> pairs;
  for (std::uint32_t cell = 0; cell < contest.cells.size(); ++cell) {
    for (Pair pair : of_arms) {
      pair.a.cell = pair.b.cell = cell;
      const CellTable& whole = contest.times.front().whole();
      const CellVisits& a = whole[cell][pair.a.arm];
      const CellVisits& b = whole[cell][pair.b.arm];
      if (a.empty() || b.empty()) continue;
      const bool mixed = rules.method == Method::kInvar && one_in_batches(a, b);
      const bool machine =
          common.regimes.found.size() > 1 &&
          regimes_matter(regime_part(a, b, common.regimes), rules.decision.min_effect);
      pair.times_only =
          mixed || (contest.is_split() ? !enough_in_view(contest, pair, rules.pairing) : machine);
      pairs.push_back(pair);
      if (mixed) continue;
      pair.times_only = false;
      for (std::size_t view = 0; view < contest.views.size(); ++view) {
        if (machine && contest.views[view] == kAllRegimes) continue;
        pair.view = view;
        if (enough_in_view(contest, pair, rules.pairing)) pairs.push_back(pair);
      }
    }
  }
  return pairs;
}

// The headline's pairs are one table; those of the views another one, because nobody decides by
// them.
Answers answer_both(const Contest& contest, const std::vector<Pair>& pairs, const Rules& rules) {
  std::vector<Pair> headline;
  std::vector<Pair> views;
  for (const Pair& pair : pairs) (pair.view ? views : headline).push_back(pair);
  Answers answers = answer(contest, headline, rules);
  Answers others = answer(contest, views, rules);
  std::vector<ComparedCell> rows;
  rows.reserve(pairs.size());
  auto own = answers.rows.begin();
  auto other = others.rows.begin();
  for (const Pair& pair : pairs) rows.push_back(std::move(*(pair.view ? other++ : own++)));
  answers.rows = std::move(rows);
  return answers;
}

// What is printed beside each other does not contradict itself.
void add_doubts(const Contest& contest, const std::vector<Pair>& pairs, const Rules& rules,
                std::vector<ComparedCell>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparedCell& row = rows[i];
    if (pairs[i].times_only) {
      const CellVisits& a = visits_of(contest, pairs[i].a, pairs[i].view);
      const CellVisits& b = visits_of(contest, pairs[i].b, pairs[i].view);
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
  mark_other_winners(rows);
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
  for (const auto& warning : data_warnings(*side.data, rules, *side.summaries, arms)) {
    result.warnings.emplace_back(side.name + ": " + warning.text, warning.gravity);
  }
  if (!side.data->looks.empty()) {
    result.warnings.emplace_back(
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
  CommonRegimes common = split_regimes(first, second, rules);
  const Contest contest = contest_of_campaigns(first, second, common);
  if (contest.cells.empty()) require(lack_of_shared_cells(data, other));

  const std::vector<std::string> labels = expanded(options.arms, contest);
  const std::vector<Pair> pairs =
      pairs_of_campaigns(contest,
                         arms_against_each_other(contest, data.arms.size(),
                                                 select_labels(contest.labels, labels, "--arms"),
                                                 first, second, options.all_pairs),
                         common, rules);
  std::vector<bool> used(contest.labels.size(), false);
  for (const Pair& pair : pairs) used[pair.a.arm] = used[pair.b.arm] = true;
  if (pairs.empty()) require(lack_of_shared_cells(data, other));
  Answers answers = answer_both(contest, pairs, rules);
  add_doubts(contest, pairs, rules, answers.rows);

  Comparison result;
  result.campaigns = {first.name, second.name};
  add_arms(result, first, used, 0);
  add_arms(result, second, used, data.arms.size());
  result.reference = reference_regime(contest, rules);
  result.scope = scope_of(data, other) + regime_scope(result.reference);
  if (std::optional<std::string> change = change_warning(data, other)) {
    result.warnings.emplace_back(std::move(*change));
  }
  add_warnings(result, first, rules, used, 0);
  add_warnings(result, second, rules, used, data.arms.size());
  for (auto& warning : launch_warnings(contest, pairs, answers.rows, rules)) {
    result.warnings.emplace_back(std::move(warning));
  }
  const std::size_t left_out = data.cells.size() + other.cells.size() - 2 * contest.cells.size();
  if (left_out > 0) {
    result.warnings.emplace_back(count_text(left_out, "cell") +
                                 " not compared: only one campaign has " +
                                 (left_out == 1 ? "it" : "them"));
  }
  if (const auto mixed = std::ranges::count(answers.rows, Doubt::kBatches, &ComparedCell::doubt);
      mixed > 0) {
    result.warnings.emplace_back(
        "no ratio in " + count_text(static_cast<std::size_t>(mixed), "row") +
        ": one campaign timed single calls, the other batches of calls, which measures something "
        "else; race both in one campaign, where all arms of a cell are timed alike");
  }
  if (std::optional<std::string> doubt = times_warning(answers.rows)) {
    result.warnings.emplace_back(std::move(*doubt));
  }
  result.cells = std::move(answers.rows);
  result.shows_regimes = options.regimes;
  result.shows_pairs = options.all_pairs;
  result.regimes = std::move(common.regimes);
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
  const CommonRegimes common = split_regimes(first, second, both.rules());
  const Contest contest = contest_of_campaigns(first, second, common);
  const std::vector<std::uint32_t> all =
      select_labels(contest.labels, std::vector<std::string>(), "--arms");
  const std::size_t arms = first.data->arms.size();
  const bool any = !contest.cells.empty() &&
                   !pairs_of_campaigns(
                        contest, arms_against_each_other(contest, arms, all, first, second, false),
                        common, both.rules())
                        .empty();
  if (any) return std::nullopt;
  return lack_of_shared_cells(both.data(0), both.data(1));
}

}  // namespace invar::analysis
