// What on this machine will spoil measurements, and the remedy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "host/facts.hpp"

namespace invar::doctor {

enum class Severity {
  kProblem,  // nothing can be measured, or what is measured is wrong
  kCaution,  // measurements will scatter or not carry over to other runs
  kNote,     // worth knowing
};
const char* severity_name(Severity severity);

struct Finding {
  Severity severity = Severity::kNote;
  std::string topic = {};   // "frequency"
  std::string what = {};    // what is so
  std::string why = {};     // why it spoils measurements
  std::string remedy = {};  // what to do; empty: nothing can be done
};

// A cache line bounced between two cores for a short while: medians of 31 round trips each.
struct CorePing {
  std::uint32_t first_cpu = 0;
  std::uint32_t second_cpu = 0;
  std::vector<double> medians_ns = {};  // in the order of time
};
// Nothing with fewer than two cores. Takes `seconds`.
std::optional<CorePing> ping_cores(const std::vector<std::uint32_t>& cpus, double seconds);

struct BusyProcess {
  int pid = 0;
  std::string name = {};
  double cpus = 0;  // CPU time per time
};

// Launches of a library that were tried, in the way of a campaign that names no hosts.
struct LaunchTrial {
  std::string how = {};       // "openmpi", in a batch job also "openmpi by srun"
  std::string alone = {};     // why one launch cannot start on the job's hosts; empty: it can
  std::string together = {};  // why two cannot run at once; empty: they can, or one cannot
};

// What was seen; made by look(), or by hand in tests.
struct Observed {
  host::Facts facts = {};
  bool tsc_trusted = false;
  std::string tsc_reason = {};
  std::vector<std::uint32_t> cores = {};  // one CPU each
  std::optional<CorePing> ping = {};
  std::vector<BusyProcess> busy = {};       // others than this process
  std::optional<double> steal = {};         // share of all CPU time while looking
  std::vector<std::string> libraries = {};  // wrapper pairs that were found, by wrapper
  bool launcher_without_wrapper = false;
  // The hosts of the batch job around this process, with their slots. Empty where there is no job,
  // or where it has only this host.
  std::vector<design::Host> hosts = {};
  std::string hosts_problem = {};        // why the job's hosts are not known; empty: they are
  std::vector<LaunchTrial> trials = {};  // of each library whose engine is ready
};

// Looks at this machine for about half a second, and starts two launches of each library at once;
// in a batch job of several hosts, on these, by the library's own launcher and by srun.
Observed look();

struct DoctorReport {
  std::string sentence = {};              // the answer
  std::vector<Finding> findings = {};     // the worst first
  std::vector<std::string> healthy = {};  // what is as it should be
};
DoctorReport examine(const Observed& observed);

}  // namespace invar::doctor
