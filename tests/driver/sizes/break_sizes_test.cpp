// Sizes that are added where fits break, in campaigns whose launch groups have parts of the sizes:
// what is added, that every group counts, and what a driver that was killed makes of it.
#include "driver/sizes/break_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "analysis/steps/size_choices.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/study.hpp"
#include "design/factors/size_samples.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/plans.hpp"
#include "driver/sizes/driven_campaign.hpp"
#include "driver/sizes/sizes.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;
using analysis::SizePhase;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

// A protocol's limit: 1.6 times the time behind 3000 B.
double broken_ns(std::uint64_t size_bytes) {
  const auto size = static_cast<double>(size_bytes);
  return size_bytes <= 3000 ? 800 + 0.2 * size : 2500 + 0.1 * size;
}

double straight_ns(std::uint64_t size_bytes) { return 800 + 0.2 * static_cast<double>(size_bytes); }

// A campaign without processes.
struct BreakCampaign {
  std::string adaptive = "{ adaptive = [64, 65536], rule = \"breaks\" }";
  std::string launches = "25";
  std::function<double(std::uint64_t)> time_ns = broken_ns;
  std::optional<double> budget_s = {};
  double group_s = 0;  // that each takes, for the budget

  [[nodiscard]] std::string toml() const {
    std::string text =
        "schema = 1\nname = \"breaks\"\nseed = 3\n\n[design]\nlaunches = " + launches +
        "\nrounds = 2\nrepetitions = 5\n\n[[cells]]\noperation = \"bcast\"\nranks "
        "= 2\nsize = [{ loguniform = [64, 65536], count = 50, per-launch = 10, "
        "hold-out = 10 }, " +
        adaptive + "]\n";
    for (const char* arm : {"alpha", "beta"}) {
      text += "\n[[arm]]\nlibrary = \"" + std::string(arm) + "\"\nlabel = \"" + arm + "\"\n";
    }
    return text;
  }

  [[nodiscard]] static std::vector<record::OperationInfo> operations() {
    return {{.name = "bcast", .datatypes = {{.name = "byte"}}, .times = {{.name = "whole"}}}};
  }

  [[nodiscard]] Prepared prepared() const {
    Prepared prepared;
    prepared.place = "network";
    prepared.campaign = design::read_campaign(toml(), "c.toml");
    prepared.ranks = 2;
    prepared.cells = design::resolve_cells(prepared.campaign,
                                           {.operations = {operations(), operations()}}, "c.toml");
    return prepared;
  }

  [[nodiscard]] synthetic::Options written() const {
    synthetic::Options options{.cells = prepared().cells.cells, .rounds = 2, .repetitions = 5};
    options.cell_sd = 0.003;
    options.group_sd = 0.1;  // which groups have in all sizes alike
    options.launch_sd = 0.01;
    options.noise_sd = 0.001;
    options.clock =
        "clock,ticks,raw_ns,bracket_ticks,ticks_per_s,half_width_per_s\ntsc,0,0,10,1e9,0\n";
    options.operations = operations();
    options.toml = toml();
    return options;
  }

  [[nodiscard]] store::CampaignDir begin(const fs::path& dir) const {
    const Prepared campaign = prepared();
    design::Counters counters;
    const record::Plan plan = design::plan_groups(campaign.campaign, campaign.cells,
                                                  campaign.campaign.launches.min, counters);
    return store::CampaignDir::create(dir, toml(), plan, synthetic::arm_records(written()),
                                      {.scope = "2 ranks, 1 host", .cpus = {0, 1}});
  }

  void measure(store::CampaignDir& dir, std::uint32_t group) const {
    const record::Plan& plan = plan_of(dir.state(), group);
    synthetic::Options options = written();
    options.cells = plan.cells;
    options.arms = driven::arms_of_group(plan, group);
    options.median_ns = [&](std::size_t, std::size_t cell) {
      return time_ns(*options.cells[cell].size_bytes);
    };
    synthetic::write_group(dir, options, plan, group);
  }

  void drive(store::CampaignDir& dir) const {
    driven::drive(dir, prepared(), {.budget_s = budget_s, .group_s = group_s},
                  [&](std::uint32_t group) { measure(dir, group); });
  }
};

class SizesAtBreaks : public testing::Test {
 protected:
  store::Data run(const BreakCampaign& campaign) {
    store::CampaignDir dir = campaign.begin(scratch_ / "c");
    campaign.drive(dir);
    return store::read_campaign_dir(scratch_ / "c");
  }

  store::TestDir scratch_ = {};
};

std::vector<std::uint64_t> added_sizes(const store::Data& data) {
  std::vector<std::uint64_t> sizes;
  for (const store::DecidedLine& line : data.decided) {
    for (const store::AddedCell& added : line.added) sizes.push_back(*added.cell.size_bytes);
  }
  std::ranges::sort(sizes);
  return sizes;
}

// How many groups have each size, by all arms.
std::map<std::uint64_t, std::size_t> groups_of_sizes(const store::Data& data) {
  std::map<std::uint64_t, std::size_t> groups;
  for (const store::Group& group : data.groups) {
    std::vector<std::set<std::uint64_t>> of_arms;
    for (const store::Launch& launch : group.launches) {
      std::set<std::uint64_t>& sizes = of_arms.emplace_back();
      for (const store::Visit& visit : launch.visits) {
        sizes.insert(*data.cells.at(visit.line.cell).size_bytes);
      }
    }
    EXPECT_THAT(of_arms, Each(of_arms.front()));
    for (const std::uint64_t size : of_arms.front()) ++groups[size];
  }
  return groups;
}

// The measured sizes next to the limit, without those that are held out.
std::pair<std::uint64_t, std::uint64_t> around(const store::Data& data, std::uint64_t limit) {
  const std::set<std::uint64_t> held_out =
      design::held_out_sizes(design::read_campaign(data.campaign_toml, "c.toml"));
  std::set<std::uint64_t> sizes;
  for (const auto& [size, groups] : groups_of_sizes(data)) {
    if (!held_out.contains(size)) sizes.insert(size);
  }
  const auto above = sizes.upper_bound(limit);
  return {*std::prev(above), *above};
}

TEST_F(SizesAtBreaks, AreAddedUntilTheBreakIsKnownToTwoPercent) {
  const store::Data data = run({});
  EXPECT_THAT(data.damage, IsEmpty());
  EXPECT_THAT(data.groups, SizeIs(25)) << "no group more than the campaign asks for";
  const std::vector<std::uint64_t> added = added_sizes(data);
  ASSERT_FALSE(added.empty());
  // Between the drawn sizes next to the limit, and the next ones: where the fit can put the break.
  std::set<std::uint64_t> drawn;
  for (const record::Cell& cell : BreakCampaign().prepared().cells.cells) {
    drawn.insert(*cell.size_bytes);
  }
  const auto above_limit = drawn.upper_bound(3000);
  EXPECT_THAT(added, Each(AllOf(Ge(*std::prev(above_limit, 2)), Le(*std::next(above_limit)))))
      << "beside the limit alone";
  const auto [below, above] = around(data, 3000);
  EXPECT_LE(static_cast<double>(above - below), 0.02 * static_cast<double>(below) + 1);
  const auto choice = analysis::last_size_choice(data.decided);
  EXPECT_EQ(choice->phase, SizePhase::kJudge);
  ASSERT_THAT(choice->jumps, SizeIs(2)) << "one in either arm";
  for (const analysis::ChosenJump& jump : choice->jumps) {
    EXPECT_LE(jump.low_bytes, 3000U);
    EXPECT_GT(jump.high_bytes, 3000U);
  }
}

TEST_F(SizesAtBreaks, EverySizeIsInFiveGroupsAlsoThoseThatWereAdded) {
  const store::Data data = run({});
  for (const auto& [size, groups] : groups_of_sizes(data)) EXPECT_GE(groups, 5U) << size;
}

TEST_F(SizesAtBreaks, EveryGroupCounts) {
  const store::Data data = run({});
  for (const store::DecidedLine& line : data.decided) EXPECT_THAT(line.not_judging, IsEmpty());
  const analysis::Study study(data);
  EXPECT_THAT(study.data().groups, SizeIs(25));
  std::size_t visits = 0;
  for (const store::Group& group : study.data().groups) {
    for (const store::Launch& launch : group.launches) visits += launch.visits.size();
  }
  EXPECT_GT(visits, 0U);
  const analysis::Steps steps = analysis::find_steps(study);
  EXPECT_THAT(steps.steps, IsEmpty());
  EXPECT_THAT(steps.not_judged, HasSubstr("where fits of the same launch groups break"));
}

TEST_F(SizesAtBreaks, LooksComeWhenEverySizeHadAnotherTurn) {
  const store::Data data = run({});
  std::vector<std::size_t> groups;
  for (const store::DecidedLine& line : data.decided) {
    groups.push_back(analysis::last_size_choice(std::span(&line, 1))->groups);
  }
  EXPECT_THAT(groups, ElementsAre(10, 15, 20, 21)) << "the last one ends it";
  EXPECT_THAT(data.decided.front().why, HasSubstr("sizes at breaks, after 10 launch groups"));
  EXPECT_THAT(data.decided.back().why, HasSubstr("no launch groups are left"));
}

TEST_F(SizesAtBreaks, OfAStraightCurveAreNone) {
  const store::Data data = run({.time_ns = straight_ns});
  EXPECT_THAT(added_sizes(data), IsEmpty());
  EXPECT_THAT(data.groups, SizeIs(25));
}

TEST_F(SizesAtBreaks, AreNoMoreThanTheCampaignAllows) {
  const std::size_t begun = BreakCampaign().prepared().cells.cells.size();
  const std::string most = std::to_string(begun + 2);
  const store::Data data =
      run({.adaptive = "{ adaptive = [64, 65536], rule = \"breaks\", max = " + most + " }"});
  EXPECT_THAT(added_sizes(data), IsEmpty()) << "an interval gets all of its sizes or none";
  EXPECT_THAT(data.decided.front().why,
              HasSubstr("there are as many sizes as the campaign allows"));
}

TEST_F(SizesAtBreaks, AreAsNearAsTheCampaignAsks) {
  const store::Data data =
      run({.adaptive = "{ adaptive = [64, 65536], rule = \"breaks\", separation = \"50%\" }"});
  const auto [below, above] = around(data, 3000);
  const double apart = static_cast<double>(above - below) / static_cast<double>(below);
  EXPECT_LE(apart, 0.5);
  EXPECT_GT(apart, 0.02) << "and no nearer";
  const std::size_t asked = added_sizes(data).size();
  fs::remove_all(scratch_ / "c");
  EXPECT_LT(asked, added_sizes(run({})).size());
}

// What would keep the campaign from its groups is not added.
TEST_F(SizesAtBreaks, LeaveTheGroupsTheirBudget) {
  const store::Data none = run({.budget_s = 25.0, .group_s = 1});
  EXPECT_THAT(added_sizes(none), IsEmpty());
  EXPECT_THAT(none.groups, SizeIs(25));
  EXPECT_THAT(none.decided.front().why, HasSubstr("the budget and the most sizes allow no more"));
  fs::remove_all(scratch_ / "c");
  EXPECT_FALSE(added_sizes(run({.budget_s = 100.0, .group_s = 1})).empty());
}

// From wherever a driver was killed, in the midst of a line or behind it.
TEST_F(SizesAtBreaks, AreTheSameFromWhereverADriverWasKilled) {
  const BreakCampaign campaign;
  static_cast<void>(run(campaign));
  const std::vector<std::string> lines = driven::manifest_lines(scratch_ / "c");
  const std::vector<std::string> whole = driven::in_force(scratch_ / "c");
  // Around the decisions, and some in between.
  for (std::size_t kept = 30; kept <= lines.size(); ++kept) {
    const bool near_a_decision =
        lines[kept - 1].find("decided") != std::string::npos ||
        (kept < lines.size() && lines[kept].find("decided") != std::string::npos);
    if (!near_a_decision && kept % 13 != 0) continue;
    SCOPED_TRACE(std::to_string(kept) + " lines");
    const fs::path dir = scratch_ / "killed";
    driven::leave_killed(scratch_ / "c", dir, kept);
    std::vector<std::string> notes;
    store::CampaignDir resumed = store::CampaignDir::resume(dir, notes);
    campaign.drive(resumed);
    EXPECT_EQ(driven::in_force(dir), whole);
    EXPECT_THAT(store::read_campaign_dir(dir).damage, IsEmpty());
  }
}

// A limit of 8192 B is known to a byte as soon as these are measured.
TEST(SizesBetween, ArePowersOfTwoFirst) {
  const std::vector<std::uint64_t> sizes = sizes_between(7394, 8832, 1, {}, 1);
  EXPECT_THAT(sizes, AllOf(testing::Contains(8192), testing::Contains(8193), SizeIs(5)))
      << "and one in each of the other quarters";
  EXPECT_THAT(sizes_between(1000, 16000, 1, {}, 1),
              ElementsAre(1024, 1025, 2048, 2049, 4096, 4097, 8192, 8193));
  // Elements of 12 B do not divide 8192 B: the last multiple before it is taken, and the next.
  EXPECT_THAT(sizes_between(8100, 8244, 12, {}, 1),
              AllOf(testing::Contains(8184), testing::Contains(8196)));
  EXPECT_THAT(sizes_between(8192, 8832, 1, {8192, 8832}, 1).front(), 8193U);
}

TEST(SizesBetween, AreOneInEachQuarterOnTheLogarithm) {
  // There is no power of two among them.
  const double quarter = std::pow(2040.0 / 1030.0, 0.25);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<std::uint64_t> sizes = sizes_between(1030, 2040, 1, {}, seed);
    ASSERT_THAT(sizes, SizeIs(4));
    double low = 1030;
    for (const std::uint64_t size : sizes) {
      EXPECT_GE(static_cast<double>(size), low - 1);
      EXPECT_LE(static_cast<double>(size), quarter * low + 1);
      low *= quarter;
    }
  }
  EXPECT_EQ(sizes_between(1030, 2040, 1, {}, 7), sizes_between(1030, 2040, 1, {}, 7));
  EXPECT_NE(sizes_between(1030, 2040, 1, {}, 7), sizes_between(1030, 2040, 1, {}, 8));
}

TEST(SizesBetween, AreMultiplesThatNobodyHas) {
  EXPECT_THAT(sizes_between(4, 6, 1, {}, 1), ElementsAre(5));
  EXPECT_THAT(sizes_between(4, 6, 1, {5}, 1), IsEmpty());
  EXPECT_THAT(sizes_between(4, 5, 1, {}, 1), IsEmpty());
  EXPECT_THAT(sizes_between(0, 2, 1, {}, 1), ElementsAre(1));
  for (const std::uint64_t size : sizes_between(64, 256, 8, {}, 1)) {
    EXPECT_EQ(size % 8, 0U);
    EXPECT_GT(size, 64U);
    EXPECT_LT(size, 256U);
  }
}

TEST(BreakSizesText, SaysWhereMoreAreAdded) {
  const std::string text = adaptive_text(BreakCampaign().prepared());
  EXPECT_THAT(text, HasSubstr("more are added where fits break (bcast has "));
  EXPECT_THAT(text, HasSubstr(" of at most 400); every launch group counts"));
}

}  // namespace
}  // namespace invar::driver
