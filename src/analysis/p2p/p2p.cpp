#include "analysis/p2p/p2p.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/clock_reading.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "base/units.hpp"
#include "record/arm_cell.hpp"

namespace invar::analysis {
namespace {

// The time of a stream that a sender reads on its own clock.
constexpr const char* kAcknowledged = "acknowledged";

std::optional<Lack> lack_of_messages(const store::Data& data) {
  if (any_messages(data)) return std::nullopt;
  return Lack{.faults = {{.place = data.dir.string(),
                          .what = "no cell sends messages between single ranks",
                          .remedy = "invar p2p ARM... measures some; in a campaign they are "
                                    "operation = [\"pingpong\", \"oneway\", \"stream\"]"}}};
}

// From its start to the end of its receiver a sender's stream cannot be timed between hosts: what
// it waits for there is the acknowledgement, which it times itself.
void add_acknowledged(const Study& study, std::span<const std::uint32_t> arms,
                      const Regimes& regimes, Contest& contest) {
  const store::Data& data = study.data();
  TimedVisits& headline = contest.times.front();
  std::vector<record::ArmCell> lacking;
  for (std::uint32_t cell = 0; cell < data.cells.size(); ++cell) {
    for (const std::uint32_t arm : arms) {
      const bool lacks = headline.whole()[cell][arm].empty();
      if (lacks && data.cells[cell].operation == kStream) lacking.push_back({cell, arm});
    }
  }
  if (lacking.empty()) return;
  const TimeChoice choice{.kind = TimeChoice::Kind::kNamed, .name = kAcknowledged};
  const Summaries& own = study.summaries_of(choice);
  Contest other = contest_of(data, sort_visits(own.visits, data.cells.size(), data.arms.size()),
                             arms, contest.reference);
  other.times.front().choice = choice;
  if (!contest.views.empty()) add_views(other, study, regimes, arms);
  const TimedVisits& acknowledged = other.times.front();
  const auto fill = [&](const CellTable& from, CellTable& table) {
    for (const record::ArmCell& one : lacking) table[one.cell][one.arm] = from[one.cell][one.arm];
  };
  fill(acknowledged.table, headline.table);
  if (!headline.everything.empty()) fill(acknowledged.whole(), headline.everything);
  for (std::size_t view = 0; view < contest.views.size(); ++view) {
    const auto same = std::ranges::find(other.views, contest.views[view]);
    if (same == other.views.end()) continue;
    fill(acknowledged.in_view[static_cast<std::size_t>(same - other.views.begin())],
         headline.in_view[view]);
  }
}

// Visits that lack their headline because there is none between hosts: nothing has failed, and
// what can be told of them is.
bool is_untellable(const store::Data& data, const UntoldVisits& untold) {
  const record::Cell& cell = data.cells[untold.cell];
  return cell.nodes > 1 && (cell.operation == kStream || cell.operation == kOneWay);
}

Summaries without_untellable(const store::Data& data, Summaries summaries) {
  std::erase_if(summaries.untold,
                [&](const UntoldVisits& untold) { return is_untellable(data, untold); });
  return summaries;
}

// Steps of the curve of round trips of this arm and place; none: there is no such curve, or nobody
// could look for steps of it, which it then says if that is because of what was measured.
void take_steps(const MessagePlaces& places, const Steps& steps, std::uint32_t arm,
                std::size_t place, MessageSummary& summary) {
  std::optional<std::vector<Step>> found;
  bool too_wide = false;
  for (std::size_t curve = 0; curve < steps.curves.size(); ++curve) {
    const Curve& one = steps.curves[curve];
    const bool here = one.arm == arm && one.place.operation == kPingPong &&
                      places.of(one.points.front().cell) == place &&
                      without_queues(one.place).same_levels(one.place);
    if (!here) continue;
    too_wide = too_wide || one.too_wide;
    std::vector<Step> of_curve;
    std::ranges::copy_if(steps.steps, std::back_inserter(of_curve),
                         [curve](const Step& step) { return step.curve == curve; });
    // What was found is one even where another part of the curve shows nothing.
    if (!one.judged && of_curve.empty()) continue;
    if (!found) found.emplace();
    found->insert(found->end(), of_curve.begin(), of_curve.end());
  }
  if (too_wide && (!found || found->empty())) {
    summary.steps_not_judged = too_wide_words(steps);
    return;
  }
  summary.steps = std::move(found);
}

std::vector<MessageSummary> summaries_of_places(const MeasuredMessages& measured,
                                                const std::vector<LatencyRow>& latency,
                                                const std::vector<RateRow>& rates,
                                                const Steps& steps) {
  std::vector<MessageSummary> summaries;
  for (std::uint32_t arm = 0; arm < measured.data.arms.size(); ++arm) {
    const std::string& label = measured.data.arms[arm].label;
    for (std::size_t place = 0; place < measured.places.count(); ++place) {
      MessageSummary summary{.arm = label, .place = measured.places.text(place)};
      for (const LatencyRow& row : latency) {
        if (row.arm != label || row.place != place || !row.half_round_trip) continue;
        summary.latency = row.half_round_trip;
        summary.latency_bytes = row.cell.size_bytes.value_or(0);
        break;  // rows ascend by size
      }
      summary.rates = rates_of_place(measured, arm, place, rates);
      take_steps(measured.places, steps, arm, place, summary);
      if (!summary.latency && !summary.rates.bandwidth_gb_s) continue;
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

// What has too few launch groups says nothing.
CellTable with_groups_enough(CellTable table) {
  for (std::vector<CellVisits>& row : table) {
    for (CellVisits& visits : row) {
      if (visits.launches.size() < kRegimeGroups) visits = {};
    }
  }
  return table;
}

// The same of every other regime, and of everything together.
std::vector<MessageSummary> summaries_elsewhere(const Study& study, const Contest& contest,
                                                const MessagePlaces& places, double confidence) {
  std::vector<MessageSummary> all;
  for (std::size_t view = 0; view < contest.views.size(); ++view) {
    Contest of_view{.cells = contest.cells, .labels = contest.labels};
    of_view.times.emplace_back().table = with_groups_enough(contest.times.front().in_view[view]);
    const MeasuredMessages measured{
        .data = study.data(), .places = places, .table = of_view.table(), .confidence = confidence};
    for (MessageSummary& summary : summaries_of_places(
             measured, latency_rows(measured), rate_rows(measured), find_steps(study, of_view))) {
      summary.regime = contest.views[view];
      all.push_back(std::move(summary));
    }
  }
  return all;
}

bool rests_on_one_launch(const CellTable& table) {
  return std::ranges::all_of(table, [](const std::vector<CellVisits>& row) {
    return std::ranges::all_of(row,
                               [](const CellVisits& visits) { return visits.launches.size() < 2; });
  });
}

// A rate that still grows is not a limit of the machine.
void warn_of_growing_rates(P2p& found) {
  for (const MessageSummary& summary : found.summaries) {
    if (!summary.rates.grows) continue;
    found.warnings.emplace_back(
        summary.arm + (summary.place.empty() ? "" : " (" + summary.place + ")") +
        ": its bandwidth still grows at " + base::size_text(summary.rates.bandwidth_bytes) +
        ", the largest messages that were measured: larger ones may have more, and half of it "
        "may be reached later");
  }
}

}  // namespace

std::optional<Lack> p2p_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (std::optional<Lack> lack = lack_of_messages(data)) return lack;
  const Summaries& summaries = study.summaries();
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

P2p p2p(const Study& study) {
  require(p2p_lack(study));
  const store::Data& data = study.data();
  const Summaries& all = study.summaries();
  const Rules rules = judging_rules(study, all);
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  const Regimes regimes = regimes_by(data, all, rules);
  const ReferenceChoice reference = reference_of(data, all, regimes, rules);
  Contest contest = contest_of(data, sort_visits(all.visits, data.cells.size(), data.arms.size()),
                               arms, reference.band);
  contest.times.front().choice = rules.time;
  if (reference.band || reference.moved.empty()) add_views(contest, study, regimes, arms);
  add_acknowledged(study, arms, regimes, contest);
  const MessagePlaces places(data);
  const MeasuredMessages measured{.data = data,
                                  .places = places,
                                  .table = contest.table(),
                                  .untold = all.untold,
                                  .confidence = 1 - rules.decision.alpha,
                                  .min_effect = rules.decision.min_effect};

  P2p found{.arms = compared_arms(data, arms),
            .latency = latency_rows(measured),
            .rates = rate_rows(measured),
            .queues = queues_of(measured),
            .steps = find_steps(study, contest),
            .regimes = regimes,
            .reference = reference_regime(contest),
            .shows_regimes = study.options().regimes,
            .asked = asked_words(study.options()),
            .reading_ns = clock_reading_ns(data)};
  if (!reference.band && regimes.found.size() > 1) {
    found.steps.mixed_regimes = regimes.found.size();
  }
  found.summaries = summaries_of_places(measured, found.latency, found.rates, found.steps);
  found.elsewhere = summaries_elsewhere(study, contest, places, measured.confidence);
  found.scope = scope_text(data, rests_on_one_launch(contest.table()), study.starts()) +
                regime_scope(found.reference);
  const Summaries told = without_untellable(data, all);
  found.warnings = data_warnings(data, rules, told, arms, contest.split_by());
  for (Warning& doubt : perturbation_warnings(find_perturbations(data, all, rules.pairing))) {
    found.warnings.push_back(std::move(doubt));
  }
  if (!reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(reference.moved, contest.is_split()), Gravity::kDoubt);
  } else if (rules.method == Method::kInvar && !reference.band && regimes.found.size() > 1) {
    found.warnings.push_back(untold_regimes_warning(regimes));
  }
  for (std::vector<Warning>* more : {&found.steps.warnings, &found.queues.warnings}) {
    for (Warning& warning : *more) found.warnings.push_back(std::move(warning));
    more->clear();
  }
  found.global_runtime = all.global;
  found.local_cells = local_cell_texts(data, all);
  found.alpha = rules.decision.alpha;
  found.min_effect = rules.decision.min_effect;
  found.no_verdict = rules.no_verdict;
  found.dir = data.dir;
  found.health = health_of(study.all(), told);
  if (found.no_verdict.empty()) warn_of_growing_rates(found);
  found.sentence = p2p_sentence(found);
  return found;
}

}  // namespace invar::analysis
