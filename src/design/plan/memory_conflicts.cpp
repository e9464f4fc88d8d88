#include "design/plan/memory_conflicts.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "design/factors/launch_factors.hpp"
#include "design/factors/simulated.hpp"
#include "record/factors.hpp"
#include "record/memory/levels.hpp"

namespace invar::design {
namespace {

// One cell of a block, and what its operation says.
class MemoryCell {
 public:
  MemoryCell(const Campaign& campaign, const record::Cell& cell, const record::OperationInfo& info,
             const CellsBlock& block, std::vector<Conflict>& found)
      : campaign_(campaign), cell_(cell), info_(info), block_(block), found_(found) {}

  void check() {
    check_simulated();
    check_levels();
    check_policy();
  }

 private:
  void add(std::string_view key, const std::string& what, std::string remedy) {
    found_.push_back(
        {block_.positions.of(key, block_.at), info_.name + ": " + what, std::move(remedy)});
  }

  void check_simulated() {
    if (!is_simulated(campaign_)) return;
    add("operation", "a simulated machine has no memory that could be measured",
        "leave it out, or measure it in a campaign with a library of this machine");
  }

  // What levels are together, and with a size: each was looked at before, when those behind it had
  // none.
  void check_levels() {
    for (const record::Factor& factor : record::factors()) {
      const bool applies = factor.applies == nullptr || factor.applies(info_);
      if (factor.check == nullptr || !applies) continue;
      const record::LevelText level = factor.check(info_, cell_);
      if (level.complaint.empty()) continue;
      const std::string_view key = level.blamed_key.empty() ? factor.key : level.blamed_key;
      found_.push_back({block_.positions.of(key, block_.at), level.complaint, level.remedy});
    }
  }

  void check_policy() {
    const auto policy = record::parse_policy(cell_.policy);
    const bool real_time = policy && (policy->kind == record::PolicyKind::kFifo ||
                                      policy->kind == record::PolicyKind::kRr);
    if (!real_time) return;
    const std::string level = "policy \"" + cell_.policy + "\"";
    const std::string why =
        ": two spinning ranks on one core wait for each other for ever, because neither leaves it";
    if (campaign_.engine.oversubscribe) {
      add("policy", level + " with oversubscribe" + why, "leave one of them out");
    } else if (any_unpinned(campaign_)) {
      add("policy", level + " of ranks that may move from core to core" + why,
          "write pinning = \"core\"");
    }
  }

  const Campaign& campaign_;
  const record::Cell& cell_;
  const record::OperationInfo& info_;
  const CellsBlock& block_;
  std::vector<Conflict>& found_;
};

}  // namespace

std::vector<Conflict> memory_conflicts(const Campaign& campaign, const ResolvedCells& resolved,
                                       std::span<const std::size_t> block_of_cell) {
  std::vector<Conflict> found;
  for (std::size_t i = 0; i < block_of_cell.size(); ++i) {
    const record::Cell& cell = resolved.cells[i];
    const record::OperationInfo& info = resolved.operation(cell.operation);
    if (info.walks == 0) continue;
    MemoryCell(campaign, cell, info, campaign.cells[block_of_cell[i]], found).check();
  }
  return found;
}

}  // namespace invar::design
