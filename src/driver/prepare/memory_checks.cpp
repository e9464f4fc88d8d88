#include "driver/prepare/memory_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/plan/schedule.hpp"
#include "driver/prepare/arena_bytes.hpp"
#include "host/conditions.hpp"
#include "host/facts.hpp"
#include "host/files.hpp"
#include "host/huge_pages.hpp"
#include "host/policy.hpp"
#include "record/memory/levels.hpp"

namespace invar::driver {
namespace {

using Refused = std::optional<host::Refusal>;

constexpr std::string_view kTransparent = "thp";
constexpr std::string_view kPagesKey = "pages";
constexpr std::string_view kPoolKey = "huge-pages";

Refused refuse_width(const std::string& level, const host::HostRoots& roots) {
  const std::uint32_t width = record::parse_width(level).value_or(0);
  const std::uint32_t widest = host::widest_load_bytes(roots.proc);
  if (width <= widest) return std::nullopt;
  return host::Refusal{"width " + level + ": this processor loads " + std::to_string(widest) +
                           " bytes at once at most",
                       "write " + std::to_string(widest) + " or less, or \"widest\""};
}

Refused refuse_node(const std::string& level, const host::HostRoots& roots) {
  const auto asked = record::parse_numa(level);
  if (!asked || asked->kind != record::NumaKind::kNode) return std::nullopt;
  // A node of processors alone has no memory to give.
  std::vector<std::string> nodes;
  const auto list = host::read_line(roots.sys + "/devices/system/node/has_memory");
  for (const unsigned node : host::parse_cpu_list(list.value_or(""))) {
    nodes.push_back(std::to_string(node));
  }
  if (nodes.empty()) nodes.emplace_back("0");  // a kernel without NUMA
  if (std::ranges::find(nodes, std::to_string(asked->node)) != nodes.end()) return std::nullopt;
  return host::Refusal{"there is no NUMA node " + std::to_string(asked->node) + " here",
                       nodes.size() == 1 ? "there is one, \"node:" + nodes.front() + "\""
                                         : "there are " + base::join(nodes, ", ")};
}

Refused refuse_pages(const std::string& level, const host::HostRoots& roots) {
  if (level != kTransparent) return std::nullopt;
  const auto modes = host::read_line(roots.sys + "/kernel/mm/transparent_hugepage/enabled");
  if (modes && modes->find("[never]") == std::string::npos) return std::nullopt;
  return host::Refusal{"pages \"thp\": this kernel " +
                           std::string(modes ? "never gives" : "has no") +
                           " transparent huge pages",
                       modes ? "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
                             : "write pages = \"2MiB\", or leave \"thp\" out"};
}

Refused refuse_policy(const std::string& level, const host::HostRoots& /*roots*/) {
  return host::policy_refusal(record::parse_policy(level).value_or(record::Policy{}));
}

// Levels that this machine has or has not, whatever else a cell is.
struct CheckedLevel {
  std::string_view key;
  std::string record::Cell::*level;
  Refused (*refuse)(const std::string& level, const host::HostRoots& roots);
};
constexpr CheckedLevel kCheckedLevels[] = {
    {"width", &record::Cell::width, refuse_width},
    {"numa", &record::Cell::numa, refuse_node},
    {kPagesKey, &record::Cell::pages, refuse_pages},
    {"policy", &record::Cell::policy, refuse_policy},
};

class MemoryChecks {
 public:
  MemoryChecks(const Prepared& prepared, const host::HostRoots& roots, const std::string& place)
      : prepared_(prepared), roots_(roots), place_(place) {}

  void run() {
    for (std::uint32_t arm = 0; arm < prepared_.campaign.arms.size(); ++arm) {
      // What a program asks the machine for is its own matter.
      if (prepared_.campaign.arms[arm].is_program()) continue;
      for (const record::Cell& cell : prepared_.cells.cells) {
        const std::vector<std::uint32_t>& arms = prepared_.cells.arms.at(cell.id);
        if (std::ranges::find(arms, arm) == arms.end()) continue;
        if (prepared_.cells.operation(arm, cell.operation).walks == 0) continue;
        check_levels(cell);
      }
    }
    check_reserved();
    faults_.throw_if_any();
  }

 private:
  void check_levels(const record::Cell& cell) {
    for (const CheckedLevel& checked : kCheckedLevels) {
      const std::string& level = cell.*checked.level;
      if (!seen_.emplace(checked.key, level).second) continue;
      if (const Refused refused = checked.refuse(level, roots_)) add(checked.key, level, *refused);
    }
  }

  void add(std::string_view key, const std::string& level, const host::Refusal& refused) {
    design::Position at;
    for (const design::CellsBlock& block : prepared_.campaign.cells) {
      const auto levels = block.levels.find(key);
      if (levels == block.levels.end() ||
          std::ranges::find(levels->second, level) == levels->second.end()) {
        continue;
      }
      at = block.positions.of(key, block.at);
      break;
    }
    faults_.add({.place = place_,
                 .line = at.line,
                 .column = at.column,
                 .what = refused.what,
                 .remedy = refused.remedy});
  }

  // Pages of a size that the ranks of a host map at the same time in the arm's launches: each an
  // arena of its largest cell for every kind of place among NUMA nodes.
  [[nodiscard]] std::map<std::string, std::uint64_t> pages_of_arm(std::uint32_t arm) const {
    using PagesAndNodes = std::pair<std::string, std::string>;
    std::map<PagesAndNodes, std::uint64_t> most;
    for (const record::Cell& cell : prepared_.cells.cells) {
      const std::vector<std::uint32_t>& arms = prepared_.cells.arms.at(cell.id);
      const auto page_bytes = record::page_bytes_of(cell.pages);
      if (!page_bytes || std::ranges::find(arms, arm) == arms.end()) continue;
      const std::uint32_t arrays = prepared_.cells.operation(arm, cell.operation).walks;
      const std::uint64_t buffers = cell.size_bytes.value_or(0) * arrays + kArenaGuardBytes;
      std::uint64_t& pages = most[{cell.pages, cell.numa}];
      pages = std::max(pages, (arena_bytes(buffers) + *page_bytes - 1) / *page_bytes * cell.ppn);
    }
    std::map<std::string, std::uint64_t> all;
    for (const auto& [kind, pages] : most) all[kind.first] += pages;
    return all;
  }

  void check_reserved() {
    const bool by_turns = prepared_.campaign.engine.pairing == "turns";
    // By size of pages: what all launches need that run at once, and what they reserve themselves.
    std::map<std::string, std::uint64_t> needed;
    std::map<std::string, std::uint64_t> reserved;
    for (std::uint32_t arm = 0; arm < prepared_.campaign.arms.size(); ++arm) {
      if (prepared_.campaign.arms[arm].is_program()) continue;
      const auto pool = host::parse_huge_pages(
          design::level_of(prepared_.campaign, prepared_.campaign.arms[arm], kPoolKey));
      for (const auto& [size, pages] : pages_of_arm(arm)) {
        const bool same = pool && pool->page_bytes == record::page_bytes_of(size);
        const std::uint64_t own = same ? pool->count : 0;
        const auto [least, is_new] = reserved.try_emplace(size, own);
        if (!is_new) least->second = std::min(least->second, own);
        needed[size] = by_turns ? needed[size] + pages : std::max(needed[size], pages);
      }
    }
    for (const auto& [size, pages] : needed) check_pool(size, pages, reserved.at(size));
  }

  void check_pool(const std::string& size, std::uint64_t pages, std::uint64_t reserved) {
    const std::uint64_t page_bytes = record::page_bytes_of(size).value_or(0);
    const auto free = host::free_huge_pages(page_bytes, roots_);
    if (!free) {
      add(kPagesKey, size,
          {"pages \"" + size + "\": this kernel has no huge pages of that size",
           "write another size, or \"thp\""});
      return;
    }
    if (std::max(*free, reserved) >= pages) return;
    add(kPagesKey, size,
        {"pages \"" + size + "\" take " + base::count_text(pages, "huge page") + ", and " +
             std::to_string(std::max(*free, reserved)) + " are " +
             (reserved > *free ? "asked for by huge-pages" : "free"),
         "write huge-pages = \"" + std::to_string(pages) + "x" + size +
             "\" into [engine], which reserves them while launches run (as root), or smaller "
             "sizes"});
  }

  const Prepared& prepared_;
  const host::HostRoots& roots_;
  const std::string& place_;
  base::Faults faults_ = {};
  std::set<std::pair<std::string_view, std::string>> seen_ = {};
};

}  // namespace

void check_memory_levels(const Prepared& prepared, const host::HostRoots& roots,
                         const std::string& place) {
  MemoryChecks(prepared, roots, place).run();
}

}  // namespace invar::driver
