// Tests that compare two arms by one value a launch, each launch for itself: what they are called,
// and what they look at. Data; src/analysis computes (docs/methods.md, "Tests over launches").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::design {

enum class LaunchTest : std::uint8_t { kWilcoxon, kKolmogorovSmirnov, kStudent };

struct LaunchTestInfo {
  LaunchTest test;
  std::string_view method;  // as in --method and [analysis]
  std::string_view words;   // "Wilcoxon's rank-sum test"
  std::string_view value;   // what a launch counts by: "median", "mean"
};

const LaunchTestInfo& launch_test_info(LaunchTest test);

// The test that a method compares by, whether it is named itself or is what another suite's users
// take. None: the method is Invar's own, has no test, or is unknown.
std::optional<LaunchTest> launch_test_of(std::string_view method);

// All that --method and [analysis] method take: Invar's own, the tests, the presets.
std::vector<std::string> method_names();

// "two-sided", "less", "greater". Less: the first arm takes less time than the second one.
std::vector<std::string> alternative_names();

// What is wrong with a direction for a method without such a test.
std::string no_direction_text(std::string_view method);

}  // namespace invar::design
