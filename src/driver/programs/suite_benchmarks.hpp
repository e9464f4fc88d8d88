// Which of our operations a benchmark of IMB or OSU is, and what its table says of a call of ours.
// They print half a round trip of a ping-pong, and rates instead of times where they send many
// messages in a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/program.hpp"
#include "record/cell.hpp"

namespace invar::driver {

// What the number is that stands in a table.
enum class Quantity : std::uint8_t {
  kTime,           // of a call
  kHalfRoundTrip,  // half of it
  kMegabytesPerS,  // of 10^6 bytes: all bytes of a call over its time
  kMessagesPerS,   // likewise
};

struct SuiteBenchmark {
  design::ParseRule::Kind suite;
  std::string_view name;  // as the table's heading has it
  std::string_view operation;
  // kMegabytesPerS: a rate of windows, which IMB prints as kMessagesPerS, too.
  Quantity printed = Quantity::kHalfRoundTrip;
  bool both_ways = false;

  [[nodiscard]] bool rate() const { return printed == Quantity::kMegabytesPerS; }
};

// Null: the table is none of them.
const SuiteBenchmark* suite_benchmark(design::ParseRule::Kind suite, std::string_view name);

// "PingPong, PingPongSpecificSource or ...": those that are this operation; empty: the suite's
// tables of it, if there are any, are taken as they stand.
std::string benchmarks_of_operation(design::ParseRule::Kind suite, std::string_view operation);

// The heading of an OSU table without what varies: "Latency Test" of "OSU MPI-CUDA Latency Test
// v7.5". Empty: it is none.
std::string osu_benchmark(std::string_view heading);

// Messages in a row as IMB's own output says that it was called ("-window_size 64"), the suite's
// own number where the call does not say it. Nothing: the output does not tell how it was called.
std::optional<std::uint32_t> imb_window(std::string_view output);

// How a printed number becomes the time of a call.
struct Conversion {
  double unit_ns = 0;          // the time is the number times this, or
  bool inverse = false;        // this over the number
  std::string words = {};      // "half a round trip, times 2"; empty: nothing is converted
  std::string complaint = {};  // why there can be no time
};

// `window`: messages in a row that the benchmark sent; 0: not known. A benchmark of windows counts
// all messages of all its pairs: IMB has as many as half of the cell's ranks, OSU one.
Conversion conversion_of(const SuiteBenchmark& benchmark, Quantity quantity,
                         const record::Cell& cell, std::uint32_t window);

}  // namespace invar::driver
