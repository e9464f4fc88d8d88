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
#include "launch/libraries/toolchain.hpp"
#include "launch/scratch.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {
namespace {

using test::error_of;
using test::Scratch;
using test::Variable;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;

class WithoutLibrary : public testing::Test {
 protected:
  WithoutLibrary() {
    scratch_.write("src/base/nothing.cpp", "int nothing() { return 0; }\n");
    // Nobody else has our header.
    const std::string header = "src/engine/stub/mpi.h";
    scratch_.write(header, test::content(std::string(INVAR_SOURCE_DIR) + "/" + header));
    scratch_.write("src/engine/main.cpp", R"(#include <mpi.h>
#include <cstdio>
int nothing();
int main(int count, char** words) {
  MPI_Init(&count, &words);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  MPI_Finalize();
  std::FILE* f = std::fopen(words[2], "w");
  std::fprintf(f, "{\"ranks\": %d, \"engine\": {\"operations\": []}, \"library\": {\"version\": "
               "\"%s\", \"standard\": \"3.1\", \"variables\": []}, \"mapped\": []}",
               ranks, version);
  return std::fclose(f) + nothing();
})");
  }

  static std::vector<std::string> nones() {
    std::vector<std::string> names = known_names();
    std::erase_if(names, [](const std::string& name) { return name != kNoLibrary; });
    return names;
  }

  // The key of its engine, which is built if it is not.
  [[nodiscard]] std::string stored_key() const {
    find_profile(std::string(kNoLibrary));
    const auto stored = read_profile(scratch_.path("home/profiles/none"));
    return stored ? stored->engine_key : "";
  }

  Scratch scratch_;
  Variable home_{"INVAR_HOME", scratch_.path("home").string()};
  Variable sources_{"INVAR_ENGINE_SOURCES", scratch_.path("src").string()};
};

TEST_F(WithoutLibrary, EngineIsBuiltAgainstOurOwnHeaderAndProbedAsOneProcess) {
  const Profile found = find_profile(std::string(kNoLibrary));
  EXPECT_EQ(found.version, "no MPI: one process");
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
  EXPECT_THAT(find_profile(std::string(kNoLibrary)).version, HasSubstr("no MPI"));
}

TEST_F(WithoutLibrary, IsNeitherRemovedNorReplaced) {
  const std::string name(kNoLibrary);
  EXPECT_THAT(error_of([&] { remove_profile(name); }), HasSubstr("is built in"));
  EXPECT_THAT(error_of([&] { add_profile({.name = name, .mpicxx = "c++", .mpirun = "env"}); }),
              HasSubstr("this one is built in"));
  EXPECT_EQ(nones().size(), 1U);
}

TEST_F(WithoutLibrary, NothingIsBuiltBeforeItIsNeeded) {
  known_names();
  EXPECT_THAT(error_of([] { remove_profile("other"); }), HasSubstr("no profile 'other'"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("home/profiles/none/objects")));
  find_profile(std::string(kNoLibrary));
  EXPECT_TRUE(std::filesystem::exists(scratch_.path("home/profiles/none/objects")));
}

// As where the sources of an installed Invar lie elsewhere.
TEST_F(WithoutLibrary, IsNotBuiltAnewWhereTheSourcesHaveMoved) {
  const std::string key = stored_key();
  std::filesystem::copy(scratch_.path("src"), scratch_.path("elsewhere"),
                        std::filesystem::copy_options::recursive);
  const Variable sources("INVAR_ENGINE_SOURCES", scratch_.path("elsewhere").string());
  EXPECT_EQ(stored_key(), key);
  const auto stored = read_profile(scratch_.path("home/profiles/none"));
  EXPECT_EQ(stored->profile.compiler_flags.find(scratch_.path().string()), std::string::npos);
  EXPECT_NE(object_state(stored->toolchain), "") << "it shares what knows no MPI";
}

// The compiler that it was made of is uninstalled.
TEST_F(WithoutLibrary, IsOfTheCompilerThatIsThere) {
  scratch_.script("own/c++", "exec c++ \"$@\"");
  {
    const Variable own("CXX", scratch_.path("own/c++").string());
    EXPECT_EQ(find_profile(std::string(kNoLibrary)).mpicxx, scratch_.path("own/c++").string());
  }
  std::filesystem::remove_all(scratch_.path("own"));
  EXPECT_EQ(nones().size(), 1U);
  EXPECT_THAT(find_profile(std::string(kNoLibrary)).mpicxx, EndsWith("/c++"));
}

// CXX=mpicxx is what people write to build by CMake.
TEST_F(WithoutLibrary, NoLibrarysWrapperIsItsCompiler) {
  scratch_.script("own/mpicxx", "exec c++ \"$@\"");
  const std::string wrapper = scratch_.path("own/mpicxx").string();
  const Variable own("CXX", wrapper);
  EXPECT_EQ(no_library_profile({})->profile.mpicxx, wrapper);
  EXPECT_THAT(no_library_profile({wrapper})->profile.mpicxx, EndsWith("/c++"));
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
