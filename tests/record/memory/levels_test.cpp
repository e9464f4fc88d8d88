#include "record/memory/levels.hpp"

#include <gtest/gtest.h>

#include "record/cell.hpp"
#include "record/memory/memory_factors.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

constexpr std::uint64_t kKiB = 1024;

Cell cell_of(std::uint64_t size_bytes) {
  Cell cell;
  cell.operation = "read";
  cell.size_bytes = size_bytes;
  return cell;
}

OperationInfo walking(std::uint32_t arrays = 1) { return {.name = "read", .walks = arrays}; }
OperationInfo chasing() { return {.name = "chase", .walks = 1, .chases = true}; }

Cell chain_of(std::uint64_t size_bytes) {
  Cell cell = cell_of(size_bytes);
  cell.stride = "128";
  cell.access = "random";
  return cell;
}

TEST(MemoryLevels, StrideIsPackedOrBytes) {
  EXPECT_EQ(parse_stride("packed"), 0);
  EXPECT_EQ(parse_stride("4096"), 4096);
  EXPECT_FALSE(parse_stride("0"));
  EXPECT_FALSE(parse_stride("0064"));
  EXPECT_FALSE(parse_stride("4KiB"));
  EXPECT_EQ(stride_level("4KiB").text, "4096");
  EXPECT_EQ(stride_level("packed").text, "packed");
  EXPECT_EQ(stride_level("-1").complaint, "is '-1', no stride");
}

TEST(MemoryLevels, LoopsAreANumberOrAMultipleOfWhatIsDecided) {
  EXPECT_EQ(parse_loops("auto"), (Loops{.automatic = true, .number = 1}));
  EXPECT_EQ(parse_loops("auto:2"), (Loops{.automatic = true, .number = 2}));
  EXPECT_EQ(parse_loops("100"), (Loops{.automatic = false, .number = 100}));
  for (const char* text : {"auto:1", "auto:", "auto:2048", "0", "1e3", "2x", ""}) {
    EXPECT_FALSE(parse_loops(text)) << text;
  }
}

TEST(MemoryLevels, PoliciesHaveANiceness) {
  EXPECT_EQ(parse_policy("fifo"), (Policy{.kind = PolicyKind::kFifo}));
  EXPECT_EQ(parse_policy("nice:-20"), (Policy{.kind = PolicyKind::kNice, .nice = -20}));
  EXPECT_EQ(parse_policy("nice:0"), (Policy{.kind = PolicyKind::kNice, .nice = 0}));
  for (const char* text : {"nice:20", "nice:-21", "nice:-0", "nice:", "nice", "deadline"}) {
    EXPECT_FALSE(parse_policy(text)) << text;
  }
}

TEST(MemoryLevels, NumaNodesHaveNumbers) {
  EXPECT_EQ(parse_numa("node:3"), (NumaPlace{.kind = NumaKind::kNode, .node = 3}));
  EXPECT_EQ(parse_numa("interleaved"), (NumaPlace{.kind = NumaKind::kInterleaved}));
  for (const char* text : {"node:", "node:-1", "node:1024", "node:01", "remote"}) {
    EXPECT_FALSE(parse_numa(text)) << text;
  }
}

TEST(VisitedElements, ArePackedOrAStrideApart) {
  Cell cell = cell_of(32 * kKiB);
  EXPECT_EQ(visited_elements(cell, false, 64), 512);
  cell.stride = "4096";
  EXPECT_EQ(visited_elements(cell, false, 64), 8);
  // The last one needs no room behind it.
  cell.size_bytes = 28 * kKiB + 64;
  EXPECT_EQ(visited_elements(cell, false, 64), 8);
  cell.size_bytes = 28 * kKiB + 63;
  EXPECT_EQ(visited_elements(cell, false, 64), 7);
}

TEST(VisitedElements, AreWholePagesWhereAnOrderGoesByPages) {
  Cell cell = cell_of(10 * kKiB);
  cell.access = "random-in-page";
  EXPECT_EQ(visited_elements(cell, false, 64), 128);
  cell.access = "line-per-page";
  EXPECT_EQ(visited_elements(cell, false, 64), 2);
}

TEST(VisitedElements, AreSharedEvenlyByChains) {
  Cell cell = chain_of(1280);
  EXPECT_EQ(visited_elements(cell, true, 8), 10);
  cell.chains = 4;
  EXPECT_EQ(visited_elements(cell, true, 8), 8);
}

TEST(NamedBytes, CountEveryArray) {
  const Cell cell = cell_of(1024);
  EXPECT_EQ(named_bytes(cell, walking(1), 32), 1024);
  EXPECT_EQ(named_bytes(cell, walking(3), 32), 3072);
}

TEST(MemoryFactors, BelongToMemoryOperationsAlone) {
  const OperationInfo other{.name = "bcast"};
  EXPECT_FALSE(works_on_memory(other));
  EXPECT_TRUE(check_stride(other, Cell()).complaint.empty());
  EXPECT_TRUE(walks_memory(walking()));
  EXPECT_FALSE(walks_memory(chasing()));
  EXPECT_TRUE(chases_memory(chasing()));
  EXPECT_EQ(stride_of_operation(chasing(), Cell()).text, "128");
  EXPECT_EQ(access_of_operation(chasing(), Cell()).text, "random");
  EXPECT_FALSE(access_of_operation(walking(), Cell()).text);
}

TEST(MemoryFactors, StridesThatNoBufferHasAreToldOf) {
  Cell cell = cell_of(64);
  cell.stride = "128";
  EXPECT_EQ(check_stride(walking(), cell).complaint,
            "read: a stride of 128 bytes is larger than the buffer of 64 B");
  cell.size_bytes = 4096;
  EXPECT_TRUE(check_stride(walking(), cell).complaint.empty());
  cell.width = "64";
  cell.stride = "96";
  EXPECT_EQ(check_stride(walking(), cell).complaint,
            "read: a stride of 96 bytes is not a multiple of a width of 64 bytes");
}

TEST(MemoryFactors, ChainsNeedTwoLinesEach) {
  Cell cell = chain_of(1024);
  EXPECT_TRUE(check_stride(chasing(), cell).complaint.empty());
  cell.chains = 5;
  EXPECT_FALSE(check_stride(chasing(), cell).complaint.empty());
  cell = chain_of(1024);
  cell.stride = "packed";
  EXPECT_FALSE(check_stride(chasing(), cell).complaint.empty());
  cell.stride = "32";
  EXPECT_FALSE(check_stride(chasing(), cell).complaint.empty());
}

TEST(MemoryFactors, OrdersByPagesNeedPages) {
  Cell cell = cell_of(4096);
  cell.access = "line-per-page";
  EXPECT_FALSE(check_access(walking(), cell).complaint.empty());
  cell.size_bytes = 8192;
  EXPECT_TRUE(check_access(walking(), cell).complaint.empty());
  cell.stride = "64";
  EXPECT_EQ(check_access(walking(), cell).blamed_key, "stride");
  cell.access = "random-in-page";
  EXPECT_TRUE(check_access(walking(), cell).complaint.empty());
  cell.stride = "96";
  EXPECT_FALSE(check_access(walking(), cell).complaint.empty());
}

TEST(MemoryFactors, MallocHasThePagesThatItHas) {
  Cell cell = cell_of(8192);
  cell.allocation = "malloc";
  EXPECT_TRUE(check_allocation(walking(), cell).complaint.empty());
  cell.pages = "2MiB";
  EXPECT_FALSE(check_allocation(walking(), cell).complaint.empty());
  cell.pages = "default";
  cell.numa = "node:0";
  EXPECT_FALSE(check_allocation(walking(), cell).complaint.empty());
}

}  // namespace
}  // namespace invar::record
