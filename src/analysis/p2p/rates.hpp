// Rates follow from a time and its interval, and are no means of anything: the ends of the interval
// change places (docs/methods.md, "Rates").
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/compare/comparison.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"
#include "stats/types.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct Rate {
  double value = 0;
  std::optional<stats::Interval> interval = {};

  bool operator==(const Rate&) const = default;
};

// GB/s, of 10^9 bytes; none where the time is not above 0. Of an interval that reaches 0 or below
// the high end is unknown: then there is none.
std::optional<Rate> bandwidth_gb_s(const TimeEstimate& time, double bytes);
// In a second, likewise.
std::optional<Rate> messages_per_s(const TimeEstimate& time, double messages);

// Messages of all pairs and windows of a call. Both directions count where both are in its time
// (OperationInfo::both_ways). With partners every direction is a pair. 0: it sends no messages of
// its own.
std::uint64_t messages_of_call(const record::Cell& cell, const record::OperationInfo& info);
// Bytes of these messages. Gaps of a datatype do not count.
double bytes_of_call(const record::Cell& cell, const record::OperationInfo& info);
// Bytes of one pair's window in a call. Both directions count where both are in the time.
double bytes_of_pair(const record::Cell& cell, const record::OperationInfo& info);

// What a rate of the cell counts (docs/methods.md, "GB/s"): of messages between single ranks all
// bytes that a call moves, in the time of a pair those of the pair; of a walk over memory those
// that a rank's pass names; of any other operation the cell's size. None: no byte, or times in
// which none need come (OperationInfo::overheads).
std::optional<double> moved_bytes(const record::Cell& cell, const record::OperationInfo& info,
                                  bool time_of_pair);
// Likewise of an arm. Also none: it is a program, and nobody described the operation, so that what
// moves in the time that it prints (of osu_bw a whole window) is not known.
std::optional<double> moved_bytes(const store::Data& data, std::uint32_t arm,
                                  const record::Cell& cell, bool time_of_pair);

}  // namespace invar::analysis
