#include "clocksim/simulation.hpp"
#include "base/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace invar::clocksim {
namespace {

constexpr double kNs = 1e-9;
using base::kPsPerS;

// What a place in the machine is by chance, without a state: the same for every algorithm.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = a * 0x9e3779b97f4a7c15U + b;
  h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 27U)) * 0x94d049bb133111ebU;
  return h ^ (h >> 31U);
}

double unit(std::uint64_t h) { return static_cast<double>(h >> 11U) * 0x1.0p-53; }

double normal_of(base::Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * random.uniform());
}

}  // namespace

HostClock::HostClock(const Network& network, std::uint64_t seed, std::uint64_t host)
    : random_(base::Random::of({seed, 1, host})),
      offset_ps_(std::llround((2 * random_.uniform() - 1) * network.offset_s * kPsPerS)),
      read_step_ps_(std::llround(network.read_step_ns * 1000)),
      wander_(network.wander) {
  phase_ps_.push_back(0);
  rate_ps_per_s_.push_back((2 * random_.uniform() - 1) * network.skew * kPsPerS);
}

double HostClock::deviation_ps(double true_s) {
  if (wander_ == 0) return rate_ps_per_s_[0] * true_s;
  const auto step = static_cast<std::size_t>(true_s / kStepS);
  while (rate_ps_per_s_.size() <= step) {
    phase_ps_.push_back(phase_ps_.back() + rate_ps_per_s_.back() * kStepS);
    rate_ps_per_s_.push_back(rate_ps_per_s_.back() +
                             wander_ * std::sqrt(kStepS) * kPsPerS * normal_of(random_));
  }
  return phase_ps_[step] + rate_ps_per_s_[step] * (true_s - static_cast<double>(step) * kStepS);
}

std::int64_t HostClock::at_ps(double true_s) {
  const std::int64_t local = offset_ps_ + std::llround(true_s * kPsPerS + deviation_ps(true_s));
  return read_step_ps_ > 1 ? local - ((local % read_step_ps_) + read_step_ps_) % read_step_ps_
                           : local;
}

double HostClock::true_s(std::int64_t local_ps) {
  const auto elapsed_ps = static_cast<double>(local_ps - offset_ps_);
  double guess = elapsed_ps / kPsPerS;
  // Skews are below 1e-4: every step gains four digits.
  for (int i = 0; i < 5; ++i) guess = (elapsed_ps - deviation_ps(std::max(guess, 0.0))) / kPsPerS;
  return guess;
}

Simulation::Simulation(const Network& network, int ranks, int ranks_per_host, std::uint64_t seed)
    : network_(network),
      ranks_(ranks),
      ranks_per_host_(ranks_per_host),
      seed_(seed),
      random_(base::Random::of({seed, 2})),
      now_s_(static_cast<std::size_t>(std::max(ranks, 0)), 0.0) {
  if (ranks < 1 || ranks_per_host < 1) throw std::invalid_argument("a machine has ranks");
  for (int h = 0; h <= host(ranks - 1); ++h) {
    clocks_.emplace_back(network_, seed, static_cast<std::uint64_t>(h));
  }
  if (network_.late_rank >= 0 && network_.late_rank < ranks) {
    now_s(network_.late_rank) = network_.late_s;
  }
  if (!network_.round_trips_ns.empty()) {
    const auto& trips = network_.round_trips_ns;
    smallest_trip_s_ = *std::min_element(trips.begin(), trips.end()) * kNs;
    for (const double trip : trips) mean_trip_s_ += trip * kNs / static_cast<double>(trips.size());
  }
}

double Simulation::latest_s() const { return *std::max_element(now_s_.begin(), now_s_.end()); }

double Simulation::exponential() { return -std::log(1 - random_.uniform()); }

double Simulation::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
  const double angle = 2 * 3.14159265358979323846 * random_.uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Simulation::Direction Simulation::direction(int from, int to) const {
  Direction direction;
  const auto a = static_cast<std::uint64_t>(host(from));
  const auto b = static_cast<std::uint64_t>(host(to));
  if (a == b) return {.latency_s = network_.host_latency_ns * kNs};
  const std::uint64_t path = mix(mix(seed_, std::min(a, b)), std::max(a, b));
  direction.key = mix(path, a < b ? 1 : 2);
  direction.latency_s =
      network_.round_trips_ns.empty()
          ? network_.latency_ns * (1 + network_.latency_spread * unit(mix(path, 3))) * kNs
          : smallest_trip_s_ / 2;
  const bool longer = (mix(path, 4) & 1U) == (a < b ? 1U : 0U);
  if (longer) direction.latency_s += network_.asymmetry_ns * kNs;
  if (longer && unit(mix(path, 5)) < network_.lost_symmetry_share) {
    direction.lost_s = network_.lost_symmetry_ns * kNs;
  }
  return direction;
}

double Simulation::delay_s(Direction& direction, double true_s, double replayed_s) {
  if (direction.key == 0)
    return direction.latency_s + network_.host_exponential_ns * kNs * exponential();
  double delay = direction.latency_s + replayed_s;
  if (true_s >= network_.lost_symmetry_at_s) delay += direction.lost_s;
  if (network_.round_trips_ns.empty()) {
    if (network_.exponential_ns > 0) delay += network_.exponential_ns * kNs * exponential();
    if (network_.lognormal_ns > 0) {
      delay += network_.lognormal_ns * kNs * std::exp(network_.lognormal_sigma * normal());
    }
  }
  if (network_.queue_ns <= 0) return delay;
  const double period_s = network_.queue_period_s;
  const auto period = static_cast<std::int64_t>(true_s / period_s);
  if (period != direction.period) {
    direction.period = period;
    const std::uint64_t h = mix(direction.key, static_cast<std::uint64_t>(period) + 16);
    direction.queue_begin_s = (static_cast<double>(period) + unit(h)) * period_s;
    direction.queue_end_s =
        direction.queue_begin_s + 2 * network_.queue_share * unit(mix(h, 1)) * period_s;
    direction.queue_s = -std::log(1 - unit(mix(h, 2))) * network_.queue_ns * kNs;
  }
  if (true_s >= direction.queue_begin_s && true_s < direction.queue_end_s) {
    delay += direction.queue_s * (0.3 + 0.7 * exponential());
  }
  return delay;
}

void Simulation::exchange(int client, int reference, const clock::Policy& policy,
                          std::vector<clock::PingPong>& series) {
  series.clear();
  HostClock& local = clock(client);
  HostClock& remote = clock(reference);
  Direction there = direction(client, reference);
  Direction back = direction(reference, client);
  const bool replay = !network_.round_trips_ns.empty() && there.key != 0;
  const double software_s = network_.software_ns * kNs;
  const double role_s = network_.role_ns * kNs;
  double t = now_s(client);
  double answered = now_s(reference);
  std::size_t place = 0;
  if (replay) {
    // Where in the recording this path is: by time, so that slow phases stay together.
    place = (mix(seed_, there.key ^ back.key) + static_cast<std::uint64_t>(t / mean_trip_s_)) %
            network_.round_trips_ns.size();
  }
  std::int64_t best = 0;
  int worse = 0;
  for (int i = 0; i < policy.count; ++i) {
    double extra_there = 0;
    double extra_back = 0;
    if (replay) {
      const double extra = network_.round_trips_ns[place] * kNs - smallest_trip_s_;
      place = (place + 1) % network_.round_trips_ns.size();
      ((random_.next() >> 63U) != 0 ? extra_there : extra_back) = extra;
    }
    clock::PingPong p;
    p.local_send_ps = local.at_ps(t);
    const double arrived = std::max(t + delay_s(there, t, extra_there), answered);
    p.remote_receive_ps = remote.at_ps(arrived);
    answered = arrived + software_s;
    p.remote_send_ps = remote.at_ps(answered);
    const double returned = answered + delay_s(back, answered, extra_back) + role_s;
    p.local_receive_ps = local.at_ps(returned);
    t = returned + software_s;
    series.push_back(p);
    const std::int64_t trip = p.round_trip_ps();
    if (i == 0 || trip < best) {
      best = trip;
      worse = 0;
    } else if (++worse >= policy.stop_after_worse && policy.stop_after_worse > 0) {
      break;
    }
    if (i + 1 >= policy.least && static_cast<double>(trip) < policy.good_enough_ps) break;
  }
  now_s(client) = t;
  now_s(reference) = answered;
}

void Simulation::message(int from, int to) {
  const double latency_s =
      (host(from) == host(to) ? network_.host_latency_ns : network_.latency_ns) * kNs;
  now_s(to) = std::max(now_s(to), now_s(from) + latency_s);
  now_s(from) += network_.software_ns * kNs;
}

double Simulation::rounds_s(int ranks) const {
  int rounds = 0;
  while ((1LL << rounds) < ranks) ++rounds;
  return rounds * network_.latency_ns * kNs;
}

void Simulation::dissemination_barrier() {
  std::vector<double> next(now_s_.size());
  for (int distance = 1; distance < ranks_; distance *= 2) {
    for (int rank = 0; rank < ranks_; ++rank) {
      const int from = (rank - distance + ranks_) % ranks_;
      Direction path = direction(from, rank);
      double extra_s = 0;
      if (!network_.round_trips_ns.empty() && path.key != 0) {
        const std::size_t place = random_.below(network_.round_trips_ns.size());
        extra_s = (network_.round_trips_ns[place] * kNs - smallest_trip_s_) / 2;
      }
      next[static_cast<std::size_t>(rank)] =
          std::max(now_s(rank), now_s(from) + delay_s(path, now_s(from), extra_s)) +
          network_.software_ns * kNs;
    }
    now_s_ = next;
  }
}

SimulatedLink::SimulatedLink(Simulation& simulation, bool leaders_only)
    : simulation_(simulation),
      stride_(leaders_only ? simulation.ranks_per_host() : 1),
      count_((simulation.ranks() + stride_ - 1) / stride_) {}

std::int64_t SimulatedLink::now_ps(int rank) {
  return simulation_.clock(real(rank)).at_ps(simulation_.now_s(real(rank)));
}

void SimulatedLink::wait_until(int rank, std::int64_t local_ps) {
  double& now = simulation_.now_s(real(rank));
  now = std::max(now, simulation_.clock(real(rank)).true_s(local_ps));
}

void SimulatedLink::exchange(const clock::Pair& pair, const clock::Policy& policy,
                             std::vector<clock::PingPong>& series) {
  simulation_.exchange(real(pair.client), real(pair.reference), policy, series);
}

void SimulatedLink::send(int from, int to, const void* in, void* out, std::size_t size) {
  if (size > 0) std::memcpy(out, in, size);
  simulation_.message(real(from), real(to));
}

void SimulatedLink::reduce(clock::Reduction reduction, std::vector<double>& values,
                           std::size_t width) {
  for (std::size_t column = 0; column < width; ++column) {
    double result = values[column];
    for (std::size_t i = column + width; i < values.size(); i += width) {
      result =
          reduction == clock::Reduction::kSum ? result + values[i] : std::max(result, values[i]);
    }
    for (std::size_t i = column; i < values.size(); i += width) values[i] = result;
  }
  barrier();
}

void SimulatedLink::broadcast(int root, void* data, std::size_t size) {
  // All ranks are in this process: the caller's data are already everybody's.
  (void)data, (void)size;
  const double there_s = simulation_.now_s(real(root)) + simulation_.rounds_s(count_);
  for (int rank = 0; rank < count_; ++rank) {
    if (rank != root)
      simulation_.now_s(real(rank)) = std::max(simulation_.now_s(real(rank)), there_s);
  }
}

void SimulatedLink::barrier() {
  double latest = 0;
  for (int rank = 0; rank < count_; ++rank)
    latest = std::max(latest, simulation_.now_s(real(rank)));
  latest += simulation_.rounds_s(count_);
  for (int rank = 0; rank < count_; ++rank) simulation_.now_s(real(rank)) = latest;
}

std::unique_ptr<clock::Link> SimulatedLink::leaders() {
  if (simulation_.ranks_per_host() == 1 || stride_ != 1) return nullptr;
  return std::make_unique<SimulatedLink>(simulation_, true);
}

void SimulatedLink::spread(const void* from_leaders, void* data, std::size_t size) {
  for (int rank = 0; rank < count_; ++rank) {
    const int leader = simulation_.host(rank);
    std::memcpy(static_cast<char*>(data) + static_cast<std::size_t>(rank) * size,
                static_cast<const char*>(from_leaders) + static_cast<std::size_t>(leader) * size,
                size);
    const int leader_rank = leader * simulation_.ranks_per_host();
    if (rank != leader_rank) simulation_.message(leader_rank, rank);
  }
}

}  // namespace invar::clocksim
