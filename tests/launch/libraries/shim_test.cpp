#include "launch/libraries/shim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/scratch.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {
namespace {

using test::Variable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string preload_complaint(const std::string& shim, const std::string& table) {
  try {
    shim_environment({}, shim, table);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

TEST(ShimEnvironment, LaunchGetsTheShimAndItsTable) {
  const Variable nothing("LD_PRELOAD", "");
  EXPECT_THAT(shim_environment({}, "/t/libinvar-tuned.so", "/t/table.csv"),
              ElementsAre(Pair("LD_PRELOAD", "/t/libinvar-tuned.so"),
                          Pair("INVAR_TUNED_TABLE", "/t/table.csv")));
}

TEST(ShimEnvironment, WhatIsPreloadedAlreadyStaysBehindIt) {
  const Variable ours("LD_PRELOAD", "libc.so.6");
  EXPECT_THAT(shim_environment({}, "/t/s.so", "/t/t.csv"),
              ElementsAre(Pair("LD_PRELOAD", "/t/s.so:libc.so.6"), testing::_));
  Profile profile;
  profile.environment = {{"LD_PRELOAD", "/lib/its.so"}};
  EXPECT_THAT(shim_environment(profile, "/t/s.so", "/t/t.csv"),
              ElementsAre(Pair("LD_PRELOAD", "/t/s.so:/lib/its.so"), testing::_));
  profile.environment = {{"LD_PRELOAD", "/lib/its.so:$LD_PRELOAD"}};
  EXPECT_THAT(shim_environment(profile, "/t/s.so", "/t/t.csv"),
              ElementsAre(Pair("LD_PRELOAD", "/t/s.so:/lib/its.so:libc.so.6"), testing::_));
}

// Launchers hand on what they are told to.
TEST(ShimEnvironment, RanksOnOtherHostsGetIt) {
  const Variable nothing("LD_PRELOAD", "");
  StartOptions options;
  options.ranks = 2;
  options.hosts = {{.name = "n1"}, {.name = "n2"}};
  options.environment = shim_environment({}, "/t/s.so", "/t/t.csv");
  Profile profile;
  profile.name = "lib";
  profile.mpirun = "mpirun";
  profile.engine = "engine";
  for (const auto& [family, words] :
       {std::pair("openmpi", "-x LD_PRELOAD -x INVAR_TUNED_TABLE"),
        std::pair("mpich", "-genv LD_PRELOAD /t/s.so -genv INVAR_TUNED_TABLE /t/t.csv"),
        std::pair("intel", "-genv LD_PRELOAD /t/s.so -genv INVAR_TUNED_TABLE /t/t.csv")}) {
    profile.family = family;
    EXPECT_THAT(base::join(launch_command(profile, options), " "), HasSubstr(words)) << family;
  }
}

TEST(ShimEnvironment, PathThatTheLoaderWouldCutIsRefused) {
  EXPECT_THAT(preload_complaint("/my files/s.so", "/t.csv"),
              HasSubstr("has a blank or a colon in it"));
  EXPECT_THAT(preload_complaint("/a:b/s.so", "/t.csv"), HasSubstr("has a blank or a colon in it"));
}

TEST(ShimEnvironment, PathsThatDependOnTheFolderAreRefusedAllAtOnce) {
  const std::string both = preload_complaint("s.so", "t.csv");
  EXPECT_THAT(both, HasSubstr("s.so is not an absolute path"));
  EXPECT_THAT(both, HasSubstr("t.csv is not an absolute path"));
}

}  // namespace
}  // namespace invar::launch
