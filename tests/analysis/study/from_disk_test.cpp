// The whole way: a campaign directory on disk, read back, analysed as its own [analysis] section
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "analysis/compare/compare.hpp"
#include "analysis/questions/show.hpp"
#include "analysis/study/outcome.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

using stats::Verdict;
using testing::Contains;
using testing::HasSubstr;

class FromDisk : public testing::Test {
 protected:
  store::Data written(const std::string& name, const synthetic::Options& options) {
    synthetic::write(dir_ / name, options);
    return store::read_campaign_dir(dir_ / name);
  }

  store::TestDir dir_;
};

// Flips a byte in the middle of the records of the first launch.
void damage_first_launch(const std::filesystem::path& dir) {
  for (const auto& launch : std::filesystem::directory_iterator(dir / "launches")) {
    if (!launch.path().filename().string().starts_with("0001")) continue;
    std::fstream file(launch.path() / "timings.bin",
                      std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(1000);
    const int byte = file.get();
    file.seekp(1000);
    file.put(static_cast<char>(byte ^ 1));
  }
}

TEST_F(FromDisk, PlantedDifferenceIsFoundAndFailsTheGate) {
  const Comparison result = compare(Study(written("om", {.groups = 6})));
  ASSERT_EQ(result.cells.size(), 2U);
  EXPECT_EQ(result.cells[0].verdict, Verdict::kFaster);
  EXPECT_NEAR(*result.cells[0].ratio, 1.3, 0.1);
  EXPECT_EQ(
      result.sentence,
      "alpha is 1.3 times faster for 8 B and 1 KiB: 2 ranks, 1 host, shared memory, this session.");
  EXPECT_EQ(outcome_status(result, {}), 0);
  EXPECT_EQ(outcome_status(result, {.fail_on_slower = true}), 1);
}

TEST_F(FromDisk, DamagedGroupIsLeftOutWholeAndTheStatusSaysSo) {
  synthetic::write(dir_ / "om", {.groups = 6});
  damage_first_launch(dir_ / "om");
  const Comparison result = compare(Study(store::read_campaign_dir(dir_ / "om")));
  EXPECT_EQ(result.cells[0].launches, 5U);
  EXPECT_EQ(outcome_status(result, {}), 5);
  EXPECT_EQ(outcome_status(result, {.undecided_exit = 125}), 125);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("timings.bin")));
}

TEST_F(FromDisk, FailedGroupIsAFailedMeasurement) {
  const Comparison result = compare(Study(written("om", {.groups = 6, .failed_groups = {3}})));
  EXPECT_EQ(result.cells[0].launches, 5U);
  EXPECT_EQ(outcome_status(result, {}), 3);
}

TEST_F(FromDisk, UnfinishedCampaignSaysHowToGoOn) {
  const Comparison result = compare(Study(written("om", {.groups = 6, .end = false})));
  EXPECT_EQ(outcome_status(result, {}), 4);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("invar run --resume -o")));
}

TEST_F(FromDisk, TwoCampaignsAreCompared) {
  const Comparison result = compare_campaigns(Study(
      Study(written("day1", {.groups = 6})), Study(written("day2", {.groups = 6, .seed = 2}))));
  EXPECT_EQ(result.cells.size(), 4U);
  EXPECT_EQ(result.cells[0].arm_b, "alpha@day2");
}

TEST_F(FromDisk, ShowHasARowForEveryCellAndArm) {
  const Show shown = show(Study(written("om", {.groups = 6})));
  EXPECT_EQ(shown.groups.size(), 4U);
  EXPECT_EQ(shown.groups[0].observations, 6U * 3 * 20);
}

TEST_F(FromDisk, OptionsOfTheCommandOverrideTheCampaign) {
  CompareOptions options;
  options.method = "reprompi";
  options.alpha = 0.01;
  const Comparison result = compare(Study(written("om", {.groups = 6}), options));
  EXPECT_EQ(result.method, Method::kLaunchTest);
  EXPECT_EQ(result.alpha, 0.01);
}

}  // namespace
}  // namespace invar::analysis
