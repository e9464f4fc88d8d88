#include "driver/clock_run.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/files.hpp"
#include "launch/launcher.hpp"
#include "launch/profile.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

constexpr double kStartS = 120;
// Of one synchronisation: far more than any of them takes.
constexpr double kSynchronisationS = 120;

double limit_s(const record::ClockSpec& spec) {
  double after_s = 0;
  for (const double after : spec.after_s) after_s += after;
  return kStartS + spec.repetitions * static_cast<double>(spec.algorithms.size()) *
                       (kSynchronisationS + after_s);
}

[[noreturn]] void fail(const std::string& library, const std::string& what, const fs::path& dir) {
  std::string said(base::trim(base::read_file((dir / "stderr").string()).value_or("")));
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {{.place = library, .what = what + (said.empty() ? "" : ": " + said)}});
}

}  // namespace

std::vector<ClockError> read_clock_errors(const std::string& csv) {
  std::vector<ClockError> errors;
  constexpr std::size_t kColumns = 7;
  bool header = true;
  for (const std::string_view line : base::split(csv, '\n')) {
    if (std::exchange(header, false) || line.empty()) continue;
    const std::vector<std::string_view> words = base::split(line, ',');
    if (words.size() != kColumns) throw std::invalid_argument("clocks.csv has another format");
    const auto number = [&](std::size_t column) {
      const std::optional<double> value = base::parse_double(words[column]);
      if (!value)
        throw std::invalid_argument("clocks.csv: no number in '" + std::string(line) + "'");
      return *value;
    };
    errors.push_back({.algorithm = std::string(words[0]),
                      .repetition = static_cast<std::uint32_t>(number(1)),
                      .seconds = number(2),
                      .after_s = number(3),
                      .rank = static_cast<std::uint32_t>(number(4)),
                      .error_ns = number(5),
                      .half_width_ns = number(6)});
  }
  return errors;
}

ClockErrors run_clocks(const ClockOrder& order) {
  const launch::Profile profile = launch::find_profile(order.library);
  const std::vector<std::uint32_t> cores = launch::core_cpus();
  ClockErrors result{
      .library = profile.name + " " + profile.short_version,
      .ranks = order.ranks > 0 ? order.ranks : static_cast<std::uint32_t>(cores.size())};
  if (result.ranks < 2) {
    throw base::UserError("--ranks", "a single clock has nothing to agree with",
                          "name two ranks at least");
  }
  record::ClockSpec spec = order.spec;
  // A template of the user's may put the ranks on other hosts.
  const bool own_cores = profile.launch_template.empty() && result.ranks <= cores.size();
  spec.pinning = own_cores ? "core" : "none";
  spec.cpus = cores;
  const launch::ScratchDir scratch;
  // Where ranks of other hosts see it, as a probe does.
  const fs::path dir = profile.launch_template.empty()
                           ? scratch.path()
                           : profile.engine.parent_path() / scratch.path().filename();
  fs::create_directories(dir);
  launch::write_atomically(dir / "clocks.spec", record::clock_spec_text(spec));
  launch::StartOptions options{.ranks = result.ranks,
                               .oversubscribe = result.ranks > cores.size(),
                               .arguments = {"--clocks", dir.string()},
                               .dir = scratch.path()};
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
  result.errors = read_clock_errors(*csv);
  return result;
}

}  // namespace invar::driver
