// invar-engine: one rank of a launch. Started by `invar`; people need not call it.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/algorithms/traffic.hpp"
#include "engine/algorithms/tries.hpp"
#include "engine/experiments/clock_experiment.hpp"
#include "engine/launch/describe.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/launch.hpp"
#include "engine/launch/meet.hpp"
#include "engine/machine/machine.hpp"
#include "engine/stress/stress.hpp"
#include "host/conditions.hpp"
#include "host/identity.hpp"
#include "host/local_rank.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/check/check.hpp"
#include "record/algorithms/tries.hpp"
#include "record/clock_spec.hpp"
#include "record/launch_spec.hpp"
#include "record/stress/stress_order.hpp"

namespace {

using invar::base::CommandError;
using invar::base::Exit;
using invar::base::UserError;
using invar::engine::Machine;

constexpr const char* kUsage =
    "invar-engine --launch DIR | --probe FILE | --check [--operations a,b] [--counts 0,1,7] |\n"
    "             --describe | --meet NAME --job 0|1 [--jobs 1|2] | --clocks DIR | --try DIR |\n"
    "             --traffic DIR | --stress DIR\n"
    "  --launch    measures what DIR/launch.spec and DIR/visits.csv say\n"
    "  --probe     writes what the MPI library says of itself to FILE\n"
    "  --check     verifies the operations for each count of elements\n"
    "  --describe  prints what this engine knows; needs no launcher\n"
    "  --meet      waits for another launch of that name: do two run at once?\n"
    "  --clocks    synchronises clocks as DIR/clocks.spec says, and finds the errors\n"
    "  --try       tries algorithms of the library, as DIR/tries.csv says\n"
    "  --traffic   counts the messages that these send, each on ranks of its own\n"
    "  --stress    sends messages as DIR/stress.spec says, and looks at every byte\n";

struct Arguments {
  std::string mode = {};
  std::string target = {};
  std::vector<std::string> operations = {};
  std::vector<std::uint64_t> counts = {0, 1, 7, 1024};
  std::uint32_t job = 0;
  std::uint32_t jobs = 2;
};

Arguments parse(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto value = [&] {
      if (i + 1 == words.size()) throw UserError(std::string(word), "a value is missing", kUsage);
      return words[++i];
    };
    if (word == "--launch" || word == "--probe" || word == "--meet" || word == "--clocks" ||
        word == "--try" || word == "--traffic" || word == "--stress") {
      arguments.mode = word;
      arguments.target = value();
    } else if (word == "--check" || word == "--describe") {
      arguments.mode = word;
    } else if (word == "--job") {
      arguments.job = value() == "1" ? 1 : 0;
    } else if (word == "--jobs") {
      arguments.jobs = value() == "1" ? 1 : 2;
    } else if (word == "--operations") {
      for (const std::string_view name : invar::base::split(value(), ',')) {
        arguments.operations.emplace_back(name);
      }
    } else if (word == "--counts") {
      arguments.counts.clear();
      for (const std::string_view text : invar::base::split(value(), ',')) {
        const auto count = invar::base::parse_u64(text);
        if (!count) throw UserError("--counts", "'" + std::string(text) + "' is not a count");
        arguments.counts.push_back(*count);
      }
    } else {
      throw UserError(std::string(word), "unknown option", kUsage);
    }
  }
  if (arguments.mode.empty()) throw UserError("invar-engine", "nothing to do", kUsage);
  return arguments;
}

// A rank must not outlive its launcher: it would hold a core for ever.
void die_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died in between
}

int rank_now() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  int rank = -1;
  if (initialized != 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void say(const char* what) {
  const int rank = rank_now();
  const std::string who = rank < 0 ? std::string() : "rank " + std::to_string(rank) + " on ";
  std::fprintf(stderr, "invar-engine: %s%s: %s\n", who.c_str(), Machine::host_name().c_str(), what);
  std::fflush(stderr);
}

// A file that the driver has written into `dir`, with its path.
std::pair<std::string, std::string> orders(const std::string& dir, const std::string& name) {
  std::string path = dir + "/" + name;
  auto text = invar::base::read_file(path);
  if (text) return {std::move(*text), std::move(path)};
  if (access(dir.c_str(), F_OK) == 0) throw UserError(path, "cannot be read");
  // Another directory of that name was looked into.
  throw UserError(dir, "is not visible on host " + Machine::host_name(),
                  "put -o on a file system that all hosts share");
}

// Binds this rank to its CPU: before MPI_Init, so that the library's own threads and memory follow,
// where the launcher tells the local rank. What it tells may be of a launch around this one, and
// the same for all ranks: afterwards they are bound by what MPI tells.
class Binding {
 public:
  // `cpus` become those that this host allows. `local_ranks`: as many has each host, where that is
  // known. `cpus_host`: as in LaunchSpec.
  Binding(const std::string& pinning, const std::string& placement,
          std::vector<std::uint32_t>& cpus, const std::string& cpus_host,
          std::optional<std::uint32_t> local_ranks, const std::string& path)
      : cpus_(cpus), path_(path), binds_(pinning == "core") {
    Machine::check_pinning(pinning, path);
    if (!binds_) return;
    if (cpus_host == invar::host::host_identity()) {
      cpus = invar::engine::claimed_cpus(cpus, invar::engine::permitted_cpus(cpus), path);
    } else {
      const std::set<std::uint32_t> different(cpus.begin(), cpus.end());
      const std::vector<std::uint32_t> allowed = invar::engine::allowed_cores(different.size());
      cpus = placement == invar::record::kPackedInHost
                 ? invar::engine::local_cpus(cpus, allowed, path)
                 : invar::engine::placed_cpus(cpus, allowed, placement, path);
    }
    const auto local_rank = invar::host::local_rank(std::getenv, local_ranks);
    if (!local_rank || *local_rank >= cpus.size()) return;
    told_ = *local_rank;
    invar::engine::bind_to_cpu(cpus[*told_]);
  }

  // Some rank was bound after MPI_Init. Known after complete().
  [[nodiscard]] bool late() const { return late_; }

  // Collective, after MPI_Init: binds a rank that was told nothing before, or another rank's
  // number; late, but bound while measuring.
  void complete() {
    if (!binds_) return;
    const std::uint32_t local_rank = invar::engine::find_hosts(MPI_COMM_WORLD).local_rank;
    int late = told_ != local_rank ? 1 : 0;
    if (late != 0) {
      if (local_rank >= cpus_.size()) {
        throw UserError(path_, "there is no CPU for local rank " + std::to_string(local_rank));
      }
      invar::engine::bind_to_cpu(cpus_[local_rank]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    late_ = late != 0;
  }

 private:
  const std::vector<std::uint32_t>& cpus_;
  std::string path_;
  bool binds_;
  std::optional<std::uint32_t> told_ = {};
  bool late_ = false;
};

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  if (arguments.mode == "--describe") {
    std::puts(invar::engine::describe_json().c_str());
    return 0;
  }
  die_with_parent();
  Machine::check_mode(arguments.mode);
  std::optional<invar::record::LaunchSpec> launch;
  std::optional<invar::record::ClockSpec> clocks;
  std::optional<invar::record::StressOrder> stress;
  std::optional<Binding> binding;
  std::string tries;
  if (arguments.mode == "--launch") {
    const auto [text, path] = orders(arguments.target, "launch.spec");
    launch = invar::record::read_launch_spec(text, path);
    Machine::take_on(invar::host::conditions_of(*launch), argv, path);
    if (launch->thp == "always") invar::ops::ask_for_huge_pages();
    binding.emplace(launch->pinning, launch->placement_in_host, launch->cpus, launch->cpus_host,
                    launch->ranks / std::max(launch->hosts, 1U), path);
  } else if (arguments.mode == "--clocks") {
    const auto [text, path] = orders(arguments.target, "clocks.spec");
    clocks = invar::record::read_clock_spec(text, path);
    binding.emplace(clocks->pinning, std::string(invar::record::kPackedInHost), clocks->cpus,
                    clocks->cpus_host, std::nullopt, path);
  } else if (arguments.mode == "--try" || arguments.mode == "--traffic") {
    tries = orders(arguments.target, std::string(invar::record::kTriesFile)).first;
  } else if (arguments.mode == "--stress") {
    const auto [text, path] = orders(arguments.target, std::string(invar::record::kStressFile));
    stress = invar::record::read_stress_order(text, path);
  }
  MPI_Init(&argc, &argv);
  Machine::check_time_passes();
  int status = 0;
  if (arguments.mode == "--probe") {
    status = invar::engine::probe(arguments.target);
  } else if (arguments.mode == "--meet") {
    if (!invar::engine::meet(MPI_COMM_WORLD, arguments.target, arguments.job, arguments.jobs)) {
      throw std::runtime_error("the other launch did not come up within 20 s");
    }
    // Said at once: whether MPI_Finalize returns is another matter.
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::puts("met");
    std::fflush(stdout);
  } else if (arguments.mode == "--check") {
    status = invar::ops::check_operations(
                 MPI_COMM_WORLD, {.operations = arguments.operations, .counts = arguments.counts},
                 stdout) == 0
                 ? 0
                 : static_cast<int>(Exit::kMeasurementFailed);
  } else if (arguments.mode == "--try") {
    invar::engine::run_tries(MPI_COMM_WORLD, arguments.target, tries);
  } else if (arguments.mode == "--traffic") {
    invar::engine::run_traffic(MPI_COMM_WORLD, arguments.target, tries);
  } else if (arguments.mode == "--stress") {
    invar::engine::run_stress(MPI_COMM_WORLD, arguments.target, *stress);
  } else if (arguments.mode == "--clocks") {
    binding->complete();
    invar::engine::run_clock_experiment(MPI_COMM_WORLD, arguments.target, *clocks);
  } else {
    binding->complete();
    invar::engine::run_launch(MPI_COMM_WORLD, arguments.target, *launch, binding->late());
  }
  MPI_Finalize();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int status = static_cast<int>(Exit::kMeasurementFailed);
  try {
    return run(argc, argv);
  } catch (const CommandError& error) {
    say(error.what());
    status = static_cast<int>(error.status());
  } catch (const std::exception& error) {
    say(error.what());
  }
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized != 0 && finalized == 0) Machine::abort(status);
  return status;
}
