// What becomes of a group that was run, and what its journals say of it.
#include "driver/run/intake.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "record/timing.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

// The driver's view of a synthetic campaign.
Prepared prepared_as(const synthetic::Options& options) {
  Prepared prepared;
  for (const std::string& label : options.arms) {
    prepared.campaign.arms.push_back({.label = label, .library = label});
    prepared.arms.push_back({.label = label});
  }
  for (const record::Cell& cell : options.cells) {
    prepared.cells.cells.push_back(cell);
    prepared.cells.arms.push_back({0, 1});
  }
  return prepared;
}

// Repeated, too, are those in which a rank lost its processor: whoever leaves them out of what late
// ones are a share of tells too large a share.
TEST(Intake, CountsEveryRepetitionBehindTheWarmUp) {
  const store::TestDir dir;
  const synthetic::Options options{.groups = 1, .late_share = 0.1, .apart_share = 0.3};
  const record::Plan plan = synthetic::make_plan(options);
  store::CampaignDir campaign = synthetic::create(dir / "c", options, plan);
  GroupResult result{.complete = true, .seconds = 1};
  std::uint64_t repetitions = 0;
  for (std::size_t arm = 0; arm < options.arms.size(); ++arm) {
    synthetic::LaunchWriter writer(options, plan, 1, arm);
    const std::filesystem::path launch =
        campaign.make_launch_dir(writer.launch(), options.arms[arm]);
    writer.write(launch);
    result.launches.emplace_back(writer.launch(), options.arms[arm]);
    const std::uint64_t visits = options.rounds * options.cells.size();
    repetitions += std::filesystem::file_size(launch / "timings.bin") / sizeof(record::Timing) -
                   visits * options.warm_up;
  }

  const Prepared prepared = prepared_as(options);
  Telling telling(campaign, "");
  Intake intake(prepared, campaign, telling);
  EXPECT_EQ(intake.next_attempt(1), 1U);
  ASSERT_TRUE(intake.take(1, result));
  EXPECT_EQ(intake.seen().repetitions, repetitions);
  EXPECT_GT(intake.seen().late, 0U);
  const std::uint64_t valid = options.arms.size() * options.rounds * options.cells.size() *
                              std::uint64_t{options.repetitions};
  EXPECT_GT(repetitions, intake.seen().late + valid) << "some were too far apart";
}

// The cells of a race, in both arms: "alpha" is the one as given.
Prepared racing_as(const synthetic::Options& options) {
  Prepared prepared = prepared_as(options);
  for (const record::Cell& cell : options.cells) {
    prepared.campaign.races.push_back(
        {.operation = cell.operation,
         .size_bytes = cell.size_bytes,
         .ranks = cell.ranks,
         .family = cell.family,
         .candidates = {{"default", "alpha"}, {"algorithm:ring", "beta"}}});
  }
  return prepared;
}

synthetic::Options racing_options() {
  synthetic::Options options{.groups = 1};
  for (record::Cell& cell : options.cells) cell.algorithm = "algorithm:ring";
  return options;
}

GroupResult crashed_in(std::uint32_t cell, const std::string& arm) {
  return {.failed_arm = arm,
          .reason = "'" + arm + "' ended with signal 11",
          .failed_cell = cell,
          .seconds = 1};
}

TEST(Intake, CandidateThatCrashesLeavesTheRaceAtEverySize) {
  const store::TestDir dir;
  const synthetic::Options options = racing_options();
  store::CampaignDir campaign =
      synthetic::create(dir / "c", options, synthetic::make_plan(options));
  const Prepared prepared = racing_as(options);
  Telling telling(campaign, "");
  Intake intake(prepared, campaign, telling);
  EXPECT_FALSE(intake.take(1, crashed_in(1, "beta")));
  const std::vector<std::pair<std::uint32_t, std::string>> out{{1, "beta"}, {0, "beta"}};
  EXPECT_EQ(campaign.state().failed_cells, out);
  ASSERT_EQ(campaign.state().groups.size(), 1U);
  EXPECT_EQ(campaign.state().groups[0].arm, "") << "the arm runs other candidates, too";
}

TEST(Intake, ArmAsGivenIsToBlameItself) {
  const store::TestDir dir;
  const synthetic::Options options = racing_options();
  store::CampaignDir campaign =
      synthetic::create(dir / "c", options, synthetic::make_plan(options));
  const Prepared prepared = racing_as(options);
  Telling telling(campaign, "");
  Intake intake(prepared, campaign, telling);
  EXPECT_FALSE(intake.take(1, crashed_in(1, "alpha")));
  EXPECT_TRUE(campaign.state().failed_cells.empty());
  EXPECT_EQ(campaign.state().groups.at(0).arm, "alpha");
}

}  // namespace
}  // namespace invar::driver
