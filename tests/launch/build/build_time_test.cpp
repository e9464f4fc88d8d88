#include "launch/build/build_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using test::Scratch;
using testing::DoubleNear;
using testing::ElementsAre;

CompiledUnit unit(const std::string& name, std::uintmax_t size_bytes) {
  return {.source = name + ".cpp", .record = name + ".json", .size_bytes = size_bytes};
}

TEST(BuildTime, WhatWasCompiledBeforeIsExpectedToTakeAsLongAgain) {
  const Scratch scratch;
  scratch.write("one/a.json", R"({"seconds": 7.5, "files": {}})");
  scratch.write("two/a.json", R"({"seconds": 2, "files": {}})");
  scratch.write("two/b.json", R"({"seconds": 3, "files": {}})");
  const std::vector<CompiledUnit> units{unit("a", 1000), unit("b", 1000)};
  EXPECT_THAT(expected_seconds(units, {scratch.path("one"), scratch.path("two")}),
              ElementsAre(7.5, 3));
}

TEST(BuildTime, WhatWasNotIsScaledByWhatWasMeasuredOnThisMachine) {
  const Scratch scratch;
  const std::vector<CompiledUnit> units{unit("a", 20'000), unit("b", 20'000), unit("c", 0)};
  const std::vector<double> guessed = expected_seconds(units, {scratch.path()});
  EXPECT_GT(guessed[0], guessed[2]) << "longer sources take longer";
  scratch.write("a.json", R"({"seconds": )" + std::to_string(3 * guessed[0]) + "}");
  scratch.write("broken.json", "{");
  const std::vector<double> scaled = expected_seconds(units, {scratch.path()});
  EXPECT_THAT(scaled,
              ElementsAre(DoubleNear(3 * guessed[0], 1e-3), DoubleNear(3 * guessed[1], 1e-3),
                          DoubleNear(3 * guessed[2], 1e-3)));
}

TEST(BuildTime, LongestCompilationAndNumberOfCpusBoundIt) {
  EXPECT_EQ(wall_seconds({}, 2), 0);
  const std::vector<double> seconds{4, 1, 1, 2};
  EXPECT_EQ(wall_seconds(seconds, 1), 8);
  EXPECT_EQ(wall_seconds(seconds, 2), 4);
  EXPECT_EQ(wall_seconds(seconds, 100), 4);
}

TEST(BuildTime, WhatLibrariesHaveInCommonIsCountedOnce) {
  const Scratch scratch;
  scratch.write("src/base/a.cpp", std::string(200'000, ' '));
  scratch.write("src/engine/main.cpp", "");
  const auto order = [&](const std::string& name, const std::string& flags) {
    return BuildOrder{.name = name,
                      .sources = scratch.path("src"),
                      .dir = scratch.path("profiles/" + name),
                      .compiler_state = name,
                      .object_state = "g++",
                      .cxxflags = flags};
  };
  const double one = seconds_to_build(std::vector{order("one", "")});
  const double two = seconds_to_build(std::vector{order("one", ""), order("two", "")});
  const double apart = seconds_to_build(std::vector{order("one", ""), order("two", "-O1")});
  EXPECT_LT(two, 2 * one);
  EXPECT_DOUBLE_EQ(apart, 2 * one) << "other flags, other objects";
}

}  // namespace
}  // namespace invar::launch
