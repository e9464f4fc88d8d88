// From an arm to its races: who is raced where, in which arm.
#include "design/recipes/tune_campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "design/helpers.hpp"
#include "design/recipes/confirm_campaign.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

constexpr const char* kForced[][2] = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                                      {"OMPI_MCA_coll_tuned_bcast_algorithm", "3"},
                                      {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "64"}};

std::vector<record::OperationInfo> tunable_catalogue() {
  std::vector<record::OperationInfo> known = test::catalogue();
  record::OperationInfo mockup = test::in_catalogue("bcast");
  mockup.name = "bcast=scatter+allgather";
  mockup.emulates = "bcast";
  known.push_back(mockup);
  record::OperationInfo reference = test::in_catalogue("bcast");
  reference.name = "bcast@chain";
  reference.emulates = "bcast";
  reference.segments = record::Segments::kOfBlock;
  known.push_back(reference);
  return known;
}

TunedLibrary open_mpi(bool forced) {
  TunedLibrary library{.library = tuning::Library::kOpenMpi,
                       .version = {4, 1, 4},
                       .operations = tunable_catalogue()};
  for (const auto& [name, value] : kForced) {
    if (forced) library.settings.emplace_back(name, value);
  }
  return library;
}

TuneOrder tune_order(bool forced) {
  TuneOrder order{.ranks = {2}, .library = open_mpi(forced)};
  Arm arm = parse_arm("bad=openmpi", "tune");
  arm.settings = order.library.settings;
  order.quick.arms = {arm};
  order.quick.operations = {"bcast"};
  order.quick.sizes_bytes = {1024, 8, 65536};
  order.quick.budget_s = 20;
  return order;
}

ResolvedCells resolved_with(const Campaign& campaign,
                            const std::vector<record::OperationInfo>& known) {
  Surroundings around = test::surroundings(campaign.arms.size());
  around.operations.assign(campaign.arms.size(), known);
  return resolve_cells(campaign, around, "tune");
}

std::vector<std::string> labels_of(const Campaign& campaign) {
  std::vector<std::string> labels;
  for (const Arm& arm : campaign.arms) labels.push_back(arm.label);
  return labels;
}

std::set<std::string> candidates_in(const RaceBlock& race) {
  std::set<std::string> texts;
  for (const RaceCandidate& candidate : race.candidates) texts.insert(candidate.is);
  return texts;
}

TEST(TuneCampaign, SettingsThatDecideAreLeftOutOfTheOtherArms) {
  const Campaign campaign = tune_campaign(tune_order(true));
  EXPECT_THAT(labels_of(campaign), ElementsAre("bad", "library-default", "algorithms"));
  EXPECT_THAT(campaign.arms[0].settings, SizeIs(3));
  const auto forces = [](const Arm& arm) {
    return std::ranges::any_of(arm.settings, [](const auto& setting) {
      return setting.first == "OMPI_MCA_coll_tuned_bcast_algorithm";
    });
  };
  EXPECT_TRUE(forces(campaign.arms[0]));
  EXPECT_FALSE(forces(campaign.arms[1]));
  EXPECT_FALSE(forces(campaign.arms[2]));
  EXPECT_THAT(campaign.arms[2].settings, Contains(std::pair<std::string, std::string>(
                                             "OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
}

TEST(TuneCampaign, WhatIsSetBesidesStaysInEveryArm) {
  TuneOrder order = tune_order(true);
  order.library.settings.emplace_back("OMPI_MCA_btl", "tcp,self");
  order.library.settings.emplace_back("MALLOC_TOP_PAD_", "65536");
  const Campaign campaign = tune_campaign(order);
  for (std::size_t i = 1; i < campaign.arms.size(); ++i) {
    EXPECT_THAT(
        campaign.arms[i].settings,
        IsSupersetOf({std::pair<std::string, std::string>("OMPI_MCA_btl", "tcp,self"),
                      std::pair<std::string, std::string>("env:MALLOC_TOP_PAD_", "65536")}));
  }
}

TEST(TuneCampaign, ArmWithoutSettingsIsTheLibrarysDefault) {
  const Campaign campaign = tune_campaign(tune_order(false));
  EXPECT_THAT(labels_of(campaign), ElementsAre("bad", "algorithms"));
  EXPECT_THAT(candidates_in(campaign.races[0]), Not(Contains("library-default")));
}

TEST(TuneCampaign, EverythingThatCanRunInACellIsOneFamilyWithTheArmAsGivenFirst) {
  const Campaign campaign = tune_campaign(tune_order(true));
  ASSERT_THAT(campaign.races, SizeIs(3));
  EXPECT_EQ(campaign.races[0].family, "bcast-8-p2");
  for (const RaceBlock& race : campaign.races) {
    EXPECT_EQ(race.candidates[0], (RaceCandidate{.is = "default", .arm = "bad"}));
    EXPECT_THAT(candidates_in(race),
                IsSupersetOf({"library-default", "algorithm:binomial", "algorithm:linear",
                              "mockup:bcast=scatter+allgather", "reference:bcast@chain"}));
  }
  EXPECT_EQ(campaign.analysis.question, Question::kTune);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  const Campaign again = read_campaign(campaign_toml(campaign), "tune");
  EXPECT_EQ(again, campaign);
}

TEST(TuneCampaign, CellsAreMeasuredInTheArmsOfTheirCandidatesAlone) {
  const Campaign campaign = tune_campaign(tune_order(true));
  const ResolvedCells cells = resolved_with(campaign, tunable_catalogue());
  ASSERT_FALSE(cells.cells.empty());
  for (const record::Cell& cell : cells.cells) {
    EXPECT_FALSE(cell.family.empty()) << record::cell_text(cell);
    const std::vector<std::uint32_t>& arms = cells.arms[cell.id];
    if (cell.algorithm != "default") {
      EXPECT_THAT(arms, ElementsAre(2)) << record::cell_text(cell);
    } else if (cell.operation == "bcast") {
      EXPECT_THAT(arms, ElementsAre(0, 1)) << record::cell_text(cell);
    } else {
      EXPECT_THAT(arms, ElementsAre(1)) << record::cell_text(cell);
    }
  }
}

TEST(TuneCampaign, SegmentsThatDoNotCutAreNotRaced) {
  const Campaign campaign = tune_campaign(tune_order(true));
  EXPECT_THAT(candidates_in(campaign.races[0]), Not(Contains("algorithm:pipeline:segment=1024")));
  EXPECT_THAT(candidates_in(campaign.races[0]),
              Not(Contains("reference:bcast@chain:segment=1024")));
  EXPECT_THAT(candidates_in(campaign.races[2]),
              IsSupersetOf({"algorithm:pipeline:segment=1024", "reference:bcast@chain:segment=1024",
                            "algorithm:pipeline:segment=64"}))
      << "what the arm forces is among them";
  EXPECT_THAT(campaign.races[0].not_raced,
              Contains(LeftCandidate{.is = "algorithm:pipeline:segment=1024",
                                     .why = "its segments are no shorter than the message"}));
}

// A ring cuts each rank's share of the vector; what would not cut it has no cell of its own.
TEST(TuneCampaign, SegmentsOfSharesAreShorterThanAShare) {
  TuneOrder order = tune_order(false);
  record::OperationInfo ring = test::in_catalogue("allreduce");
  ring.name = "allreduce@ring";
  ring.emulates = "allreduce";
  ring.segments = record::Segments::kOfShare;
  order.library.operations.push_back(ring);
  order.quick.operations = {"allreduce"};
  order.quick.sizes_bytes = {2048, 4096};
  const Campaign campaign = tune_campaign(order);
  ASSERT_THAT(campaign.races, SizeIs(2));
  const std::string segmented = "reference:allreduce@ring:segment=1024";
  EXPECT_THAT(candidates_in(campaign.races[0]), Not(Contains(segmented)));
  EXPECT_THAT(candidates_in(campaign.races[1]), Contains(segmented));
  EXPECT_NO_THROW((void)resolved_with(campaign, order.library.operations));
}

TEST(TuneCampaign, ForcedAlgorithmIsReadFromTheSettings) {
  const auto forced = forced_candidate(open_mpi(true), "bcast");
  ASSERT_TRUE(forced);
  EXPECT_EQ(tuning::to_string(*forced), "algorithm:pipeline:segment=64");
  EXPECT_FALSE(forced_candidate(open_mpi(false), "bcast"));
  EXPECT_FALSE(forced_candidate(open_mpi(true), "allreduce"));
}

// Intel's cannot be told between two calls.
TEST(TuneCampaign, LibraryThatCannotSwitchHasAnArmForEveryAlgorithm) {
  TuneOrder order = tune_order(false);
  order.library.library = tuning::Library::kIntel;
  order.library.version = {2021, 18, 0};
  const Campaign campaign = tune_campaign(order);
  const auto algorithms = static_cast<std::size_t>(std::ranges::count_if(
      tune_candidates(order.library, "bcast"), [](const tuning::Candidate& candidate) {
        return candidate.kind == tuning::CandidateKind::kAlgorithm;
      }));
  ASSERT_GT(algorithms, 1U);
  ASSERT_EQ(campaign.arms.size(), 1 + algorithms);
  EXPECT_EQ(campaign.arms[1].label, "algorithms-1");
  EXPECT_EQ(campaign.arms[1].settings.front().first, "I_MPI_ADJUST_BCAST");
  const ResolvedCells cells = resolved_with(campaign, tunable_catalogue());
  ASSERT_FALSE(cells.cells.empty());
  for (const record::Cell& cell : cells.cells) EXPECT_EQ(cell.algorithm, "default");
}

TEST(TuneCampaign, OnlyTheCellsThatAreNamedAreRaced) {
  TuneOrder order = tune_order(true);
  order.cells = {{.operation = "bcast", .size_bytes = 1024, .ranks = 2}};
  const Campaign campaign = tune_campaign(order);
  ASSERT_THAT(campaign.races, SizeIs(1));
  EXPECT_EQ(campaign.races[0].size_bytes, 1024U);
}

// An entry goes from one size that was raced to the next.
TEST(TuneCampaign, SizesBetweenTwoThatAreRacedAreRacedToo) {
  const auto bcast = [](std::uint64_t size_bytes, std::uint32_t ranks) {
    return TuneCell{.operation = "bcast", .size_bytes = size_bytes, .ranks = ranks};
  };
  const TuneCell barrier{.operation = "barrier", .ranks = 2};
  EXPECT_THAT(with_sizes_between({bcast(512, 2), bcast(8, 4), barrier, bcast(32, 2)},
                                 {8, 32, 128, 512, 2048}),
              ElementsAre(barrier, bcast(8, 4), bcast(32, 2), bcast(128, 2), bcast(512, 2)));
}

TEST(TuneCampaign, LevelThatNoOperationHasIsAFault) {
  TuneOrder order = tune_order(false);
  order.quick.operations = {"allreduce"};
  order.quick.cell_levels["root"] = {"1"};
  EXPECT_THAT(faults_of([&] { (void)tune_campaign(order); }),
              ElementsAre(HasSubstr("'root' is not a factor here")));
}

// Its candidates are as little able to count it.
TEST(TuneCampaign, SizeThatNoCallCanCountIsToldOnce) {
  TuneOrder order = tune_order(false);
  order.quick.sizes_bytes = {8, std::uint64_t{3} << 30U};
  EXPECT_THAT(
      faults_of([&] { (void)tune_campaign(order); }),
      ElementsAre(HasSubstr("--size: bcast of 3 GiB on 2 ranks needs a count of 3221225472, "
                            "above 2147483647, the largest that MPI's calls take")));
}

TEST(TuneCampaign, EveryFaultOfTheOrderIsTold) {
  TuneOrder order = tune_order(true);
  order.quick.operations = {"bcats", "bcast"};
  order.quick.cell_levels["cache"] = {"warm", "cold-flush"};
  EXPECT_THAT(faults_of([&] { (void)tune_campaign(order); }),
              ElementsAre(HasSubstr("there is no operation 'bcats'; did you mean 'bcast'?"),
                          HasSubstr("'cache' has several levels")));
}

TEST(ConfirmCampaign, ComparesTheArmWithAndWithoutTheFileInEveryRacedCell) {
  const Campaign race = tune_campaign(tune_order(true));
  const tuning::Entry entry{
      .operation = "bcast",
      .ranks = 2,
      .from_bytes = 8,
      .to_bytes = 1024,
      .candidate = {.kind = tuning::CandidateKind::kAlgorithm, .name = "binomial"}};
  const Campaign campaign = confirm_campaign({.race = race,
                                              .cells = raced_cells(race.races),
                                              .tuned = {{"OMPI_MCA_btl", "self"}},
                                              .table = tuning::DecisionTable({entry}),
                                              .budget_s = 20,
                                              .seed = 9});
  EXPECT_THAT(labels_of(campaign), ElementsAre("bad", "tuned"));
  EXPECT_EQ(campaign.arms[0].settings, race.arms[0].settings);
  EXPECT_THAT(campaign.arms[1].settings, SizeIs(1));
  EXPECT_EQ(campaign.analysis.question, Question::kTuneConfirm);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  const ResolvedCells cells = test::resolved(campaign);
  ASSERT_THAT(cells.cells, SizeIs(3));
  for (const record::Cell& cell : cells.cells) {
    EXPECT_EQ(cell.operation, "bcast");
    EXPECT_EQ(cell.algorithm, "default");
    EXPECT_EQ(cell.ranks, 2U);
  }
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "tune"), campaign);
}

}  // namespace
}  // namespace invar::design
