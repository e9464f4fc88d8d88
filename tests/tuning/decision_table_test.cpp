#include "tuning/decision_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace invar::tuning {
namespace {

using testing::HasSubstr;

Entry entry_of(const std::string& operation, std::uint32_t ranks, std::uint64_t from,
               std::uint64_t to, const std::string& candidate) {
  return {.operation = operation,
          .ranks = ranks,
          .from_bytes = from,
          .to_bytes = to,
          .candidate = parse_candidate(candidate).value.value()};
}

template <typename Make>
std::string table_faults_of(Make make) {
  std::string text;
  try {
    make();
  } catch (const base::UserError& error) {
    for (const base::Fault& fault : error.faults()) text += fault.text() + '\n';
  }
  return text;
}

DecisionTable example() {
  return DecisionTable({
      entry_of("bcast", 4, 1024, 4096, "algorithm:chain:segment=64"),
      entry_of("allreduce", 2, 8, 8, "mockup:allreduce=reduce+bcast"),
      entry_of("bcast", 4, 0, 512, "algorithm:binomial"),
      entry_of("bcast", 2, 0, 64, "library-default"),
  });
}

TEST(DecisionTable, IsSortedByOperationRanksAndSize) {
  std::vector<std::string> texts;
  const DecisionTable table = example();
  for (const Entry& entry : table.entries()) texts.push_back(entry_text(entry));
  EXPECT_THAT(texts, testing::ElementsAre("allreduce, 2 ranks, 8 B: mockup:allreduce=reduce+bcast",
                                          "bcast, 2 ranks, 0 B to 64 B: library-default",
                                          "bcast, 4 ranks, 0 B to 512 B: algorithm:binomial",
                                          "bcast, 4 ranks, 1 KiB to 4 KiB: "
                                          "algorithm:chain:segment=64"));
}

TEST(DecisionTable, FindsWhatIsMeasuredAndNothingBesides) {
  const DecisionTable table = example();
  const auto found = [&](const char* operation, std::uint32_t ranks, std::uint64_t bytes) {
    const Entry* entry = table.find(operation, ranks, bytes);
    return entry == nullptr ? std::string("none") : to_string(entry->candidate);
  };
  EXPECT_EQ(found("bcast", 4, 0), "algorithm:binomial");
  EXPECT_EQ(found("bcast", 4, 512), "algorithm:binomial");
  EXPECT_EQ(found("bcast", 4, 513), "none");
  EXPECT_EQ(found("bcast", 4, 1024), "algorithm:chain:segment=64");
  EXPECT_EQ(found("bcast", 4, 4096), "algorithm:chain:segment=64");
  EXPECT_EQ(found("bcast", 4, 4097), "none");
  EXPECT_EQ(found("bcast", 3, 1024), "none");
  EXPECT_EQ(found("bcast", 5, 1024), "none");
  EXPECT_EQ(found("barrier", 4, 0), "none");
  EXPECT_EQ(found("allreduce", 2, 8), "mockup:allreduce=reduce+bcast");
}

TEST(DecisionTable, TextReadsBack) {
  const DecisionTable table = example();
  EXPECT_THAT(table_text(table), HasSubstr("bcast,4,1024,4096,algorithm:chain:segment=64\n"));
  EXPECT_EQ(parse_table(table_text(table), "table.csv"), table);
  EXPECT_EQ(parse_table(table_text({}), "table.csv"), DecisionTable());
}

TEST(DecisionTable, OverlapsAndEmptyRangesAreAllTold) {
  const std::string faults = table_faults_of([] {
    DecisionTable({entry_of("bcast", 4, 0, 512, "default"),
                   entry_of("bcast", 4, 512, 600, "algorithm:chain"),
                   entry_of("reduce", 4, 9, 8, "default"), entry_of("scan", 0, 8, 8, "default")});
  });
  EXPECT_THAT(faults, HasSubstr("overlaps bcast, 4 ranks, 0 B to 512 B: default"));
  EXPECT_THAT(faults, HasSubstr("an entry ends before it begins"));
  EXPECT_THAT(faults, HasSubstr("an entry has no ranks"));
}

TEST(DecisionTable, WrongLinesAreAllTold) {
  const std::string faults = table_faults_of([] {
    parse_table(
        "operation,ranks,from_bytes,to_bytes,candidate\n"
        "bcast,4,0,8,chain\n"
        "bcast,many,0,8,default\n"
        "bcast,4,0,-1,default\n"
        "bcast,4,0\n",
        "table.csv");
  });
  EXPECT_THAT(faults, HasSubstr("table.csv:2: 'chain' is not a candidate"));
  EXPECT_THAT(faults, HasSubstr("table.csv:3: ranks is 'many'"));
  EXPECT_THAT(faults, HasSubstr("table.csv:4: to_bytes is '-1'"));
  EXPECT_THAT(faults, HasSubstr("table.csv:5: a row has 3 fields"));
}

TEST(DecisionTable, OtherFilesAreNone) {
  EXPECT_THAT(table_faults_of([] { parse_table("1\n7\n2\n", "rules.conf"); }),
              HasSubstr("rules.conf:1: this is not a decision table"));
  EXPECT_THAT(table_faults_of([] { parse_table("", "empty.csv"); }),
              HasSubstr("empty.csv: this is not a decision table"));
}

}  // namespace
}  // namespace invar::tuning
