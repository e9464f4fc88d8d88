#include "design/plan/memory_conflicts.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/simulated.hpp"
#include "record/memory/levels.hpp"

namespace invar::design {
namespace {

constexpr std::string_view kLinePerPageAccess = "line-per-page";

// One cell of a block, and what its operation says.
class MemoryCell {
 public:
  MemoryCell(const Campaign& campaign, const record::Cell& cell, const record::OperationInfo& info,
             const CellsBlock& block, std::vector<Conflict>& found)
      : campaign_(campaign), cell_(cell), info_(info), block_(block), found_(found) {}

  void check() {
    check_simulated();
    check_stride();
    check_chains();
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

  void check_stride() {
    const std::uint64_t stride = record::parse_stride(cell_.stride).value_or(0);
    if (stride == 0) return;
    const std::uint64_t size = cell_.size_bytes.value_or(0);
    const std::string level = "stride " + base::size_text(stride);
    if (stride > size) {
      add("stride", level + " leads out of a buffer of " + base::size_text(size),
          "write a smaller stride, or sizes of " + base::size_text(stride) + " or more");
    }
    const std::uint32_t width = record::parse_width(cell_.width).value_or(0);
    if (!info_.chases && width > stride) {
      add("stride", level + " lets elements of width " + std::to_string(width) + " overlap",
          "write \"packed\", or " + std::to_string(width) + " or more");
    }
    if (!info_.chases && cell_.access == kLinePerPageAccess) {
      add("stride",
          level + " and access \"" + cell_.access + "\" both say how far elements are apart",
          "leave one of them out");
    }
  }

  void check_chains() {
    if (!info_.chases) return;
    const std::uint64_t stride = record::parse_stride(cell_.stride).value_or(0);
    if (stride == 0) return;
    const std::uint64_t elements = cell_.size_bytes.value_or(0) / stride;
    if (elements == 0 || elements >= cell_.chains) return;  // it is said of the stride
    add("chains",
        base::count_text(cell_.chains, "chain") + " through " +
            base::count_text(elements, "element") + " of a buffer of " +
            base::size_text(cell_.size_bytes.value_or(0)),
        "write fewer chains, or sizes of " + base::size_text(stride * cell_.chains) + " or more");
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
