// An experiment with clocks that is kept: clocks.spec, clocks.csv, and a manifest (with its copy)
// that begins with a line of type "clocks", names both files with their checksums, and is sealed by
// its last line (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/lock.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/reader.hpp"

namespace invar::store {

constexpr std::string_view kClockSpec = "clocks.spec";
constexpr std::string_view kClockRows = "clocks.csv";

// The first line: what was measured, on what, and by which command.
struct ClockHead {
  std::string experiment = {};            // "drift"
  std::string library = {};               // name of the profile; empty: simulated
  std::string library_version = {};       // "4.1.4"
  std::string network = {};               // of a simulation
  std::vector<std::uint32_t> ranks = {};  // several where the experiment goes over them
  // None: not the same for all of these, or not known, because a launch template puts them
  // somewhere. Earlier versions wrote 1 for every experiment on a library.
  std::optional<std::uint32_t> ranks_per_host = {};
  std::string host = {};                // that invar ran on
  std::vector<std::string> hosts = {};  // of the ranks, as they were asked for; none: `host`
  std::string command = {};             // that does the same again
  // What it ran on, by names as those of env.json ("processor.model"); empty in directories of
  // earlier versions.
  std::map<std::string, std::string> machine = {};

  bool operator==(const ClockHead&) const = default;
};

// A launch whose rows are not there.
struct FailedClockLaunch {
  std::uint32_t launch = 0;  // from 1
  std::uint32_t ranks = 0;
  std::string what = {};

  bool operator==(const FailedClockLaunch&) const = default;
};

// "launch 3 (2 ranks): it did not end"
std::string failed_text(const FailedClockLaunch& failed);

struct ClockData {
  std::filesystem::path dir = {};  // empty: not kept
  ClockHead head = {};
  std::string made_by = {};  // "0.1.0 (commit 1a2b3c4d5e6f)"; empty: not kept
  std::string spec = {};     // text of clocks.spec
  std::string rows = {};     // text of clocks.csv
  std::vector<FailedClockLaunch> failed = {};
};

// The directory of an experiment that is under way. Until it is sealed the directory says that it
// is not finished; where nothing comes of the measurement it is taken away again.
class ClockDir {
 public:
  // Throws UserError as CampaignDir::create() does.
  static ClockDir create(const std::filesystem::path& dir, const ClockHead& head,
                         const std::string& spec);
  ClockDir(ClockDir&& other) noexcept
      : dir_(std::exchange(other.dir_, {})),
        lock_(std::move(other.lock_)),
        rows_(std::move(other.rows_)) {}
  ClockDir& operator=(ClockDir&&) = delete;
  ClockDir(const ClockDir&) = delete;
  ClockDir& operator=(const ClockDir&) = delete;
  ~ClockDir();

  // Rows of a launch, behind those that are there. Throws CommandError (kMeasurementFailed) if they
  // cannot be written; the directory stays then.
  void add(const std::string& rows);
  void seal(const std::vector<FailedClockLaunch>& failed = {});

 private:
  ClockDir(std::filesystem::path dir, Lock lock) : dir_(std::move(dir)), lock_(std::move(lock)) {}

  template <typename Write>
  void keep_what_was_measured(Write write);

  std::filesystem::path dir_;  // empty: sealed, moved from, or to be left as it is
  Lock lock_;
  std::string rows_ = {};  // so far
};

// Its lines, each without the line feed.
std::string clocks_line(std::uint64_t number, const ClockHead& head);
std::string clock_file_line(std::uint64_t number, std::string_view name, std::string_view text);
std::string clock_failed_line(std::uint64_t number, const FailedClockLaunch& failed);
std::string clock_end_line(std::uint64_t number);

// True if the directory's manifest is that of an experiment with clocks.
bool is_clock_dir(const std::filesystem::path& dir);
bool is_of_clocks(const ManifestText& manifest);

// Throws UserError for a newer format, CommandError with every place for damage (kDamaged), and for
// what is not finished (kIncomplete).
ClockData read_clock_dir(const std::filesystem::path& dir);

// What to do with a directory that is damaged or not finished: to wait while somebody measures.
std::string clock_remedy(const std::filesystem::path& dir);

// Checks every byte. Throws UserError for a newer format.
Verification verify_clock_dir(const std::filesystem::path& dir);

}  // namespace invar::store
