// What a plan costs before anything runs, and how many groups a budget allows. The numbers of the
// model are round guesses of a present machine's order of magnitude, not measurements
// (docs/formats.md, "Expected time"), as are those of the rows of factors: they serve to tell a
// minute from a day.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "clock/algorithm.hpp"
#include "design/campaign/presets.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/plan/memory_seconds.hpp"
#include "design/plan/schedule.hpp"
#include "record/factors.hpp"
#include "record/launch_spec.hpp"
#include "record/operation/distribution.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"
#include "record/timing.hpp"

namespace invar::design {
namespace {

constexpr double kHopLatencySeconds = 0.4e-6;
constexpr double kBytesPerSecond = 4e9;
constexpr double kCallOverheadSeconds = 0.1e-6;
// Canary, handing on the turn, verification, writing.
constexpr double kVisitOverheadSeconds = 60e-6;
// Filling buffers, and comparing what is in them.
constexpr double kFilledBytesPerSecond = 1e9;
// In a group by turns all start-ups but the longest overlap. Half of their time is felt, because
// they share the cores.
constexpr double kOverlap = 0.5;
// Between hosts.
constexpr double kNetworkRoundTripSeconds = 5e-6;
// How often tracked clocks are looked at again (engine/clocks/global_clock.cpp).
constexpr double kLooksPerSecond = 1;
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

// Bytes of a count or displacement, of a large one, and of the largest handle of a datatype.
constexpr std::uint64_t kNumberBytes = 4;
constexpr std::uint64_t kLargeNumberBytes = 8;
constexpr std::uint64_t kHandleBytes = 8;

// What one cell takes in one launch.
double settling_seconds(double call_s) {
  return std::max(call_s, std::min(kSettlingCalls * call_s, kSettlingSeconds));
}

// How many messages follow one another.
double hops(const record::Cell& cell, record::Chain chain) {
  switch (chain) {
    case record::Chain::kNone:
      return 0;
    case record::Chain::kOne:
      return 1;
    case record::Chain::kRing:
      return std::max(cell.ranks, 2U) - 1;
    case record::Chain::kTree:
      break;
  }
  return record::tree_levels(cell.ranks);
}

record::BlockCount block_count(const record::Cell& cell, const record::OperationInfo& operation,
                               std::uint64_t elements) {
  return {.elements = elements,
          .ranks = std::max(cell.ranks, 1U),
          .neighbours = record::neighbours_in(cell.topology),
          .messages = record::messages_of(cell, operation.messages),
          .packed = record::packed_messages_of(cell, operation.messages)};
}

// That the cell has, or the usual one; null for an operation without data.
const record::DatatypeInfo* datatype_of(const record::Cell& cell,
                                        const record::OperationInfo& operation) {
  if (const record::DatatypeInfo* named = operation.datatype(cell.datatype)) return named;
  return operation.datatypes.empty() ? nullptr : &operation.datatypes.front();
}

// Where each rank has a block of a length of its own.
std::optional<record::BlockLengths> lengths_of_ranks(const record::Cell& cell,
                                                     const record::OperationInfo& operation,
                                                     std::uint64_t mean_elements) {
  const auto distribution = record::parse_distribution(cell.distribution);
  if (!distribution || distribution->regular() ||
      operation.distributes != record::Distributes::kRanks) {
    return std::nullopt;
  }
  return record::BlockLengths(*distribution, mean_elements, std::max(cell.ranks, 1U));
}

// The ranks whose blocks a rank gets on a topology (ops/call/topology.cpp).
class Neighbours {
 public:
  Neighbours(std::string_view topology, std::uint32_t ranks)
      : columns_(topology == "cartesian" ? columns_of_torus(ranks) : 0), ranks_(ranks) {}

  [[nodiscard]] std::vector<std::uint32_t> of(std::uint32_t rank) const {
    if (columns_ == 0) return {(rank + ranks_ - 1) % ranks_, (rank + 1) % ranks_};
    const std::uint32_t row = rank / columns_ * columns_;
    const std::uint32_t column = rank % columns_;
    return {(rank + ranks_ - columns_) % ranks_, (rank + columns_) % ranks_,
            row + (column + columns_ - 1) % columns_, row + (column + 1) % columns_};
  }

 private:
  // MPI_Dims_create makes both dimensions as equal as it can, the first one the longer one; a
  // library that chooses others gives the same blocks to other ranks.
  static std::uint32_t columns_of_torus(std::uint32_t ranks) {
    std::uint32_t columns = 1;
    for (std::uint32_t side = 1; std::uint64_t{side} * side <= ranks; ++side) {
      if (ranks % side == 0) columns = side;
    }
    return columns;
  }

  std::uint32_t columns_;  // of the torus; 0: a ring
  std::uint32_t ranks_;
};

// Bytes of the buffers of any rank of a cell.
class BufferSizes {
 public:
  BufferSizes(const record::Cell& cell, const record::OperationInfo& operation)
      : cell_(cell),
        operation_(operation),
        datatype_(datatype_of(cell, operation)),
        usual_(block_count(cell, operation, elements())),
        lengths_(lengths_of_ranks(cell, operation, usual_.elements)),
        neighbours_(cell.topology, std::max(cell.ranks, 1U)) {}

  // `rank` of the cell's communicator.
  [[nodiscard]] std::uint64_t of(std::uint32_t rank) const {
    if (datatype_ == nullptr) return 0;
    record::BlockCount sent = usual_;
    record::BlockCount received = usual_;
    if (lengths_) {
      const std::uint64_t own = lengths_->of(rank);
      sent.own_elements = received.own_elements = own;
      if (operation_.neighbours) {
        std::uint64_t from_all = 0;
        for (const std::uint32_t source : neighbours_.of(rank)) from_all += lengths_->of(source);
        sent.neighbour_elements = own * sent.neighbours;
        received.neighbour_elements = from_all;
      }
    }
    const record::BufferTable& table = operation_.buffers;
    const bool in_place = cell_.in_place == "yes";
    // While the root rotates every rank is the root at times, and at times it is not.
    const bool rotates = operation_.rooted && cell_.root == record::kRotatingRoot;
    // Without a root rank 0 may need more than the others: a mock-up may lead over it.
    const bool is_root = rank == (operation_.rooted ? cell_.root : 0);
    const record::Buffers& one = table.on(is_root || rotates, in_place);
    const record::Buffers& other = table.on(is_root, in_place);
    const auto longest = [&](auto buffer, const record::BlockCount& count) {
      return std::max((one.*buffer).elements(count), (other.*buffer).elements(count));
    };
    return datatype_->extent_bytes *
           (longest(&record::Buffers::send, sent) + longest(&record::Buffers::recv, received) +
            longest(&record::Buffers::scratch, received));
  }

  // The bytes of the rank that has most.
  [[nodiscard]] std::uint64_t most() const {
    std::uint64_t most = 0;
    if (lengths_) {
      for (std::uint32_t rank = 0; rank < cell_.ranks; ++rank) most = std::max(most, of(rank));
      return most;
    }
    // All have the same, but for a root that stays where it is, or rank 0.
    const bool rotates = operation_.rooted && cell_.root == record::kRotatingRoot;
    const std::uint32_t root = operation_.rooted && !rotates ? cell_.root : 0;
    most = of(root);
    if (!rotates && cell_.ranks > 1) most = std::max(most, of(root == 0 ? 1 : 0));
    return most;
  }

 private:
  [[nodiscard]] std::uint64_t elements() const {
    const std::uint32_t size_bytes = datatype_ == nullptr ? 1 : datatype_->size_bytes;
    return cell_.size_bytes.value_or(0) / std::max(size_bytes, 1U);
  }

  const record::Cell& cell_;
  const record::OperationInfo& operation_;
  const record::DatatypeInfo* datatype_;
  record::BlockCount usual_;
  std::optional<record::BlockLengths> lengths_;
  Neighbours neighbours_;
};

// How many of the cell's ranks have records.
std::uint32_t timed_ranks(const record::Cell& cell, const record::OperationInfo& operation) {
  if (!record::has_roles(operation.roles, operation.messages)) return cell.ranks;
  const std::vector<record::Role> roles =
      record::roles_of(operation.roles, operation.messages, cell);
  const auto bystanders = std::ranges::count(roles, record::Role::kStandsBy);
  return cell.ranks - static_cast<std::uint32_t>(bystanders);
}

double warm_up_repetitions(double repetition_s) {
  const record::LaunchSpec spec;
  const double enough = std::ceil(static_cast<double>(spec.warmup_ns) * 1e-9 / repetition_s);
  return std::clamp(enough, static_cast<double>(spec.warmup_min),
                    static_cast<double>(spec.warmup_repetitions));
}

double repetition_seconds(const record::Cell& cell, double call_s, std::uint32_t calls) {
  const double calls_s = call_s * calls;
  return calls_s + record::seconds_beside_calls(cell, calls_s);
}

}  // namespace

double rough_seconds(const record::Cell& cell, const record::OperationInfo& operation) {
  if (operation.walks > 0) return kCallOverheadSeconds + memory_seconds(cell, operation);
  std::uint64_t block_bytes = cell.size_bytes.value_or(0);
  // The rank with the largest block sends it to all of its neighbours; elsewhere all blocks
  // together count, which are as long whatever the distribution.
  if (operation.neighbours) {
    const auto lengths = lengths_of_ranks(cell, operation, block_bytes);
    if (lengths) block_bytes = lengths->largest();
  }
  const auto size_bytes = static_cast<double>(block_bytes);
  const record::BlockCount count = block_count(cell, operation, block_bytes);
  std::uint64_t largest_bytes = 0;
  for (const bool root : {false, true}) {
    const record::Buffers& buffers = operation.buffers.on(root, cell.in_place == "yes");
    largest_bytes =
        std::max({largest_bytes, buffers.send.elements(count), buffers.recv.elements(count)});
  }
  // One of many blocks is the rank's own. A single block goes from rank to rank; around a ring it
  // goes in shares or segments, about twice.
  const double steps = hops(cell, operation.chain);
  const double passes = operation.chain == record::Chain::kRing ? 2 : std::max(steps, 1.0);
  double moved_bytes = static_cast<double>(largest_bytes) > size_bytes
                           ? static_cast<double>(largest_bytes) - size_bytes
                           : passes * size_bytes;
  // None of the messages is the rank's own.
  if (operation.messages != record::Messages::kNone) {
    moved_bytes = static_cast<double>(count.messages) * passes * size_bytes;
  }
  return kCallOverheadSeconds + kHopLatencySeconds * steps + moved_bytes / kBytesPerSecond;
}

std::vector<std::uint64_t> buffer_bytes(const record::Cell& cell,
                                        const record::OperationInfo& operation) {
  const BufferSizes sizes(cell, operation);
  std::vector<std::uint64_t> bytes(cell.ranks, 0);
  for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) bytes[rank] = sizes.of(rank);
  return bytes;
}

std::uint64_t most_buffer_bytes(const record::Cell& cell, const record::OperationInfo& operation) {
  return BufferSizes(cell, operation).most();
}

std::uint64_t array_bytes(const record::Cell& cell, const record::OperationInfo& operation) {
  if (operation.arrays == record::Arrays::kNone) return 0;
  const bool typed = operation.arrays == record::Arrays::kTyped;
  const bool pairs = operation.distributes == record::Distributes::kPairs;
  const std::uint64_t blocks =
      operation.neighbours ? record::neighbours_in(cell.topology) : cell.ranks;
  const std::uint64_t sides = pairs || operation.neighbours ? 2 : 1;
  const std::uint64_t count_bytes = operation.large_counts ? kLargeNumberBytes : kNumberBytes;
  const bool addresses = operation.large_counts || (typed && operation.neighbours);
  const std::uint64_t displacement_bytes = addresses ? kLargeNumberBytes : kNumberBytes;
  std::uint64_t bytes = blocks * sides * (count_bytes + displacement_bytes);
  if (typed) bytes += blocks * kHandleBytes;
  const auto distribution = record::parse_distribution(cell.distribution);
  if (distribution && distribution->pattern == record::DistributionPattern::kRandom) {
    bytes += (std::uint64_t{cell.ranks} + 1) * kLargeNumberBytes;
  }
  return bytes;
}

std::uint64_t attached_bytes(const record::Cell& cell, const record::OperationInfo& operation) {
  const record::DatatypeInfo* const datatype = datatype_of(cell, operation);
  if (datatype == nullptr) return 0;
  // As a message's slot (ops/p2p/untimed.cpp).
  const std::uint64_t slot_bytes =
      cell.size_bytes.value_or(0) / std::max(datatype->size_bytes, 1U) * datatype->extent_bytes;
  return record::buffered_messages_of(cell, operation.messages) * slot_bytes;
}

VisitCost visit_cost(const record::Cell& cell, const record::PlanRow& row, double call_s) {
  const double repetition_s = repetition_seconds(cell, call_s, row.calls);
  const double repetitions = warm_up_repetitions(repetition_s) + row.repetitions;
  return {.seconds = kVisitOverheadSeconds + repetitions * repetition_s,
          .repetitions = repetitions};
}

namespace {

// What a visit takes to fill the buffers, and the checked ones to look at them.
double verification_seconds(const Campaign& campaign, const Arm* arm, const record::Cell& cell,
                            const record::OperationInfo& operation) {
  const double share = record::share_of(arm == nullptr ? campaign.engine.verification
                                                       : level_of(campaign, *arm, "verification"))
                           .value();
  if (!(share > 0) || cell.cache == "cold-cycle") return 0;
  const auto bytes = static_cast<double>(most_buffer_bytes(cell, operation));
  return (1 + share) * bytes / kFilledBytesPerSecond;
}

// What it costs to synchronise the clocks in one of the arm's launches. `clocks`: so many are read
// by its ranks.
clock::UsualCost clock_cost(const Campaign& campaign, const Arm& arm, std::uint32_t clocks) {
  if (clocks < 2 || arm.is_program()) return {};
  const std::string level = level_of(campaign, arm, "clock-sync");
  if (level == record::kNoClockSync) return {};
  return clock::usual_cost(clock::parse_algorithm(level, "clock-sync"), static_cast<int>(clocks),
                           kNetworkRoundTripSeconds);
}

}  // namespace

std::string record_level(const Campaign& campaign, const ResolvedCells& resolved) {
  if (campaign.engine.record != "auto") return campaign.engine.record;
  const bool headline = std::ranges::any_of(resolved.operations, [](const Operations& of_arm) {
    return std::ranges::any_of(
        of_arm, [](const auto& named) { return named.second.headline_needs_ranks(false); });
  });
  const bool few = std::ranges::all_of(resolved.cells, [](const record::Cell& cell) {
    return cell.ranks <= record::kSuitesPerRankUpTo;
  });
  const bool as_sealed =
      campaign.from_sealed_text.yes && any_needs_ranks(campaign.analysis.presets);
  return headline || as_sealed || (few && !campaign.analysis.presets.empty()) ? "per-rank" : "auto";
}

Estimate estimate(const Campaign& campaign, const ResolvedCells& cells, const record::Plan& plan,
                  std::span<const double> startup_s,
                  const std::map<std::uint32_t, double>& cell_seconds) {
  const std::string recorded = record_level(campaign, cells);
  const bool by_turns = campaign.engine.pairing == "turns";
  Estimate total;
  // What the visits of each launch take, by its group and its arm's label.
  std::map<std::uint32_t, std::map<std::string, double>> visits_s_of_group;
  std::set<std::pair<std::uint32_t, std::uint32_t>> prepared;  // launch, cell
  // By arm and cell: with drawn blocks they take a look at every rank, and a cell has many visits.
  struct CellCost {
    double call_s = 0;
    double verification_s = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, CellCost> costs;
  std::uint32_t nodes = 1;
  std::uint32_t ranks = 1;
  for (const record::PlanRow& row : plan.rows) {
    const record::Cell& cell = plan.cells.at(row.cell);
    const Arm* arm = campaign.find_arm(row.arm);
    const auto number = static_cast<std::uint32_t>(
        arm == nullptr ? campaign.arms.size() : static_cast<std::size_t>(arm - &campaign.arms[0]));
    const record::OperationInfo& operation = cells.operation(number, cell.operation);
    const bool program = arm != nullptr && arm->is_program();
    const auto [cost, is_new] = costs.try_emplace({number, row.cell});
    if (is_new) {
      const auto known = cell_seconds.find(row.cell);
      cost->second.call_s =
          known == cell_seconds.end() ? rough_seconds(cell, operation) : known->second;
      if (!program) {
        cost->second.verification_s = verification_seconds(campaign, arm, cell, operation);
      }
    }
    const double call_s = cost->second.call_s;
    const VisitCost visit = program ? VisitCost{.seconds = kProgramSeconds, .repetitions = 1}
                                    : visit_cost(cell, row, call_s);
    const double repetitions = visit.repetitions;
    total.seconds += visit.seconds;
    total.seconds += cost->second.verification_s;
    if (!program && prepared.emplace(row.launch, row.cell).second) {
      total.seconds += settling_seconds(call_s);
      total.data_bytes += kLaunchCellBytes;
    }
    const bool per_rank =
        recorded == "per-rank" || (recorded == "auto" && cell.ranks <= record::kPerRankUpTo);
    const std::uint32_t timed = timed_ranks(cell, operation);
    const std::uint64_t record_bytes =
        sizeof(record::Timing) + (per_rank ? sizeof(record::RankTicks) * timed : 0) +
        sizeof(record::MarkTicks) * operation.marks_at(cell.marks) * timed;
    total.data_bytes +=
        kJournalLineBytes + record_bytes * static_cast<std::uint64_t>(std::llround(repetitions));
    ++total.visits;
    nodes = std::max(nodes, cell.nodes);
    ranks = std::max(ranks, cell.ranks);
    visits_s_of_group[row.group][row.arm] += visit.seconds + cost->second.verification_s;
  }
  const std::uint32_t clocks = campaign.virtual_clocks.any() ? ranks : nodes;
  for (const auto& [group, arms] : visits_s_of_group) {
    double longest_s = 0;
    double sum_s = 0;
    double visits_s = 0;
    for (const auto& [label, seconds] : arms) visits_s += seconds;
    // By turns, too, one arm after the other; its clocks are tracked while others measure.
    for (const Arm& arm : campaign.arms) {
      const auto launch = arms.find(arm.label);
      if (launch == arms.end()) continue;
      const clock::UsualCost cost = clock_cost(campaign, arm, clocks);
      const double looks = 1 + kLooksPerSecond * (by_turns ? visits_s : launch->second);
      total.seconds += cost.first_s + looks * cost.look_s;
    }
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
