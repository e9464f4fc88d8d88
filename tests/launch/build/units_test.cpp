// What is compiled together, on the engine as it is.
#include "launch/build/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using test::Scratch;
using testing::ElementsAre;

const fs::path kEngineSources = fs::path(INVAR_SOURCE_DIR) / "src";

std::vector<std::string> members_of(const CompiledUnit& unit) {
  return unit.members.empty() ? std::vector{unit.source} : unit.members;
}

TEST(Units, EverySourceOfTheEngineIsCompiledOnce) {
  std::vector<std::string> compiled;
  for (const CompiledUnit& unit : units_of({.sources = kEngineSources, .dir = "profile"})) {
    const std::vector<std::string> members = members_of(unit);
    compiled.insert(compiled.end(), members.begin(), members.end());
  }
  std::vector<std::string> sources = engine_files(kEngineSources);
  std::erase_if(sources, [](const std::string& file) { return !file.ends_with(".cpp"); });
  EXPECT_THAT(compiled, testing::UnorderedElementsAreArray(sources));
}

TEST(Units, TimedLoopsAreCompiledAlone) {
  std::size_t loops = 0;
  for (const CompiledUnit& unit : units_of({.sources = kEngineSources, .dir = "profile"})) {
    for (const std::string& source : members_of(unit)) {
      if (test::content(kEngineSources / source).find("timing_loop.hpp\"") == std::string::npos) {
        continue;
      }
      ++loops;
      EXPECT_TRUE(unit.members.empty()) << source << " is compiled with others";
    }
  }
  EXPECT_GE(loops, 2U);
}

// What one library's build needs of another one's.
TEST(Units, WhatMayKnowMpiIsCompiledApartFromWhatDoesNot) {
  for (const CompiledUnit& unit : units_of({.sources = kEngineSources, .dir = "profile"})) {
    for (const std::string& source : members_of(unit)) {
      EXPECT_EQ(unit.may_know_mpi, source.starts_with("ops/") || source.starts_with("engine/"))
          << source;
    }
  }
}

TEST(Units, FoldersAreCutIntoBatchesOfEqualLengthAndASingleSourceIsNoBatch) {
  const Scratch scratch;
  for (int i = 0; i < 25; ++i) {
    scratch.write("src/clock/c" + std::to_string(10 + i) + ".cpp", "");
  }
  scratch.write("src/base/lonely.cpp", "12345");
  scratch.write("src/base/lonely.hpp", "");
  const std::vector<CompiledUnit> units =
      units_of({.sources = scratch.path("src"), .dir = scratch.path("profile")});
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].source, "base/lonely.cpp");
  EXPECT_EQ(units[0].size_bytes, 5U);
  EXPECT_EQ(units[1].files(), 12U);
  EXPECT_EQ(units[2].files(), 13U);
  EXPECT_EQ(units[2].object, scratch.path("profile/objects/batch-clock-2.o"));
  write_batch(units[1]);
  EXPECT_THAT(test::content(units[1].source), testing::StartsWith("#include \"clock/c10.cpp\"\n"));
}

TEST(Units, OwnOperationsAreCompiledOneByOne) {
  const Scratch scratch;
  scratch.write("own/first.cpp", "");
  scratch.write("own/second.cpp", "");
  scratch.write("own/operations.def", "");
  const std::vector<CompiledUnit> units = units_of(
      {.sources = scratch.path("src"), .operations = scratch.path("own"), .dir = "profile"});
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].source, scratch.path("own/first.cpp"));
  EXPECT_EQ(units[1].object, "profile/objects/user-second.o");
  EXPECT_TRUE(units[1].may_know_mpi);
}

TEST(Units, OwnOperationsAreAlsoWhatTheyIncludeFromFoldersBelow) {
  const Scratch scratch;
  for (const char* file : {"mine.cpp", "mine.h", "operations.def", "parts/deep/tree.hh",
                           "parts/loop.inc", "parts/part.cpp"}) {
    scratch.write(std::string("own/") + file, "");
  }
  for (const char* file : {"README.md", "results.csv", ".git/old.cpp", ".mine.cpp"}) {
    scratch.write(std::string("own/") + file, "");
  }
  std::vector<std::string> files;
  for (const fs::path& file : files_of_user(scratch.path("own"))) {
    files.push_back(file.lexically_relative(scratch.path("own")).string());
  }
  EXPECT_THAT(files, ElementsAre("mine.cpp", "mine.h", "operations.def", "parts/deep/tree.hh",
                                 "parts/loop.inc", "parts/part.cpp"));
  const std::vector<CompiledUnit> units = units_of(
      {.sources = scratch.path("src"), .operations = scratch.path("own"), .dir = "profile"});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].source, scratch.path("own/mine.cpp"));
}

}  // namespace
}  // namespace invar::launch
