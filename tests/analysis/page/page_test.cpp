// Whole pages of campaigns on disk: ordinary ones, and those of which little or nothing is there.
#include "analysis/page/page.hpp"
#include "analysis/page/page_cards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analysis/planted.hpp"
#include "store/reader.hpp"
#include "store/synthetic.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class Pages : public testing::Test {
 protected:
  Page page_of(const synthetic::Options& options, const std::string& name = "om") {
    synthetic::write(dir_ / name, options);
    return read({name});
  }

  Page read(const std::vector<std::string>& names) {
    PageSources sources;
    for (const std::string& name : names) {
      sources.campaigns.push_back(store::read_campaign_dir(dir_ / name));
    }
    return make_page(std::move(sources));
  }

  store::TestDir dir_;
};

std::string card(const Page& page, const std::string& label) {
  for (const PageCard& one : page.cards) {
    if (one.label == label) return one.value + " | " + one.detail;
  }
  return "none";
}

// A campaign of global times, of whose second cell none is valid: every axis and the method say so.
TEST_F(Pages, CellsOfLocalTimesAreNamedAmongGlobalOnes) {
  synthetic::write(dir_ / "om", {.groups = 3});
  store::Data data = store::read_campaign_dir(dir_ / "om");
  std::vector<std::vector<record::Timing>> records;
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      launch.earlier_engine = false;
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell != 1) continue;
        std::vector<record::Timing> own(visit.records.begin(), visit.records.end());
        for (record::Timing& timing : own) timing.flags |= record::kGlobalInvalid;
        visit.records = records.emplace_back(std::move(own));
      }
    }
  }
  PageSources sources;
  sources.campaigns.push_back(std::move(data));
  const Page page = make_page(std::move(sources));
  EXPECT_TRUE(page.campaigns[0].global_runtime);
  EXPECT_THAT(page.campaigns[0].local_cells, ElementsAre(1));
  EXPECT_THAT(page.method.paragraphs,
              Contains(HasSubstr("on clocks put into one time. In allreduce, 1 KiB")));
  EXPECT_THAT(page.method.paragraphs, Contains(HasSubstr(" it is local: ")));
}

TEST_F(Pages, OrdinaryCampaignIsComplete) {
  const Page page = page_of({.groups = 6});
  ASSERT_THAT(page.campaigns, SizeIs(1));
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kComplete);
  EXPECT_THAT(campaign.problems, IsEmpty());
  EXPECT_EQ(page.title, "om");
  EXPECT_EQ(page.sentence, campaign.found<Comparison>()->sentence);
  EXPECT_THAT(campaign.figures.times, SizeIs(4));
  EXPECT_THAT(campaign.figures.distributions, SizeIs(4));
  EXPECT_THAT(campaign.figures.order, SizeIs(4));
  EXPECT_THAT(campaign.figures.normality, SizeIs(4));
  EXPECT_TRUE(campaign.canary);
  ASSERT_TRUE(campaign.found<Factors>());
  EXPECT_THAT(campaign.found<Factors>()->figures.histograms, IsEmpty());
  EXPECT_FALSE(campaign.found<SelfTest>());
  EXPECT_THAT(campaign.answers, SizeIs(2));
  EXPECT_EQ(status_of(page.health), base::Exit::kDone);
  EXPECT_FALSE(page.comparison);
  EXPECT_THAT(page.comparison_missing, StartsWith("one campaign"));
  EXPECT_EQ(card(page, "libraries"), "2 | Synthetic MPI of alpha, Synthetic MPI of beta");
  EXPECT_EQ(card(page, "observations"), "1 440 | 2 cells, 12 launches");
  EXPECT_EQ(card(page, "comparisons decided"), "2 of 2 | 2 different, 0 equivalent, 0 undecided");
  EXPECT_THAT(card(page, "worst variation between launches"), HasSubstr("6 launches"));
}

TEST_F(Pages, OfANetworksModelTilesOfComparisonsAreLeftOut) {
  Page page = page_of({.groups = 6});
  page.campaigns[0].asked = design::Question::kNetwork;
  page.cards = cards_of(page);
  EXPECT_EQ(card(page, "observations"), "1 440 | 2 cells, 12 launches");
  EXPECT_EQ(card(page, "comparisons decided"), "none");
  EXPECT_EQ(card(page, "worst variation between launches"), "none");
}

TEST_F(Pages, CampaignThatVariesAFactorAnswersThatQuestion) {
  synthetic::Options options{.groups = 6};
  options.cells.resize(1);
  options.cells.push_back(options.cells.front());
  options.cells[1].id = 1;
  options.cells[1].cache = "cold-flush";
  synthetic::write(dir_ / "cache", options);
  const Page page = read({"cache"});
  ASSERT_TRUE(page.campaigns.front().found<Factors>());
  EXPECT_EQ(page.sentence, page.campaigns.front().found<Factors>()->sentence);
}

// A bcast that takes twice as long as an allgather, measured in these arms.
synthetic::Options with_a_guideline(const std::vector<std::string>& arms) {
  synthetic::Options options{.arms = arms, .groups = 6};
  options.cells[0].operation = "bcast";
  options.cells[1].operation = "allgather";
  options.cells[1].size_bytes = options.cells[0].size_bytes;
  for (record::Cell& cell : options.cells) {
    cell.family = "f";
    cell.reduction.clear();
  }
  options.median_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 1000.0 : 500.0; };
  const std::string size = std::to_string(*options.cells[0].size_bytes);
  options.toml = synthetic::campaign_toml(options) +
                 "question = \"guidelines\"\n\n[[family]]\nname = \"f\"\ncells = [{ operation = "
                 "\"bcast\", size = " +
                 size + " }, { operation = \"allgather\", size = " + size +
                 " }]\n\n[[guideline]]\nrule = \"a: bcast(n) <= allgather(n)\"\n"
                 "families = [\"f\"]\n";
  return options;
}

// Which library takes less time is another question, and that one arm has nobody to be compared
// with does not answer it.
TEST_F(Pages, CampaignOfGuidelinesIsAboutThemAlone) {
  const Page one = page_of(with_a_guideline({"alpha"}), "one");
  const CampaignPage& campaign = one.campaigns.front();
  EXPECT_EQ(campaign.asked, design::Question::kGuidelines);
  EXPECT_THAT(campaign.problems, IsEmpty());
  EXPECT_THAT(one.sentence, StartsWith("alpha violates 1 of 1 guideline (pattern 1/1; "));
  EXPECT_THAT(campaign.comparison_missing, IsEmpty());
  EXPECT_EQ(card(one, "guidelines violated"), "1 of 1 | 0 hold at every size, 0 undecided");
  const Page two = page_of(with_a_guideline({"alpha", "beta"}), "two");
  EXPECT_FALSE(two.campaigns.front().found<Comparison>());
  EXPECT_THAT(two.campaigns.front().comparison_missing, IsEmpty());
  EXPECT_EQ(card(two, "guidelines violated by beta"), "1 of 1 | 0 hold at every size, 0 undecided");
  std::string method;
  for (const std::string& paragraph : two.method.paragraphs) method += paragraph + "\n";
  EXPECT_THAT(method, HasSubstr("A rule is violated at a size where Student's t [Student 1908] "
                                "rejects that the factor is at most 1 + the rule's tolerance"));
  EXPECT_THAT(method, HasSubstr("it holds where the interval ends below"));
}

TEST(PageCards, NameLibrariesByTheirNumber) {
  EXPECT_EQ(short_name("openmpi", "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"),
            "openmpi 4.1.4");
  EXPECT_EQ(short_name("intel", "Intel(R) MPI Library 2021.18 for Linux* OS"), "intel 2021.18");
  EXPECT_EQ(short_name("mine", "built on 3. May"), "built on 3. May");
}

TEST_F(Pages, TwoCampaignsAreComparedWithEachOther) {
  synthetic::write(dir_ / "one", {.groups = 5});
  synthetic::write(dir_ / "two", {.groups = 5, .seed = 2});
  const Page page = read({"one", "two"});
  ASSERT_TRUE(page.comparison);
  EXPECT_EQ(page.sentence, page.comparison->sentence);
  EXPECT_THAT(page.metadata_columns, ElementsAre("one", "two"));
  EXPECT_EQ(page.title, "one, two");
  for (const MetadataRow& row : page.metadata) EXPECT_THAT(row.values, SizeIs(2));
}

TEST_F(Pages, ThreeCampaignsAreNot) {
  for (const char* name : {"a", "b", "c"}) synthetic::write(dir_ / name, {.groups = 2});
  const Page page = read({"a", "b", "c"});
  EXPECT_FALSE(page.comparison);
  EXPECT_THAT(page.comparison_missing, HasSubstr("in twos"));
  EXPECT_EQ(page.sentence, "3 campaigns, each with an answer of its own: a, b and c.");
}

TEST_F(Pages, EmptyCampaignSaysWhyItIs) {
  synthetic::Options options{.groups = 2, .end = false};
  const record::Plan plan = synthetic::make_plan(options);
  { store::CampaignDir campaign = synthetic::create(dir_ / "om", options, plan); }
  const Page page = read({"om"});
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kEmpty);
  EXPECT_EQ(status_of(page.health), base::Exit::kIncomplete);
  EXPECT_THAT(campaign.problems, ElementsAre(HasSubstr("not finished: 0 launch groups")));
  EXPECT_THAT(page.sentence, StartsWith("Nothing to show: not finished"));
  EXPECT_THAT(campaign.comparison_missing, HasSubstr("no complete launch group"));
  EXPECT_THAT(campaign.figures.times, IsEmpty());
  EXPECT_FALSE(campaign.canary);
  EXPECT_THAT(page.method.paragraphs, IsEmpty());
  EXPECT_EQ(card(page, "observations"), "0 | 0 cells, 0 launches");
}

TEST_F(Pages, AllGroupsFailed) {
  const Page page = page_of({.groups = 2, .failed_groups = {1, 2}});
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kEmpty);
  EXPECT_EQ(status_of(page.health), base::Exit::kMeasurementFailed);
  EXPECT_THAT(campaign.problems, Contains(HasSubstr("rank 1 on node1 exited with status 3")));
  ASSERT_THAT(campaign.failures, SizeIs(2));
  EXPECT_EQ(campaign.failures[1].group, 2U);
  EXPECT_FALSE(campaign.failures[1].cell);
}

TEST_F(Pages, OneFailedGroupOfSeveral) {
  const Page page = page_of({.groups = 5, .failed_groups = {2}});
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kFailed);
  EXPECT_EQ(status_of(page.health), base::Exit::kMeasurementFailed);
  EXPECT_TRUE(campaign.found<Comparison>());
  EXPECT_THAT(campaign.figures.launch_medians[0].points, SizeIs(4));
  EXPECT_THAT(page.method.paragraphs, Contains(HasSubstr("1 launch group failed.")));
}

TEST_F(Pages, OneCellOfOneArmInOneLaunch) {
  synthetic::Options options{.arms = {"alpha"}, .groups = 1};
  options.cells.resize(1);
  const Page page = page_of(options);
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kComplete);
  EXPECT_FALSE(campaign.found<Comparison>());
  EXPECT_THAT(campaign.comparison_missing, StartsWith("one arm"));
  EXPECT_THAT(page.sentence, StartsWith("1 cell of 1 arm, 60 observations: "));
  EXPECT_THAT(campaign.figures.distributions, SizeIs(1));
  EXPECT_THAT(campaign.figures.launch_medians[0].points, SizeIs(1));
  EXPECT_EQ(card(page, "comparisons decided"), "none");
  EXPECT_EQ(card(page, "worst variation between launches"), "none");
  EXPECT_EQ(card(page, "library"), "1 | Synthetic MPI of alpha");
}

TEST_F(Pages, DamagedGroupIsLeftOutAndTold) {
  synthetic::write(dir_ / "om", {.groups = 3});
  for (const auto& launch : std::filesystem::directory_iterator(dir_ / "om/launches")) {
    if (launch.path().filename().string().starts_with("0001")) {
      store::flip(launch.path() / "timings.bin", 1000);
    }
  }
  const Page page = read({"om"});
  EXPECT_EQ(page.campaigns[0].state, CampaignState::kDamaged);
  EXPECT_EQ(status_of(page.health), base::Exit::kDamaged);
  EXPECT_THAT(page.campaigns[0].problems, Contains(StartsWith("damaged and left out: ")));
  EXPECT_THAT(page.campaigns[0].figures.launch_medians[0].points, SizeIs(2));
}

TEST_F(Pages, UnfinishedCampaignHasWhatThereIs) {
  synthetic::Options options{.groups = 4, .end = false};
  const Page page = page_of(options);
  EXPECT_EQ(page.campaigns[0].state, CampaignState::kIncomplete);
  EXPECT_EQ(status_of(page.health), base::Exit::kIncomplete);
  EXPECT_TRUE(page.campaigns[0].found<Comparison>());
}

TEST_F(Pages, NoValidRepetitionIsNoTimeOfZero) {
  const Page page =
      page_of({.groups = 2, .repetitions = 0, .toml = synthetic::campaign_toml({.groups = 2})});
  const CampaignPage& campaign = page.campaigns[0];
  EXPECT_EQ(campaign.state, CampaignState::kFailed);
  EXPECT_EQ(status_of(page.health), base::Exit::kMeasurementFailed);
  EXPECT_THAT(campaign.figures.times, IsEmpty());
  EXPECT_THAT(campaign.problems, Contains(HasSubstr("no valid repetition")));
  EXPECT_THAT(campaign.comparison_missing, Not(IsEmpty()));
}

std::vector<record::Cell> cells_with(void (*change)(record::Cell&)) {
  std::vector<record::Cell> cells = synthetic::default_cells();
  cells[1].size_bytes = cells[0].size_bytes;
  change(cells[1]);
  return cells;
}

TEST_F(Pages, SelfTestThatCannotBeJudgedSaysWhy) {
  const std::vector<record::Cell> cells =
      cells_with([](record::Cell& cell) { cell.delay_ns = 100; });
  synthetic::write(dir_ / "same", {.cells = cells, .groups = 3, .library = "one"});
  store::Data data = store::read_campaign_dir(dir_ / "same");
  EXPECT_THAT(campaign_page(Study(data), "same", figure_resolution(4)).problems, IsEmpty());
  planted::remove_cell(data, 1, 1);
  const CampaignPage page = campaign_page(Study(data), "same", figure_resolution(4));
  EXPECT_FALSE(page.found<SelfTest>());
  EXPECT_THAT(page.problems, ElementsAre("no self-test: no cell was measured in every launch group "
                                         "by both arms"));
  // Delays in a comparison of two libraries are no self-test.
  EXPECT_THAT(page_of({.cells = cells, .groups = 3}, "race").campaigns[0].problems, IsEmpty());
}

TEST_F(Pages, QuestionsThatCannotBeAnsweredSayWhy) {
  const std::vector<record::Cell> syncs =
      cells_with([](record::Cell& cell) { cell.sync = "barrier"; });
  EXPECT_THAT(page_of({.cells = syncs, .groups = 3}, "valid").campaigns[0].problems, IsEmpty());
  EXPECT_THAT(
      page_of({.cells = syncs, .groups = 3, .global_valid = false}, "local").campaigns[0].problems,
      ElementsAre("no local-global: no repetition has a valid global time"));
  const auto problems = [&](const std::vector<record::Cell>& cells, const std::string& name) {
    const synthetic::Options options{.cells = cells, .groups = 2};
    synthetic::Options none = options;
    none.repetitions = 0;
    none.toml = synthetic::campaign_toml(options);
    return page_of(none, name).campaigns[0].problems;
  };
  EXPECT_THAT(problems(syncs, "syncs"), testing::AllOf(Contains(StartsWith("no local-global: ")),
                                                       Contains(StartsWith("no sync-bias: ")),
                                                       Not(Contains(StartsWith("no factors: ")))));
  EXPECT_THAT(problems(cells_with([](record::Cell& cell) { cell.cache = "cold-flush"; }), "caches"),
              testing::AllOf(Contains(StartsWith("no factors: ")),
                             Not(Contains(StartsWith("no local-global: "))),
                             Not(Contains(StartsWith("no sync-bias: ")))));
  EXPECT_THAT(problems(synthetic::default_cells(), "race"),
              testing::Each(HasSubstr("no valid repetition in")));
}

TEST_F(Pages, MethodTellsWhatWasDoneAndCitesOnlyWhatItNames) {
  const Page page = page_of({.groups = 6});
  std::string text;
  for (const std::string& paragraph : page.method.paragraphs) text += paragraph + "\n";
  EXPECT_THAT(text, HasSubstr("12 launches in 6 launch groups"));
  EXPECT_THAT(text, HasSubstr("took turns"));
  EXPECT_THAT(text, HasSubstr("1440 repetitions in 72 visits"));
  EXPECT_THAT(text, HasSubstr("corrected after Benjamini and Hochberg [Benjamini 1995] over 2"));
  ASSERT_THAT(page.method.references, Not(IsEmpty()));
  for (const Reference& reference : page.method.references) {
    EXPECT_THAT(text, HasSubstr("[" + reference.key + "]"));
  }
  // Everything in brackets is explained.
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1)) {
    const std::string key = text.substr(at + 1, text.find(']', at) - at - 1);
    EXPECT_THAT(page.method.references, Contains(testing::Field(&Reference::key, key)));
  }
}

TEST_F(Pages, MethodOfCampaignsDoneAlikeIsToldOnce) {
  synthetic::write(dir_ / "one", {.groups = 3});
  synthetic::write(dir_ / "two", {.groups = 4});
  const Page page = read({"one", "two"});
  std::size_t of_designs = 0;
  for (const std::string& paragraph : page.method.paragraphs) {
    EXPECT_THAT(paragraph, Not(StartsWith("two: Compared were")));
    of_designs += paragraph.starts_with("one: The unit of replication") ||
                          paragraph.starts_with("two: The unit of replication")
                      ? 1U
                      : 0U;
  }
  EXPECT_EQ(of_designs, 2U);
}

TEST(References, AreSortedAndDifferent) {
  std::set<std::string> keys;
  std::string last;
  for (const Reference& reference : known_references()) {
    EXPECT_LT(last, reference.key);
    last = reference.key;
    EXPECT_THAT(reference.text, Not(IsEmpty()));
  }
}

TEST(CampaignNames, AreLastPartsWhereTheseDiffer) {
  EXPECT_THAT(campaign_names({"a/om", "b/race/"}), ElementsAre("om", "race"));
  EXPECT_THAT(campaign_names({"a/om", "b/om", "c/x"}), ElementsAre("a/om", "b/om", "x"));
}

}  // namespace
}  // namespace invar::analysis
