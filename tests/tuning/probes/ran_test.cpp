// Which algorithm has really run, by what Open MPI's pml_monitoring wrote. The matrices are those
// of Open MPI 4.1.4, as it wrote them for 8 ranks and 1 KiB.
#include "tuning/probes/ran.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "golden.hpp"

namespace invar::tuning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ReferenceTraffic reference(const std::string& name, const Traffic& messages,
                           const std::string& order = "o", std::uint64_t segment_bytes = 0) {
  return {.name = name, .segment_bytes = segment_bytes, .order = order, .messages = messages};
}

// From rank to rank along a chain, in so many messages each.
Traffic along_chain(int ranks, std::uint64_t messages, std::uint64_t bytes) {
  Traffic traffic;
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    traffic.push_back({.from = rank, .to = rank + 1, .messages = messages, .bytes = bytes});
  }
  return traffic;
}

// From the root to everybody.
Traffic star(int ranks, std::uint64_t bytes) {
  Traffic traffic;
  for (int rank = 1; rank < ranks; ++rank) {
    traffic.push_back({.from = 0, .to = rank, .messages = 1, .bytes = bytes});
  }
  return traffic;
}

// One message between the ranks of every pair, both ways.
Traffic all_pairs(int ranks, std::uint64_t bytes) {
  Traffic traffic;
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from != to) traffic.push_back({.from = from, .to = to, .messages = 1, .bytes = bytes});
    }
  }
  return traffic;
}

constexpr const char* kWritten =
    "# POINT TO POINT\n"
    "E\t8\t9\t1024 bytes\t16 msgs sent\t0,0,0,0,0,0,0,16,0\n"
    "E\t8\t11\t0 bytes\t1 msgs sent\t1,0\n"
    "I\t8\t9\t8 bytes\t2 msgs sent\n"
    "# OSC\n"
    "# COLLECTIVES\n"
    "C\t8\t9\t1024 bytes\t1 msgs sent\n"
    "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n"
    "O2A\t8\t0 bytes\t0 msgs sent\n";

TEST(Monitoring, PointToPointLinesAreRead) {
  EXPECT_THAT(read_monitoring(kWritten, "counts.8.prof"),
              ElementsAre(Messages{.from = 8, .to = 9, .messages = 18, .bytes = 1032},
                          Messages{.from = 8, .to = 11, .messages = 1, .bytes = 0}));
  EXPECT_TRUE(read_monitoring("", "counts.0.prof").empty());
}

TEST(Monitoring, LinesThatAreCutOffAreNamed) {
  for (const char* line : {"E\t0", "E\t0\t1\t1024 bytes", "E\t0\t1\t1024\t1 msgs sent",
                           "E\t0\tx\t1 bytes\t1 msgs sent", "E\t0\t-1\t1 bytes\t1 msgs sent"}) {
    EXPECT_THAT(invar::test::faults_of([&] {
                  (void)read_monitoring("# POINT TO POINT\n" + std::string(line), "c.prof");
                }),
                ElementsAre(HasSubstr("c.prof:2")))
        << line;
  }
}

TEST(Monitoring, AGroupCountsFromItsFirstRank) {
  const Traffic world{{.from = 3, .to = 4, .messages = 1, .bytes = 1},
                      {.from = 5, .to = 4, .messages = 2, .bytes = 2},
                      {.from = 4, .to = 5, .messages = 3, .bytes = 3}};
  EXPECT_THAT(traffic_of_group(world, 4, 2),
              ElementsAre(Messages{.from = 0, .to = 1, .messages = 3, .bytes = 3},
                          Messages{.from = 1, .to = 0, .messages = 2, .bytes = 2}));
}

TEST(Ran, IsNamedByTheReferenceOfTheSameMessages) {
  const std::vector<ReferenceTraffic> known{
      reference("bcast@chain", along_chain(8, 1, 1024)),
      reference("bcast@chain", along_chain(8, 16, 1024), "o", 64),
      reference("bcast@chain", along_chain(8, 8, 1024), "o", 128)};
  EXPECT_EQ(ran_text(find_ran(along_chain(8, 16, 1024), 8, known)),
            "messages as of bcast@chain in segments of 64 B");
  EXPECT_EQ(ran_text(find_ran(along_chain(8, 1, 1024), 8, known)), "messages as of bcast@chain");
  EXPECT_EQ(ran_text(find_ran(along_chain(8, 5, 1024), 8, known)), "unknown")
      << "as many messages as in no segment of these";
  EXPECT_EQ(ran_text(find_ran(star(8, 1024), 8, known)), "unknown") << "a linear broadcast";
}

// Open MPI's own binomial tree: its children lie at 1, 2, 4, ours at 4, 2, 1.
TEST(Ran, OfAnotherTreeOfTheSameNameIsUnknown) {
  const Traffic open_mpi{{0, 1, 1, 1024}, {0, 2, 1, 1024}, {0, 4, 1, 1024}, {1, 3, 1, 1024},
                         {1, 5, 1, 1024}, {2, 6, 1, 1024}, {3, 7, 1, 1024}};
  const Traffic ours{{0, 1, 1, 1024}, {0, 2, 1, 1024}, {0, 4, 1, 1024}, {2, 3, 1, 1024},
                     {4, 5, 1, 1024}, {4, 6, 1, 1024}, {6, 7, 1, 1024}};
  const std::vector known{reference("bcast@binomial", ours)};
  EXPECT_EQ(find_ran(open_mpi, 8, known).ran, Ran::kUnknown);
  EXPECT_EQ(find_ran(ours, 8, known).ran, Ran::kNamed);
}

TEST(Ran, ThatDiffersOnlyInItsOrderIsNamedByAll) {
  const std::vector<ReferenceTraffic> known{
      reference("alltoall@pairwise", all_pairs(4, 8), "one after the other"),
      reference("alltoall@spread", all_pairs(4, 8), "at once")};
  EXPECT_EQ(ran_text(find_ran(all_pairs(4, 8), 4, known)),
            "messages as of alltoall@pairwise or alltoall@spread");
}

TEST(Ran, OfFewRanksIsNeverNamed) {
  const std::vector known{reference("bcast@binomial", star(3, 8))};
  EXPECT_EQ(find_ran(star(3, 8), 3, known).ran, Ran::kUnknown)
      << "a linear algorithm sends the same";
}

TEST(Ran, ThatLeavesRanksOutWasNotSeen) {
  EXPECT_EQ(ran_text(find_ran({}, 4, {})), "not seen");
  EXPECT_EQ(find_ran(along_chain(3, 1, 8), 4, {}).ran, Ran::kNotSeen) << "rank 3 has nothing";
  const Traffic halves{{0, 1, 1, 8}, {1, 0, 1, 8}, {2, 3, 1, 8}, {3, 2, 1, 8}};
  EXPECT_EQ(find_ran(halves, 4, {}).ran, Ran::kNotSeen)
      << "messages of two halves: what joins them went past the counters";
}

SeenLevel seen(const std::string& level, const Traffic& traffic,
               const std::string& own_reference = "",
               const std::vector<ReferenceTraffic>& references = {}) {
  return {.level = level,
          .reference = own_reference,
          .counted = true,
          .seen = traffic,
          .references = references};
}

TEST(Levels, OfTheSameMessagesAreOne) {
  const std::vector levels{seen("default", star(8, 8)), seen("algorithm:chain", star(8, 8)),
                           seen("algorithm:pipeline", along_chain(8, 1, 8)),
                           seen("algorithm:knomial", star(8, 8))};
  const std::vector<LevelFinding> found = find_levels(levels, 8);
  EXPECT_EQ(found[0].same_as, "");
  EXPECT_EQ(found[1].same_as, "default");
  EXPECT_EQ(found[2].same_as, "");
  EXPECT_EQ(found[3].same_as, "default") << "the first one that is measured, not another of these";
}

TEST(Levels, ThatSendWhatTheirReferencesDoAreTwoIfTheseAre) {
  const std::vector<ReferenceTraffic> known{
      reference("alltoall@pairwise", all_pairs(4, 8), "one after the other"),
      reference("alltoall@spread", all_pairs(4, 8), "at once")};
  const auto found = [&](const std::string& second) {
    const std::vector levels{
        seen("algorithm:pairwise", all_pairs(4, 8), "alltoall@pairwise", known),
        seen("algorithm:other", all_pairs(4, 8), second, known)};
    return find_levels(levels, 4)[1].same_as;
  };
  EXPECT_EQ(found("alltoall@spread"), "") << "no counter tells these apart";
  EXPECT_EQ(found("alltoall@pairwise"), "algorithm:pairwise");
  EXPECT_EQ(found(""), "algorithm:pairwise") << "nobody knows how it would differ";
}

// Else no algorithm of alltoall would be measured on two ranks beside what the library chooses.
TEST(Levels, AreNotTheDefaultIfThatMayWaitInAnotherOrder) {
  const std::vector<ReferenceTraffic> twins{
      reference("alltoall@pairwise", all_pairs(4, 8), "one after the other"),
      reference("alltoall@spread", all_pairs(4, 8), "at once")};
  const auto found = [&](std::size_t known) {
    const std::vector<ReferenceTraffic> references(twins.begin(),
                                                   twins.begin() + static_cast<int>(known));
    const std::vector levels{
        seen("default", all_pairs(4, 8), "", references),
        seen("algorithm:pairwise", all_pairs(4, 8), "alltoall@pairwise", references)};
    return find_levels(levels, 4)[1].same_as;
  };
  EXPECT_EQ(found(2), "") << "the default may be the other one";
  EXPECT_EQ(found(1), "default") << "nothing else is known to send these";
}

TEST(Levels, ThatFellBackAreNotWhatTheyAreCalled) {
  const std::vector known{reference("bcast@chain", along_chain(8, 1, 8))};
  const std::vector levels{seen("algorithm:linear", star(8, 8)),
                           seen("algorithm:pipeline", star(8, 8), "bcast@chain", known)};
  const std::vector<LevelFinding> found = find_levels(levels, 8);
  EXPECT_TRUE(found[1].unlike_own);
  EXPECT_EQ(found[1].same_as, "algorithm:linear");
  EXPECT_FALSE(found[0].unlike_own) << "it has no reference to be unlike of";
}

TEST(Levels, OfWhichNothingWasSeenStayAsTheyAre) {
  SeenLevel uncounted = seen("algorithm:b", star(4, 8));
  uncounted.counted = false;
  const std::vector levels{seen("algorithm:a", {}), seen("algorithm:c", {}), uncounted,
                           seen("algorithm:d", star(4, 8))};
  for (const LevelFinding& found : find_levels(levels, 4)) {
    EXPECT_EQ(found.same_as, "") << found.level;
    EXPECT_FALSE(found.unlike_own) << found.level;
  }
}

}  // namespace
}  // namespace invar::tuning
