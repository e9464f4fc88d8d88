// What OSU, IMB and mpptest would print of messages between single ranks: half round trips, rates,
// points that they measured again; and what they have no benchmark of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "analysis/compare/compare.hpp"
#include "analysis/planted.hpp"
#include "analysis/suite_data.hpp"
#include "analysis/suites/show_as.hpp"
#include "golden.hpp"

namespace invar::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

record::Cell message_cell(const std::string& operation, std::uint64_t size_bytes) {
  return {.operation = operation,
          .size_bytes = size_bytes,
          .datatype = "byte",
          .pattern = "distance:1"};
}

struct Sent {
  record::OperationInfo info = {
      .name = "pingpong", .messages = record::Messages::kMatched, .both_ways = true};
  std::vector<record::Cell> cells = {message_cell("pingpong", 8)};  // ours
  std::vector<std::string> arms = {"openmpi"};
  std::uint32_t groups = 2;
  std::uint32_t rounds = 3;
  double step_ns = 1;
  // Calls of a batch in a group.
  std::function<std::uint32_t(std::uint32_t group)> calls = [](std::uint32_t) { return 10U; };
  // The time of one call.
  std::function<double(const record::Cell&, std::uint32_t round, std::uint32_t rank)> time_ns =
      [](const record::Cell&, std::uint32_t, std::uint32_t) { return 1000.0; };
};

// As the three suites measure beside us, with the further visits behind the rounds.
store::Data sent_data(const Sent& sent) {
  store::Data data;
  data.dir = "om";
  data.scope = "2 ranks, 1 host";
  data.ended = true;
  for (const std::string& label : sent.arms) {
    data.arms.push_back({.label = label, .library = label, .operations = {sent.info}});
  }
  data.cells = sent.cells;
  for (const char* name : {"series", "batch", "batch-initiator"}) {
    for (const record::Cell& cell : sent.cells) {
      data.cells.push_back(*record::cell_by_scheme(cell, *record::find_scheme(name), false));
    }
  }
  for (std::uint32_t id = 0; id < data.cells.size(); ++id) data.cells[id].id = id;
  auto memory = std::make_shared<suite_data::Memory>();
  std::uint32_t number = 0;
  for (std::uint32_t group = 1; group <= sent.groups; ++group) {
    store::Group& measured = data.groups.emplace_back();
    measured.group = group;
    for (std::uint32_t arm = 0; arm < sent.arms.size(); ++arm) {
      store::Launch launch{.launch = ++number, .group = group, .arm = arm};
      for (const record::Cell& cell : data.cells) {
        launch.batch_calls[cell.id] = {.call_ns = 1000, .step_ns = sent.step_ns};
      }
      for (std::uint32_t round = 0; round < sent.rounds + 4; ++round) {
        suite_data::Plan plan;
        plan.calls = sent.calls(group);
        plan.time_ns = [&](const record::Cell& cell, std::size_t, std::uint32_t,
                           std::uint32_t rank) { return sent.time_ns(cell, round, rank); };
        for (const record::Cell& cell : data.cells) {
          const record::Scheme* scheme = record::find_scheme(cell.scheme);
          if (round >= sent.rounds && (scheme == nullptr || scheme->again == 0)) continue;
          launch.visits.push_back(suite_data::visit(plan, cell, arm, group, *memory));
          launch.visits.back().line.round = round;
          launch.visits.back().line.block = round * 100 + cell.id;
        }
      }
      measured.launches.push_back(std::move(launch));
    }
  }
  data.mapped = memory;
  return data;
}

ShownAs shown(const store::Data& data, const std::vector<std::string>& suites) {
  Rules rules;
  rules.measured = suites;
  return show_as(planted::study(data, rules), {.suites = suites});
}

const SuiteNumber& headline(const ShownAs& shown, std::size_t row, std::size_t suite) {
  return shown.rows.at(row).suites.at(suite).numbers.front();
}

// Rank 0 begins and takes 1000 ns, rank 1 takes 800 ns; in a batch rank 1 is the slower one.
double uneven_ns(const record::Cell& cell, std::uint32_t rank) {
  const bool batch = cell.scheme.starts_with("batch");
  return rank == 0 ? 1000.0 : batch ? 1200.0 : 800.0;
}

TEST(MessagePresets, PrintHalfOfARoundTrip) {
  Sent sent;
  sent.time_ns = [](const record::Cell& cell, std::uint32_t, std::uint32_t rank) {
    return uneven_ns(cell, rank);
  };
  const store::Data data = sent_data(sent);
  const ShownAs result = shown(data, {"osu", "imb", "mpptest"});
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_NEAR(headline(result, 0, 0).median_ns, 500, 0.5) << "the initiator's";
  EXPECT_EQ(headline(result, 0, 0).name, "avg");
  EXPECT_NEAR(headline(result, 0, 1).median_ns, 600, 0.5) << "the slower rank's";
  EXPECT_NEAR(headline(result, 0, 2).median_ns, 500, 0.5) << "the initiator's batch";
  EXPECT_EQ(result.rows[0].suites[2].numbers.size(), 3U) << "mpptest prints least, mean, largest";
  EXPECT_THAT(result.sentence, HasSubstr("up to a factor 1.2"));
  const Answer answer = answer_of(result);
  EXPECT_THAT(answer.notes, Contains(HasSubstr("suites print half of what a call takes")));
  EXPECT_THAT(answer.notes, Contains(HasSubstr("of pingpong, osu_latency: half of the initiator's "
                                               "mean round trip")));
}

TEST(MessagePresets, PrintWholeTimesOfAnExchangeWhereTheSuiteDoes) {
  Sent sent;
  sent.info.name = "exchange";
  sent.cells = {message_cell("exchange", 8)};
  const store::Data data = sent_data(sent);
  const ShownAs result = shown(data, {"imb", "mpptest"});
  EXPECT_NEAR(headline(result, 0, 0).median_ns, 1000, 0.5) << "PingPing";
  EXPECT_NEAR(headline(result, 0, 1).median_ns, 500, 0.5) << "mpptest -head halves";
  EXPECT_THAT(result.sentence, Not(HasSubstr("factor 2"))) << "whole calls are compared";
}

// The one suite that measures a halo takes the largest time of all ranks, and prints rank 0's.
TEST(MessagePresets, OfAHaloAreRankZerosOwn) {
  Sent sent;
  sent.info = {.name = "halo", .messages = record::Messages::kPartners};
  sent.cells = {message_cell("halo", 8)};
  sent.cells[0].pattern = "grid:1";
  sent.time_ns = [](const record::Cell&, std::uint32_t, std::uint32_t rank) {
    return rank == 0 ? 1000.0 : 1200.0;
  };
  const store::Data data = sent_data(sent);
  EXPECT_NEAR(headline(shown(data, {"mpptest"}), 0, 0).median_ns, 1000, 0.5);
}

TEST(MessagePresets, PrintMegabytesOfAWindow) {
  Sent sent;
  sent.info = {.name = "stream", .messages = record::Messages::kDirected, .windowed = true};
  sent.cells = {message_cell("stream", 0), message_cell("stream", 8)};
  for (record::Cell& cell : sent.cells) cell.window = 64;
  sent.time_ns = [](const record::Cell& cell, std::uint32_t, std::uint32_t rank) {
    return uneven_ns(cell, rank);
  };
  const store::Data data = sent_data(sent);
  const ShownAs result = shown(data, {"osu", "imb", "mpptest"});
  const auto rate = [&](std::size_t row, std::size_t suite) {
    const SuiteReport& report = result.rows.at(row).suites.at(suite);
    return megabytes_per_s(report, report.numbers.front().median_ns);
  };
  ASSERT_TRUE(rate(1, 0) && rate(1, 1));
  EXPECT_NEAR(*rate(1, 0), 64 * 8 / 1.0, 0.5) << "512 bytes in the initiator's 1000 ns";
  EXPECT_NEAR(*rate(1, 1), 64 * 8 / 1.2, 0.5) << "IMB's slower rank";
  EXPECT_FALSE(rate(0, 0)) << "no bytes have no rate";
  EXPECT_EQ(result.rows[1].suites[2].missing, "it has no benchmark of stream");
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("Uniband sends 256 messages in a row if nobody says anything, "
                                 "here it is 64")));
  const Answer answer = answer_of(result);
  std::vector<std::string> headers;
  for (const ShownColumn& column : answer.tables[0].shown) headers.push_back(column.header);
  EXPECT_THAT(headers, Contains("osu MB/s"));
  EXPECT_THAT(headers, Contains("imb MB/s"));
  EXPECT_THAT(headers, Not(Contains("mpptest MB/s"))) << "it has none";
}

TEST(MessagePresets, AreMissingWithAReason) {
  Sent sent;
  sent.cells.push_back(message_cell("pingpong", 8));
  sent.cells[1].ranks = 4;
  sent.cells[1].pattern = "bisection";
  const store::Data data = sent_data(sent);
  const ShownAs result = shown(data, {"osu", "skampi"});
  EXPECT_EQ(result.rows[0].suites[1].missing, "it has no benchmark of pingpong");
  EXPECT_EQ(result.rows[1].suites[0].missing, "osu_latency has one pair of ranks");
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("measure again with"))))
      << "measuring again would not help";
  EXPECT_THAT(test::faults_of([&] { (void)shown(data, {"skampi"}); }),
              ElementsAre("--as: skampi: it has no benchmark of pingpong"));
}

// The curve has 100 ns at 8 bytes and 120 ns at 24; at 16 bytes all three passes took 300 ns. The
// first of the further visits lies on the curve, and those after it would not have been made.
TEST(MessagePresets, OfMpptestKeepWhatItWouldHaveMeasuredAgain) {
  Sent sent;
  sent.cells = {message_cell("pingpong", 24), message_cell("pingpong", 8),
                message_cell("pingpong", 16)};
  sent.step_ns = 0.1;
  sent.time_ns = [](const record::Cell& cell, std::uint32_t round, std::uint32_t) {
    if (cell.size_bytes == 8U) return 100.0;
    if (cell.size_bytes == 24U) return 120.0;
    return round < 3 ? 300.0 : round == 3 ? 112.0 : 60.0;
  };
  const store::Data data = sent_data(sent);
  const ShownAs result = shown(data, {"mpptest"});
  const SuiteReport& point = result.rows[1].suites[0];
  EXPECT_EQ(point.again, 2U) << "in both launches";
  EXPECT_EQ(point.calls, 10 * 4) << "three passes and one more, of ten calls";
  EXPECT_NEAR(point.numbers[0].median_ns, 56, 0.1) << "half of the least";
  EXPECT_NEAR(point.numbers[1].median_ns, (3 * 300 + 112) / 8.0, 0.1);
  EXPECT_NEAR(point.numbers[2].median_ns, 150, 0.1);
  EXPECT_EQ(result.rows[2].suites[0].again, 0U);
  EXPECT_EQ(result.rows[0].suites[0].calls, 10 * 3) << "its further visits count for nothing";
  EXPECT_THAT(answer_of(result).notes, Contains(HasSubstr("again: the point lay 10 % above")));
  EXPECT_THAT(result.reasons, Contains(HasSubstr("least of several means")));
}

// Only what was measured of the clock says how much a batch must last: 100 steps.
TEST(MessagePresets, OfBatchesThatAreTooShortForTheClockAreMissing) {
  Sent sent;
  sent.step_ns = 100;  // ten calls of 1000 ns are not longer than 100 steps
  EXPECT_EQ(shown(sent_data(sent), {"imb", "mpptest"}).rows[0].suites[1].missing,
            "its batches do not last longer than 100 steps of the clock");
  sent.step_ns = 99;
  EXPECT_EQ(shown(sent_data(sent), {"imb", "mpptest"}).rows[0].suites[1].missing, "");
}

TEST(MessagePresets, LeaveOutVisitsFromBeforeTheirBatchesWereMadeLonger) {
  Sent sent;
  sent.step_ns = 50;
  sent.calls = [](std::uint32_t group) { return group == 1 ? 10U : 20U; };
  const store::Data data = sent_data(sent);
  const SuiteReport report = shown(data, {"mpptest"}).rows[0].suites[0];
  EXPECT_EQ(report.launches, 1U);
  EXPECT_EQ(report.calls, 20 * 3);
}

TEST(MessagePresets, AreAMethodOfComparing) {
  Sent sent;
  sent.arms = {"openmpi", "mpich"};
  const store::Data data = sent_data(sent);
  Rules rules;
  rules.measured = {"imb"};
  rules.method = Method::kReported;
  rules.preset = design::find_preset("imb");
  const Comparison result = compare(planted::study(data, rules));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_NEAR(result.cells[0].time_a->median_ns, 500, 0.5);
  EXPECT_NEAR(*result.cells[0].ratio, 1, 1e-3);
  EXPECT_EQ(result.preset_reports,
            "of pingpong, PingPong: half of the slower rank's mean round trip, of a batch");
}

// A suite that lacks one operation of a campaign of messages has the others'.
TEST(MessagePresets, ComparedByOneLeavesOutWhatItHasNoBenchmarkOf) {
  Sent sent;
  sent.arms = {"openmpi", "mpich"};
  sent.cells = {message_cell("oneway", 8), message_cell("pingpong", 8)};
  store::Data data = sent_data(sent);
  for (store::ArmRecord& arm : data.arms) {
    arm.operations.push_back({.name = "oneway", .messages = record::Messages::kDirected});
  }
  Rules rules;
  rules.measured = {"osu"};
  rules.method = Method::kReported;
  rules.preset = design::find_preset("osu");
  const Comparison result = compare(planted::study(data, rules));
  ASSERT_EQ(result.cells.size(), 1U);
  EXPECT_EQ(result.cells[0].cell.operation, "pingpong");
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("1 cell of 2 left out, of which osu says nothing (oneway, 8 B, 2 "
                                 "ranks): it has no benchmark of oneway")));
}

// Why the other cell has none is not a reason for these data: another measurement would have it.
TEST(MessagePresets, OfACampaignWithoutTheirVisitsSayHowToHaveThem) {
  Sent sent;
  sent.arms = {"openmpi", "mpich"};
  sent.cells = {message_cell("oneway", 8), message_cell("pingpong", 8)};
  store::Data data = sent_data(sent);
  for (store::ArmRecord& arm : data.arms) {
    arm.operations.push_back({.name = "oneway", .messages = record::Messages::kDirected});
  }
  data.cells.resize(2);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      std::erase_if(launch.visits, [](const store::Visit& visit) { return visit.line.cell > 1; });
    }
  }
  Rules rules;
  rules.method = Method::kReported;
  rules.preset = design::find_preset("osu");
  EXPECT_THAT(test::faults_of([&] { (void)compare(planted::study(data, rules)); }),
              ElementsAre(HasSubstr("--method: osu: not measured its way; measure again with race "
                                    "--presets osu")));
  EXPECT_THAT(test::faults_of([&] {
                (void)show_as(planted::study(data, Rules{}), {.suites = {"osu"}, .option = "--to"});
              }),
              ElementsAre(HasSubstr("--to: osu: not measured its way; measure again with race ")));
}

TEST(MessagePresets, WithoutSingleRanksAreMissing) {
  store::Data data = sent_data({});
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.rank_records = {};
    }
  }
  EXPECT_THAT(test::faults_of([&] {
                (void)shown(data, {"osu", "mpptest"});
              }),
              ElementsAre(HasSubstr("osu: single ranks were not recorded"),
                          HasSubstr("mpptest: single ranks were not recorded")));
}

}  // namespace
}  // namespace invar::analysis
