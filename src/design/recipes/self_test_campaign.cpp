#include "design/recipes/self_test_campaign.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace invar::design {
namespace {

constexpr double kEffects[] = {0.01, 0.02, 0.05, 0.1, 0.2};
constexpr std::uint32_t kSelfTestRounds = 6;
constexpr std::uint32_t kSelfTestRepetitions = 25;
constexpr Launches kPilotLaunches{.min = 3, .max = 3};
// Fewer make no two tables of five.
constexpr Launches kSelfTestLaunches{.min = 10, .max = 1000};

// "0" and whole nanoseconds, each longer than the one before.
std::vector<std::string> delays_of(double call_ns) {
  std::vector<std::string> delays{"0"};
  long long last_ns = 0;
  for (const double effect : kEffects) {
    last_ns = std::max(last_ns + 1, std::llround(effect * call_ns));
    delays.push_back(std::to_string(last_ns));
  }
  return delays;
}

}  // namespace

Campaign self_test_pilot(const SelfTestOrder& order) {
  Campaign campaign = begin_campaign(order.quick, "self-test", Question::kShow);
  campaign.launches = kPilotLaunches;
  campaign.rounds = kSelfTestRounds;
  campaign.repetitions = kSelfTestRepetitions;
  campaign.engine.pairing = order.pairing;
  label_arms(campaign.arms, "--library");
  // A block each: operations need not have the same delays.
  for (const std::string& operation : order.quick.operations) {
    CellsBlock& block = campaign.cells.emplace_back(ordered_cells(order.quick));
    block.operations = {operation};
  }
  return campaign;
}

Campaign self_test_campaign(const Campaign& pilot, std::span<const PilotTime> times,
                            double budget_s) {
  Campaign campaign = pilot;
  campaign.analysis.question = Question::kSelfTest;
  campaign.launches = kSelfTestLaunches;
  campaign.budget_s = std::max(1.0, budget_s);
  // Delays are told apart inside a launch, too.
  campaign.together = {"delay"};
  campaign.arms.push_back(campaign.arms.front());
  for (Arm& arm : campaign.arms) arm.label.clear();
  label_arms(campaign.arms, "--library");
  const std::vector<CellsBlock> blocks = std::exchange(campaign.cells, {});
  for (const PilotTime& time : times) {
    CellsBlock block{.operations = {time.cell.operation}, .levels = blocks.front().levels};
    if (time.cell.size_bytes) block.sizes_bytes = {*time.cell.size_bytes};
    block.levels["delay"] = delays_of(time.call_ns);
    campaign.cells.push_back(std::move(block));
  }
  return campaign;
}

}  // namespace invar::design
