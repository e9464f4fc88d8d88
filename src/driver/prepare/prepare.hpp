// A campaign resolved against this machine: which libraries, which cells, which cores.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/plan/schedule.hpp"
#include "driver/prepare/algorithms.hpp"
#include "driver/prepare/core_claims.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/start/arms.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// What the command line changes in a campaign.
struct Overrides {
  std::optional<double> budget_s = {};
  std::optional<std::uint32_t> launches = {};
  std::vector<std::string> arms = {};  // labels; empty: all
  std::optional<base::CanaryBand> regime = {};
  // The arms of a campaign that goes on, as they were sealed (try_algorithms()). None: it is new.
  std::span<const store::ArmRecord> sealed = {};
};

struct Prepared {
  design::Campaign campaign = {};             // arms and ranks filled in
  std::string place = {};                     // of the campaign, for messages
  std::vector<launch::CheckedArm> arms = {};  // as campaign.arms
  design::ResolvedCells cells = {};
  std::vector<TriedAlgorithms> algorithms = {};  // as campaign.arms; none: no cell has a level
  std::uint32_t ranks = 0;                       // of a launch, as many on each host
  std::vector<design::Host> hosts = {};          // of a launch, with their slots; none: this one
  // CPUs of a host's ranks, in the order of the ranks: in the first arm's launches, and by each
  // placement in the host that some arm has.
  std::vector<std::uint32_t> cpus = {};
  std::map<std::string, std::vector<std::uint32_t>> placed_cpus = {};
  // While this lives no other campaign takes them; null: not claimed.
  std::shared_ptr<const CoreClaims> claims = {};
  // While this lives nobody builds other engines in the place of the arms' ones.
  std::vector<std::shared_ptr<const launch::EngineUse>> engines = {};
  // From here on the budget's time runs.
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  [[nodiscard]] std::uint32_t host_count() const {
    return hosts.empty() ? 1 : static_cast<std::uint32_t>(hosts.size());
  }
};

// Fills in what the file leaves to the machine: arms (usual_profiles(), in alphabetical order),
// hosts (those of the batch job, else this one) and ranks (one a core). Checks arms and their
// settings, and every cell: that is a part of the budget, but for engines that had to be built.
// Throws UserError with all faults; nothing has been written then.
Prepared prepare(design::Campaign campaign, const Overrides& overrides, const std::string& place);

// So much of the budget is over already, or is kept for what follows the last group.
void spend(Prepared& prepared, double seconds);

// Where the local ranks of the arm's launches are bound on this host (index into the campaign's
// arms).
const std::vector<std::uint32_t>& cpus_of_arm(const Prepared& prepared, std::size_t arm);

// Claims the cores of this host on which ranks are bound, by turns or one launch after the other,
// until `prepared` is gone. Nothing is claimed where cores are shared on purpose, nothing is bound,
// a launch template puts the ranks where no host is named, or no rank runs here; where it cannot
// be, that is said on standard error. Throws UserError if another campaign has one of them.
void claim_cores(Prepared& prepared);

// Until `prepared` is gone, too.
void keep_engines(Prepared& prepared);

// Bytes of all message buffers that are mapped at the same time on the fullest host: of every
// rank's largest cell with the spare room of its arena, in every launch of a group that runs at
// once. With the counts and displacements of the cell that has most of them.
double buffer_bytes(const Prepared& prepared);

// "9000 B on a rank, 27000 B on all: handover, 1000 B, 3 ranks": the cell whose buffers are
// largest, without guard zones, as env.json has them of a launch. "none" where only programs are
// run.
std::string largest_buffers_text(const Prepared& prepared);

// Throws UserError if the buffers need more than is free: the kernel would kill ranks under way.
// Nothing is judged where the host does not say how much is free.
void check_memory(const Prepared& prepared, std::optional<std::uint64_t> free_bytes,
                  const std::string& place);

// "2 ranks, 1 host", "6 ranks, 3 hosts".
std::string scope_text(const Prepared& prepared);

// What the manifest keeps of where the campaign runs.
store::Place place_of(const Prepared& prepared);

// What the manifest keeps of an arm (index into the campaign's).
store::ArmRecord arm_record(const Prepared& prepared, std::size_t number);

// "CELL in 'ARM': why", one for each cell that is left out for an arm; where many are for the same
// reason "32 cells in 8 arms (ARM, ...): why".
std::vector<std::string> left_out_texts(const Prepared& prepared);

// Wall time of a launch without visits, per arm: what the two-rank probe took.
std::vector<double> startup_s(const Prepared& prepared);

// "nothing can be compared: no cell is measured in two arms", "2 of 3 cells are measured in one arm
// only and not compared"; empty where all are, or where there is one arm only.
std::string lonely_cells_text(const Prepared& prepared);

// What a campaign's own question will not have of these cells, although everything is measured:
// lonely_cells_text(), and of pairs of ranks that are too few to be compared. Nothing has been
// measured yet.
std::vector<std::string> unanswerable_texts(const Prepared& prepared);

// Wall time of so many groups in which every cell has one visit of so many repetitions, by the
// estimate of what a group costs.
double seconds_of_groups(const Prepared& prepared, std::uint32_t groups, std::uint32_t repetitions);

// How many launch groups are made where the campaign asks for so many. There is one more if a pilot
// group chooses among right sides of guidelines, because it judges none of them.
std::uint32_t with_choosing_pilot(const Prepared& prepared, std::uint32_t groups);

// What launch groups cost, before any was measured.
struct GroupEstimates {
  design::Estimate first = {};
  // Only one is left of a guideline's right sides that are chosen from. Nobody knows as yet which
  // one, so the last one stands for it (of splits the one with the most calls).
  design::Estimate next = {};
};
GroupEstimates estimate_groups(const Prepared& prepared);

// Wall time of the least number of groups, by the estimate of what a group costs.
double least_seconds(const Prepared& prepared);

// "the least of 3 groups takes about 57 min, beyond the budget of 2 min", by the estimate of what a
// group costs; empty where it does not, or where there is no budget.
std::string beyond_budget_text(const Prepared& prepared);

}  // namespace invar::driver
