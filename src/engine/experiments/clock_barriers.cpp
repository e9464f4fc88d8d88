// How far apart ranks leave a barrier that they entered together (paper 002, figure 4). All start
// by the clock (windows), so that the entry is known; kinds of barriers take turns in a random
// order, so that no phase of the machine favours one.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "engine/clocks/tracked_mesh.hpp"
#include "engine/experiments/clock_experiments.hpp"
#include "engine/sync/mpi_sync.hpp"
#include "engine/sync/sync.hpp"
#include "engine/sync/window.hpp"

namespace invar::engine {
namespace {

using base::kPsPerS;
constexpr std::uint64_t kOrderStream = 0x6f72646572;  // "order"
constexpr std::uint32_t kParts = 10;
constexpr std::uint32_t kWarmUp = 20;  // of a part
// A part ends after that, or after twice its share of the time, however few repetitions it has: on
// a busy machine windows must become long.
constexpr double kLeastPartS = 0.1;

enum class Method : std::uint8_t { kLibrary, kDouble, kDissemination, kWindow, kRoundTime };
constexpr std::array kNames{"MPI_Barrier", "double MPI_Barrier", "dissemination", "window",
                            "round-time"};

// Without a shared clock there is no round-time.
std::size_t methods(const ClockSetting& setting) {
  return setting.one_clock() ? kNames.size() : kNames.size() - 1;
}

struct Repetitions {
  explicit Repetitions(std::size_t room) : entry(room), end(room), flags(room), method(room) {}
  // Not `exit`: SimGrid's compiler makes a macro of that word.
  std::vector<std::int64_t> entry, end;  // ticks while measuring, global times afterwards
  std::vector<std::uint16_t> flags;
  std::vector<Method> method;
  std::size_t used = 0;
};

void nobody_is_missing(void* /*context*/) {}  // a launcher ends a job whose rank has died

// `StartClock`: on which windows are agreed.
template <typename Clock, typename StartClock>
void measure(ClockSetting& setting, Clock clock, StartClock start_clock, double start_ticks_per_s,
             TrackedMesh* mesh, Repetitions& kept) {
  const auto start_ticks = [&](double seconds) {
    return static_cast<std::int64_t>(seconds * start_ticks_per_s);
  };
  const auto ticks = [&](double seconds) {
    return static_cast<std::int64_t>(seconds * kPsPerS / setting.clock().ps_per_tick);
  };
  MPI_Comm windows_comm = MPI_COMM_NULL;
  MPI_Comm barrier_comm = MPI_COMM_NULL;
  MPI_Comm_dup(setting.world(), &windows_comm);
  MPI_Comm_dup(setting.world(), &barrier_comm);
  WindowSync<StartClock, OwnTime, DisseminatedSum<BlockReport>> windows(
      start_clock, OwnTime{}, Dither(1, 0),
      {.least_ticks = start_ticks(1e-6),
       .most_ticks = start_ticks(1e-3),
       .lead_ticks = start_ticks(20e-6),
       .interruption_ticks = start_ticks(1e-6),
       .visit_ticks = start_ticks(std::max(kLeastPartS, 2 * setting.spec().duration_s / kParts))},
      {});
  windows.use(windows_comm);
  const bool own_cores = setting.spec().pinning == "core";
  RoundTime<Clock> round_time(setting.page(), clock, Dither(1, 0), {},
                              {.first_slack_ticks = ticks(2e-6),
                               .least_slack_ticks = ticks(0.2e-6),
                               .most_slack_ticks = ticks(1e-3),
                               .interruption_ticks = ticks(1e-6),
                               .visit_ticks = std::numeric_limits<std::int64_t>::max(),
                               .yield = !own_cores},
                              nobody_is_missing, nullptr);
  round_time.begin({.repetitions = std::numeric_limits<std::uint32_t>::max(),
                    .capacity = std::numeric_limits<std::uint32_t>::max(),
                    .local_members = setting.hosts().local_ranks,
                    .local_index = setting.hosts().local_rank});
  const std::size_t kinds = methods(setting);
  const auto part = static_cast<std::uint32_t>(
      std::max<std::size_t>(1, setting.spec().repetitions * kinds / kParts));
  MPI_Barrier(setting.world());
  const std::int64_t begin_ps = setting.clock().real_ps();
  for (std::uint32_t p = 0; p < kParts; ++p) {
    setting.sleep_until(
        begin_ps + static_cast<std::int64_t>(p * setting.spec().duration_s / kParts * kPsPerS));
    if (mesh != nullptr) mesh->track();
    windows.begin({.repetitions = part,
                   .capacity = 2 * part + kWarmUp,
                   .warm_up = kWarmUp,
                   .call_ticks = start_ticks(20e-6)});
    std::size_t i = kept.used;
    for (std::uint32_t n = 0; windows.wait(kept.flags[i]); ++n, ++i) {
      if (n < kWarmUp) kept.flags[i] |= record::kWarmUp;
      kept.entry[i] = clock.now();
      switch (kept.method[i]) {
        case Method::kLibrary:
          MPI_Barrier(barrier_comm);
          break;
        case Method::kDouble:
          MPI_Barrier(barrier_comm);
          MPI_Barrier(barrier_comm);
          break;
        case Method::kDissemination:
          dissemination_barrier(barrier_comm);
          break;
        case Method::kWindow:
          break;  // the start itself
        case Method::kRoundTime:
          round_time.wait(kept.flags[i]);
          break;
      }
      kept.end[i] = clock.now();
    }
    kept.used = i;
  }
  if (mesh != nullptr) mesh->track();
  MPI_Comm_free(&windows_comm);
  MPI_Comm_free(&barrier_comm);
}

// In sets of one of each.
void draw_methods(const ClockSetting& setting, Repetitions& kept) {
  base::Random random = base::Random::of({kOrderStream, setting.spec().virtual_clocks.seed});
  std::vector<Method> set(methods(setting));
  for (std::size_t i = 0; i < kept.method.size(); i += set.size()) {
    for (std::size_t k = 0; k < set.size(); ++k) set[k] = static_cast<Method>(k);
    random.shuffle(std::span<Method>(set));
    for (std::size_t k = 0; k < set.size() && i + k < kept.method.size(); ++k) {
      kept.method[i + k] = set[k];
    }
  }
}

// From ticks to rank 0's time; the largest uncertainty of it (0: one clock).
double to_global(const ClockSetting& setting, const TrackedMesh* mesh, Repetitions& kept) {
  if (mesh == nullptr) {
    for (std::size_t i = 0; i < kept.used; ++i) {
      kept.entry[i] = setting.clock().real_ps_of(kept.entry[i]);
      kept.end[i] = setting.clock().real_ps_of(kept.end[i]);
    }
    return 0;
  }
  const clock::SmoothedClock smoothed = mesh->smoothed();
  double sigma_ps = 0;
  for (std::size_t i = 0; i < kept.used; ++i) {
    for (std::int64_t* time : {&kept.entry[i], &kept.end[i]}) {
      const auto reading = smoothed.at(setting.clock().real_ps_of(*time));
      if (!reading) {
        kept.flags[i] |= record::kGlobalInvalid;
        continue;
      }
      *time = reading->reference_ps;
      sigma_ps = std::max(sigma_ps, reading->sigma_ps);
    }
  }
  return setting.largest(sigma_ps) / 1000;
}

std::vector<std::int64_t> over_ranks(const std::vector<std::int64_t>& mine, MPI_Op op,
                                     std::size_t used, MPI_Comm comm) {
  std::vector<std::int64_t> all(used);
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(used), MPI_INT64_T, op, comm);
  return all;
}

// How long after the first rank one rank leaves, with one method.
struct Behind {
  double median_ns = 0, count = 0, mean_ns = 0, sd_ns = 0;
};
constexpr std::size_t kBehindNumbers = sizeof(Behind) / sizeof(double);

Behind behind_of(std::vector<double>& values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  Behind behind{.median_ns = *middle, .count = static_cast<double>(values.size())};
  behind.mean_ns = std::accumulate(values.begin(), values.end(), 0.0) / behind.count;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - behind.mean_ns, 2);
  if (values.size() > 1) behind.sd_ns = std::sqrt(squares / (behind.count - 1));
  return behind;
}

std::string rank_rows(const ClockSetting& setting, std::vector<std::vector<double>>& behind,
                      double sigma_ns) {
  std::vector<double> mine;
  for (std::vector<double>& values : behind) {
    const Behind one = behind_of(values);
    mine.insert(mine.end(), {one.median_ns, one.count, one.mean_ns, one.sd_ns});
  }
  const std::vector<double> all = setting.gather(mine);
  std::string csv;
  for (std::size_t i = 0; i < all.size() / kBehindNumbers; ++i) {
    const double* one = &all[i * kBehindNumbers];
    const double count = one[1];
    csv += std::string("rank,") + kNames[i % behind.size()] + ',' +
           std::to_string(i / behind.size()) + ",0,0," + base::shortest_text(one[0]) + ",0," +
           base::shortest_text(sigma_ns) + ',' + base::shortest_text(count) + ',' +
           (count > 0 ? base::shortest_text(one[2]) : "") + ',' +
           (count > 1 ? base::shortest_text(one[3]) : "") + '\n';
  }
  return csv;
}

std::string text_of(const ClockSetting& setting, const Repetitions& kept, double sigma_ns) {
  const std::size_t used = kept.used;
  const auto first_entry = over_ranks(kept.entry, MPI_MIN, used, setting.world());
  const auto last_entry = over_ranks(kept.entry, MPI_MAX, used, setting.world());
  const auto first_exit = over_ranks(kept.end, MPI_MIN, used, setting.world());
  const auto last_exit = over_ranks(kept.end, MPI_MAX, used, setting.world());
  std::vector<std::uint16_t> flags(used);
  MPI_Allreduce(kept.flags.data(), flags.data(), static_cast<int>(used), MPI_UINT16_T, MPI_BOR,
                setting.world());
  std::string csv = record::raw_header(record::kRawBarriers);
  const auto ns = [](std::int64_t from_ps, std::int64_t to_ps) {
    return static_cast<double>(to_ps - from_ps) / 1000;
  };
  constexpr std::uint16_t kBad = record::kNotTogether | record::kGlobalInvalid;
  std::vector<std::vector<double>> behind(methods(setting));
  for (std::size_t i = 0; i < used; ++i) {
    if ((flags[i] & record::kWarmUp) != 0) continue;
    const auto method = static_cast<std::size_t>(kept.method[i]);
    if ((flags[i] & kBad) == 0) behind[method].push_back(ns(first_exit[i], kept.end[i]));
    csv += std::string("repetition,") + kNames[method] + ',' + std::to_string(i) + ',' +
           std::to_string(flags[i]) + ',' + base::shortest_text(ns(first_entry[i], last_entry[i])) +
           ',' + base::shortest_text(ns(first_exit[i], last_exit[i])) + ',' +
           base::shortest_text(ns(last_entry[i], last_exit[i])) + ',' +
           base::shortest_text(sigma_ns) + ",,,\n";
  }
  return csv + rank_rows(setting, behind, sigma_ns);
}

}  // namespace

std::string clock_barriers(ClockSetting& setting) {
  const std::size_t room =
      kParts *
      (2 * std::max<std::size_t>(1, setting.spec().repetitions * methods(setting) / kParts) +
       kWarmUp + 1);
  Repetitions kept(room);
  draw_methods(setting, kept);
  if (setting.one_clock()) {
    setting.clocks().with(setting.clock().source, [&](auto clock) {
      measure(setting, clock, clock, kPsPerS / setting.clock().ps_per_tick, nullptr, kept);
    });
    return text_of(setting, kept, to_global(setting, nullptr, kept));
  }
  TrackedMesh mesh(setting, setting.mesh().value_or(clock::parse_algorithm("mesh", "")));
  // The model changes with every tracking.
  const ModelClock global{&setting.clock(), &mesh.model()};
  setting.clocks().with(setting.clock().source,
                        [&](auto clock) { measure(setting, clock, global, kPsPerS, &mesh, kept); });
  return text_of(setting, kept, to_global(setting, &mesh, kept));
}

}  // namespace invar::engine
