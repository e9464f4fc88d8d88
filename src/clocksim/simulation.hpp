// A simulated machine: true time is known, so every clock's error is. Deterministic by its seed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "clock/link.hpp"
#include "clocksim/network.hpp"

namespace invar::clocksim {

// A host's clock. The skew is constant for 50 ms at a time and takes a normal step after it, so the
// clock's phase is integrated exactly and known at every true time >= 0.
class HostClock {
 public:
  HostClock(const Network& network, std::uint64_t seed, std::uint64_t host);
  std::int64_t at_ps(double true_s);
  // The true time at which the clock shows that.
  double true_s(std::int64_t local_ps);

 private:
  static constexpr double kStepS = 0.05;
  [[nodiscard]] double deviation_ps(double true_s);
  base::Random random_;
  std::int64_t offset_ps_;
  std::int64_t read_step_ps_;
  double wander_;
  std::vector<double> phase_ps_;  // at the beginning of every step
  std::vector<double> rate_ps_per_s_;
};

class Simulation {
 public:
  // ranks_per_host neighbouring ranks share a clock.
  Simulation(const Network& network, int ranks, int ranks_per_host, std::uint64_t seed);

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int ranks_per_host() const { return ranks_per_host_; }
  [[nodiscard]] int host(int rank) const { return rank / ranks_per_host_; }
  HostClock& clock(int rank) { return clocks_[static_cast<std::size_t>(host(rank))]; }

  // True time at which a rank is; all begin at 0.
  [[nodiscard]] double& now_s(int rank) { return now_s_[static_cast<std::size_t>(rank)]; }
  // When the last rank is done.
  [[nodiscard]] double latest_s() const;

  void exchange(int client, int reference, const clock::Policy& policy,
                std::vector<clock::PingPong>& series);
  // A message that nobody times.
  void message(int from, int to);
  // Rounds of a tree or a dissemination between these ranks: ceil(log2 n) latencies.
  [[nodiscard]] double rounds_s(int ranks) const;
  // Dissemination barrier over all ranks, message by message: exit times as it really would be.
  void dissemination_barrier();

 private:
  struct Direction {
    double latency_s = 0;
    double lost_s = 0;
    std::uint64_t key = 0;
    std::int64_t period = -1;
    double queue_begin_s = 0, queue_end_s = 0, queue_s = 0;
  };
  Direction direction(int from, int to) const;
  double delay_s(Direction& direction, double true_s, double replayed_s);
  double exponential();
  double normal();

  Network network_;
  int ranks_, ranks_per_host_;
  std::uint64_t seed_;
  base::Random random_;
  std::vector<HostClock> clocks_;
  std::vector<double> now_s_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
  double smallest_trip_s_ = 0, mean_trip_s_ = 0;
};

// Ranks of a simulation as a link: all, or the leaders of hosts.
class SimulatedLink : public clock::Link {
 public:
  explicit SimulatedLink(Simulation& simulation, bool leaders_only = false);

  [[nodiscard]] int ranks() const override { return count_; }
  [[nodiscard]] int first() const override { return 0; }
  [[nodiscard]] int last() const override { return count_; }
  std::int64_t now_ps(int rank) override;
  void wait_until(int rank, std::int64_t local_ps) override;
  void exchange(const clock::Pair& pair, const clock::Policy& policy,
                std::vector<clock::PingPong>& series) override;
  void send(int from, int to, const void* in, void* out, std::size_t size) override;
  void reduce(clock::Reduction reduction, std::vector<double>& values, std::size_t width) override;
  void broadcast(int root, void* data, std::size_t size) override;
  void barrier() override;
  std::unique_ptr<clock::Link> leaders() override;
  void spread(const void* from_leaders, void* data, std::size_t size) override;

 private:
  [[nodiscard]] int real(int rank) const { return rank * stride_; }
  Simulation& simulation_;
  int stride_;
  int count_;
};

}  // namespace invar::clocksim
