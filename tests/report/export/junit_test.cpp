// A comparison as test cases of continuous integration.
#include "report/export/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::report {
namespace {

using analysis::ComparedCell;
using analysis::Comparison;
using analysis::TestCase;
using stats::Verdict;
using testing::HasSubstr;

Comparison gate() {
  Comparison comparison;
  comparison.gate = 0.05;
  comparison.arms = {{.label = "old"}, {.label = "new"}};
  const auto add = [&](std::uint64_t size_bytes, Verdict verdict, double ratio) {
    comparison.cells.push_back({.cell = {.operation = "bcast", .size_bytes = size_bytes},
                                .arm_a = "old",
                                .arm_b = "new",
                                .ratio = ratio,
                                .ratio_interval = stats::Interval{ratio - 0.1, ratio + 0.1, 0.95},
                                .launches = 12,
                                .verdict = verdict});
  };
  add(8, Verdict::kViolated, 1.3);
  add(64, Verdict::kHolds, 0.9);
  add(1024, Verdict::kUndecided, 1.05);
  return comparison;
}

TEST(TestCases, AreOnePerCellAndSayWhatWasMeasured) {
  const std::vector<TestCase> cases = analysis::test_cases(gate(), {});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].group, "new");
  EXPECT_EQ(cases[0].name, "bcast 8 B");
  EXPECT_EQ(cases[0].text, "1.30 times as long as old [1.20, 1.40], 12 launch groups: fail");
  EXPECT_EQ(cases[0].state, TestCase::State::kFailed);
  EXPECT_EQ(cases[1].state, TestCase::State::kPassed);
  EXPECT_EQ(cases[2].state, TestCase::State::kSkipped);
}

TEST(TestCases, WithoutAGateNoneFails) {
  Comparison comparison = gate();
  comparison.gate.reset();
  comparison.cells[0].verdict = Verdict::kFaster;
  EXPECT_EQ(analysis::test_cases(comparison, {})[0].state, TestCase::State::kPassed);
  EXPECT_EQ(analysis::test_cases(comparison, {.fail_on_slower = true})[0].state,
            TestCase::State::kFailed);
}

TEST(TestCases, OtherRegimesAreNotJudgedAndAFailedMeasurementIsAnError) {
  Comparison comparison = gate();
  comparison.cells[0].regime = "canary 0.5 us";
  comparison.health.failed_groups = 1;
  const std::vector<TestCase> cases = analysis::test_cases(comparison, {});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].name, "bcast 64 B");
  EXPECT_EQ(cases[2].state, TestCase::State::kError);
}

TEST(Junit, CountsAndNamesWhatFailed) {
  const std::string xml = junit_xml("invar", analysis::test_cases(gate(), {}));
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"new\" name=\"bcast 8 B\"><failure message="));
  EXPECT_THAT(xml, HasSubstr("name=\"bcast 1 KiB\"><skipped message="));
}

// A label or a reason may hold anything.
TEST(Junit, WhatXmlWouldTakeForItsOwnIsText) {
  const std::vector<TestCase> cases{
      {.group = "a<b>&\"", .name = std::string("bell \a"), .text = "x"}};
  EXPECT_THAT(junit_xml("invar", cases),
              HasSubstr("classname=\"a&lt;b&gt;&amp;&quot;\" name=\"bell ?\""));
}

}  // namespace
}  // namespace invar::report
