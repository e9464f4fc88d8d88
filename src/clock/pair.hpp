// What a series of ping-pongs between two ranks says about their clocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock/model.hpp"

namespace invar::clock {

// One round trip: the initiator sends (L1), the other receives (R2) and answers (R3), the initiator
// receives (L4). L: initiator's clock, R: the other's; picoseconds since an origin of each clock.
struct PingPong {
  std::int64_t local_send_ps = 0;
  std::int64_t remote_receive_ps = 0;
  std::int64_t remote_send_ps = 0;
  std::int64_t local_receive_ps = 0;

  [[nodiscard]] std::int64_t round_trip_ps() const { return local_receive_ps - local_send_ps; }
  // A message arrives after it was sent, so offset = local - remote lies between these two.
  [[nodiscard]] std::int64_t lowest_offset_ps() const { return local_send_ps - remote_receive_ps; }
  [[nodiscard]] std::int64_t highest_offset_ps() const { return local_receive_ps - remote_send_ps; }
};
using PingPongs = std::span<const PingPong>;

// offset = local - remote at the initiator's time at_ps. All functions below throw
// std::invalid_argument where there are too few ping-pongs (1, a fit: 2 at different times).
struct Offset {
  std::int64_t at_ps = 0;
  std::int64_t offset_ps = 0;
};

// Mean round trip without those above 1.5 times the third quartile, in ps (Jones and Koenig 2012 as
// coded for paper 002, algorithm 3).
double mean_round_trip_ps(PingPongs series);
// Median over local - remote - RTT/2 at the answer's arrival (Jones and Koenig); the time is that
// of the median element, so the offset is one that was really observed. remote: the middle of the
// other's two time stamps, because the original has one, between receiving and answering.
Offset median_offset(PingPongs series, double round_trip_ps);
// Middle of the causal bounds of the whole series (SKaMPI; Worsch, Reussner and Augustin 2002), at
// the time between the two ping-pongs that gave them: exact for a constant path, whatever the skew.
Offset bounded_offset(PingPongs series);
// That of the smallest round trip (Netgauge; Hoefler, Schneider and Lumsdaine 2008).
Offset smallest_trip_offset(PingPongs series);

// Ordinary least squares through offsets (Jones and Koenig; paper 002, algorithm 4).
Model least_squares(std::span<const Offset> points);
// A burst of ping-pongs without its ping-pongs: the two that bound the offset best, each with its
// time, so that a skew that becomes known later can still be taken out (deskewed).
struct Burst {
  std::int64_t lowest_at_ps = 0, lowest_ps = 0;    // max(L1 - R2), and L1
  std::int64_t highest_at_ps = 0, highest_ps = 0;  // min(L4 - R3), and L4
  std::uint32_t count = 0;

  // Bounds at at_ps if the offset grows by `skew`; offset = middle, width = sum of the two
  // directions' latencies in the best case. skew 0: as they were seen.
  struct Bounds {
    double offset_ps = 0;  // relative to `base_ps`
    double width_ps = 0;
  };
  [[nodiscard]] std::int64_t middle_at_ps() const {
    return lowest_at_ps + (highest_at_ps - lowest_at_ps) / 2;
  }
  [[nodiscard]] Bounds bounds(std::int64_t at_ps, double skew, std::int64_t base_ps) const;
};
Burst summarise(PingPongs series);

}  // namespace invar::clock
