// Campaigns against each other: unpaired. One a side: what differs between them is the arms'
// libraries and the machine's state, nothing in the data tells these apart, and every answer says
// so. Several a side: each is a session, and how sessions vary is part of the answer.
#include <algorithm>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_times.hpp"
#include "analysis/compare/contest.hpp"
#include "analysis/compare/method_table.hpp"
#include "analysis/compare/pair_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/campaign_regimes.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/p2p/rates.hpp"
#include "analysis/sessions/campaign_sides.hpp"
#include "analysis/sessions/sessions_lack.hpp"
#include "analysis/sessions/sides_warnings.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/suites/reported.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/sentence.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Selected arms of the first side come first, whatever their order on the command line: the first
// side is the reference.
std::vector<Pair> arms_against_each_other(const Contest& contest, const CampaignSides& sides,
                                          std::span<const std::uint32_t> selected, bool all_pairs) {
  const std::size_t arms_of_first = sides[0].labels.size();
  std::vector<std::uint32_t> ours;
  std::vector<std::uint32_t> theirs;
  for (const std::uint32_t arm : selected) (arm < arms_of_first ? ours : theirs).push_back(arm);
  std::vector<Pair> pairs;
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    pairs.push_back({.a = {.arm = a}, .b = {.campaign = 1, .arm = b}});
  };
  for (const std::uint32_t a : ours) {
    for (const std::uint32_t b : theirs) {
      if (all_pairs || sides[0].labels[a] == sides[1].labels[b - arms_of_first]) add(a, b);
    }
  }
  if (pairs.empty() && !ours.empty()) {
    for (const std::uint32_t b : theirs) add(ours.front(), b);
  }
  if (pairs.empty()) {
    throw base::UserError("--arms", "a comparison of campaigns needs an arm of each side",
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

// Some campaign timed single calls, and another one batches of them.
bool mixed_batches(const CellVisits& a, const CellVisits& b) {
  const bool first = in_batches(a.launches.front());
  const auto differs = [first](const LaunchVisits& session) {
    return in_batches(session) != first;
  };
  return std::ranges::any_of(a.launches, differs) || std::ranges::any_of(b.launches, differs);
}

// An operation is what the first campaign of a side says of it.
std::function<std::optional<double>(const Side&, bool)> moved_in(
    const CampaignSides& sides, const std::vector<record::Cell>& cells) {
  return [&sides, &cells](const Side& of, bool time_of_pair) {
    const std::size_t before = of.campaign == 0 ? 0 : sides[0].labels.size();
    const CampaignSide& side = sides[of.campaign];
    return moved_bytes(*side.campaigns.front().data, side.arms[of.arm - before].front(),
                       cells[of.cell], time_of_pair);
  };
}

// Each pair in each cell, and then in every view where both have launches enough, or sessions. Not
// asked are a headline without enough of them in the reference regime; over launches a ratio over
// everything that the regimes themselves would make; a batch against single calls.
std::vector<Pair> pairs_of_campaigns(const Contest& contest, const std::vector<Pair>& of_arms,
                                     const CommonRegimes& common, const Rules& rules) {
  std::vector<Pair> pairs;
  for (const std::uint32_t cell : record::reading_order(contest.cells)) {
    for (Pair pair : of_arms) {
      pair.a.cell = pair.b.cell = cell;
      if (rules.gate) {
        pair.hypothesis = {.alternative = stats::Alternative::kGreater, .margin = *rules.gate};
      }
      const CellTable& whole = contest.times.front().whole();
      const CellVisits& a = whole[cell][pair.a.arm];
      const CellVisits& b = whole[cell][pair.b.arm];
      if (a.empty() || b.empty()) continue;
      const bool mixed = rules.method == Method::kInvar && mixed_batches(a, b);
      const bool machine =
          !contest.over_sessions && common.regimes.found.size() > 1 &&
          regimes_matter(regime_part(a, b, common.regimes), rules.decision.min_effect);
      const bool needs_enough = contest.over_sessions || contest.is_split();
      pair.times_only =
          mixed || (needs_enough ? !enough_in_view(contest, pair, rules.pairing) : machine);
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
      const CellTable& whole = contest.times.front().whole();
      const bool mixed = mixed_batches(whole[pairs[i].a.cell][pairs[i].a.arm],
                                       whole[pairs[i].b.cell][pairs[i].b.arm]);
      row.doubt = mixed                   ? Doubt::kBatches
                  : contest.over_sessions ? Doubt::kSessions
                                          : Doubt::kShares;
    } else if (rules.method == Method::kInvar && !contest.over_sessions &&
               times_contradict(row, rules.decision.min_effect)) {
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

// Everything in the data that the answer holds for, and nothing that it says is meant beyond.
std::string scope_of(const CampaignSides& sides) {
  if (!sides[0].of_sessions()) {
    const OneCampaign& first = sides[0].campaigns.front();
    const OneCampaign& second = sides[1].campaigns.front();
    return scope_text({.data = *first.data, .name = first.name, .starts = first.starts},
                      {.data = *second.data, .name = second.name, .starts = second.starts});
  }
  std::vector<std::string> scopes;
  std::vector<std::string> texts;
  std::string starts;
  for (const CampaignSide& side : sides) {
    std::vector<std::string> names;
    for (const OneCampaign& one : side.campaigns) {
      names.push_back(one.name);
      if (std::ranges::find(scopes, one.data->scope) == scopes.end()) {
        scopes.push_back(one.data->scope);
      }
      const std::string apart = one.starts->scope();
      if (!apart.empty()) starts += ", in " + one.name + " " + apart;
    }
    texts.push_back(side.name + " (" + base::first_items(names, kMostSessionsNamed, ", ") + ")");
  }
  return base::join(scopes, " against ") + ", sessions " + texts[0] + " against " + texts[1] +
         starts;
}

std::array<UsedArms, 2> used_arms(const CampaignSides& sides, const std::vector<Pair>& pairs) {
  std::array<UsedArms, 2> used;
  const auto offset = static_cast<std::uint32_t>(sides[0].labels.size());
  for (std::uint32_t i = 0; i < offset + sides[1].labels.size(); ++i) {
    const auto is_here = [&](const Pair& pair) { return pair.a.arm == i || pair.b.arm == i; };
    if (std::ranges::none_of(pairs, is_here)) continue;
    used[i < offset ? 0 : 1].push_back(i < offset ? i : i - offset);
  }
  return used;
}

void add_arms(Comparison& result, const CampaignSide& side, const UsedArms& used) {
  std::vector<ComparedArm> arms =
      compared_arms(*side.campaigns.front().data, arms_in(side, used, 0));
  for (std::size_t campaign = 1; campaign < side.campaigns.size(); ++campaign) {
    const std::vector<ComparedArm> more =
        compared_arms(*side.campaigns[campaign].data, arms_in(side, used, campaign));
    for (std::size_t i = 0; i < arms.size(); ++i) arms[i].launches += more[i].launches;
  }
  for (ComparedArm& arm : arms) {
    arm.label += "@" + side.name;
    result.arms.push_back(std::move(arm));
  }
}

std::optional<Lack> lack_before_cells(const Study& both) {
  if (both.over_sessions()) return lack_of_sessions(both);
  for (std::size_t i = 0; i < both.campaigns(); ++i) {
    if (std::optional<Lack> lack = lack_of_groups(both.data(i))) return lack;
  }
  const store::Data& data = both.data(0);
  if (both.campaigns() < 2 || name_of_campaign(both, 0) == name_of_campaign(both, 1)) {
    const std::string dir = data.dir.string();
    return Lack{.faults = {{.place = dir,
                            .what = "a campaign cannot be compared with itself",
                            .remedy = "invar compare " + dir + " compares its arms"}}};
  }
  for (std::size_t i = 0; i < both.campaigns(); ++i) {
    if (std::optional<Lack> lack = lack_of_method(both, i)) return lack;
    const Summaries& summaries = summaries_by_method(both, i);
    if (auto lack = lack_of_regime(both.data(i), summaries, both.rules())) return lack;
  }
  return std::nullopt;
}

}  // namespace

Comparison compare_campaigns(const Study& both) {
  require(lack_before_cells(both));
  const CompareOptions& options = both.options();
  const Rules& rules = both.rules();
  CampaignSides sides = sides_of_study(both);
  CommonRegimes common = split_regimes(sides, rules);
  const std::vector<SharedCell> shared = shared_cells(sides);
  if (shared.empty()) require(lack_of_shared_cells(sides));
  Contest contest = contest_of_sides(sides, shared, common);
  if (options.bandwidth) contest.moved = moved_in(sides, contest.cells);

  const std::vector<std::string> labels = expanded(options.arms, contest);
  const std::vector<Pair> pairs = pairs_of_campaigns(
      contest,
      arms_against_each_other(contest, sides, select_labels(contest.labels, labels, "--arms"),
                              options.all_pairs),
      common, rules);
  if (pairs.empty()) require(lack_of_shared_cells(sides));
  const std::array<UsedArms, 2> used = used_arms(sides, pairs);
  Answers answers = answer_both(contest, pairs, rules);
  add_doubts(contest, pairs, rules, answers.rows);

  Comparison result;
  result.has_bandwidth = options.bandwidth;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    result.campaigns.push_back(sides[i].name);
    add_arms(result, sides[i], used[i]);
    if (!both.over_sessions()) continue;
    std::vector<std::string>& names = result.sessions.emplace_back();
    for (const OneCampaign& one : sides[i].campaigns) names.push_back(one.name);
  }
  result.reference = reference_regime(contest);
  if (rules.time.kind == TimeChoice::Kind::kNamed) result.time = rules.time.name;
  result.scope = scope_of(sides) + time_scope(answers.rows) + regime_scope(result.reference);
  warn_of_changes(sides, result.warnings);
  for (const std::string& moved : common.moved) {
    result.warnings.emplace_back(moved_words(moved, contest.is_split()), Gravity::kDoubt);
  }
  if (std::optional<Warning> apart = regimes_apart(both, sides)) {
    result.warnings.push_back(std::move(*apart));
  }
  warn_of_data(sides, rules, used, result.warnings);
  add_launch_warnings(contest, pairs, answers.rows, rules, result.warnings);
  warn_of_gaps(sides, shared.size(), answers.rows, result.warnings);
  for (auto& warning : time_warnings(both, answers.rows)) {
    result.warnings.emplace_back(std::move(warning));
  }
  result.cells = std::move(answers.rows);
  result.asked = asked_words(options);
  result.shows_regimes = options.regimes;
  result.shows_pairs = options.all_pairs;
  result.regimes = std::move(common.regimes);
  result.method = rules.method;
  if (rules.preset != nullptr) {
    result.preset = rules.preset->name;
    result.preset_reports = reports_of(*rules.preset, both.data());
  }
  result.launch_test = rules.test;
  result.alternative = rules.alternative;
  result.pairing = Pairing::kNone;
  result.global_runtime = true;
  for (std::size_t i = 0; i < both.campaigns(); ++i) {
    result.global_runtime = result.global_runtime && summaries_by_method(both, i).global;
    result.dirs.push_back(both.data(i).dir);
  }
  result.alpha = rules.decision.alpha;
  result.min_effect = rules.decision.min_effect;
  result.gate = rules.gate;
  result.correction = rules.method != Method::kInvar ? stats::Correction::kNone : rules.correction;
  result.comparisons = answers.tests;
  result.no_verdict = rules.no_verdict;
  result.health = both.health();
  result.detail = regimes_sentences(result);
  result.sentence = sentence_of(result);
  return result;
}

std::optional<Lack> campaigns_lack(const Study& both) {
  if (std::optional<Lack> lack = lack_before_cells(both)) return lack;
  CampaignSides sides = sides_of_study(both);
  const CommonRegimes common = split_regimes(sides, both.rules());
  const std::vector<SharedCell> shared = shared_cells(sides);
  const Contest contest = contest_of_sides(sides, shared, common);
  const std::vector<std::uint32_t> all =
      select_labels(contest.labels, std::vector<std::string>(), "--arms");
  const bool any = !contest.cells.empty() &&
                   !pairs_of_campaigns(contest, arms_against_each_other(contest, sides, all, false),
                                       common, both.rules())
                        .empty();
  if (any) return std::nullopt;
  return lack_of_shared_cells(sides);
}

}  // namespace invar::analysis
