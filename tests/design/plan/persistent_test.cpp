// Persistent operations fix their arguments before they start: nothing of them can change from call
// to call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;

Surroundings with_persistent() {
  Surroundings around = surroundings(2, 4);
  for (auto& operations : around.operations) {
    for (const char* name : {"bcast_init", "gather_init"}) {
      operations.push_back({.name = name,
                            .rooted = true,
                            .persistent = true,
                            .datatypes = {{.name = "byte", .size_bytes = 1}}});
    }
  }
  return around;
}

// The cells of some [[cells]] text, whose first line is line 4.
ResolvedCells resolve(const std::string& cells, const std::string& more = "") {
  const Campaign campaign = read_campaign(
      with_head(cells + "[[arm]]\nlibrary = \"a\"\n[[arm]]\nlibrary = \"b\"\n" + more), "c.toml");
  return resolve_cells(campaign, with_persistent(), "c.toml");
}

std::vector<std::string> persistent_faults(const std::string& cells, const std::string& more = "") {
  return faults_of([&] { (void)resolve(cells, more); });
}

std::string cannot_move(const std::string& place, const std::string& operation) {
  return place + ": " + operation +
         " fixes its buffers before it starts: they cannot move on; use cache = \"cold-flush\", or "
         "give " +
         operation + " in a [[cells]] block of its own";
}

TEST(PersistentOperations, BuffersThatMoveOnAreRefusedOnceForAllCells) {
  EXPECT_THAT(persistent_faults("[[cells]]\noperation = \"bcast_init\"\nsize = [8, 16, 32]\n"
                                "ranks = [2, 4]\ncache = [\"warm\", \"cold-cycle\"]\n"),
              ElementsAre(cannot_move("c.toml:8:9", "bcast_init")));
}

TEST(PersistentOperations, EveryOperationAndEveryBlockIsTold) {
  const std::string block =
      "[[cells]]\noperation = [\"bcast\", \"bcast_init\", \"gather_init\"]\nsize = 8\n"
      "cache = \"cold-cycle\"\n";
  EXPECT_THAT(
      persistent_faults(block + block),
      ElementsAre(cannot_move("c.toml:7:9", "bcast_init"), cannot_move("c.toml:7:9", "gather_init"),
                  cannot_move("c.toml:11:9", "bcast_init"),
                  cannot_move("c.toml:11:9", "gather_init")));
}

TEST(PersistentOperations, BuffersThatMoveOnByTheEngineAreRefusedForTheBlock) {
  const std::string block = "[[cells]]\noperation = \"bcast_init\"\nsize = [8, 16]\n";
  const std::string engine = "[engine]\ncache = \"cold-cycle\"\n";
  const std::vector<std::string> faults = persistent_faults(block, engine);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0], testing::MatchesRegex("c\\.toml:[0-9]+:[0-9]+: bcast_init fixes its "
                                               "buffers .*"));
  EXPECT_EQ(resolve(block + "cache = \"warm\"\n", engine).cells.size(), 2U)
      << "the block overrules";
}

TEST(PersistentOperations, FlushedCachesAndWarmOnesAreFine) {
  EXPECT_EQ(resolve("[[cells]]\noperation = \"bcast_init\"\nsize = 8\n"
                    "cache = [\"warm\", \"cold-flush\"]\n")
                .cells.size(),
            2U);
}

TEST(PersistentOperations, OtherOperationsBuffersMayMoveOn) {
  EXPECT_EQ(
      resolve("[[cells]]\noperation = \"bcast\"\nsize = 8\ncache = \"cold-cycle\"\n").cells.size(),
      1U);
}

TEST(PersistentOperations, RootThatRotatesIsRefusedOnceForAllCells) {
  EXPECT_THAT(persistent_faults("[[cells]]\noperation = [\"bcast\", \"bcast_init\"]\n"
                                "size = [8, 16]\nroot = [0, \"rotating\"]\n"),
              ElementsAre("c.toml:7:8: bcast_init fixes its root before it starts: it cannot "
                          "rotate; write a rank, or give bcast_init in a [[cells]] block of its "
                          "own"));
}

}  // namespace
}  // namespace invar::design
