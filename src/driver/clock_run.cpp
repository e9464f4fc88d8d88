#include "driver/clock_run.hpp"

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/files.hpp"
#include "launch/start/launcher.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

constexpr double kStartS = 120;
// The limit for one synchronisation: far more than any of them takes.
constexpr double kSynchronisationS = 120;

// The limit for one repetition of anything else.
constexpr double kRepetitionS = 1e-3;

double limit_s(const record::ClockSpec& spec) {
  double after_s = 0;
  for (const double after : spec.after_s) after_s += after;
  const auto algorithms = static_cast<double>(spec.algorithms.size());
  const double experiment_s =
      spec.experiment == "accuracy"
          ? spec.repetitions * algorithms * (kSynchronisationS + after_s) + after_s
          : algorithms * kSynchronisationS + 2 * spec.duration_s +
                spec.repetitions * (algorithms + 6) * kRepetitionS;
  return kStartS + experiment_s;
}

[[noreturn]] void fail(const std::string& library, const std::string& what, const fs::path& dir) {
  std::string said(base::trim(base::read_file((dir / "stderr").string()).value_or("")));
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {{.place = library, .what = what + (said.empty() ? "" : ": " + said)}});
}

}  // namespace

ClockRun prepare_clocks(const ClockOrder& order) {
  const launch::Profile profile = launch::find_profile(order.library);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  ClockRun run{.library = profile.name,
               .library_version = profile.short_version,
               .ranks = order.ranks > 0 ? order.ranks : static_cast<std::uint32_t>(cores.size()),
               .spec = order.spec};
  if (run.ranks < 2) {
    throw base::UserError("--ranks", "a single clock has nothing to agree with",
                          "name two ranks at least");
  }
  // A template of the user's may put the ranks on other hosts.
  const bool own_cores = profile.launch_template.empty();
  if (own_cores && run.ranks > cores.size()) {
    throw base::UserError(
        "--ranks",
        base::count_text(static_cast<std::uint64_t>(run.ranks), "rank") + " share " +
            base::count_text(cores.size(), "core") +
            ": what their clocks say depends on when the kernel lets them run",
        "name " + std::to_string(cores.size()) +
            " at most; ranks on other hosts: invar mpi add NAME --launch TEMPLATE");
  }
  run.spec.pinning = own_cores ? "core" : "none";
  run.spec.cpus = cores;
  return run;
}

std::string run_clocks(const ClockRun& run) {
  const launch::Profile profile = launch::find_profile(run.library);
  const std::string place = profile.name + " " + profile.short_version;
  const launch::ScratchDir scratch;
  // Where ranks of other hosts see it, as a probe does.
  const fs::path dir = profile.launch_template.empty()
                           ? scratch.path()
                           : profile.engine.parent_path() / scratch.path().filename();
  fs::create_directories(dir);
  launch::write_atomically(dir / "clocks.spec", record::clock_spec_text(run.spec));
  launch::StartOptions options{
      .ranks = run.ranks, .arguments = {"--clocks", dir.string()}, .dir = scratch.path()};
  launch::Process process = launch::start(profile, options);
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * limit_s(run.spec)));
  const std::optional<int> status = process.wait(limit);
  if (!status) process.kill();
  const auto csv = base::read_file((dir / "clocks.csv").string());
  std::error_code ignored;
  if (dir != scratch.path()) fs::remove_all(dir, ignored);
  if (!status) fail(place, "the experiment did not end", scratch.path());
  if (*status != 0 || !csv) {
    fail(place, "the experiment ended with " + std::to_string(*status), scratch.path());
  }
  return *csv;
}

}  // namespace invar::driver
