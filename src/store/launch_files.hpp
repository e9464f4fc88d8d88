// The directory of one launch: its files against their checksums.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record/plan.hpp"
#include "record/timing.hpp"
#include "store/fault.hpp"
#include "store/files.hpp"
#include "store/journal_reader.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::store {

constexpr const char* kTimings = "timings.bin";
constexpr const char* kRanks = "ranks.bin";
constexpr const char* kMarks = "marks.bin";
constexpr const char* kJournal = "journal.jsonl";
constexpr const char* kEnvironment = "env.json";
constexpr const char* kClock = "clock.csv";
constexpr const char* kClockSync = "clock_sync.csv";
constexpr const char* kLaunchSpec = "launch.spec";

struct LaunchFiles {
  Journal journal = {};
  std::shared_ptr<const MappedFile> timings = {};
  std::shared_ptr<const MappedFile> ranks = {};  // null: single ranks were not recorded
  std::shared_ptr<const MappedFile> marks = {};  // null: no operation has marks
  std::string environment = {};                  // env.json
  std::string clock = {};                        // clock.csv
  std::string clock_sync = {};                   // clock_sync.csv
  std::string spec = {};                         // launch.spec
  std::map<std::string, FileSeal> files = {};
  std::uint64_t bytes = 0;  // of all files
  std::vector<DataFault> faults = {};

  [[nodiscard]] std::span<const record::Timing> records() const;
  // The records of one visit; empty if they lie beyond the file (which is a fault).
  [[nodiscard]] std::span<const record::Timing> records(const record::VisitLine& visit) const;
  // The same of single ranks.
  [[nodiscard]] std::span<const record::RankTicks> rank_records(
      const record::VisitLine& visit) const;
  // The same of marks.
  [[nodiscard]] std::span<const record::MarkTicks> mark_records(
      const record::VisitLine& visit) const;
};

// Reads a sealed launch and checks every byte of it once. Faults name the file and, in files of
// records, the visits that do not match.
LaunchFiles read_sealed_launch(const std::filesystem::path& campaign, const LaunchSeal& seal);

// Reads a launch that no manifest line vouches for: the end line, every file that it lists, every
// visit's records, and that the visits are those of the plan (`rows`: the rows of this launch) but
// for cells that failed. No faults: it is whole. `files` has what a seal needs.
LaunchFiles read_unsealed_launch(const std::filesystem::path& campaign, const std::string& dir,
                                 const std::vector<const record::PlanRow*>& rows,
                                 const std::vector<std::uint32_t>& failed_cells);

}  // namespace invar::store
