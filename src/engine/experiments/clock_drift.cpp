// Offsets of clocks against rank 0's over time, as ping-pongs bound them (paper 002, figure 6).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/experiments/clock_experiments.hpp"
#include "host/identity.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
constexpr int kPingPongs = 200;

struct Point {
  double seconds = 0;  // of rank 0's clock, since the start
  double offset_ns = 0;
  double half_width_ns = 0;
  double truth_ns = 0;
};
constexpr std::size_t kNumbers = sizeof(Point) / sizeof(double);

// Ranks whose clocks are asked: all of one host, else one a host.
std::vector<int> clients(const Hosts& hosts, int ranks) {
  std::vector<int> chosen;
  std::uint32_t next_host = 1;
  for (int rank = 1; rank < ranks; ++rank) {
    const std::uint32_t host = hosts.of_rank[static_cast<std::size_t>(rank)];
    if (hosts.count > 1 && host != next_host) continue;  // numbered in the order of ranks
    ++next_host;
    chosen.push_back(rank);
  }
  return chosen;
}

Point point_of(const std::vector<clock::PingPong>& series, std::int64_t begin_ps,
               const clock::VirtualClock& virtual_clock) {
  const clock::Burst burst = clock::summarise(series);
  const clock::Offset offset = clock::bounded_offset(series);
  // The real time at which the virtual clock showed that; skews are small.
  std::int64_t real_ps = offset.at_ps;
  for (int i = 0; i < 4; ++i) real_ps -= virtual_clock.at_ps(real_ps) - offset.at_ps;
  return {static_cast<double>(offset.at_ps - offset.offset_ps - begin_ps) / kPsPerS,
          static_cast<double>(offset.offset_ps) / 1000,
          burst.bounds(burst.middle_at_ps(), 0, 0).width_ps / 2000,
          static_cast<double>(offset.at_ps - real_ps) / 1000};
}

// Hosts that are containers or namespaces of one machine have one clock, whatever they show.
void refuse_one_machine(const ClockSetting& setting) {
  if (!setting.spec().virtual_clocks.skew.empty()) return;
  // 0, and so the least of all, where it is not known: then nobody knows that they are one.
  const auto boot = host::boot_id();
  const std::uint64_t mine = boot ? std::max<std::uint64_t>(1, std::hash<std::string>{}(*boot)) : 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, setting.world());
  MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, setting.world());
  if (least == 0 || least != most) return;
  const std::vector<std::string>& hosts = setting.spec().hosts;
  throw ClockRefusal(
      hosts.empty() ? "drift" : "--hosts",
      (hosts.size() > 1 ? base::join(hosts, ", ") + " are one machine (one boot id)"
                        : std::string("all ranks are on one machine")) +
          ", whose one clock cannot drift",
      "name hosts that are machines of their own, or make clocks that drift on one host: "
      "--virtual-skew 13e-6");
}

}  // namespace

std::string clock_drift(ClockSetting& setting) {
  refuse_one_machine(setting);
  const double interval_s = setting.spec().interval_s;
  const auto points =
      static_cast<std::size_t>(std::floor(setting.spec().duration_s / interval_s + 1e-9)) + 1;
  const std::vector<int> asked = clients(setting.hosts(), setting.ranks());
  std::int64_t reference_begin_ps = setting.clock().now_ps();
  MPI_Bcast(&reference_begin_ps, 1, MPI_INT64_T, 0, setting.world());
  const std::int64_t begin_ps = setting.clock().real_ps();
  std::vector<double> mine;
  std::vector<clock::PingPong> series;
  for (std::size_t i = 0; i < points; ++i) {
    setting.sleep_until(begin_ps +
                        static_cast<std::int64_t>(static_cast<double>(i) * interval_s * kPsPerS));
    Point point;
    for (const int client : asked) {
      if (setting.rank() != 0 && setting.rank() != client) continue;
      setting.link().exchange({0, client}, {.count = kPingPongs}, series);
      if (setting.rank() == client) {
        point = point_of(series, reference_begin_ps, setting.clock().virtual_clock);
      }
    }
    mine.insert(mine.end(), {point.seconds, point.offset_ns, point.half_width_ns, point.truth_ns});
  }
  const std::vector<double> all = setting.gather(mine);
  std::string csv = record::raw_header(record::kRawDrift);
  if (setting.rank() != 0) return csv;
  for (const int client : asked) {
    for (std::size_t i = 0; i < points; ++i) {
      const double* point = &all[(static_cast<std::size_t>(client) * points + i) * kNumbers];
      csv += base::shortest_text(point[0]) + ',' + std::to_string(client) + ',' +
             base::shortest_text(point[1]) + ',' + base::shortest_text(point[2]) + ',' +
             (setting.one_clock() ? base::shortest_text(point[3]) : "") + '\n';
    }
  }
  return csv;
}

}  // namespace invar::engine
