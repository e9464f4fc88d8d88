// The one time that a foreign program printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "design/campaign/program.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::driver {

struct PrintedTime {
  std::int64_t time_ps = 0;  // above 0, unless there is a complaint
  // What the last printed digit is worth: "0.95" us has steps of 10 ns.
  double step_ns = 0;
  // The line in which imb or osu says what it is. Empty: there is none.
  std::string heading = {};
  // What was done to the printed number so that it is the time of a call of ours; empty: nothing.
  std::string converted = {};
  std::string complaint = {};  // why there is no time; empty: there is one
};

// imb: the row of the cell's size (without one: the only row) in the tables whose number of
// processes is the cell's, where they tell it; t_avg[usec], or t[usec] where a benchmark has only
// that. osu: the row of the size, its average latency. Of an operation of ours that some of their
// benchmarks are (suite_benchmarks.hpp) only the tables of these count, and what they print is
// converted. A pattern is looked for in each line; where it finds a rate, the time is that in which
// the call's bytes have passed (design::bytes_of_pass()). No time: none found, several found, not
// finite, not above 0, a line too long for a pattern, another benchmark's table.
PrintedTime read_time(const design::ParseRule& rule, const record::Cell& cell,
                      const record::OperationInfo& operation, std::string_view output);

// "line | line | line" of the last lines that hold anything, shortened: for messages.
std::string last_lines(std::string_view output, std::string_view errors = {});

}  // namespace invar::driver
