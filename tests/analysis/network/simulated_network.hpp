// Networks with known truth, measured in memory: planted pieces, thresholds, luck of launch groups,
// noise and bursts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/network/network_data.hpp"
#include "analysis/planted.hpp"
#include "base/random.hpp"

namespace invar::planted {

// Holds for sizes from `from_bytes` on.
struct TrueLine {
  std::uint64_t from_bytes = 0;
  double intercept_ns = 0;
  double slope_ns = 0;
};

inline double at(const std::vector<TrueLine>& lines, std::uint64_t size_bytes) {
  const TrueLine* line = &lines.front();
  for (const TrueLine& one : lines) {
    if (one.from_bytes <= size_bytes) line = &one;
  }
  return line->intercept_ns + line->slope_ns * static_cast<double>(size_bytes);
}

struct TrueNetwork {
  std::vector<TrueLine> send = {{0, 300, 0.1}};
  std::vector<TrueLine> receive = {{0, 400, 0.15}};
  // L + (s - 1) G.
  std::vector<TrueLine> wire = {{0, 2000, 0.4}};
  std::vector<TrueLine> gap = {{0, 700, 0.4}};
  std::uint64_t detached_bytes = 65536;
  std::uint64_t async_bytes = 65536;

  [[nodiscard]] double wire_ns(std::uint64_t size) const {
    return at(wire, std::max<std::uint64_t>(size, 1) - 1);
  }
  [[nodiscard]] double half_ns(std::uint64_t size) const {
    return at(send, size) + wire_ns(size) + at(receive, size);
  }
  [[nodiscard]] double send_ns(std::uint64_t size) const {
    return size < detached_bytes ? at(send, size) : half_ns(size) + 500;
  }
  [[nodiscard]] double late_receive_ns(std::uint64_t size) const {
    return at(receive, size) + (size < async_bytes ? 0 : wire_ns(size));
  }
};

struct SimulatedCampaign {
  std::uint64_t seed = 1;
  std::uint64_t low_bytes = 1;
  std::uint64_t high_bytes = std::uint64_t{1} << 20U;
  std::size_t sizes = 100;
  std::uint32_t parts = 4;    // launch groups that have all sizes
  std::uint32_t groups = 20;  // so each size is in so many over parts
  std::size_t held_out = 10;  // every so many-th size; 0: none
  double group_sd = 0.03;     // of the logarithms: luck of a launch group,
  double visit_sd = 0.01;     // of a visit,
  double noise_sd = 0.02;     // of a repetition
  std::uint32_t repetitions = 8;
  // Shares of a group's visits, in a row, that something else slows by this factor; in every
  // `burst_every`-th group. 0: in none.
  std::uint32_t burst_every = 0;
  double burst_share = 0.1;
  double burst_factor = 3;
  double reading_ns = 0;
  std::set<analysis::SeriesKind> without = {};  // not measured
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(const TrueNetwork& truth, const SimulatedCampaign& campaign)
      : truth_(truth), campaign_(campaign), random_(campaign.seed) {
    draw_sizes();
  }

  analysis::NetworkData measure() {
    analysis::NetworkData data{.arm = "simulated", .groups = campaign_.groups};
    if (campaign_.reading_ns > 0) data.reading_ns = campaign_.reading_ns;
    data.held_out = held_out_;
    std::map<analysis::SeriesKey, std::vector<analysis::SeriesObservation>> series;
    for (std::uint32_t group = 1; group <= campaign_.groups; ++group) {
      measure_group(group, series);
    }
    for (auto& [key, observations] : series) {
      data.series.push_back({.key = key, .observations = std::move(observations)});
    }
    for (const char* call : {"wtime", "test", "iprobe"}) {
      analysis::DataCost cost{.operation = call};
      for (std::uint32_t group = 1; group <= campaign_.groups; ++group) {
        cost.observations.push_back(
            {.group = group, .median_ns = 40 * std::exp(0.01 * normal(random_))});
      }
      data.costs.push_back(std::move(cost));
    }
    return data;
  }

  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const { return sizes_; }

 private:
  struct Visit {
    analysis::SeriesKey key = {};
    std::uint64_t size_bytes = 0;
    double time_ns = 0;
    double lateness_ns = 0;
  };

  void draw_sizes() {
    const double low = std::log(static_cast<double>(campaign_.low_bytes));
    const double high = std::log(static_cast<double>(campaign_.high_bytes));
    std::set<std::uint64_t> drawn;
    while (drawn.size() < campaign_.sizes) {
      drawn.insert(static_cast<std::uint64_t>(
          std::llround(std::exp(low + (high - low) * random_.uniform()))));
    }
    sizes_.assign(drawn.begin(), drawn.end());
    for (std::size_t i = 1; campaign_.held_out > 0 && i + 1 < sizes_.size(); ++i) {
      if (i % campaign_.held_out == campaign_.held_out / 2) held_out_.insert(sizes_[i]);
    }
  }

  // A group has one of each run of `parts` sizes, and every cycle of groups deals them anew.
  [[nodiscard]] bool is_in(std::size_t size, std::uint32_t group) const {
    const std::uint32_t cycle = (group - 1) / campaign_.parts;
    base::Random lot = base::Random::of({campaign_.seed, cycle, size / campaign_.parts});
    std::vector<std::uint32_t> dealt(campaign_.parts);
    std::iota(dealt.begin(), dealt.end(), 0U);
    lot.shuffle(std::span(dealt));
    return dealt[size % campaign_.parts] == (group - 1) % campaign_.parts;
  }

  // All that a group measures, in random order.
  std::vector<Visit> plan(std::uint32_t group) {
    using analysis::SeriesKind;
    std::vector<Visit> visits;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (!is_in(i, group)) continue;
      const std::uint64_t size = sizes_[i];
      const double half_ns = truth_.half_ns(size);
      const double late_ns = 3 * half_ns;
      const double prtt_ns = half_ns + truth_.half_ns(1);
      const auto add = [&](const analysis::SeriesKey& key, double time_ns, double lateness_ns) {
        if (!campaign_.without.contains(key.kind)) {
          visits.push_back({key, size, time_ns, lateness_ns});
        }
      };
      add({SeriesKind::kRoundTrip}, 2 * half_ns, 0);
      add({SeriesKind::kSend}, truth_.send_ns(size), 0);
      add({SeriesKind::kSendToLate},
          truth_.send_ns(size) + (size < truth_.detached_bytes ? 0 : late_ns), late_ns);
      add({SeriesKind::kIsend}, at(truth_.send, size), 0);
      add({SeriesKind::kLateReceive}, truth_.late_receive_ns(size), late_ns);
      if (i % 10 == 3) {
        add({SeriesKind::kLaterReceive}, truth_.late_receive_ns(size), 2 * late_ns);
      }
      add({SeriesKind::kPostedReceive}, 80, late_ns);
      add({SeriesKind::kTrain, 1}, prtt_ns, 0);
      add({SeriesKind::kTrain, 10}, prtt_ns + 9 * at(truth_.gap, size), 0);
    }
    random_.shuffle(std::span(visits));
    return visits;
  }

  void measure_group(
      std::uint32_t group,
      std::map<analysis::SeriesKey, std::vector<analysis::SeriesObservation>>& series) {
    const double luck = campaign_.group_sd * normal(random_);
    const std::vector<Visit> visits = plan(group);
    const auto burst =
        static_cast<std::size_t>(campaign_.burst_share * static_cast<double>(visits.size()));
    const bool has_burst = campaign_.burst_every > 0 && group % campaign_.burst_every == 0;
    const std::size_t begin = has_burst ? random_.below(visits.size() - burst) : visits.size();
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const Visit& visit = visits[i];
      const bool slowed = i >= begin && i < begin + burst;
      const double usual_ns = visit.time_ns *
                              std::exp(luck + campaign_.visit_sd * normal(random_)) *
                              (slowed ? campaign_.burst_factor : 1);
      analysis::SeriesObservation one{.size_bytes = visit.size_bytes,
                                      .group = group,
                                      .repetitions = campaign_.repetitions,
                                      .start_s = group * 10 + static_cast<double>(i) * 0.001,
                                      .lateness_ns = visit.lateness_ns};
      std::vector<double> times_ns;
      for (std::uint32_t k = 0; k < campaign_.repetitions; ++k) {
        times_ns.push_back(usual_ns * std::exp(campaign_.noise_sd * normal(random_)));
      }
      std::ranges::sort(times_ns);
      one.median_ns = (times_ns[(times_ns.size() - 1) / 2] + times_ns[times_ns.size() / 2]) / 2;
      double sum = 0;
      for (const double time_ns : times_ns) sum += time_ns;
      one.mean_ns = sum / static_cast<double>(times_ns.size());
      double squares = 0;
      for (const double time_ns : times_ns) {
        squares += (time_ns - one.mean_ns) * (time_ns - one.mean_ns);
        one.ratios.push_back(static_cast<float>(time_ns / one.median_ns));
      }
      one.variance_ns2 =
          squares / static_cast<double>(std::max<std::size_t>(times_ns.size(), 2) - 1);
      series[visit.key].push_back(std::move(one));
    }
  }

  TrueNetwork truth_;
  SimulatedCampaign campaign_;
  base::Random random_;
  std::vector<std::uint64_t> sizes_ = {};
  std::set<std::uint64_t> held_out_ = {};
};

inline analysis::NetworkData simulated(const TrueNetwork& truth = {},
                                       const SimulatedCampaign& campaign = {}) {
  return SimulatedNetwork(truth, campaign).measure();
}

}  // namespace invar::planted
