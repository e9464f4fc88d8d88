// What SimGrid's own calibration (platform-calibration) leaves in a folder: PREFIX_PingPong.csv and
// its like, without a header, `operation,size,start,duration` a line, times in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::platform {

// One call.
struct CalibrationCall {
  std::uint64_t size_bytes = 0;
  double start_s = 0;     // since the program began
  double duration_s = 0;  // above 0
  int line = 0;           // of its file
};

// MPI_Send and the MPI_Recv behind it: two lines of the file, and together a round trip.
struct CalibrationExchange {
  std::uint64_t size_bytes = 0;
  double start_s = 0;
  double send_s = 0;
  double receive_s = 0;
  int line = 0;  // of the first one
};

// A row of the file of break points, which somebody wrote by hand.
struct CalibrationBreak {
  std::uint64_t first_bytes = 0;  // the first size behind it, above 0, ascending
  std::string name = {};          // of the piece below it: Small, Medium, Asynchronous, Detached
};

// In the order in which the calls were made.
struct Calibration {
  std::string prefix = {};  // of the files' names
  std::vector<CalibrationExchange> ping_pong = {};
  std::vector<CalibrationCall> isend = {};
  std::vector<CalibrationCall> receive = {};  // of messages that have arrived
  std::vector<CalibrationCall> test = {};     // empty: there is no such file
  std::vector<CalibrationCall> iprobe = {};
  std::optional<double> wtime_s = {};  // of a call: the file has the time of ten million of them
  std::vector<CalibrationBreak> breaks = {};
};

// Reads a folder. PingPong, Isend and Recv must be there once, Test, Iprobe, Wtime and a file whose
// name has "breakpoints" in it may be. Throws UserError with every fault (of one file the first 20,
// and how many more): files of different prefixes; and each with file, line and column: fields too
// few or too many, another operation's line, sizes that are no whole number below 2^31, times that
// are no number, negative or out of order, a PingPong without its second line, break points out of
// order.
Calibration read_calibration(const std::string& folder);
// Whether somebody left ping-pongs of a calibration there.
bool is_calibration(const std::string& folder);

// The calls of one file's text; `operation` is what each line begins with ("MPI_Isend").
std::vector<CalibrationCall> parse_calibration_calls(std::string_view text,
                                                     std::string_view operation,
                                                     const std::string& place);
std::vector<CalibrationExchange> parse_calibration_ping_pong(std::string_view text,
                                                             const std::string& place);
std::vector<CalibrationBreak> parse_calibration_breaks(std::string_view text,
                                                       const std::string& place);

}  // namespace invar::platform
