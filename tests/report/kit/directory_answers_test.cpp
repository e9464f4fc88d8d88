// Answers about a directory itself: status, verify, env.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/directory/progress.hpp"
#include "analysis/directory/verified.hpp"
#include "analysis/metadata/environment.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::report {
namespace {

using analysis::ClockProgress;
using analysis::Environment;
using analysis::EnvironmentDifferences;
using analysis::Progress;
using analysis::Verified;
using analysis::Weight;
using testing::HasSubstr;

TEST(StatusAnswer, SaysHowFarWhoIsAtWorkAndWhatFailed) {
  Progress progress{.dir = "data",
                    .complete = 3,
                    .failed = 1,
                    .planned = 6,
                    .at_least = true,
                    .driver = "pid 7 on node1",
                    .measured_s = 12,
                    .under_way_s = 2,
                    .left_s = 6};
  progress.lost = {{.group = 2, .reason = "'mpich' did not end"}};
  progress.failed_cells = {{.cell = 1, .arm = "mpich", .reason = "a wrong result"}};
  EXPECT_EQ(answer_text(answer_of(progress)),
            "data: 3 of at least 6 launch groups done, 1 failed, running (pid 7 on node1).\n"
            "\n"
            "  measured for 12 s, and 2.0 s in the group under way, about 6.0 s left\n"
            "  group 2 failed: 'mpich' did not end\n"
            "  cell 1 fails in 'mpich': a wrong result\n");
  EXPECT_EQ(progress.status(), base::Exit::kDone) << "somebody is at work";
  progress.driver.reset();
  EXPECT_EQ(progress.status(), base::Exit::kIncomplete);
  EXPECT_THAT(answer_text(answer_of(progress)),
              HasSubstr("go on with: invar run --resume -o data"));
  EXPECT_THAT(answer_csv(answer_of(progress), "failures"),
              HasSubstr("group,cell_id,arm,reason\n2,,,'mpich' did not end\n,1,mpich,a wrong"));
}

TEST(StatusAnswer, TellsWhatLooksDecided) {
  Progress progress{.dir = "data", .complete = 3, .planned = 3, .sequential = true};
  progress.next_look = "look 1 comes at 3 complete groups";
  EXPECT_THAT(answer_text(answer_of(progress)),
              HasSubstr("  sequential: no look yet; look 1 comes at 3 complete groups\n"));
  progress.looks = {{.look = 1, .groups = {1, 2, 3}, .questions = 4, .undecided = 1}};
  progress.next_look = "look 2 comes at 5 complete groups";
  progress.undecided = {"bcast, 8 B"};
  EXPECT_THAT(answer_text(answer_of(progress)),
              HasSubstr("  look 1 after 3 groups: 3 of 4 questions decided\n"
                        "  undecided: bcast, 8 B\n"
                        "  next: look 2 comes at 5 complete groups\n"));
  EXPECT_EQ(answer_csv(answer_of(progress), "looks"), "look,groups,questions,decided\n1,3,4,3\n");
}

TEST(StatusAnswer, AMissingLaunchIsDamage) {
  Progress progress{.dir = "data", .complete = 2, .planned = 2, .ended = true};
  progress.missing = {"launches/0001-a"};
  EXPECT_EQ(progress.status(), base::Exit::kDamaged);
  EXPECT_THAT(answer_text(answer_of(progress)),
              HasSubstr("in doubt: launches/0001-a is missing: data are damaged\n"));
}

TEST(StatusAnswer, OfAnExperimentWithClocksIsOneLine) {
  EXPECT_EQ(answer_text(answer_of(ClockProgress{.dir = "kept"})),
            "kept: an experiment with clocks, complete.\n");
}

TEST(VerifyAnswer, NamesEveryFaultAndWhatGoesOn) {
  Verified verified{.dir = "data", .remedy = "invar run --resume -o data"};
  verified.found.damage = {{.place = "launches/0001-a/timings.bin", .what = "visit 1"}};
  verified.found.launches = 4;
  verified.found.bytes = 1000;
  EXPECT_EQ(answer_text(answer_of(verified)),
            "data is damaged: 4 sealed launches, 1000 bytes checked.\n"
            "\n"
            "  launches/0001-a/timings.bin: visit 1\n"
            "  go on with: invar run --resume -o data\n");
  EXPECT_EQ(answer_csv(answer_of(verified)),
            "kind,place,what,remedy\ndamage,launches/0001-a/timings.bin,visit 1,\n");
  const auto json = nlohmann::json::parse(answer_json(answer_of(verified)));
  EXPECT_EQ(json.at("state"), "damaged");
  EXPECT_EQ(json.at("health").at("damaged"), 1);
}

TEST(VerifyAnswer, OfWholeDataIsOneLine) {
  Verified verified{.dir = "data"};
  verified.found.launches = 4;
  verified.found.bytes = 1000;
  EXPECT_EQ(answer_text(answer_of(verified)),
            "data is complete and whole: 4 sealed launches, 1000 bytes checked.\n");
}

TEST(EnvironmentAnswer, HasATableASection) {
  Environment environment{.dir = "data", .scope = "2 ranks", .launches = 4, .arms = 2};
  environment.sessions = {"node1 today"};
  environment.facts = {{"hosts", "names", "node1"},
                       {"hosts", "not alike", "none"},
                       {"state", "load", std::string(120, 'x')}};
  EXPECT_EQ(answer_text(answer_of(environment), true),
            "data: 2 ranks, 4 launches of 2 arms, session node1 today.\n"
            "\n"
            "hosts:\n"
            "  names       node1\n"
            "  not alike   none\n"
            "\n"
            "state:\n"
            "  load  " +
                std::string(100, 'x') + "...\n");
  const auto json = nlohmann::json::parse(answer_json(answer_of(environment)));
  EXPECT_EQ(json.at("schema"), 2);
  EXPECT_EQ(json.at("launches"), 4);
  EXPECT_EQ(json.at("facts").at(2).at("value"), std::string(120, 'x')) << "whole for machines";
}

TEST(EnvironmentAnswer, CutsBetweenCharactersOnly) {
  Environment environment{.dir = "data"};
  environment.facts = {{"hosts", "names", std::string(99, 'x') + "\u00e9\u00e9"}};
  EXPECT_THAT(answer_text(answer_of(environment), true),
              HasSubstr("  names  " + std::string(99, 'x') + "...\n"));
}

TEST(EnvironmentAnswer, OfAnExperimentWithClocksNamesItsKind) {
  Environment environment{.dir = "kept", .experiment = "drift"};
  EXPECT_EQ(answer_text(answer_of(environment), true), "kept: an experiment with clocks, drift.\n");
  const auto json = nlohmann::json::parse(answer_json(answer_of(environment)));
  EXPECT_EQ(json.at("experiment"), "drift");
  EXPECT_FALSE(json.contains("launches"));
}

TEST(EnvironmentAnswer, DifferencesStandOneBelowTheOther) {
  EnvironmentDifferences found{.first = "one", .second = "other"};
  found.differences = {
      {.weight = Weight::kKernel, .fact = "kernel", .first = "6.1", .second = "6.5"},
      {.weight = Weight::kRest, .fact = "uptime", .first = "1", .second = "2"}};
  const std::string text = answer_text(answer_of(found), true);
  EXPECT_THAT(text, HasSubstr("kernel and clock:\n"
                              "  kernel   one     6.1\n"
                              "           other   6.5\n"));
  EXPECT_THAT(text, HasSubstr("1 recorded fact differs too and should not matter"));
  EXPECT_EQ(answer_csv(answer_of(found)),
            "weight,fact,first,second,remark\n3,kernel,6.1,6.5,\n6,uptime,1,2,\n");
}

}  // namespace
}  // namespace invar::report
