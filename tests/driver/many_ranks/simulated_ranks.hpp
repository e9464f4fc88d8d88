// Ranks of one host in one thread, by the engine's own round-time, each on a clock that the test
// drives. If a test wants it they lose their processors, or see late what they have agreed on.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "engine/sync/sync.hpp"
#include "group/forked.hpp"
#include "record/timing.hpp"

namespace invar::many_ranks {

// Ticks are nanoseconds.
constexpr double kLossProbability = 5e-4;
constexpr std::int64_t kLossNs = 3000;
constexpr std::int64_t kReadNs = 200;         // from one look at the clock to the next
constexpr std::int64_t kPropagationNs = 100;  // until a rank sees what the last one has agreed on
constexpr double kNoiseNs = 100;              // of a call, from repetition to repetition
constexpr std::int64_t kInterruptionNs = 1000;

struct Setting {
  std::uint32_t ranks = 128;
  std::int64_t call_ns = 5000;
  std::uint32_t visits = 20;
  std::uint32_t repetitions = 30;
  bool losses = true;
  bool windows = false;
  // Ranks see what the last one has agreed on at moments up to so much apart.
  std::int64_t seen_apart_ns = kReadNs;
  std::int64_t first_slack_ns = 2000;
};

inline std::int64_t lost_limit_ns(const Setting& setting) {
  return std::max<std::int64_t>(1000, setting.call_ns / 50);
}

// One rank's clock. It stands still but for readings, and for a loss when its time has come.
struct RankTime {
  std::int64_t now = 0;
  std::int64_t lost_from = INT64_MAX;
};
struct RankClock {
  RankTime* time;
  [[nodiscard]] std::int64_t now() const {
    time->now += kReadNs;
    if (time->now >= time->lost_from) {
      time->now = std::max(time->now, time->lost_from + kLossNs);
      time->lost_from = INT64_MAX;
    }
    return time->now;
  }
};

inline void nobody_watches(void* /*context*/) {}

// That a visit makes at most behind its warm-up, as group::measured_capacity() with the usual cap.
inline std::uint32_t most_attempts(const Setting& setting) {
  return std::max(2 * setting.repetitions, setting.repetitions + 16);
}

inline engine::VisitStart visit_start(const Setting& setting) {
  return {.repetitions = setting.repetitions,
          .capacity = 3 + most_attempts(setting),
          .warm_up = 3,
          .local_members = setting.ranks,
          .call_ticks = setting.call_ns,
          .lost_limit_ticks = lost_limit_ns(setting)};
}

// The record of one repetition, whoever synchronised it.
inline record::Timing timing_of(std::uint32_t repetition, std::int64_t first_ns,
                                std::int64_t last_ns, std::int64_t end_ns, unsigned flags) {
  record::Timing timing{};
  timing.repetition = repetition;
  timing.start_ps = first_ns * 1000;
  timing.global_ps = timing.local_max_ps = (end_ns - first_ns) * 1000;
  timing.start_skew_ps = (last_ns - first_ns) * 1000;
  timing.flags = static_cast<std::uint16_t>(flags);
  return timing;
}

// What a call takes: a collective in which all wait for the last one. The same with and without
// losses.
inline std::int64_t call_ns(const Setting& setting, std::uint32_t visit, std::uint32_t repetition) {
  base::Random random = base::Random::of({11, setting.ranks, visit, repetition});
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return setting.call_ns + static_cast<std::int64_t>(kNoiseNs * (sum - 6));
}

// All ranks of one host of so many cores, in one thread: they come to an agreement one after the
// other, then wait for the start one after the other, each on its own clock.
class Host {
 public:
  explicit Host(const Setting& setting)
      : setting_(setting),
        name_(group::test::page_name("many")),
        page_(group::Page::attach(name_, {.arms = 1, .local_ranks = setting.ranks}, {})),
        times_(setting.ranks),
        random_(
            base::Random::of({23, setting.ranks, static_cast<std::uint64_t>(setting.call_ns)})) {
    shm_unlink(("/invar-" + name_).c_str());
    ranks_.reserve(setting.ranks);
    for (RankTime& time : times_) {
      ranks_.emplace_back(page_, RankClock{&time}, engine::Dither(1, 0),
                          engine::WarmUp{.repetitions = 3, .min = 3},
                          engine::RoundLimits{.first_slack_ticks = setting.first_slack_ns,
                                              .least_slack_ticks = 200,
                                              .most_slack_ticks = 1'000'000,
                                              .interruption_ticks = kInterruptionNs,
                                              .visit_ticks = INT64_MAX},
                          nobody_watches, nullptr);
    }
  }

  std::vector<record::Timing> visit(std::uint32_t visit) {
    engine::VisitStart start = visit_start(setting_);
    for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
      start.local_index = rank;
      ranks_[rank].begin(start);
    }
    std::vector<record::Timing> records;
    while (true) {
      come();
      std::int64_t first_ns = INT64_MAX;
      std::int64_t last_ns = 0;
      unsigned flags = 0;
      bool over = false;
      for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
        std::uint16_t own = 0;
        if (!ranks_[rank].go(own)) {
          over = true;  // for all, and each learns from it what the visit was like
          continue;
        }
        const std::int64_t begin_ns = RankClock{&times_[rank]}.now();
        flags |= own;
        first_ns = std::min(first_ns, begin_ns);
        last_ns = std::max(last_ns, begin_ns);
      }
      if (over) return marked(std::move(records));
      const auto repetition = static_cast<std::uint32_t>(records.size());
      const std::int64_t end_ns = last_ns + call_ns(setting_, visit, repetition);
      for (RankTime& time : times_) time.now = end_ns;
      records.push_back(timing_of(repetition, first_ns, last_ns, end_ns, flags));
    }
  }

 private:
  void come() {
    for (engine::RoundTime<RankClock>& rank : ranks_) rank.come();
    const std::int64_t deadline_ns = page_.mine().start.deadline_ticks;
    const std::int64_t agreed_ns = times_.back().now;
    for (RankTime& time : times_) {
      // Ranks look at different moments.
      time.now = agreed_ns + kPropagationNs - kReadNs + phase();
      time.lost_from = INT64_MAX;
      if (setting_.losses && random_.uniform() < kLossProbability) {
        time.lost_from = deadline_ns - static_cast<std::int64_t>(random_.uniform() * kLossNs);
      }
    }
  }

  std::int64_t phase() {
    return static_cast<std::int64_t>(phases_.uniform() *
                                     static_cast<double>(setting_.seen_apart_ns));
  }

  std::vector<record::Timing> marked(std::vector<record::Timing> records) {
    const std::uint32_t warm_up = ranks_.front().warm_up();
    for (std::uint32_t i = 0; i < warm_up; ++i) records[i].flags |= record::kWarmUp;
    return records;
  }

  Setting setting_;
  std::string name_;
  group::Page page_;
  std::vector<RankTime> times_;
  std::vector<engine::RoundTime<RankClock>> ranks_ = {};
  base::Random random_;
  base::Random phases_ = base::Random::of({29});
};

}  // namespace invar::many_ranks
