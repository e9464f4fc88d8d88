#include "clocksim/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::clocksim {
namespace {

constexpr double kNetworkNs = 1e-9;

std::vector<Network> make_networks() {
  std::vector<Network> all;
  Network quiet;
  quiet.name = "quiet";
  quiet.summary = "InfiniBand, nobody else: 1 us one way, 30 ns of noise";
  quiet.wander = 2e-10;
  quiet.latency_spread = 0.3;
  quiet.exponential_ns = 30;
  quiet.role_ns = 20;  // measured between two ranks of Open MPI 4.1.4 in shared memory
  all.push_back(quiet);

  Network warming = quiet;
  warming.name = "warming";
  warming.summary = "quiet, while processors warm up: skews wander by 1e-8 in a second";
  warming.wander = 1e-8;
  all.push_back(warming);

  Network lan = quiet;
  lan.name = "lan";
  lan.summary = "Ethernet with TCP: 15 us one way, microseconds of noise, queues of 50 us";
  lan.latency_ns = 15000;
  lan.exponential_ns = 500;
  lan.lognormal_ns = 1500;
  lan.lognormal_sigma = 0.8;
  lan.queue_ns = 50000;
  lan.queue_share = 0.05;
  lan.queue_period_s = 0.05;
  lan.host_latency_ns = 300;
  lan.wander = 5e-10;
  all.push_back(lan);

  Network far = quiet;
  far.name = "far";
  far.summary = "another machine room, or an emulated network: 200 us one way, 200 ns of noise";
  far.latency_ns = 200000;
  far.exponential_ns = 200;
  all.push_back(far);

  Network rerouted = quiet;
  rerouted.name = "rerouted";
  rerouted.summary = "quiet, but after 0.3 s a fifth of the paths is 5 us longer in one direction";
  rerouted.lost_symmetry_at_s = 0.3;
  rerouted.lost_symmetry_share = 0.2;
  rerouted.lost_symmetry_ns = 5000;
  all.push_back(rerouted);

  Network detour = rerouted;
  detour.name = "detour";
  detour.summary = "quiet, but a tenth of the paths is 5 us longer in one direction, always";
  detour.lost_symmetry_at_s = 0;
  detour.lost_symmetry_share = 0.1;
  all.push_back(detour);

  Network bursty = quiet;
  bursty.name = "bursty";
  bursty.summary = "a shared InfiniBand: each direction is congested 30 % of the time, 10 us";
  bursty.latency_ns = 1300;
  bursty.exponential_ns = 80;
  bursty.queue_ns = 10000;
  bursty.queue_share = 0.3;
  bursty.queue_period_s = 0.02;
  all.push_back(bursty);

  Network asymmetric = quiet;
  asymmetric.name = "asymmetric";
  asymmetric.summary = "quiet, but every path is 100 ns longer in one direction";
  asymmetric.asymmetry_ns = 100;
  all.push_back(asymmetric);

  Network noiseless;
  noiseless.summary = "constant latency, linear clocks: what is left is an algorithm's own error";
  all.push_back(noiseless);
  return all;
}

}  // namespace

double Network::least_round_trip_s() const {
  if (!round_trips_ns.empty()) return kNetworkNs * std::ranges::min(round_trips_ns);
  return kNetworkNs * (2 * (latency_ns + software_ns) + role_ns);
}

double Network::round_trip_s() const {
  if (!round_trips_ns.empty()) {
    return kNetworkNs * std::accumulate(round_trips_ns.begin(), round_trips_ns.end(), 0.0) /
           static_cast<double>(round_trips_ns.size());
  }
  const double noise_ns =
      exponential_ns + lognormal_ns * std::exp(lognormal_sigma * lognormal_sigma / 2);
  return kNetworkNs *
         (2 * (latency_ns * (1 + latency_spread / 2) + noise_ns + queue_share * queue_ns) +
          2 * software_ns + role_ns);
}

std::span<const Network> networks() {
  static const std::vector<Network> all = make_networks();
  return all;
}

Network network_named(std::string_view name, const std::string& place) {
  constexpr std::string_view kReplay = "replay:";
  std::vector<std::string> known;
  for (const Network& network : networks()) {
    if (network.name == name) return network;
    known.push_back(network.name);
  }
  if (!name.starts_with(kReplay)) {
    known.emplace_back("replay:FILE");
    throw base::UserError(place, "no network is called '" + std::string(name) + "'",
                          base::did_you_mean(name, known));
  }
  const std::string file(name.substr(kReplay.size()));
  const auto text = base::read_file(file);
  if (!text) throw base::UserError(file, "cannot be read", "one round trip in ns a line");
  Network network = networks()[0];
  network.name = "replay";
  network.summary = "round trips of " + file;
  base::Faults faults;
  int number = 0;
  for (const std::string_view line : base::split(*text, '\n')) {
    ++number;
    const std::string_view word = base::trim(line);
    if (word.empty() || word.front() == '#') continue;
    const auto value = base::parse_double(word);
    if (value && *value > 0) {
      network.round_trips_ns.push_back(*value);
    } else if (number < 100) {
      faults.add({.place = file,
                  .line = number,
                  .what = "'" + std::string(word) + "' is not a round trip",
                  .remedy = "one positive number, in ns, a line"});
    }
  }
  faults.throw_if_any();
  if (network.round_trips_ns.size() < 100) {
    throw base::UserError(file,
                          "has " + base::count_text(network.round_trips_ns.size(), "round trip"),
                          "at least 100 are needed");
  }
  return network;
}

}  // namespace invar::clocksim
