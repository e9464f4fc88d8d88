// Detection with made-up installations: scripts that answer as wrappers and launchers do.
#include "launch/libraries/toolchain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using test::Scratch;
using test::Variable;
using testing::HasSubstr;

// PREFIX/bin/mpicxx, mpirun and PREFIX/lib/libmpi.so.
void install(const Scratch& scratch, const std::string& prefix, const std::string& version) {
  const std::string lib = scratch.path(prefix + "/lib").string();
  scratch.write(prefix + "/lib/libmpi.so", version);
  scratch.script(prefix + "/bin/mpicxx", "echo x >> " + scratch.path("asked").string() +
                                             "; [ $1 = -show ] && echo g++ -L" + lib +
                                             " -lmpi_cxx -lmpi || echo g++ 12");
  scratch.script(prefix + "/bin/mpirun", "echo 'mpirun (Open MPI) " + version + "'");
}

std::vector<Toolchain> detected_below(const Scratch& scratch) {
  std::vector<Toolchain> ours;
  for (Toolchain& toolchain : detect_toolchains()) {
    if (toolchain.mpicxx.starts_with(scratch.path().string())) ours.push_back(toolchain);
  }
  return ours;
}

TEST(Objects, CompilerAndFlagsDecideNotLibrariesAndNames) {
  const Toolchain debian{.shown = "g++ -I/usr/include/openmpi -pthread -L/usr/lib -lmpi",
                         .compiler_path = "/bin/sh",
                         .compiler = "g++ (Debian 12.2.0-14) 12.2.0"};
  Toolchain wheel = debian;
  wheel.shown = "c++ -I/v/include -L/v/lib -Wl,-rpath -Wl,/v/lib -Xlinker -rpath -lmpi";
  wheel.compiler = "c++ (Debian 12.2.0-14) 12.2.0";
  EXPECT_EQ(object_state(debian), object_state(wheel));
  Toolchain hardened = wheel;
  hardened.shown += " -D_FORTIFY_SOURCE=2";
  EXPECT_NE(object_state(hardened), object_state(wheel));
  Toolchain newer = wheel;
  newer.compiler = "c++ (Debian 14.1.0-1) 14.1.0";
  EXPECT_NE(object_state(newer), object_state(wheel));
  EXPECT_EQ(object_state({}), "") << "a wrapper that does not tell shares nothing";
}

TEST(Environment, ValueMayStandBeforeTheOldOne) {
  EXPECT_EQ(with_old_value("LIB", "/a:$LIB", "/b"), "/a:/b");
  EXPECT_EQ(with_old_value("LIB", "/a:$LIB", ""), "/a");
  EXPECT_EQ(with_old_value("LIB", "/a:$LIBS", "/b"), "/a:$LIBS");
  const Variable old("INVAR_TEST_PATH", "/b");
  EXPECT_THAT(merged_environment({{"INVAR_TEST_PATH", "/a:$INVAR_TEST_PATH"}}),
              testing::Contains("INVAR_TEST_PATH=/a:/b"));
}

TEST(Detection, PairsUnderPrefixesAreFoundWithFamilyAndVersion) {
  const Scratch scratch;
  const Variable home("INVAR_HOME", scratch.path("home").string());
  const Variable prefixes("INVAR_MPI_PREFIXES",
                          scratch.path("one").string() + ":" + scratch.path("two").string());
  install(scratch, "one", "4.1.4");
  install(scratch, "two", "5.0.11");
  const std::vector<Toolchain> found = detected_below(scratch);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].family, "openmpi");
  EXPECT_EQ(found[0].version, "4.1.4");
  EXPECT_EQ(found[1].version, "5.0.11");
  EXPECT_EQ(found[1].library, fs::canonical(scratch.path("two/lib/libmpi.so")).string());
}

TEST(Detection, LinksToTheSameLibraryAreOne) {
  const Scratch scratch;
  const Variable home("INVAR_HOME", scratch.path("home").string());
  const Variable prefixes("INVAR_MPI_PREFIXES", scratch.path("one").string());
  install(scratch, "one", "4.1.4");
  fs::create_symlink("mpicxx", scratch.path("one/bin/mpic++"));
  fs::create_symlink("mpicxx", scratch.path("one/bin/mpicxx.openmpi"));
  fs::create_symlink("mpirun", scratch.path("one/bin/mpirun.openmpi"));
  const std::vector<Toolchain> found = detected_below(scratch);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].mpicxx, HasSubstr("mpicxx.openmpi"));
}

TEST(Detection, WrapperWithoutLauncherIsNoPair) {
  const Scratch scratch;
  const Variable home("INVAR_HOME", scratch.path("home").string());
  const Variable prefixes("INVAR_MPI_PREFIXES", scratch.path("one").string());
  install(scratch, "one", "4.1.4");
  fs::remove(scratch.path("one/bin/mpirun"));
  EXPECT_TRUE(detected_below(scratch).empty());
}

TEST(Detection, NothingIsAskedAgainUntilItChanges) {
  const Scratch scratch;
  const Variable home("INVAR_HOME", scratch.path("home").string());
  const Variable prefixes("INVAR_MPI_PREFIXES", scratch.path("one").string());
  install(scratch, "one", "4.1.4");
  detected_below(scratch);
  const std::string asked = test::content(scratch.path("asked"));
  EXPECT_FALSE(asked.empty());
  detected_below(scratch);
  EXPECT_EQ(test::content(scratch.path("asked")), asked);
  scratch.write("one/lib/libmpi.so", "another build");
  detected_below(scratch);
  EXPECT_NE(test::content(scratch.path("asked")), asked);
}

TEST(LinkedLibrary, BindingsOfOtherLanguagesAreNotTheLibrary) {
  const Scratch scratch;
  for (const char* name : {"libmpi_cxx.so", "libmpifort.so", "libmpich.so"})
    scratch.write(name, "");
  EXPECT_EQ(
      linked_library("g++ -I/x -L" + scratch.path().string() + " -lmpi_cxx -lmpifort -lmpich"),
      fs::canonical(scratch.path("libmpich.so")).string());
}

TEST(FindVersion, FirstNumberWithADot) {
  EXPECT_EQ(find_version("mpirun (Open MPI) 4.1.4\n"), "4.1.4");
  EXPECT_EQ(find_version("HYDRA build details:\n    Version:   4.0.2"), "4.0.2");
  EXPECT_EQ(find_version("Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 1"), "2021.18");
  EXPECT_EQ(find_version("no version 7"), "");
}

}  // namespace
}  // namespace invar::launch
