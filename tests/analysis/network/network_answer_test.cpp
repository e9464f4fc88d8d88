// Network models of a whole campaign: the sentence, the tables, what is lacking, regimes.
#include "analysis/network/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "analysis/network/network_tables.hpp"
#include "analysis/network/planted_network.hpp"
#include "analysis/questions/question_row.hpp"
#include "base/error.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;
using planted::network_campaign_data;
using planted::network_plan;
using planted::planted_sizes;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const Network& measured_network() {
  static const Network found =
      network(planted::study(network_campaign_data(network_plan({}, planted_sizes()))));
  return found;
}

const TidyTable& table_in(const Answer& answer, std::string_view id) {
  const TidyTable* table = find_table(answer, id);
  if (table == nullptr) throw std::out_of_range(std::string(id));
  return *table;
}

std::string text_at(const TidyTable& table, std::size_t row, std::string_view column) {
  const Value& value = table.rows.at(row).at(column_index(table, column));
  return std::holds_alternative<std::string>(value.content) ? std::get<std::string>(value.content)
                                                            : std::string();
}

TEST(NetworkAnswer, SaysParametersThresholdsAndWhatIsNotIdentified) {
  const std::string& sentence = measured_network().sentence;
  EXPECT_THAT(sentence, StartsWith("openmpi: L 2."));
  EXPECT_THAT(sentence,
              AllOf(HasSubstr("o_s "), HasSubstr("o_r "), HasSubstr("g "), HasSubstr("ns/B"),
                    HasSubstr(", sends wait for a late receiver from ")));
  EXPECT_THAT(sentence, HasSubstr("; not identified: o_s, o_r and L from "));
  EXPECT_THAT(sentence, HasSubstr(": 2 ranks, 1 host"));
}

TEST(NetworkAnswer, SaysBetweenWhichSizesSendsBeginToWait) {
  Network found = measured_network();
  Threshold& detached = found.models.front().detached;
  ASSERT_TRUE(detached.known);
  const auto said = [&](std::uint64_t last_bytes, std::uint64_t first_bytes) {
    detached.last_bytes = last_bytes;
    detached.first_bytes = first_bytes;
    return network_sentence(found);
  };
  EXPECT_THAT(said(242, 273), HasSubstr("sends wait for a late receiver from 243 to 273 B on"));
  EXPECT_THAT(said(4096, 8192), HasSubstr("late receiver from 4097 B to 8 KiB on"));
  EXPECT_THAT(said(242, 243), HasSubstr("late receiver from 243 B on")) << "one size is known";
}

TEST(NetworkAnswer, SaysARangeOnceOfParametersThatShareIt) {
  Network found = measured_network();
  const auto parameter = [](const char* name, std::uint64_t to_bytes, double ns) {
    return Parameter{.model = "LogGP",
                     .name = name,
                     .sizes = {0, to_bytes},
                     .estimate = ModelEstimate{.value = ns}};
  };
  NetworkModel& model = found.models.front();
  model.joint.parameters = {parameter("L", 9, 95), parameter("o_s", 9, 126),
                            parameter("o_r", 64, 221), parameter("g", 9, 300)};
  EXPECT_THAT(network_sentence(found),
              HasSubstr("openmpi: L 0.095 us, o_s 0.126 us and g 0.300 us up to 9 B, o_r 0.221 us "
                        "up to 64 B, "));
  for (Parameter& one : model.joint.parameters) one.sizes = measured_sizes(model);
  EXPECT_THAT(network_sentence(found),
              HasSubstr("L 0.095 us, o_s 0.126 us, o_r 0.221 us and g 0.300 us, "));
}

TEST(NetworkAnswer, TablesHaveAValueForEveryColumn) {
  const Answer answer = answer_of(measured_network());
  EXPECT_EQ(answer.question, "network");
  EXPECT_EQ(answer.tables.front().id, "parameters") << "what --format csv prints";
  for (const char* id : {"parameters", "thresholds", "pieces", "costs", "shared", "held_out",
                         "detectors", "plogp", "stretches", "points", "regimes"}) {
    EXPECT_NE(find_table(answer, id), nullptr) << id;
  }
  for (const TidyTable& table : answer.tables) {
    for (const std::vector<Value>& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
    for (const ShownColumn& shown : table.shown) {
      EXPECT_NO_THROW(column_index(table, shown.column)) << table.id;
    }
    for (const TidyColumn& column : table.columns) {
      for (const std::string& end : {column.low, column.high}) {
        if (!end.empty()) {
          EXPECT_NO_THROW(column_index(table, end)) << table.id;
        }
      }
    }
  }
  EXPECT_THAT(table_in(answer, "points").rows, Not(IsEmpty()));
  EXPECT_THAT(table_in(answer, "costs").rows, SizeIs(4));
  EXPECT_EQ(table_in(answer, "held_out").missing, "no size was held out");
}

TEST(NetworkAnswer, PointsHaveAnIntervalAndTheirPieceWhereTheyHaveALine) {
  const Answer answer = answer_of(measured_network());
  const TidyTable& table = table_in(answer, "points");
  const auto at = [&](const std::vector<Value>& row, const char* column) {
    return row[column_index(table, column)];
  };
  std::size_t fitted = 0;
  for (const std::vector<Value>& row : table.rows) {
    EXPECT_EQ(at(row, "piece").absent(), at(row, "fitted_ns").absent());
    if (!at(row, "piece").absent()) {
      ++fitted;
      EXPECT_GE(std::get<std::int64_t>(at(row, "piece").content), 1);
    }
    if (at(row, "time_low_ns").absent()) continue;
    const double time_ns = std::get<double>(at(row, "time_ns").content);
    EXPECT_LE(std::get<double>(at(row, "time_low_ns").content), time_ns);
    EXPECT_GE(std::get<double>(at(row, "time_high_ns").content), time_ns);
  }
  EXPECT_GT(fitted, 0U);
  EXPECT_LT(fitted, table.rows.size()) << "trains have no line of their own";
  // A point's line is that of its piece.
  const TidyTable& pieces = table_in(answer, "pieces");
  for (const std::vector<Value>& row : table.rows) {
    if (at(row, "piece").absent()) continue;
    std::int64_t left = std::get<std::int64_t>(at(row, "piece").content);
    for (const std::vector<Value>& piece : pieces.rows) {
      const auto in = [&](const char* column) { return piece[column_index(pieces, column)]; };
      const auto name = [](const Value& value) { return std::get<std::string>(value.content); };
      if (name(in("series")) != name(at(row, "series")) || --left != 0) continue;
      const auto size = static_cast<double>(std::get<std::int64_t>(at(row, "size_bytes").content));
      EXPECT_NEAR(std::get<double>(at(row, "fitted_ns").content),
                  std::get<double>(in("intercept_ns").content) +
                      size * std::get<double>(in("slope_ns_per_byte").content),
                  1e-6 * size);
    }
  }
}

TEST(NetworkAnswer, WhatIsNotIdentifiedHasAReasonAndNoNumber) {
  const Answer answer = answer_of(measured_network());
  const TidyTable& table = table_in(answer, "parameters");
  std::size_t missing = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (text_at(table, row, "state") != "not identified") continue;
    ++missing;
    EXPECT_NE(text_at(table, row, "why"), "");
    EXPECT_TRUE(table.rows[row][column_index(table, "value_ns")].absent());
    EXPECT_TRUE(table.rows[row][column_index(table, "value_ns_per_byte")].absent());
  }
  EXPECT_GE(missing, 3U);
}

TEST(NetworkAnswer, NamesTheControlAndTheDirectory) {
  const Answer answer = answer_of(measured_network());
  EXPECT_THAT(answer.remarks, Contains(testing::Field(&Remark::label, "twice as late")));
  EXPECT_THAT(answer.next, Contains(testing::Field(&Remark::label, "page")));
  EXPECT_THAT(answer.remarks, Contains(testing::Field(&Remark::text, HasSubstr("table plogp"))));
  Network without = measured_network();
  without.models.front().joint.plogp.clear();
  EXPECT_THAT(answer_of(without).remarks, Not(Contains(testing::Field(&Remark::label, "PLogP"))));
}

TEST(NetworkAnswer, OfSeveralArmsHasAModelEach) {
  planted::Plan plan = network_plan({}, planted_sizes());
  plan.arms = {"openmpi", "mpich"};
  const auto one = plan.time_ns;
  plan.time_ns = [one](std::size_t arm, std::size_t cell) {
    return one(0, cell) * (arm == 0 ? 1 : 1.5);
  };
  plan.groups = 3;
  const Network found = network(planted::study(network_campaign_data(plan)));
  ASSERT_THAT(found.models, SizeIs(2));
  EXPECT_THAT(found.sentence, HasSubstr("; mpich: L "));
  const Answer answer = answer_of(found);
  const TidyTable& parameters = table_in(answer, "parameters");
  EXPECT_EQ(parameters.shown.front().column, "arm");
  // The short view has LogP of both.
  ASSERT_EQ(parameters.weights.size(), parameters.rows.size());
  for (std::size_t row = 0; row < parameters.rows.size(); ++row) {
    EXPECT_EQ(parameters.weights[row] >= 0, text_at(parameters, row, "model") == "LogP");
  }
  EXPECT_THAT(table_in(answer_of(measured_network()), "parameters").weights, IsEmpty());
}

// Half of the groups ran in a state in which everything takes twice as long.
TEST(NetworkAnswer, RegimesAreModelledApart) {
  planted::Plan plan = network_plan({}, planted_sizes());
  plan.groups = 12;
  plan.canary_ns = [](std::uint32_t group) {
    return (group % 2 == 0 ? 260.0 : 900.0) * (1 + 0.001 * group);
  };
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t) {
    return group % 2 == 0 ? 1.0 : 2.0;
  };
  const Network found = network(planted::study(network_campaign_data(plan)));
  ASSERT_TRUE(found.reference && found.reference->split);
  ASSERT_THAT(found.models, SizeIs(1));
  EXPECT_EQ(found.models.front().groups, 6U);
  const auto latency = [](const NetworkModel& model) {
    return model.joint.parameters.front().estimate.value().value;
  };
  EXPECT_NEAR(latency(found.models.front()), 2000, 250);
  ASSERT_THAT(found.elsewhere, SizeIs(2));
  EXPECT_NEAR(latency(found.elsewhere[0].model), 4000, 500);
  EXPECT_EQ(found.elsewhere[1].regime, kAllRegimes);
  EXPECT_THAT(found.sentence, HasSubstr("In another regime of the machine, canary 0."));
  EXPECT_THAT(found.scope, HasSubstr(", canary 0."));
}

TEST(NetworkLack, IsACampaignWithoutRoundTripsOfEnoughSizes) {
  planted::Plan other;
  EXPECT_THAT(network_lack(planted::study(planted::data(other)))->text(),
              HasSubstr("no cell measures round trips"));
  const auto few = network_lack(planted::study(network_campaign_data(network_plan({}, {8, 64}))));
  ASSERT_TRUE(few);
  EXPECT_THAT(few->text(), HasSubstr("2 sizes"));
  EXPECT_EQ(few->status, base::Exit::kUsage);
  EXPECT_THROW(network(planted::study(network_campaign_data(network_plan({}, {8, 64})))),
               base::CommandError);
}

TEST(NetworkAnswer, SaysWhatMessagesReachTogether) {
  planted::Plan plan = network_plan({}, planted_sizes());
  const std::size_t first = plan.cells.size();
  for (const std::uint64_t size : {65536U, 262144U}) {
    plan.cells.push_back(planted::single_calls(planted::network_cell("exchange", size)));
  }
  const auto before = plan.time_ns;
  // Both messages: 2 GB/s, of the larger ones 1.
  plan.time_ns = [before, first](std::size_t arm, std::size_t cell) {
    if (cell < first) return before(arm, cell);
    return planted::kPlantedReadingNs + (cell == first ? 65536.0 : 2 * 262144.0);
  };
  const Network found = network(planted::study(network_campaign_data(plan)));
  const NetworkModel& model = found.models.front();
  ASSERT_THAT(model.shared.points, SizeIs(2));
  EXPECT_NEAR(model.shared.points[1].gb_s.value, 1, 0.05);
  EXPECT_NEAR(model.shared.most_gb_s.value().value, 2, 0.1);
  const Answer answer = answer_of(found);
  EXPECT_THAT(table_in(answer, "shared").rows, SizeIs(2));
  EXPECT_THAT(answer.remarks,
              Contains(testing::Field(&Remark::text, StartsWith("2 messages at once share "))));
  EXPECT_THAT(answer_of(measured_network()).remarks,
              Not(Contains(testing::Field(&Remark::label, "together"))));
}

TEST(NetworkRow, IsOnThePageOfCampaignsWithOverheads) {
  const QuestionRow row = network_row();
  const auto with = planted::study(network_campaign_data(network_plan({}, {8, 64})));
  EXPECT_EQ(row.on_page(with), OnPage::kIfAny);
  EXPECT_EQ(row.on_page(planted::study(planted::data({}))), OnPage::kNo);
}

TEST(NetworkOfACampaign, KnowsTheCoresOfTheHostThatWasMeasured) {
  const store::TestDir dir;
  store::Data data = network_campaign_data(network_plan({}, planted_sizes()));
  EXPECT_EQ(network(planted::study(data)).cores, 0U) << "nothing is recorded";
  std::ofstream(dir / "env.json") << R"({"hosts": [{"processor": {"online": "0-95"}}]})";
  data.groups.front().launches.front().dir = dir.path();
  EXPECT_EQ(network(planted::study(data)).cores, 96U);
}

TEST(NetworkRow, HasTheHealthOfACheckAndSaysWhereItCannotBeRead) {
  const store::TestDir dir;
  const synthetic::Options small{.groups = 2, .rounds = 1, .repetitions = 2};
  synthetic::write(dir / "check/measured", small);
  synthetic::write(dir / "check/simulated", small);
  store::Data data = network_campaign_data(network_plan({}, planted_sizes()));
  data.dir = dir.path();
  const Study study = planted::study(data);
  const Answer whole = network_row().ask(study, Detail::kAll).answer;
  EXPECT_EQ(whole.health.damaged, 0U);
  for (const auto& file : fs::recursive_directory_iterator(dir / "check/measured/launches")) {
    if (file.path().filename() != "timings.bin") continue;
    fs::resize_file(file.path(), 1);
    break;
  }
  const Answer damaged = network_row().ask(study, Detail::kAll).answer;
  EXPECT_GT(damaged.health.damaged, 0U);

  fs::remove(dir / "check/measured/manifest.jsonl");
  fs::create_directory(dir / "check/measured/manifest.jsonl");
  const Answer unread = network_row().ask(study, Detail::kAll).answer;
  EXPECT_EQ(unread.sentence, whole.sentence) << "the model stands all the same";
  EXPECT_THAT(unread.warnings,
              Contains(testing::Field(&Warning::text, HasSubstr((dir / "check").string()))));
}

TEST(NetworkAnswer, EveryColumnThatIsShownHasAName) {
  for (const TidyTable& table : answer_of(measured_network()).tables) {
    if (table.id == "regimes") continue;
    for (const ShownColumn& shown : table.shown) EXPECT_NE(shown.header, "") << table.id;
  }
}

TEST(ParameterText, OfOneOnItsBoundHasNoInterval) {
  Parameter one{.name = "G",
                .per_byte = true,
                .estimate = ModelEstimate{.value = 0, .interval = stats::Interval{0, 0, 0.95}},
                .state = ParameterState::kOnBound};
  EXPECT_EQ(parameter_text(one), "0 ns/B, on its bound");
  one.per_byte = false;
  EXPECT_EQ(parameter_text(one), "0, on its bound");
  one.estimate.reset();
  one.state = ParameterState::kNotIdentified;
  EXPECT_EQ(parameter_text(one), "");
}

TEST(RangeText, SaysWhatASizeRangeIsOfAll) {
  const ByteRange all{1, 4096};
  EXPECT_EQ(range_text({1, 4096}, all), "all");
  EXPECT_EQ(range_text({1, 64}, all), "up to 64 B");
  EXPECT_EQ(range_text({65, 4096}, all), "from 65 B on");
  EXPECT_EQ(range_text({65, 1024}, all), "65 B to 1 KiB");
}

}  // namespace
}  // namespace invar::analysis
