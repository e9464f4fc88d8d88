#include "design/recipes/confirm_campaign.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace invar::design {
namespace {

// What tells candidates apart is not a level of what is confirmed.
constexpr const char* kOfCandidates[] = {"algorithm", "segment", "ranks"};

// Those of the block in which the race has the operation in the arm as given.
Levels levels_of_race(const Campaign& race, const std::string& operation) {
  const std::string& given = race.arms.front().label;
  for (const CellsBlock& block : race.cells) {
    const bool has = std::ranges::find(block.operations, operation) != block.operations.end();
    const bool here =
        block.arms.empty() || std::ranges::find(block.arms, given) != block.arms.end();
    if (!has || !here) continue;
    Levels levels = block.levels;
    for (const char* key : kOfCandidates) levels.erase(key);
    return levels;
  }
  return {};
}

}  // namespace

std::vector<TuneCell> raced_cells(const std::vector<RaceBlock>& races) {
  std::vector<TuneCell> cells;
  cells.reserve(races.size());
  for (const RaceBlock& race : races) {
    cells.push_back(
        {.operation = race.operation, .size_bytes = race.size_bytes, .ranks = race.ranks});
  }
  return cells;
}

Campaign confirm_campaign(const ConfirmOrder& order) {
  if (order.cells.empty() || order.table.empty() || order.race.arms.empty()) {
    throw std::invalid_argument("what is to be confirmed has cells and entries");
  }
  Campaign campaign{.name = "tune-confirm", .seed = order.seed, .launches = kLookLaunches};
  campaign.budget_s = order.budget_s;
  campaign.stopping = Stopping::kLooks;
  campaign.engine = order.race.engine;
  campaign.analysis = order.race.analysis;
  campaign.analysis.question = Question::kTuneConfirm;
  campaign.arms = {order.race.arms.front(), order.race.arms.front()};
  campaign.arms.back().label = kTunedArm;
  while (campaign.arms.back().label == campaign.arms.front().label) {
    campaign.arms.back().label += '+';
  }
  campaign.arms.back().settings = order.tuned;

  std::map<std::pair<std::string, std::uint32_t>, std::set<std::uint64_t>> sizes;
  for (const TuneCell& cell : order.cells) {
    std::set<std::uint64_t>& of_operation = sizes[{cell.operation, cell.ranks}];
    if (cell.size_bytes) of_operation.insert(*cell.size_bytes);
  }
  for (const auto& [key, of_operation] : sizes) {
    const auto& [operation, ranks] = key;
    CellsBlock& block = campaign.cells.emplace_back();
    block.operations = {operation};
    block.sizes_bytes.assign(of_operation.begin(), of_operation.end());
    block.levels = levels_of_race(order.race, operation);
    block.levels["ranks"] = {std::to_string(ranks)};
  }
  for (const tuning::Entry& entry : order.table.entries()) {
    campaign.entries.push_back({.entry = entry});
  }
  campaign.rounds = quick_rounds(order.cells.size());
  return campaign;
}

}  // namespace invar::design
