#include "launch/algorithms/probe_launch.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "launch/start/launcher.hpp"
#include "launch/systems/system.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{10};
// MPICH 4.0 over UCX and TCP may not return from MPI_Finalize.
constexpr std::chrono::seconds kEndGrace{10};

bool starts_elsewhere(const ProbePlace& place) {
  return !place.profile.launch_template.empty() || launch_system(place.launcher).elsewhere;
}

// What it said last: a library's own words are in there.
std::string last_words(const ProbeDir& dir) {
  constexpr std::size_t kLongest = 400;
  const std::string said = dir.read("stderr") + dir.read("stdout");
  const std::string_view trimmed = base::trim(said);
  return std::string(trimmed.substr(0, std::min(kLongest, trimmed.size())));
}

}  // namespace

ProbeDir::ProbeDir(const ProbePlace& place) : elsewhere_(starts_elsewhere(place)) {
  path_ = elsewhere_ ? place.profile.engine.parent_path() / scratch_.path().filename()
                     : scratch_.path();
  if (elsewhere_) make_directories(path_);
}

ProbeDir::~ProbeDir() {
  std::error_code ignored;
  if (elsewhere_) fs::remove_all(path_, ignored);
}

std::string ProbeDir::read(std::string_view name) const {
  return base::read_file((path_ / name).string()).value_or("");
}

std::string run_watched(const ProbePlace& place, const ProbeDir& dir, const std::string& mode,
                        std::uint32_t ranks, const std::vector<record::Try>& tries,
                        const Watch& watch) {
  write_atomically(dir.path() / record::kTriesFile, record::tries_csv(tries));
  StartOptions options;
  options.ranks = ranks;
  options.launcher = place.launcher;
  options.oversubscribe = core_cpus().size() < ranks || launch_system(place.launcher).elsewhere;
  options.environment = place.environment;
  options.arguments = {mode, dir.path().string()};
  options.dir = dir.path();
  Process process = start(place.profile, options);
  std::uint64_t reached = 0;
  auto moved = std::chrono::steady_clock::now();
  bool whole = false;
  std::optional<int> status;
  while (!status) {
    status = process.wait(kLook);
    const auto now = std::chrono::steady_clock::now();
    std::error_code error;
    const std::uintmax_t size = fs::file_size(dir.path() / watch.file, error);
    if (!error && size != reached) {
      reached = size;
      moved = now;
      whole = watch.is_whole && watch.is_whole(dir.read(watch.file));
    }
    if (status || now - moved <= (whole ? kEndGrace : watch.patience)) continue;
    process.kill();
    return whole ? "" : "hung: nothing came for " + std::to_string(watch.patience.count()) + " s";
  }
  if (*status == 0) return {};
  const std::string words = last_words(dir);
  return "exit status " + std::to_string(*status) + (words.empty() ? "" : ": " + words);
}

}  // namespace invar::launch
