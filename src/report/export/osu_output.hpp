// `export --to osu`: what osu_allreduce and its sisters print with -f, and osu_latency, osu_bw and
// osu_bibw without it, so that what reads their output can go on reading ours.
#pragma once

#include <string>
#include <vector>

#include "analysis/suites/show_as.hpp"

namespace invar::report {

// The output of one of OSU's programs.
struct OsuOutput {
  std::string name = {};  // "osu_allreduce-openmpi": for a file
  std::string text = {};
};

// Has what a line of OSU's output needs: average, least and largest of the ranks, of messages
// between single ranks the average. A foreign program prints one number, whose rank nobody knows,
// and no bytes have no rate.
bool has_osu_numbers(const analysis::SuiteReport& report);

// One an operation, arm, and level of every other factor that varies, sizes ascending. `shown`: of
// the suite "osu" alone, rows without its numbers are left out. Times are medians over launches, in
// us.
std::vector<OsuOutput> osu_outputs(const analysis::ShownAs& shown);

}  // namespace invar::report
