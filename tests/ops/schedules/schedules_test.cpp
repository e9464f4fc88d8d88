// Reference algorithms, for every number of ranks up to 64 and around 128, and every root: each
// receive has its send, no rank waits for ever although sends are synchronous, nothing is touched
// while it is under way, and every operand is combined exactly once.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ops/schedules/play.hpp"
#include "ops/schedules/schedule.hpp"

namespace invar::ops {

#define INVAR_OPERATION(name, constant)
#define INVAR_SCHEDULE(name, constant) extern const Algorithm constant;
#include "ops/catalogue.def"
#undef INVAR_SCHEDULE

extern const Algorithm kBcastBine;  // docs/examples/own-operations

namespace test {
namespace {

using ::testing::HasSubstr;

#define INVAR_SCHEDULE(name, constant) &(constant),
constexpr std::array kAlgorithms{
#include "ops/catalogue.def"
};
#undef INVAR_SCHEDULE
#define INVAR_SCHEDULE(name, constant) std::string_view(name),
constexpr std::array kNames{
#include "ops/catalogue.def"
};
#undef INVAR_SCHEDULE

std::vector<int> rank_counts() {
  std::vector<int> counts(64);
  std::iota(counts.begin(), counts.end(), 1);
  counts.insert(counts.end(), {127, 128, 129});
  return counts;
}

const Algorithm& named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) throw std::invalid_argument(std::string(name));
  return *kAlgorithms[static_cast<std::size_t>(found - kNames.begin())];
}

bool allowed(const Algorithm& algorithm, int ranks) {
  return record::allows(algorithm.rank_counts, static_cast<std::uint32_t>(ranks));
}

// The first fault of these; empty: none.
std::string first_fault(const Algorithm& algorithm, int ranks, std::vector<int> roots,
                        const std::vector<std::uint64_t>& sizes) {
  if (!collective_of(algorithm).rooted) roots = {0};
  for (const int root : roots) {
    for (const std::uint64_t elements : sizes) {
      for (const std::uint64_t segment : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}}) {
        if (segment != 0 && algorithm.segments == record::Segments::kNone) continue;
        for (const bool in_place : {false, true}) {
          if (in_place && (!algorithm.in_place || algorithm.collective == std::string("bcast"))) {
            continue;
          }
          const Played played = play(algorithm, {.ranks = ranks,
                                                 .root = root,
                                                 .elements = elements,
                                                 .segment = segment,
                                                 .in_place = in_place});
          if (!played.fault.empty()) return played.fault;
        }
      }
    }
  }
  return {};
}

class EveryAlgorithm : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithm, GivesEveryRankItsResultWithEveryRoot) {
  const Algorithm& algorithm = *GetParam();
  int played = 0;
  for (const int ranks : rank_counts()) {
    if (!allowed(algorithm, ranks)) continue;
    ++played;
    std::vector<int> roots(static_cast<std::size_t>(ranks));
    std::iota(roots.begin(), roots.end(), 0);
    const auto more = static_cast<std::uint64_t>(ranks) + 1;
    // More elements than shares, so that these differ in length.
    const std::vector<std::uint64_t> sizes{cuts_vector(algorithm) ? more : 2};
    ASSERT_EQ(first_fault(algorithm, ranks, roots, sizes), "");
  }
  EXPECT_GT(played, 7);
}

// With few elements some shares are empty. With none all messages are.
TEST_P(EveryAlgorithm, GivesItForFewElementsAndForNone) {
  const Algorithm& algorithm = *GetParam();
  for (int ranks = 1; ranks <= 17; ++ranks) {
    if (!allowed(algorithm, ranks)) continue;
    const auto all = static_cast<std::uint64_t>(ranks);
    std::vector<std::uint64_t> sizes{0, 1};
    if (cuts_vector(algorithm)) sizes.insert(sizes.end(), {all - 1, all, 4 * all + 3});
    ASSERT_EQ(first_fault(algorithm, ranks, {0, ranks / 2, ranks - 1}, sizes), "");
  }
}

TEST_P(EveryAlgorithm, GoesThroughItsPhasesInTheirOrder) {
  const Algorithm& algorithm = *GetParam();
  std::size_t most = 0;
  for (int ranks = 1; ranks <= 16; ++ranks) {
    if (!allowed(algorithm, ranks)) continue;
    for (int rank = 0; rank < ranks; ++rank) {
      const Steps steps = algorithm.steps({.ranks = ranks, .rank = rank, .elements = 16});
      EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
        return a.phase < b.phase;
      })) << ranks;
      if (!steps.empty()) most = std::max<std::size_t>(most, steps.back().phase);
    }
  }
  EXPECT_EQ(most + 1, std::max<std::size_t>(algorithm.phases.size(), 1)) << "all are used";
}

TEST_P(EveryAlgorithm, IsCalledAsItsCollective) {
  const Algorithm& algorithm = *GetParam();
  const std::string name = algorithm.name;
  EXPECT_EQ(name.substr(0, name.find('@')), algorithm.collective);
  EXPECT_EQ(
      name,
      kNames[static_cast<std::size_t>(
          std::find(kAlgorithms.begin(), kAlgorithms.end(), &algorithm) - kAlgorithms.begin())]);
}

INSTANTIATE_TEST_SUITE_P(Schedules, EveryAlgorithm, ::testing::ValuesIn(kAlgorithms),
                         [](const auto& one) {
                           std::string name = one.param->name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '@' || c == '-'; }, '_');
                           return name;
                         });

Played played(std::string_view name, int ranks, std::uint64_t elements, std::uint64_t segment = 0) {
  return play(named(name), {.ranks = ranks, .elements = elements, .segment = segment});
}

// What their sources say of 16 ranks: rounds, and what one rank sends at most.
TEST(Schedules, TakeAsManyRoundsAsTheirSourcesSay) {
  EXPECT_EQ(played("bcast@binomial", 16, 16).rounds, 4);
  EXPECT_EQ(played("bcast@scatter-ring-allgather", 16, 16).rounds, 4 + 15);
  EXPECT_EQ(played("allgather@ring", 16, 1).rounds, 15);
  EXPECT_EQ(played("allgather@recursive-doubling", 16, 1).rounds, 4);
  EXPECT_EQ(played("allgather@bruck", 16, 1).rounds, 4);
  EXPECT_EQ(played("allgather@bruck", 17, 1).rounds, 5);
  EXPECT_EQ(played("allgather@neighbour-exchange", 16, 1).rounds, 8);
  EXPECT_EQ(played("alltoall@spread", 16, 1).rounds, 1);
  EXPECT_EQ(played("alltoall@pairwise", 16, 1).rounds, 15);
  EXPECT_EQ(played("alltoall@bruck", 16, 1).rounds, 4);
  EXPECT_EQ(played("allreduce@recursive-doubling", 16, 16).rounds, 4);
  EXPECT_EQ(played("allreduce@recursive-doubling", 17, 16).rounds, 1 + 4 + 1);
  EXPECT_EQ(played("allreduce@rabenseifner", 16, 16).rounds, 8);
  EXPECT_EQ(played("allreduce@ring", 16, 16).rounds, 30);
  EXPECT_EQ(played("reduce@binomial", 16, 16).rounds, 4);
  EXPECT_EQ(played("reduce@reduce-scatter-gather", 16, 16).rounds, 8);
  EXPECT_EQ(played("reduce_scatter_block@recursive-halving", 16, 1).rounds, 4);
  EXPECT_EQ(played("reduce_scatter_block@pairwise", 16, 1).rounds, 15);
  EXPECT_EQ(played("gather@binomial", 16, 1).rounds, 4);
  EXPECT_EQ(played("scatter@binomial", 16, 1).rounds, 4);
  EXPECT_EQ(played("scan@recursive-doubling", 16, 1).rounds, 4);
  EXPECT_EQ(played("scan@linear", 16, 1).rounds, 15);
}

TEST(Schedules, MoveAsMuchAsTheirSourcesSay) {
  // 2 (p - 1) / p of the vector are the least that an allreduce can send.
  EXPECT_EQ(played("allreduce@ring", 16, 160).most_elements_sent, 2U * 15 * 10);
  EXPECT_EQ(played("allreduce@rabenseifner", 16, 160).most_elements_sent, 2U * 15 * 10);
  EXPECT_EQ(played("allreduce@recursive-doubling", 16, 160).most_elements_sent, 4U * 160);
  EXPECT_EQ(played("alltoall@bruck", 16, 1).most_elements_sent, 4U * 8);
  EXPECT_EQ(played("alltoall@pairwise", 16, 1).most_elements_sent, 15U);
  EXPECT_EQ(played("reduce_scatter_block@recursive-halving", 16, 1).most_elements_sent, 15U);
}

// The chain is full after p - 2 messages, and then a segment arrives with each.
TEST(Schedules, SegmentsFollowOneAnotherInAChain) {
  EXPECT_EQ(played("bcast@chain", 8, 100).rounds, 7);
  const Played segments = played("bcast@chain", 8, 100, 10);
  EXPECT_EQ(segments.fault, "");
  EXPECT_EQ(segments.messages, 7U * 10);
  EXPECT_EQ(segments.rounds, 7 + 9);
  EXPECT_EQ(played("bcast@chain", 8, 100, 100).messages, 7U) << "no less than the vector: whole";
}

TEST(Schedules, SegmentsOfARingAreOfItsShares) {
  EXPECT_EQ(played("allreduce@ring", 4, 40, 0).messages, 4U * 2 * 3);
  EXPECT_EQ(played("allreduce@ring", 4, 40, 10).messages, 4U * 2 * 3);
  EXPECT_EQ(played("allreduce@ring", 4, 40, 5).messages, 4U * 2 * 3 * 2);
  EXPECT_EQ(played("allreduce@ring", 4, 40, 4).messages, 4U * 2 * 3 * 3);
}

TEST(Schedules, AlgorithmsSayWhichNumbersOfRanksTheyAreFor) {
  EXPECT_FALSE(allowed(named("allgather@recursive-doubling"), 6));
  EXPECT_FALSE(allowed(named("allgather@neighbour-exchange"), 5));
  EXPECT_TRUE(allowed(named("allgather@neighbour-exchange"), 6));
  for (const Algorithm* const one : kAlgorithms) {
    if (one->rank_counts == record::RankCounts::kAny) continue;
    EXPECT_EQ(one->collective, std::string("allgather")) << one->name;
  }
}

// Those that other operators than commutative ones may have.
TEST(Schedules, AlgorithmsSayWhetherTheyKeepTheOrderOfTheRanks) {
  std::vector<std::string> keep;
  for (const Algorithm* const one : kAlgorithms) {
    if (collective_of(*one).reduces && !one->reorders) keep.emplace_back(one->name);
  }
  EXPECT_THAT(keep, ::testing::UnorderedElementsAre("allreduce@rabenseifner",
                                                    "allreduce@recursive-doubling", "scan@linear",
                                                    "scan@recursive-doubling"));
  // What they say is needed: in order they fail.
  for (const Algorithm* const one : kAlgorithms) {
    if (!one->reorders) continue;
    Algorithm ordered = *one;
    ordered.reorders = false;
    EXPECT_THAT(first_fault(ordered, 4, {0}, {5}), HasSubstr("out of order")) << one->name;
  }
}

TEST(Schedules, TheExampleOfTheDocumentsIsRight) {
  for (int ranks = 1; ranks <= 128; ranks *= 2) {
    std::vector<int> roots(static_cast<std::size_t>(ranks));
    std::iota(roots.begin(), roots.end(), 0);
    ASSERT_EQ(first_fault(kBcastBine, ranks, roots, {0, 3}), "");
  }
  EXPECT_EQ(play(kBcastBine, {.ranks = 64}).rounds, 6);
}

// Does the play find what is wrong? Two ranks, an allreduce of one element.
const Piece kOwn{Where::kInput, 0, 1};
const Piece kSum{Where::kResult, 0, 1};
const Piece kTheirs{Where::kScratch, 0, 1};

std::string fault_of(Steps (*steps)(const Position&), int ranks = 2) {
  const Algorithm wrong{.name = "wrong",
                        .collective = "allreduce",
                        .summary = "",
                        .scratch = {.constant = 1},
                        .steps = steps};
  return play(wrong, {.ranks = ranks}).fault;
}

TEST(PlayedRanks, ThatBothSendFirstWaitForEver) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                schedule.send(1 - at.rank, kOwn);
                schedule.receive(1 - at.rank, kTheirs);
                return schedule.take();
              }),
              HasSubstr("waits for ever in step 0"));
}

TEST(PlayedRanks, ThatNobodySendsToWaitForEver) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                if (at.rank == 0) schedule.receive(1, kTheirs);
                return schedule.take();
              }),
              HasSubstr("rank 0 waits for ever"));
}

TEST(PlayedRanks, ThatReceiveLessThanIsSentAreFound) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                const Piece none{Where::kScratch, 0, 0};
                if (at.rank == 0) schedule.receive(1, none);
                if (at.rank == 1) schedule.send(0, kOwn);
                return schedule.take();
              }),
              HasSubstr("receives 0 elements from rank 1, which sends 1"));
}

TEST(PlayedRanks, ThatCombineAnOperandTwiceAreFound) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                schedule.copy(kOwn, kSum);
                schedule.exchange(1 - at.rank, kSum, 1 - at.rank, kTheirs);
                schedule.reduce(kTheirs, kSum);
                schedule.exchange(1 - at.rank, kSum, 1 - at.rank, kTheirs);
                schedule.reduce(kTheirs, kSum);
                return schedule.take();
              }),
              HasSubstr("combines what does not belong together"));
}

TEST(PlayedRanks, ThatForgetAnOperandAreFound) {
  EXPECT_THAT(fault_of([](const Position&) {
                Schedule schedule;
                schedule.copy(kOwn, kSum);
                return schedule.take();
              }),
              HasSubstr("rank 0 has a wrong element 0"));
}

TEST(PlayedRanks, ThatCombineTheUpperOperandFirstAreFound) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                schedule.copy(kOwn, kSum);
                schedule.exchange(1 - at.rank, kSum, 1 - at.rank, kTheirs);
                schedule.reduce(kTheirs, kSum);
                return schedule.take();
              }),
              HasSubstr("rank 0 has combined operands out of order"));
}

TEST(PlayedRanks, ThatTouchWhatIsUnderWayAreFound) {
  EXPECT_THAT(fault_of([](const Position& at) {
                Schedule schedule;
                schedule.copy(kOwn, kSum);
                schedule.exchange(1 - at.rank, kOwn, 1 - at.rank, kTheirs, Wait::kNone);
                schedule.reduce(kTheirs, kSum);
                schedule.wait_for_all();
                return schedule.take();
              }),
              HasSubstr("touches what is under way"));
}

TEST(PlayedRanks, ThatWriteBesideTheirBuffersAreFound) {
  EXPECT_THAT(fault_of(
                  [](const Position&) {
                    Schedule schedule;
                    schedule.copy(kOwn, {Where::kResult, 1, 1});
                    return schedule.take();
                  },
                  1),
              HasSubstr("goes beyond its buffer"));
  EXPECT_THAT(fault_of(
                  [](const Position&) {
                    Schedule schedule;
                    schedule.copy(kOwn, kOwn);
                    return schedule.take();
                  },
                  1),
              HasSubstr("writes to its input"));
}

}  // namespace
}  // namespace test
}  // namespace invar::ops
