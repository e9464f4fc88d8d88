// What a user sees while a campaign runs: one line that renews itself on a terminal, a line per
// group in a job's log. On stderr.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/canary_band.hpp"

namespace invar::driver {

class Progress {
 public:
  // `part`: what of a larger undertaking this campaign is ("repeat 3 of 10, osu"). Groups of a part
  // are told by the renewed line alone, which is gone at its end; a log gets what is said.
  explicit Progress(std::string part = {});

  struct Now {
    std::uint32_t done = 0;                     // groups
    std::optional<std::uint32_t> planned = {};  // none: not decided yet
    std::uint32_t at_least = 0;
    double elapsed_s = 0;
    double group_s = 0;  // typical wall time of a group; 0: not known
    double late_share = 0;
    std::vector<double> canary_ns = {};                 // of the visits so far
    base::CanaryKind canary = base::CanaryKind::kLine;  // what these are
    std::string regimes = {};                           // "one regime"; empty: not known
  };
  void show(const Now& now);
  // After a decision, not after a group: a log has its line already.
  void renew(const Now& now);
  // A line of its own, above the renewed one.
  void say(const std::string& text);
  void finish();

 private:
  bool terminal_;
  std::string part_;
  std::string line_ = {};
};

// "  group 12 of 38   17 s, about 25 s left   late 0.2 %   canary 268 ns [231, 312], one regime"
std::string progress_line(const Progress::Now& now);

}  // namespace invar::driver
