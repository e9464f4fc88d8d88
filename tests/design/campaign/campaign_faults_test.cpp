// Bad input: each fault has its place, says what is wrong and what to do, and none hides another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Faults of one key in a table; the key stands in line 8.
std::vector<std::string> faults_in(const std::string& table, const std::string& line) {
  return campaign_faults(with_cells("[" + table + "]\n" + line + "\n"));
}

// Faults of a `size` value; it stands in line 6 from column 8.
std::vector<std::string> size_faults(const std::string& value) {
  return campaign_faults(with_head("[[cells]]\noperation = \"bcast\"\nsize = " + value + "\n"));
}

TEST(BadCampaign, AllFaultsAreReportedAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(
      campaign_faults("schema = 2\n"
                      "nam = \"x\"\n"
                      "seed = -1\n"
                      "[design]\n"
                      "launches = { min = 9, max = 3 }\n"
                      "rouns = 3\n"
                      "[[cells]]\n"
                      "operation = \"bcast\"\n"
                      "size = \"8x\"\n"
                      "[analysis]\n"
                      "alpha = 1.5\n"),
      ElementsAre(
          "c.toml:1:1: 'name' is missing; write name = \"what-is-compared\"",
          "c.toml:1:10: schema 2 is not known to this version; it reads schema = 1",
          "c.toml:2:1: unknown key 'nam' at the top of the file; did you mean 'name'?",
          "c.toml:3:8: 'seed' is negative; write 0 or more",
          "c.toml:5:12: launches has min = 9 above max = 3; swap them",
          "c.toml:6:1: unknown key 'rouns' in [design]; did you mean 'rounds'?",
          "c.toml:9:8: '8x' is not a size: unknown unit 'x' (units: B, KiB, MiB, GiB, TiB, kB, MB, "
          "GB)",
          "c.toml:11:9: alpha must lie between 0 and 1; write the share of false claims you "
          "accept, as in 0.05"));
}

TEST(BadCampaign, LooksHaveNumbersOfLaunchesOfTheirOwnAndNeedVerdicts) {
  const std::string looks = "[design]\nstopping = \"looks\"\n";
  for (const char* launches : {"9", "{ min = 5 }", "{ max = 31 }", "{ max = 2 }"}) {
    EXPECT_THAT(campaign_faults(with_cells(looks + "launches = " + launches + "\n")),
                ElementsAre(HasSubstr("looks after 3, 5, 8, 12, 20 and 30 launches")))
        << launches;
  }
  EXPECT_THAT(campaign_faults(with_cells(looks + "[analysis]\nmethod = \"reprompi\"\n")),
              ElementsAre(HasSubstr("needs method 'invar'")));
  EXPECT_THAT(
      campaign_faults(with_cells(looks + "[engine]\npinning = \"none\"\nsync = \"barrier\"\n")),
      ElementsAre(HasSubstr("needs verdicts")));
}

TEST(BadCampaign, TextThatIsNoTomlSaysWhere) {
  EXPECT_THAT(campaign_faults("schema = 1\nname = \n"),
              ElementsAre(StartsWith("c.toml:2:8: this is no TOML: ")));
  EXPECT_THAT(campaign_faults("schema = 1\nschema = 1\n"),
              ElementsAre(StartsWith("c.toml:2:10: this is no TOML: ")));
}

TEST(BadCampaign, EmptyFileLacksEverything) {
  EXPECT_THAT(campaign_faults(""),
              ElementsAre(HasSubstr("'schema' is missing"), HasSubstr("'name' is missing"),
                          HasSubstr("'seed' is missing"), HasSubstr("'cells' is missing")));
}

TEST(BadCampaign, MisspeltKeyIsAnErrorInEveryTable) {
  EXPECT_THAT(campaign_faults("sede = 1\n" + with_cells("")),
              ElementsAre("c.toml:1:1: unknown key 'sede' at the top of the file; did you mean "
                          "'seed'?"));
  EXPECT_THAT(campaign_faults(with_cells("sizes = 8\n")),
              ElementsAre("c.toml:7:1: unknown key 'sizes' in [[cells]]; did you mean 'size'?"));
  EXPECT_THAT(faults_in("engine", "clok = \"tsc\""),
              ElementsAre("c.toml:8:1: unknown key 'clok' in [engine]; did you mean 'clock'?"));
  EXPECT_THAT(faults_in("analysis", "min_effect = \"2%\""),
              ElementsAre("c.toml:8:1: unknown key 'min_effect' in [analysis]; did you mean "
                          "'min-effect'?"));
  EXPECT_THAT(faults_in("[arm]", "library = \"a\"\nlable = \"b\""),
              ElementsAre("c.toml:9:1: unknown key 'lable' in [[arm]]; did you mean 'label'?"));
  EXPECT_THAT(faults_in("design", "launches = { minn = 3 }"),
              ElementsAre("c.toml:8:14: unknown key 'minn' in 'launches'; did you mean 'min'?"));
}

TEST(BadCampaign, RangesAndAdaptiveSizesHaveKeysOfTheirOwn) {
  EXPECT_THAT(size_faults("{ adaptive = [\"0\", \"64KiB\"], from = 1, tolerence = \"5%\" }"),
              testing::UnorderedElementsAre(
                  StartsWith("c.toml:6:37: unknown key 'from' in 'size'"),
                  HasSubstr("unknown key 'tolerence' in 'size'; did you mean 'tolerance'?")));
}

// Synchronisation by windows has a length in [engine], messages in a row a number in [[cells]].
TEST(BadCampaign, WindowsOfBothKindsAreToldApart) {
  EXPECT_THAT(campaign_faults(with_cells("window = \"100us\"\n")),
              ElementsAre(StartsWith("c.toml:7:10: 'window' of [[cells]] is \"100us\", not a whole "
                                     "number; write digits only")));
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nwindow = 64\n")),
              testing::Contains(StartsWith("c.toml:8:10: ")));
}

TEST(BadCampaign, MisplacedKeyIsSentHome) {
  EXPECT_THAT(campaign_faults("rounds = 3\n" + with_cells("")),
              ElementsAre("c.toml:1:1: unknown key 'rounds' at the top of the file; it belongs "
                          "into [design]"));
  EXPECT_THAT(campaign_faults(with_cells("seed = 3\n")),
              ElementsAre("c.toml:7:1: unknown key 'seed' in [[cells]]; it belongs to the top of "
                          "the file, before the first table"));
}

TEST(BadCampaign, SingleAndDoubleBracketsAreNotTheSame) {
  EXPECT_THAT(campaign_faults(with_head("[cells]\noperation = \"bcast\"\n")),
              ElementsAre("c.toml:4:1: 'cells' must be a list of tables; write [[cells]], in "
                          "double brackets, and its keys below"));
  EXPECT_THAT(campaign_faults(with_cells("[[design]]\nrounds = 2\n")),
              ElementsAre("c.toml:7:1: 'design' must be a table; write [design] once, in single "
                          "brackets"));
  EXPECT_THAT(campaign_faults(with_cells("[arm]\nlibrary = \"a\"\n")),
              ElementsAre(HasSubstr("write [[arm]], in double brackets")));
  EXPECT_THAT(campaign_faults("engine = 3\n" + with_cells("")),
              ElementsAre(StartsWith("c.toml:1:10: 'engine' must be a table")));
  EXPECT_THAT(campaign_faults("cells = []\n" + with_head("")),
              ElementsAre(StartsWith("c.toml:1:9: 'cells' must be a list of tables")));
}

// Mistake 5 of the peers: `8x` is 8, `1e3` is 1, `3.9` is 3.
TEST(BadCampaign, CountIsAWholeNumberOrAFault) {
  for (const char* key : {"rounds", "repetitions", "launches"}) {
    const std::string at = "c.toml:8:" + std::to_string(std::string(key).size() + 4) + ": '" + key +
                           "' of [design] is ";
    const auto fault = [&](const std::string& value) {
      return faults_in("design", std::string(key) + " = " + value);
    };
    const std::string remedy = ", not a whole number; write digits only, as in 60";
    EXPECT_THAT(fault("1e3"), ElementsAre(at + "1e3" + remedy));
    EXPECT_THAT(fault("3.9"), ElementsAre(at + "3.9" + remedy));
    EXPECT_THAT(fault("\"8x\""), ElementsAre(at + "\"8x\"" + remedy));
    EXPECT_THAT(fault("\"60\""), ElementsAre(at + "\"60\"" + remedy));
    EXPECT_THAT(fault("true"), ElementsAre(at + "true" + remedy));
    EXPECT_THAT(fault("inf"), ElementsAre(at + "inf" + remedy));
    EXPECT_THAT(fault("2020-01-01"), ElementsAre(at + "2020-01-01" + remedy));
    EXPECT_THAT(fault("-1"), ElementsAre(HasSubstr("is negative; write 1 to ")));
    EXPECT_THAT(fault("0"), ElementsAre(HasSubstr("is 0; write 1 to ")));
    EXPECT_THAT(fault("4294967297"), ElementsAre(HasSubstr("is 4294967297; write 1 to ")));
    EXPECT_THAT(fault("99999999999999999999"), ElementsAre(HasSubstr("this is no TOML")));
  }
}

TEST(BadCampaign, ListsOfLevelsAreCheckedLevelByLevel) {
  EXPECT_THAT(
      campaign_faults(with_cells("ranks = [2, \"4\", 2, 0]\n")),
      ElementsAre(StartsWith("c.toml:7:13: 'ranks' of [[cells]] is \"4\", not a whole number"),
                  StartsWith("c.toml:7:18: 'ranks' of [[cells]] has 2 twice"),
                  StartsWith("c.toml:7:21: 'ranks' of [[cells]] is 0; write 1 to")));
  EXPECT_THAT(campaign_faults(with_cells("mapping = []\n")),
              ElementsAre("c.toml:7:11: 'mapping' of [[cells]] is empty; write one"));
  EXPECT_THAT(
      campaign_faults(with_cells("in-place = \"yes\"\n")),
      ElementsAre(StartsWith("c.toml:7:12: 'in-place' of [[cells]] is \"yes\"; write true")));
  EXPECT_THAT(campaign_faults(with_cells("root = [0, \"last\"]\n")),
              ElementsAre(StartsWith(
                  "c.toml:7:12: 'root' of [[cells]] is last, no whole number; write a rank")));
  EXPECT_THAT(faults_in("design", "launches = [3, 60]"),
              ElementsAre("c.toml:8:12: 'launches' of [design] is a list; write a number, or { "
                          "min = 3, max = 60 }"));
}

TEST(BadCampaign, WrongWordsAreGuessed) {
  EXPECT_THAT(
      faults_in("engine", "sync = \"roundtime\""),
      ElementsAre("c.toml:8:8: 'roundtime' is not a value of 'sync' of [engine]; did you mean "
                  "'round-time'?"));
  EXPECT_THAT(faults_in("engine", "clock = \"tcs\""), ElementsAre(HasSubstr("mean 'tsc'?")));
  EXPECT_THAT(
      faults_in("engine", "cache = [\"warm\", \"cold-flash\"]"),
      ElementsAre("c.toml:8:18: 'cold-flash' is not a value of 'cache' of [engine]; did you "
                  "mean 'cold-flush'?"));
  EXPECT_THAT(faults_in("engine", "sync = \"quickly\""),
              ElementsAre(HasSubstr("known: round-time, window, barrier")));
  for (const char* cap : {"0.5", "11", "-1"}) {
    EXPECT_THAT(faults_in("engine", "retry-cap = " + std::string(cap)),
                ElementsAre("c.toml:8:13: 'retry-cap' is out of range; write 1 "
                            "(nothing is made once more) to 10"));
  }
  for (const char* limit : {"999ns", "1ns", "2s", "90s"}) {
    EXPECT_THAT(faults_in("engine", "skew-limit = \"" + std::string(limit) + '"'),
                ElementsAre(HasSubstr("'skew-limit' is too short or too long; write "
                                      "1us to 1s")));
  }
  EXPECT_THAT(faults_in("engine", "sync = \"window\"\nwindow = \"2s\""),
              ElementsAre("c.toml:9:10: 'window' is too short or too long; write 1us to 1s, or "
                          "leave it out: windows adapt to what a call takes"));
  EXPECT_THAT(
      faults_in("design", "stopping = \"look\""),
      ElementsAre("c.toml:8:12: 'look' is not a value of 'stopping' of [design]; did you mean "
                  "'looks'?"));
  EXPECT_THAT(faults_in("design", "order = \"shufled\""),
              ElementsAre(HasSubstr("did you mean 'shuffled'?")));
  EXPECT_THAT(faults_in("design", "together = [\"dealy\", \"cache\", \"cache\", 3]"),
              ElementsAre(HasSubstr("did you mean 'delay'?"), HasSubstr("'cache' stands twice"),
                          HasSubstr("3 in 'together' is not a factor of cells")));
  EXPECT_THAT(faults_in("design", "together = []"), ElementsAre(HasSubstr("'together' is empty")));
  EXPECT_THAT(faults_in("design", "order = \"as-written\"\ntogether = \"cache\""),
              ElementsAre(HasSubstr("says how cells are shuffled")));
  EXPECT_THAT(
      faults_in("analysis", "against = \"opration\""),
      ElementsAre(HasSubstr("'opration' is not a factor of cells; did you mean 'operation'?")));
  EXPECT_THAT(faults_in("analysis", "against = \"sync\""),
              ElementsAre(HasSubstr("'sync' has one level, so that nothing can be compared")));
  EXPECT_THAT(faults_in("analysis", "method = \"ous\""),
              ElementsAre(HasSubstr("did you mean 'osu'?")));
  EXPECT_THAT(faults_in("analysis", "correction = \"hlom\""),
              ElementsAre(HasSubstr("did you mean 'holm'?")));
}

TEST(BadCampaign, NumberWhereTextIsExpectedIsNotConverted) {
  EXPECT_THAT(campaign_faults("schema = 1\nname = 5\nseed = 1\n[[cells]]\noperation = 3\n"),
              ElementsAre("c.toml:2:8: 'name' is 5, not text; write it in quotes",
                          "c.toml:5:13: an operation is 3, no name; write it in quotes, as in "
                          "\"bcast\""));
  EXPECT_THAT(faults_in("engine", "sync = true"),
              ElementsAre("c.toml:8:8: 'sync' of [engine] is true, not text; write it in quotes"));
  EXPECT_THAT(faults_in("engine", "oversubscribe = \"false\""),
              ElementsAre("c.toml:8:17: 'oversubscribe' of [engine] is \"false\"; write true or "
                          "false, without quotes"));
  EXPECT_THAT(faults_in("engine", "oversubscribe = 0"), ElementsAre(HasSubstr("is 0; write true")));
}

TEST(BadCampaign, NameMustSaySomething) {
  for (const char* name : {"", "  ", "two\\nlines"}) {
    EXPECT_THAT(campaign_faults("schema = 1\nname = \"" + std::string(name) +
                                "\"\nseed = 1\n[[cells]]\noperation = \"barrier\"\n"),
                ElementsAre(HasSubstr("c.toml:2:8: the campaign's name is empty or has control")));
  }
}

TEST(BadCampaign, TimesNeedTheirUnit) {
  EXPECT_THAT(faults_in("design", "budget = 150"),
              ElementsAre("c.toml:8:10: 'budget' of [design] is 150, a number without a unit; "
                          "write it in quotes with its unit, as in \"150s\""));
  EXPECT_THAT(faults_in("design", "budget = \"150\""),
              ElementsAre("c.toml:8:10: 'budget' of [design]: '150' is not a time: the unit is "
                          "missing (units: ns, us, ms, s, m, h); did you mean 150s?"));
  EXPECT_THAT(faults_in("design", "budget = \"-1s\""), ElementsAre(HasSubstr("it is negative")));
  EXPECT_THAT(faults_in("design", "budget = \"0s\""),
              ElementsAre(StartsWith("c.toml:8:10: the budget is 0")));
  EXPECT_THAT(faults_in("design", "budget = 01:00:00"), ElementsAre(HasSubstr("is 01:00:00;")));
  EXPECT_THAT(faults_in("engine", "dither = 0"), ElementsAre(HasSubstr("a number without a unit")));
  EXPECT_THAT(faults_in("engine", "dither = \"no\""), ElementsAre(HasSubstr("'no' is not a time")));
  EXPECT_THAT(faults_in("engine", "dither = \"2s\""),
              ElementsAre(StartsWith("c.toml:8:10: 'dither' of [engine] is longer than 1 s")));
}

TEST(BadCampaign, SharesHaveBounds) {
  for (const char* alpha : {"0", "0.0", "1", "-0.05", "5", "nan", "inf"}) {
    EXPECT_THAT(faults_in("analysis", "alpha = " + std::string(alpha)),
                ElementsAre(StartsWith("c.toml:8:9: alpha must lie between 0 and 1")))
        << alpha;
  }
  EXPECT_THAT(faults_in("analysis", "alpha = \"0.05\""),
              ElementsAre("c.toml:8:9: 'alpha' of [analysis] is \"0.05\", not a number; write it "
                          "without quotes, as in 0.05"));
  EXPECT_THAT(faults_in("analysis", "min-effect = \"-1%\""),
              ElementsAre(HasSubstr("it is negative")));
  EXPECT_THAT(faults_in("analysis", "min-effect = 0.02"),
              ElementsAre(HasSubstr("is 0.02, a number without a unit; write it in quotes with its "
                                    "unit, as in \"2%\"")));
  EXPECT_THAT(faults_in("analysis", "min-effect = \"100%\""),
              ElementsAre(StartsWith("c.toml:8:14: min-effect is 100% or more")));
}

TEST(BadCampaign, AGateIsSlowerByAMarginBetweenArms) {
  EXPECT_THAT(faults_in("analysis", "fail-on = \"slower\""),
              ElementsAre(HasSubstr("by how much an arm may be slower is missing")));
  EXPECT_THAT(faults_in("analysis", "fail-on = \"slower:-5%\""),
              ElementsAre(HasSubstr("it is negative")));
  EXPECT_THAT(faults_in("analysis", "fail-on = \"slower:5\""),
              ElementsAre(HasSubstr("the unit is missing")));
  EXPECT_THAT(faults_in("analysis", "fail-on = \"faster:5%\""),
              ElementsAre(HasSubstr("unknown reason 'faster'")));
  EXPECT_THAT(faults_in("analysis", "fail-on = \"slower:5%\"\nmethod = \"reprompi\""),
              ElementsAre(HasSubstr("has no test of a margin")));
  EXPECT_THAT(faults_in("analysis", "fail-on = \"slower:5%\"\nquestion = \"show\""),
              ElementsAre(HasSubstr("fail-on is about arms")));
}

TEST(BadCampaign, ADirectionNeedsAMethodThatTestsOverLaunches) {
  EXPECT_THAT(faults_in("analysis", "alternative = \"less\""),
              ElementsAre(HasSubstr("method 'invar' asks both directions at once")));
  EXPECT_THAT(
      faults_in("analysis", "alternative = \"less\"\nmethod = \"osu\""),
      ElementsAre(HasSubstr("method 'osu' has no test; use method 'wilcoxon', 't' or 'ks'")));
  EXPECT_THAT(faults_in("analysis", "alternative = \"fewer\"\nmethod = \"t\""),
              ElementsAre(HasSubstr("'fewer'")));
  for (const char* method : {"wilcoxon", "t", "ks", "reprompi", "pgmpi"}) {
    const Campaign campaign =
        read_campaign(with_cells("[analysis]\nruntime = \"global\"\nalternative = \"less\"\n"
                                 "method = \"" +
                                 std::string(method) + "\"\n"),
                      "c.toml");
    EXPECT_EQ(campaign.analysis.alternative, "less");
    EXPECT_EQ(read_campaign(campaign_toml(campaign), "c.toml").analysis, campaign.analysis);
  }
}

TEST(BadCampaign, OperationsAreNamesEachOnce) {
  const auto fault = [](const std::string& value) {
    return campaign_faults(with_head("[[cells]]\nsize = 8\noperation = " + value + "\n"));
  };
  EXPECT_THAT(fault("[]"), ElementsAre("c.toml:6:13: the list of operations is empty; write one"));
  EXPECT_THAT(fault("[\"bcast\", 3, \"\"]"),
              ElementsAre(StartsWith("c.toml:6:23: an operation is 3, no name"),
                          StartsWith("c.toml:6:26: an operation is \"\", no name")));
  EXPECT_THAT(fault("[\"bcast\", \"scan\", \"bcast\"]"),
              ElementsAre("c.toml:6:31: operation 'bcast' stands twice; write it once"));
  EXPECT_THAT(campaign_faults(with_head("[[cells]]\nsize = 8\n")),
              ElementsAre("c.toml:4:1: 'operation' of [[cells]] is missing; write operation = "
                          "\"bcast\", or a list of them"));
}

TEST(BadSize, ValuesThatAreNoSizes) {
  EXPECT_THAT(size_faults("3.9"),
              ElementsAre("c.toml:6:8: the size is 3.9, no size; write whole bytes, as in 8, or "
                          "text with a unit, as in \"64KiB\""));
  EXPECT_THAT(size_faults("1e3"), ElementsAre(StartsWith("c.toml:6:8: the size is 1e3, no size")));
  EXPECT_THAT(size_faults("true"), ElementsAre(HasSubstr("the size is true, no size")));
  EXPECT_THAT(size_faults("-8"), ElementsAre("c.toml:6:8: the size is negative; sizes are bytes, 0 "
                                             "or more"));
  EXPECT_THAT(size_faults("9007199254740992"), ElementsAre(HasSubstr("the size is too large")));
  EXPECT_THAT(size_faults("[8, \"1e3\", -1]"),
              ElementsAre(StartsWith("c.toml:6:12: '1e3' is not a size: unknown unit 'e3'"),
                          StartsWith("c.toml:6:19: the size is negative")));
  EXPECT_THAT(size_faults("[]"), ElementsAre(HasSubstr("the list of sizes is empty")));
  EXPECT_THAT(size_faults("[[8]]"), ElementsAre(HasSubstr("a list of sizes inside a list")));
  EXPECT_THAT(size_faults("\"1KiB:64KiB\""),
              ElementsAre(HasSubstr("a range is written { from = ")));
}

TEST(BadSize, RangesThatLeadNowhere) {
  EXPECT_THAT(size_faults("{ from = 8, to = 4, factor = 2 }"),
              ElementsAre("c.toml:6:8: the range begins at 8 B and ends before it, at 4 B"));
  EXPECT_THAT(size_faults("{ from = 0, to = 4, factor = 2 }"),
              ElementsAre(HasSubstr("0 never grows by a factor")));
  EXPECT_THAT(size_faults("{ from = 1, to = 4, factor = 1 }"),
              ElementsAre(StartsWith("c.toml:6:37: 'factor' of 'size' is 1; write 2 to ")));
  EXPECT_THAT(size_faults("{ from = 1, to = 4, factor = 1.5 }"),
              ElementsAre(HasSubstr("'factor' of 'size' is 1.5, not a whole number")));
  EXPECT_THAT(size_faults("{ from = 1, to = 4, step = 0 }"),
              ElementsAre("c.toml:6:8: the step must be above 0"));
  EXPECT_THAT(size_faults("{ from = 0, to = \"1GiB\", step = 1 }"),
              ElementsAre("c.toml:6:8: the range has more than 100000 sizes"));
  EXPECT_THAT(size_faults("{ from = 1, to = 4 }"),
              ElementsAre(HasSubstr("a range without 'factor' or 'step'")));
  EXPECT_THAT(size_faults("{ from = 1, to = 4, factor = 2, step = 2 }"),
              ElementsAre(HasSubstr("a range with both 'factor' and 'step'")));
  EXPECT_THAT(size_faults("{ from = \"4x\", factor = 2 }"),
              ElementsAre(HasSubstr("'to' of 'size' is missing"), HasSubstr("'4x' is not a size")));
  EXPECT_THAT(size_faults("{ from = 1, to = 4, factor = 2, count = 3 }"),
              ElementsAre(HasSubstr("'count' goes with 'loguniform' only")));
}

TEST(BadSize, RandomSizesThatCannotBeDrawn) {
  EXPECT_THAT(size_faults("{ loguniform = [1, 8] }"),
              ElementsAre(HasSubstr("'count' of 'size' is missing")));
  EXPECT_THAT(size_faults("{ loguniform = [1, 8], count = 0 }"),
              ElementsAre(HasSubstr("'count' of 'size' is 0; write 1 to 100000")));
  EXPECT_THAT(size_faults("{ loguniform = [8, 1], count = 3 }"),
              ElementsAre(HasSubstr("the range begins at 8 B and ends before it")));
  EXPECT_THAT(size_faults("{ loguniform = [0, 1], count = 3 }"),
              ElementsAre(HasSubstr("0 has no logarithm")));
  EXPECT_THAT(size_faults("{ loguniform = [1], count = 3 }"),
              ElementsAre(HasSubstr("must be a list of two sizes")));
  EXPECT_THAT(size_faults("{ loguniform = \"1:8\", count = 3 }"),
              ElementsAre(HasSubstr("must be a list of two sizes")));
  EXPECT_THAT(size_faults("{ loguniform = [1, 8], count = 3, factor = 2 }"),
              ElementsAre(StartsWith("c.toml:6:42: unknown key 'factor' in 'size'")));
}

TEST(BadArm, EveryPartIsChecked) {
  EXPECT_THAT(faults_in("[arm]", "label = \"a\""),
              ElementsAre(StartsWith("c.toml:7:1: 'library' of [[arm]] is missing")));
  EXPECT_THAT(
      faults_in("[arm]", "library = \"a/b\"\nlabel = \"x,y\""),
      ElementsAre("c.toml:8:11: library 'a/b' is not a name; use letters, digits and . _ - + "
                  "#, a letter or digit first",
                  StartsWith("c.toml:9:9: label 'x,y' is not a name")));
  EXPECT_THAT(
      faults_in("[arm]", "library = \"a\"\nsettings = [\"A=1\"]"),
      ElementsAre("c.toml:9:12: 'settings' of [[arm]] is not a table; write settings = { KEY "
                  "= \"VALUE\" }"));
  EXPECT_THAT(faults_in("[arm]", "library = \"a\"\nsettings = { OMPI_MCA_x = 1, UCX_TLS = true }"),
              ElementsAre("c.toml:9:27: setting 'OMPI_MCA_x' is 1, not text; settings are "
                          "environment variables: write the value in quotes",
                          StartsWith("c.toml:9:40: setting 'UCX_TLS' is true, not text")));
  EXPECT_THAT(faults_in("[arm]", "library = \"a\"\nsettings = { PATH = \"x\" }"),
              ElementsAre("c.toml:9:21: setting 'PATH' is not a variable of an MPI library; "
                          "variables of a library begin with OMPI_MCA_, MPIR_CVAR_, I_MPI_, UCX_, "
                          "FI_, PMIX_, PRTE_; write 'env:PATH' to pass on any other variable"));
}

TEST(BadArm, TwoArmsWithOneLabelCannotBeToldApart) {
  EXPECT_THAT(campaign_faults(with_cells("[[arm]]\nlibrary = \"a\"\nlabel = \"x\"\n"
                                         "[[arm]]\nlibrary = \"b\"\nlabel = \"x\"\n")),
              ElementsAre("c.toml:10:1: two arms have the label 'x'; give each its own"));
  EXPECT_THAT(
      campaign_faults("seeed = 1\n" + with_cells("[[arm]]\nlibrary = \"a\"\nlabel = \"x\"\n"
                                                 "[[arm]]\nlibrary = \"b\"\nlabel = \"x\"\n")),
      testing::SizeIs(2))
      << "together with the other faults";
}

TEST(BadCampaign, OptionsThatExcludeEachOtherAreRefused) {
  const auto first = [](const std::vector<std::string>& faults) {
    return faults.empty() ? "" : faults[0].substr(0, faults[0].find(','));
  };
  EXPECT_EQ(first(faults_in("engine", "clock = \"mpi-wtime\"")),
            "c.toml:8:9: clock 'mpi-wtime' cannot agree on a start time between ranks");
  EXPECT_EQ(first(faults_in("engine", "oversubscribe = true")),
            "c.toml:8:17: ranks that share cores cannot keep a start time");
  EXPECT_EQ(first(faults_in("engine", "sync = \"window\"\noversubscribe = true")),
            "c.toml:9:17: ranks that share cores cannot keep a start time");
  EXPECT_EQ(first(faults_in("engine", "pinning = \"none\"")),
            "c.toml:8:11: ranks that are not pinned cannot keep a start time");
  EXPECT_EQ(first(faults_in("analysis", "runtime = \"global\"\nmethod = \"osu\"")),
            "c.toml:8:11: method 'osu' uses local run-times; use runtime 'local' or 'auto'");
  EXPECT_EQ(first(faults_in("engine",
                            "sync = \"barrier\"\nclock = \"mpi-wtime\"\n[analysis]\n"
                            "runtime = \"global\"")),
            "c.toml:11:11: clock 'mpi-wtime' gives local run-times only");
  EXPECT_NO_THROW((void)read_campaign(
      with_cells("[engine]\nsync = \"barrier\"\nclock = \"mpi-wtime\"\n"), "c.toml"));
  // A misspelt sync is one fault, not one more about the default that was not meant.
  EXPECT_THAT(faults_in("engine", "sync = \"barier\"\nclock = \"mpi-wtime\""),
              ElementsAre(HasSubstr("did you mean 'barrier'?")));
}

TEST(BadCampaign, ColumnsCountCharacters) {
  EXPECT_THAT(campaign_faults("schema = 1\nname = \"\xc3\xa4\xc3\xb6\"; x\n"),
              ElementsAre(StartsWith("c.toml:2:12: ")));
}

TEST(CampaignFaults, RootsBeyondTheRanksAreToldWithTheOtherFaults) {
  const std::string begin =
      "schema = 1\nname = \"x\"\nseed = 1\n[[cells]]\noperation = \"bcast\"\nsize = 8\nranks = 2\n";
  EXPECT_THAT(campaign_faults(begin + "root = [0, 7, -1]\n"),
              ElementsAre(StartsWith("c.toml:8:8: root 7 is not a rank of 2; write 0 to 1"),
                          HasSubstr("is negative; write a rank")));
}

// The file has another fault: alone it is told where cells are resolved.
TEST(CampaignFaults, RootOfAnOperationWithoutOneIsToldWithTheOtherFaults) {
  const std::string text =
      "schema = 1\nname = \"x\"\nseed = 1\nfoo = 1\n[[cells]]\noperation = \"allreduce\"\n"
      "size = 8\nroot = 0\n[[cells]]\noperation = \"barrier\"\nsize = 8\n[[cells]]\n"
      "operation = \"mine\"\nsize = 8\nroot = 0\n";
  const auto faults = [&](const KnownOperations& known) {
    std::vector<std::string> texts;
    try {
      (void)read_campaign(text, "c.toml", known);
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) texts.push_back(fault.text());
    }
    return texts;
  };
  const auto known = [] {
    return std::vector<record::OperationInfo>{{.name = "allreduce", .sized = true},
                                              {.name = "barrier", .sized = false}};
  };
  EXPECT_THAT(faults(known),
              ElementsAre(StartsWith("c.toml:4:1: unknown key 'foo'"),
                          "c.toml:8:8: none of these operations has a root; remove it",
                          "c.toml:11:8: none of these operations has a size; remove it"));
  EXPECT_EQ(faults({}).size(), 1U) << "nothing is known of operations";
}

}  // namespace
}  // namespace invar::design
