// Operations that walk over memory, in campaigns: what is refused, with what would help, and what
// they are expected to take.
#include "design/plan/memory_conflicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/memory_operations.hpp"
#include "design/plan/memory_seconds.hpp"

namespace invar::design {
namespace {

using test::faults_or_none_of;
using test::with_memory_operations;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// `more`: lines of the block; `rest`: further tables.
std::vector<std::string> faults_walking(const std::string& operation, const std::string& more,
                                        const std::string& rest = {}) {
  return faults_or_none_of([&] {
    const Campaign campaign =
        read_campaign(test::with_head("[[cells]]\noperation = \"" + operation + "\"\nranks = 2\n" +
                                      more + "\n" + rest + "[[arm]]\nlibrary = \"a\"\n"),
                      "c.toml");
    (void)resolve_cells(campaign, with_memory_operations(), "c.toml");
  });
}

TEST(MemoryConflicts, AStrideBeyondTheBufferIsRefused) {
  EXPECT_THAT(
      faults_walking("read", "size = [\"4KiB\", \"8KiB\"]\nstride = [\"packed\", \"4KiB\"]"),
      IsEmpty());
  EXPECT_THAT(
      faults_walking("read", "size = [\"4KiB\", \"8KiB\"]\nstride = \"8KiB\""),
      ElementsAre("c.toml:8:10: read: a stride of 8192 bytes is larger than the buffer of 4 KiB; "
                  "write a larger size, or a smaller stride"));
}

TEST(MemoryConflicts, ElementsThatOverlapAreRefused) {
  EXPECT_THAT(faults_walking("copy", "size = \"4KiB\"\nstride = \"16\"\nwidth = [\"16\", \"8\"]"),
              IsEmpty());
  EXPECT_THAT(faults_walking("copy", "size = \"4KiB\"\nstride = \"16\"\nwidth = [\"32\", \"8\"]"),
              ElementsAre(HasSubstr("copy: a stride of 16 bytes is not a multiple of a width of 32 "
                                    "bytes; write a multiple")));
}

TEST(MemoryConflicts, ChainsNeedLines) {
  EXPECT_THAT(faults_walking("chase", "size = 1024\nchains = 4"), IsEmpty());
  EXPECT_THAT(
      faults_walking("chase", "size = 1024\nchains = 5"),
      ElementsAre(HasSubstr("chase: a buffer of 1 KiB has no two lines for each of 5 chains; write "
                            "a larger size, fewer chains or a smaller stride")));
  EXPECT_THAT(faults_walking("chase", "size = \"1KiB\"\nstride = \"32\""),
              ElementsAre(HasSubstr("64")));
}

TEST(MemoryConflicts, TwoDistancesAreOneTooMany) {
  EXPECT_THAT(
      faults_walking("read", "size = \"16KiB\"\nstride = \"128\"\naccess = \"line-per-page\""),
      ElementsAre(HasSubstr("read: one line a page has no other stride")));
  EXPECT_THAT(faults_walking("read", "size = \"16KiB\"\naccess = \"line-per-page\""), IsEmpty());
}

// Nobody would ever leave the core.
TEST(MemoryConflicts, RealTimeIsOnlyForRanksWithACoreOfTheirOwn) {
  const std::string fifo = "size = \"16KiB\"\npolicy = [\"other\", \"fifo\"]";
  EXPECT_THAT(faults_walking("read", fifo), IsEmpty());
  EXPECT_THAT(faults_walking("read", fifo,
                             "[engine]\noversubscribe = true\npinning = \"none\"\nsync = "
                             "\"dissemination\"\n"),
              ElementsAre(HasSubstr("read: policy \"fifo\" with oversubscribe: two spinning ranks "
                                    "on one core wait for each other for ever")));
  EXPECT_THAT(faults_walking("read", fifo, "[engine]\npinning = \"none\"\nsync = \"barrier\"\n"),
              ElementsAre(HasSubstr("write pinning = \"core\"")));
}

TEST(MemoryConflicts, FactorsOfMemoryAreOfNothingElse) {
  EXPECT_THAT(faults_walking("bcast", "size = 8\nstride = \"64\""),
              ElementsAre(HasSubstr("none of these operations works on memory alone")));
  EXPECT_THAT(faults_walking("read", "size = \"16KiB\"\nchains = 2"),
              ElementsAre(HasSubstr("none of these operations follows chains of pointers")));
}

TEST(MemorySeconds, GrowWithPassesBytesAndWaiting) {
  const record::OperationInfo read = test::walking("read", 1);
  record::OperationInfo chase = test::walking("chase", 1);
  chase.chases = true;
  record::Cell cell{.operation = "read", .size_bytes = 64U << 20U};
  const double pass_s = memory_seconds(cell, read);
  EXPECT_NEAR(pass_s, (64U << 20U) / 15e9, 1e-4);
  EXPECT_NEAR(memory_seconds(cell, test::walking("triad", 3)), 3 * pass_s, 1e-4);
  cell.loops = "auto:2";
  EXPECT_DOUBLE_EQ(memory_seconds(cell, read), 2 * pass_s);
  cell.loops = "5";
  EXPECT_DOUBLE_EQ(memory_seconds(cell, read), 5 * pass_s);
  cell.loops = "auto";
  cell.stride = "128";
  EXPECT_GT(memory_seconds(cell, chase), 5 * pass_s);
  cell.size_bytes = 4096;
  EXPECT_DOUBLE_EQ(memory_seconds(cell, chase), 20e-6) << "as many passes as make that";
}

}  // namespace
}  // namespace invar::design
