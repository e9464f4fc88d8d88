// One axis of time over a whole campaign.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analysis/machine/perturbations.hpp"
#include "analysis/study/rules.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Seconds of measuring: launch groups (launches, where those of a group follow each other) one
// behind the other, each from its first visit to its last. What lies between them, starting
// processes and pauses of days, takes no room.
class TimeAxis {
 public:
  TimeAxis(const store::Data& data, Pairing pairing);

  // Turns a time of the journal, in ps since the group's origin (the launch's, where these follow
  // each other), into seconds.
  [[nodiscard]] double seconds(std::uint32_t group, std::uint32_t launch,
                               std::int64_t time_ps) const;
  // Begin and end of a stretch that was found in these data.
  [[nodiscard]] std::pair<double, double> seconds(const Perturbation& stretch) const;
  [[nodiscard]] double end_s() const { return end_s_; }

 private:
  struct Line {
    std::int64_t begin_ps = 0;
    double offset_s = 0;  // of its start
  };
  [[nodiscard]] const Line& line_of(std::uint32_t group, std::uint32_t launch) const;

  bool overlap_ = true;                                                 // launches of a group
  std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines_ = {};  // launch 0: of the group
  double end_s_ = 0;
};

}  // namespace invar::analysis
