// What was measured of a network, as a simulator needs it: lines over the message size, thresholds,
// bandwidths. Nanoseconds and bytes; a GB/s is 1e9 bytes a second, and so a byte a nanosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::platform {

// The largest message of one call: simulators hold sizes in an int.
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 31U) - 1;

// A part of a piece's noise: a time is the line's, times `factor`, times e^(log_sd z), z normal.
struct NoisePart {
  double share = 1;   // in (0, 1], all together 1
  double factor = 1;  // above 0
  double log_sd = 0;  // 0 or more
  bool operator==(const NoisePart&) const = default;
};

// A piece: of sizes above `from_bytes` up to the next piece's, intercept + slope x size. The first
// one begins at 0, and holds for messages of 0 bytes as well. A break lies between the last size
// before it and the first one behind it: `from_bytes` is the last size before.
struct Line {
  double from_bytes = 0;    // a whole number
  double intercept_ns = 0;  // may be negative where the line is not, within its sizes
  double slope_ns = 0;      // a byte
  // Where there is any, its median is taken for the line, whatever the parts' factors are: lines
  // are of medians.
  std::vector<NoisePart> noise = {};
  bool operator==(const Line&) const = default;
};

// What now and then takes the processor away from a message: a time of its own, whatever the size.
struct Interruptions {
  double share = 0;        // of messages, 0 to 1
  double duration_ns = 0;  // by which such a message takes longer; above 0 where there are any
  bool operator==(const Interruptions&) const = default;
};

// Whom the pairs were that were measured.
enum class PairsAre : std::uint8_t {
  kBetweenHosts,  // flows of a host share its link
  kInsideHost,    // flows of all pairs share the host's memory
};

struct PlatformModel {
  // Half a ping-pong's round trip; MPI_Send, MPI_Isend and MPI_Recv themselves. Where a late
  // receive contains the transfer (from async_bytes on) what MPI_Recv costs cannot be seen: give
  // the pieces that were, the last one holds on.
  std::vector<Line> half_round_trip = {};
  std::vector<Line> send = {};
  std::vector<Line> isend = {};
  std::vector<Line> receive = {};
  Interruptions interruptions = {};  // beside the lines' noise
  // The smallest size whose MPI_Send waits for a late receiver, and the smallest one whose late
  // receive contains the transfer; async is never above detached. None: no size does.
  std::optional<std::uint64_t> detached_bytes = {};
  std::optional<std::uint64_t> async_bytes = {};
  double latency_ns = 0;           // of a route, above 0
  double pair_bandwidth_gb_s = 0;  // what one pair reaches, above 0
  // What several pairs reach together. None: not measured, and taken for what one pair reaches.
  std::optional<double> shared_bandwidth_gb_s = {};
  PairsAre pairs_are = PairsAre::kBetweenHosts;
  std::optional<double> wtime_ns = {};  // of a call, above 0
  std::optional<double> test_ns = {};
  std::optional<double> iprobe_ns = {};
  std::string selector = {};  // ompi, mpich, mvapich2, impi; empty: SimGrid's own collectives
  bool operator==(const PlatformModel&) const = default;
};

// The piece that holds for this size; `lines` is not empty and in order.
const Line& line_at(const std::vector<Line>& lines, std::uint64_t size_bytes);
// The time that this piece gives, without noise.
double line_ns(const std::vector<Line>& lines, std::uint64_t size_bytes);

// Throws UserError with every fault at once, each with its place ("half round trip, piece 3"): an
// operation without pieces, pieces out of order, no whole numbers or at 2^31 and more, numbers that
// are none, lines below 0 somewhere between their ends, thresholds, bandwidths, costs, noise.
// `name`, where it is not empty, stands in front of each place.
void check_model(const PlatformModel& model, std::string_view name = {});

// The share of the mean half round trip of this size that interruptions are.
double interrupted_share(const PlatformModel& model, std::uint64_t size_bytes);
// Where that is more than a twentieth, how much and up to which size (powers of two are looked at):
// a sentence. Empty: nowhere.
std::string interruptions_warning(const PlatformModel& model);

// What a platform of this model has that nobody measured: sentences.
std::vector<std::string> unmeasured(const PlatformModel& model);

}  // namespace invar::platform
