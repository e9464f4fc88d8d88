#include "driver/clock_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "driver/prepare/own_host.hpp"
#include "driver/run/finalize_grace.hpp"
#include "host/identity.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/files.hpp"
#include "launch/start/launcher.hpp"
#include "launch/start/together.hpp"
#include "launch/systems/system.hpp"

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
                                 std::chrono::milliseconds limit, std::chrono::seconds grace) {
  constexpr auto kLook = std::chrono::milliseconds(250);
  const auto end = std::chrono::steady_clock::now() + limit;
  std::optional<std::chrono::steady_clock::time_point> whole_since;
  while (true) {
    if (const std::optional<int> status = process.wait(kLook)) return status;
    const auto now = std::chrono::steady_clock::now();
    if (!whole_since && (fs::exists(dir / "clocks.csv") || fs::exists(dir / "clocks.refused"))) {
      whole_since = now;
    }
    if (now > end || (whole_since && now - *whole_since > grace)) break;
  }
  process.kill();
  return std::nullopt;
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

// Only the engine binds, and it does not know whom a template's launcher has bound already, or to
// which cores of other hosts.
std::string pinning_of(const ClockOrder& order, const launch::Profile& profile) {
  if (order.pinning == "none" || (order.pinning.empty() && !profile.launch_template.empty())) {
    return "none";
  }
  if (profile.launch_template.empty()) return "core";
  throw base::UserError("--pinning",
                        "the launch template of '" + profile.name +
                            "' decides where its ranks run, so they are not bound to cores",
                        "leave it out, and bind them by the template's own options");
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

// What the ranks read and write, taken away at the end however that comes.
class RanksFolder {
 public:
  // `own`: for ranks of this host. Those of others see what lies beside the engine.
  RanksFolder(const launch::Profile& profile, const fs::path& own, bool elsewhere)
      : path_(elsewhere ? profile.engine.parent_path() / own.filename() : own) {
    fs::create_directories(path_);
  }
  RanksFolder(const RanksFolder&) = delete;
  RanksFolder& operator=(const RanksFolder&) = delete;
  ~RanksFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string launch_rows(const ClockRun& run, const ClockPlace& place, const record::ClockSpec& spec,
                        const ClockListener& listener) {
  record::ClockSpec orders = spec;
  if (run.claims) orders.cpus_host = host::host_identity();
  ClockRows rows = launch_clocks(launch::find_profile(run.library), start_options(place), orders,
                                 run.finalize_grace);
  if (rows.refused) {
    throw base::UserError(rows.refused->place, rows.refused->what, rows.refused->remedy);
  }
  if (!rows.warning.empty()) listener.warn("warning: " + rows.warning);
  return std::move(rows.csv);
}

}  // namespace

ClockRows launch_clocks(const launch::Profile& profile, launch::StartOptions options,
                        const record::ClockSpec& spec, std::chrono::seconds finalize_grace) {
  const std::string name = profile.name + " " + profile.short_version;
  const launch::ScratchDir scratch;
  const bool elsewhere = !profile.launch_template.empty() || !options.hosts.empty() ||
                         launch::launch_system(options.launcher).elsewhere;
  const RanksFolder dir(profile, scratch.path(), elsewhere);
  launch::write_atomically(dir.path() / "clocks.spec", record::clock_spec_text(spec));
  options.arguments = {"--clocks", dir.path().string()};
  options.dir = scratch.path();
  launch::Process process = launch::start(profile, options);
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * limit_s(spec)));
  const std::optional<int> status = wait_for_rows(process, dir.path(), limit, finalize_grace);
  const auto csv = base::read_file((dir.path() / "clocks.csv").string());
  const auto refused = base::read_file((dir.path() / "clocks.refused").string());
  if (refused) return {.refused = record::read_clock_refused(*refused, "clocks.refused")};
  const std::string ended =
      status ? "ended with " + std::to_string(*status) : std::string("did not end");
  if (!csv) fail(name, "the experiment " + ended, scratch.path());
  ClockRows rows{.csv = *csv};
  if (status.value_or(0) != 0) {
    rows.warning = name + " " + ended + " after all its rows were written";
  }
  return rows;
}

std::vector<std::uint32_t> ClockRun::ranks() const {
  std::vector<std::uint32_t> all;
  for (const ClockPlace& place : places) all.push_back(place.ranks);
  return all;
}

ClockRun prepare_clocks(const ClockOrder& order) {
  const launch::Profile profile = launch::find_profile(order.library);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  ClockRun run{.library = profile.name,
               .library_version = profile.short_version,
               .spec = order.spec,
               .finalize_grace = finalize_grace()};
  std::vector<std::uint32_t> numbers = order.ranks;
  if (numbers.empty() && order.over_ranks) numbers = usual_numbers(order.hosts, cores.size());
  if (numbers.empty()) numbers.push_back(usual_ranks(order.hosts, cores.size()));
  // A template of the user's may put the ranks on other hosts.
  const bool own_cores = profile.launch_template.empty();
  base::Faults faults;
  for (const std::uint32_t ranks : numbers) {
    base::collect(faults, [&] {
      if (own_cores && order.hosts.empty()) check_cores(ranks, cores.size());
      run.places.push_back(place_of(ranks, order.hosts, cores.size(), order.over_ranks));
    });
  }
  base::collect(faults, [&] { run.spec.pinning = pinning_of(order, profile); });
  faults.throw_if_any();
  std::uint32_t each = 0;
  for (const ClockPlace& place : run.places) each = std::max(each, ranks_on_each(place));
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
  const ClockPlace& largest = largest_place(run.places);
  for (const design::Host& host : largest.hosts) run.hosts.push_back(host.name);
  // Where a template puts them without being told, only the ranks know.
  if (own_cores || !run.hosts.empty()) run.ranks_per_host = ranks_on_each(run.places);
  check_hosts(profile, largest);
  if (own_cores && run.spec.pinning == "core" && some_are_here(largest.hosts)) {
    run.claims = claim_cpus(run.spec.cpus, "clocks");
  }
  run.engine = std::make_shared<const launch::EngineUse>(profile.engine);
  return run;
}

std::vector<store::FailedClockLaunch> run_clocks(const ClockRun& run,
                                                 const ClockListener& listener) {
  return run_clocks(run, listener, [&](const ClockPlace& place, const record::ClockSpec& spec) {
    return launch_rows(run, place, spec, listener);
  });
}

}  // namespace invar::driver
