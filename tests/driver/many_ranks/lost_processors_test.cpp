// What becomes of results where each of many ranks loses its processor for 3 us in one of 2000
// repetitions, across the start: from 128 to 100000 ranks, by the engine's own synchronisation and
// by the analysis's own decision, on clocks that the test drives. The truth is the same simulation
// without losses. Prints a table (docs/measuring.md, "Late and lost").
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "analysis/study/scope.hpp"
#include "analysis/study/start_skews.hpp"
#include "analysis/study/summaries.hpp"
#include "base/random.hpp"
#include "engine/sync/enough.hpp"
#include "engine/sync/sync.hpp"
#include "engine/sync/window.hpp"
#include "engine/timed/visit_counts.hpp"
#include "group/forked.hpp"
#include "simulations.hpp"

namespace invar::many_ranks {
namespace {

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
};

std::int64_t lost_limit_ns(const Setting& setting) {
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

void nobody_watches(void* /*context*/) {}

// That a visit makes at most behind its warm-up, as group::measured_capacity() with the usual cap.
std::uint32_t most_attempts(const Setting& setting) {
  return std::max(2 * setting.repetitions, setting.repetitions + 16);
}

// For each repetition that was asked for, where all visits but the first know that most are lost:
// these end when they have as many as were asked for. Windows end with a block, and a few more may
// be late.
double attempts_from_the_second_visit_on(const Setting& setting) {
  const std::uint32_t enough = std::max(setting.repetitions, engine::kFewestToTell);
  const std::uint32_t later =
      std::min(enough + (setting.windows ? 8 : 4), most_attempts(setting) - 4);
  return static_cast<double>(most_attempts(setting) + (setting.visits - 1) * later) /
         (setting.visits * setting.repetitions);
}

engine::VisitStart visit_start(const Setting& setting) {
  return {.repetitions = setting.repetitions,
          .capacity = 3 + most_attempts(setting),
          .warm_up = 3,
          .local_members = setting.ranks,
          .call_ticks = setting.call_ns,
          .lost_limit_ticks = lost_limit_ns(setting)};
}

// Of one repetition, whoever synchronised it.
record::Timing timing_of(std::uint32_t repetition, std::int64_t first_ns, std::int64_t last_ns,
                         std::int64_t end_ns, unsigned flags) {
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
std::int64_t call_ns(const Setting& setting, std::uint32_t visit, std::uint32_t repetition) {
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
                          engine::RoundLimits{.first_slack_ticks = 2000,
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

  std::int64_t phase() { return static_cast<std::int64_t>(phases_.uniform() * kReadNs); }

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

// Window synchronisation by one rank; when the others start is drawn.
class Windows {
 public:
  explicit Windows(const Setting& setting)
      : setting_(setting),
        sync_(RankClock{&time_}, engine::OwnTime{}, engine::Dither(1, 0),
              engine::WindowLimits{.least_ticks = 500,
                                   .most_ticks = 1'000'000'000,
                                   .lead_ticks = 20'000,
                                   .interruption_ticks = kInterruptionNs,
                                   .visit_ticks = INT64_MAX},
              Others{&said_}),
        random_(
            base::Random::of({31, setting.ranks, static_cast<std::uint64_t>(setting.call_ns)})) {}

  std::vector<record::Timing> visit(std::uint32_t visit) {
    const engine::VisitStart start = visit_start(setting_);
    sync_.begin(start);
    said_ = {};
    std::vector<std::uint16_t> flags(start.capacity + 1, 0);
    std::vector<record::Timing> records;
    for (std::uint32_t i = 0; sync_.wait(flags[i]); ++i) {
      if (said_.forget) said_ = {};
      const std::int64_t first_ns = RankClock{&time_}.now();
      const std::int64_t lost_ns = largest_loss_ns();
      if (lost_ns > kInterruptionNs) flags[i] |= record::kLost;
      if (lost_ns > start.lost_limit_ticks) {
        flags[i] |= record::kApart;
        said_.lost |= std::uint64_t{1} << said_.at;
      }
      ++said_.at;
      const std::int64_t end_ns = first_ns + lost_ns + call_ns(setting_, visit, i);
      time_.now = end_ns;
      records.push_back(timing_of(i, first_ns, first_ns + lost_ns, end_ns, 0));
    }
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      records[i].flags = flags[i];
      if (i < sync_.warm_up()) records[i].flags |= record::kWarmUp;
    }
    return records;
  }

 private:
  // Of the block that is under way.
  struct Said {
    std::uint64_t lost = 0;
    std::uint32_t at = 0;
    bool forget = false;  // it has been told
  };
  struct Others {
    Said* said;
    engine::BlockReport operator()(engine::BlockReport mine) const {
      mine.lost |= said->lost;
      said->forget = true;
      return mine;
    }
  };

  // How much later the last of the others starts.
  std::int64_t largest_loss_ns() {
    std::int64_t most_ns = 0;
    for (std::uint32_t rank = 1; setting_.losses && rank < setting_.ranks; ++rank) {
      if (random_.uniform() >= kLossProbability) continue;
      most_ns = std::max(most_ns, static_cast<std::int64_t>(random_.uniform() * kLossNs));
    }
    return most_ns;
  }

  Setting setting_;
  RankTime time_ = {};
  Said said_ = {};
  engine::WindowSync<RankClock, engine::OwnTime, Others> sync_;
  base::Random random_;
};

// A campaign of one arm and one cell: every visit a launch group.
struct Measured {
  std::deque<std::vector<record::Timing>> records = {};
  store::Data data = {};
};

template <typename Machine>
std::unique_ptr<Measured> measured_by(const Setting& setting) {
  auto result = std::make_unique<Measured>();
  store::Data& data = result->data;
  data.scope = std::to_string(setting.ranks) + " ranks";
  data.ended = true;
  data.arms.push_back({.label = "simulated"});
  data.cells.emplace_back();
  data.cells.front().operation = "allreduce";
  Machine machine(setting);
  for (std::uint32_t visit = 0; visit < setting.visits; ++visit) {
    store::Visit one;
    one.records = result->records.emplace_back(machine.visit(visit));
    one.line.records = static_cast<std::uint32_t>(one.records.size());
    engine::count_repetitions(one.records, setting.repetitions, most_attempts(setting),
                              lost_limit_ns(setting) * 1000, one.line);
    store::Launch launch{.launch = visit + 1, .group = visit + 1};
    launch.visits.push_back(std::move(one));
    data.groups.push_back({.group = visit + 1, .launches = {std::move(launch)}});
  }
  return result;
}

std::unique_ptr<Measured> measured(const Setting& setting) {
  return setting.windows ? measured_by<Windows>(setting) : measured_by<Host>(setting);
}

struct Outcome {
  double median_ns = 0;
  std::uint64_t empty_visits = 0;
  analysis::Tally tally = {};
  analysis::CellStarts starts = {};
  std::string scope = {};
  double attempts = 0;  // for each repetition that was asked for, without warm-up
};

Outcome outcome_of(const Setting& setting) {
  const std::unique_ptr<Measured> campaign = measured(setting);
  const analysis::Summaries summaries =
      analysis::summarize_visits(campaign->data, analysis::Runtime::kAuto, true);
  Outcome outcome;
  std::vector<double> medians;
  for (const analysis::VisitSummary& visit : summaries.visits) medians.push_back(visit.median_ns);
  outcome.empty_visits = setting.visits - medians.size();
  if (!medians.empty()) {
    std::ranges::sort(medians);
    outcome.median_ns = (medians[(medians.size() - 1) / 2] + medians[medians.size() / 2]) / 2;
  }
  outcome.tally = summaries.arms.front();
  const analysis::StartSkews starts(campaign->data);
  if (const analysis::CellStarts* cell = starts.of(0)) outcome.starts = *cell;
  outcome.scope = analysis::scope_text(campaign->data, false);
  double attempts = 0;
  for (const auto& records : campaign->records) attempts += static_cast<double>(records.size());
  outcome.attempts = (attempts - static_cast<double>(outcome.tally.warm_up)) /
                     (setting.visits * setting.repetitions);
  return outcome;
}

void print_row(const Setting& setting, const Outcome& lossy, double error_ns) {
  const auto share = [&](std::uint64_t count) {
    return lossy.starts.judged == 0
               ? 0.0
               : 100.0 * static_cast<double>(count) / static_cast<double>(lossy.starts.judged);
  };
  std::printf(
      "| %u | %s | %g us | %.0f %% | %.0f %% | %.2f | %s | %+.2f %% |\n", setting.ranks,
      setting.windows ? "window" : "round-time", static_cast<double>(setting.call_ns) / 1000,
      share(lossy.starts.lost), share(lossy.starts.apart), lossy.attempts,
      lossy.starts.all_kept ? ("all, within " + base::duration_text(lossy.starts.skew_ns)).c_str()
                            : "together",
      100 * error_ns / static_cast<double>(setting.call_ns));
}

void check(Setting setting) {
  SCOPED_TRACE(std::to_string(setting.ranks) + " ranks, " + std::to_string(setting.call_ns) +
               " ns" + (setting.windows ? ", windows" : ""));
  const Outcome lossy = outcome_of(setting);
  setting.losses = false;
  const Outcome truth = outcome_of(setting);
  const double error_ns = lossy.median_ns - truth.median_ns;
  print_row(setting, lossy, error_ns);
  EXPECT_EQ(truth.empty_visits, 0U);
  EXPECT_EQ(truth.starts.lost, 0U);
  EXPECT_EQ(lossy.empty_visits, 0U) << "however many ranks there are";
  EXPECT_LE(lossy.attempts, static_cast<double>(most_attempts(setting)) / setting.repetitions)
      << "it does not repeat for ever";
  const bool exact = setting.ranks <= 1024 || setting.call_ns >= 300'000;
  if (exact) {
    EXPECT_LT(std::abs(error_ns), 0.01 * truth.median_ns);
  } else {
    ASSERT_TRUE(lossy.starts.all_kept);
    EXPECT_LE(lossy.attempts, attempts_from_the_second_visit_on(setting))
        << "no more attempts where more are no better";
    EXPECT_GE(error_ns, 0);
    EXPECT_LE(error_ns, lossy.starts.skew_ns) << "the scope names it";
    EXPECT_NE(lossy.scope.find("starts up to " + base::duration_text(lossy.starts.skew_ns) +
                               " apart: most repetitions had a rank that lost its processor"),
              std::string::npos)
        << lossy.scope;
  }
}

class LostProcessors : public testing::TestWithParam<Setting> {};

TEST_P(LostProcessors, LeaveNoVisitEmptyAndResultsRightOrLabelled) { check(GetParam()); }

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const bool windows : {false, true}) {
    for (const std::int64_t call_ns : {5'000, 50'000, 300'000, 1'000'000}) {
      settings.push_back({.ranks = 128, .call_ns = call_ns, .visits = 40, .windows = windows});
      settings.push_back({.ranks = 1024, .call_ns = call_ns, .visits = 40, .windows = windows});
      settings.push_back({.ranks = 10'000,
                          .call_ns = call_ns,
                          .visits = 6,
                          .repetitions = 15,
                          .windows = windows});
      if (test::kSanitized) continue;  // too slow, and nothing else happens there
      settings.push_back({.ranks = 100'000,
                          .call_ns = call_ns,
                          .visits = 2,
                          .repetitions = 8,
                          .windows = windows});
    }
  }
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Ranks, LostProcessors, testing::ValuesIn(all_settings()));

}  // namespace
}  // namespace invar::many_ranks
