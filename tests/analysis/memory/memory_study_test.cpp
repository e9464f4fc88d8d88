// A memory's model of a whole campaign: regimes, and what disturbed it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/compare/contest.hpp"
#include "analysis/memory/memory.hpp"
#include "analysis/planted.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr double kCacheBytes = 48.0 * 1024;

// A cache that a byte costs 0.01 ns in, and 0.04 beyond it. Every other group of launches runs with
// a clock half as fast.
store::Data two_regimes() {
  planted::Plan plan;
  plan.arms = {"none"};
  plan.cells.clear();
  for (std::uint64_t size = 4096; size < (std::uint64_t{1} << 20U); size += size / 4096 * 1024) {
    plan.cells.push_back(planted::cell("read", size));
    plan.cells.back().ranks = 1;
  }
  plan.groups = 12;
  plan.rounds = 1;
  plan.group_sd = 0.01;
  plan.time_ns = [cells = plan.cells](std::size_t, std::size_t cell) {
    const auto bytes = static_cast<double>(*cells[cell].size_bytes);
    return bytes * (bytes < kCacheBytes ? 0.01 : 0.04);
  };
  plan.canary_ns = [](std::uint32_t group) {
    return (group % 2 == 0 ? 260.0 : 520.0) * (1 + 0.001 * group);
  };
  plan.slower = [](std::uint32_t group, std::uint32_t, std::size_t) {
    return group % 2 == 0 ? 1.0 : 2.0;
  };
  store::Data made = planted::data(plan);
  for (store::ArmRecord& arm : made.arms) {
    arm.operations = {{.name = "read", .walks = 1, .times = {{.name = "kernel"}}}};
  }
  return made;
}

double inner_gb_s(const MemoryModel& model) {
  return model.walks.front().plateaus.front().gb_s.value;
}

TEST(MemoryOfACampaign, RegimesAreModelledApart) {
  const Memory found = memory(planted::study(two_regimes()));
  ASSERT_TRUE(found.reference && found.reference->split);
  ASSERT_THAT(found.models, SizeIs(1));
  EXPECT_EQ(found.models.front().groups, 6U);
  EXPECT_NEAR(inner_gb_s(found.models.front()), 100, 10);
  ASSERT_THAT(found.elsewhere, SizeIs(2));
  EXPECT_NEAR(inner_gb_s(found.elsewhere[0].model), 50, 5);
  EXPECT_EQ(found.elsewhere[1].regime, kAllRegimes);
}

TEST(MemoryOfACampaign, OtherRegimesAreShownWhereTheyAreAskedForAndAreNamedElse) {
  const store::Data data = two_regimes();
  const auto rows = [&](const CompareOptions& options) {
    const std::vector<TidyTable> tables = memory_tables(memory(planted::study(data, {}, options)));
    return std::ranges::find(tables, "elsewhere", &TidyTable::id)->rows;
  };
  EXPECT_THAT(rows({.regimes = true}), SizeIs(2));
  EXPECT_THAT(rows({}), SizeIs(0));
  const auto named = testing::Contains(testing::Field(&Remark::text, HasSubstr("--regimes")));
  EXPECT_THAT(answer_of(memory(planted::study(data))).next, named);
  EXPECT_THAT(answer_of(memory(planted::study(data, {}, {.regimes = true}))).next, Not(named));
}

}  // namespace
}  // namespace invar::analysis
