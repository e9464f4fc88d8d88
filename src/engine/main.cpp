// invar-engine: one rank of a launch. Started by `invar`; people need not call it.
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/describe.hpp"
#include "engine/host.hpp"
#include "engine/launch.hpp"
#include "engine/meet.hpp"
#include "ops/check.hpp"
#include "record/launch_spec.hpp"

namespace {

using invar::base::CommandError;
using invar::base::Exit;
using invar::base::UserError;

constexpr const char* kUsage =
    "invar-engine --launch DIR | --probe FILE | --check [--operations a,b] [--counts 0,1,7] |\n"
    "             --describe | --meet NAME --job 0|1 [--jobs 1|2]\n"
    "  --launch    measures what DIR/launch.spec and DIR/visits.csv say\n"
    "  --probe     writes what the MPI library says of itself to FILE\n"
    "  --check     verifies the operations for each count of elements\n"
    "  --describe  prints what this engine knows; needs no launcher\n"
    "  --meet      waits for another launch of that name: do two run at once?\n";

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
    if (word == "--launch" || word == "--probe" || word == "--meet") {
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
        if (!count) throw UserError("--counts", "'" + std::string(text) + "' is no count");
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
  std::fprintf(stderr, "invar-engine: %s%s: %s\n", who.c_str(), invar::engine::host_name().c_str(),
               what);
  std::fflush(stderr);
}

// The driver has written the file: where it is missing, another directory of that name was looked
// into.
UserError unreadable(const std::string& dir, const std::string& path) {
  if (access(dir.c_str(), F_OK) == 0) return UserError(path, "cannot be read");
  return UserError(dir, "is not visible on host " + invar::engine::host_name(),
                   "put -o on a file system that all hosts share");
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  if (arguments.mode == "--describe") {
    std::puts(invar::engine::describe_json().c_str());
    return 0;
  }
  die_with_parent();
  std::optional<invar::record::LaunchSpec> spec;
  std::optional<std::uint32_t> bound_rank;
  if (arguments.mode == "--launch") {
    const std::string path = arguments.target + "/launch.spec";
    const auto text = invar::base::read_file(path);
    if (!text) throw unreadable(arguments.target, path);
    spec = invar::record::read_launch_spec(*text, path);
    if (spec->pinning == "core") {
      const std::set<std::uint32_t> different(spec->cpus.begin(), spec->cpus.end());
      spec->cpus = invar::engine::local_cpus(spec->cpus,
                                             invar::engine::allowed_cores(different.size()), path);
    }
    // Before MPI_Init, so that the library's own threads and memory follow.
    bound_rank = invar::engine::local_rank_from_environment();
    if (spec->pinning == "core" && bound_rank) {
      if (*bound_rank >= spec->cpus.size()) {
        throw UserError(path, "there is no CPU for local rank " + std::to_string(*bound_rank));
      }
      invar::engine::bind_to_cpu(spec->cpus[*bound_rank]);
    }
  }
  MPI_Init(&argc, &argv);
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
    status = invar::ops::check_operations(MPI_COMM_WORLD, arguments.operations, arguments.counts,
                                          stdout) == 0
                 ? 0
                 : static_cast<int>(Exit::kMeasurementFailed);
  } else {
    if (spec->pinning == "core" && !bound_rank) {
      // The launcher told nothing before MPI_Init; late, but bound while measuring.
      const auto local_rank = invar::engine::find_hosts(MPI_COMM_WORLD).local_rank;
      invar::engine::bind_to_cpu(spec->cpus.at(local_rank));
    }
    invar::engine::run_launch(MPI_COMM_WORLD, arguments.target, *spec);
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
  if (initialized != 0 && finalized == 0) {
    // Launchers end everything at once, and what was said on its way to them would be lost.
    const timespec pause{0, 100'000'000};
    nanosleep(&pause, nullptr);
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  return status;
}
