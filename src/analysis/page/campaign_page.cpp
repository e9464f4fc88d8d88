#include "analysis/page/campaign_page.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "analysis/compare/compare.hpp"
#include "analysis/study/own_visits.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

std::string text_of(const base::CommandError& error) {
  std::vector<std::string> texts;
  for (const base::Fault& fault : error.faults()) texts.push_back(fault.what);
  return base::join(texts, "; ");
}

// What these data give, or nothing; `why` if it is asked for.
template <typename Answer>
std::optional<decltype(std::declval<Answer>()())> if_any(const Answer& answer,
                                                         std::string* why = nullptr) {
  try {
    return answer();
  } catch (const base::CommandError& error) {
    if (why != nullptr) *why = text_of(error);
    return std::nullopt;
  }
}

std::vector<PageFailure> failures_of(const store::Data& data) {
  const auto cell_at = [&](std::uint32_t id) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(data.cells, id, &record::Cell::id);
    if (found == data.cells.end()) return std::nullopt;
    return static_cast<std::size_t>(found - data.cells.begin());
  };
  const auto group_of = [&](std::uint32_t launch) -> std::optional<std::uint32_t> {
    for (const store::Group& group : data.groups) {
      for (const store::Launch& one : group.launches) {
        if (one.launch == launch) return group.group;
      }
    }
    return std::nullopt;
  };
  std::vector<PageFailure> failures;
  for (const store::GroupOutcome& group : data.failed_groups) {
    failures.push_back({.group = group.group, .arm = group.arm, .reason = group.reason});
  }
  for (const store::FailedCell& failed : data.failed_cells) {
    failures.push_back({.arm = failed.arm, .cell = cell_at(failed.cell), .reason = failed.reason});
  }
  for (const store::Missed& missed : data.missed) {
    failures.push_back({.group = group_of(missed.launch),
                        .launch = missed.launch,
                        .arm = data.arms.at(missed.arm).label,
                        .cell = cell_at(missed.cell),
                        .reason = missed.reason});
  }
  for (const store::DroppedArm& dropped : data.dropped_arms) {
    failures.push_back({.arm = dropped.arm, .reason = "takes no further part: " + dropped.reason});
  }
  return failures;
}

// With the reasons in words, most serious first.
void judge_state(const store::Data& data, const Summaries& summaries, CampaignPage& page) {
  for (const store::DataFault& fault : data.damage) {
    page.problems.push_back("damaged and left out: " + fault.place + ": " + fault.what);
  }
  if (!data.failed_groups.empty()) {
    page.problems.push_back(count_text(data.failed_groups.size(), "launch group") +
                            " failed: " + data.failed_groups.front().reason);
  }
  if (!data.failed_cells.empty()) {
    page.problems.push_back(count_text(data.failed_cells.size(), "cell") +
                            " of an arm failed: " + data.failed_cells.front().reason);
  }
  if (!data.missed.empty()) {
    page.problems.push_back(count_text(data.missed.size(), "run") +
                            " of a program gave no time: " + data.missed.front().reason);
  }
  for (const store::DroppedArm& arm : data.dropped_arms) {
    page.problems.push_back("arm " + arm.arm + " takes no further part: " + arm.reason);
  }
  for (const EmptyVisits& empty : summaries.empty) {
    page.problems.push_back(data.arms.at(empty.arm).label + ", " +
                            record::cell_text(data.cells.at(empty.cell)) +
                            ": no valid repetition in " + count_text(empty.visits, "visit"));
  }
  const bool failed = !data.failed_groups.empty() || !data.failed_cells.empty() ||
                      !data.missed.empty() || !data.dropped_arms.empty() ||
                      !summaries.empty.empty();
  if (!data.ended) {
    page.problems.push_back("not finished: " + count_text(data.groups.size(), "launch group") +
                            " of " +
                            (data.planned_groups ? std::to_string(*data.planned_groups)
                                                 : std::string("a number not decided yet")) +
                            ", invar run --resume goes on");
  }
  if (!data.damage.empty()) {
    page.state = CampaignState::kDamaged;
    page.status = base::Exit::kDamaged;
  } else if (failed || (data.groups.empty() && data.ended)) {
    page.state = data.groups.empty() ? CampaignState::kEmpty : CampaignState::kFailed;
    page.status = base::Exit::kMeasurementFailed;
  } else if (!data.ended) {
    page.state = data.groups.empty() ? CampaignState::kEmpty : CampaignState::kIncomplete;
    page.status = base::Exit::kIncomplete;
  }
}

// Cells differ in a factor that is asked about as such.
bool varies(const std::vector<record::Cell>& cells, std::string_view factor) {
  const record::Factor* known = record::find_factor(factor);
  return std::ranges::any_of(cells, [&](const record::Cell& cell) {
    return known->text(cell) != known->text(cells.front());
  });
}

bool is_self_test(const store::Data& data) {
  return std::ranges::any_of(data.cells,
                             [](const record::Cell& cell) { return cell.delay_ns > 0; });
}

// Something is varied that is no question of operations, sizes, ranks, libraries or
// synchronisation.
bool has_factors(const store::Data& data, const design::Campaign& campaign) {
  const bool launches = std::ranges::any_of(
      campaign.arms, [](const design::Arm& arm) { return !arm.variant_of.empty(); });
  return launches || std::ranges::any_of(record::factors(), [&](const record::Factor& factor) {
           static constexpr std::array<std::string_view, 6> kOthers{
               "operation", "size_bytes", "ranks", "sync", "dither_ns", "family"};
           return std::ranges::find(kOthers, factor.name) == kOthers.end() &&
                  record::tells_cells_apart(factor, data.cells);
         });
}

// What a page can hold of the figures of factors: those of the first targets.
void limit_figures(Factors& factors) {
  constexpr std::size_t kMostRows = 6000;
  FactorFigures& figures = factors.figures;
  std::vector<std::size_t> rows(factors.targets.size(), 0);
  const auto count = [&](const auto& list) {
    for (const auto& row : list) ++rows.at(row.target);
  };
  count(figures.launches);
  count(figures.histograms);
  count(figures.quantiles);
  std::size_t kept = 0;
  std::size_t total = 0;
  for (; kept < rows.size() && total + rows[kept] <= kMostRows; ++kept) total += rows[kept];
  if (kept == rows.size()) return;
  const auto beyond = [&](const auto& row) { return row.target >= kept; };
  std::erase_if(figures.launches, beyond);
  std::erase_if(figures.histograms, beyond);
  std::erase_if(figures.quantiles, beyond);
  factors.warnings.push_back("figures of factors are here for the first " + std::to_string(kept) +
                             " of " + count_text(rows.size(), "operation and size") +
                             "; invar factors DIR --format json has all");
}

// The numbers of a campaign that nobody compares.
std::string counted_sentence(const CampaignPage& page, const store::Data& data) {
  std::set<std::size_t> cells;
  std::set<std::size_t> arms;
  std::uint64_t observations = 0;
  for (const CellTime& time : page.figures.times) {
    cells.insert(time.cell);
    arms.insert(time.arm);
    observations += time.observations;
  }
  if (observations == 0) {
    return "Nothing to show: " +
           (page.problems.empty() ? std::string("no valid repetition") : page.problems.front()) +
           ".";
  }
  return count_text(cells.size(), "cell") + " of " + count_text(arms.size(), "arm") + ", " +
         count_text(observations, "observation") + ": " +
         scope_text(data, data.groups.size() == 1) + ".";
}

// What the machine did meanwhile.
void add_machine(const store::Data& data, const Summaries& summaries, const Rules& rules,
                 const TimeAxis& axis, CampaignPage& page) {
  page.canary = canary_series(summaries, axis);
  if (page.comparison && page.comparison->method == Method::kInvar) {
    page.regimes = page.comparison->regimes;
    page.perturbations = page.comparison->perturbations;
  } else {
    page.regimes = regimes_of(data, summaries);
    page.perturbations = find_perturbations(data, summaries, rules.pairing);
  }
  for (Perturbation& one : page.perturbations) {
    std::tie(one.begin_s, one.end_s) = axis.seconds(one);
  }
}

// What a campaign of this kind was made for, or in `problems` why there is none of it. A UserError
// says that it is of another kind, of which nobody expects an answer.
template <typename Answer>
auto asked(const std::string& name, const Answer& answer, CampaignPage& page)
    -> std::optional<decltype(answer())> {
  try {
    return answer();
  } catch (const base::UserError&) {
    return std::nullopt;
  } catch (const base::CommandError& error) {
    page.problems.push_back("no " + name + ": " + text_of(error));
    return std::nullopt;
  }
}

// Campaigns that a command made for a question of their own answer that one.
void add_questions(const store::Data& all, const store::Data& data,
                   const design::Campaign& campaign, const Rules& rules, const Summaries* made,
                   CampaignPage& page) {
  if (data.groups.empty() || data.cells.empty()) return;
  if (is_self_test(data)) {
    page.self_test = asked(
        "self-test", [&] { return self_test(all, rules); }, page);
    return;
  }
  const bool syncs = varies(data.cells, "sync");
  const bool factors_vary = has_factors(data, campaign);
  // Rows that differ in more than their synchronisation are what `factors` is for.
  if (!factors_vary && syncs) {
    page.local_global = asked(
        "local-global", [&] { return local_global(all, rules); }, page);
  }
  if (!factors_vary && (syncs || varies(data.cells, "dither_ns")) && data.arms.size() > 1) {
    page.sync_bias = asked(
        "sync-bias", [&] { return sync_bias(all, rules, {}); }, page);
  }
  if (page.local_global) page.answers.push_back(answer_of(*page.local_global));
  if (page.sync_bias) page.answers.push_back(answer_of(*page.sync_bias));
  if (factors_vary) {
    page.factors = asked(
        "factors", [&] { return factors(all, {}, FactorPictures::kAll, made); }, page);
  } else {
    page.factors = if_any([&] { return factors(all, {}, FactorPictures::kNone, made); });
  }
  if (page.factors) limit_figures(*page.factors);
}

void choose_sentence(const design::Campaign& campaign, const store::Data& data,
                     CampaignPage& page) {
  if (page.self_test) {
    page.sentence = page.self_test->sentence;
  } else if (page.sync_bias && campaign.name == "sync-bias") {
    page.sentence = page.sync_bias->sentence;
  } else if (page.local_global && campaign.name == "local-global") {
    page.sentence = page.local_global->sentence;
  } else if (page.factors && has_factors(data, campaign)) {
    page.sentence = page.factors->sentence;
  } else if (page.comparison) {
    page.sentence = page.comparison->sentence;
  } else {
    page.sentence = counted_sentence(page, data);
  }
}

}  // namespace

std::string_view to_string(CampaignState state) {
  switch (state) {
    case CampaignState::kDamaged:
      return "damaged";
    case CampaignState::kEmpty:
      return "empty";
    case CampaignState::kFailed:
      return "failed";
    case CampaignState::kIncomplete:
      return "incomplete";
    case CampaignState::kComplete:
      break;
  }
  return "complete";
}

CampaignPage campaign_page(const store::Data& all, const std::string& name,
                           const FigureResolution& resolution) {
  const design::Campaign campaign = campaign_of(all);
  const Rules rules = make_rules(campaign, {});
  const OwnVisits own(all);
  // A run of another suite has visits of its way only, and these are then what there is to see.
  const store::Data& data = rules.own_visits ? own.data() : all;
  CampaignPage page{.name = name,
                    .cells = data.cells,
                    .alpha = rules.decision.alpha,
                    .min_effect = rules.decision.min_effect};
  const Summaries summaries = summarize_visits(data, rules.runtime, rules.agreed_start);
  page.global_runtime = summaries.global;
  for (const Tally& arm : summaries.arms) page.repetitions += arm;
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), {}, "--arms");
  page.arms = compared_arms(data, arms);
  page.failures = failures_of(data);
  judge_state(data, summaries, page);

  const TimeAxis axis(data, rules.pairing);
  CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  drop_failed_cells(data, table);
  page.figures = campaign_figures(data, summaries, table, axis, kTimeConfidence, resolution);
  // Where they are of all visits, a command that asks for these summaries gets the same ones.
  const Summaries* made = rules.own_visits ? &summaries : nullptr;
  if (data.arms.size() < 2) {
    page.comparison_missing = "one arm: there is nothing to compare it with";
  } else {
    page.comparison =
        if_any([&] { return compare(all, rules, {}, made); }, &page.comparison_missing);
  }
  add_machine(data, summaries, rules, axis, page);
  if (page.comparison) {
    page.scope = page.comparison->scope;
  } else {
    page.scope = scope_text(data, data.groups.size() == 1);
  }
  add_questions(all, data, campaign, rules, made, page);
  choose_sentence(campaign, data, page);
  return page;
}

}  // namespace invar::analysis
