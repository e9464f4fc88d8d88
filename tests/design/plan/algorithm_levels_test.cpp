// The factor `algorithm`: levels of collectives themselves, some of which an arm's library lacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

Campaign told_campaign(const std::string& cells) {
  return read_campaign(with_head(cells + "[[arm]]\nlibrary = \"a\"\n"), "c.toml");
}

std::vector<std::string> told_cells(const ResolvedCells& resolved) {
  std::vector<std::string> all;
  for (const record::Cell& cell : resolved.cells)
    all.push_back(cell.operation + ' ' + cell.algorithm);
  return all;
}

constexpr const char* kThreeLevels =
    "[[cells]]\noperation = [\"bcast\", \"iallgather\"]\nsize = 8\n"
    "algorithm = [\"default\", \"algorithm:chain\", \"algorithm:linear\"]\n";

TEST(AlgorithmLevels, AreThoseOfCollectivesThemselves) {
  const ResolvedCells resolved =
      resolve_cells(told_campaign(kThreeLevels), surroundings(1), "c.toml");
  EXPECT_THAT(told_cells(resolved), ElementsAre("bcast default", "bcast algorithm:chain",
                                                "bcast algorithm:linear", "iallgather default"));
}

TEST(AlgorithmLevels, ThatALibraryLacksAreLeftOutWithTheReason) {
  Surroundings around = surroundings(1);
  around.lack_of_algorithm = [](std::uint32_t arm, const record::Cell& cell) -> std::string {
    return arm == 0 && cell.algorithm == "algorithm:chain" ? "it failed its check" : "";
  };
  const ResolvedCells resolved = resolve_cells(told_campaign(kThreeLevels), around, "c.toml");
  EXPECT_EQ(told_cells(resolved).size(), 3U);
  ASSERT_EQ(resolved.left_out.size(), 1U);
  EXPECT_EQ(resolved.left_out[0].reason, "it failed its check");
  EXPECT_TRUE(resolved.left_out[0].of_algorithm);
}

TEST(AlgorithmLevels, WhatIsNoneIsAFaultWithItsPlace) {
  EXPECT_THAT(campaign_faults(with_cells("algorithm = \"chain\"\n")),
              ElementsAre(HasSubstr("'chain' is not an algorithm")));
  EXPECT_THAT(campaign_faults(with_cells("algorithm = [\"mockup:bcast=scatter+allgather\"]\n")),
              ElementsAre(HasSubstr("operation = \"bcast=scatter+allgather\"")));
}

TEST(AlgorithmLevels, OfOperationsThatHaveNoneAreAFault) {
  const Campaign campaign = told_campaign(
      "[[cells]]\noperation = \"iallgather\"\nsize = 8\nalgorithm = \"algorithm:ring\"\n");
  EXPECT_THAT(faults_of([&] { (void)resolve_cells(campaign, surroundings(1), "c.toml"); }),
              ElementsAre(HasSubstr("libraries have several algorithms")));
}

TEST(AlgorithmLevels, AreSealedAsTheyWereWritten) {
  const Campaign campaign = told_campaign(kThreeLevels);
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
  EXPECT_THAT(campaign_toml(campaign), HasSubstr("algorithm:linear"));
}

}  // namespace
}  // namespace invar::design
