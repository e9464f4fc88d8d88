// From ticks on every rank to records on disk, outside the blocks. Rank 0 of the arm writes; the
// others take part in the reductions.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "clock/calibration.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/global_clock.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/segment.hpp"
#include "engine/launch/team.hpp"
#include "group/steps.hpp"
#include "record/journal.hpp"
#include "record/plan.hpp"
#include "record/record_file.hpp"
#include "record/timing.hpp"

namespace invar::engine {

using record::RecordFile;

class Recorder {
 public:
  // `comm`: all ranks of the arm; `dir` is used on rank 0 only. `limits`: of the launch's visits.
  // `flags` go on every record.
  // `marks`: some operation has marks. `rank_hosts`: name of every rank's host, on rank 0. `clocks`
  // and `global_clocks` outlive this.
  Recorder(MPI_Comm comm, const Hosts& hosts, std::vector<std::string> rank_hosts,
           const std::string& dir, bool per_rank, bool marks, const Clocks& clocks,
           GlobalClocks& global_clocks, const group::StepLimits& limits, std::uint16_t flags);

  using TeamOf = std::function<const Team&(const record::PlanRow&)>;
  // Collective: looks at the clocks of hosts, reduces the segment, appends records and journal
  // lines, clears it. Ranks that took no part in a visit have a note of it without repetitions.
  // `team_of(row)` is the visit's team.
  void flush(Segment& segment, const record::Plan& plan, const TeamOf& team_of);
  // Collective only in that rank 0 writes it.
  void failure(const record::FailureLine& line);
  // Rank 0 writes clock.csv and the end line; `env_crc` is that of env.json.
  void finish(std::uint32_t env_crc);

 private:
  using Rates = std::array<clock::Rate, group::kClocks>;
  struct Reduced;
  struct Epoch {
    clock::Source source;
    clock::Bracket bracket;
    clock::Rate rate;
  };
  void reduce(const Segment& segment, const record::Plan& plan, const TeamOf& team_of,
              Reduced& reduced) const;
  // Rates of all clocks in use, from the launch's start to now.
  Rates note_epoch();
  // Collective: rank 0's rates, and those by which this rank's ticks become times. Ranks that read
  // rank 0's counter have its rate as rank 0 has measured it, so that for them the same ticks are
  // the same time.
  void measure_rates(Reduced& reduced);
  void reduce_facts(const Segment& segment, const record::Plan& plan, const TeamOf& team_of,
                    Reduced& reduced) const;
  // Collective: who was late or lost most often.
  void find_late_ranks(const Segment& segment, Reduced& reduced) const;
  // Clocks that the ranks of a team read; `ranks`: each its own.
  [[nodiscard]] static std::size_t domains_of(const Team& team, bool ranks);
  // uncertainty_sigmas(): integrated once for each number of domains, and not for every visit.
  double sigmas_of(std::size_t domains);
  void gather_marks(const Segment& segment, Reduced& reduced) const;
  // A visit as rank 0 tells of it, whoever took part; without ticks, which are somebody else's.
  [[nodiscard]] VisitNote told(const VisitNote& note, std::size_t index,
                               const Reduced& reduced) const;
  void write_marks(const VisitNote& note, std::size_t first_mark, const record::PlanRow& row,
                   const Team& team, const Reduced& reduced, record::VisitLine& line);
  void write_visit(const VisitNote& note, std::size_t index, std::size_t first,
                   std::size_t first_mark, const record::PlanRow& row, const Team& team,
                   const Reduced& reduced);
  void write_line(const std::string& line);
  void report_error(std::uint64_t coded_error, const record::PlanRow& row);

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  Hosts hosts_;
  std::vector<std::string> rank_hosts_;
  bool per_rank_;
  const Clocks& clocks_;
  GlobalClocks& global_clocks_;
  group::StepLimits limits_;
  std::uint16_t flags_;
  std::string dir_;
  std::unique_ptr<RecordFile> timings_ = {};
  std::unique_ptr<RecordFile> rank_ticks_ = {};
  std::unique_ptr<RecordFile> marks_ = {};  // where some operation has them
  std::unique_ptr<RecordFile> journal_ = {};
  std::unique_ptr<RecordFile> clock_sync_ = {};  // where there are global clocks
  std::vector<Epoch> epochs_ = {};
  std::map<std::size_t, double> sigmas_ = {};
  std::vector<std::string> lines_ = {};  // of the segment, written after its data
};

}  // namespace invar::engine
