// Candidates of libraries that are told when they start: arms, in batches.
#include "tuning/probes/forced_arms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace invar::tuning {
namespace {

std::vector<ForcedArm> arms_of(const std::string& operations) {
  std::vector<ForcedArm> arms;
  for (const char operation : operations) {
    arms.push_back({.operation = std::string(1, operation),
                    .candidate = {.kind = CandidateKind::kAlgorithm,
                                  .name = std::to_string(arms.size() + 1)}});
  }
  return arms;
}

// "a1 a2 | b3".
std::string text_of(const std::vector<ForcedBatch>& batches) {
  std::string text;
  for (const ForcedBatch& batch : batches) {
    if (!text.empty()) text += "| ";
    for (const ForcedArm& arm : batch) text += arm.operation + arm.candidate.name + ' ';
  }
  return text;
}

TEST(ForcedBatches, AreOfOneOperationEach) {
  EXPECT_EQ(text_of(forced_batches(arms_of("aab"), 4)), "a1 a2 | b3 ");
  EXPECT_EQ(text_of(forced_batches(arms_of("aba"), 4)), "a1 a3 | b2 ");
}

TEST(ForcedBatches, AreAsEqualAsTheyCanBe) {
  EXPECT_EQ(text_of(forced_batches(arms_of("aaaaa"), 4)), "a1 a2 | a3 a4 a5 ");
  EXPECT_EQ(text_of(forced_batches(arms_of("aaaa"), 4)), "a1 a2 a3 a4 ");
  EXPECT_EQ(text_of(forced_batches(arms_of("aa"), 1)), "a1 | a2 ");
  EXPECT_EQ(text_of(forced_batches({}, 3)), "");
  EXPECT_THROW((void)forced_batches(arms_of("a"), 0), std::invalid_argument);
}

TEST(ForcedLabel, TellsTheCandidate) {
  ForcedArm arm{.operation = "bcast",
                .candidate = {.kind = CandidateKind::kAlgorithm, .name = "knomial"}};
  EXPECT_EQ(forced_label(arm), "bcast-knomial");
  arm.candidate.fanout = 8;
  arm.candidate.segment_bytes = 64;
  EXPECT_EQ(forced_label(arm), "bcast-knomial-fanout-8-segment-64");
}

}  // namespace
}  // namespace invar::tuning
