// Repetitions in which a rank that waited called its library are told apart.
#include "engine/sync/flags_probes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "group/forked.hpp"

namespace invar::engine::test {
namespace {

using testing::Each;
using testing::ElementsAre;

// A synchronisation in which anything may happen while a rank waits.
struct PlainSync {
  std::uint32_t left = 0;
  std::function<void(std::uint32_t left)> while_it_waits = [](std::uint32_t) {};

  bool wait(std::uint16_t& flags) {
    while_it_waits(left);
    if (left == 0) return false;
    --left;
    flags |= record::kLate;
    return true;
  }
  [[nodiscard]] static std::uint32_t warm_up() { return 3; }
};

class FlagsProbesTest : public testing::Test {
 protected:
  // Flags of a visit's repetitions; `call(i)` is repetition i.
  std::vector<std::uint16_t> visit(FlagsProbes<PlainSync>& sync, std::uint32_t repetitions,
                                   const std::function<void(std::uint32_t)>& call) {
    sync.left = repetitions;
    std::vector<std::uint16_t> flags(repetitions + 1, 0);
    std::uint32_t i = 0;
    for (; sync.wait(flags.at(i)); ++i) call(i);
    EXPECT_EQ(i, repetitions);
    flags.resize(i);
    return flags;
  }

  group::Page page_ = group::Page::attach(group::test::page_name("flags"), {}, {});
  group::Turns turns_{page_, {}, {.visit_ns = INT64_MAX, .start_ns = INT64_MAX}, [] {}};
};

TEST_F(FlagsProbesTest, WhereNobodyCallsTheLibraryNothingIsFlagged) {
  FlagsProbes<PlainSync> sync({}, turns_);
  sync.watch_from_here();
  EXPECT_THAT(visit(sync, 4, [](std::uint32_t) {}), Each(record::kLate));
  EXPECT_EQ(sync.warm_up(), 3U) << "all else is the synchronisation's";
}

TEST_F(FlagsProbesTest, ACallOfAnyRankOfTheHostFlagsTheRepetitionUnderWay) {
  FlagsProbes<PlainSync> sync({}, turns_);
  sync.watch_from_here();
  // The calls are those of a rank that stands by.
  const auto flags = visit(sync, 4, [&](std::uint32_t i) {
    if (i == 1 || i == 3) page_.mine().probes.fetch_add(2);
  });
  const std::uint16_t probed = record::kLate | record::kProbed;
  EXPECT_THAT(flags, ElementsAre(record::kLate, probed, record::kLate, probed));
}

TEST_F(FlagsProbesTest, ACallWhileThisRankWaitsIsOfTheRepetitionThatBeginsThen) {
  PlainSync plain;
  plain.while_it_waits = [&](std::uint32_t left) {
    if (left == 2) turns_.note_probe();  // before the second of three
  };
  FlagsProbes<PlainSync> sync(plain, turns_);
  sync.watch_from_here();
  const std::uint16_t probed = record::kLate | record::kProbed;
  EXPECT_THAT(visit(sync, 3, [](std::uint32_t) {}),
              ElementsAre(record::kLate, probed, record::kLate));
}

TEST_F(FlagsProbesTest, WhatWasCalledBeforeTheVisitIsNotItsOwnButInTheCanaryItIs) {
  FlagsProbes<PlainSync> sync({}, turns_);
  turns_.note_probe();
  sync.watch_from_here();
  EXPECT_THAT(visit(sync, 2, [](std::uint32_t) {}), Each(record::kLate));
  turns_.note_probe();
  sync.watch_from_here();
  turns_.note_probe();  // between the visit's begin and its first repetition
  const std::uint16_t probed = record::kLate | record::kProbed;
  EXPECT_THAT(visit(sync, 2, [](std::uint32_t) {}), ElementsAre(probed, record::kLate));
}

}  // namespace
}  // namespace invar::engine::test
