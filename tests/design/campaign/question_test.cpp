// [analysis] question: what a campaign is made for.
#include "design/campaign/question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/campaign/campaign.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeadLines = "schema = 1\nname = \"q\"\nseed = 1\n";
constexpr const char* kOneCell = "[[cells]]\noperation = \"bcast\"\nsize = 8\n";

std::string asking(const std::string& question) {
  return "[analysis]\nquestion = \"" + question + "\"\n";
}

std::vector<std::string> faults_in(const std::string& text) {
  return test::faults_of([&] { (void)read_campaign(kHeadLines + text, "c.toml"); });
}

TEST(Question, EveryOneIsFoundByItsName) {
  for (const QuestionInfo& info : questions()) {
    EXPECT_EQ(to_string(info.question), info.name);
    EXPECT_EQ(find_question(info.name), &info);
  }
  EXPECT_EQ(find_question("comparison"), nullptr);
}

TEST(Question, TheTemplateTellsOfEveryOne) {
  const std::string text = commented_campaign();
  for (const QuestionInfo& info : questions()) {
    EXPECT_THAT(text, HasSubstr("#   \"" + std::string(info.name) + '"')) << info.name;
    EXPECT_THAT(text, HasSubstr(std::string(info.about) + '\n')) << info.name;
  }
}

TEST(Question, IsWhatTheCampaignSaysAndCompareWhereItSaysNothing) {
  const Campaign silent = read_campaign(std::string(kHeadLines) + kOneCell, "c.toml");
  EXPECT_EQ(silent.analysis.question, Question::kCompare);
  EXPECT_FALSE(silent.analysis.names_question());
  const Campaign shown =
      read_campaign(kHeadLines + std::string(kOneCell) + asking("show"), "c.toml");
  EXPECT_EQ(shown.analysis.question, Question::kShow);
  EXPECT_TRUE(shown.analysis.names_question());
}

TEST(Question, IsWrittenOutAndReadAgain) {
  Campaign campaign = read_campaign(std::string(kHeadLines) + kOneCell, "c.toml");
  campaign.analysis.question = Question::kFactors;
  campaign.engine.levels["cache"] = {"warm", "cold-flush"};
  const Campaign again = read_campaign(campaign_toml(campaign), "c.toml");
  EXPECT_EQ(again, campaign);
  EXPECT_TRUE(again.analysis.names_question());
}

TEST(Question, UnknownOneIsRefusedWithItsPlace) {
  EXPECT_THAT(faults_in(kOneCell + asking("factor")),
              ElementsAre("c.toml:8:12: unknown question 'factor'; did you mean 'factors'?"));
}

TEST(Question, OfANewerInvarIsSaidOfASealedCampaign) {
  const std::string toml = kHeadLines + std::string(kOneCell) + asking("weather");
  EXPECT_THAT(test::faults_of([&] { (void)read_sealed_campaign(toml, "om/campaign.toml"); }),
              ElementsAre("om/campaign.toml:8:12: unknown question 'weather'; it was made by a "
                          "newer Invar: read it with that one"));
  EXPECT_THAT(test::faults_of([&] {
                (void)read_sealed_campaign(
                    "schema = 2\nname = \"q\"\nseed = 1\n" + std::string(kOneCell),
                    "om/campaign.toml");
              }),
              ElementsAre(HasSubstr("om/campaign.toml:1:10: schema 2 is not known to this version; "
                                    "it was made by a newer Invar")));
}

TEST(WrittenByNewer, IsToldFromDamageAndFromAnEdit) {
  const auto newer = [](const std::string& rest) {
    return written_by_newer(kHeadLines + std::string(kOneCell) + rest, "om/campaign.toml");
  };
  EXPECT_TRUE(newer("").value().empty());
  // Whatever else of it is unknown here.
  const auto faults = newer("shape = 3\n" + asking("weather")).value();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].text(),
            "om/campaign.toml:9:12: unknown question 'weather'; it was made by a newer Invar: read "
            "it with that one");
  EXPECT_FALSE(newer("[analysis\n"));
  EXPECT_FALSE(newer("shape = 3\n"));
}

TEST(Question, WhoseDataCannotBeThereIsRefused) {
  const std::string one = "[[arm]]\nlibrary = \"openmpi\"\n";
  EXPECT_THAT(faults_in(kOneCell + one + asking("factors")),
              ElementsAre(HasSubstr("c.toml:10:12: question = \"factors\" has nothing to ask "
                                    "about: no factor has two levels")));
  EXPECT_NO_THROW((void)read_campaign(kHeadLines + std::string(kOneCell) +
                                          "sync = [\"round-time\", \"barrier\"]\n" + one +
                                          asking("factors"),
                                      "c.toml"));
  EXPECT_THAT(faults_in(kOneCell + one + one + asking("self-test")),
              ElementsAre(HasSubstr("needs one library twice, and cells with and without planted "
                                    "delays")));
  EXPECT_THAT(faults_in(kOneCell + one + asking("sync-bias")),
              ElementsAre(HasSubstr("compares arms, and there is one")));
  EXPECT_THAT(faults_in(std::string(kOneCell) + "sync = \"barrier\"\nclock = \"mpi-wtime\"\n" +
                        one + asking("local-global")),
              ElementsAre(HasSubstr("needs global times")));
  EXPECT_THAT(faults_in(kOneCell + one + asking("all-pairs")),
              ElementsAre(HasSubstr("needs cells in which every rank meets every other one; write "
                                    "pattern = \"all-pairs\"")));
  EXPECT_THAT(
      faults_in(kOneCell + one + asking("bisection")),
      ElementsAre(HasSubstr("needs cells whose pattern says who sends to whom; write pattern "
                            "= [\"bisection\", \"random-matchings:20\"]")));
  EXPECT_NO_THROW((void)read_campaign(
      kHeadLines + std::string(kOneCell) + "pattern = \"ring\"\n" + one + asking("bisection"),
      "c.toml"));
  EXPECT_THAT(faults_in(std::string(kOneCell) + "compute = \"10us\"\n" + one + asking("overlap")),
              ElementsAre(HasSubstr("needs cells with and without computation in one family")));
  const std::string overlapped =
      kHeadLines + std::string(kOneCell) + "compute = [\"off\", \"10us\"]\n" + one;
  EXPECT_NO_THROW((void)read_campaign(
      overlapped + "[design]\ntogether = [\"compute\"]\n" + asking("overlap"), "c.toml"));
  EXPECT_THAT(
      test::faults_of([&] { (void)read_campaign(overlapped + asking("overlap"), "c.toml"); }),
      ElementsAre(HasSubstr("in one family; write compute = [\"off\", \"1x\"] into [[cells]], and "
                            "together = [\"compute\"]")));
}

TEST(Question, ANetworkIsTakenApartByOperationsOfItsOwn) {
  const std::string one = "[[arm]]\nlibrary = \"openmpi\"\n";
  const auto cells = [](const std::string& operation, const std::string& more = {}) {
    return "[[cells]]\noperation = \"" + operation + "\"\nsize = 8\n" + more;
  };
  const std::string late = "arrival = \"last-late:3x\"\n";
  EXPECT_NO_THROW((void)read_campaign(kHeadLines + cells("pingpong") + cells("send") +
                                          cells("isend") + cells("recv", late) + one +
                                          asking("network"),
                                      "c.toml"));
  EXPECT_THAT(faults_in(cells("pingpong") + cells("recv") + one + asking("network")),
              ElementsAre(HasSubstr("and has none of send, isend, recv with arrival = "
                                    "\"last-late:3x\"; invar network ARM makes such a campaign")));
  EXPECT_THAT(
      faults_in(cells("pingpong") + cells("send") + cells("isend") + cells("recv", late) + one +
                "[[arm]]\nprogram = \"app\"\nparse = \"osu\"\nlabel = \"p\"\n" + asking("network")),
      testing::Contains(HasSubstr("takes apart what single calls take")));
}

}  // namespace
}  // namespace invar::design
