#include "design/recipes/suite_campaign.hpp"

#include <string>
#include <vector>

#include "design/suites/suite_ways.hpp"

namespace invar::design {
namespace {

constexpr std::uint32_t kMostLaunches = 100'000;  // the budget ends it

}  // namespace

Campaign suite_campaign(const Campaign& own, const Preset& suite) {
  Campaign campaign = own;
  campaign.launches = {.min = 1, .max = kMostLaunches};
  campaign.stopping = Stopping::kFixed;
  std::vector<std::string> operations;
  for (const CellsBlock& block : own.cells) {
    operations.insert(operations.end(), block.operations.begin(), block.operations.end());
  }
  const RunHabit habit = run_habit(suite, operations);
  campaign.rounds = habit.passes;
  campaign.prediction.reset();
  campaign.repetitions = habit.calls;
  campaign.shuffled = false;
  campaign.engine.pairing = "launches";
  // Suites look at single ranks; how long a visit and a window may be is meant for our own visits.
  // Above record::kSuitesPerRankUpTo ranks they do so only where that is asked for.
  if (campaign.engine.record != "per-rank") campaign.engine.record = "auto";
  campaign.engine.visit_limit_s.reset();
  campaign.engine.window_s.reset();
  campaign.analysis.method = suite.name;
  campaign.analysis.runtime = "auto";
  campaign.analysis.gate.reset();  // no suite has a test of it
  campaign.analysis.presets = {std::string(suite.name)};
  campaign.analysis.own_visits = false;
  return campaign;
}

}  // namespace invar::design
