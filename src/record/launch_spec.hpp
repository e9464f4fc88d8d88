// What the driver hands to one launch of the engine: a text file of `key = value` lines
// (launch.spec in the launch's directory) beside the group's rows of the plan (visits.csv).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/virtual_clocks.hpp"

namespace invar::record {

// `record = "auto"` keeps the ticks of every rank up to this number of ranks.
constexpr std::uint32_t kPerRankUpTo = 8;

// The same for suites, whose own way of measuring is made of what single ranks take: above it one
// gather of a large launch takes gigabytes, so that it is done only where it is asked for.
constexpr std::uint32_t kSuitesPerRankUpTo = 256;

// LaunchSpec::clock_sync where clocks are left as they are.
constexpr std::string_view kNoClockSync = "none";

// Levels of LaunchSpec::placement_in_host (host/placement.hpp says what they do).
constexpr std::string_view kPackedInHost = "packed";
constexpr std::string_view kSpreadInHost = "spread";
constexpr std::string_view kNumaInHost = "numa";

// The file of the program that ranks run.
constexpr std::string_view kEngineName = "invar-engine";

// How an engine's last words begin when it ends because of another process of its group. If it
// knows whose, "arm N" follows: the driver looks for the cause there.
constexpr std::string_view kGroupLost = "group lost: ";

// How an engine's last words begin when the machine is to blame and not its library: no arm is
// dropped for it.
constexpr std::string_view kMachine = "machine: ";
// Begins the failure where a file of the campaign cannot be written: it makes no sense to go on.
constexpr std::string_view kCannotWrite = "machine: cannot write ";

struct LaunchSpec {
  // Who takes part.
  std::string group_id = {};           // names the shared page; unique for every try of a group
  std::uint32_t group = 0;             // as in the plan
  std::uint32_t launch = 0;            // as in the plan
  std::vector<std::string> arms = {};  // labels of the arms that take turns, this one included
  std::uint32_t arm = 0;               // index of this launch in `arms`
  std::uint32_t ranks = 0;
  std::uint32_t hosts = 1;  // as many ranks on each
  // How it measures; what is a factor stands in the plan's cells.
  std::string record = "auto";               // extent | per-rank | auto (per-rank up to 8 ranks)
  std::string pinning = "core";              // core | none
  std::string aslr = "default";              // default | on | off
  std::string thp = "default";               // default | always | never
  std::string environment_size = "default";  // bytes of padding, or default: none is added
  std::string verification = "0";            // share of the visits whose result is checked, 0 to 1
  // Which cores of their host the ranks take: packed | spread | numa.
  std::string placement_in_host{kPackedInHost};
  // By what ranks that do not read one clock agree on the time: "mesh", "hca3:fit-points=500", ...
  // (clock::parse_algorithm), or kNoClockSync.
  std::string clock_sync = "mesh";
  // Some launch of the campaign asks for aslr, thp or environment_size, so that its ranks start
  // again: then all do.
  bool starts_again = false;
  bool oversubscribe = false;
  // Ranks of the arm on turn that wait call the library so that it makes progress: none |
  // bystanders (those that a visit is without) | probe (all, after a millisecond).
  std::string progress = "bystanders";
  // Between which ranks connections are made beforehand: none | pattern | hosts | all | auto
  // (group/connections.hpp).
  std::string connect = "hosts";
  std::string communicator = "split";  // that carries the operations: world | split | dup
  // The operating system's number of the CPU of local rank i, on the driver's host.
  std::vector<std::uint32_t> cpus = {};
  // host::host_identity() of that host, if the driver has claimed their cores there: then the ranks
  // of this host take just these CPUs, or none. Empty: nothing is claimed.
  std::string cpus_host = {};
  // Warm-up: until so many repetitions or so much time, but at least warmup_min. Fewer do not do:
  // MPICH's queue between two processes has 64 places, two a 1 KiB allreduce, and the first 32
  // repetitions of every visit are 20 % slower until each place has come back into the cache.
  std::uint32_t warmup_repetitions = 50;
  std::uint64_t warmup_ns = 200000;
  std::uint32_t warmup_min = 3;
  std::uint64_t window_ns = 0;  // of window synchronisation; 0: windows adapt to what a call takes
  // Repetitions that do not count are made once more, up to this multiple of those asked for.
  double retry_cap = 2.0;
  // A repetition in which a rank lost its processor and started so much later (or by 2 % of a call,
  // where that is more) is such.
  std::uint64_t skew_limit_ns = 1000;
  // A visit, or the verification of a cell, that takes longer counts as hung.
  std::uint64_t visit_limit_ns = 60'000'000'000;
  // So does a launch that takes longer to start, to write what it has measured, or to end after its
  // last visit.
  std::uint64_t start_limit_ns = 60'000'000'000;
  std::uint64_t seed = 0;
  // "NAME=VALUE": the arm's settings, which a launcher may fail to hand on to other hosts.
  std::vector<std::string> environment = {};
  // Clocks that are wrong on purpose; none: the real ones.
  VirtualClocks virtual_clocks = {};
  // This arm plants the delays of its cells (Cell::delay_ns).
  bool plants_delays = false;
  // Cells (Cell::id) that failed in this arm before: visited by nobody any more.
  std::vector<std::uint32_t> failed_cells = {};
  // By Cell::id: of whose call multiples in arrival patterns and of computation speak
  // (Arrival::amplitude_calls, Compute::calls). Empty: each of its own.
  std::vector<std::uint32_t> late_by_cells = {};
  // By Cell::id: passes that an earlier launch decided on for loops = "auto" of its levels, without
  // the multiple that the cell has; 0, or a cell behind the last: this launch decides.
  std::vector<std::uint32_t> decided_loops = {};
  // What makes the library run the algorithms of its cells
  // (record/algorithms/algorithm_switch.hpp), one line each; none: all cells run what it chooses.
  std::vector<std::string> switches = {};
  // Write every control variable of the library into env.json (the first launch of an arm).
  bool full_environment = false;

  bool operator==(const LaunchSpec&) const = default;
};

// LaunchSpec::verification as a number; nothing for what is not a share.
std::optional<double> share_of(std::string_view text);

std::string launch_spec_text(const LaunchSpec& spec);

// Throws UserError with every unknown, missing or malformed key and its line.
LaunchSpec read_launch_spec(std::string_view text, const std::string& place);

}  // namespace invar::record
