// What a launch says whose ranks have no time in common.
#include "engine/clocks/clocks_apart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::engine::test {
namespace {

using testing::HasSubstr;

TEST(ClocksApart, AreBlamedOnAMissingSynchronisationOnlyWhereItWouldHaveBeenOfUse) {
  ClocksApart apart{.cell = "bcast", .own_cores = true, .expected = true};
  EXPECT_THAT(clocks_apart_text(apart), HasSubstr("bcast: the ranks do not read one clock, and"));
  apart.own_cores = false;
  EXPECT_THAT(clocks_apart_text(apart), HasSubstr("bcast: clocks of ranks that are not pinned"));
  // One host, whose counters differ: nothing synchronises these.
  EXPECT_THAT(clocks_apart_text({.cell = "bcast", .one_host = true, .own_cores = true}),
              HasSubstr("of a host's CPUs differ"));
}

TEST(ClocksApart, WithASynchronisationAreThoseOfAHostOrOfRanksWithoutCores) {
  EXPECT_THAT(clocks_apart_text({.one_host = true, .own_cores = true, .synchronised = true}),
              HasSubstr("of a host's CPUs differ"));
  EXPECT_THAT(clocks_apart_text({.expected = true, .synchronised = true}),
              HasSubstr("that are not pinned"));
}

}  // namespace
}  // namespace invar::engine::test
