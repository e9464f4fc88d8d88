// What probes learned, kept beside the files.
#include "tuning/learned.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace invar::tuning {
namespace {

TEST(Learned, IsWrittenAndReadAgain) {
  const Learned learned{
      .library_version = "Open MPI v4.1.4, package: Debian",
      .laws = {{"bcast", SizeLaw::kBlock}, {"allgather", SizeLaw::kBlockTimesRanks}},
      .breakages = {{.operation = "reduce",
                     .candidate = {.kind = CandidateKind::kAlgorithm, .name = "chain"},
                     .what = "it breaks operators that do not commute: \"a\", b"}}};
  const Learned again = parse_learned(learned_text(learned), "learned.csv");
  EXPECT_EQ(again.library_version, learned.library_version);
  EXPECT_EQ(again.laws, learned.laws);
  ASSERT_EQ(again.breakages.size(), 1U);
  EXPECT_EQ(again.breakages[0].candidate, learned.breakages[0].candidate);
  EXPECT_EQ(again.breakages[0].what, learned.breakages[0].what);
}

TEST(Learned, EveryFaultIsToldWithItsLine) {
  try {
    static_cast<void>(parse_learned(
        "what,operation,candidate,text\nsize-law,bcast,,blok\nbreaks,bcast,chain,why\nlaw,a,b\n",
        "learned.csv"));
    FAIL();
  } catch (const base::UserError& error) {
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_EQ(error.faults()[0].text().substr(0, 14), "learned.csv:2:");
    EXPECT_EQ(error.faults()[2].line, 4);
  }
  EXPECT_THROW(static_cast<void>(parse_learned("", "learned.csv")), base::UserError);
}

}  // namespace
}  // namespace invar::tuning
