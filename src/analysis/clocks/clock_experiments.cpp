#include "analysis/clocks/clock_experiments.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "analysis/clocks/clock_answers.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr std::array<ClockExperiment, 8> kClockExperiments{{
    {"accuracy", "paper 002, figures 8 and 9",
     "error of every algorithm after its end, all with the same time; mesh tracked",
     record::kRawAccuracy, record::kRawTrials, accuracy_answer},
    {"pareto", "paper 002, figure 10",
     "error against the time that a synchronisation takes, over parameters", record::kRawAccuracy,
     record::kRawTrials, pareto_answer},
    {"scaling", "paper 002, figure 8", "error and time over the number of ranks",
     record::kRawAccuracy, record::kRawTrials, scaling_answer},
    {"tracking", "docs/clocks.md", "mesh over time: first model, prediction, smoothed clock",
     record::kRawTracking, record::kRawTrackingTrials, tracking_answer},
    {"resolution",
     "docs/clocks.md",
     "cost, resolution, steps back and rate of every clock",
     record::kRawResolution,
     {},
     resolution_answer},
    {"drift",
     "paper 002, figure 6",
     "clocks against rank 0's over time, with lines through them",
     record::kRawDrift,
     {},
     drift_answer},
    {"barriers",
     "paper 002, figure 4",
     "how far apart ranks leave barriers that they enter together",
     record::kRawBarriers,
     {},
     barriers_answer},
    {"runtime-over-time",
     "paper 002, figures 1, 7, 11",
     "an operation's run-time over time, under every synchronisation",
     record::kRawRunTimes,
     {},
     runtime_answer},
}};

}  // namespace

std::span<const ClockExperiment> clock_experiments() { return kClockExperiments; }

const ClockExperiment* find_clock_experiment(std::string_view name) {
  const auto found = std::ranges::find(kClockExperiments, name, &ClockExperiment::name);
  return found == kClockExperiments.end() ? nullptr : &*found;
}

ClockInput read_clock_input(const store::ClockData& data) {
  const ClockExperiment* experiment = find_clock_experiment(data.head.experiment);
  const bool simulated = data.head.library.empty();
  if (experiment == nullptr || (simulated ? experiment->simulated : experiment->live).empty()) {
    throw base::UserError(data.dir.string(),
                          "this version has no experiment '" + data.head.experiment + "'" +
                              (simulated ? " on simulated networks" : " on a library"),
                          "use the version of invar that measured this");
  }
  return {.head = data.head,
          .spec = record::read_clock_spec(data.spec, (data.dir / store::kClockSpec).string()),
          .rows = ClockCsv(data.rows, simulated ? experiment->simulated : experiment->live,
                           (data.dir / store::kClockRows).string())};
}

Answer clock_answer(const store::ClockData& data) {
  const ClockInput input = read_clock_input(data);
  Answer answer;
  try {
    answer = find_clock_experiment(data.head.experiment)->answer(input);
  } catch (const std::invalid_argument& error) {
    // Numbers of which there is no statistic: a line through points at one time, 1e300 ns.
    throw base::UserError((data.dir / store::kClockRows).string(),
                          std::string("makes no sense: ") + error.what(), "measure again");
  }
  answer.question = data.head.experiment;
  for (const store::FailedClockLaunch& failed : data.failed) {
    answer.warnings.emplace_back(store::failed_text(failed) + "; the answer is without it");
  }
  answer.health.failed_groups = data.failed.size();
  if (data.dir.empty()) return answer;
  const std::string dir = base::shell_quoted(data.dir.string());
  answer.next = {{"data", dir}, {"again", data.head.command}, {"page", "invar report " + dir}};
  return answer;
}

}  // namespace invar::analysis
