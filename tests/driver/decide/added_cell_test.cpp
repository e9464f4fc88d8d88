// A decision that adds a cell, from the plan over the manifest to the verdict: and the same one
// again from every line at which a driver may have been killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "analysis/compare/compare.hpp"
#include "analysis/study/study.hpp"
#include "base/text.hpp"
#include "driver/decide/half_way.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t kGroups = 3;  // that judge each cell
constexpr std::uint32_t kAllGroups = test::kGroupsThatChoose + 1 + kGroups;

synthetic::Options options() {
  synthetic::Options options{.groups = kGroups, .rounds = 2, .repetitions = 5};
  record::Cell larger = options.cells.back();
  larger.id = 2;
  larger.size_bytes = 8192;
  options.cells.push_back(larger);
  return options;
}

// Three sizes, two arms; times of size by arm are planted.
double time_ns(const std::string& arm, std::uint64_t size_bytes) {
  return (500.0 + 2.0 * static_cast<double>(size_bytes)) * (arm == "alpha" ? 1.0 : 1.3);
}

Prepared prepared() {
  const synthetic::Options written = options();
  Prepared prepared;
  prepared.campaign = design::read_campaign(synthetic::campaign_toml(written), "c.toml");
  prepared.cells.cells = written.cells;
  prepared.cells.arms.assign(written.cells.size(), {0, 1});
  prepared.cells.operations.resize(2);
  for (const record::Cell& cell : written.cells) {
    prepared.ranks = std::max(prepared.ranks, cell.ranks);
    for (auto& of_arm : prepared.cells.operations) {
      of_arm.emplace(cell.operation, record::OperationInfo{.name = cell.operation});
    }
  }
  return prepared;
}

// Writes the group as engines would that found the planted times.
void measure(store::CampaignDir& dir, const record::Plan& plan, std::uint32_t group) {
  synthetic::Options written = options();
  written.cells = plan.cells;
  std::map<std::uint32_t, std::string> arms;  // by launch
  for (const record::PlanRow& row : plan.rows) {
    if (row.group == group) arms[row.launch] = row.arm;
  }
  written.arms.clear();
  for (const auto& [launch, arm] : arms) written.arms.push_back(arm);
  written.median_ns = [&](std::size_t arm, std::size_t cell) {
    return time_ns(written.arms[arm], *written.cells[cell].size_bytes);
  };
  synthetic::write_group(dir, written, plan, group);
}

// The driver's loop without processes.
void drive(store::CampaignDir& dir) {
  Prepared campaign = prepared();
  for (const store::DecidedLine& decided : dir.state().decided) add_cells(campaign, decided);
  const std::vector<Decision> decisions = test::with_half_way();
  while (true) {
    std::set<std::uint32_t> finished;
    for (const store::GroupOutcome& group : dir.state().groups) finished.insert(group.group);
    const store::Data data = store::read_campaign_dir(dir.path());
    for (const Decision& decision : decisions) {
      if (!decision.asked(campaign)) continue;
      const std::size_t before = dir.state().decided.size();
      write_step(dir, decision.name,
                 decision.decide({.prepared = campaign,
                                  .state = dir.state(),
                                  .finished = finished,
                                  .groups_complete = static_cast<std::uint32_t>(finished.size()),
                                  .measured = [&]() -> const store::Data& { return data; }}));
      if (dir.state().decided.size() > before) add_cells(campaign, dir.state().decided.back());
    }
    const auto group = next_group(dir.state(), finished);
    if (!group) break;
    measure(dir, plan_of(dir.state(), *group), *group);
  }
  if (!dir.state().ended) dir.end();
}

std::vector<std::string> manifest_lines(const fs::path& dir) {
  std::ifstream file(dir / "manifest.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What is planned and decided, in the order in which it came into force.
std::vector<std::string> planned(const fs::path& dir) {
  const store::Manifest manifest = store::read_manifest(manifest_lines(dir), "manifest");
  std::vector<std::string> all;
  for (const store::PlanCopy& plan : manifest.plans) all.push_back(plan.csv());
  for (const store::DecidedLine& decided : manifest.decided) {
    all.push_back(store::decided_line(1, decided, {}).substr(0, 25) + decided.why + decided.fields);
  }
  return all;
}

class AddedCell : public testing::Test {
 protected:
  AddedCell() {
    store::CampaignDir dir = store::CampaignDir::create(
        scratch_ / "c", synthetic::campaign_toml(options()), synthetic::make_plan(options()),
        synthetic::arm_records(options()), {.scope = "2 ranks, 1 host", .cpus = {0, 1}});
    drive(dir);
  }

  store::TestDir scratch_ = {};
};

TEST_F(AddedCell, IsMeasuredInTheGroupsAfterTheDecisionAlone) {
  const store::Data data = store::read_campaign_dir(scratch_ / "c");
  ASSERT_THAT(data.damage, IsEmpty());
  ASSERT_THAT(data.cells, SizeIs(4));
  EXPECT_EQ(data.cells[3].size_bytes, (1024U + 8192U) / 2) << "where times grow most";
  ASSERT_THAT(data.groups, SizeIs(kAllGroups));
  for (const store::Group& group : data.groups) {
    std::set<std::uint32_t> cells;
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) cells.insert(visit.line.cell);
    }
    if (group.group <= test::kGroupsThatChoose) {
      EXPECT_THAT(cells, ElementsAre(0, 1, 2));
    } else if (group.group == test::kGroupsThatChoose + 1) {
      EXPECT_THAT(cells, ElementsAre(3)) << "a group may have cells of its own";
    } else {
      EXPECT_THAT(cells, ElementsAre(0, 1, 2, 3));
    }
  }
  EXPECT_EQ(store::verify_campaign_dir(scratch_ / "c").status(), base::Exit::kDone);
}

TEST_F(AddedCell, VerdictsRestOnTheGroupsThatJudge) {
  const analysis::Comparison answer =
      analysis::compare(analysis::Study(store::read_campaign_dir(scratch_ / "c")));
  std::map<std::uint64_t, std::size_t> groups;
  for (const analysis::ComparedCell& row : answer.cells) {
    if (row.regime) continue;
    groups[*row.cell.size_bytes] = row.launches;
    ASSERT_TRUE(row.ratio.has_value());
    EXPECT_NEAR(*row.ratio, 1.3, 0.1);
  }
  EXPECT_THAT(groups, ElementsAre(testing::Pair(8, test::kGroupsThatChoose + kGroups),
                                  testing::Pair(1024, kGroups), testing::Pair(4608, 1 + kGroups),
                                  testing::Pair(8192, kGroups)));
  EXPECT_THAT(
      answer.warnings,
      testing::Contains(testing::AllOf(
          HasSubstr("launch groups 1, 2 left out of allreduce, 1 KiB, 2 ranks; allreduce, "
                    "8 KiB, 2 ranks"),
          HasSubstr("the decision 'half-way' was made from them (times grow most there)"))));
  // Every campaign that chooses says so: it must not hide what only this one has to say.
  for (const analysis::Warning& warning : answer.warnings) {
    if (warning.text.find("'half-way'") == std::string::npos) continue;
    EXPECT_EQ(warning.gravity, analysis::Gravity::kBorne) << warning.text;
  }
}

TEST_F(AddedCell, IsPlannedTheSameFromWhereverADriverWasKilled) {
  const std::vector<std::string> lines = manifest_lines(scratch_ / "c");
  const std::vector<std::string> whole = planned(scratch_ / "c");
  ASSERT_THAT(whole, SizeIs(3)) << "two plans, one decision";
  const std::size_t first = 2 + options().arms.size();  // campaign, plan, arms: made at once
  for (std::size_t kept = first; kept <= lines.size(); ++kept) {
    for (const bool torn : {false, true}) {
      SCOPED_TRACE(std::to_string(kept) + (torn ? " lines and a half" : " lines"));
      const fs::path dir = scratch_ / "killed";
      fs::remove_all(dir);
      fs::copy(scratch_ / "c", dir, fs::copy_options::recursive);
      std::string text;
      for (std::size_t i = 0; i < kept; ++i) text += lines[i] + '\n';
      std::ofstream(dir / "manifest.copy.jsonl", std::ios::trunc) << text;
      if (torn && kept < lines.size()) text += lines[kept].substr(0, lines[kept].size() / 2);
      std::ofstream(dir / "manifest.jsonl", std::ios::trunc) << text;
      std::vector<std::string> notes;
      store::CampaignDir resumed = store::CampaignDir::resume(dir, notes);
      drive(resumed);
      EXPECT_EQ(planned(dir), whole);
      const store::Data data = store::read_campaign_dir(dir);
      EXPECT_THAT(data.damage, IsEmpty());
      EXPECT_THAT(data.groups, SizeIs(kAllGroups));
    }
  }
}

TEST_F(AddedCell, OfACampaignThatResolvesToOtherCellsIsRefused) {
  const store::Data data = store::read_campaign_dir(scratch_ / "c");
  Prepared other = prepared();
  other.cells.cells.pop_back();
  other.cells.arms.pop_back();
  try {
    add_cells(other, data.decided.at(0));
    FAIL() << "cell 3 would follow on cell 1";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("'half-way' added cell 3, and the campaign has 2 cells here"));
  }
  Prepared without = prepared();
  without.campaign.arms.pop_back();
  EXPECT_THROW(add_cells(without, data.decided.at(0)), base::UserError);
}

// Roles, marks and buffers would be in no line of the manifest, and nobody would check the memory.
TEST_F(AddedCell, OfAnOperationThatIsDescribedNowhereIsRefused) {
  const store::Data data = store::read_campaign_dir(scratch_ / "c");
  store::DecidedLine line = data.decided.at(0);
  line.added.at(0).cell.operation = "allreduce@ring";
  Prepared campaign = prepared();
  try {
    add_cells(campaign, line);
    FAIL() << "nobody described it";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'allreduce@ring' of arm"));
  }
  line = data.decided.at(0);
  line.added.at(0).cell.ranks = 99;
  campaign = prepared();
  EXPECT_THROW(add_cells(campaign, line), base::UserError);
}

}  // namespace
}  // namespace invar::driver
