// What is built of the sources, on the sources as they are.
#include "launch/build/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launch/build/object_record.hpp"
#include "launch/build/units.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

const fs::path kAllSources = fs::path(INVAR_SOURCE_DIR) / "src";

std::vector<std::string> sources_in(const CompiledUnit& unit) {
  return unit.members.empty() ? std::vector{unit.source} : unit.members;
}

TEST(BuildTarget, SourcesOfTheShimAreThereAndCompiledOnce) {
  std::multiset<std::string> compiled;
  for (const CompiledUnit& unit :
       units_of({.sources = kAllSources, .dir = "profile", .target = &shim_target()})) {
    for (const std::string& source : sources_in(unit)) {
      EXPECT_TRUE(fs::is_regular_file(kAllSources / source)) << source;
      compiled.insert(source);
    }
  }
  EXPECT_EQ(compiled.size(), std::set<std::string>(compiled.begin(), compiled.end()).size());
  for (const char* source :
       {"shim/exported.cpp", "ops/call/executor.cpp", "ops/schedules/bcast_chain.cpp",
        "tuning/decision_table.cpp", "ops/mockups/reductions/allreduce_by_reduce_and_bcast.cpp"}) {
    EXPECT_EQ(compiled.count(source), 1U) << source;
  }
  for (const std::string& source : compiled) {
    EXPECT_FALSE(source.starts_with("engine/")) << source;
    EXPECT_FALSE(source.starts_with("ops/collectives/")) << source << " calls what is replaced";
  }
}

// Calls of MPI that are compiled without it would come back to the shim.
TEST(BuildTarget, EverythingInTheShimThatMayKnowMpiIsCompiledWithTheLibrarysNames) {
  for (const CompiledUnit& unit :
       units_of({.sources = kAllSources, .dir = "profile", .target = &shim_target()})) {
    for (const std::string& source : sources_in(unit)) {
      EXPECT_EQ(unit.may_know_mpi, source.starts_with("ops/") || source.starts_with("shim/"))
          << source;
    }
  }
  EXPECT_THAT(shim_target().mpi_flags,
              testing::ElementsAre("-include", "shim/library/library.hpp"));
  EXPECT_TRUE(fs::is_regular_file(kAllSources / "shim/library/library.hpp"));
  EXPECT_TRUE(fs::is_regular_file(kAllSources / shim_target().exports));
}

TEST(BuildTarget, BatchesOfRoomsHaveNamesWithoutSlashes) {
  for (const CompiledUnit& unit :
       units_of({.sources = kAllSources, .dir = "profile", .target = &shim_target()})) {
    EXPECT_EQ(unit.object.parent_path(), "profile/objects");
    if (!unit.members.empty()) {
      EXPECT_EQ(fs::path(unit.source).parent_path(), "profile/batches");
    }
  }
}

TEST(BuildTarget, ObjectsOfTwoTargetsAreNotTakenForOneAnother) {
  const BuildOrder engine{.compiler_state = "g++", .object_state = "g++"};
  BuildOrder shim = engine;
  shim.target = &shim_target();
  EXPECT_NE(object_keys(engine).own, object_keys(shim).own);
  EXPECT_NE(object_keys(engine).shared, object_keys(shim).shared);
}

// The engine's own stay good: what a user has built is not built once more for a shim.
TEST(BuildTarget, ObjectsOfTheEngineHaveTheKeysThatTheyAlwaysHad) {
  const BuildOrder engine{.compiler_state = "g++", .object_state = "c", .cxxflags = "-O1"};
  EXPECT_EQ(object_keys(engine).own, flags_key("g++", "-O1"));
  EXPECT_EQ(object_keys(engine).shared, flags_key("c", "-O1"));
}

}  // namespace
}  // namespace invar::launch
