// An experiment with clocks that is kept: clocks.spec, clocks.csv, and a manifest (with its copy)
// that begins with a line of type "clocks", names both files with their checksums, and is sealed by
// its last line (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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
  std::uint32_t ranks_per_host = 1;
  std::string host = {};
  std::string command = {};  // that does the same again
  // What it ran on, by names as those of env.json ("processor.model"); empty in directories of
  // earlier versions.
  std::map<std::string, std::string> machine = {};

  bool operator==(const ClockHead&) const = default;
};

struct ClockData {
  std::filesystem::path dir = {};  // empty: not kept
  ClockHead head = {};
  std::string made_by = {};  // "0.1.0 (commit 1a2b3c4d5e6f)"; empty: not kept
  std::string spec = {};     // text of clocks.spec
  std::string rows = {};     // text of clocks.csv
};

// The directory of an experiment that is under way. Until it is sealed the directory says that it
// is not finished; where measuring fails it is taken away again.
class ClockDir {
 public:
  // Throws UserError as CampaignDir::create() does.
  static ClockDir create(const std::filesystem::path& dir, const ClockHead& head,
                         const std::string& spec);
  ClockDir(ClockDir&& other) noexcept
      : dir_(std::exchange(other.dir_, {})), lock_(std::move(other.lock_)) {}
  ClockDir& operator=(ClockDir&&) = delete;
  ClockDir(const ClockDir&) = delete;
  ClockDir& operator=(const ClockDir&) = delete;
  ~ClockDir();

  void seal(const std::string& rows);

 private:
  ClockDir(std::filesystem::path dir, Lock lock) : dir_(std::move(dir)), lock_(std::move(lock)) {}

  std::filesystem::path dir_;  // empty: sealed, or moved from
  Lock lock_;
};

// Its lines, each without the line feed.
std::string clocks_line(std::uint64_t number, const ClockHead& head);
std::string clock_file_line(std::uint64_t number, std::string_view name, std::string_view text);
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
