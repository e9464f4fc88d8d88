#include "design/campaign/launch_test.hpp"

#include <algorithm>
#include <array>

#include "design/campaign/presets.hpp"

namespace invar::design {
namespace {

constexpr std::array<LaunchTestInfo, 3> kTests{{
    {LaunchTest::kWilcoxon, "wilcoxon", "Wilcoxon's rank-sum test", "median"},
    {LaunchTest::kKolmogorovSmirnov, "ks", "Kolmogorov and Smirnov's two-sample test", "median"},
    {LaunchTest::kStudent, "t", "Welch's t test", "mean"},
}};

}  // namespace

const LaunchTestInfo& launch_test_info(LaunchTest test) {
  return *std::find_if(kTests.begin(), kTests.end(),
                       [&](const LaunchTestInfo& info) { return info.test == test; });
}

std::optional<LaunchTest> launch_test_of(std::string_view method) {
  for (const LaunchTestInfo& info : kTests) {
    if (info.method == method) return info.test;
  }
  const Preset* preset = find_preset(method);
  return preset != nullptr && preset->tests ? std::optional(LaunchTest::kWilcoxon) : std::nullopt;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names{"invar"};
  for (const LaunchTestInfo& info : kTests) names.emplace_back(info.method);
  for (const std::string& preset : preset_names()) names.push_back(preset);
  return names;
}

std::vector<std::string> alternative_names() { return {"two-sided", "less", "greater"}; }

std::string no_direction_text(std::string_view method) {
  if (method == "invar") {
    return "method 'invar' asks both directions at once, so that it may call arms equivalent";
  }
  return "method '" + std::string(method) + "' has no test";
}

}  // namespace invar::design
