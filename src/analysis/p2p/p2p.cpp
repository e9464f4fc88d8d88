#include "analysis/p2p/p2p.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "base/units.hpp"

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
                      const std::optional<base::CanaryBand>& band, CellTable& table) {
  const store::Data& data = study.data();
  const auto lacks = [&](std::uint32_t cell, std::uint32_t arm) {
    return data.cells[cell].operation == kStream && table[cell][arm].empty();
  };
  bool any = false;
  for (std::uint32_t cell = 0; cell < table.size(); ++cell) {
    for (const std::uint32_t arm : arms) any = any || lacks(cell, arm);
  }
  if (!any) return;
  const Summaries& own =
      study.summaries_of({.kind = TimeChoice::Kind::kNamed, .name = kAcknowledged});
  const Contest contest =
      contest_of(data, sort_visits(own.visits, data.cells.size(), data.arms.size()), arms, band);
  for (std::uint32_t cell = 0; cell < table.size(); ++cell) {
    for (const std::uint32_t arm : arms) {
      if (lacks(cell, arm)) table[cell][arm] = contest.table()[cell][arm];
    }
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
// could look for steps of it.
std::optional<std::vector<std::size_t>> steps_of_place(const MessagePlaces& places,
                                                       const Steps& steps, std::uint32_t arm,
                                                       std::size_t place) {
  std::optional<std::vector<std::size_t>> found;
  for (std::size_t curve = 0; curve < steps.curves.size(); ++curve) {
    const Curve& one = steps.curves[curve];
    const bool here = one.judged && one.arm == arm && one.place.operation == kPingPong &&
                      places.of(one.points.front().cell) == place &&
                      without_queues(one.place).same_levels(one.place);
    if (!here) continue;
    if (!found) found.emplace();
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      if (steps.steps[i].curve == curve) found->push_back(i);
    }
  }
  return found;
}

std::vector<MessageSummary> summaries_of_places(const MeasuredMessages& measured,
                                                const P2p& found) {
  std::vector<MessageSummary> summaries;
  for (std::uint32_t arm = 0; arm < measured.data.arms.size(); ++arm) {
    const std::string& label = measured.data.arms[arm].label;
    for (std::size_t place = 0; place < measured.places.count(); ++place) {
      MessageSummary summary{.arm = label, .place = measured.places.text(place)};
      for (const LatencyRow& row : found.latency) {
        if (row.arm != label || row.place != place || !row.half_round_trip) continue;
        summary.latency = row.half_round_trip;
        summary.latency_bytes = row.cell.size_bytes.value_or(0);
        break;  // rows ascend by size
      }
      summary.rates = rates_of_place(measured, arm, place, found.rates);
      summary.steps = steps_of_place(measured.places, found.steps, arm, place);
      if (!summary.latency && !summary.rates.bandwidth_gb_s) continue;
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

bool rests_on_one_launch(const CellTable& table) {
  return std::ranges::all_of(table, [](const std::vector<CellVisits>& row) {
    return std::ranges::all_of(row,
                               [](const CellVisits& visits) { return visits.launches.size() < 2; });
  });
}

// A rate that still grows is no limit of the machine.
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
  const ReferenceChoice reference = reference_of(data, all, regimes_by(data, all, rules), rules);
  const Contest contest = contest_of(
      data, sort_visits(all.visits, data.cells.size(), data.arms.size()), arms, reference.band);
  CellTable table = contest.table();
  add_acknowledged(study, arms, reference.band, table);
  const MessagePlaces places(data);
  const MeasuredMessages measured{.data = data,
                                  .places = places,
                                  .table = table,
                                  .untold = all.untold,
                                  .confidence = 1 - rules.decision.alpha,
                                  .min_effect = rules.decision.min_effect};

  P2p found{.arms = compared_arms(data, arms),
            .latency = latency_rows(measured),
            .rates = rate_rows(measured),
            .queues = queues_of(measured),
            .steps = find_steps(study)};
  found.summaries = summaries_of_places(measured, found);
  found.scope = scope_text(data, rests_on_one_launch(table), study.starts()) +
                regime_scope(reference_regime(contest));
  const Summaries told = without_untellable(data, all);
  found.warnings = data_warnings(data, rules, told, arms, contest.split_by());
  for (Warning& doubt : perturbation_warnings(find_perturbations(data, all, rules.pairing))) {
    found.warnings.push_back(std::move(doubt));
  }
  if (!reference.moved.empty()) {
    found.warnings.emplace_back(moved_words(reference.moved, contest.is_split()), Gravity::kDoubt);
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
