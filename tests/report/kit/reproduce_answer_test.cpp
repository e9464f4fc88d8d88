#include "analysis/reproduce/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// bcast of two arms in two repeats: 100 and 110 ns; 50 ns and nothing.
analysis::Reproduced result() {
  analysis::ReproduceInput input{
      .cells = {{.operation = "bcast", .size_bytes = 8, .datatype = "byte"}},
      .arms = {{.label = "openmpi"}, {.label = "mpich"}}};
  analysis::MethodRepeats ours{.name = "invar"};
  ours.repeats.resize(2);
  ours.repeats[0] = {.values = {{{.time_ns = 100}, {.time_ns = 50, .ratio = 0.5}}},
                     .machine_s = 20};
  ours.repeats[1] = {.values = {{{.time_ns = 110}, {.missing = "it failed, \"twice\""}}},
                     .machine_s = 22};
  input.methods = {ours, ours};
  input.methods[1].name = "osu";
  input.methods[1].taken = analysis::Taken::kOneRun;
  analysis::Reproduced made = analysis::reproduce(std::move(input));
  made.scope = "2 ranks, 1 host";
  made.dirs = {"om"};
  return made;
}

TEST(ReproduceReport, TableHasALineAMethodAndCellsOnRequest) {
  const std::string table = answer_text(answer_of(result(), false));
  EXPECT_THAT(table, HasSubstr("bcast, 8 B, 2 ranks, openmpi"));
  EXPECT_THAT(table, HasSubstr("one run"));
  EXPECT_THAT(table, HasSubstr("10 %"));
  EXPECT_THAT(table, HasSubstr("each cell: --cells"));
  EXPECT_THAT(table, Not(HasSubstr("110 ns")));
  EXPECT_THAT(answer_text(answer_of(result(), true)), HasSubstr("0.110 us"));
}

TEST(ReproduceReport, CsvHasARowForEveryArmCellAndMethod) {
  const std::string csv = answer_csv(answer_of(result(), false));
  EXPECT_THAT(csv, HasSubstr(",arm,method,number,repeats,least_ns,largest_ns,spread,"));
  EXPECT_THAT(csv, HasSubstr(",openmpi,invar,answer,2,100,110,0.1,,,,,,\n"));
  EXPECT_THAT(csv, HasSubstr(",mpich,osu,one-run,1,,,,1,,,,,\"it failed, \"\"twice\"\"\"\n"));
}

TEST(ReproduceReport, JsonKeepsEveryRepeatAndSaysWhatIsMissing) {
  const nlohmann::json json = nlohmann::json::parse(answer_json(answer_of(result(), false)));
  EXPECT_EQ(json["repeats"], 2);
  EXPECT_TRUE(json["budget_s"].is_null());
  const nlohmann::json& ours = json["methods"][0];
  EXPECT_EQ(ours["number"], "answer");
  EXPECT_EQ(ours["median_machine_s"], 21);
  EXPECT_TRUE(ours["judged"].is_null());
  EXPECT_TRUE(ours["ratios"].is_null()) << "of one repeat only";
  EXPECT_EQ(ours["times"]["worst_arm"], "openmpi");
  for (const auto& box : {ours["times"]["box"], ours["cells"][0]["time_ns"]["box"]}) {
    EXPECT_EQ(box.size(), 5U);
    EXPECT_LE(1, box["low"]);
    EXPECT_LE(box["q1"], box["median"]);
    EXPECT_LE(box["median"], box["q3"]);
    EXPECT_LE(box["q3"], box["high"]);
  }
  EXPECT_EQ(ours["cells"][0]["normalised_times"][1], 1.1);
  EXPECT_TRUE(ours["cells"][1]["times_ns"][1].is_null());
  EXPECT_EQ(ours["cells"][1]["missing"], "it failed, \"twice\"");
  EXPECT_TRUE(ours["cells"][1]["time_ns"].is_null());
  EXPECT_EQ(json["methods"][1]["suite"], "OSU 7.5");
}

}  // namespace
}  // namespace invar::report
