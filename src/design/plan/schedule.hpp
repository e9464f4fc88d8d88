// Stage 1: from a campaign to a plan. Same campaign and seed, same plan, on every platform.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/factors/size_samples.hpp"
#include "record/arm_cell.hpp"
#include "record/operation/operation_info.hpp"
#include "record/plan.hpp"

namespace invar::design {

// What the campaign is to be resolved against.
struct Surroundings {
  // Operations that each arm's library knows (index as Campaign::arms).
  std::vector<std::vector<record::OperationInfo>> operations = {};
  std::uint32_t slots = 2;  // ranks that a host can run without oversubscription
  std::uint32_t hosts = 1;
  // Why the library of an arm (index as Campaign::arms) does not run the cell's algorithm (its
  // level of the factor `algorithm`), "its messages are those of 'default'"; empty: it does. Null:
  // all do.
  std::function<std::string(std::uint32_t arm, const record::Cell&)> lack_of_algorithm = {};
};

// A cell that is not planned for an arm, and why.
struct LeftOut {
  record::Cell cell = {};  // its id counts only if an arm has the cell
  std::string arm = {};
  std::string reason = {};
  bool of_algorithm = false;  // Surroundings::lack_of_algorithm: it costs that level alone
};

// By name.
using Operations = std::map<std::string, record::OperationInfo>;

struct ResolvedCells {
  std::vector<record::Cell> cells = {};
  // arms[i]: indices into Campaign::arms of the arms that have cell i, at least one.
  std::vector<std::vector<std::uint32_t>> arms = {};
  std::vector<LeftOut> left_out = {};
  // The campaign's common draws of sizes; and by Cell::id the sizes of these, of which launch
  // groups have a part, that a cell stands for: a group measures it that has one of them. What is
  // not in the list is in every group.
  std::vector<SizeSample> samples = {};
  std::map<std::uint32_t, std::vector<SampledSize>> sampled = {};
  // What each arm's engine says of the operations that its cells use, and of those that decisions
  // may add cells of (index as Campaign::arms). Programs say nothing.
  std::vector<Operations> operations = {};

  // As that arm's engine describes it, or as the first arm that says something of it does. Where
  // nobody does, one without buffers.
  [[nodiscard]] const record::OperationInfo& operation(std::uint32_t arm,
                                                       const std::string& name) const;
  [[nodiscard]] const record::OperationInfo& operation(const std::string& name) const;
};

// Also those that are left out for an arm.
std::vector<record::Cell> all_cells(const ResolvedCells& resolved);

// The product of the blocks' factors, equal cells once, ids from 0: blocks as written, in a block
// operation after operation, then the factors in the order of their keys (levels.hpp), levels and
// sizes as written. Ranks: `nodes` x `ppn`; of the two what is left out follows from `ranks`, which
// fill as few hosts as have room; nothing written: all slots of all hosts. Throws UserError with
// all faults: operations that no arm knows (with a did-you-mean), datatypes and reductions that an
// operation lacks, a size that is not a multiple of the datatype, a root out of range, more ranks
// than slots without `oversubscribe`, a count above 2^31 - 1, options that exclude each other,
// factors that none of a block's operations has, no cell left, cells of families that are none of
// these, families of one cell. A cell in several families is a cell in each (Cell::family).
// Programs can do every operation; where all arms are programs, operations that no library knows
// are names of the user's own, with a size if their block has sizes.
ResolvedCells resolve_cells(const Campaign& campaign, const Surroundings& surroundings,
                            const std::string& place);

// First numbers of what counts over the campaign.
struct Counters {
  std::uint32_t group = 1;
  std::uint32_t part = 1;  // of common draws, by which sizes_of_part() says what a group has
  std::uint32_t launch = 1;
  std::uint32_t visit = 1;
};

// What a launch records of single ranks ([engine] record). `auto` is `per-rank` where headlines, or
// suites of up to record::kSuitesPerRankUpTo ranks, are made of what single ranks take; else it
// depends on the number of ranks.
std::string record_level(const Campaign& campaign, const ResolvedCells& resolved);

// The rows of `groups` launch groups. Each group depends on (seed, its number, the number of its
// part of common draws) alone: cells in a
// fresh random order every round, shared by all arms; a block is one visit of each arm that has the
// cell; two arms in ABBA order from block to block, more by the rows of a Williams design
// (design/plan/balance.hpp says what is balanced over which rounds and groups). The cells
// of a family follow each other in balanced order. `turn` counts the visits of a group from 0 in
// the order in which they are made. With pairing "launches" a group's rows come launch after launch
// (A B, B A, ...), and blocks join the visits of equal round and cell. A program has one visit of
// one repetition in the first round. Cells in `dropped` are left out. The plan's
// `cells` are all cells, also those without rows. Advances `counters`. An arm without any cell gets
// no launch.
record::Plan plan_groups(const Campaign& campaign, const ResolvedCells& cells, std::uint32_t groups,
                         Counters& counters, std::span<const record::ArmCell> dropped = {});

// What a plan costs, before anything runs.
struct Estimate {
  std::uint64_t visits = 0;
  std::uint64_t launches = 0;
  double seconds = 0;  // wall time
  double node_hours = 0;
  std::uint64_t data_bytes = 0;
};

// `startup_s`: time of a launch without visits, per arm of the campaign. Uses `rough_seconds`
// unless `cell_seconds` knows a cell's time of one call (docs/formats.md, "Expected time"). The
// plan is one of `cells`.
Estimate estimate(const Campaign& campaign, const ResolvedCells& cells, const record::Plan& plan,
                  std::span<const double> startup_s,
                  const std::map<std::uint32_t, double>& cell_seconds = {});

// Time of one call on an ordinary machine, within an order of magnitude.
double rough_seconds(const record::Cell& cell, const record::OperationInfo& operation);

// Bytes of all buffers of each rank, by its rank in the cell's communicator, without guard zones
// and spare room: what the engine allocates them by. On a torus with blocks of different lengths
// the dimensions are taken to be as equal as they can be, as MPI asks of MPI_Dims_create.
std::vector<std::uint64_t> buffer_bytes(const record::Cell& cell,
                                        const record::OperationInfo& operation);
// The bytes on the rank that has most.
std::uint64_t most_buffer_bytes(const record::Cell& cell, const record::OperationInfo& operation);

// Bytes that a rank has of counts, displacements and datatypes while the cell is in use, at most;
// of one cell at a time, because what was in use before is put away (ops/call/setup.hpp).
std::uint64_t array_bytes(const record::Cell& cell, const record::OperationInfo& operation);

// Bytes of data in the buffer that a rank attaches for MPI_Bsend, at most, without what MPI needs
// for each message; of one cell at a time, because a process has one such buffer. 0: none.
std::uint64_t attached_bytes(const record::Cell& cell, const record::OperationInfo& operation);

// A visit of `row`, warm-up included, where a call takes `call_s`.
struct VisitCost {
  double seconds = 0;
  double repetitions = 0;
};
VisitCost visit_cost(const record::Cell& cell, const record::PlanRow& row, double call_s);

// Groups of the whole campaign, those done included: from the measured wall time of the pilot group
// (start-up included) and the budget that remains; at least min, of which those are measured that
// end in time, and at most max. Without a budget: max.
std::uint32_t groups_for_budget(const Launches& launches, std::optional<double> budget_s,
                                double elapsed_s, std::uint32_t groups_done, double group_seconds);

// Rows edited by hand against the campaign: every row's cell must be one of `cells` with its
// number, every arm one of the campaign's that has the cell. Throws UserError with the lines.
void check_plan(const record::Plan& plan, const Campaign& campaign, const ResolvedCells& cells,
                const std::string& place);

}  // namespace invar::design
