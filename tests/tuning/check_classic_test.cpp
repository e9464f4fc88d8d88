// Rules files that Open MPI would drop, or take otherwise than they were meant, without a word.
#include "tuning/files/check_classic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace invar::tuning {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Version kOld{4, 1, 4};
constexpr Version kNew{5, 0, 7};

// "LINE: WHAT" of each.
std::vector<std::string> faults_in(const std::string& text, const Version& version = kOld) {
  std::vector<std::string> texts;
  for (const ClassicFault& fault : check_classic(text, version)) {
    texts.push_back(std::to_string(fault.line) + ": " + fault.what);
    EXPECT_FALSE(fault.remedy.empty());
  }
  return texts;
}

constexpr const char* kGood =
    "1  # operations\n7\n2\n2\n2\n0 0 0 0\n1048576 3 0 64\n3\n1\n0 0 0 0\n";

TEST(CheckClassic, GoodFileHasNoFault) {
  EXPECT_THAT(faults_in(kGood), IsEmpty());
  EXPECT_THAT(faults_in("{\"module\": \"tuned\"}", {6, 0, 0}), IsEmpty()) << "JSON is another form";
}

TEST(CheckClassic, HeaderOfVersionTwoIsIgnoredBefore507) {
  const std::string text = std::string("rule-file-version-2\n") + kGood;
  EXPECT_THAT(faults_in(text), ElementsAre(HasSubstr("1: a header of version 2: Open MPI 4.1.4")));
  EXPECT_THAT(faults_in(text, kNew), IsEmpty());
}

TEST(CheckClassic, JsonIsNotReadBefore60) {
  for (const Version& version : {kOld, kNew}) {
    EXPECT_THAT(faults_in("{\"collectives\": {}}", version),
                ElementsAre(HasSubstr("1: rules in JSON: Open MPI")));
  }
}

TEST(CheckClassic, RulesBehindAHeaderMayHaveAFifthNumber) {
  const std::string header = "rule-file-version-2\n";
  EXPECT_THAT(faults_in(header + "1\n3\n1\n2\n2\n0 0 0 0\n64 4 0 0 8\n", kNew), IsEmpty());
  EXPECT_THAT(faults_in(header + "1\n3\n1\n2\n1\n64 4 0 0 8\n", kNew),
              ElementsAre(HasSubstr("7: the first rule for 2 ranks begins at 64 bytes")));
  EXPECT_THAT(faults_in("1\n3\n1\n2\n2\n0 0 0 0 8\n64 4 0 0\n"),
              ElementsAre(HasSubstr("stands behind the last rule")))
      << "without a header it is the next rule's first";
}

TEST(CheckClassic, RuleForNothingMustComeFirst) {
  EXPECT_THAT(faults_in("1\n7\n1\n2\n1\n1024 3 0 64\n"),
              ElementsAre(HasSubstr("6: the first rule for 2 ranks begins at 1024 bytes")));
}

TEST(CheckClassic, WhatDoesNotAscendIsTold) {
  EXPECT_THAT(faults_in("1\n7\n1\n2\n2\n0 0 0 0\n0 3 0 64\n"),
              ElementsAre("7: a rule from 0 bytes on stands behind one from 0"));
  EXPECT_THAT(faults_in("1\n7\n2\n4\n1\n0 0 0 0\n2\n1\n0 0 0 0\n"),
              ElementsAre("7: a communicator of 2 ranks stands behind one of 4"));
}

TEST(CheckClassic, WhatIsMissingOrTooMuchIsTold) {
  EXPECT_THAT(faults_in("1\n7\n1\n2\n1\n0 0\n"),
              ElementsAre(HasSubstr("the file ends where a fan-out should be")));
  EXPECT_THAT(faults_in(std::string(kGood) + "8\n"),
              ElementsAre("11: '8' stands behind the last rule"));
  EXPECT_THAT(faults_in("one\n"), ElementsAre(HasSubstr("1: 'one' stands where")));
  EXPECT_THAT(faults_in(""), ElementsAre(HasSubstr("the file ends where")));
}

}  // namespace
}  // namespace invar::tuning
