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
// Of one synchronisation: far more than any of them takes.
constexpr double kSynchronisationS = 120;

// Of one repetition of anything else.
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

ClockRun run_clocks(const ClockOrder& order) {
  const launch::Profile profile = launch::find_profile(order.library);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  ClockRun result{
      .library = profile.name + " " + profile.short_version,
      .ranks = order.ranks > 0 ? order.ranks : static_cast<std::uint32_t>(cores.size())};
  if (result.ranks < 2) {
    throw base::UserError("--ranks", "a single clock has nothing to agree with",
                          "name two ranks at least");
  }
  if (profile.launch_template.empty() && result.ranks > cores.size()) {
    throw base::UserError(
        "--ranks",
        base::count_text(static_cast<std::uint64_t>(result.ranks), "rank") + " share " +
            base::count_text(cores.size(), "core") +
            ": what their clocks say depends on when the kernel lets them run",
        "name " + std::to_string(cores.size()) +
            " at most; ranks on other hosts: invar mpi add NAME --launch TEMPLATE");
  }
  record::ClockSpec spec = order.spec;
  // A template of the user's may put the ranks on other hosts.
  const bool own_cores = profile.launch_template.empty();
  spec.pinning = own_cores ? "core" : "none";
  spec.cpus = cores;
  const launch::ScratchDir scratch;
  // Where ranks of other hosts see it, as a probe does.
  const fs::path dir = profile.launch_template.empty()
                           ? scratch.path()
                           : profile.engine.parent_path() / scratch.path().filename();
  fs::create_directories(dir);
  launch::write_atomically(dir / "clocks.spec", record::clock_spec_text(spec));
  launch::StartOptions options{
      .ranks = result.ranks, .arguments = {"--clocks", dir.string()}, .dir = scratch.path()};
  launch::Process process = launch::start(profile, options);
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * limit_s(spec)));
  const std::optional<int> status = process.wait(limit);
  if (!status) process.kill();
  const auto csv = base::read_file((dir / "clocks.csv").string());
  std::error_code ignored;
  if (dir != scratch.path()) fs::remove_all(dir, ignored);
  if (!status) fail(result.library, "the experiment did not end", scratch.path());
  if (*status != 0 || !csv) {
    fail(result.library, "the experiment ended with " + std::to_string(*status), scratch.path());
  }
  result.csv = *csv;
  return result;
}

}  // namespace invar::driver
