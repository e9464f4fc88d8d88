// From ticks on every rank to records on disk, outside the blocks. Rank 0 of the arm writes; the
// others take part in the reductions.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clock/calibration.hpp"
#include "engine/host.hpp"
#include "engine/segment.hpp"
#include "record/journal.hpp"
#include "record/plan.hpp"
#include "record/timing.hpp"

namespace invar::engine {

// An append-only file with the CRC of all that was written. Throws std::runtime_error with the
// system's reason (full disk, ...).
class RecordFile {
 public:
  explicit RecordFile(const std::string& path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  void append(const void* bytes, std::size_t size);
  void sync();  // to the disk
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

// How a launch's ticks become times.
struct TimeBase {
  clock::Bracket first = {};      // at the launch's begin; the base line of every rate
  std::int64_t origin_ticks = 0;  // the group's time 0
  bool global_valid = true;       // all ranks read the same clock
  std::int64_t uncertainty_ticks = 0;
};

class Recorder {
 public:
  // `comm`: all ranks of the arm; `dir` is used on rank 0 only. `flags` go on every record.
  // `rank_hosts`: name of every rank's host, on rank 0.
  Recorder(MPI_Comm comm, const Hosts& hosts, std::vector<std::string> rank_hosts,
           const std::string& dir, bool per_rank, TimeBase time_base, std::uint16_t flags);

  // Collective: reduces the segment, appends records and journal lines, clears it. `now` is this
  // moment's bracket (rank 0's is used).
  void flush(Segment& segment, const record::Plan& plan, const clock::Bracket& now);
  // Collective only in that rank 0 writes it.
  void failure(const record::FailureLine& line);
  // Rank 0 writes clock.csv and the end line; `env_crc` is that of env.json.
  void finish(const clock::Bracket& now, std::uint32_t env_crc);

 private:
  struct Reduced;
  void reduce(const Segment& segment, Reduced& reduced) const;
  void write_visits(const Segment& segment, const record::Plan& plan, const Reduced& reduced,
                    const clock::Rate& rate);
  void write_line(const std::string& line);
  void report_error(std::uint64_t coded_error, const record::PlanRow& row);

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  Hosts hosts_;
  std::vector<std::string> rank_hosts_;
  bool per_rank_;
  TimeBase time_base_;
  std::uint16_t flags_;
  std::string dir_;
  std::unique_ptr<RecordFile> timings_ = {};
  std::unique_ptr<RecordFile> rank_ticks_ = {};
  std::unique_ptr<RecordFile> journal_ = {};
  std::vector<std::pair<clock::Bracket, clock::Rate>> epochs_ = {};
};

}  // namespace invar::engine
