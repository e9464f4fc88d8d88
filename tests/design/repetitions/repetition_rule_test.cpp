// When repetitions are enough, in words: read, refused, and written again.
#include "design/repetitions/repetition_rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// What is wrong, and what to do.
std::vector<std::string> complaints_of(const std::string& key, const std::string& text) {
  RepetitionRule rule;
  std::vector<std::string> all;
  for (const RuleComplaint& complaint : read_rule_key(key, text, rule)) {
    EXPECT_EQ(complaint.key, key);
    EXPECT_FALSE(complaint.remedy.empty());
    all.push_back(complaint.what + "; " + complaint.remedy);
  }
  EXPECT_EQ(all.empty() || rule == RepetitionRule(), true) << "left alone where it is wrong";
  return all;
}

RepetitionRule rule_of(const std::vector<std::pair<std::string, std::string>>& words) {
  RepetitionRule rule;
  for (const auto& [key, text] : words) {
    EXPECT_THAT(read_rule_key(key, text, rule), IsEmpty()) << key << ' ' << text;
  }
  return rule;
}

TEST(RepetitionRule, IsReadAsThePapersCommandSaysIt) {
  const RepetitionRule rule = rule_of({{"predict", "rse,cov-mean"},
                                       {"rse", "0.025"},
                                       {"cov-mean", "1%:20"},
                                       {"range", "20:1000:10"}});
  EXPECT_TRUE(rule.limit(RepetitionMethod::kRse).asked);
  EXPECT_TRUE(rule.limit(RepetitionMethod::kCovMean).asked);
  EXPECT_FALSE(rule.limit(RepetitionMethod::kCovMedian).asked);
  EXPECT_EQ(rule.limit(RepetitionMethod::kRse).threshold, 0.025);
  EXPECT_EQ(rule.limit(RepetitionMethod::kCovMean).threshold, 0.01);
  EXPECT_EQ(rule.limit(RepetitionMethod::kCovMean).window, 20U);
  EXPECT_EQ(rule.min, 20U);
  EXPECT_EQ(rule.max, 1000U);
  EXPECT_EQ(rule.step, 10U);
}

TEST(RepetitionRule, IsWrittenOutAndReadAgain) {
  const RepetitionRule rule = rule_of({{"predict", "cov-median,invar"},
                                       {"cov-median", "0.003:7"},
                                       {"half-width", "1.25%"},
                                       {"range", "7:400:3"}});
  EXPECT_EQ(rule_of(rule_words(rule)), rule);
  EXPECT_THAT(rule_words(rule), SizeIs(rule_keys().size()));
}

TEST(RepetitionRule, LooksAtEveryStepAndAtTheMost) {
  EXPECT_THAT(rule_of({{"range", "20:50:10"}}).numbers(), ElementsAre(20, 30, 40, 50));
  EXPECT_THAT(rule_of({{"range", "20:45:10"}}).numbers(), ElementsAre(20, 30, 40, 45));
  EXPECT_THAT(rule_of({{"range", "20:45:1000"}}).numbers(), ElementsAre(20, 45));
  EXPECT_THAT(rule_of({{"range", "5:5:1"}}).numbers(), ElementsAre(5));
}

TEST(RepetitionRule, EverythingThatIsWrongIsSaid) {
  EXPECT_THAT(complaints_of("predict", "rse,cov-men"),
              ElementsAre("there is no method 'cov-men'; did you mean 'cov-mean'?"));
  EXPECT_THAT(complaints_of("predict", "rse,rse"), ElementsAre(HasSubstr("named twice")));
  EXPECT_THAT(complaints_of("predict", "x,,"), SizeIs(3));
  EXPECT_THAT(complaints_of("rse", "0"),
              ElementsAre("a threshold of 0 is never met; write a share above 0, as in 0.025"));
  EXPECT_THAT(complaints_of("rse", "-1%"), ElementsAre(HasSubstr("-1%")));
  EXPECT_THAT(complaints_of("rse", "25"), ElementsAre(HasSubstr("100 % or more")));
  EXPECT_THAT(complaints_of("rse", "nan"), ElementsAre(HasSubstr("has no threshold")));
  EXPECT_THAT(complaints_of("rse", "0.025:20"), ElementsAre(HasSubstr("has no window")));
  EXPECT_THAT(complaints_of("half-width", "wide"), ElementsAre(HasSubstr("has no threshold")));
  EXPECT_THAT(complaints_of("cov-mean", "0.01"),
              ElementsAre("'0.01' names no window; write it behind a colon, as in 0.01:20"));
  EXPECT_THAT(complaints_of("cov-mean", "0:1"), SizeIs(2)) << "both at once";
  EXPECT_THAT(complaints_of("cov-median", "0.01:1e3"), ElementsAre(HasSubstr("its window")));
  EXPECT_THAT(complaints_of("range", "20:1000"),
              ElementsAre("'20:1000' is not a range; write min:max:step, as in 20:1000:10"));
  EXPECT_THAT(complaints_of("range", "20-1000-10"), ElementsAre(HasSubstr("is not a range")));
  EXPECT_THAT(complaints_of("range", "1000:20:10"),
              ElementsAre("its min 1000 is above its max 20; swap them"));
  EXPECT_THAT(complaints_of("range", "0:1000:0"), SizeIs(2));
  EXPECT_THAT(complaints_of("range", "20:1000000:10"), ElementsAre(HasSubstr("write 1 to 100000")));
}

TEST(RepetitionRule, AWindowThatTheRangeNeverFillsIsRefused) {
  RepetitionRule rule = rule_of({{"predict", "rse"}, {"range", "5:10:1"}});
  EXPECT_THAT(rule_conflicts(rule), IsEmpty()) << "nobody asked for windows of 20";
  rule = rule_of({{"predict", "cov-mean"}, {"range", "5:10:1"}});
  ASSERT_THAT(rule_conflicts(rule), SizeIs(1));
  EXPECT_EQ(rule_conflicts(rule)[0].key, "cov-mean");
  EXPECT_EQ(rule_conflicts(rule)[0].what,
            "a window of 20 is never filled by at most 10 repetitions");
  EXPECT_THAT(rule_conflicts(RepetitionRule()), SizeIs(1)) << "no method is named";
}

constexpr const char* kBeforeRepetitions =
    "schema = 1\nname = \"c\"\nseed = 1\n[design]\nrounds = 4\n";
constexpr const char* kAfterRepetitions = "[[cells]]\noperation = \"bcast\"\nsize = 8\n";

TEST(PredictedRepetitionsOfACampaign, AreAVisitsShareOfTheMostUntilTheyAreKnown) {
  const std::string toml =
      std::string(kBeforeRepetitions) +
      "repetitions = { predict = \"rse\", rse = 0.02, cov-mean = \"0.02:9\", range = \"20:102:10\" "
      "}\n" +
      kAfterRepetitions;
  const Campaign campaign = read_campaign(toml, "c.toml");
  ASSERT_TRUE(campaign.prediction);
  EXPECT_EQ(campaign.prediction->limit(RepetitionMethod::kRse).threshold, 0.02);
  EXPECT_EQ(campaign.repetitions, 26U) << "a quarter of 102, rounded up";
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml"), campaign);
}

TEST(PredictedRepetitionsOfACampaign, AreRefusedWithThePlaceOfWhatIsWrong) {
  const auto faults = [](const std::string& between, const std::string& rest = {}) {
    return test::faults_of([&] {
      (void)read_campaign(
          kBeforeRepetitions + ("repetitions = " + between + "\n") + kAfterRepetitions + rest,
          "c.toml");
    });
  };
  EXPECT_THAT(
      faults("{ predict = \"rse\", rse = 0, rnage = \"1:2\" }"),
      ElementsAre(HasSubstr("c.toml:6:40: rse: a threshold of 0 is never met"),
                  HasSubstr("unknown key 'rnage' in 'repetitions'; did you mean 'range'?")));
  EXPECT_THAT(faults("{ predict = \"cov-mean\", range = \"2:9:1\" }"),
              ElementsAre(HasSubstr("cov-mean: a window of 20 is never filled")));
  EXPECT_THAT(faults("{ rse = 0.1 }"),
              ElementsAre(HasSubstr("c.toml:6:15: predict: no method is named")));
  EXPECT_THAT(faults("[20]"), ElementsAre(HasSubstr("is a list")));
  EXPECT_THAT(faults("{ predict = \"rse\" }\nstopping = \"looks\""),
              ElementsAre(HasSubstr("stopping = \"looks\" finds the best number")));
  EXPECT_THAT(faults("50", "[analysis]\nquestion = \"nrep\"\n"),
              ElementsAre(HasSubstr("question = \"nrep\" needs a rule")));
}

}  // namespace
}  // namespace invar::design
