// The texts between driver and engine: levels of the factor `algorithm`, what tells a library of
// them, and what a probe tries.
#include "record/algorithms/algorithm_switch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "golden.hpp"
#include "record/algorithms/algorithm_level.hpp"
#include "record/algorithms/tries.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AlgorithmSwitch chain() {
  return {.operation = "bcast",
          .level = "algorithm:chain:segment=64",
          .at_making = true,
          .variables = {{"coll_tuned_bcast_algorithm", 2},
                        {"coll_tuned_bcast_algorithm_segmentsize", -64}}};
}

TEST(AlgorithmSwitch, WhatIsWrittenReadsBack) {
  EXPECT_EQ(read_switch(switch_text(chain()), "launch.spec"), chain());
  AlgorithmSwitch at_calls = chain();
  at_calls.at_making = false;
  EXPECT_EQ(read_switch(switch_text(at_calls), "launch.spec"), at_calls);
  EXPECT_EQ(switch_text(chain()),
            "bcast algorithm:chain:segment=64 at-making coll_tuned_bcast_algorithm=2 "
            "coll_tuned_bcast_algorithm_segmentsize=-64");
}

TEST(AlgorithmSwitch, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "bcast", "bcast algorithm:chain at-making", "bcast default at-calls a=1",
        "bcast chain at-calls a=1", "bcast algorithm:chain whenever a=1",
        "bcast algorithm:chain at-calls a", "bcast algorithm:chain at-calls a=x",
        "bcast algorithm:chain at-calls =1", " algorithm:chain at-calls a=1",
        "bcast algorithm:chain at-calls a=1 "}) {
    EXPECT_THROW((void)read_switch(text, "launch.spec"), base::UserError) << '"' << text << '"';
  }
}

TEST(AlgorithmLevel, IsDefaultOrAnAlgorithmOfTheLibrary) {
  EXPECT_EQ(algorithm_level("default").text, "default");
  EXPECT_EQ(algorithm_level("algorithm:chain:fanout=4:segment=64").text,
            "algorithm:chain:fanout=4:segment=64");
  for (const char* none : {"", "chain", "algorithm:", "algorithm:a b", "algorithm:a,b"}) {
    EXPECT_FALSE(algorithm_level(none).text) << none;
    EXPECT_THAT(algorithm_level(none).remedy, HasSubstr("invar ops --algorithms")) << none;
  }
}

TEST(AlgorithmLevel, WhatIsAnotherOperationOrArmIsSaid) {
  EXPECT_EQ(algorithm_level("mockup:allreduce=reduce+bcast").remedy,
            "write operation = \"allreduce=reduce+bcast\"");
  EXPECT_EQ(algorithm_level("reference:bcast@chain").remedy, "write operation = \"bcast@chain\"");
  EXPECT_THAT(algorithm_level("library-default").remedy, HasSubstr("an arm of its own"));
}

TEST(AlgorithmLevel, IsOneOfCollectivesThemselves) {
  EXPECT_TRUE(has_algorithms({.name = "bcast"}));
  EXPECT_FALSE(has_algorithms({.name = "ibcast", .form_of = "bcast"}));
  EXPECT_FALSE(has_algorithms({.name = "bcast@chain", .emulates = "bcast"}));
  EXPECT_FALSE(has_algorithms({.name = "neighbor_allgather", .neighbours = true}));
}

TEST(AlgorithmFactor, StandsInPlansAndTextsWhereItIsNotTheUsualOne) {
  Cell cell{.operation = "bcast", .size_bytes = 8};
  EXPECT_EQ(cell_text(cell), "bcast, 8 B, 2 ranks");
  const Factor& factor = *find_factor("algorithm");
  ASSERT_TRUE(factor.parse(cell, "algorithm:chain"));
  EXPECT_EQ(cell_text(cell), "bcast, 8 B, 2 ranks, by algorithm:chain");
  EXPECT_FALSE(factor.parse(cell, "chain"));
  EXPECT_EQ(factor.absent, "default");
  EXPECT_EQ(find_factor_by_key("algorithm"), &factor);
}

std::vector<Try> some_tries() {
  return {{.kind = TryKind::kCheckOrdered, .operation = "reduce"},
          {.kind = TryKind::kTime, .operation = "bcast", .size_bytes = 1024, .calls = 21},
          {.kind = TryKind::kTraffic,
           .operation = "bcast",
           .size_bytes = 1024,
           .ranks = 8,
           .segment_bytes = 64,
           .switched = switch_text(chain())},
          {.operation = "alltoall", .in_place = false}};
}

TEST(Tries, WhatIsWrittenReadsBack) {
  EXPECT_EQ(read_tries(tries_csv(some_tries()), "tries.csv"), some_tries());
  EXPECT_TRUE(read_tries(tries_csv({}), "tries.csv").empty());
}

TEST(Tries, EveryFaultIsNamedWithItsLine) {
  EXPECT_THROW((void)read_tries("", "tries.csv"), base::UserError);
  const std::string head = tries_csv({});
  EXPECT_THAT(
      test::faults_of([&] {
        (void)read_tries(head +
                             "check,bcast,8,2,1,0,yes,\nguess,bcast,8,2,1,0,yes,\n"
                             "time,bcast,x,2,1,0,yes,\ntime,bcast\n"
                             "check,bcast,0,2,1,0,yes,bcast chain\n"
                             "check,bcast,8,2,1,0,perhaps,\n",
                         "tries.csv");
      }),
      ElementsAre(HasSubstr("tries.csv:3"), HasSubstr("tries.csv:4"), HasSubstr("tries.csv:5"),
                  HasSubstr("tries.csv:6"), HasSubstr("tries.csv:7")));
}

}  // namespace
}  // namespace invar::record
