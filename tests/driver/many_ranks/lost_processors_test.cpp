// What becomes of results where each of many ranks loses its processor for 3 us in one of 2000
// repetitions, across the start: from 128 to 100000 ranks, by the engine's own synchronisation and
// by the analysis's own decision, on clocks that the test drives. The truth is the same simulation
// without losses. Prints a table (docs/measuring.md, "Late and lost").
#include <gtest/gtest.h>

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
#include "driver/many_ranks/simulated_ranks.hpp"
#include "engine/sync/enough.hpp"
#include "engine/sync/window.hpp"
#include "engine/timed/visit_counts.hpp"
#include "simulations.hpp"

namespace invar::many_ranks {
namespace {

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
  // What was said in the block that is under way.
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
