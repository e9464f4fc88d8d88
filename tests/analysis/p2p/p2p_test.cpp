// Messages as a whole: the sentence, the tables, what is lacking, and what holds between hosts.
#include "analysis/p2p/p2p.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_table.hpp"
#include "analysis/p2p/planted_messages.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/questions/show.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using planted::message_cell;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// A ping-pong of every size, streams, one way and a queue, in both arms.
planted::Plan whole_plan() {
  planted::Plan plan;
  plan.cells.clear();
  std::vector<double> times;
  const auto add = [&](record::Cell cell, double time_ns) {
    plan.cells.push_back(std::move(cell));
    times.push_back(time_ns);
  };
  for (const std::uint64_t size : {0U, 8U, 64U, 512U, 4096U}) {
    add(message_cell("pingpong", size), 2 * (200 + static_cast<double>(size) / 8));
  }
  for (const std::uint64_t size : {8U, 64U, 512U, 4096U}) {
    add(message_cell("stream", size), 1000 + 64 * static_cast<double>(size) / 10);
  }
  add(message_cell("oneway", 8), 210);
  add(message_cell("oneway", 8, "distance:1:back"), 205);
  add(planted::with_pending(message_cell("pingpong", 8), "same:1000"), 2 * (200 + 1 + 1000));
  plan.time_ns = [times](std::size_t arm, std::size_t cell) {
    return times.at(cell) * (arm == 0 ? 1 : 1.2);
  };
  plan.group_sd = 0.02;
  return plan;
}

P2p found_in(const store::Data& data) { return p2p(planted::study(data)); }

const TidyTable& table_of(const Answer& answer, std::string_view id) {
  const TidyTable* table = find_table(answer, id);
  if (table == nullptr) throw std::out_of_range(std::string(id));
  return *table;
}

double number_at(const TidyTable& table, std::size_t row, std::string_view column) {
  return std::get<double>(table.rows.at(row).at(column_index(table, column)).content);
}

// A terminal has no room for a hundred sizes of each arm.
TEST(P2p, KeepsTheSizesThatEverybodyComparesOfEveryArm) {
  planted::Plan plan = whole_plan();
  plan.arms = {"openmpi", "mpich"};
  const Answer answer = answer_of(found_in(planted::messages(plan, 35)));
  for (const char* id : {"latency", "bandwidth"}) {
    const TidyTable& table = table_of(answer, id);
    ASSERT_EQ(table.weights.size(), table.rows.size());
    std::set<std::string> kept;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const auto& cell =
          std::get<record::Cell>(table.rows[row].at(column_index(table, "cell")).content);
      const bool usual = cell.size_bytes == 8U || cell.size_bytes == 65536U;
      EXPECT_EQ(table.weights[row] % 100 == 2, usual) << *cell.size_bytes;
      if (!usual) continue;
      kept.insert(std::get<std::string>(table.rows[row].at(column_index(table, "arm")).content));
    }
    EXPECT_THAT(kept, SizeIs(2)) << id;
  }
}

TEST(P2p, AnswersOfEveryArmFromWhatWasMeasured) {
  const P2p found = found_in(planted::messages(whole_plan(), 35));
  ASSERT_THAT(found.summaries, SizeIs(2));
  const MessageSummary& first = found.summaries[0];
  EXPECT_EQ(first.arm, "openmpi");
  EXPECT_EQ(first.place, "");
  EXPECT_NEAR(first.latency->median_ns, 200, 6);
  EXPECT_EQ(first.latency_bytes, 0U);
  EXPECT_NEAR(first.rates.bandwidth_gb_s->value, 64 * 4096 / 27214.0, 0.3);
  EXPECT_TRUE(first.rates.half);
  ASSERT_TRUE(first.steps);
  EXPECT_THAT(*first.steps, IsEmpty()) << "the curve is smooth";
  EXPECT_NEAR(found.summaries[1].latency->median_ns, 240, 8);
  EXPECT_THAT(found.sentence, StartsWith("openmpi: latency 0."));
  EXPECT_THAT(found.sentence, HasSubstr(", no step found; mpich: latency 0.2"));
  EXPECT_THAT(found.sentence, HasSubstr(": 2 ranks, 1 host"));
}

TEST(P2p, TablesHaveAValueForEveryColumn) {
  const Answer answer = answer_of(found_in(planted::messages(whole_plan(), 35)));
  for (const TidyTable& table : answer.tables) {
    for (const std::vector<Value>& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.id;
    }
    for (const ShownColumn& shown : table.shown) EXPECT_NO_THROW(column_index(table, shown.column));
    for (const TidyColumn& column : table.columns) {
      for (const std::string& end : {column.low, column.high}) {
        if (end.empty()) continue;
        EXPECT_NO_THROW(column_index(table, end)) << table.id;
      }
    }
  }
  EXPECT_EQ(answer.tables.front().id, "summary") << "what --format csv prints";
  const TidyTable& latency = table_of(answer, "latency");
  EXPECT_THAT(latency.rows, SizeIs(10));
  EXPECT_NEAR(number_at(latency, 0, "half_round_trip_ns"),
              number_at(latency, 0, "round_trip_ns") / 2, 1e-9);
  EXPECT_THAT(table_of(answer, "bandwidth").rows, SizeIs(2 * (5 + 4 + 2)));
  EXPECT_NEAR(number_at(table_of(answer, "queue_costs"), 0, "per_entry_ns"), 1, 0.05);
  EXPECT_THAT(table_of(answer, "queues").rows, SizeIs(4));
  EXPECT_THAT(table_of(answer, "curves").rows, Not(IsEmpty()));
}

// 64 messages in a call, and both directions of a round trip.
TEST(P2p, RatesAreThoseOfShowAndOfCompare) {
  const store::Data data = planted::messages(whole_plan());
  const P2p found = found_in(data);
  CompareOptions options;
  options.bandwidth = true;
  const Comparison compared = compare(planted::study(data, Rules{}, options));
  const Show shown =
      show(planted::study(data),
           {.by = {"operation", "size_bytes", "window", "pending", "arm"}, .bandwidth = true});
  std::size_t seen = 0;
  for (const RateRow& row : found.rates) {
    if (row.arm != "openmpi" || row.cell.size_bytes == 0U) continue;
    const auto pair = std::ranges::find_if(compared.cells, [&](const ComparedCell& one) {
      return !one.regime && one.cell.same_levels(row.cell);
    });
    ASSERT_NE(pair, compared.cells.end());
    EXPECT_NEAR(*moved_gb_s(pair->moved_a, pair->time_a), row.bandwidth_gb_s->value, 1e-9);
    const auto group = std::ranges::find_if(shown.groups, [&](const ShownGroup& one) {
      return one.levels[0].second == row.cell.operation && one.levels[3].second == "none" &&
             one.levels[1].second == std::to_string(*row.cell.size_bytes) &&
             one.levels[4].second == "openmpi" && row.cell.operation != "oneway";
    });
    if (row.cell.operation == "oneway") continue;
    ASSERT_NE(group, shown.groups.end());
    EXPECT_NEAR(*moved_gb_s(group->moved, group->median), row.bandwidth_gb_s->value, 1e-9);
    ++seen;
  }
  EXPECT_EQ(seen, 8U);
}

// 5 ns between both directions are less than what a clock of 35 ns leaves open.
TEST(P2p, SaysWhyNoDirectionIsSlower) {
  const Answer answer = answer_of(found_in(planted::messages(whole_plan(), 35)));
  const auto remark = std::ranges::find(answer.remarks, "asymmetry", &Remark::label);
  ASSERT_NE(remark, answer.remarks.end());
  EXPECT_THAT(remark->text, HasSubstr("cannot be told: there - back is"));
}

TEST(P2p, OfOneArmHasNoColumnOfArmsBesideItsRows) {
  planted::Plan plan = whole_plan();
  plan.arms = {"openmpi"};
  const Answer answer = answer_of(found_in(planted::messages(plan)));
  EXPECT_EQ(table_of(answer, "latency").shown.front().column, "cell");
  EXPECT_EQ(table_of(answer, "summary").shown.front().column, "arm");
}

TEST(P2p, OfRanksWithoutCoresOfTheirOwnIsBehaviour) {
  planted::Plan plan = whole_plan();
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) {
    return std::uint16_t{record::kOversubscribed};
  };
  const P2p found = found_in(planted::messages(plan));
  EXPECT_THAT(found.sentence,
              StartsWith("No figures: more ranks than cores (oversubscribed); the tables have "
                         "times as behaviour alone: 2 ranks"));
  EXPECT_THAT(found.sentence, Not(HasSubstr("latency")));
  const Answer answer = answer_of(found);
  const TidyTable& summary = table_of(answer, "summary");
  EXPECT_THAT(summary.shown, IsEmpty());
  ASSERT_THAT(summary.rows, SizeIs(2));
  for (const char* figure : {"latency_ns", "latency_high_ns", "bandwidth_gb_s", "half_bandwidth",
                             "half_lost_low_bytes", "message_rate_per_s", "steps"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(
        summary.rows[0].at(column_index(summary, figure)).content))
        << figure << ": a machine quotes it as well";
  }
  EXPECT_EQ(std::get<std::string>(summary.rows[0].at(column_index(summary, "no_figures")).content),
            "more ranks than cores (oversubscribed)");
  EXPECT_THAT(answer.remarks, IsEmpty());
  EXPECT_THAT(table_of(answer, "latency").rows, Not(IsEmpty())) << "behaviour is told";
  EXPECT_FALSE(found.summaries.front().steps) << "no curve is judged";
}

// Between hosts nobody has a time from one rank's start to another one's end: a stream's sender
// times its acknowledgement itself, one way is not known, and nothing has failed.
TEST(P2p, BetweenHostsRestsOnWhatOneRankReads) {
  planted::Plan plan = whole_plan();
  plan.arms = {"openmpi"};
  for (record::Cell& cell : plan.cells) {
    cell.nodes = 2;
    cell.ppn = 1;
  }
  store::Data data = planted::messages(plan, 35, false);
  for (record::OperationInfo& info : data.arms.front().operations) {
    const bool across = info.name == "stream" || info.name == "oneway";
    if (!across) continue;
    info.times = {
        {.name = "span", .kind = record::TimeKind::kAcross, .to_role = record::Role::kAnswers}};
    // In the place of ticks of one rank, which these data do not have.
    if (info.name == "stream") info.times.push_back({.name = "acknowledged"});
  }
  const P2p found = found_in(data);
  ASSERT_THAT(found.summaries, SizeIs(1));
  EXPECT_TRUE(found.summaries[0].rates.messages_per_s);
  EXPECT_NEAR(found.summaries[0].rates.bandwidth_gb_s->value, 64 * 4096 / 27214.0, 0.3);
  EXPECT_EQ(found.health.empty_visits, 0U);
  EXPECT_EQ(status_of(found.health), base::Exit::kDone);
  for (const LatencyRow& row : found.latency) {
    EXPECT_FALSE(row.there || row.asymmetry_ns);
    EXPECT_EQ(row.asymmetry_missing, kUnknowableAsymmetry);
  }
  for (const Warning& warning : found.warnings) {
    EXPECT_THAT(warning.text, Not(HasSubstr("without the headline time")));
  }
  const Answer answer = answer_of(found);
  const auto remark = std::ranges::find(answer.remarks, "asymmetry", &Remark::label);
  ASSERT_NE(remark, answer.remarks.end());
  EXPECT_EQ(remark->text, kUnknowableAsymmetry);
}

TEST(P2p, NeedsMessages) {
  planted::Plan plan;
  const Study study = planted::study(planted::data(plan));
  ASSERT_TRUE(p2p_lack(study));
  EXPECT_THAT(p2p_lack(study)->text(), HasSubstr("no cell sends messages between single ranks"));
  EXPECT_THROW((void)p2p(study), base::CommandError);
  EXPECT_EQ(p2p_row().on_page(study), OnPage::kNo);
  EXPECT_EQ(p2p_row().on_page(planted::study(planted::messages(whole_plan()))), OnPage::kIfAny);
}

TEST(P2p, OfAnArmThatLacksACellIsThatOfTheOthers) {
  store::Data data = planted::messages(whole_plan());
  for (std::uint32_t cell = 5; cell < 9; ++cell) planted::remove_cell(data, 1, cell);
  const P2p found = found_in(data);
  ASSERT_THAT(found.summaries, SizeIs(2));
  EXPECT_TRUE(found.summaries[0].rates.messages_per_s);
  EXPECT_FALSE(found.summaries[0].rates.ping_pongs);
  EXPECT_TRUE(found.summaries[1].rates.ping_pongs) << "no stream";
  EXPECT_TRUE(found.summaries[1].rates.bandwidth_gb_s);
}

TEST(P2p, TellsPlacesApart) {
  planted::Plan plan = whole_plan();
  plan.arms = {"openmpi"};
  record::Cell cold = message_cell("pingpong", 8);
  cold.cache = "cold-flush";
  const std::size_t known = plan.cells.size();
  plan.cells.push_back(cold);
  const auto time_ns = plan.time_ns;
  plan.time_ns = [time_ns, known](std::size_t arm, std::size_t cell) {
    return cell == known ? 3000 : time_ns(arm, cell);
  };
  const P2p found = found_in(planted::messages(plan));
  ASSERT_THAT(found.summaries, SizeIs(2));
  EXPECT_THAT(found.summaries[1].place, HasSubstr("cold-flush"));
  EXPECT_NEAR(found.summaries[1].latency->median_ns, 1500, 50);
  const Answer answer = answer_of(found);
  EXPECT_TRUE(std::ranges::any_of(table_of(answer, "summary").shown, [](const ShownColumn& shown) {
    return shown.column == "place";
  }));
}

// Sentences follow from the summaries alone.
MessageSummary told_summary(const std::string& arm, double latency_ns) {
  MessageSummary summary{.arm = arm};
  summary.latency =
      TimeEstimate{.median_ns = latency_ns,
                   .interval_ns = stats::Interval{latency_ns * 0.98, latency_ns * 1.02, 0.95}};
  summary.rates.bandwidth_gb_s = Rate{.value = 11.8, .interval = stats::Interval{11.6, 12.0, 0.95}};
  summary.rates.bandwidth_bytes = 65536;
  summary.rates.longest_gb_s = Rate{.value = 9.21};
  summary.rates.longest_bytes = 4 << 20;
  summary.rates.half = HalfSize{.bytes = 6164,
                                .low_bytes = 4096,
                                .high_bytes = 8192,
                                .interval = stats::Interval{4096, 8192, 0.95}};
  summary.steps.emplace();
  return summary;
}

P2p told(std::vector<MessageSummary> summaries) {
  return {.scope = "2 ranks", .summaries = std::move(summaries)};
}

TEST(P2pSentence, SaysLatencyBandwidthItsHalfAndSteps) {
  P2p found = told({told_summary("openmpi", 214)});
  EXPECT_EQ(p2p_sentence(found),
            "openmpi: latency 0.214 us [0.210, 0.218], bandwidth 11.8 GB/s [11.6, 12.0] at 64 KiB "
            "(9.21 at 4 MiB), half at 6.02 KiB [4.00, 8.00], no step found: 2 ranks.");
  const Step limit{
      .low_bytes = 4080, .high_bytes = 4081, .height = 1.31, .protocol = "eager -> rendezvous"};
  found.summaries[0].steps = {limit};
  EXPECT_THAT(p2p_sentence(found),
              HasSubstr(", a step above 4080 B (1.31 times, eager -> rendezvous): 2 ranks."));
  found.summaries[0].steps = {limit, {.low_bytes = 49152, .high_bytes = 65536, .height = 1.12}};
  EXPECT_THAT(p2p_sentence(found),
              HasSubstr(", steps above 4080 B (1.31 times, eager -> rendezvous) and between 48 KiB "
                        "and 64 KiB (1.12 times): 2 ranks."));
}

TEST(P2pSentence, SaysThatStepsWereNotJudged) {
  P2p found = told({told_summary("openmpi", 214)});
  found.summaries[0].steps.reset();
  found.summaries[0].steps_not_judged = "the machine was in 2 regimes";
  EXPECT_THAT(p2p_sentence(found),
              HasSubstr(", steps not judged (the machine was in 2 regimes): 2 ranks."));
}

TEST(P2pSentence, OfSeveralArmsHasAClauseForEach) {
  MessageSummary small = told_summary("mpich", 1234);
  small.place = "cache cold-flush";
  small.latency_bytes = 1024;
  small.latency->interval_ns.reset();
  small.rates.longest_bytes = 65536;
  small.rates.half = HalfSize{.bytes = 64, .or_less = true};
  small.steps.reset();
  EXPECT_EQ(
      p2p_sentence(told({told_summary("openmpi", 214), small})),
      "openmpi: latency 0.214 us [0.210, 0.218], bandwidth 11.8 GB/s [11.6, 12.0] at 64 KiB (9.21 "
      "at 4 MiB), half at 6.02 KiB [4.00, 8.00], no step found; mpich (cache cold-flush): latency "
      "1.23 us (1 KiB), bandwidth 11.8 GB/s [11.6, 12.0] at 64 KiB, half at 64 B or less: 2 "
      "ranks.");
}

// Rates of ping-pongs are bound by a message's time, and are no rates of messages in a row.
TEST(P2pSentence, SaysWhoseRatesTheseAre) {
  P2p found = told({told_summary("openmpi", 214)});
  found.summaries[0].rates.ping_pongs = true;
  EXPECT_THAT(p2p_sentence(found), HasSubstr(", ping-pong bandwidth 11.8 GB/s"));
  const auto heads = [&] {
    std::vector<std::string> all;
    const Answer answer = answer_of(found);
    for (const ShownColumn& shown : table_of(answer, "summary").shown) {
      all.push_back(shown.header);
    }
    return all;
  };
  EXPECT_THAT(heads(), Contains("ping-pong GB/s"));
  EXPECT_THAT(heads(), Contains("ping-pong messages/s"));
  found.summaries.push_back(told_summary("mpich", 214));
  EXPECT_THAT(heads(), AllOf(Contains("rates of"), Contains("GB/s")));
  found.summaries.erase(found.summaries.begin());
  EXPECT_THAT(heads(), AllOf(Contains("GB/s"), Not(Contains("rates of"))));
}

TEST(HalfWords, SayNoMoreThanWhatIsKnown) {
  HalfSize half{.bytes = 604,
                .low_bytes = 512,
                .high_bytes = 1024,
                .interval = stats::Interval{512, 1024, 0.95}};
  EXPECT_EQ(half_words(half), "604 B [512, 1024]");
  half.lost = {{.low_bytes = 4096, .high_bytes = 16384},
               {.low_bytes = 65536, .high_bytes = 65536},
               {.low_bytes = 1 << 20, .high_bytes = 4 << 20, .to_the_end = true}};
  EXPECT_EQ(half_words(half),
            "604 B [512, 1024], lost again from 4 KiB to 16 KiB, at 64 KiB and from 1 MiB on");
  EXPECT_EQ(half_words({.bytes = 91, .low_bytes = 8, .high_bytes = 1024}), "between 8 B and 1 KiB");
}

TEST(P2pSentence, OfManyPlacesNamesTheFirstOnes) {
  std::vector<MessageSummary> many;
  for (int i = 0; i < 7; ++i) many.push_back(told_summary("arm" + std::to_string(i), 200));
  EXPECT_THAT(p2p_sentence(told(many)), AllOf(HasSubstr("arm3: "), Not(HasSubstr("arm4: ")),
                                              HasSubstr("; 3 more in the table: 2 ranks.")));
}

TEST(P2pSentence, WithoutPingPongsAndStreamsSaysSo) {
  EXPECT_EQ(p2p_sentence(told({})),
            "No latency and no bandwidth: neither ping-pongs nor streams have times: 2 ranks.");
}

TEST(P2pSentence, OfManyStepsNamesTheHighestThree) {
  P2p found = told({told_summary("openmpi", 214)});
  found.summaries[0].steps->clear();
  for (const double height : {1.2, 0.5, 1.1, 7.3, 1.3}) {
    const std::uint64_t low_bytes = 100 * (found.summaries[0].steps->size() + 1);
    found.summaries[0].steps->push_back(
        {.low_bytes = low_bytes, .high_bytes = low_bytes + 1, .height = height});
  }
  EXPECT_THAT(
      p2p_sentence(found),
      HasSubstr("steps above 200 B (down to 0.50 times), above 400 B (7.30 times), above 500 B "
                "(1.30 times) and 2 more: 2 ranks."));
}

// Everything takes three times as long in the slow regime, which groups 1 to 5 of 12 are in.
planted::Plan plan_of_two_regimes() {
  planted::Plan plan = whole_plan();
  const auto is_slow = [](std::uint32_t group) { return group <= 5; };
  plan.groups = 12;
  plan.slower = [is_slow](std::uint32_t group, std::uint32_t, std::size_t) {
    return is_slow(group) ? 3.0 : 1.0;
  };
  plan.canary_ns = [is_slow](std::uint32_t group) {
    return (is_slow(group) ? 500.0 : 130.0) * (1 + 0.01 * (group % 5));
  };
  return plan;
}

TEST(P2pRegimes, OfSeveralTheFirstLineSpeaksOfOneAndSaysWhatAnotherHas) {
  const P2p found = found_in(planted::messages(plan_of_two_regimes()));
  EXPECT_NEAR(found.summaries.at(0).latency->median_ns, 200, 8);
  EXPECT_THAT(found.sentence, HasSubstr(", canary 0.13"));
  EXPECT_THAT(found.sentence, HasSubstr(" us (58 % of visits). In another regime of the machine, "
                                        "canary 0.5"));
  EXPECT_THAT(found.sentence,
              testing::ContainsRegex("latency is 0\\.[56].. us \\(openmpi\\), 0\\.7.. us "
                                     "\\(mpich\\); see --regimes\\.$"));
  const Answer answer = answer_of(found);
  EXPECT_THAT(answer.notes, Contains(AllOf(StartsWith("regimes of the machine: canary 0.13"),
                                           HasSubstr("; the figures are of this one)"))));
  EXPECT_EQ(answer.next.front().text, "invar p2p om --regimes");
  EXPECT_THAT(table_of(answer, "regimes").rows, SizeIs(2));
  EXPECT_THAT(table_of(answer, "summary").rows, SizeIs(2));
}

TEST(P2pRegimes, AreShownWhereTheyAreAskedFor) {
  const P2p found =
      p2p(planted::study(planted::messages(plan_of_two_regimes()), {}, {.regimes = true}));
  const Answer answer = answer_of(found);
  const TidyTable& summary = table_of(answer, "summary");
  ASSERT_THAT(summary.rows, SizeIs(3 * 2)) << "the answer's, the other one, and both together";
  EXPECT_NEAR(number_at(summary, 2, "latency_ns"), 600, 25);
  EXPECT_EQ(std::get<std::string>(summary.rows[4].back().content), kAllRegimes);
  EXPECT_TRUE(std::ranges::any_of(
      summary.shown, [](const ShownColumn& shown) { return shown.column == "regime"; }));
  for (const Remark& next : answer.next) EXPECT_THAT(next.text, Not(HasSubstr("--regimes")));
}

TEST(P2pRegimes, OfWhichOneIsNamedTheFiguresAreOfThat) {
  const base::CanaryBand slow{.low_ns = 400, .high_ns = 700};
  const P2p found = p2p(planted::study(planted::messages(plan_of_two_regimes())).in_regime(slow));
  EXPECT_NEAR(found.summaries.at(0).latency->median_ns, 600, 25);
}

// No regime has five groups, but each enough for a row of its own: the first line is of the
// fastest.
TEST(P2pRegimes, WithGroupsForARowOfItsOwnAreToldAlone) {
  planted::Plan plan = plan_of_two_regimes();
  plan.groups = 8;
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t) {
    return group <= 4 ? 3.0 : 1.0;
  };
  plan.canary_ns = [](std::uint32_t group) {
    return (group <= 4 ? 500.0 : 130.0) * (1 + 0.01 * (group % 5));
  };
  const store::Data data = planted::messages(plan);
  const P2p found = found_in(data);
  EXPECT_THAT(found.scope, HasSubstr(", canary 0.13"));
  EXPECT_NEAR(found.summaries.at(0).latency->median_ns, 200, 12);
  for (const Warning& warning : found.warnings) {
    EXPECT_THAT(warning.text, Not(HasSubstr("all figures mix them")));
  }
  EXPECT_THAT(compare(planted::study(data)).scope, HasSubstr(", canary 0.13"));
}

// Two groups of each are too few: figures are of everything, and every answer says so.
TEST(P2pRegimes, WithTooFewGroupsOfEachAreADoubt) {
  planted::Plan plan = plan_of_two_regimes();
  plan.groups = 9;
  const P2p of_one = found_in(planted::messages(plan));
  EXPECT_THAT(of_one.scope, HasSubstr(", canary 0.5")) << "five groups";
  plan.groups = 4;
  plan.canary_ns = [](std::uint32_t group) {
    return (group <= 2 ? 500.0 : 130.0) * (1 + 0.01 * (group % 5));
  };
  const store::Data data = planted::messages(plan);
  const P2p found = found_in(data);
  const auto mixes =
      Contains(AllOf(testing::Field(&Warning::gravity, Gravity::kDoubt),
                     testing::Field(&Warning::text, HasSubstr("all figures mix them"))));
  EXPECT_THAT(found.warnings, mixes);
  EXPECT_THAT(compare(planted::study(data)).warnings, mixes);
  EXPECT_THAT(found.sentence, Not(HasSubstr("another regime")));
}

TEST(P2p, SaysWhatReadingAClockAddsToOneWay) {
  store::Data data = planted::messages(whole_plan());
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) launch.visits.front().line.empty_ps = 24'000;
  }
  const P2p found = found_in(data);
  EXPECT_EQ(found.reading_ns, 24);
  EXPECT_THAT(answer_of(found).notes,
              Contains(HasSubstr("by half of what reading a clock takes (here some 0.012 us)")));
}

}  // namespace
}  // namespace invar::analysis
