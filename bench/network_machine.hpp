// A machine whose protocols are known, measured as a campaign of `invar network` measures
// (src/design/messages/network_campaign.cpp: its sizes, its groups' parts, what it holds out and
// what it adds at breaks), in noise as it was found on the machine of docs/evidence.md. Used by
// bench/network.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/network/network_data.hpp"
#include "analysis/steps/size_breaks.hpp"
#include "base/random.hpp"
#include "design/factors/size_samples.hpp"
#include "design/messages/network_campaign.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/normal.hpp"

namespace invar::simulated {

struct OverheadLine {
  double constant_ns = 0;
  double byte_ns = 0;

  [[nodiscard]] double at(std::uint64_t size_bytes) const {
    return constant_ns + byte_ns * static_cast<double>(size_bytes);
  }
};

// One way in which a library sends, from a size on.
struct Protocol {
  std::uint64_t from_bytes = 0;
  OverheadLine send = {};
  OverheadLine receive = {};
  double latency_ns = 0;  // below 0: both ends of a message overlap
  double byte_ns = 0;     // G
  double gap_ns = 0;      // g
  double gap_byte_ns = 0;
};

struct NetworkMachine {
  std::vector<Protocol> protocols = {};
  std::uint64_t detached_bytes = 0;  // where a protocol begins
  std::uint64_t async_bytes = 0;

  [[nodiscard]] const Protocol& at(std::uint64_t size_bytes) const {
    const auto next = std::ranges::upper_bound(protocols, size_bytes, {}, &Protocol::from_bytes);
    return *(next - 1);
  }
  static double bytes_behind_first(std::uint64_t size_bytes) {
    return static_cast<double>(std::max<std::uint64_t>(size_bytes, 1) - 1);
  }
  [[nodiscard]] double wire_ns(std::uint64_t size_bytes) const {
    const Protocol& one = at(size_bytes);
    return one.latency_ns + one.byte_ns * bytes_behind_first(size_bytes);
  }
  [[nodiscard]] double half_ns(std::uint64_t size_bytes) const {
    const Protocol& one = at(size_bytes);
    return one.send.at(size_bytes) + wire_ns(size_bytes) + one.receive.at(size_bytes);
  }
  [[nodiscard]] double send_ns(std::uint64_t size_bytes) const {
    constexpr double kAnswered = 300;  // a sender that waits hears of its receiver
    return size_bytes < detached_bytes ? at(size_bytes).send.at(size_bytes)
                                       : half_ns(size_bytes) + kAnswered;
  }
  [[nodiscard]] double late_receive_ns(std::uint64_t size_bytes) const {
    return at(size_bytes).receive.at(size_bytes) +
           (size_bytes < async_bytes ? 0 : wire_ns(size_bytes));
  }
  [[nodiscard]] double gap_ns(std::uint64_t size_bytes) const {
    const Protocol& one = at(size_bytes);
    return one.gap_ns + one.gap_byte_ns * bytes_behind_first(size_bytes);
  }
};

enum class MachineKind {
  kWire,          // as a cluster's network
  kSharedMemory,  // ends overlap: half a round trip is shorter than both overheads together
};

// Two eager protocols, and one or two of rendez-vous; each jumps up against the one before by a
// quarter at least. Late receives contain the transfer from where sends wait, or, in half of the
// machines, from some size before.
class MachineDrawer {
 public:
  MachineDrawer(MachineKind kind, base::Random& random) : kind_(kind), random_(random) {}

  NetworkMachine draw() {
    NetworkMachine machine;
    const auto first_end = whole(logarithmic(150, 1500));
    machine.detached_bytes = whole(logarithmic(16384, 65536));
    std::vector<std::uint64_t> begins{0, first_end, machine.detached_bytes};
    if (random_.uniform() < 0.5) begins.push_back(whole(logarithmic(262144, 1048576)));
    machine.async_bytes = machine.detached_bytes;
    if (kind_ == MachineKind::kWire && random_.uniform() < 0.5) {
      machine.async_bytes = whole(logarithmic(6 * static_cast<double>(first_end),
                                              static_cast<double>(machine.detached_bytes) / 1.5));
    }
    machine.protocols.push_back(first());
    for (std::size_t i = 1; i < begins.size(); ++i) {
      machine.protocols.push_back(behind(machine.protocols.back(), begins[i]));
    }
    return machine;
  }

 private:
  static std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::llround(value));
  }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double logarithmic(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }

  Protocol first() {
    Protocol one{.send = {.constant_ns = between(150, 600)},
                 .receive = {.constant_ns = between(200, 800)},
                 .latency_ns = between(600, 3000),
                 .byte_ns = logarithmic(0.4, 2)};
    if (kind_ == MachineKind::kSharedMemory) {
      one.latency_ns = -between(0.2, 0.6) * std::min(one.send.constant_ns, one.receive.constant_ns);
    }
    one.send.byte_ns = between(0.15, 0.4) * one.byte_ns;
    one.receive.byte_ns = between(0.15, 0.5) * one.byte_ns;
    set_gap(one, 0);
    return one;
  }

  Protocol behind(const Protocol& before, std::uint64_t from_bytes) {
    Protocol one = before;
    one.from_bytes = from_bytes;
    const auto at = static_cast<double>(from_bytes);
    const auto jump = [&](double& constant, double& byte) {
      const double above = std::max(constant + byte * at, 0.0) * between(1.25, 2);
      byte *= between(0.3, 0.8);
      constant = std::max(above - byte * at, 0.05 * above);
    };
    jump(one.send.constant_ns, one.send.byte_ns);
    jump(one.receive.constant_ns, one.receive.byte_ns);
    if (one.latency_ns > 0) jump(one.latency_ns, one.byte_ns);
    set_gap(one, before.gap_ns + before.gap_byte_ns * at);
    return one;
  }

  // Longer than either rank is busy, and longer than before; in half of the protocols a byte takes
  // more than in a single message.
  void set_gap(Protocol& one, double before_ns) {
    const double busy_byte_ns = 1.2 * std::max(one.send.byte_ns, one.receive.byte_ns);
    const double more = random_.uniform() < 0.5 ? 1 : between(1.3, 1.8);
    one.gap_byte_ns = std::max(one.byte_ns, busy_byte_ns) * more;
    const double busy_ns = std::max(one.send.at(one.from_bytes), one.receive.at(one.from_bytes));
    const double above = std::max(between(1.4, 2.2) * busy_ns, between(1.25, 1.6) * before_ns);
    one.gap_ns = std::max(above - one.gap_byte_ns * static_cast<double>(one.from_bytes),
                          1.4 * std::max(one.send.constant_ns, one.receive.constant_ns));
  }

  MachineKind kind_;
  base::Random& random_;
};

struct CampaignNoise {
  // Standard deviations of the logarithm: what a launch group does to all of its times, and to
  // each series.
  double group_sd = 0.025;
  double series_sd = 0.015;
  double step_ns = 10;  // of the clock
  // One in so many groups has a burst: a tenth of its visits, in a row, takes longer. 0: none.
  std::uint32_t burst_every = 5;
};

class SimulatedCampaign {
 public:
  SimulatedCampaign(const NetworkMachine& machine, const CampaignNoise& noise, std::uint64_t seed)
      : machine_(machine), noise_(noise), random_(base::Random::of({seed, 1})) {
    design::NetworkOrder order;
    order.quick = {.arms = {{}}, .budget_s = 180, .seed = seed};
    order.quick.arms.front().library = "simulated";
    campaign_ = design::network_campaign(order);
    sample_ = design::size_samples(campaign_).front();
    held_out_ = design::held_out_sizes(campaign_);
  }

  analysis::NetworkData measure() {
    analysis::NetworkData data{.arm = "simulated",
                               .held_out = held_out_,
                               .reading_ns = kReadingNs,
                               .step_ns = noise_.step_ns,
                               .groups = campaign_.launches.min};
    for (std::uint32_t group = 1; group <= campaign_.launches.min; ++group) {
      measure_group(group);
      const std::uint32_t turn = sample_.parts;
      const bool looks = group % turn == 0 && group >= 2 * turn &&
                         group + design::kLeastGroupsOfSize <= campaign_.launches.min;
      if (looks) add_sizes();
    }
    for (auto& [key, observations] : series_) {
      data.series.push_back({.key = key, .observations = std::move(observations)});
    }
    return data;
  }

 private:
  using Kind = analysis::SeriesKind;
  static constexpr double kReadingNs = 20;
  static constexpr std::size_t kRepetitions = 10;
  static constexpr std::array kWithBreaks{Kind::kRoundTrip,   Kind::kSend,
                                          Kind::kSendToLate,  Kind::kIsend,
                                          Kind::kLateReceive, Kind::kPostedReceive};

  struct PlannedVisit {
    analysis::SeriesKey key = {};
    std::uint64_t size_bytes = 0;
  };

  double normal() { return stats::normal_quantile(0.5e-12 + (1 - 1e-12) * random_.uniform()); }

  // What a visit is off by, as it was found in 2600 pairs of visits of a cell in a launch, whose
  // logarithms differed by 2.3 % (median), 14 % (one in ten), 25 % (in twenty), a factor of 2.7 (in
  // a hundred): nine in ten of visits are off either way, the others, of which a pair has one, are
  // slower. Half of all are below what is planted: it is the usual time.
  double visit_deviation() {
    constexpr std::array<std::pair<double, double>, 7> kFound{
        {{0, 0}, {0.5, 0.016}, {0.75, 0.040}, {0.9, 0.075}, {0.95, 0.14}, {0.975, 0.25}, {1, 1.2}}};
    const double u = random_.uniform();
    std::size_t i = 1;
    while (u > kFound.at(i).first) ++i;
    const auto [low_u, low] = kFound.at(i - 1);
    const auto [high_u, high] = kFound.at(i);
    const double size = low + (high - low) * (u - low_u) / (high_u - low_u);
    return u < 0.9 && random_.uniform() < 0.5 / 0.9 ? -size : size;
  }

  // Quartiles 3 % off, a tenth by 15 %, one in fifty much longer; half of all below 0.
  double repetition_deviation() {
    const double u = random_.uniform();
    if (u >= 0.98) return 0.3 + 1.4 * random_.uniform();
    const double size = (u < 0.86 ? 0.035 : 0.15) * std::abs(normal());
    return random_.uniform() < 0.5 / 0.98 ? -size : size;
  }

  [[nodiscard]] double lateness_ns(const PlannedVisit& visit) const {
    constexpr double kCalls = 3;
    const double times = visit.key.kind == Kind::kLaterReceive ? 2 : 1;
    return times * kCalls * machine_.half_ns(visit.size_bytes);
  }

  [[nodiscard]] double time_ns(const PlannedVisit& visit, double late_ns) const {
    const std::uint64_t size = visit.size_bytes;
    switch (visit.key.kind) {
      case Kind::kRoundTrip:
        return 2 * machine_.half_ns(size);
      case Kind::kSend:
        return machine_.send_ns(size);
      case Kind::kSendToLate:
        return machine_.send_ns(size) + (size < machine_.detached_bytes ? 0 : late_ns);
      case Kind::kIsend:
        return machine_.at(size).send.at(size);
      case Kind::kSsend:
        return machine_.half_ns(size) + 500;
      case Kind::kLateReceive:
      case Kind::kLaterReceive:
        return machine_.late_receive_ns(size);
      case Kind::kPostedReceive:
        return 150;
      case Kind::kTrain: {
        const double further = visit.key.messages - 1;
        const double one = machine_.half_ns(size) + machine_.half_ns(0);
        return one + further * (machine_.gap_ns(size) + (visit.key.delayed ? one : 0));
      }
      case Kind::kGap:
        break;
    }
    return 0;
  }

  // The recipe's blocks, by what their cells are.
  static analysis::SeriesKey key_of(const std::string& operation, const design::CellsBlock& block,
                                    const std::string& receives, std::uint32_t messages) {
    const auto level = [&](const char* key) {
      const auto found = block.levels.find(key);
      return found == block.levels.end() ? std::string() : found->second.front();
    };
    const bool late = !level("arrival").empty();
    if (operation == "pingpong") return {.kind = Kind::kRoundTrip};
    if (operation == "send") return {.kind = late ? Kind::kSendToLate : Kind::kSend};
    if (operation == "isend") return {.kind = Kind::kIsend};
    if (operation == "ssend") return {.kind = Kind::kSsend};
    if (operation == "train") {
      return {.kind = Kind::kTrain, .messages = messages, .delayed = !level("train-delay").empty()};
    }
    if (level("arrival") == "last-late:6x") return {.kind = Kind::kLaterReceive};
    return {.kind = receives == "before" ? Kind::kPostedReceive : Kind::kLateReceive};
  }

  static std::vector<std::string> levels_of(const design::CellsBlock& block, const char* key,
                                            const char* usual) {
    const auto found = block.levels.find(key);
    return found == block.levels.end() ? std::vector<std::string>{usual} : found->second;
  }

  // All that a group measures, twice, each time in an order of its own.
  std::vector<PlannedVisit> plan(std::uint32_t group) {
    const std::vector<bool> has = design::sizes_of_part(sample_, 0, campaign_.seed, group);
    std::vector<PlannedVisit> cells;
    for (const design::CellsBlock& block : campaign_.cells) {
      if (block.random_sizes.empty()) continue;
      const std::vector<std::size_t> sizes = sample_.chosen(block.random_sizes.front().every);
      for (const std::string& operation : block.operations) {
        for (const std::string& receives : levels_of(block, "receives", "in-call")) {
          for (const std::string& window : levels_of(block, "window", "1")) {
            const analysis::SeriesKey key =
                key_of(operation, block, receives, static_cast<std::uint32_t>(std::stoul(window)));
            for (const std::size_t size : sizes) {
              if (has[size]) cells.push_back({key, sample_.sizes_bytes[size]});
            }
          }
        }
      }
    }
    for (const auto& [kind, sizes] : added_) {
      for (const std::uint64_t size : sizes) cells.push_back({{.kind = kind}, size});
    }
    std::vector<PlannedVisit> visits;
    for (std::uint32_t round = 0; round < campaign_.rounds; ++round) {
      random_.shuffle(std::span(cells));
      visits.insert(visits.end(), cells.begin(), cells.end());
    }
    return visits;
  }

  void measure_group(std::uint32_t group) {
    const std::vector<PlannedVisit> visits = plan(group);
    const double luck = noise_.group_sd * normal();
    std::map<Kind, double> of_series;
    for (const analysis::SeriesInfo& info : analysis::all_series()) {
      of_series[info.kind] = luck + noise_.series_sd * normal();
    }
    const bool has_burst = noise_.burst_every > 0 && group % noise_.burst_every == 0;
    const std::size_t burst = has_burst ? visits.size() / 10 : 0;
    const std::size_t begin = random_.below(visits.size() - burst);
    const double slowed = std::log(1.5 + 2.5 * random_.uniform());
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const bool hit = i >= begin && i < begin + burst;
      const double log = of_series[visits[i].key.kind] + visit_deviation() + (hit ? slowed : 0);
      series_[visits[i].key].push_back(observe(visits[i], group, log, static_cast<double>(i)));
    }
  }

  analysis::SeriesObservation observe(const PlannedVisit& visit, std::uint32_t group, double log,
                                      double place) {
    const double late_ns = lateness_ns(visit);
    const double usual_ns = time_ns(visit, late_ns) * std::exp(log);
    std::vector<double> times_ns;
    for (std::size_t k = 0; k < kRepetitions; ++k) {
      const double read_ns = usual_ns * std::exp(repetition_deviation()) + kReadingNs;
      // Begin and end are on the clock's steps, wherever the call begins between two of them.
      const double begin_ns = noise_.step_ns * random_.uniform();
      times_ns.push_back(noise_.step_ns * std::floor((begin_ns + read_ns) / noise_.step_ns));
    }
    analysis::SeriesObservation one{
        .size_bytes = visit.size_bytes,
        .group = group,
        .median_ns = std::max(stats::grouped_median(times_ns, noise_.step_ns) - kReadingNs, 0.1),
        .mean_ns = stats::mean(times_ns) - kReadingNs,
        .variance_ns2 = stats::variance(times_ns).value_or(0),
        .repetitions = kRepetitions,
        .start_s = 10.0 * group + place * 0.002};
    switch (visit.key.kind) {
      case Kind::kSendToLate:
      case Kind::kLateReceive:
      case Kind::kLaterReceive:
      case Kind::kPostedReceive:
        one.lateness_ns = late_ns;
        break;
      default:
        break;
    }
    return one;
  }

  // As the driver does (driver/sizes/break_sizes.hpp): a size in each quarter of a gap that is
  // wider than 2 %, in all groups to come.
  void add_sizes() {
    constexpr std::size_t kMostAdded = 60;
    for (const Kind kind : kWithBreaks) {
      std::vector<std::uint64_t>& added = added_[kind];
      for (const analysis::SizeBreak& found : breaks_of(kind)) {
        const auto low = static_cast<double>(found.last_bytes);
        const auto high = static_cast<double>(found.first_bytes);
        if (high - low <= std::max(1.0, 0.02 * low)) continue;
        for (int quarter = 0; quarter < 4 && added.size() < kMostAdded; ++quarter) {
          const double at = (quarter + random_.uniform()) / 4;
          const auto size =
              static_cast<std::uint64_t>(std::llround(low * std::pow(high / low, at)));
          const bool is_new = size > found.last_bytes && size < found.first_bytes &&
                              std::ranges::find(added, size) == added.end() &&
                              !held_out_.contains(size);
          if (is_new) added.push_back(size);
        }
      }
    }
  }

  std::vector<analysis::SizeBreak> breaks_of(Kind kind) {
    std::map<std::uint64_t, std::map<std::uint32_t, std::vector<double>>> times;
    std::set<std::uint32_t> groups;
    for (const analysis::SeriesObservation& one : series_[{.kind = kind}]) {
      if (held_out_.contains(one.size_bytes)) continue;
      times[one.size_bytes][one.group].push_back(one.median_ns);
      groups.insert(one.group);
    }
    stats::SizeCurve curve;
    for (auto& [size, by_group] : times) {
      stats::SizeTimes row{.size = static_cast<double>(size)};
      for (const std::uint32_t group : groups) {
        const auto found = by_group.find(group);
        row.log_times.push_back(found == by_group.end()
                                    ? std::nullopt
                                    : std::optional(std::log(stats::median(found->second))));
      }
      curve.push_back(std::move(row));
    }
    return analysis::size_breaks(curve, {.step_ns = noise_.step_ns});
  }

  const NetworkMachine& machine_;
  CampaignNoise noise_;
  base::Random random_;
  design::Campaign campaign_ = {};
  design::SizeSample sample_ = {};
  std::set<std::uint64_t> held_out_ = {};
  std::map<analysis::SeriesKey, std::vector<analysis::SeriesObservation>> series_ = {};
  std::map<Kind, std::vector<std::uint64_t>> added_ = {};
};

}  // namespace invar::simulated
