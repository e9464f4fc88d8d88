#include "driver/clock_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "driver/run/finalize_grace.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/files.hpp"
#include "launch/start/launcher.hpp"
#include "launch/start/together.hpp"

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
  const double calls = spec.repetitions + record::kWarmUpsOfABin * spec.bins;
  const bool trials =
      spec.experiment == "accuracy" || spec.experiment == "pareto" || spec.experiment == "scaling";
  const double experiment_s =
      trials ? spec.repetitions * algorithms * (kSynchronisationS + after_s) + after_s
             : algorithms * kSynchronisationS + 2 * spec.duration_s +
                   calls * (algorithms + 6) * kRepetitionS;
  return kStartS + experiment_s;
}

[[noreturn]] void fail(const std::string& library, const std::string& what, const fs::path& dir) {
  std::string said(base::trim(base::read_file((dir / "stderr").string()).value_or("")));
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {{.place = library, .what = what + (said.empty() ? "" : ": " + said)}});
}

// The status, or none where the time was over first: then all of it is ended.
std::optional<int> wait_for_rows(launch::Process& process, const fs::path& dir,
                                 std::chrono::milliseconds limit) {
  constexpr auto kLook = std::chrono::milliseconds(250);
  const auto end = std::chrono::steady_clock::now() + limit;
  std::optional<std::chrono::steady_clock::time_point> whole_since;
  while (true) {
    if (const std::optional<int> status = process.wait(kLook)) return status;
    const auto now = std::chrono::steady_clock::now();
    if (!whole_since && (fs::exists(dir / "clocks.csv") || fs::exists(dir / "clocks.refused"))) {
      whole_since = now;
    }
    if (now > end || (whole_since && now - *whole_since > finalize_grace())) break;
  }
  process.kill();
  return std::nullopt;
}

// Where so many ranks run. Throws UserError where that cannot be.
ClockPlace place_of(std::uint32_t ranks, const std::vector<design::Host>& hosts,
                    std::size_t cores) {
  if (ranks < 2) {
    throw base::UserError("--ranks", "a single clock has nothing to agree with",
                          "name two ranks at least");
  }
  ClockPlace place{.ranks = ranks, .hosts = hosts};
  if (hosts.empty()) return place;
  if (ranks < hosts.size()) place.hosts.resize(ranks);
  const auto on_hosts = static_cast<std::uint32_t>(place.hosts.size());
  if (ranks % on_hosts != 0) {
    throw base::UserError("--ranks",
                          base::count_text(static_cast<std::uint64_t>(ranks), "rank") +
                              " are not as many on each of " + base::count_text(on_hosts, "host"),
                          "a multiple of " + std::to_string(on_hosts));
  }
  base::Faults faults;
  for (const design::Host& host : place.hosts) {
    const std::size_t room = host.slots > 0 ? host.slots : cores;
    if (ranks / on_hosts <= room) continue;
    faults.add("--ranks",
               std::to_string(ranks / on_hosts) + " of them would be on " + host.name +
                   ", which takes " + std::to_string(room),
               host.slots > 0 ? "fewer ranks, or more behind the host's name"
                              : "fewer ranks; this host has as many cores, and others may have "
                                "more: write " +
                                    host.name + ":" + std::to_string(ranks / on_hosts));
  }
  faults.throw_if_any();
  return place;
}

std::uint32_t usual_ranks(const std::vector<design::Host>& hosts, std::size_t cores) {
  if (hosts.empty()) return static_cast<std::uint32_t>(cores);
  std::uint32_t each = hosts.front().slots;
  for (const design::Host& host : hosts) each = std::min(each, host.slots);
  return static_cast<std::uint32_t>(hosts.size()) * std::max(1U, each);
}

// Ranks that share a core say of their clocks when the kernel lets them run.
void check_cores(std::uint32_t ranks, std::size_t cores) {
  if (ranks <= cores) return;
  throw base::UserError("--ranks",
                        base::count_text(static_cast<std::uint64_t>(ranks), "rank") + " share " +
                            base::count_text(cores, "core") +
                            ": what their clocks say depends on when the kernel lets them run",
                        "name " + std::to_string(cores) +
                            " at most; ranks on other hosts: --hosts a,b, or invar mpi "
                            "add NAME --launch TEMPLATE");
}

launch::StartOptions start_options(const ClockPlace& place) {
  return {.ranks = place.ranks, .hosts = place.hosts};
}

// Nobody waits for ten launches to learn that a name is misspelt.
void check_hosts(const launch::Profile& profile, const ClockPlace& place) {
  if (place.hosts.empty()) return;
  launch::StartOptions options = start_options(place);
  options.dir = ".";
  launch::check_start(profile, options, true);
  const std::string problem = launch::alone_problem(profile, start_options(place));
  if (problem.empty()) return;
  throw base::UserError("--hosts", "with '" + profile.name + "' " + problem,
                        "is each of them reached from here without a password, and does it see " +
                            profile.engine.string() + "?");
}

// What one launch has written. Some libraries do not come back from MPI_Finalize: then the rows are
// whole all the same.
std::string run_once(const ClockRun& run, const ClockPlace& place, const record::ClockSpec& spec) {
  const launch::Profile profile = launch::find_profile(run.library);
  const std::string name = profile.name + " " + profile.short_version;
  const launch::ScratchDir scratch;
  // Where ranks of other hosts see it, as a probe does.
  const bool elsewhere = !profile.launch_template.empty() || !place.hosts.empty();
  const fs::path dir =
      elsewhere ? profile.engine.parent_path() / scratch.path().filename() : scratch.path();
  fs::create_directories(dir);
  launch::write_atomically(dir / "clocks.spec", record::clock_spec_text(spec));
  launch::StartOptions options = start_options(place);
  options.arguments = {"--clocks", dir.string()};
  options.dir = scratch.path();
  launch::Process process = launch::start(profile, options);
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * limit_s(spec)));
  const std::optional<int> status = wait_for_rows(process, dir, limit);
  const auto csv = base::read_file((dir / "clocks.csv").string());
  const auto refused = base::read_file((dir / "clocks.refused").string());
  std::error_code ignored;
  if (dir != scratch.path()) fs::remove_all(dir, ignored);
  if (refused) {
    const record::ClockRefused said = record::read_clock_refused(*refused, "clocks.refused");
    throw base::UserError(said.place, said.what, said.remedy);
  }
  if (csv) return *csv;
  if (!status) fail(name, "the experiment did not end", scratch.path());
  fail(name, "the experiment ended with " + std::to_string(*status), scratch.path());
}

}  // namespace

std::vector<std::uint32_t> ClockRun::ranks() const {
  std::vector<std::uint32_t> all;
  for (const ClockPlace& place : places) all.push_back(place.ranks);
  return all;
}

ClockRun prepare_clocks(const ClockOrder& order) {
  const launch::Profile profile = launch::find_profile(order.library);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  ClockRun run{
      .library = profile.name, .library_version = profile.short_version, .spec = order.spec};
  const std::vector<std::uint32_t> numbers =
      order.ranks.empty() ? std::vector{usual_ranks(order.hosts, cores.size())} : order.ranks;
  // A template of the user's may put the ranks on other hosts.
  const bool own_cores = profile.launch_template.empty();
  std::uint32_t each = 0;
  base::Faults faults;
  for (const std::uint32_t ranks : numbers) {
    base::collect(faults, [&] {
      if (own_cores && order.hosts.empty()) check_cores(ranks, cores.size());
      run.places.push_back(place_of(ranks, order.hosts, cores.size()));
      const std::size_t hosts = std::max<std::size_t>(1, run.places.back().hosts.size());
      each = std::max(each, static_cast<std::uint32_t>(ranks / hosts));
    });
  }
  faults.throw_if_any();
  if (!own_cores) run.spec.pinning = "none";
  if (!order.hosts.empty() && run.spec.pinning == "core" && each > cores.size()) {
    throw base::UserError("--hosts",
                          std::to_string(each) +
                              " ranks on a host are to be bound, but this host, whose cores tell "
                              "which, has " +
                              std::to_string(cores.size()),
                          "start invar on one of the hosts, name fewer, or --pinning none");
  }
  // Cores of a host; a host that allows others takes as many of these.
  run.spec.cpus = cores;
  if (each < cores.size()) run.spec.cpus.resize(each);
  for (const design::Host& host : order.hosts) run.spec.hosts.push_back(design::host_text(host));
  check_hosts(profile, run.places.back());
  return run;
}

std::string run_clocks(const ClockRun& run) {
  std::string all;
  for (std::uint32_t launch = 1; launch <= run.spec.launches; ++launch) {
    for (const ClockPlace& place : run.places) {
      record::ClockSpec spec = run.spec;
      // Orders that are drawn are drawn anew.
      spec.virtual_clocks.seed += launch - 1;
      std::vector<record::AddedColumn> added;
      if (run.places.size() > 1) added.push_back({record::kAddedColumns[0].name, place.ranks});
      if (run.spec.launches > 1) added.push_back({record::kAddedColumns[1].name, launch});
      all += record::with_added_columns(run_once(run, place, spec), added, all.empty());
    }
  }
  return all;
}

}  // namespace invar::driver
