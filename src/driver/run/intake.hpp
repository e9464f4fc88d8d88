// What becomes of a group that was run: its launches are sealed, or it has failed; its journals say
// what else failed, and how long things take.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/prepare/prepare.hpp"
#include "driver/run/group.hpp"
#include "driver/run/telling.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// What the visits of this driver's groups were like.
struct Seen {
  std::map<std::uint32_t, double> longest_s = {};  // visits, by Cell::id
  double longest_run_s = 0;                        // of a foreign program
  std::uint64_t late = 0;
  std::uint64_t repetitions = 0;  // with late ones and those that were too far apart
  std::vector<double> canary_ns = {};
  std::vector<double> chain_ns = {};
};

class Intake {
 public:
  // Refers to all three.
  Intake(const Prepared& prepared, store::CampaignDir& dir, Telling& telling);

  // Counts tries over all drivers, from 1.
  std::uint32_t next_attempt(std::uint32_t group) { return ++tries_[group]; }

  // True if the group is complete and sealed. Throws CommandError if the campaign cannot be written
  // any more: going on would only lose more.
  bool take(std::uint32_t group, const GroupResult& result);

  [[nodiscard]] const Seen& seen() const { return seen_; }
  using DecidedLoops = std::map<std::pair<std::uint32_t, std::string>, std::uint32_t>;  // cell, arm
  // Passes of loops = "auto": what the first sealed launch of each arm found, so that all others of
  // it measure the same.
  [[nodiscard]] const DecidedLoops& decided_loops() const { return decided_loops_; }

 private:
  void fail_group(std::uint32_t group, const std::string& reason, const std::string& arm,
                  const GroupResult& result);
  void expel(std::span<const std::uint32_t> cells, const std::string& arm,
             const std::string& reason);
  [[noreturn]] void stop(std::uint32_t group, const std::string& what, const std::string& reason);
  void take_journal(const store::Journal& journal, const std::string& arm);
  void take_loops(const store::Journal& journal, const std::string& arm);
  void take_earlier_loops();
  void take_runs(const store::Journal& journal, const std::string& arm);
  void drop_if_nothing_left(const std::string& arm);
  void drop(const std::string& arm, const std::string& why);
  [[nodiscard]] std::string cell_text(std::uint32_t cell) const;

  const Prepared& prepared_;
  store::CampaignDir& dir_;
  Telling& telling_;
  std::map<std::uint32_t, std::uint32_t> tries_ = {};  // by group
  // Groups by arm, but for those that were whole when they were measured again.
  std::map<std::string, std::set<std::uint32_t>> failures_ = {};
  std::map<std::pair<std::uint32_t, std::string>, int> missed_ = {};  // runs in a row: cell, arm
  std::set<std::string> gave_times_ = {};                             // programs
  Seen seen_ = {};
  DecidedLoops decided_loops_ = {};
};

// "what is sealed is safe; mend that, then go on with: invar run --resume -o DIR"
std::string how_to_go_on(const store::CampaignDir& dir);

}  // namespace invar::driver
