// What a simulated machine is like: clocks and paths between them. Everything is drawn from a seed.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::clocksim {

struct Network {
  std::string name = "noiseless";
  std::string summary = {};

  // Clocks: host 0 as every other, uniform in +- these.
  double offset_s = 1000;
  double skew = 2e-5;
  double wander = 0;        // random walk of the skew: standard deviation after one second
  double read_step_ns = 0;  // clocks advance in steps of this; 0: picoseconds

  // Paths between hosts; one way.
  double latency_ns = 1000;
  double latency_spread = 0;  // a path's latency is up to this share longer (the same both ways)
  double exponential_ns = 0;  // mean of exponential noise of every message
  double lognormal_ns = 0;    // median of log-normal noise
  double lognormal_sigma = 1;
  // Queues: in every period each direction of a path is congested once, for a time uniform in
  // [0, 2 share] of the period, by a queue that is exponential with this mean: 30 % of it stands,
  // 70 % is drawn again (exponential) for every message.
  double queue_ns = 0;
  double queue_share = 0;
  double queue_period_s = 0.02;
  double asymmetry_ns = 0;  // one direction of every path, chosen by chance, is longer by this
  // The initiator notices an answer that much later than the other rank a question.
  double role_ns = 0;
  // From that time on a share of the paths is longer in one direction.
  double lost_symmetry_at_s = std::numeric_limits<double>::infinity();
  double lost_symmetry_share = 0;
  double lost_symmetry_ns = 0;
  // Recorded round trips, in ns, in order: they replace latency and noise. What a round trip is
  // above the smallest is put into one direction, chosen by chance.
  std::vector<double> round_trips_ns = {};

  // Inside a host (ranks per host above 1): shared memory.
  double host_latency_ns = 150;
  double host_exponential_ns = 10;
  double software_ns = 40;  // between receiving and sending

  // Between two hosts: on average, and less than any takes.
  [[nodiscard]] double round_trip_s() const;
  [[nodiscard]] double least_round_trip_s() const;

  int late_rank = -1;  // comes to the synchronisation later than the others
  double late_s = 0;
};

// quiet, warming, lan, far, rerouted, detour, bursty, asymmetric, noiseless.
std::span<const Network> networks();
// A named one, or "replay:FILE": quiet's clocks, round trips from a file with one number (ns) a
// line. Throws UserError.
Network network_named(std::string_view name, const std::string& place);

}  // namespace invar::clocksim
