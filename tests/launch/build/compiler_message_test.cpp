#include "launch/build/compiler_message.hpp"

#include <gtest/gtest.h>

namespace invar::launch {
namespace {

TEST(FirstComplaint, PlaceAndTextOfTheFirstErrorBehindNotesAndWarnings) {
  const base::Fault fault = first_complaint(
      "In file included from /own/mine.cpp:3:\n"
      "/own/mine.hpp: In function 'int f()':\n"
      "/own/mine.hpp:7:9: warning: unused variable 'error: none' [-Wunused]\n"
      "/own/mine.cpp:31:5: error: 'cout' was not declared in this scope\n"
      "/own/mine.cpp:40:1: error: expected '}' at end of input\n");
  EXPECT_EQ(fault.place, "/own/mine.cpp");
  EXPECT_EQ(fault.line, 31);
  EXPECT_EQ(fault.column, 5);
  EXPECT_EQ(fault.what, "'cout' was not declared in this scope");
}

TEST(FirstComplaint, MissingHeaderIsOneAndColumnsMayBeMissing) {
  EXPECT_EQ(
      first_complaint("a.cpp:1:10: fatal error: nothing.hpp: No such file or directory\n").what,
      "nothing.hpp: No such file or directory");
  const base::Fault fault = first_complaint("/a b/x.cpp:12: error: no\n");
  EXPECT_EQ(fault.place, "/a b/x.cpp");
  EXPECT_EQ(fault.line, 12);
  EXPECT_EQ(fault.column, 0);
}

TEST(FirstComplaint, LinkersNameWhatIsMissing) {
  const base::Fault fault = first_complaint(
      "/usr/bin/ld: objects/ops-catalogue.o: in function `find':\n"
      "catalogue.cpp:12: undefined reference to `invar::ops::kMine'\n"
      "collect2: error: ld returned 1 exit status\n");
  EXPECT_EQ(fault.what, "undefined reference to `invar::ops::kMine'");
  EXPECT_EQ(fault.place, "");
}

TEST(FirstComplaint, WhatIsNotUnderstoodHasNone) {
  EXPECT_EQ(first_complaint("").what, "");
  EXPECT_EQ(first_complaint("cc1plus: out of memory\nerror: nothing\n").what, "");
  EXPECT_EQ(first_complaint("c++: error: unrecognized option '-std=c++20'\n").what, "");
}

}  // namespace
}  // namespace invar::launch
