// Races and entries as a campaign's file has them, and what follows from them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "design/helpers.hpp"
#include "design/races/race.hpp"

namespace invar::design {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kArms =
    "[[arm]]\nlibrary = \"openmpi\"\nlabel = \"bad\"\n"
    "[[arm]]\nlibrary = \"openmpi\"\nlabel = \"algorithms\"\n";

// Two cells of bcast, each for one arm, that race.
std::string racing(const std::string& candidates) {
  return test::with_head(
      "[design]\nstopping = \"looks\"\n"
      "[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\narms = [\"bad\"]\n"
      "[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\narms = [\"algorithms\"]\n"
      "algorithm = \"algorithm:chain\"\n"
      "[[family]]\nname = \"bcast-8-p2\"\ncells = [{ operation = \"bcast\", size = 8 }]\n"
      "[[race]]\noperation = \"bcast\"\nsize = 8\nranks = 2\nfamily = \"bcast-8-p2\"\n" +
      candidates + "[analysis]\nquestion = \"tune\"\n" + kArms);
}

constexpr const char* kTwoCandidates =
    "candidates = [{ is = \"default\", arm = \"bad\" }, "
    "{ is = \"algorithm:chain\", arm = \"algorithms\" }]\n";

TEST(Races, CandidateIsMeasuredAsACellOfItsOwn) {
  const auto as = [](const char* text, bool forced) {
    return raced_as("bcast", *tuning::parse_candidate(text).value, forced);
  };
  EXPECT_EQ(as("default", false), (RacedAs{.operation = "bcast", .algorithm = "default"}));
  EXPECT_EQ(as("library-default", false), as("default", false)) << "in another arm";
  EXPECT_EQ(as("algorithm:chain:segment=64", false),
            (RacedAs{.operation = "bcast", .algorithm = "algorithm:chain:segment=64"}));
  EXPECT_EQ(as("algorithm:chain", true), as("default", false)) << "its arm's settings tell it";
  EXPECT_EQ(as("mockup:bcast=scatter+allgather", false),
            (RacedAs{.operation = "bcast=scatter+allgather", .algorithm = "default"}));
  EXPECT_EQ(as("reference:bcast@chain:segment=64", false),
            (RacedAs{.operation = "bcast@chain", .algorithm = "default", .segment_bytes = 64}));
}

TEST(Races, CampaignIsReadAndWrittenAndReadAgain) {
  const Campaign campaign = read_campaign(racing(kTwoCandidates), "c.toml");
  ASSERT_THAT(campaign.races, SizeIs(1));
  EXPECT_EQ(campaign.races[0].candidates[1].arm, "algorithms");
  EXPECT_EQ(race_text(campaign.races[0]), "bcast, 8 B, 2 ranks");
  EXPECT_EQ(race_name("bcast", 8, 2), campaign.races[0].family);
  EXPECT_EQ(race_name("barrier", {}, 4), "barrier-p4");
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(Races, BlockOfCellsIsForTheArmsThatItNames) {
  const Campaign campaign = read_campaign(racing(kTwoCandidates), "c.toml");
  const ResolvedCells cells = test::resolved(campaign);
  ASSERT_THAT(cells.cells, SizeIs(2));
  EXPECT_THAT(cells.arms[0], ElementsAre(0));
  EXPECT_THAT(cells.arms[1], ElementsAre(1));
  EXPECT_EQ(cells.cells[1].algorithm, "algorithm:chain");
  EXPECT_THAT(cells.left_out, IsEmpty()) << "what nobody asked for is not left out";
  EXPECT_EQ(cells.cells[0].family, "bcast-8-p2");
  EXPECT_EQ(cells.cells[1].family, "bcast-8-p2");
}

// The same cell for one arm in one block, and for another arm in a second one.
TEST(Races, CellOfSeveralBlocksHasTheArmsOfAll) {
  const std::string cells = "[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\narms = [\"";
  const Campaign campaign = read_campaign(
      test::with_head(cells + "algorithms\"]\n" + cells + "bad\"]\n" + kArms), "c.toml");
  const ResolvedCells resolved = test::resolved(campaign);
  ASSERT_THAT(resolved.cells, SizeIs(1));
  EXPECT_THAT(resolved.arms[0], ElementsAre(0, 1));
}

TEST(Races, UnknownArmOfABlockIsToldWithItsPlace) {
  const Campaign campaign = read_campaign(
      test::with_head("[[cells]]\noperation = \"bcast\"\nsize = 8\narms = [\"algorithm\"]\n" +
                      std::string(kArms)),
      "c.toml");
  EXPECT_THAT(
      test::faults_of([&] { (void)test::resolved(campaign); }),
      testing::Contains(HasSubstr("there is no arm 'algorithm'; did you mean 'algorithms'?")));
}

// One cell that several arms have is race enough: libraries that are told when they start.
TEST(Races, FamilyOfARaceMayHaveOneCell) {
  const std::string text = test::with_head(
      "[design]\nstopping = \"looks\"\n"
      "[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\n"
      "[[family]]\nname = \"f\"\ncells = [{ operation = \"bcast\" }]\n"
      "[[race]]\noperation = \"bcast\"\nsize = 8\nranks = 2\nfamily = \"f\"\n" +
      std::string(kTwoCandidates) + "[analysis]\nquestion = \"tune\"\n" + kArms);
  const ResolvedCells cells = test::resolved(read_campaign(text, "c.toml"));
  ASSERT_THAT(cells.cells, SizeIs(1));
  EXPECT_EQ(cells.cells[0].family, "f");
}

TEST(Races, EveryFaultIsToldWithItsPlace) {
  const std::vector<std::string> faults = test::campaign_faults(
      racing("candidates = [{ is = \"algorithm:chain\", arm = \"algorithms\" }, "
             "{ is = \"default\", arm = \"bda\" }, { is = \"chain\" }]\n"));
  ASSERT_THAT(faults, SizeIs(5));
  EXPECT_THAT(faults, testing::Contains(HasSubstr("the first candidate is not \"default\"")));
  EXPECT_THAT(faults, testing::Contains(HasSubstr("\"default\" is not the first candidate")));
  EXPECT_THAT(faults, testing::Contains(HasSubstr("there is no arm 'bda'; did you mean 'bad'?")));
  EXPECT_THAT(faults, testing::Contains(HasSubstr("'arm' of 'candidates' of [[race]]")));
}

// Files are written for it, and a confirmation compares with it.
TEST(Races, ArmAsGivenIsTheFirstOneOfTheCampaign) {
  EXPECT_THAT(
      test::campaign_faults(racing("candidates = [{ is = \"default\", arm = \"algorithms\" }, "
                                   "{ is = \"algorithm:chain\", arm = \"algorithms\" }]\n")),
      ElementsAre(HasSubstr("the arm as given is the campaign's first one, 'bad'")));
}

TEST(Races, OneCandidateIsNoRace) {
  EXPECT_THAT(test::campaign_faults(racing("candidates = [{ is = \"default\", arm = \"bad\" }]\n")),
              ElementsAre(HasSubstr("a race has two candidates at least")));
}

TEST(Races, QuestionNeedsRacesAndLooks) {
  EXPECT_THAT(test::campaign_faults(test::with_cells("[analysis]\nquestion = \"tune\"\n")),
              ElementsAre(HasSubstr("question = \"tune\" needs [[race]]")));
  std::string fixed = racing(kTwoCandidates);
  fixed.replace(fixed.find("looks"), 5, "fixed");
  EXPECT_THAT(test::campaign_faults(fixed),
              ElementsAre(HasSubstr("write stopping = \"looks\" into [design]")));
}

TEST(Races, LooksKeepAPartOfTheBudgetForSwitchingPoints) {
  Campaign campaign = read_campaign(racing(kTwoCandidates), "c.toml");
  EXPECT_FALSE(budget_of_looks_s(campaign));
  campaign.budget_s = 100;
  EXPECT_LT(*budget_of_looks_s(campaign), 100);
  EXPECT_EQ(looks_are_over_text(campaign),
            "75 s of the budget of 100 s are over, and the rest is for switching points");
  campaign.races.clear();
  EXPECT_EQ(budget_of_looks_s(campaign), 100);
  EXPECT_EQ(looks_are_over_text(campaign), "the budget of 100 s is over");
}

// What crashes at one size leaves the race at all of them; the arm as given stays.
TEST(Races, CellsOfACandidateAreItsOwnAtEverySize) {
  const Campaign campaign = read_campaign(racing(kTwoCandidates), "c.toml");
  std::vector<record::Cell> cells(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    cells[i] = {.id = i, .operation = "bcast", .size_bytes = 8U << i};
    if (i % 2 == 1) cells[i].algorithm = "algorithm:chain";
  }
  EXPECT_THAT(cells_of_candidate(campaign, cells, 3, "algorithms"), ElementsAre(3, 1));
  EXPECT_THAT(cells_of_candidate(campaign, cells, 0, "bad"), IsEmpty());
  EXPECT_THAT(cells_of_candidate(Campaign{}, cells, 3, "algorithms"), IsEmpty());
}

TEST(Entries, AreReadAndWrittenAndMayNotOverlap) {
  const std::string entry =
      "[[entry]]\noperation = \"bcast\"\nranks = 2\nfrom = 8\nto = 64\n"
      "candidate = \"algorithm:chain:segment=64\"\n";
  const std::string arms = "[analysis]\nquestion = \"tune-confirm\"\n" + std::string(kArms);
  const Campaign campaign = read_campaign(test::with_cells(entry + arms), "c.toml");
  ASSERT_THAT(campaign.entries, SizeIs(1));
  EXPECT_EQ(campaign.entries[0].entry.candidate.segment_bytes, 64U);
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
  EXPECT_THAT(test::campaign_faults(test::with_cells(entry + entry + arms)), SizeIs(1));
  EXPECT_THAT(test::campaign_faults(test::with_cells(arms)),
              ElementsAre(HasSubstr("question = \"tune-confirm\" compares a library with and "
                                    "without a tuned file")));
}

}  // namespace
}  // namespace invar::design
