// A platform against its machine: errors, tables, and what is told to the simulator.
#include "analysis/network/simulator/network_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "analysis/network/planted_network.hpp"
#include "analysis/network/simulator/simulated_platforms.hpp"
#include "platform/platform_text.hpp"
#include "store/test_dir.hpp"

namespace invar::analysis {
namespace {

using planted::network_campaign_data;
using planted::network_plan;
using planted::planted_sizes;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Network& checked_network() {
  static const Network found =
      network(planted::study(network_campaign_data(network_plan({}, planted_sizes()))));
  return found;
}

TEST(SimulatedPlatforms, FollowFromEveryModel) {
  const SimulatedPlatforms made = simulated_platforms(checked_network(), {.cores = 4});
  EXPECT_THAT(made.faults, IsEmpty());
  ASSERT_THAT(made.platforms, SizeIs(1));
  EXPECT_EQ(made.platforms[0].stem, "platform");
  EXPECT_EQ(made.platforms[0].ranks, 4U);
  const platform::PlatformFiles files = files_of(checked_network(), made);
  ASSERT_THAT(files.files, SizeIs(4));
  EXPECT_NO_THROW(platform::check_platform_text(files.files[0].text, "platform.xml"));
  EXPECT_THAT(files.remarks, Contains(HasSubstr("what several pairs reach together was not")));
}

TEST(SimulatedPlatforms, OfOneLaunchGroupAreNone) {
  Network one = checked_network();
  one.models.front().groups = 1;
  const SimulatedPlatforms made = simulated_platforms(one, {});
  EXPECT_THAT(made.platforms, IsEmpty());
  ASSERT_THAT(made.faults, SizeIs(1));
  EXPECT_THAT(made.faults[0].text(), HasSubstr("1 complete launch group"));
}

TEST(SimulatedPlatforms, SayInTheirFirstLinesWhatTheModelLacks) {
  Network lacking = checked_network();
  lacking.models.front().lacking = {"no size was held out"};
  lacking.models.front().loose = {"detached is known only to 19 %"};
  const platform::PlatformFiles files = files_of(lacking, simulated_platforms(lacking, {}));
  for (const std::size_t text : {0U, 2U}) {
    EXPECT_THAT(files.files.at(text).text, HasSubstr("no size was held out"));
    EXPECT_THAT(files.files.at(text).text, HasSubstr("detached is known only to 19 %"));
  }
}

TEST(SimulatedPlatforms, AreATableOfTheFilesThatTheDirectoryHas) {
  Network found = checked_network();
  found.dir.clear();
  EXPECT_THAT(platforms_table(found).rows, IsEmpty());
  const store::TestDir dir;
  found.dir = dir.path();
  EXPECT_THAT(platforms_table(found).rows, IsEmpty()) << "nothing was written";
  std::ofstream(found.dir / "platform.xml") << "x";
  const TidyTable table = platforms_table(found);
  ASSERT_THAT(table.rows, SizeIs(1));
  ASSERT_EQ(table.rows[0].size(), table.columns.size());
  const Value& run = table.rows[0][column_index(table, "run")];
  EXPECT_THAT(std::get<std::string>(run.content),
              testing::StartsWith("smpirun -np 2 -platform platform.xml -hostfile platform.hosts"));
}

TEST(SimulatedPlatforms, OfSeveralArmsHaveNamesOfTheirOwn) {
  Network two = checked_network();
  two.models.push_back(two.models.front());
  two.data.push_back(two.data.front());
  two.models.back().arm = "mine:a=b/c";
  EXPECT_THAT(stems_of(two), ElementsAre("platform-openmpi", "platform-mine-a-b-c"));
  two.models.back().arm = "openmpi";
  EXPECT_THAT(stems_of(two), ElementsAre("platform-openmpi", "platform-openmpi-2"));
}

// Three ranks on two hosts: in turns over these the first and the last one share a host, packed
// they do not.
store::Data data_of_two_places() {
  const planted::TrueNetwork near;
  planted::TrueNetwork far;
  far.wire = {{0, 20000, 4}};
  planted::Plan inside = network_plan(near, planted_sizes());
  planted::Plan both = network_plan(far, planted_sizes());
  const auto place = [](std::vector<record::Cell>& cells, const char* mapping) {
    for (record::Cell& cell : cells) {
      cell.ranks = 3;
      cell.nodes = 2;
      cell.mapping = mapping;
      if (!cell.pattern.empty()) cell.pattern = "distance:2";
    }
  };
  place(inside.cells, "round-robin");
  place(both.cells, "packed");
  both.time_ns = [far_ns = both.time_ns, near_ns = inside.time_ns, cells = both.cells.size()](
                     std::size_t arm, std::size_t cell) {
    return cell < cells ? far_ns(arm, cell) : near_ns(arm, cell - cells);
  };
  both.cells.insert(both.cells.end(), inside.cells.begin(), inside.cells.end());
  store::Data data = network_campaign_data(both);
  data.hosts = {"a", "a", "b"};
  return data;
}

TEST(SimulatedPlatforms, OfBothClassesOfPairsKnowEachOther) {
  const Network found = network(planted::study(data_of_two_places()));
  ASSERT_THAT(found.models, SizeIs(2));
  EXPECT_NE(found.models[0].inside_host, found.models[1].inside_host);
  const SimulatedPlatforms made = simulated_platforms(found, {.cores = 4, .noise = false});
  ASSERT_THAT(made.platforms, SizeIs(2));
  for (const SimulatedPlatform& one : made.platforms) {
    const bool inside = found.models[one.model].inside_host;
    EXPECT_EQ(one.of.pairs_are,
              inside ? platform::PairsAre::kInsideHost : platform::PairsAre::kBetweenHosts);
    EXPECT_EQ(one.ranks, inside ? 4U : 2U);
    ASSERT_TRUE(one.other);
    EXPECT_NE(one.other->pairs_are, one.of.pairs_are);
    EXPECT_EQ(one.of.latency_ns < 10000, inside) << one.of.latency_ns;
    EXPECT_EQ(one.other->latency_ns < 10000, !inside);
  }
  const platform::PlatformFiles files = files_of(found, made);
  ASSERT_THAT(files.files, SizeIs(8));
  EXPECT_THAT(files.files[2].text, HasSubstr("constexpr int kHosts = 2;"));
  for (const std::string& remark : files.remarks) {
    EXPECT_THAT(remark, testing::Not(HasSubstr("C++ platform: pairs"))) << "both were measured";
  }
}

TEST(SimulatedPlatforms, AreMissingWithAReasonWhereAnOperationWasNotMeasured) {
  Network lacking = checked_network();
  std::erase_if(lacking.models.front().series,
                [](const ModelSeries& one) { return one.key.kind == SeriesKind::kIsend; });
  const SimulatedPlatforms made = simulated_platforms(lacking, {});
  EXPECT_THAT(made.platforms, IsEmpty());
  ASSERT_THAT(made.faults, SizeIs(1));
  EXPECT_THAT(made.faults[0].text(), AllOf(HasSubstr("was not measured"), HasSubstr("isend")));
}

// Two arms of one machine, whose clocks take 20 ns and 400 ns to read.
TEST(OperationTimes, AreLessTheReadingOfTheArmsOwnClock) {
  planted::Plan plan{.arms = {"openmpi", "mpich"}, .cells = {planted::cell("bcast", 8)}};
  store::Data data = planted::data(plan);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        visit.line.empty_ps = launch.arm == 0 ? 20'000 : 400'000;
      }
    }
  }
  const Study study = planted::study(data);
  const auto time_of = [&](const std::string& arm) {
    const std::vector<OperationTime> times = operation_times(study, arm, "bcast", {});
    return times.size() == 1 ? times.front().time_ns : 0;
  };
  const double first_ns = time_of("openmpi");
  const double second_ns = time_of("mpich");
  EXPECT_GT(first_ns, 0);
  EXPECT_NEAR(first_ns - second_ns, 380, 100);
  EXPECT_THAT(operation_times(study, "another", "bcast", {}), IsEmpty());
}

TEST(ReductionCostsText, IsStraightFromSizeToSize) {
  EXPECT_EQ(reduction_costs_text({}), "");
  EXPECT_EQ(reduction_costs_text({{.size_bytes = 4, .time_ns = 100}}), "0:1e-07:0");
  // From (4, 100 ns) to (104, 300 ns): 92 + 2 s.
  EXPECT_EQ(reduction_costs_text(
                {{.size_bytes = 4, .time_ns = 100}, {.size_bytes = 104, .time_ns = 300}}),
            "0:1e-07:0;4:9.2e-08:2e-09");
}

NetworkCheck small_check() {
  NetworkCheck check{.sentence = "a sentence", .ranks = 4, .dir = "/tmp/n/check"};
  check.points.push_back({.arm = "a",
                          .operation = "round-trip",
                          .calibrated = true,
                          .size_bytes = 8,
                          .measured_ns = 200,
                          .groups = 5});
  check.points.back().simulated_ns[0] = 220;
  check.points.back().simulated_ns[1] = 100;
  check.points.push_back(
      {.arm = "a", .operation = "bcast", .ranks = 4, .size_bytes = 16, .measured_ns = 400});
  CheckedErrors errors{.arm = "a", .operation = "bcast", .ranks = 4, .why = "no time of it"};
  check.errors.push_back(errors);
  return check;
}

TEST(CheckedPoint, ErrsByWhatIsSimulatedOverWhatIsMeasured) {
  const NetworkCheck check = small_check();
  EXPECT_NEAR(*check.points[0].error(), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(*check.points[0].error(CheckedBy::kDefaults), -0.5);
  EXPECT_FALSE(check.points[0].error(CheckedBy::kUsual));
  EXPECT_FALSE(check.points[1].error());
}

TEST(CheckTables, HaveAValueForEveryColumn) {
  const std::vector<TidyTable> tables = check_tables(small_check(), true);
  ASSERT_THAT(tables, SizeIs(2));
  EXPECT_EQ(tables[0].id, "check_errors");
  EXPECT_EQ(tables[1].id, "check");
  for (const TidyTable& table : tables) {
    for (const auto& row : table.rows) EXPECT_THAT(row, SizeIs(table.columns.size()));
    for (const ShownColumn& shown : table.shown) {
      EXPECT_NO_THROW(column_index(table, shown.column)) << shown.column;
    }
  }
  EXPECT_THAT(tables[1].rows, SizeIs(2));
  // Below the model's own tables the second one is for machines.
  EXPECT_THAT(check_tables(small_check(), false)[1].shown, IsEmpty());
}

TEST(CheckAnswer, NamesTheDirectories) {
  const Answer answer = answer_of(small_check());
  EXPECT_EQ(answer.sentence, "a sentence");
  EXPECT_THAT(answer.next, Contains(testing::Field(&Remark::text, "invar network /tmp/n")));
}

// All models of a campaign as simulated ones: errors are known.
TEST(NetworkCheck, ComparesWhatBothHave) {
  const Study study = planted::study(network_campaign_data(network_plan({}, planted_sizes())));
  Network found = checked_network();
  for (ModelSeries& series : found.models.front().series) series.points[3].held_out = true;
  // The "simulated" campaign's arm is called as the platform of the first model is.
  store::Data data = network_campaign_data(network_plan({}, planted_sizes()));
  data.arms.front().label = simulated_arm(stems_of(found).front(), CheckedBy::kPlatform);
  const Study simulated = planted::study(data);
  const NetworkCheck check = network_check(found, study, simulated);
  ASSERT_THAT(check.errors, testing::Not(IsEmpty()));
  std::size_t held_out = 0;
  for (const CheckedErrors& one : check.errors) {
    ASSERT_TRUE(one.errors[0]) << one.operation;
    // One machine twice: what differs is how groups are put together.
    EXPECT_LT(one.errors[0]->median, 0.1) << one.operation;
    EXPECT_FALSE(one.errors[1]);
    held_out += one.held_out ? 1 : 0;
    EXPECT_NE(one.calibrated, one.held_out);
  }
  EXPECT_GT(held_out, 0U);
}

// Each operation of "alpha" simulated as long as it takes, or longer by a part of it.
Study operations_study(const std::vector<std::pair<std::string, double>>& arms) {
  planted::Plan plan;
  plan.arms.clear();
  for (const auto& arm : arms) plan.arms.push_back(arm.first);
  plan.cells = {planted::cell("bcast", 8), planted::cell("allreduce", 8)};
  plan.groups = 4;
  plan.group_sd = 0.001;
  plan.time_ns = [arms](std::size_t arm, std::size_t cell) {
    return 1000 * (1 + arms[arm].second * (cell == 1 ? 2 : 1));
  };
  return planted::study(planted::data(plan));
}

Network two_arms() {
  Network found = checked_network();
  found.models.push_back(found.models.front());
  found.data.push_back(found.data.front());
  found.models.back().arm = "mpich";
  return found;
}

TEST(NetworkCheck, TheSentenceHasTheTablesOrderAndTheWorstOperation) {
  const Network found = two_arms();
  const NetworkCheck check = network_check(found, operations_study({{"openmpi", 0}, {"mpich", 0}}),
                                           operations_study({{"platform-openmpi", 0.1},
                                                             {"platform-openmpi+defaults", 1},
                                                             {"platform-openmpi+usual", 0.3},
                                                             {"platform-mpich", 0.2},
                                                             {"platform-mpich+defaults", 2},
                                                             {"platform-mpich+usual", 0.4}}));
  EXPECT_THAT(check.usual_missing, IsEmpty());
  EXPECT_THAT(check.sentence, testing::StartsWith("openmpi on its platform, median errors: "))
      << "as the campaign has them";
  EXPECT_THAT(check.sentence, testing::ContainsRegex(
                                  "bcast [0-9.]+ % \\(the cluster without a calibration [0-9.]+ %, "
                                  "the usual formulas [0-9.]+ %\\); allreduce [0-9.]+ % "
                                  "\\([0-9.]+ %, [0-9.]+ %\\); worst: allreduce"));
  EXPECT_LT(check.sentence.find("openmpi on"), check.sentence.find("mpich on its"));
  EXPECT_THAT(check.sentence, testing::Not(HasSubstr("no platform that can be written")));
}

TEST(NetworkCheck, WhyTheUsualFormulasGiveNoPlatformIsSaidOnce) {
  Network found = checked_network();
  NetworkCheck check =
      network_check(found, operations_study({{"openmpi", 0}}),
                    operations_study({{"platform", 0.1}, {"platform+defaults", 1}}));
  EXPECT_THAT(check.sentence, testing::Not(HasSubstr("no time")));
  // What a platform cannot be made of by them is said by what makes it.
  const SimulatedPlatforms made = simulated_platforms(found, {});
  std::string why;
  try {
    static_cast<void>(platform::usual_xml(made.platforms.at(0).of, 2));
  } catch (const base::CommandError& error) {
    why = error.faults().front().what;
  }
  if (why.empty()) {
    EXPECT_THAT(check.usual_missing, IsEmpty());
  } else {
    EXPECT_THAT(check.sentence,
                testing::EndsWith("; the usual formulas give no platform that can be written (" +
                                  why + ")"));
  }
  const std::vector<TidyTable> tables = check_tables(check, true);
  for (const ShownColumn& shown : tables[0].shown) EXPECT_NE(shown.column, "usual_median_error");
}

// Two broadcasts, in groups whose canary takes twice as long slower by half.
planted::Plan broadcasts(std::uint32_t slow_groups) {
  planted::Plan plan;
  plan.arms = {"openmpi"};
  plan.cells = {planted::cell("bcast", 8), planted::cell("bcast", 1024)};
  plan.groups = 8;
  plan.group_sd = 0.005;
  plan.canary_ns = [slow_groups](std::uint32_t group) {
    return group <= slow_groups ? 520.0 : 260;
  };
  plan.slower = [slow_groups](std::uint32_t group, std::uint32_t, std::size_t) {
    return group <= slow_groups ? 1.5 : 1.0;
  };
  return plan;
}

// The platform has the machine's broadcasts right in the model's regime.
NetworkCheck check_of(const Network& found, const planted::Plan& measured) {
  planted::Plan plan = broadcasts(0);
  plan.arms = {simulated_arm(stems_of(found).front(), CheckedBy::kPlatform)};
  return network_check(found, planted::study(planted::data(measured)),
                       planted::study(planted::data(plan)));
}

Network network_in(double low_ns, double high_ns, bool split) {
  Network found = checked_network();
  found.reference = ReferenceRegime{
      .band = {.low_ns = low_ns, .high_ns = high_ns}, .median_ns = 260, .split = split};
  return found;
}

const CheckedErrors& broadcast_errors(const NetworkCheck& check) {
  const auto found = std::ranges::find(check.errors, "bcast", &CheckedErrors::operation);
  if (found == check.errors.end()) throw std::out_of_range("bcast");
  return *found;
}

TEST(NetworkCheck, ComparesInTheModelsRegimeAlone) {
  const NetworkCheck check = check_of(network_in(250, 300, true), broadcasts(5));
  EXPECT_THAT(check.sentence, HasSubstr("the XML was simulated, and not the C++ platform"));
  const CheckedErrors& errors = broadcast_errors(check);
  ASSERT_TRUE(errors.errors[0]);
  EXPECT_LT(errors.errors[0]->median, 0.03) << "three of the eight groups are in it";
  EXPECT_EQ(errors.elsewhere, 0U);
  EXPECT_THAT(check.warnings, IsEmpty());
}

TEST(NetworkCheck, HasNoErrorsOfAnotherRegime) {
  // One group more is elsewhere: two say too little of how launches differ.
  for (const std::uint32_t slow : {6U, 8U}) {
    const NetworkCheck check = check_of(network_in(250, 300, true), broadcasts(slow));
    const CheckedErrors& errors = broadcast_errors(check);
    EXPECT_FALSE(errors.errors[0]);
    EXPECT_FALSE(errors.bias);
    EXPECT_EQ(errors.sizes, 0U);
    EXPECT_EQ(errors.elsewhere, 2U);
    EXPECT_THAT(errors.why, HasSubstr("another regime of the machine than the model's, canary"));
    EXPECT_THAT(check.sentence, HasSubstr("nothing of bcast, measured in another regime"));
    EXPECT_THAT(check.sentence, testing::Not(HasSubstr("bcast 5")));
    for (const CheckedPoint& point : check.points) {
      EXPECT_EQ(point.in_regime, point.operation != "bcast");
      if (point.operation != "bcast") continue;
      EXPECT_TRUE(point.simulated_ns[0]) << "both times are there, and are marked";
      EXPECT_FALSE(point.error());
    }
    EXPECT_THAT(check.warnings,
                Contains(testing::Field(&Warning::text, HasSubstr("these have no errors"))));
    EXPECT_EQ(check_tables(check, true)[1].shown.back().column, "in_regime");
  }
}

// A campaign that ran in one regime from start to end has one as well.
TEST(NetworkCheck, AModelOfASingleRegimeIsOfThatOne) {
  EXPECT_TRUE(broadcast_errors(check_of(network_in(255, 265, false), broadcasts(0))).errors[0]);
  EXPECT_FALSE(broadcast_errors(check_of(network_in(255, 265, false), broadcasts(8))).errors[0]);
  // Canaries that are nearer than regimes are: the same one.
  planted::Plan near = broadcasts(0);
  near.canary_ns = [](std::uint32_t) { return 310.0; };
  EXPECT_TRUE(broadcast_errors(check_of(network_in(255, 265, false), near)).errors[0]);
  // A machine that changed from visit to visit, mostly to the model's state.
  near.canary_ns = [](std::uint32_t) { return 130.0; };
  EXPECT_FALSE(broadcast_errors(check_of(network_in(110, 300, false), near)).errors[0]);
}

TEST(ModelBand, IsNoneWithoutAReference) {
  Network found = checked_network();
  found.reference.reset();
  EXPECT_FALSE(model_band(found));
  EXPECT_EQ(model_band(network_in(250, 300, true)), network_in(250, 300, true).reference->band);
}

store::Data bcast_data(const std::string& arm, std::uint32_t ranks) {
  record::Cell cell = planted::cell("bcast", 64);
  cell.ranks = ranks;
  return planted::data({.arms = {arm}, .cells = {cell}});
}

TEST(NetworkCheck, ComparesNoCallOfOtherRanks) {
  const Network& found = checked_network();
  const std::string arm = simulated_arm(stems_of(found).front(), CheckedBy::kPlatform);
  const Study measured = planted::study(bcast_data("openmpi", 2));
  const auto error_of = [&](std::uint32_t ranks) {
    const Study simulated = planted::study(bcast_data(arm, ranks));
    const NetworkCheck check = network_check(found, measured, simulated);
    return *std::ranges::find(check.errors, "bcast", &CheckedErrors::operation);
  };
  EXPECT_TRUE(error_of(2).errors[0]);
  const CheckedErrors other = error_of(4);
  EXPECT_FALSE(other.errors[0]);
  EXPECT_EQ(other.why, "measured with 2 ranks, simulated with 4");
}

}  // namespace
}  // namespace invar::analysis
