// The mock-up of a rule is found by what the rule's text says.
#include "record/operation/parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

TEST(PartSize, IsReadAsItIsWritten) {
  for (const PartSize size : {PartSize::kBlock, PartSize::kShare, PartSize::kAll, PartSize::kOne}) {
    EXPECT_EQ(parse_part_size(name_of(size)), size);
  }
  EXPECT_EQ(parse_part_size(" n / p"), PartSize::kShare);
  EXPECT_EQ(parse_part_size("n*p"), PartSize::kAll);
  for (const char* text : {"", "2n", "p", "n/2", "p/n"}) {
    EXPECT_FALSE(parse_part_size(text)) << text;
  }
}

TEST(Mockup, IsFoundByTheOperationAndItsPartsInTheirOrder) {
  const PartInfo scatter{.operation = "scatter", .size = PartSize::kShare};
  const PartInfo allgather{.operation = "allgather", .size = PartSize::kShare};
  const std::vector<OperationInfo> operations{
      {.name = "bcast"},
      {.name = "bcast=hierarchical", .emulates = "bcast"},
      {.name = "bcast=scatter+allgather", .emulates = "bcast", .parts = {scatter, allgather}},
      {.name = "mine", .emulates = "bcast", .parts = {scatter, allgather}}};
  const auto found = [&](std::string_view emulated, const std::vector<PartInfo>& parts) {
    const OperationInfo* const mockup = find_mockup(operations, emulated, parts);
    return mockup == nullptr ? "" : mockup->name;
  };
  EXPECT_EQ(found("bcast", {scatter, allgather}), "bcast=scatter+allgather");
  EXPECT_EQ(found("bcast", {allgather, scatter}), "");
  EXPECT_EQ(found("bcast", {scatter}), "");
  EXPECT_EQ(found("scatter", {scatter, allgather}), "");
  EXPECT_EQ(found("bcast", {{.operation = "scatter"}, allgather}), "") << "n, not n/p";
  EXPECT_EQ(found("bcast", {}), "") << "parts that are not told are no parts";
  EXPECT_EQ(parts_text(operations[2].parts), "scatter(n/p) + allgather(n/p)");
}

TEST(Lengths, AreToldInBlocksAndShares) {
  EXPECT_EQ(length_text({}), "0");
  EXPECT_EQ(length_text({.constant = 1}), "n");
  EXPECT_EQ(length_text({.per_rank = 2}), "2*p*n");
  EXPECT_EQ(length_text({.constant = 3, .shares = 1, .shares_per_rank = 1}), "3*n + n/p + p*(n/p)");
  EXPECT_EQ(length_text({.per_neighbour = 1}), "n for every neighbour");
  EXPECT_EQ(length_text({.per_message = 1, .per_packed = 2}),
            "n for every message + 2*n for every packed message");
}

TEST(Scratch, IsToldWhereItDiffers) {
  const Buffers block{.scratch = {.constant = 1}};
  EXPECT_EQ(scratch_text({}), "");
  EXPECT_EQ(scratch_text({block, block, block, block}), "n");
  EXPECT_EQ(scratch_text({.root = block, .root_in_place = block}), "n on the root");
  EXPECT_EQ(scratch_text({.others = block, .others_in_place = block, .root_in_place = block}),
            "n, 0 on the root; in place n");
  EXPECT_EQ(scratch_text({.others_in_place = block, .root_in_place = block}), "in place n");
}

}  // namespace
}  // namespace invar::record
