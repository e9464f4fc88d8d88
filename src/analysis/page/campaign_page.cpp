#include "analysis/page/campaign_page.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/machine/reference.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

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
    failures.push_back({.arm = dropped.arm, .reason = "was dropped: " + dropped.reason});
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
    page.problems.push_back("arm " + arm.arm + " was dropped: " + arm.reason);
  }
  for (const EmptyVisits& empty : summaries.empty) {
    page.problems.push_back(data.arms.at(empty.arm).label + ", " +
                            record::cell_text(data.cells.at(empty.cell)) +
                            ": no valid repetition in " + count_text(empty.visits, "visit"));
  }
  if (!data.ended) {
    page.problems.push_back("not finished: " + count_text(data.groups.size(), "launch group") +
                            " of " +
                            (data.planned_groups ? std::to_string(*data.planned_groups)
                                                 : std::string("a number not decided yet")) +
                            ", invar run --resume goes on");
  }
  page.state = state_of(page.health);
  if (page.state != CampaignState::kDamaged && data.groups.empty()) {
    page.state = CampaignState::kEmpty;
  }
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
  const auto* comparison = page.found<Comparison>();
  if (comparison != nullptr && comparison->method == Method::kInvar) {
    page.regimes = comparison->regimes;
    page.perturbations = comparison->perturbations;
  } else {
    page.regimes = regimes_by(data, summaries, rules);
    page.perturbations = find_perturbations(data, summaries, rules.pairing);
  }
  page.canary = canary_series(summaries, axis, page.regimes.kind);
  for (Perturbation& one : page.perturbations) {
    std::tie(one.begin_s, one.end_s) = axis.seconds(one);
  }
}

// Everything that these data answer; the question that the campaign was made for says the sentence.
// An answer that nobody gets although the campaign is made like that is a problem.
void add_answers(const Study& study, CampaignPage& page) {
  const design::Question asked = asked_question(study).question;
  page.asked = asked;
  // Times of one arm are shown because there is nobody to compare it with.
  const bool to_compare = asked == design::Question::kCompare || asked == design::Question::kShow;
  for (const QuestionRow& row : question_rows()) {
    const OnPage place = row.question == asked && asked != design::Question::kShow
                             ? OnPage::kExpected
                             : row.on_page(study);
    if (place == OnPage::kNo) continue;
    const bool compares = row.question == design::Question::kCompare;
    if (const std::optional<Lack> lack = row.lacking(study)) {
      const bool expected = place == OnPage::kExpected && lack->status != base::Exit::kUsage;
      if (compares && to_compare) {
        page.comparison_missing = study.data().arms.size() < 2 && study.rules().against == nullptr
                                      ? "one arm: there is nothing to compare it with"
                                      : lack->text();
      } else if (!compares && expected && !study.data().groups.empty()) {
        page.problems.push_back("no " + std::string(design::to_string(row.question)) + ": " +
                                lack->text());
      }
      continue;
    }
    Answered answered =
        row.ask(study, place == OnPage::kIfAny ? Detail::kWithoutFigures : Detail::kOnAPage);
    if (row.question == asked) page.sentence = answered.answer.sentence;
    page.answers.push_back({std::move(answered), row.page_key});
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

CampaignState state_of(const Health& health) {
  switch (status_of(health)) {
    case base::Exit::kDamaged:
      return CampaignState::kDamaged;
    case base::Exit::kIncomplete:
      return CampaignState::kIncomplete;
    case base::Exit::kMeasurementFailed:
      return CampaignState::kFailed;
    default:
      return CampaignState::kComplete;
  }
}

CampaignPage campaign_page(const Study& study, const std::string& name,
                           const FigureResolution& resolution) {
  const Rules& rules = study.rules();
  // A run of another suite has visits of its way only, and these are then what there is to see.
  const bool own = study.campaign().analysis.own_visits;
  const store::Data& data = own ? study.data() : study.all();
  CampaignPage page{.name = name,
                    .cells = data.cells,
                    .alpha = rules.decision.alpha,
                    .min_effect = rules.decision.min_effect};
  std::optional<Summaries> of_suite;
  if (!own) of_suite = summarize_visits(data, rules.runtime, rules.agreed_start);
  const Summaries& summaries = of_suite ? *of_suite : study.summaries();
  page.health = health_of(data, summaries);
  page.global_runtime = summaries.global;
  page.local_cells = summaries.local_cells;
  for (const Tally& arm : summaries.arms) page.repetitions += arm;
  const std::vector<std::uint32_t> arms = select_labels(labels_of(data), {}, "--arms");
  page.arms = compared_arms(data, arms);
  page.failures = failures_of(data);
  judge_state(data, summaries, page);

  const TimeAxis axis(data, rules.pairing);
  CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  drop_failed_cells(data, table);
  page.figures = campaign_figures(data, summaries, table, axis, kTimeConfidence, resolution);
  add_answers(study, page);
  add_machine(data, summaries, rules, axis, page);
  const auto* comparison = page.found<Comparison>();
  page.scope =
      comparison != nullptr ? comparison->scope : scope_text(data, data.groups.size() == 1);
  if (page.sentence.empty()) {
    page.sentence = comparison != nullptr ? comparison->sentence : counted_sentence(page, data);
  }
  return page;
}

}  // namespace invar::analysis
