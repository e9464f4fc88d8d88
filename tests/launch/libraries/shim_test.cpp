#include "launch/libraries/shim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string complaint(const std::string& shim, const std::string& table) {
  try {
    shim_environment(shim, table);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

TEST(ShimEnvironment, LaunchGetsTheShimAndItsTable) {
  EXPECT_THAT(shim_environment("/t/libinvar-tuned.so", "/t/table.csv"),
              ElementsAre(Pair("LD_PRELOAD", "/t/libinvar-tuned.so"),
                          Pair("INVAR_TUNED_TABLE", "/t/table.csv")));
}

TEST(ShimEnvironment, WhatIsPreloadedAlreadyStaysBehindIt) {
  EXPECT_THAT(shim_environment("/t/s.so", "/t/t.csv", "/lib/yield.so"),
              ElementsAre(Pair("LD_PRELOAD", "/t/s.so:/lib/yield.so"), testing::_));
}

TEST(ShimEnvironment, PathThatTheLoaderWouldCutIsRefused) {
  EXPECT_THAT(complaint("/my files/s.so", "/t.csv"), HasSubstr("has a blank or a colon in it"));
  EXPECT_THAT(complaint("/a:b/s.so", "/t.csv"), HasSubstr("has a blank or a colon in it"));
}

TEST(ShimEnvironment, PathsThatDependOnTheFolderAreRefusedAllAtOnce) {
  const std::string both = complaint("s.so", "t.csv");
  EXPECT_THAT(both, HasSubstr("s.so is no absolute path"));
  EXPECT_THAT(both, HasSubstr("t.csv is no absolute path"));
}

}  // namespace
}  // namespace invar::launch
