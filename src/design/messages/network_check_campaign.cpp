#include "design/messages/network_check_campaign.hpp"

#include <utility>

namespace invar::design {
namespace {

constexpr std::uint64_t kLeastChecked = 4;
constexpr std::uint64_t kCheckedStep = 4;

constexpr Launches kMeasuredLaunches{.min = 5, .max = 60};
constexpr std::uint32_t kMeasuredCheckRounds = 2;
constexpr std::uint32_t kMeasuredCheckRepetitions = 20;

constexpr std::uint32_t kSimulatedRepetitions = 3;
// As of the real arms: a common start.
constexpr const char* kCheckSync = "round-time";

CellsBlock collectives_of(std::vector<std::uint64_t> sizes_bytes) {
  CellsBlock block{.sizes_bytes = std::move(sizes_bytes)};
  for (const char* operation : kCheckedCollectives) block.operations.emplace_back(operation);
  block.levels["batches"] = {"never"};
  return block;
}

}  // namespace

std::vector<std::uint64_t> checked_sizes(std::uint64_t high_bytes) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = kLeastChecked; size <= high_bytes; size *= kCheckedStep) {
    sizes.push_back(size);
  }
  return sizes;
}

Campaign measured_check_campaign(const MeasuredCheckOrder& order) {
  Campaign campaign{.name = "network-check", .seed = order.seed, .launches = kMeasuredLaunches};
  campaign.budget_s = order.budget_s;
  campaign.rounds = kMeasuredCheckRounds;
  campaign.repetitions = kMeasuredCheckRepetitions;
  campaign.engine = order.network.engine;
  campaign.analysis = order.network.analysis;
  campaign.analysis.question = Question::kShow;
  campaign.arms = order.network.arms;
  CellsBlock collectives = collectives_of(order.sizes_bytes);
  CellsBlock reductions{.operations = {kCheckedReduction}, .sizes_bytes = order.sizes_bytes};
  for (CellsBlock* block : {&collectives, &reductions}) {
    if (order.ranks.between_hosts) {
      block->levels["nodes"] = {std::to_string(order.ranks.ranks)};
      block->levels["ppn"] = {"1"};
    } else {
      block->levels["ranks"] = {std::to_string(order.ranks.ranks)};
    }
  }
  campaign.cells = {std::move(collectives), std::move(reductions)};
  return campaign;
}

Campaign simulated_check_campaign(const SimulatedCheckOrder& order) {
  Campaign campaign{
      .name = "network-check-simulated", .seed = order.seed, .launches = {.min = 1, .max = 1}};
  campaign.rounds = 1;
  campaign.repetitions = kSimulatedRepetitions;
  campaign.analysis.question = Question::kShow;
  campaign.arms = order.arms;
  for (const CheckedMessages& messages : order.messages) {
    CellsBlock block{.operations = {messages.operation}, .sizes_bytes = messages.sizes_bytes};
    block.levels["ranks"] = {"2"};
    block.levels["sync"] = {kCheckSync};
    // As in the network's campaign: the others are never batched.
    if (messages.operation == "pingpong") block.levels["batches"] = {"never"};
    if (messages.arrival != "none") block.levels["arrival"] = {messages.arrival};
    campaign.cells.push_back(std::move(block));
  }
  CellsBlock collectives = collectives_of(order.sizes_bytes);
  collectives.operations.emplace_back(kCheckedReduction);
  collectives.levels["ranks"] = {std::to_string(order.ranks)};
  collectives.levels["sync"] = {kCheckSync};
  campaign.cells.push_back(std::move(collectives));
  return campaign;
}

}  // namespace invar::design
