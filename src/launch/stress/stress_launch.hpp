// A launch that looks at every byte, from its start to what came of it: it may find faults, crash,
// or never end, and all of these are answers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/process/command.hpp"
#include "launch/process/files.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_order.hpp"

namespace invar::launch {

// Where it runs and with what.
struct StressPlace {
  const Profile& profile;
  Environment environment = {};          // the arm's settings
  std::vector<design::Host> hosts = {};  // none: this one
};

struct StressOutcome {
  record::StressCounts counts = {};
  // Those with which something went wrong before what followed from it.
  std::vector<record::StressFault> faults = {};
  bool interrupted = false;  // by the user: nothing is said of the time that was left
  bool lingered = false;     // all was done, and the launch had to be ended all the same
};

// Counts as they are, about once a second; true: end it.
using StressLook = std::function<bool(const record::StressCounts&)>;

// Where ranks find their order and leave what they have found, for those who do not keep it: gone
// at the end. Beside the engine where ranks may start on another host, which sees that folder.
class StressDir {
 public:
  explicit StressDir(const StressPlace& place);
  StressDir(const StressDir&) = delete;
  StressDir& operator=(const StressDir&) = delete;
  ~StressDir();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  ScratchDir scratch_ = {};
  std::filesystem::path path_;
  bool elsewhere_;
};

// Runs it in `dir`, which is there, empty, and seen by all hosts; the files stay there, and all
// faults in one more, faults.jsonl. Throws UserError only if nothing can be started at all.
StressOutcome run_stress(const StressPlace& place, const std::filesystem::path& dir,
                         const record::StressOrder& order, const StressLook& look);

constexpr std::string_view kAllStressFaults = "faults.jsonl";

// The last whole line that has them; zeros if there is none.
record::StressCounts read_stress_counts(std::string_view text);
// Lines that are cut off, or are no faults, are left out.
std::vector<record::StressFault> read_stress_faults(std::string_view text);
// A run ends before its time where somebody has found a fault. If nobody has (these are then all
// that is known of it), ranks took something else for that: not a run in which all was right.
std::optional<record::StressFault> fault_of_early_end(const record::StressCounts& counts,
                                                      double asked_s);
// In which order they are told: first what is wrong with data, by number, then what ranks waited
// for, which follows from something else more often than not.
void sort_stress_faults(std::vector<record::StressFault>& faults);

// Where the library changes its ways, as its control variables tell (eager limits, sizes of
// fragments), with the arm's own settings: these sizes, and those that a header of up to 80 bytes
// leaves of them. Up to `largest_bytes`, ascending.
std::vector<std::uint64_t> limits_of(const Profile& profile, const Environment& environment,
                                     std::uint64_t largest_bytes);

}  // namespace invar::launch
