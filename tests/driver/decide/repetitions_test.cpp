// Predicted repetitions: what the pilot group measured decides how many the groups after it have,
// and does so again from every line at which a driver may have been killed.
#include "driver/decide/repetitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/plans.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::uint32_t kPlannedGroups = 4;
constexpr std::uint32_t kVisitsOfALaunch = 2;
constexpr std::uint32_t kMostOfALaunch = 200;  // repetitions of a launch

// `rule`: between the braces.
synthetic::Options predicting(const std::string& rule) {
  synthetic::Options options{.groups = kPlannedGroups,
                             .rounds = kVisitsOfALaunch,
                             .repetitions = kMostOfALaunch / kVisitsOfALaunch,
                             .noise_sd = 0.05};
  options.toml = synthetic::campaign_toml(options);
  const std::string number = "repetitions = " + std::to_string(options.repetitions) + "\n";
  const std::size_t at = options.toml.find(number);
  options.toml.replace(at, number.size(), "repetitions = { " + rule + " }\n");
  return options;
}

// 0.05 / sqrt(n) is below it from 25 on.
const std::string kUsual = "predict = \"rse\", rse = 0.01, range = \"20:200:10\"";

Prepared campaign_of(const synthetic::Options& written) {
  Prepared prepared;
  prepared.campaign = design::read_campaign(written.toml, "c.toml");
  prepared.cells.cells = written.cells;
  prepared.cells.arms.assign(written.cells.size(), {0, 1});
  prepared.ranks = 2;
  return prepared;
}

// Writes the group as engines would; its launches have the arms that the plan gives them.
void measure(store::CampaignDir& dir, synthetic::Options written, std::uint32_t group) {
  const record::Plan& plan = plan_of(dir.state(), group);
  std::map<std::uint32_t, std::string> arms;  // by launch
  for (const record::PlanRow& row : plan.rows) {
    if (row.group == group) arms[row.launch] = row.arm;
  }
  written.arms.clear();
  for (const auto& [launch, arm] : arms) written.arms.push_back(arm);
  synthetic::write_group(dir, written, plan, group);
}

// The driver's loop without processes.
void drive(store::CampaignDir& dir, const synthetic::Options& written) {
  const Prepared campaign = campaign_of(written);
  while (true) {
    std::set<std::uint32_t> finished;
    for (const store::GroupOutcome& group : dir.state().groups) finished.insert(group.group);
    const store::Data data = store::read_campaign_dir(dir.path());
    for (const Decision& decision : all_decisions()) {
      if (!decision.asked(campaign)) continue;
      write_step(dir, decision.name,
                 decision.decide({.prepared = campaign,
                                  .state = dir.state(),
                                  .finished = finished,
                                  .groups_complete = static_cast<std::uint32_t>(finished.size()),
                                  .measured = [&]() -> const store::Data& { return data; }}));
    }
    const auto group = next_group(dir.state(), finished);
    if (!group) break;
    measure(dir, written, *group);
  }
  if (!dir.state().ended) dir.end();
}

store::CampaignDir begin(const fs::path& dir, const synthetic::Options& written) {
  return store::CampaignDir::create(dir, written.toml, synthetic::make_plan(written),
                                    synthetic::arm_records(written),
                                    {.scope = "2 ranks, 1 host", .cpus = {0, 1}});
}

std::vector<std::string> lines_of(const fs::path& dir) {
  std::ifstream file(dir / "manifest.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What is planned and decided, in the order in which it came into force.
std::vector<std::string> in_force(const fs::path& dir) {
  const store::Manifest manifest = store::read_manifest(lines_of(dir), "manifest");
  std::vector<std::string> all;
  for (const store::PlanCopy& plan : manifest.plans) all.push_back(plan.csv());
  for (const store::DecidedLine& decided : manifest.decided) {
    all.push_back(decided.decision + decided.why + decided.fields);
  }
  return all;
}

// Launches that no line seals: a driver that was killed there has not begun them, or lost them.
void remove_unsealed(const fs::path& dir, const std::vector<std::string>& lines) {
  std::set<fs::path> sealed;
  for (const auto& [launch, seal] : store::read_manifest(lines, "manifest").seals) {
    sealed.insert(dir / seal.dir);
  }
  std::vector<fs::path> unsealed;
  for (const auto& entry : fs::directory_iterator(dir / "launches")) {
    if (!sealed.contains(entry.path())) unsealed.push_back(entry.path());
  }
  for (const fs::path& path : unsealed) fs::remove_all(path);
}

// Repetitions of a visit in all rows of a group, by cell.
std::map<std::uint32_t, std::set<std::uint32_t>> repetitions_in(const store::State& state,
                                                                std::uint32_t group) {
  std::map<std::uint32_t, std::set<std::uint32_t>> all;
  for (const record::PlanRow& row : plan_of(state, group).rows) {
    if (row.group == group) all[row.cell].insert(row.repetitions);
  }
  return all;
}

TEST(PredictedRepetitions, GroupsAfterThePilotHaveAsManyAsItNeeded) {
  const store::TestDir scratch;
  const synthetic::Options written = predicting(kUsual);
  store::CampaignDir dir = begin(scratch / "c", written);
  drive(dir, written);
  ASSERT_THAT(dir.state().decided, SizeIs(1));
  EXPECT_EQ(dir.state().decided[0].decision, "repetitions");
  EXPECT_THAT(dir.state().decided[0].why, HasSubstr("repetitions of a launch that are enough: "));
  EXPECT_THAT(dir.state().decided[0].not_judging, IsEmpty()) << "the pilot has more, and judges";
  const auto decided = decided_repetitions(dir.state());
  // 20 to 40 of a launch, half of them in each of its two visits.
  EXPECT_THAT(decided, UnorderedElementsAre(Pair(0, AllOf(Ge(10U), Le(20U))),
                                            Pair(1, AllOf(Ge(10U), Le(20U)))));
  EXPECT_THAT(repetitions_in(dir.state(), 1),
              Each(Pair(testing::_, std::set<std::uint32_t>{kMostOfALaunch / kVisitsOfALaunch})));
  for (std::uint32_t group = 2; group <= kPlannedGroups; ++group) {
    for (const auto& [cell, repetitions] : repetitions_in(dir.state(), group)) {
      EXPECT_EQ(repetitions, std::set<std::uint32_t>{decided.at(cell)}) << "of all arms";
    }
  }
  const store::Data data = store::read_campaign_dir(scratch / "c");
  EXPECT_THAT(data.groups, SizeIs(kPlannedGroups));
  EXPECT_EQ(store::verify_campaign_dir(scratch / "c").status(), base::Exit::kDone);
}

TEST(PredictedRepetitions, AreTheMostWhereThePilotHasNotEnough) {
  const store::TestDir scratch;
  const synthetic::Options written =
      predicting("predict = \"rse\", rse = 0.0001, range = \"20:200:10\"");
  store::CampaignDir dir = begin(scratch / "c", written);
  drive(dir, written);
  EXPECT_THAT(decided_repetitions(dir.state()),
              Each(Pair(testing::_, kMostOfALaunch / kVisitsOfALaunch)));
  EXPECT_THAT(dir.state().decided.at(0).why, HasSubstr("none; 200 are not for allreduce"));
}

TEST(PredictedRepetitions, AreTheSameFromWhereverADriverWasKilled) {
  const store::TestDir scratch;
  const synthetic::Options written = predicting(kUsual);
  {
    store::CampaignDir dir = begin(scratch / "c", written);
    drive(dir, written);
  }
  const std::vector<std::string> lines = lines_of(scratch / "c");
  const std::vector<std::string> whole = in_force(scratch / "c");
  ASSERT_THAT(whole, SizeIs(3)) << "two plans, one decision";
  const std::size_t first = 2 + written.arms.size();  // campaign, plan, arms: made at once
  for (std::size_t kept = first; kept <= lines.size(); ++kept) {
    for (const bool torn : {false, true}) {
      SCOPED_TRACE(std::to_string(kept) + (torn ? " lines and a half" : " lines"));
      const fs::path dir = scratch / "killed";
      fs::remove_all(dir);
      fs::copy(scratch / "c", dir, fs::copy_options::recursive);
      const std::vector<std::string> first_lines(lines.begin(),
                                                 lines.begin() + static_cast<std::ptrdiff_t>(kept));
      remove_unsealed(dir, first_lines);
      std::string text;
      for (const std::string& line : first_lines) text += line + '\n';
      std::ofstream(dir / "manifest.copy.jsonl", std::ios::trunc) << text;
      if (torn && kept < lines.size()) text += lines[kept].substr(0, lines[kept].size() / 2);
      std::ofstream(dir / "manifest.jsonl", std::ios::trunc) << text;
      std::vector<std::string> notes;
      store::CampaignDir resumed = store::CampaignDir::resume(dir, notes);
      drive(resumed, written);
      EXPECT_EQ(in_force(dir), whole);
      EXPECT_THAT(store::read_campaign_dir(dir).groups, SizeIs(kPlannedGroups));
    }
  }
}

// Before a group is timed in batches nobody knows how many of them are enough.
TEST(PredictedRepetitions, WaitForTheFirstGroupThatIsTimedInBatches) {
  const synthetic::Options written = predicting(kUsual);
  const Prepared campaign = campaign_of(written);
  store::State state{.plans = {synthetic::make_plan(written)},
                     .groups = {{.group = 1, .complete = true}},
                     .batches = record::Calls{{0, 60}}};
  const std::set<std::uint32_t> finished{1};
  const auto measured = []() -> const store::Data& {
    throw std::logic_error("there is nothing to look at");
  };
  const Step step = decide_repetitions({.prepared = campaign,
                                        .state = state,
                                        .finished = finished,
                                        .groups_complete = 1,
                                        .measured = measured});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(step.line));
}

TEST(PredictedRepetitions, OfAGivenPlanStayAsTheyStandThere) {
  const synthetic::Options written = predicting(kUsual);
  const Prepared campaign = campaign_of(written);
  const store::State state{.plans = {synthetic::make_plan(written)},
                           .groups = {{.group = 1, .complete = true}},
                           .batches = record::Calls{},
                           .decided = {given_repetitions()}};
  const std::set<std::uint32_t> finished{1};
  const Step step = decide_repetitions(
      {.prepared = campaign, .state = state, .finished = finished, .groups_complete = 1});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(step.line));
  EXPECT_THAT(decided_repetitions(state), IsEmpty());
}

TEST(PredictedRepetitions, AreNotDecidedWhereTheCampaignIsMadeToFindThemOut) {
  Prepared campaign = campaign_of(predicting(kUsual));
  EXPECT_TRUE(predicts_repetitions(campaign));
  campaign.campaign.analysis.question = design::Question::kNrep;
  EXPECT_FALSE(predicts_repetitions(campaign));
  campaign.campaign.analysis.question = design::Question::kCompare;
  campaign.campaign.prediction.reset();
  EXPECT_FALSE(predicts_repetitions(campaign));
}

TEST(PredictedRepetitions, EveryLaterPlanHasThemEqualInAFamily) {
  Prepared campaign = campaign_of(predicting(kUsual));
  for (record::Cell& cell : campaign.cells.cells) cell.family = "together-1";
  store::State state;
  state.decided = {{.decision = "repetitions",
                    .fields = "{\"repetitions\":[{\"cell\":0,\"visit\":12},"
                              "{\"cell\":1,\"visit\":17}]}"}};
  for (const record::PlanRow& row : plan_after(campaign, state, 3, {.groups = 1}).rows) {
    EXPECT_EQ(row.repetitions, 17U);
  }
}

TEST(PredictedRepetitions, ThatCannotBeReadAreNeverGuessed) {
  for (const char* fields : {"{}", "{\"repetitions\":[{\"cell\":0,\"visit\":1.5}]}",
                             "{\"repetitions\":[{\"cell\":-1,\"visit\":15}]}", "["}) {
    store::State state;
    state.decided = {{.decision = "repetitions", .fields = fields}};
    EXPECT_THROW((void)decided_repetitions(state), base::UserError) << fields;
  }
}

}  // namespace
}  // namespace invar::driver
