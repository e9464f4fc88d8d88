// The export: names and order of its columns, exact times, and nothing where nothing is.
#include "report/export/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/planted_ticks.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"

namespace invar::report {
namespace {

// One barrier of one launch with two records, and one allreduce with one.
store::Data example_data() {
  static const std::vector<record::Timing> timings{
      {.visit = 7,
       .repetition = 0,
       .start_ps = -1'234'567,
       .global_ps = 1'000'000'000'001,
       .local_max_ps = 999,
       .local_min_ps = 1,
       .local_mean_ps = 1000,
       .start_skew_ps = 10,
       .uncertainty_ps = 4'294'967'295,
       .flags = 1,
       .reserved = 0},
      {.visit = 7,
       .repetition = 1,
       .start_ps = 0,
       .global_ps = 5,
       .local_max_ps = 2000,
       .local_min_ps = 1500,
       .local_mean_ps = 1750,
       .start_skew_ps = 6,
       .uncertainty_ps = 7,
       .flags = record::kGlobalInvalid | record::kBatch,
       .reserved = 0},
      {.visit = 9,
       .repetition = 0,
       .start_ps = 42,
       .global_ps = 43,
       .local_max_ps = 44,
       .local_min_ps = 45,
       .local_mean_ps = 46,
       .start_skew_ps = 47,
       .uncertainty_ps = 48,
       .flags = 0,
       .reserved = 0},
  };
  store::Data data;
  data.arms = {{.label = "open,mpi"}};
  data.cells = {{.id = 0, .operation = "barrier"},
                {.id = 1,
                 .operation = "allreduce",
                 .size_bytes = 8,
                 .datatype = "int32",
                 .reduction = "sum"}};
  store::Launch launch{.launch = 5, .group = 3, .session = "2026-11-21.3f2a91c0"};
  const std::span<const record::Timing> all(timings);
  launch.visits = {{.line = {.visit = 7, .cell = 0, .round = 1, .block = 2, .calls = 20},
                    .records = all.first(2)},
                   {.line = {.visit = 9, .cell = 1, .canary_ps = {260'500, 261'750, 1}},
                    .records = all.last(1)}};
  data.groups = {{.group = 3, .launches = {launch}}};
  return data;
}

TEST(ObservationsCsv, OfAnExample_IsThisText) {
  std::ostringstream csv;
  write_observations_csv(example_data(), csv);
  EXPECT_EQ(csv.str(),
            "session,group,launch,arm,operation,size_bytes,ranks,nodes,ppn,mapping,rank_order,root,"
            "datatype,reduction,in_place,topology,cache,placement,sync,arrival,clock,dither_ns,"
            "delay_ns,scheme,calls,"
            "round,block,visit,repetition,start_ns,global_ns,local_ns,local_min_ns,local_mean_ns,"
            "start_skew_ns,uncertainty_ns,canary_ns,flags\n"
            "2026-11-21.3f2a91c0,3,5,\"open,mpi\",barrier,,2,1,2,packed,natural,0,,,,,warm,random,"
            "round-time,none,auto,1000,0,invar,20,1,2,7,0,-1234.567,"
            "1000000000.001,0.999,0.001,1.000,0.010,4294967.295,,1\n"
            "2026-11-21.3f2a91c0,3,5,\"open,mpi\",barrier,,2,1,2,packed,natural,0,,,,,warm,random,"
            "round-time,none,auto,1000,0,invar,20,1,2,7,1,0.000,,2.000,1.500,"
            "1.750,,,,160\n"
            "2026-11-21.3f2a91c0,3,5,\"open,mpi\",allreduce,8,2,1,2,packed,natural,0,int32,sum,,,"
            "warm,random,round-time,none,auto,1000,0,invar,1,0,0,9,0,0.042,0.043,"
            "0.044,0.045,0.046,0.047,0.048,261.750,0\n");
}

// What is not known is empty, neither 0 nor the largest number of the record.
TEST(ObservationsCsv, OfClocksWithoutAStatedError_HaveGlobalTimesAndNoUncertainty) {
  std::vector<record::Timing> timings(1);
  timings[0].visit = 7;
  timings[0].global_ps = 5000;
  timings[0].start_skew_ps = 6000;
  timings[0].uncertainty_ps = 4'294'967'295;
  timings[0].flags = record::kErrorUnstated;
  store::Data data;
  data.arms = {{.label = "hca3"}};
  data.cells = {{.id = 0, .operation = "barrier"}};
  store::Launch launch{.launch = 1, .group = 1, .session = "s"};
  launch.visits = {{.line = {.visit = 7, .cell = 0, .calls = 1}, .records = timings}};
  data.groups = {{.group = 1, .launches = {launch}}};
  std::ostringstream csv;
  write_observations_csv(data, csv);
  EXPECT_THAT(csv.str(), testing::HasSubstr(",5.000,0.000,0.000,0.000,6.000,,,1024\n"));
}

TEST(ObservationsJson, OfAnExample_HasTheSameNamesAndValues) {
  std::ostringstream text;
  write_observations_json(example_data(), text);
  const nlohmann::json json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json.at("schema"), 1);
  const nlohmann::json& rows = json.at("observations");
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) {
    std::vector<std::string> names;
    for (const auto& [name, value] : row.items()) names.push_back(name);
    EXPECT_THAT(names, testing::UnorderedElementsAreArray(observation_columns({})));
  }
  EXPECT_EQ(rows[0].at("arm"), "open,mpi");
  EXPECT_EQ(rows[0].at("size_bytes"), nullptr);
  EXPECT_EQ(rows[0].at("start_ns"), -1234.567);
  EXPECT_EQ(rows[1].at("global_ns"), nullptr);
  EXPECT_EQ(rows[1].at("uncertainty_ns"), nullptr);
  EXPECT_EQ(rows[2].at("size_bytes"), 8);
  EXPECT_EQ(rows[2].at("reduction"), "sum");
  EXPECT_EQ(rows[2].at("canary_ns"), 261.75);
}

TEST(ObservationsCsv, OfTimesThatOperationsState_HaveAColumnEach) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("handover", 8)};
  plan.groups = plan.rounds = 1;
  store::Data data = planted::handovers(plan, {"whole", "one way", "posting"});
  auto& visit = data.groups[0].launches[0].visits[0];
  std::vector<record::Timing> timings(visit.records.begin(), visit.records.end());
  timings[3].flags |= record::kGlobalInvalid;
  visit.records = timings;
  std::ostringstream csv;
  write_observations_csv(data, csv);
  const std::vector<base::CsvRow> rows = base::read_csv(csv.str(), "csv");
  const std::vector<std::string>& names = rows.at(0).fields;
  EXPECT_EQ(names, observation_columns_of(data));
  const auto value = [&](std::size_t row, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return rows.at(row).fields.at(static_cast<std::size_t>(at));
  };
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const double whole_ns = static_cast<double>(timings[i].local_max_ps) * 1e-3;
    EXPECT_NEAR(std::stod(value(i + 1, "posting_ns")), 0.3 * whole_ns, 1);
    if (i == 3) {
      EXPECT_EQ(value(i + 1, "one way_ns"), "") << "no common clock";
    } else {
      EXPECT_NEAR(std::stod(value(i + 1, "one way_ns")), whole_ns, 1);
    }
  }
}

TEST(Observations, WithoutAny_AreStillWellFormed) {
  std::ostringstream csv;
  write_observations_csv({}, csv);
  EXPECT_EQ(base::read_csv(csv.str(), "csv").size(), 1U);
  std::ostringstream json;
  write_observations_json({}, json);
  EXPECT_TRUE(nlohmann::json::parse(json.str()).at("observations").empty());
}

TEST(ObservationColumns, AreThoseOfTheDocument) {
  std::string text =
      base::read_file(std::string(INVAR_SOURCE_DIR) + "/docs/formats.md").value_or("");
  // The header is broken into lines of code there.
  for (std::size_t at = 0; (at = text.find(",`\n`", at)) != std::string::npos;) {
    text.erase(at + 1, 3);
  }
  EXPECT_NE(text.find("`" + base::join(observation_columns({}), ",") + "`"), std::string::npos);
}

}  // namespace
}  // namespace invar::report
