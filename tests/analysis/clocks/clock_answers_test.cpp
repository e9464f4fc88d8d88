// Raw rows and what the answers say of them, for every experiment with clocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "analysis/clocks/clock_experiments.hpp"
#include "analysis/clocks/clock_laws.hpp"
#include "analysis/clocks/clock_runtime.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;

store::ClockData simulated(const std::string& experiment, const std::string& rows,
                           const record::ClockSpec& spec = {}) {
  return {.head = {.experiment = experiment, .network = "quiet", .ranks = {4}},
          .spec = record::clock_spec_text(spec),
          .rows = rows};
}

store::ClockData live(const std::string& experiment, const std::string& rows,
                      const record::ClockSpec& spec = {}) {
  return {.head = {.experiment = experiment,
                   .library = "mpich",
                   .library_version = "4.0.2",
                   .ranks = {2}},
          .spec = record::clock_spec_text(spec),
          .rows = rows};
}

// The value of a column in a row of the answer's table.
const Value& at(const Answer& answer, const std::string& id, std::size_t row,
                const std::string& column) {
  const TidyTable* table = find_table(answer, id);
  if (table == nullptr || row >= table->rows.size()) throw std::out_of_range(id);
  return table->rows[row][column_index(*table, column)];
}

double number(const Answer& answer, const std::string& id, std::size_t row,
              const std::string& column) {
  const Value& value = at(answer, id, row, column);
  if (const auto* count = std::get_if<std::int64_t>(&value.content)) {
    return static_cast<double>(*count);
  }
  return std::get<double>(value.content);
}

// Texts of the row that a terminal shows.
std::vector<std::string> shown(const Answer& answer, std::size_t row) {
  std::vector<std::string> texts;
  for (const TidyTable& table : answer.tables) {
    if (table.shown.empty()) continue;
    for (const Value& value : table.rows.at(row)) {
      texts.push_back(std::get<std::string>(value.content));
    }
  }
  return texts;
}

const std::string kTrials =
    "ranks,algorithm,seed,after_s,seconds,worst_ns,typical_ns\n"
    "4,jk,1,0,0.1,10,4\n4,jk,1,5,0.1,100,40\n4,jk,2,0,0.3,30,6\n4,jk,2,5,0.3,300,60\n"
    "4,mesh,1,0,0.2,12,1\n4,mesh,1,5,0.2,20,2\n4,mesh,2,0,0.2,14,3\n4,mesh,2,5,0.2,22,4\n";

TEST(ClockAnswers, AccuracyIsTheMedianOverSeedsOfTheWorstRank) {
  const Answer answer = clock_answer(simulated("accuracy", kTrials, {.after_s = {0, 5}}));
  EXPECT_EQ(answer.question, "accuracy");
  EXPECT_EQ(answer.sentence,
            "mesh is the most precise of 2, off by 0.021 us 5 s after a synchronisation, the next "
            "one jk by 0.200 us: quiet network, simulated, 4 ranks.");
  ASSERT_EQ(find_table(answer, "errors")->rows.size(), 4);
  EXPECT_EQ(number(answer, "errors", 1, "worst_median_ns"), 200);
  EXPECT_EQ(number(answer, "errors", 1, "worst_q1_ns"), 150);
  EXPECT_EQ(number(answer, "errors", 1, "typical_max_ns"), 60);
  EXPECT_EQ(number(answer, "errors", 0, "sync_s"), 0.2);
  EXPECT_EQ(number(answer, "errors", 0, "trials"), 2);
  EXPECT_EQ(shown(answer, 0), (std::vector<std::string>{"jk", "200 ms", "0.020 us", "0.200 us"}));
  EXPECT_THAT(answer.head, HasSubstr("2 seeds"));
  EXPECT_TRUE(answer.next.empty()) << "nothing is kept";
}

TEST(ClockAnswers, AccuracyOfALibraryIsOverItsRanks) {
  const Answer answer = clock_answer(
      live("accuracy",
           "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share\n"
           "jk,1,1.5,0,0,99,0,0\njk,1,1.5,0,1,-30,7,0\njk,1,1.5,0,2,10,0,0\n"
           "jk,2,1.5,0,1,-50,0,0\njk,2,1.5,0,2,0,0,0\n"
           "mesh tracked,1,1,0,1,2,0,0.001\nmesh tracked,1,1,0,2,1,0,0.001\n"));
  EXPECT_EQ(number(answer, "errors", 0, "worst_median_ns"), 40) << "rank 0 is the reference";
  EXPECT_EQ(number(answer, "errors", 0, "typical_median_ns"), 22.5);
  EXPECT_THAT(std::get<std::string>(at(answer, "errors", 0, "network").content),
              testing::StrEq("ping-pongs"))
      << "a name that programs can ask for";
  EXPECT_THAT(answer.notes.front(), HasSubstr("ping-pongs to within 7.00 ns"));
  EXPECT_THAT(answer.notes.back(), HasSubstr("tracking every 1 s takes 0.1 % of the time"));
}

TEST(ClockAnswers, WhoStatesAnErrorIsHeldToIt) {
  const Answer simulation = clock_answer(
      simulated("accuracy",
                "ranks,algorithm,seed,after_s,seconds,worst_ns,typical_ns,covered\n"
                "5,jk,1,0,0.1,10,4,\n5,mesh,1,0,0.2,12,1,0.75\n5,mesh,2,0,0.2,14,3,1\n"));
  EXPECT_TRUE(at(simulation, "errors", 0, "covered").absent()) << "jk states nothing";
  EXPECT_EQ(number(simulation, "errors", 1, "covered"), 0.875);
  EXPECT_EQ(shown(simulation, 1), (std::vector<std::string>{"mesh", "200 ms", "0.013 us (88 %)"}));

  // With a library every rank but the reference counts, with what ping-pongs may be wrong by.
  const Answer library = clock_answer(live(
      "accuracy",
      "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share,stated_ns\n"
      "mesh,1,1,0,0,0,0,0,9\nmesh,1,1,0,1,-10,0,0,9\nmesh,1,1,0,2,10,2,0,9\n"
      "mesh,2,1,0,0,0,0,0,9\nmesh,2,1,0,1,8,0,0,9\nmesh,2,1,0,2,9,0,0,9\n"));
  EXPECT_EQ(number(library, "errors", 0, "covered"), 0.75);
}

TEST(ClockAnswers, TheScopeSaysWhereTheRanksAre) {
  const auto scope = [](std::vector<std::string> hosts, std::optional<std::uint32_t> each) {
    store::ClockData data =
        live("drift", "seconds,rank,offset_ns,half_width_ns,truth_ns\n0,1,5,1,\n");
    data.head.ranks = {4};
    data.head.hosts = std::move(hosts);
    data.head.ranks_per_host = each;
    return clock_answer(data).scope;
  };
  EXPECT_EQ(scope({}, 4), "mpich 4.0.2, 4 ranks");
  EXPECT_EQ(scope({"node1"}, 4), "mpich 4.0.2, 4 ranks on node1");
  EXPECT_EQ(scope({"node1", "node2"}, 2), "mpich 4.0.2, 4 ranks on node1, node2 (2 a host)");
  EXPECT_EQ(scope({"a", "b", "c", "d"}, 1), "mpich 4.0.2, 4 ranks on a, b, c, d");
  EXPECT_EQ(scope({"a", "b", "c", "d", "e"}, {}), "mpich 4.0.2, 4 ranks on 5 hosts");
}

TEST(ClockAnswers, WhatALibrarysRanksDoNotHaveInCommonIsAbsent) {
  store::ClockData data =
      live("scaling",
           "algorithm,repetition,seconds,after_s,rank,error_ns,half_width_ns,tracking_share,ranks\n"
           "jk,1,1.5,0,1,-30,7,0,2\njk,1,1.5,0,1,-30,7,0,4\n");
  data.head.ranks = {2, 4};
  EXPECT_TRUE(at(clock_answer(data), "errors", 0, "ranks_per_host").absent());
  data.head.ranks_per_host = 2;
  EXPECT_EQ(number(clock_answer(data), "errors", 0, "ranks_per_host"), 2);
}

TEST(ClockAnswers, LaunchesThatFailedAreToldWithTheAnswer) {
  store::ClockData data =
      live("drift", "seconds,rank,offset_ns,half_width_ns,truth_ns\n0,1,5,1,\n");
  data.failed = {{.launch = 3, .ranks = 2, .what = "did not end"}};
  const Answer answer = clock_answer(data);
  ASSERT_EQ(answer.warnings.size(), 1);
  EXPECT_EQ(answer.warnings.front().text,
            "launch 3 (2 ranks): did not end; the answer is without it");
  EXPECT_TRUE(answer.health.measurement_failed());
}

TEST(ClockAnswers, ParetoMarksWhatNothingElseBeats) {
  const auto with_barrier_of = [](const std::string& worst_ns) {
    return clock_answer(
        simulated("pareto",
                  "ranks,algorithm,seed,after_s,seconds,worst_ns,typical_ns\n4,barrier,1,0,0.001," +
                      worst_ns + ",1\n4,a,1,5,0.1,50,1\n4,b,1,5,0.2,60,1\n4,c,1,5,0.3,5,1\n",
                  {.after_s = {5}}));
  };
  const Answer answer = with_barrier_of("900");
  const std::vector<bool> expected{true, true, false, true};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::get<bool>(at(answer, "settings", i, "frontier").content), expected[i]) << i;
  }
  EXPECT_THAT(answer.sentence, HasSubstr("c is the most precise, off by 5.00 ns 5 s after the 300 "
                                         "ms that it takes; 2 of 3 settings are on the frontier"));
  EXPECT_THAT(with_barrier_of("2").sentence,
              HasSubstr("c is the most precise, off by 5.00 ns 5 s after the 300 ms that it takes; "
                        "0 of 3 settings are on the frontier"))
      << "a barrier is not a setting of clocks";
}

TEST(ClockAnswers, ScalingIsScalingBecauseTheManifestSaysSo) {
  const std::string rows =
      "ranks,algorithm,seed,after_s,seconds,worst_ns,typical_ns\n"
      "2,jk,1,0,0.1,10,4\n2,mesh,1,0,0.1,5,4\n64,jk,1,0,0.9,90,40\n64,mesh,1,0,0.1,7,4\n";
  store::ClockData data = simulated("scaling", rows);
  data.head.ranks = {2, 64};
  const Answer answer = clock_answer(data);
  EXPECT_EQ(answer.question, "scaling");
  EXPECT_THAT(answer.sentence, HasSubstr("With 64 ranks, mesh is the most precise of 2"));
  EXPECT_THAT(answer.scope, HasSubstr("2 to 64 ranks"));
  EXPECT_EQ(number(answer, "errors", 2, "ranks"), 64);
  EXPECT_EQ(clock_answer(simulated("accuracy", rows)).question, "accuracy");
}

std::vector<TrialsRow> trials_of(const std::string& algorithm,
                                 const std::function<double(double)>& seconds) {
  std::vector<TrialsRow> rows;
  for (const std::uint32_t ranks : {1U, 8U, 32U, 128U, 512U}) {
    TrialsRow row{.ranks = ranks, .algorithm = algorithm};
    row.seconds.median = seconds(ranks);
    rows.push_back(row);
  }
  return rows;
}

TEST(ScalingLaws, EachIsFoundFromItsTimes) {
  const auto law = [](const std::function<double(double)>& seconds) {
    const std::vector<ScalingLaw> laws = scaling_laws(trials_of("a", seconds));
    return laws.empty() ? ScalingLaw{} : laws.front();
  };
  const ScalingLaw tree = law([](double p) { return 0.007 * std::log2(p) + 1e-5; });
  EXPECT_NEAR(tree.per_doubling_s, 0.007, 1e-4);
  EXPECT_EQ(tree.per_rank_s, 0);
  EXPECT_EQ(tree.text(), "7.00 ms log2 p");
  const ScalingLaw chain = law([](double p) { return 0.002 * (p - 1) + 1e-6 * std::log2(p); });
  EXPECT_NEAR(chain.per_rank_s, 0.002, 1e-5);
  EXPECT_EQ(chain.per_doubling_s, 0);
  EXPECT_NEAR(chain.exponent.value(), 1, 0.01);
  const ScalingLaw both = law([](double p) { return 0.007 * std::log2(p) + 2e-4 * (p - 1); });
  EXPECT_NEAR(both.per_doubling_s, 0.007, 1e-9);
  EXPECT_NEAR(both.per_rank_s, 2e-4, 1e-9);
  EXPECT_EQ(both.text(), "7.00 ms log2 p + 200 us (p - 1)");
  EXPECT_EQ(law([](double) { return 0.5; }).text(), "500 ms");
  EXPECT_TRUE(scaling_laws(trials_of("a", [](double p) { return p == 32 ? 9.0 : 1.0; })).empty())
      << "no law";
  std::vector<TrialsRow> two = trials_of("a", [](double p) { return p; });
  two.resize(3);
  EXPECT_TRUE(scaling_laws(two).empty()) << "two numbers of ranks above 1 fit any law";
}

TEST(ScalingLaws, SentenceNamesThem) {
  std::string rows = "ranks,algorithm,seed,after_s,seconds,worst_ns,typical_ns\n";
  for (const int ranks : {8, 32, 128}) {
    const std::string p = std::to_string(ranks);
    rows += p + ",jk,1,0," + std::to_string(0.01 * (ranks - 1)) + ",10,4\n";
    rows += p + ",hca2,1,0," + std::to_string(0.01 * std::log2(ranks)) + ",5,4\n";
  }
  store::ClockData data = simulated("scaling", rows);
  data.head.ranks = {8, 32, 128};
  const Answer answer = clock_answer(data);
  EXPECT_THAT(answer.sentence,
              HasSubstr("The time grows with p - 1 for jk, grows with log2 p for hca2; with 128 "
                        "ranks, hca2 is the most precise of 2"));
  EXPECT_NEAR(number(answer, "laws", 0, "per_rank_s"), 0.01, 1e-9);
}

TEST(ClockAnswers, TrackingIsInSixPartsOfTheTime) {
  std::string rows = "seed,seconds,untracked_ns,predicted_ns,smoothed_ns\n";
  for (int i = 0; i < 12; ++i) {
    rows += "1," + std::to_string(0.5 * i) + ',' + std::to_string(100 * i) + ",20,3\n";
  }
  const Answer answer = clock_answer(simulated("tracking", rows));
  EXPECT_EQ(find_table(answer, "tracking")->rows.size(), 18);
  EXPECT_EQ(number(answer, "tracking", 15, "max_ns"), 1100);
  EXPECT_EQ(number(answer, "tracking", 15, "median_ns"), 1050);
  EXPECT_EQ(number(answer, "tracking", 15, "until_s"), 6);
  EXPECT_TRUE(at(answer, "tracking", 0, "tracking_share").absent());
  EXPECT_THAT(answer.sentence,
              HasSubstr("Over 6 s the smoothed clock is off by 3.00 ns at most, the prediction by "
                        "0.020 us, the first model alone by 1.10 us"));
}

TEST(ClockAnswers, TrackingOfALibrarySaysWhatItCosts) {
  const Answer answer = clock_answer(
      live("tracking",
           "seconds,untracked_ns,predicted_ns,smoothed_ns,sigma_ns,half_width_ns,tracking_share\n"
           "0,1,1,1,1,0,0.02\n1,2,2,2,1,0,0.02\n"));
  EXPECT_EQ(number(answer, "tracking", 0, "tracking_share"), 0.02);
  EXPECT_THAT(answer.notes.back(), HasSubstr("takes 2 % of the time"));
}

TEST(ClockAnswers, DriftNamesTheClockThatDriftsMost) {
  std::string rows = "seconds,rank,offset_ns,half_width_ns,truth_ns\n";
  for (int i = 0; i < 5; ++i) {
    rows += std::to_string(i) + ",1," + std::to_string(5e9 + 1000 * i) + ",100,\n";
    rows += std::to_string(i) + ",2," + std::to_string(-13000 * i) + ",100,\n";
  }
  store::ClockData data = live("drift", rows);
  data.dir = "kept here";
  data.head.command = "invar clocks drift --library mpich";
  const Answer answer = clock_answer(data);
  EXPECT_THAT(answer.sentence, HasSubstr("The clock of rank 2 drifts most, by -13.0000 ppm"));
  EXPECT_THAT(answer.sentence, HasSubstr("against rank 0's: mpich 4.0.2, 2 ranks."));
  EXPECT_EQ(find_table(answer, "points")->rows.size(), 10);
  EXPECT_NEAR(number(answer, "lines", 1, "drift_ppm"), -13, 1e-9);
  EXPECT_TRUE(at(answer, "lines", 0, "true_ppm").absent());
  EXPECT_EQ(shown(answer, 0)[2], "+1.0000");
  ASSERT_EQ(answer.next.size(), 3);
  EXPECT_EQ(answer.next[0].text, "'kept here'");
  EXPECT_EQ(answer.next[1].text, "invar clocks drift --library mpich");
}

TEST(ClockAnswers, OnePointOfEveryRankIsNoDrift) {
  const Answer answer =
      clock_answer(live("drift", "seconds,rank,offset_ns,half_width_ns,truth_ns\n0,1,5,1,\n"));
  EXPECT_THAT(answer.sentence, HasSubstr("No drift is known"));
}

const std::string kBarriers =
    "row,method,number,flags,entry_skew_ns,exit_imbalance_ns,time_ns,sigma_ns\n";

TEST(ClockAnswers, BarriersWithoutARepetitionHaveNoTimes) {
  const Answer answer = clock_answer(
      live("barriers", kBarriers +
                           "repetition,MPI_Barrier,0,2,5,100,500,7\nrank,MPI_Barrier,0,0,0,0,0,7\n"
                           "repetition,window,1,0,5,12,1,7\nrank,window,0,0,0,6,0,7\n"));
  EXPECT_EQ(answer.sentence,
            "Ranks start closest together by window, 0.012 us apart in the median: mpich 4.0.2, 2 "
            "ranks.");
  EXPECT_TRUE(at(answer, "barriers", 0, "exit_median_ns").absent());
  EXPECT_EQ(number(answer, "barriers", 0, "left_out"), 1);
  EXPECT_TRUE(at(answer, "barriers", 1, "exit_p95_ns").absent()) << "of one repetition";
  EXPECT_EQ(number(answer, "barriers", 1, "exit_median_ns"), 12);
  EXPECT_EQ(shown(answer, 0)[3], "-");
  EXPECT_THAT(answer.head, HasSubstr("to +-7.00 ns (1 sigma"));
}

// Rank 1 is late in most repetitions, rank 2 seldom, and then by much.
TEST(ClockAnswers, TheLastRankIsTheOneThatThePageShowsAsLast) {
  const auto ranks = [](const std::string& more_0, const std::string& more_1,
                        const std::string& more_2) {
    return "repetition,window,1,0,5,12,1,0" + std::string(more_0.empty() ? "" : ",,,") +
           "\nrank,window,0,0,0,0,0,0" + more_0 + "\nrank,window,1,0,0,90,0,0" + more_1 +
           "\nrank,window,2,0,0,60,0,0" + more_2 + "\n";
  };
  const Answer means = clock_answer(
      live("barriers", kBarriers.substr(0, kBarriers.size() - 1) + ",count,mean_ns,sd_ns\n" +
                           ranks(",50,0,0", ",50,80,10", ",50,110,200")));
  EXPECT_EQ(shown(means, 0).back(), "2 +0.110 us");
  EXPECT_THAT(means.notes.front(), HasSubstr("whose mean exit is latest"));
  EXPECT_EQ(number(means, "barriers", 2, "behind_mean_ns"), 110);
  const Answer medians = clock_answer(live("barriers", kBarriers + ranks("", "", "")));
  EXPECT_EQ(shown(medians, 0).back(), "1 +0.090 us");
  EXPECT_THAT(medians.notes.front(), HasSubstr("whose median exit is latest"));
}

TEST(ClockAnswers, AnUntrustedCounterComesWithItsReason) {
  const Answer answer = clock_answer(
      live("resolution",
           "rank,source,quantity,value,text\n0,tsc,trusted,0,no constant_tsc\n0,tsc,cost_ns,20,\n"
           "0,tsc,step_ns,10,\n0,tsc,ticks_per_s,2.596e9,\n0,mpi-wtime,cost_ns,50,\n"
           "0,mpi-wtime,ticks_per_s,1e9,\n0,mpi-wtime,backwards,3,\n"));
  EXPECT_THAT(answer.sentence, HasSubstr("tsc is the cheapest clock, 20.0 ns a reading, and "
                                         "resolves 10.0 ns; mpi-wtime went back"));
  EXPECT_EQ(texts_of(answer.warnings),
            (std::vector<std::string>{"tsc: not trusted: no constant_tsc"}));
  EXPECT_FALSE(std::get<bool>(at(answer, "clocks", 0, "trusted").content));
  EXPECT_EQ(shown(answer, 0)[6], "not shared");
  EXPECT_THAT(shown(answer, 0)[7], HasSubstr("2596.0000 MHz"));
}

RunTimeSeries series(const char* sync, double slope_ns_per_s, double half_width) {
  RunTimeSeries one{.sync = sync, .local = std::string(sync) == "MPI_Barrier"};
  one.slope_ns_per_s = slope_ns_per_s;
  one.interval = {slope_ns_per_s - half_width, slope_ns_per_s + half_width, 0.95};
  return one;
}

TEST(ClockAnswers, SentenceNamesWhatDriftsAndWhatDoesNot) {
  EXPECT_EQ(
      drift_sentence({series("MPI_Barrier", 1, 5), series("skampi:exchanges=10", 13000, 100),
                      series("mesh:duration=1 tracked", -2, 20)},
                     "here"),
      "Drifting: skampi by +13 us a second [12.9, 13.1]. Not: mesh tracked (within [-0.022, "
      "0.018]). MPI_Barrier's local times, which need no clocks, meanwhile +0.001 us a second "
      "[-0.004, 0.006]: here.");
  // Local times that grow are a machine that slows down, not clocks.
  EXPECT_EQ(
      drift_sentence({series("MPI_Barrier", 100, 5)}, "here"),
      "No run-time drifts. MPI_Barrier's local times, which need no clocks, meanwhile +0.1 us a "
      "second [0.095, 0.1]: here.");
}

TEST(ClockAnswers, RunTimesStandSideBySideWithTheTimeSinceTheSynchronisation) {
  std::string rows = "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n";
  rows += "MPI_Barrier,0,0,1,,0,512,,490\nhca:a=1,0,0,1,3.5,0,700,600,650\n";
  rows += "hca:a=1,1,0,9,11.5,0,700,12345,650\n";
  record::ClockSpec spec{.operation = "bcast", .size_bytes = 8, .bins = 2};
  spec.virtual_clocks.skew = {13e-6};
  const Answer answer = clock_answer(live("runtime-over-time", rows, spec));
  EXPECT_EQ(find_table(answer, "bins")->rows.size(), 3) << "empty bins are left out";
  EXPECT_EQ(number(answer, "bins", 2, "median_ns"), 12345);
  EXPECT_EQ(number(answer, "bins", 2, "since_sync_s"), 11.5);
  EXPECT_TRUE(at(answer, "bins", 0, "since_sync_s").absent()) << "a barrier needs no clocks";
  EXPECT_EQ(shown(answer, 0), (std::vector<std::string>{"1.0 s", "0.512", "0.600"}));
  EXPECT_EQ(shown(answer, 1), (std::vector<std::string>{"9.0 s", "-", "12.3"}));
  EXPECT_THAT(answer.head, HasSubstr("+13 ppm"));
  EXPECT_THAT(answer.notes[1], HasSubstr("since the last synchronisation: hca at + 2.5 s"));
  EXPECT_THAT(answer.scope, HasSubstr("bcast, 8 B"));
  EXPECT_THAT(answer.sentence, HasSubstr("Too few bins: MPI_Barrier, hca"));
}

TEST(ClockAnswers, WhatThisVersionDoesNotKnowIsRefusedWithItsPlace) {
  const auto refusal = [](store::ClockData data) {
    data.dir = "d";
    try {
      clock_answer(data);
    } catch (const base::UserError& error) {
      return error.faults().front().text();
    }
    return std::string();
  };
  EXPECT_THAT(refusal(live("wander", "")), HasSubstr("d: this version has no experiment 'wander'"));
  EXPECT_THAT(refusal(simulated("drift", "")), HasSubstr("'drift' on simulated networks"));
  store::ClockData data =
      live("drift", "seconds,rank,offset_ns,half_width_ns,truth_ns\n0,1,x,1,\n");
  EXPECT_THAT(refusal(data), HasSubstr("d/clocks.csv:2:5: 'x' is not a number"));
  data.spec += "colour = 1\n";
  EXPECT_THAT(refusal(data), HasSubstr("d/clocks.spec:"));
}

TEST(ClockAnswers, RowsThatMakeNoSenseAreRefusedNotCrashedOn) {
  EXPECT_THROW(clock_answer(live("drift",
                                 "seconds,rank,offset_ns,half_width_ns,truth_ns\n"
                                 "1,1,5,1,\n1,1,6,1,\n")),
               base::UserError);
}

TEST(ClockAnswers, AWindowWithoutGlobalTimesHasNoBin) {
  const Answer answer = clock_answer(
      live("runtime-over-time",
           "sync,bin,repetition,seconds,since_sync_s,flags,local_ns,global_ns,true_ns\n"
           "mesh,0,0,1,1,0,512,,\n"));
  EXPECT_TRUE(find_table(answer, "bins")->rows.empty());
}

TEST(ClockAnswers, EveryExperimentAnswersWithoutRows) {
  for (const ClockExperiment& experiment : clock_experiments()) {
    if (!experiment.live.empty()) {
      const Answer answer =
          clock_answer(live(std::string(experiment.name), record::raw_header(experiment.live)));
      EXPECT_FALSE(answer.sentence.empty()) << experiment.name;
    }
    if (!experiment.simulated.empty()) {
      const Answer answer = clock_answer(
          simulated(std::string(experiment.name), record::raw_header(experiment.simulated)));
      EXPECT_FALSE(answer.sentence.empty()) << experiment.name;
    }
  }
}

}  // namespace
}  // namespace invar::analysis
