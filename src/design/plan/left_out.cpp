#include "design/plan/left_out.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "design/factors/launch_factors.hpp"
#include "record/launch_spec.hpp"
#include "record/operation/cell_limits.hpp"
#include "record/operation/roles.hpp"
#include "record/synchronisation.hpp"

namespace invar::design {
namespace {

constexpr std::string_view kClockSync = "clock-sync";
constexpr std::string_view kNoCommonTime =
    "with clock-sync \"none\", ranks that do not read one clock have no common time";

// Why the operation has no such cell; empty: it has.
std::string lack_of_cell(const record::OperationInfo& info, const record::Cell& cell) {
  std::string ranks = record::lack_of_ranks(info.rank_counts, cell.ranks);
  // Patterns say it themselves, and of a root that moves on the engine does.
  const bool by_rules =
      info.messages == record::Messages::kNone && cell.root != record::kRotatingRoot;
  if (by_rules && !record::all_parts_taken(info.roles, cell.ranks, cell.root)) {
    return "needs more ranks than " + std::to_string(cell.ranks);
  }
  if (!ranks.empty() || !info.reorders) return ranks;
  const record::DatatypeInfo* const type = info.datatype(cell.datatype);
  const bool ordered =
      type != nullptr && std::ranges::find(type->ordered, cell.reduction) != type->ordered.end();
  return ordered ? record::lack_of_order(cell.reduction) : "";
}

// Why an arm cannot measure the operation; empty: it can.
std::string lack_of(const record::OperationInfo& info) {
  if (!info.missing.empty()) return info.missing;
  for (const record::TimeInfo& time : info.times) {
    if (time.kind == record::TimeKind::kWhole) continue;
    for (const std::string& point : {time.from, time.to}) {
      if (point == record::kStartPoint || point == record::kEndPoint ||
          std::ranges::find(info.marks, point, &record::MarkInfo::name) != info.marks.end()) {
        continue;
      }
      return "its time '" + time.name + "' speaks of a point '" + point +
             "', which is neither start, end nor one of its marks";
    }
  }
  return {};
}

// Why the ranks of the cell do not lie on their hosts as the operation needs it; empty: they do.
std::string lack_of_hosts(const record::OperationInfo& info, const record::Cell& cell) {
  if (info.hosts == record::HostNeed::kAny || cell.nodes <= 1) return {};
  if (info.hosts == record::HostNeed::kEven && cell.ranks % cell.nodes != 0) {
    return "it needs as many ranks on every host, and " + std::to_string(cell.ranks) +
           " ranks on " + std::to_string(cell.nodes) + " hosts are not";
  }
  if (cell.ranks == cell.nodes) return {};
  if (cell.mapping == "packed" && cell.rank_order != "shuffled") return {};
  return "it needs the ranks of each host one behind the other, and with " +
         (cell.mapping == "packed" ? "rank-order " + cell.rank_order : "mapping " + cell.mapping) +
         " they are not";
}

// Needs a time that its ranks have in common, to begin together or for its own run-times, and
// they neither read one clock nor synchronise theirs.
bool lacks_common_time(const Campaign& campaign, const Arm& arm, const record::Cell& cell) {
  const bool one_clock = cell.nodes == 1 && !campaign.virtual_clocks.any();
  const bool own = cell.scheme == record::kOwnScheme;  // what suites report is local
  const bool needs_time = record::synchronisation(cell.sync).needs_common_clock ||
                          (own && campaign.analysis.runtime == "global");
  return !one_clock && needs_time && level_of(campaign, arm, kClockSync) == record::kNoClockSync;
}

}  // namespace

CellLack lack_of_arm(const Campaign& campaign, const Surroundings& surroundings, std::uint32_t arm,
                     const record::Cell& cell) {
  const auto& operations = surroundings.operations[arm];
  const auto info = std::find_if(operations.begin(), operations.end(),
                                 [&](const auto& o) { return o.name == cell.operation; });
  std::string lack =
      info == operations.end() ? "its engine does not know the operation" : lack_of(*info);
  if (lack.empty()) lack = lack_of_cell(*info, cell);
  if (lack.empty()) lack = lack_of_hosts(*info, cell);
  if (!lack.empty()) return {.reason = std::move(lack)};
  if (surroundings.lack_of_algorithm) lack = surroundings.lack_of_algorithm(arm, cell);
  if (!lack.empty()) return {.reason = std::move(lack), .of_algorithm = true};
  if (!record::synchronisation(cell.sync).allows_shared_cores &&
      is_unpinned(campaign, campaign.arms[arm])) {
    return {.reason = "ranks that are not pinned cannot keep a start time"};
  }
  if (lacks_common_time(campaign, campaign.arms[arm], cell)) {
    return {.reason = std::string(kNoCommonTime)};
  }
  return {};
}

std::vector<Conflict> clock_sync_conflicts(const Campaign& campaign, const record::Cell& cell) {
  if (cell.nodes == 1 && !campaign.virtual_clocks.any()) return {};
  const bool some = std::ranges::any_of(campaign.arms, [&](const Arm& arm) {
    return !arm.is_program() && level_of(campaign, arm, kClockSync) != record::kNoClockSync;
  });
  const bool programs = std::ranges::all_of(campaign.arms, &Arm::is_program);
  if (some || programs) return {};
  const Position at = campaign.engine.positions.of(kClockSync, {});
  std::vector<Conflict> found;
  if (record::synchronisation(cell.sync).needs_common_clock) {
    found.push_back({at, std::string(kNoCommonTime) + " for sync '" + cell.sync + "'",
                     "use sync = \"barrier\" or \"dissemination\" with it, or another clock-sync"});
  }
  if (campaign.analysis.runtime == "global") {
    found.push_back({at, std::string(kNoCommonTime) + " for runtime = \"global\"",
                     "use runtime = \"local\", or another clock-sync"});
  }
  return found;
}

}  // namespace invar::design
