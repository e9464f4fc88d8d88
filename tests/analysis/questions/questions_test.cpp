// Which question a campaign was made for, and which it can answer.
#include "analysis/questions/questions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using design::Question;
using planted::cell;

record::Cell with(void (*change)(record::Cell&)) {
  record::Cell changed = cell("allreduce", 8);
  change(changed);
  return changed;
}

std::vector<record::Cell> two_cells(void (*change)(record::Cell&)) {
  return {cell("allreduce", 8), with(change)};
}

Question made_for(const std::vector<std::string>& arms, const std::vector<record::Cell>& cells) {
  return asked_question(planted::study(planted::data({.arms = arms, .cells = cells}))).question;
}

const std::vector<std::string> kTwo{"openmpi", "mpich"};

TEST(AskedQuestion, IsInferredWhereTheCampaignIsOlderThanItsKey) {
  EXPECT_EQ(made_for(kTwo, {cell("bcast", 8), cell("bcast", 64)}), Question::kCompare);
  EXPECT_EQ(made_for({"openmpi"}, {cell("bcast", 8)}), Question::kShow);
  EXPECT_EQ(made_for(kTwo, two_cells([](record::Cell& c) { c.cache = "cold-flush"; })),
            Question::kFactors);
  const std::vector<record::Cell> delays = two_cells([](record::Cell& c) { c.delay_ns = 100; });
  EXPECT_EQ(made_for({"openmpi#1", "openmpi#2"}, delays), Question::kSelfTest);
  const std::vector<record::Cell> syncs = two_cells([](record::Cell& c) { c.sync = "barrier"; });
  EXPECT_EQ(made_for({"openmpi"}, syncs), Question::kLocalGlobal);
  EXPECT_EQ(made_for(kTwo, syncs), Question::kCompare);
  EXPECT_EQ(made_for(kTwo, {cell("allreduce", 8), with([](record::Cell& c) { c.sync = "barrier"; }),
                            with([](record::Cell& c) { c.dither_ns = 0; })}),
            Question::kSyncBias);
}

TEST(AskedQuestion, SaysHowItIsKnown) {
  const AskedQuestion inferred = asked_question(planted::study(planted::data({})));
  EXPECT_EQ(inferred.how, "its arms are measured in the same cells");
  design::Campaign campaign;
  campaign.analysis.question = Question::kLocalGlobal;
  campaign.analysis.positions.keys["question"] = {};
  const AskedQuestion written = asked_question(Study(planted::data({}), campaign, Rules{}));
  EXPECT_EQ(written.question, Question::kLocalGlobal);
  EXPECT_EQ(written.how, "its campaign says so");
  EXPECT_FALSE(remark_on(written)) << "nobody wonders";
  ASSERT_TRUE(remark_on(inferred));
  EXPECT_EQ(remark_on(inferred)->text,
            "the question is 'compare', because its arms are measured in the same cells");
  EXPECT_EQ(remark_on(inferred)->gravity, Gravity::kBorne) << "for who asks with --verbose";
}

// The name that somebody gave a campaign says nothing.
TEST(AskedQuestion, DoesNotHangOnTheCampaignsName) {
  const design::Campaign campaign{.name = "sync-bias"};
  EXPECT_EQ(asked_question(Study(planted::data({}), campaign, Rules{})).question,
            Question::kCompare);
}

TEST(Questions, StandInTheOrderOfTheDesign) {
  ASSERT_EQ(question_rows().size(), design::questions().size());
  for (const design::QuestionInfo& info : design::questions()) {
    EXPECT_EQ(row_of(info.question).question, info.question);
  }
}

std::string lacking(Question question, const Study& study) {
  const std::optional<Lack> lack = row_of(question).lacking(study);
  return lack ? lack->text() : "";
}

TEST(Questions, SayInWordsWhatIsLacking) {
  const Study two = planted::study(planted::data({}));
  EXPECT_EQ(lacking(Question::kCompare, two), "");
  EXPECT_EQ(lacking(Question::kFactors, two), "");
  EXPECT_EQ(
      lacking(Question::kSelfTest, two),
      "this campaign is not a self-test, which is one library twice, with cells with and without "
      "'delay'");
  const Study one = planted::study(planted::data({.arms = {"openmpi"}}));
  EXPECT_EQ(lacking(Question::kCompare, one), "a comparison needs two arms, this is one");
  EXPECT_EQ(lacking(Question::kSyncBias, one), "a comparison needs two arms, this is one");
  EXPECT_EQ(lacking(Question::kShow, one), "");
  const Study local = planted::study(planted::data({.skip_global = true}));
  EXPECT_EQ(lacking(Question::kLocalGlobal, local), "no repetition has a valid global time");
  EXPECT_EQ(lacking(Question::kOverlap, two),
            "no family has a call, a computation and both at once");
  EXPECT_EQ(lacking(Question::kAllPairs, two), "no cell is a matching of the ranks");
  EXPECT_EQ(lacking(Question::kBisection, two),
            "no cell has ranks that send to each other in pairs");
  EXPECT_EQ(lacking(Question::kP2p, two), "no cell sends messages between single ranks");
}

TEST(Questions, WithoutACompleteGroupNothingCanBeAnswered) {
  store::Data data = planted::data({.groups = 0});
  data.ended = false;
  const Study study = planted::study(data);
  for (const QuestionRow& row : question_rows()) {
    if (row.question == Question::kSelfTest) continue;
    const std::optional<Lack> lack = row.lacking(study);
    ASSERT_TRUE(lack);
    EXPECT_EQ(lack->status, base::Exit::kIncomplete);
    EXPECT_EQ(lack->text(), "no complete launch group");
  }
}

TEST(Questions, AnswerWithASentenceAndTheHealthOfTheData) {
  store::Data data = planted::data({});
  data.missed.push_back({.launch = 1, .arm = 0, .cell = 0, .reason = "it printed nothing"});
  const Study study = planted::study(data);
  for (const Question question :
       {Question::kCompare, Question::kFactors, Question::kLocalGlobal, Question::kShow}) {
    const Answered answered = row_of(question).ask(study, Detail::kAll);
    EXPECT_FALSE(answered.answer.sentence.empty());
    EXPECT_EQ(answered.answer.health.missed_runs, 1U) << design::to_string(question);
  }
}

}  // namespace
}  // namespace invar::analysis
