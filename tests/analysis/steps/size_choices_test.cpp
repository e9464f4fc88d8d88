// What the decision on sizes says in the manifest, written and read again.
#include "analysis/steps/size_choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;

store::DecidedLine size_line(const std::string& fields) {
  return {.decision = std::string(kSizesDecision), .fields = fields};
}

SizeChoice a_choice() {
  return {
      .round = 3,
      .phase = SizePhase::kEvidence,
      .places = {{.cell = 2, .tolerance = 0.02}},
      .candidates = {{.cell = 2,
                      .arm = "openmpi",
                      .low_bytes = 4096,
                      .middle_bytes = 5120,
                      .high_bytes = 6144,
                      .groups = 6,
                      .deviation = -0.041,
                      .p = 0.002,
                      .p_adjusted = 0.01,
                      .beyond = true},
                     {.cell = 2, .arm = "a \"quoted\" arm", .middle_bytes = 8}},
      .jumps = {{.cell = 2, .arm = "openmpi", .low_bytes = 5120, .high_bytes = 6144}},
      .bends = {{.cell = 2, .arm = "openmpi", .low_bytes = 1, .middle_bytes = 2, .high_bytes = 3}},
      .evidence = {
          {.cell = 2, .low_bytes = 5120, .high_bytes = 6144, .low_cell = 40, .high_cell = 41}}};
}

TEST(SizeChoices, AreReadAsTheyWereWritten) {
  const store::DecidedLine line = size_line(size_choice_text(a_choice()));
  EXPECT_EQ(last_size_choice(std::span(&line, 1)), a_choice());
  EXPECT_THAT(line.fields, HasSubstr("\"phase\":\"evidence\""));
}

TEST(SizeChoices, AtBreaksOfFitsAreNoChoiceThatGroupsWaitFor) {
  SizeChoice at_breaks = a_choice();
  at_breaks.groups = 15;
  std::vector<store::DecidedLine> decided{size_line(size_choice_text(at_breaks))};
  EXPECT_FALSE(is_choosing_sizes(decided)) << "every group judges";
  decided.front() = size_line(size_choice_text(a_choice()));
  EXPECT_TRUE(is_choosing_sizes(decided));
  SizeChoice last = a_choice();
  last.phase = SizePhase::kJudge;
  decided.push_back(size_line(size_choice_text(last)));
  EXPECT_FALSE(is_choosing_sizes(decided));
}

TEST(SizeChoices, ByTheRuleBreaksSayOnHowManyGroupsTheyRest) {
  SizeChoice choice = a_choice();
  choice.groups = 15;
  const store::DecidedLine line = size_line(size_choice_text(choice));
  EXPECT_EQ(last_size_choice(std::span(&line, 1)), choice);
  // Others write what they always wrote: their candidates' groups alone.
  const auto groups_in = [](std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("\"groups\":"); at != std::string_view::npos;
         at = text.find("\"groups\":", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(groups_in(line.fields), a_choice().candidates.size() + 1);
  EXPECT_EQ(groups_in(size_choice_text(a_choice())), a_choice().candidates.size());
}

// A budget that ends between two looks at breaks leaves groups that say what they measured.
TEST(SizeChoices, WhoLooksForBreaksIsNotChoosing) {
  const auto choosing = [](const SizeChoice& choice) {
    const std::vector<store::DecidedLine> lines{
        {.decision = std::string(kSizesDecision), .fields = size_choice_text(choice)}};
    return is_choosing_sizes(lines);
  };
  EXPECT_TRUE(choosing({.round = 1}));
  EXPECT_FALSE(choosing({.round = 1, .phase = SizePhase::kJudge}));
  EXPECT_FALSE(choosing({.round = 1, .groups = 10}));
}

TEST(SizeChoices, LastLineCountsAndOtherDecisionsDoNot) {
  SizeChoice last = a_choice();
  last.phase = SizePhase::kJudge;
  EXPECT_TRUE(last.is_final());
  EXPECT_FALSE(a_choice().is_final());
  const std::vector<store::DecidedLine> lines{size_line(size_choice_text(a_choice())),
                                              size_line(size_choice_text(last)),
                                              {.decision = "splits", .fields = "{\"splits\":[]}"}};
  EXPECT_EQ(last_size_choice(lines), last);
  EXPECT_EQ(last_size_choice(std::span(lines).last(1)), std::nullopt);
}

TEST(SizeChoices, WhatCannotBeReadIsSaid) {
  for (const char* fields :
       {"{}", "[]", "{\"round\":1.5,\"phase\":\"judge\"}",
        "{\"round\":1,\"phase\":\"guess\",\"places\":[],\"candidates\":[],\"jumps\":[],"
        "\"bends\":[],\"evidence\":[]}"}) {
    const store::DecidedLine line = size_line(fields);
    try {
      (void)last_size_choice(std::span(&line, 1));
      FAIL() << fields;
    } catch (const base::UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the decision 'sizes': its fields cannot be read"))
          << fields;
    }
  }
}

}  // namespace
}  // namespace invar::analysis
