// How far apart ranks start that keep their processors: whatever their number, no further than one
// look at the clock, although they see what was agreed on much further apart. By the engine's own
// synchronisations, on clocks that the test drives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "driver/many_ranks/simulated_ranks.hpp"
#include "engine/sync/sync.hpp"
#include "engine/sync/window.hpp"
#include "record/timing.hpp"

namespace invar::many_ranks {
namespace {

// Between their first looks at an agreement. Where it is more than a gap in which a rank may have
// lost its processor, it has to be learned that it is usual.
constexpr std::int64_t kWithinAGapNs = 500;
constexpr std::int64_t kBeyondAGapNs = 3000;
static_assert(kWithinAGapNs > 2 * kReadNs, "the wait has something to do");

// All ranks of a team by windows, in one thread. All of them exchange at once, so that each one's
// wait is made twice: by a copy that is thrown away, for what the rank says, and then with what all
// say.
class WindowTeam {
 public:
  explicit WindowTeam(const Setting& setting) : setting_(setting), times_(setting.ranks) {
    ranks_.reserve(setting.ranks);
    for (RankTime& time : times_) {
      ranks_.emplace_back(RankClock{&time}, engine::OwnTime{}, engine::Dither(1, 0),
                          engine::WindowLimits{.least_ticks = 500,
                                               .most_ticks = 1'000'000'000,
                                               .lead_ticks = setting.first_slack_ns,
                                               .interruption_ticks = kInterruptionNs,
                                               .visit_ticks = INT64_MAX},
                          Exchange{&setting_, &talk_, &time});
    }
  }

  std::vector<record::Timing> visit(std::uint32_t visit) {
    const engine::VisitStart start = visit_start(setting_);
    for (Rank& rank : ranks_) rank.begin(start);
    // A repetition's flags may get more when the next one is waited for.
    std::vector<std::vector<std::uint16_t>> flags(
        setting_.ranks, std::vector<std::uint16_t>(start.capacity + 1, 0));
    std::vector<record::Timing> records;
    while (true) {
      const auto repetition = static_cast<std::uint32_t>(records.size());
      hear_all();
      std::int64_t first_ns = INT64_MAX;
      std::int64_t last_ns = 0;
      bool over = false;
      for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
        if (!ranks_[rank].wait(flags[rank][repetition])) {
          over = true;
          continue;
        }
        const std::int64_t begin_ns = RankClock{&times_[rank]}.now();
        first_ns = std::min(first_ns, begin_ns);
        last_ns = std::max(last_ns, begin_ns);
      }
      if (over) break;
      const std::int64_t end_ns = last_ns + call_ns(setting_, visit, repetition);
      for (RankTime& time : times_) time.now = end_ns - apart_ns(talk_, setting_);
      records.push_back(timing_of(repetition, first_ns, last_ns, end_ns, 0));
    }
    for (record::Timing& timing : records) {
      if (timing.repetition < start.warm_up) timing.flags |= record::kWarmUp;
      for (const auto& of_rank : flags) timing.flags |= of_rank[timing.repetition];
    }
    return records;
  }

 private:
  struct Talk {
    engine::BlockReport all = {};
    bool listening = false;
    base::Random random = base::Random::of({37});
  };
  static std::int64_t apart_ns(Talk& talk, const Setting& setting) {
    return static_cast<std::int64_t>(talk.random.uniform() *
                                     static_cast<double>(setting.seen_apart_ns));
  }
  struct Exchange {
    const Setting* setting;
    Talk* talk;
    RankTime* time;
    engine::BlockReport operator()(const engine::BlockReport& mine) const {
      if (talk->listening) {
        talk->all.add(mine);
        return mine;
      }
      time->now = talk->all.now_ticks + kPropagationNs + apart_ns(*talk, *setting);
      return talk->all;
    }
  };
  using Rank = engine::WindowSync<RankClock, engine::OwnTime, Exchange>;

  void hear_all() {
    talk_.all = {};
    talk_.listening = true;
    for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
      const RankTime now = times_[rank];
      Rank copy = ranks_[rank];
      std::uint16_t nobodys = 0;
      copy.wait(nobodys);
      times_[rank] = now;
    }
    talk_.listening = false;
  }

  Setting setting_;
  std::vector<RankTime> times_;
  Talk talk_ = {};
  std::vector<Rank> ranks_ = {};
};

struct Starts {
  std::uint64_t kept = 0;
  std::uint64_t late = 0;
  std::uint64_t apart = 0;   // by more than a visit's limit
  std::int64_t skew_ns = 0;  // the largest of those that were kept
  // The same of those in which no rank saw a gap while it waited.
  std::int64_t watched_skew_ns = 0;
};

// Counts the visits from `first` on.
template <typename Ranks>
Starts starts_of(const Setting& setting, std::uint32_t first = 0) {
  Ranks ranks(setting);
  Starts starts;
  for (std::uint32_t visit = 0; visit < setting.visits; ++visit) {
    for (const record::Timing& timing : ranks.visit(visit)) {
      if (visit < first) continue;
      const unsigned flags = timing.flags;
      starts.late += (flags & record::kLate) != 0 ? 1U : 0U;
      starts.apart += (flags & record::kApart) != 0 ? 1U : 0U;
      if ((flags & (record::kLeftOut | record::kApart)) != 0) continue;
      ++starts.kept;
      const std::int64_t skew_ns = timing.start_skew_ps / 1000;
      starts.skew_ns = std::max(starts.skew_ns, skew_ns);
      if ((flags & record::kInterrupted) == 0) {
        starts.watched_skew_ns = std::max(starts.watched_skew_ns, skew_ns);
      }
    }
  }
  return starts;
}

// The slack is too short at first.
Setting without_losses(std::uint32_t ranks, std::int64_t seen_apart_ns) {
  return {.ranks = ranks,
          .visits = 8,
          .repetitions = 30,
          .losses = false,
          .seen_apart_ns = seen_apart_ns,
          .first_slack_ns = kReadNs};
}

class StartsOfRanks : public testing::TestWithParam<std::uint32_t> {};

TEST_P(StartsOfRanks, ByRoundTimeAreOneLookAtTheClockApartAtMost) {
  const Setting setting = without_losses(GetParam(), kWithinAGapNs);
  const Starts starts = starts_of<Host>(setting);
  EXPECT_EQ(starts.kept, setting.visits * setting.repetitions);
  EXPECT_LE(starts.skew_ns, kReadNs);
  EXPECT_EQ(starts.apart, 0U) << "nobody lost its processor";
  EXPECT_GT(starts.late, 0U) << "ranks do see the agreement when the start has passed";
}

// A rank that begins within the limit of a gap counts, and it is in the record that there was one.
TEST_P(StartsOfRanks, ThatSeeTheAgreementLateAreAGapApartAtMostUntilThatIsKnownAsUsual) {
  const Setting setting = without_losses(GetParam(), kBeyondAGapNs);
  const Starts starts = starts_of<Host>(setting);
  EXPECT_EQ(starts.kept, setting.visits * setting.repetitions);
  EXPECT_LE(starts.watched_skew_ns, kReadNs);
  EXPECT_LE(starts.skew_ns, kInterruptionNs + kReadNs);
  const Starts later = starts_of<Host>(setting, 1);
  EXPECT_LE(later.skew_ns, kReadNs) << "from the second visit on";
  EXPECT_EQ(later.apart, 0U);
}

TEST_P(StartsOfRanks, InWindowsAreOneLookAtTheClockApartAtMost) {
  const Setting setting = without_losses(GetParam(), kBeyondAGapNs);
  const Starts starts = starts_of<WindowTeam>(setting);
  EXPECT_EQ(starts.kept, setting.visits * setting.repetitions);
  EXPECT_LE(starts.skew_ns, kReadNs);
  EXPECT_EQ(starts.apart, 0U) << "nobody lost its processor";
  EXPECT_GT(starts.late, 0U) << "ranks do leave the exchange when the start has passed";
}

INSTANTIATE_TEST_SUITE_P(Ranks, StartsOfRanks, testing::Values(2U, 8U, 64U, 128U, 1024U),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace invar::many_ranks
