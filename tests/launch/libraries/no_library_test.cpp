// The profile for where there is no MPI library, with a made-up engine.
#include "launch/libraries/no_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/libraries/profile.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_names.hpp"
#include "launch/scratch.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {
namespace {

using test::error_of;
using test::Scratch;
using test::Variable;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Ne;

class WithoutLibrary : public testing::Test {
 protected:
  WithoutLibrary() {
    scratch_.write("src/base/nothing.cpp", "int nothing() { return 0; }\n");
    // It says how many ranks there are; nobody else has such a header.
    scratch_.write("src/engine/stub/mpi.h", "constexpr int kRanksOfStub = 1;\n");
    scratch_.write("src/engine/main.cpp", R"(#include <mpi.h>
#include <cstdio>
int nothing();
int main(int, char** a) {
  std::FILE* f = std::fopen(a[2], "w");
  std::fprintf(f, "{\"ranks\": %d, \"engine\": {\"operations\": []}, \"library\": {\"version\": "
               "\"no MPI\", \"standard\": \"3.1\", \"variables\": []}, \"mapped\": []}",
               kRanksOfStub);
  return std::fclose(f) + nothing();
})");
  }

  static std::vector<std::string> nones() {
    std::vector<std::string> names = known_names();
    std::erase_if(names, [](const std::string& name) { return name != kNoLibrary; });
    return names;
  }

  Scratch scratch_;
  Variable home_{"INVAR_HOME", scratch_.path("home").string()};
  Variable sources_{"INVAR_ENGINE_SOURCES", scratch_.path("src").string()};
};

TEST_F(WithoutLibrary, EngineIsBuiltAgainstOurOwnHeaderAndProbedAsOneProcess) {
  const Profile found = find_profile(std::string(kNoLibrary));
  EXPECT_EQ(found.version, "no MPI");
  EXPECT_TRUE(std::filesystem::exists(found.engine));
  EXPECT_TRUE(is_alone(found.name));
}

TEST_F(WithoutLibrary, StandsBehindAllLibrariesOnce) {
  EXPECT_EQ(known_names().back(), kNoLibrary);
  EXPECT_EQ(nones().size(), 1U);
}

TEST_F(WithoutLibrary, StandsThereOnceThoughItsFileIsDamaged) {
  known_names();
  scratch_.write("home/profiles/none/profile.json", "{");
  EXPECT_EQ(nones().size(), 1U);
  EXPECT_EQ(find_profile(std::string(kNoLibrary)).version, "no MPI");
}

TEST_F(WithoutLibrary, IsGoneWhereTheUserHasRemovedIt) {
  known_names();
  remove_profile(std::string(kNoLibrary));
  EXPECT_THAT(known_names(), Each(Ne(kNoLibrary)));
}

TEST_F(WithoutLibrary, StartsOneProcessAndRefusesTwo) {
  const Profile found = find_profile(std::string(kNoLibrary));
  StartOptions options;
  options.ranks = 1;
  options.arguments = {"--probe", "file"};
  EXPECT_THAT(launch_command(found, options), Contains("INVAR_LOCAL_RANK=0"));
  options.ranks = 2;
  EXPECT_THAT(error_of([&] { launch_command(found, options); }), HasSubstr("one process, not 2"));
}

}  // namespace
}  // namespace invar::launch
