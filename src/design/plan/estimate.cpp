// What a plan costs before anything runs, and how many groups a budget allows. The numbers of the
// model are round guesses of a present machine's order of magnitude, not measurements
// (docs/formats.md, "Expected time"): they serve to tell a minute from a day.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "design/plan/schedule.hpp"
#include "record/arrival.hpp"
#include "record/launch_spec.hpp"
#include "record/synchronisation.hpp"
#include "record/timing.hpp"

namespace invar::design {
namespace {

constexpr double kHopLatencySeconds = 0.4e-6;
constexpr double kBytesPerSecond = 4e9;
constexpr double kCallOverheadSeconds = 0.1e-6;
// Canary, handing on the turn, verification, writing.
constexpr double kVisitOverheadSeconds = 60e-6;
// Waiting for a common start, per repetition: grows with the levels of the tree of arrivals.
constexpr double kSyncSeconds = 1e-6;
// Of the start-ups of a group by turns all but the longest overlap; half of them is felt, because
// they share the cores.
constexpr double kOverlap = 0.5;
// What belongs to no launch: files that must be on the disk before the next group begins.
constexpr double kGroupSeconds = 0.1;
// Nobody knows how long a foreign program runs; the pilot group tells.
constexpr double kProgramSeconds = 1;
constexpr std::uint64_t kJournalLineBytes = 800;
constexpr std::uint64_t kLaunchBytes = 40'000;  // env.json, journal's end, output
// What env.json says of each cell (`batch_calls`, `settling`).
constexpr std::uint64_t kLaunchCellBytes = 150;
// Before anything is timed (engine/settle): libraries come to rest after 10 to 300 calls here, and
// a limit ends what takes longer.
constexpr double kSettlingCalls = 100;
constexpr double kSettlingSeconds = 20e-3;

// Of one cell in one launch.
double settling_seconds(double call_s) {
  return std::max(call_s, std::min(kSettlingCalls * call_s, kSettlingSeconds));
}

double levels(std::uint32_t ranks) {
  return static_cast<double>(std::bit_width(std::max(ranks, 2U) - 1));
}

// Every rank ends with, or the root handles, one block per rank.
bool moves_block_per_rank(const std::string& operation) {
  for (const char* start : {"allgather", "alltoall", "gather", "scatter", "reduce_scatter"}) {
    if (operation.starts_with(start)) return true;
  }
  return false;
}

double warm_up_repetitions(double repetition_s) {
  const record::LaunchSpec spec;
  const double enough = std::ceil(static_cast<double>(spec.warmup_ns) * 1e-9 / repetition_s);
  return std::clamp(enough, static_cast<double>(spec.warmup_min),
                    static_cast<double>(spec.warmup_repetitions));
}

// Overwriting a last-level cache of some tens of megabytes.
constexpr double kColdCacheSeconds = 5e-3;

double repetition_seconds(const record::Cell& cell, double call_s, std::uint32_t calls) {
  // The mean of the longest of `ranks` uniform waits.
  const double dither_s =
      static_cast<double>(cell.dither_ns) * 1e-9 * cell.ranks / (cell.ranks + 1.0);
  const double rounds = record::synchronisation(cell.sync).rounds;
  const double cold_s = cell.cache == "warm" ? 0 : kColdCacheSeconds;
  const record::Arrival arrival = record::parse_arrival(cell.arrival).value_or(record::Arrival{});
  const double late_s = arrival.amplitude_ns * 1e-9 + arrival.amplitude_calls * call_s * calls;
  return call_s * calls + dither_s + late_s + cold_s + rounds * kSyncSeconds * levels(cell.ranks);
}

}  // namespace

double rough_seconds(const record::Cell& cell) {
  if (cell.operation == "empty") return 0.02e-6;
  const auto size_bytes = static_cast<double>(cell.size_bytes.value_or(0));
  if (cell.operation == "reduce_local") return kCallOverheadSeconds + size_bytes / kBytesPerSecond;
  const double blocks =
      moves_block_per_rank(cell.operation) ? std::max(cell.ranks, 2U) - 1.0 : levels(cell.ranks);
  return kCallOverheadSeconds + kHopLatencySeconds * levels(cell.ranks) +
         blocks * size_bytes / kBytesPerSecond;
}

std::uint64_t rough_buffer_bytes(const record::Cell& cell, std::uint32_t rank) {
  const auto is = [&](const char* start) { return cell.operation.starts_with(start); };
  std::uint64_t blocks = 2;
  if (is("alltoall")) {
    blocks = 2ULL * cell.ranks;
  } else if (moves_block_per_rank(cell.operation)) {
    const bool rooted = is("gather") || is("scatter");
    if (!rooted || rank == cell.root || cell.root == record::kRotatingRoot)
      blocks = 1ULL + cell.ranks;
  }
  return blocks * cell.size_bytes.value_or(0);
}

VisitCost visit_cost(const record::Cell& cell, const record::PlanRow& row, double call_s) {
  const double repetition_s = repetition_seconds(cell, call_s, row.calls);
  const double repetitions = warm_up_repetitions(repetition_s) + row.repetitions;
  return {.seconds = kVisitOverheadSeconds + repetitions * repetition_s,
          .repetitions = repetitions};
}

Estimate estimate(const Campaign& campaign, const record::Plan& plan,
                  std::span<const double> startup_s,
                  const std::map<std::uint32_t, double>& cell_seconds) {
  const bool by_turns = campaign.engine.pairing == "turns";
  Estimate total;
  std::map<std::uint32_t, std::set<std::string>> arms_of_group;
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared;  // launch, cell
  std::uint32_t nodes = 1;
  for (const record::PlanRow& row : plan.rows) {
    const record::Cell& cell = plan.cells.at(row.cell);
    const auto known = cell_seconds.find(row.cell);
    const double call_s = known == cell_seconds.end() ? rough_seconds(cell) : known->second;
    const Arm* arm = campaign.find_arm(row.arm);
    const bool program = arm != nullptr && arm->is_program();
    const VisitCost visit = program ? VisitCost{.seconds = kProgramSeconds, .repetitions = 1}
                                    : visit_cost(cell, row, call_s);
    const double repetitions = visit.repetitions;
    total.seconds += visit.seconds;
    if (!program && prepared.emplace(row.launch, row.cell).second) {
      total.seconds += settling_seconds(call_s);
      total.data_bytes += kLaunchCellBytes;
    }
    const bool per_rank =
        campaign.engine.record == "per-rank" ||
        (campaign.engine.record == "auto" &&
         (cell.ranks <= record::kPerRankUpTo || !campaign.analysis.presets.empty()));
    const std::uint64_t record_bytes =
        sizeof(record::Timing) + (per_rank ? sizeof(record::RankTicks) * cell.ranks : 0);
    total.data_bytes +=
        kJournalLineBytes + record_bytes * static_cast<std::uint64_t>(std::llround(repetitions));
    ++total.visits;
    nodes = std::max(nodes, cell.nodes);
    arms_of_group[row.group].insert(row.arm);
  }
  for (const auto& [group, arms] : arms_of_group) {
    double longest_s = 0;
    double sum_s = 0;
    for (std::size_t i = 0; i < campaign.arms.size() && i < startup_s.size(); ++i) {
      if (!arms.contains(campaign.arms[i].label)) continue;
      longest_s = std::max(longest_s, startup_s[i]);
      sum_s += startup_s[i];
    }
    total.seconds += kGroupSeconds;
    total.seconds += by_turns ? longest_s + kOverlap * (sum_s - longest_s) : sum_s;
    total.launches += arms.size();
    total.data_bytes += kLaunchBytes * arms.size();
  }
  total.node_hours = total.seconds / 3600 * nodes;
  return total;
}

std::uint32_t groups_for_budget(const Launches& launches, std::optional<double> budget_s,
                                double elapsed_s, std::uint32_t groups_done, double group_seconds) {
  std::uint32_t groups = launches.max;
  if (budget_s && group_seconds > 0) {
    const double more = std::floor(std::max(0.0, *budget_s - elapsed_s) / group_seconds);
    // Compared as floating point: a tiny group's quotient may not fit an integer.
    if (more < static_cast<double>(launches.max)) {
      groups = groups_done + static_cast<std::uint32_t>(more);
    }
  }
  return std::max(groups_done, std::clamp(groups, launches.min, launches.max));
}

}  // namespace invar::design
