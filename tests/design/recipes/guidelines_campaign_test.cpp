// Rules and sizes become families of two cells, and splits of more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"
#include "design/plan/families.hpp"
#include "design/recipes/guidelines_campaign.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The catalogue with a mock-up that makes a bcast of a scatter and an allgather.
std::vector<record::OperationInfo> with_mockup() {
  std::vector<record::OperationInfo> known = test::catalogue();
  record::OperationInfo mockup = test::in_catalogue("bcast");
  mockup.name = "bcast-by-scatter-allgather";
  mockup.emulates = "bcast";
  mockup.parts = {{.operation = "scatter", .size = record::PartSize::kShare},
                  {.operation = "allgather", .size = record::PartSize::kShare}};
  known.push_back(mockup);
  return known;
}

GuidelinesOrder order_of(const std::string& rules) {
  GuidelinesOrder order{.rules = parse_guidelines(rules, "own.rules"),
                        .rules_place = "own.rules",
                        .ranks = {2},
                        .operations = {with_mockup()}};
  order.quick.arms = {parse_arm("openmpi", "guidelines")};
  order.quick.sizes_bytes = {8, 1024};
  order.quick.budget_s = 20;
  return order;
}

// "LEFT SIZE, RIGHT SIZE" of each family, by its name.
std::vector<std::string> pairs_of(const Campaign& campaign) {
  std::vector<std::string> texts;
  for (const FamilyBlock& family : campaign.families) {
    std::string text = family.name + ":";
    for (const CellsBlock& side : family.cells) {
      text += ' ' + side.operations.at(0);
      if (!side.sizes_bytes.empty()) text += ' ' + std::to_string(side.sizes_bytes.front());
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(GuidelinesCampaign, PatternIsMeasuredAgainstTheMockUpOfItsParts) {
  const Campaign campaign =
      guidelines_campaign(order_of("GL10: bcast(n) <= scatter(n/p) + allgather(n/p)  # why\n"));
  EXPECT_THAT(pairs_of(campaign),
              ElementsAre("GL10-8: bcast 8 bcast-by-scatter-allgather 8",
                          "GL10-1024: bcast 1024 bcast-by-scatter-allgather 1024"));
  ASSERT_THAT(campaign.guidelines, SizeIs(1));
  EXPECT_EQ(campaign.guidelines[0].rule, "GL10: bcast(n) <= scatter(n/p) + allgather(n/p)  # why");
  EXPECT_THAT(campaign.guidelines[0].families, ElementsAre("GL10-8", "GL10-1024"));
  EXPECT_EQ(campaign.analysis.question, Question::kGuidelines);
  EXPECT_EQ(campaign.stopping, Stopping::kLooks);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
}

TEST(GuidelinesCampaign, SinglePartOfTheSameSizeStandsForItself) {
  const Campaign campaign = guidelines_campaign(order_of("GL3: gather(n) <= allgather(n)"));
  EXPECT_THAT(pairs_of(campaign),
              ElementsAre("GL3-8: gather 8 allgather 8", "GL3-1024: gather 1024 allgather 1024"));
}

TEST(GuidelinesCampaign, MonotonyIsAFamilyForEveryTwoSizesThatFollowEachOther) {
  GuidelinesOrder order = order_of("monotone(reduce)");
  order.quick.sizes_bytes = {64, 8, 16};
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(pairs_of(campaign), ElementsAre("monotone-reduce-8: reduce 8 reduce 16",
                                              "monotone-reduce-16: reduce 16 reduce 64"));
  EXPECT_THAT(campaign.guidelines[0].not_measured, IsEmpty()) << "the largest has no next one";
}

TEST(GuidelinesCampaign, FamiliesAreWhatIsPlanned) {
  const Campaign campaign = guidelines_campaign(
      order_of("GL3: gather(n) <= allgather(n)\nmonotone(gather)\nmonotone(allgather)\n"));
  const ResolvedCells cells = test::resolved(campaign);
  // gather of 8 B stands in two families, and is a cell in each.
  EXPECT_THAT(cells.cells, SizeIs(8));
  for (const record::Cell& cell : cells.cells) EXPECT_FALSE(cell.family.empty());
  EXPECT_THAT(family_texts(cells.cells), SizeIs(4));
}

TEST(GuidelinesCampaign, SealedCopyReadsTheSame) {
  GuidelinesOrder order = order_of("GL3: gather(n) <= allgather(n) # \"quoted\" \\\nsplit(scan)\n");
  order.ranks = {2, 4};
  order.operations[0].front().missing = "it has no allgather";
  order.operations.push_back(with_mockup());
  order.quick.arms.push_back(parse_arm("mpich", "guidelines"));
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(GuidelinesCampaign, NumbersOfRanksHaveFamiliesOfTheirOwn) {
  GuidelinesOrder order = order_of("GL3: gather(n) <= allgather(n)");
  order.ranks = {2, 4};
  order.quick.sizes_bytes = {8};
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(pairs_of(campaign),
              ElementsAre("GL3-8-p2: gather 8 allgather 8", "GL3-8-p4: gather 8 allgather 8"));
  const ResolvedCells cells =
      resolve_cells(campaign, {.operations = order.operations, .slots = 4}, "c.toml");
  EXPECT_THAT(family_texts(cells.cells), ElementsAre("GL3-8-p2: 2 cells", "GL3-8-p4: 2 cells"));
}

TEST(GuidelinesCampaign, WhatCannotBeMeasuredIsListedWithItsReason) {
  GuidelinesOrder order = order_of(
      "GL3: gather(n) <= allgather(n)\n"
      "a: allreduce(n) <= reduce(n) + bcast(n)\n"
      "b: bcast(n) <= bcast@binomal(n)\n"
      "c: split(scan)\n"
      "d: monotone(barrier)\n"
      "e: reduce(n) <= allreduce(n)\n"
      "f: gather(n) <= reduce(p*n)\n");
  order.quick.sizes_bytes = {6, 8};
  record::OperationInfo binomial = test::in_catalogue("bcast");
  binomial.name = "bcast@binomial";
  order.operations[0].push_back(binomial);
  const Campaign campaign = guidelines_campaign(order);
  std::vector<std::string> reasons;
  for (const GuidelineBlock& block : campaign.guidelines) {
    for (const NotMeasured& absent : block.not_measured) {
      reasons.push_back(block.rule.substr(0, block.rule.find(':')) + ' ' +
                        (absent.size_bytes ? std::to_string(*absent.size_bytes) : "any") + ' ' +
                        absent.why);
    }
  }
  EXPECT_THAT(
      reasons,
      ElementsAre(HasSubstr("a any no mock-up does allreduce by reduce(n) + bcast(n), and only"),
                  "b any there is no algorithm 'bcast@binomal'; did you mean 'bcast@binomial'?",
                  HasSubstr("c any no operation makes several calls of scan"),
                  "d any barrier has no size", "e 6 6 B is not a multiple of int32 (reduce)",
                  HasSubstr("f any no mock-up does gather by reduce(p*n)")));
}

// What a rule may say on its right is only what somebody wrote a mock-up for.
TEST(GuidelinesCampaign, MockUpThatIsMissingIsToldWithTheNearestOne) {
  const auto why_of = [](const char* rule) {
    return right_sides_of(parse_guidelines(rule, "own.rules").front(), with_mockup()).front().why;
  };
  EXPECT_EQ(
      why_of("bcast(n) <= scatter(n/p) + allgather(n)"),
      "no mock-up does bcast by scatter(n/p) + allgather(n), and only what a mock-up does can "
      "be measured: one that 'invar ops' lists, or one of your own (--ops); nearest: "
      "scatter(n/p) + allgather(n/p)");
  EXPECT_THAT(why_of("bcast(n) <= reduce(n) + gather(n) + barrier(n) + scan(n) + scan(n)"),
              testing::EndsWith("; those of bcast: scatter(n/p) + allgather(n/p)"));
  EXPECT_THAT(why_of("reduce(n) <= gather(n) + scan(n)"), testing::EndsWith("(--ops)"));
}

TEST(GuidelinesCampaign, NamesAndMissingMockUpsAreToldAtOnce) {
  EXPECT_THAT(
      faults_of([] {
        (void)guidelines_campaign(order_of("monotone(scna)\nreduce(n) <= gather(n) + scan(n)\n"));
      }),
      ElementsAre("own.rules:1:10: there is no operation 'scna'; did you mean 'scan'?",
                  HasSubstr("own.rules:2:1: reduce(n) <= gather(n) + scan(n) cannot be "
                            "measured: no mock-up does")));
}

// MPI_BOR is defined on bytes, so that sizes of 1 and 2 B exist.
TEST(GuidelinesCampaign, SizesAreMultiplesOfTheDatatypeThatIsOrdered) {
  GuidelinesOrder order = order_of("GL8: reduce(n) <= allreduce(n)");
  order.quick.sizes_bytes = {1, 8};
  EXPECT_THAT(pairs_of(guidelines_campaign(order)), ElementsAre("GL8-8: reduce 8 allreduce 8"));
  order.quick.cell_levels["datatype"] = {"byte"};
  EXPECT_THAT(pairs_of(guidelines_campaign(order)),
              ElementsAre("GL8-1: reduce 1 allreduce 1", "GL8-8: reduce 8 allreduce 8"));
  order.quick.cell_levels["datatype"] = {"int64"};
  EXPECT_THAT(faults_of([&] { (void)guidelines_campaign(order); }),
              Contains(HasSubstr("reduce has no datatype int64")));
}

// What takes longer would be delayed for longer.
TEST(GuidelinesCampaign, BothSidesAreLateByACallOfTheLeftOne) {
  GuidelinesOrder order =
      order_of("GL3: gather(n) <= allgather(n)\nback: allgather(n) <= gather(n)\n");
  order.quick.sizes_bytes = {8};
  order.quick.cell_levels["arrival"] = {"linear:10000ns"};
  Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(late_by_cells(campaign, test::resolved(campaign).cells), IsEmpty());
  order.quick.cell_levels["arrival"] = {"linear:0.5x"};
  campaign = guidelines_campaign(order);
  const std::vector<record::Cell> cells = test::resolved(campaign).cells;
  const std::vector<std::uint32_t> late_by = late_by_cells(campaign, cells);
  ASSERT_THAT(cells, SizeIs(4));
  ASSERT_THAT(late_by, SizeIs(4));
  for (const record::Cell& cell : cells) {
    const record::Cell& left = cells[late_by[cell.id]];
    EXPECT_EQ(left.family, cell.family);
    EXPECT_EQ(left.operation, cell.family == "GL3-8" ? "gather" : "allgather");
  }
}

TEST(GuidelinesCampaign, OperationsHaveTheLevelsThatTheyTake) {
  GuidelinesOrder order = order_of("a: barrier(n) <= empty(n)\nb: gather(n) <= allgather(n)");
  order.quick.cell_levels["datatype"] = {"int32"};
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(conflicts(campaign), IsEmpty());
  ASSERT_THAT(campaign.cells, SizeIs(2));
  for (const CellsBlock& block : campaign.cells) {
    EXPECT_EQ(block.levels.contains("datatype"), !block.sizes_bytes.empty());
  }
  order = order_of("a: barrier(n) <= empty(n)");
  order.quick.cell_levels["datatype"] = {"int32"};
  EXPECT_THAT(faults_of([&] { (void)guidelines_campaign(order); }),
              Contains(HasSubstr("none of these operations moves data of a datatype")));
}

// "s: split(bcast)", for engines that can do it in these numbers of calls.
GuidelinesOrder split_order(const std::vector<std::uint32_t>& numbers) {
  GuidelinesOrder order = order_of("s: split(bcast)");
  for (const std::uint32_t calls : numbers) {
    record::OperationInfo split = test::in_catalogue("bcast");
    split.name = "bcast=" + std::to_string(calls) + "-parts";
    split.emulates = "bcast";
    split.splits = calls;
    order.operations[0].push_back(split);
  }
  return order;
}

TEST(GuidelinesCampaign, SplitHasAFamilyOfAllNumbersOfCallsThatItsSizeAllows) {
  GuidelinesOrder order = split_order({4, 2});
  order.quick.sizes_bytes = {1, 6, 8};
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(pairs_of(campaign), ElementsAre("s-6: bcast 6 bcast=2-parts 6",
                                              "s-8: bcast 8 bcast=2-parts 8 bcast=4-parts 8"));
  EXPECT_THAT(campaign.guidelines[0].not_measured,
              ElementsAre(NotMeasured{
                  .size_bytes = 1,
                  .why = "1 B do not fall into 2 parts of which only the last is shorter"}));
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(GuidelinesCampaign, SplitIsMeasuredWhereAnArmHasSomeNumberOfCalls) {
  GuidelinesOrder order = split_order({2, 4, 8});
  order.quick.sizes_bytes = {8};
  order.quick.arms.push_back(parse_arm("mpich", "guidelines"));
  order.quick.arms.push_back(parse_arm("intel", "guidelines"));
  order.operations.push_back(split_order({4}).operations[0]);
  order.operations.push_back(with_mockup());
  for (record::OperationInfo& info : order.operations[0]) {
    if (info.splits == 8) info.missing = "it crashes";
  }
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(pairs_of(campaign), ElementsAre("s-8: bcast 8 bcast=2-parts 8 bcast=4-parts 8"));
  EXPECT_THAT(
      campaign.guidelines[0].not_measured,
      ElementsAre(NotMeasured{.arm = "intel", .why = "its engine does not know bcast=2-parts"}));
}

TEST(GuidelinesCampaign, SidesOfAFamilyAreTheLeftOneAndThoseToChooseFrom) {
  GuidelinesOrder order = split_order({2, 4});
  order.quick.sizes_bytes = {8};
  const Campaign campaign = guidelines_campaign(order);
  const std::vector<record::Cell> cells =
      resolve_cells(campaign, {.operations = order.operations}, "c.toml").cells;
  const FamilySides sides = sides_of(campaign.families.at(0), cells);
  ASSERT_TRUE(sides.left);
  EXPECT_EQ(cells[*sides.left].operation, "bcast");
  std::vector<std::string> rights;
  rights.reserve(sides.rights.size());
  for (const std::uint32_t right : sides.rights) rights.push_back(cells[right].operation);
  EXPECT_THAT(rights, ElementsAre("bcast=2-parts", "bcast=4-parts"));
}

TEST(GuidelinesCampaign, AlgorithmThatSoManyRanksCannotRunIsNotMeasuredThere) {
  GuidelinesOrder order = order_of("a: bcast(n) <= bcast@doubling(n)");
  record::OperationInfo doubling = test::in_catalogue("bcast");
  doubling.name = "bcast@doubling";
  doubling.rank_counts = record::RankCounts::kPowerOfTwo;
  order.operations[0].push_back(doubling);
  order.ranks = {3, 4};
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(campaign.guidelines[0].families, ElementsAre("a-8-p4", "a-1024-p4"));
  ASSERT_THAT(campaign.guidelines[0].not_measured, SizeIs(2));
  EXPECT_THAT(campaign.guidelines[0].not_measured[0].why,
              testing::StartsWith("bcast@doubling needs a power of two of ranks, not 3"));
}

TEST(GuidelinesCampaign, ArmThatLacksASideIsNamed) {
  GuidelinesOrder order = order_of("GL3: gather(n) <= allgather(n)");
  order.quick.arms.push_back(parse_arm("mpich", "guidelines"));
  order.operations.push_back(test::catalogue());
  for (record::OperationInfo& info : order.operations[1]) {
    if (info.name == "gather") info.missing = "too old";
  }
  const Campaign campaign = guidelines_campaign(order);
  EXPECT_THAT(campaign.guidelines[0].not_measured,
              ElementsAre(NotMeasured{.arm = "mpich", .why = "gather: too old"}));
  EXPECT_THAT(campaign.guidelines[0].families, SizeIs(2));
}

TEST(GuidelinesCampaign, UnknownOperationIsToldWithItsPlace) {
  EXPECT_THAT(
      faults_of([] { (void)guidelines_campaign(order_of("gather(n) <= allgater(n)")); }),
      ElementsAre("own.rules:1:14: there is no operation 'allgater'; did you mean 'allgather'?"));
}

TEST(GuidelinesCampaign, PartOfAMockUpIsNoUnknownOperation) {
  GuidelinesOrder order = order_of("bcast(n) <= sendrecv(n)");
  record::OperationInfo mockup = test::in_catalogue("bcast");
  mockup.name = "bcast=sendrecv";
  mockup.emulates = "bcast";
  mockup.parts = {{.operation = "sendrecv"}};
  order.operations[0].push_back(mockup);
  EXPECT_THAT(pairs_of(guidelines_campaign(order)),
              ElementsAre("bcast-sendrecv-8: bcast 8 bcast=sendrecv 8",
                          "bcast-sendrecv-1024: bcast 1024 bcast=sendrecv 1024"));
}

TEST(GuidelinesCampaign, SeveralLevelsOfAFactorAreRefused) {
  GuidelinesOrder order = order_of("GL3: gather(n) <= allgather(n)");
  order.quick.cell_levels["cache"] = {"warm", "cold-flush"};
  EXPECT_THAT(faults_of([&] { (void)guidelines_campaign(order); }),
              ElementsAre(HasSubstr("--with: 'cache' has several levels")));
}

TEST(GuidelinesCampaign, NothingToMeasureIsAFaultOfEveryRule) {
  EXPECT_THAT(faults_of([] { (void)guidelines_campaign(order_of("split(scan)\nsplit(reduce)")); }),
              ElementsAre(HasSubstr("own.rules:1:1: split(scan) cannot be measured"),
                          HasSubstr("own.rules:2:1: split(reduce) cannot be measured")));
}

TEST(GuidelinesCampaign, LongNameOfARuleDoesNotMakeFamiliesThatCannotBeRead) {
  GuidelinesOrder order = order_of("monotone(scan)");
  order.rules[0].name = std::string(60, 'x');
  EXPECT_THAT(guidelines_campaign(order).guidelines[0].families, ElementsAre("rule1-8"));
}

TEST(GuidelineTable, EveryFaultIsToldWithItsPlace) {
  const std::string text = test::with_cells(
      "[[family]]\nname = \"one\"\ncells = [{ operation = \"bcast\" }]\n"
      "[[guideline]]\nrule = \"bcast(n) <= \"\nfamilies = [\"one\", \"tow\"]\n"
      "[[guideline]]\nfamilies = 3\nnot-measured = [{ size = 8 }]\n"
      "[analysis]\nquestion = \"guidelines\"\n");
  const std::vector<std::string> faults = test::campaign_faults(text);
  ASSERT_THAT(faults, SizeIs(6));
  EXPECT_THAT(faults[0], HasSubstr("family 'one' has not two cells"));
  EXPECT_THAT(faults[1], HasSubstr("there is no family 'tow'; known: one"));
  EXPECT_THAT(faults[2], HasSubstr("c.toml:11:8: the line ends where an operation should be"));
  EXPECT_THAT(faults[3], HasSubstr("rule"));
  EXPECT_THAT(faults[4], HasSubstr("is not a list"));
  EXPECT_THAT(faults[5], HasSubstr("why"));
}

TEST(GuidelineTable, SplitAloneHasSeveralRightSides) {
  const std::string families =
      "[[family]]\nname = \"f\"\ncells = [{ operation = \"bcast\", size = 8 }, { operation = "
      "\"bcast=2-parts\", size = 8 }, { operation = \"bcast=4-parts\", size = 8 }]\n";
  const auto with_rule = [&](const std::string& rule) {
    return test::with_cells(families + "[[guideline]]\nrule = \"" + rule +
                            "\"\nfamilies = [\"f\"]\n[analysis]\nquestion = \"guidelines\"\n");
  };
  EXPECT_NO_THROW(read_campaign(with_rule("split(bcast)"), "c.toml"));
  EXPECT_THAT(test::campaign_faults(with_rule("bcast(n) <= allgather(n)")),
              ElementsAre(HasSubstr("family 'f' has not two cells, a left side and a right")));
}

TEST(GuidelineTable, QuestionNeedsGuidelines) {
  EXPECT_THAT(test::campaign_faults(test::with_cells("[analysis]\nquestion = \"guidelines\"\n")),
              ElementsAre(HasSubstr("question = \"guidelines\" needs [[guideline]]")));
}

}  // namespace
}  // namespace invar::design
