// Blocks of different lengths, and counts that no int holds: which cells there are, what is refused
// before anything runs, and what they take of memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/file.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// The campaign of some [[cells]] text, whose first line is line 4, with two arms.
Campaign distributed(const std::string& cells) {
  return read_campaign(with_head(cells + "[[arm]]\nlibrary = \"a\"\n[[arm]]\nlibrary = \"b\"\n"),
                       "c.toml");
}

// The second arm's library has no large counts.
Surroundings with_large_forms() {
  Surroundings machine = surroundings(2, 4);
  for (const char* name : {"bcast", "allgatherv", "alltoallw"}) {
    for (auto& operations : machine.operations) operations.push_back(with_large_counts(name));
    machine.operations[1].back().missing = "large counts: this library has MPI 3.1 only";
  }
  return machine;
}

std::vector<std::string> faults_with(const std::string& cells, const Surroundings& machine) {
  return faults_of([&] { (void)resolve_cells(distributed(cells), machine, "c.toml"); });
}

std::vector<std::string> faults_here(const std::string& cells) {
  return faults_with(cells, surroundings(2, 4));
}

// Nothing is refused.
bool resolves(const std::string& cells, const Surroundings& machine = surroundings(2, 4)) {
  return !resolve_cells(distributed(cells), machine, "c.toml").cells.empty();
}

TEST(Distributions, AreLevelsOfOperationsWithACountForEveryBlock) {
  const ResolvedCells resolved =
      resolve_cells(distributed("[[cells]]\noperation = [\"alltoallv\", \"allreduce\"]\nsize = 8\n"
                                "distribution = [\"regular\", \"linear\", \"random:7\"]\n"),
                    surroundings(2, 4), "c.toml");
  std::vector<std::string> texts;
  for (const record::Cell& cell : resolved.cells) {
    texts.push_back(cell.operation + ' ' + cell.distribution);
  }
  EXPECT_THAT(texts, ElementsAre("alltoallv regular", "alltoallv linear", "alltoallv random:7",
                                 "allreduce regular"));
  EXPECT_THAT(record::cell_text(resolved.cells[1]), HasSubstr(", distribution linear"));
  EXPECT_THAT(record::cell_text(resolved.cells[0]), testing::Not(HasSubstr("distribution")));
}

TEST(Distributions, OfOperationsWithEqualBlocksAreRefusedWithThePlace) {
  EXPECT_THAT(faults_here("[[cells]]\noperation = [\"allreduce\", \"alltoall\"]\nsize = 8\n"
                          "distribution = \"linear\"\n"),
              ElementsAre("c.toml:7:16: none of these operations has blocks of different lengths; "
                          "remove it"));
}

TEST(Distributions, ThatThereAreNotAreRefusedWithThePlace) {
  EXPECT_THAT(
      campaign_faults(with_head("[[cells]]\noperation = \"alltoallv\"\nsize = 8\n"
                                "distribution = [\"regular\", \"lineal\", \"random\"]\n")),
      ElementsAre(
          StartsWith("c.toml:7:28: 'distribution' of [[cells]] is 'lineal', no distribution; write "
                     "\"regular\", \"linear\""),
          StartsWith("c.toml:7:38: 'distribution' of [[cells]] is 'random', no distribution")));
}

TEST(Distributions, InPlaceNeedBlocksThatAreAsLongInBothDirections) {
  const std::string cells = "[[cells]]\noperation = \"alltoallv\"\nsize = 8\nin-place = true\n";
  EXPECT_THAT(faults_here(cells + "distribution = \"one-big\"\n"),
              ElementsAre(StartsWith("c.toml:8:16: alltoallv in place exchanges blocks that are as "
                                     "long in both directions, which they are not with "
                                     "distribution = \"one-big\"; write in-place = false")));
  EXPECT_TRUE(resolves(cells + "distribution = \"regular\"\n"));
}

TEST(LargeNumbers, OfABlockThatIsLargerThanTheMeanAreRefusedBeforeAnythingRuns) {
  const std::string cells = "[[cells]]\noperation = \"gatherv\"\nsize = \"400MiB\"\n";
  EXPECT_TRUE(resolves(cells)) << "1600 MiB in all";
  EXPECT_THAT(faults_here("[[cells]]\noperation = \"gatherv\"\nsize = \"600MiB\"\n"
                          "distribution = \"one-big\"\n"),
              ElementsAre(HasSubstr("gatherv of 629145600 bytes on 4 ranks, distribution one-big "
                                    "needs a block of 2516582400 elements, above 2147483647")));
}

TEST(LargeNumbers, OfDisplacementsAreRefusedBeforeAnythingRunsWithTheFormThatTakesThem) {
  const std::string size = "size = \"1GiB\"\n";
  EXPECT_THAT(
      faults_with("[[cells]]\noperation = \"allgatherv\"\n" + size, with_large_forms()),
      ElementsAre("c.toml:6:8: allgatherv of 1073741824 bytes on 4 ranks needs displacements "
                  "up to 3221225472 elements, above 2147483647, the largest that MPI's "
                  "calls take; use the _c form (allgatherv_c), or write smaller sizes"));
  EXPECT_THAT(faults_with("[[cells]]\noperation = \"alltoallw\"\ndatatype = \"int32\"\n" + size,
                          with_large_forms()),
              ElementsAre(HasSubstr("displacements up to 3221225472 bytes")));
  EXPECT_THAT(
      faults_with("[[cells]]\noperation = \"bcast\"\nsize = \"3GiB\"\n", with_large_forms()),
      ElementsAre(HasSubstr("use the _c form (bcast_c)")));
  EXPECT_TRUE(
      resolves("[[cells]]\noperation = [\"allgatherv_c\", \"alltoallw_c\", \"bcast_c\"]\n"
               "size = \"3GiB\"\n",
               with_large_forms()));
}

// Displacements are where blocks begin: what lies behind the last beginning needs no number.
TEST(LargeNumbers, OfDisplacementsEndWhereTheLastBlockBegins) {
  const std::string size = "size = \"512MiB\"\n";
  EXPECT_TRUE(resolves("[[cells]]\noperation = [\"allgatherv\", \"alltoallv\"]\n" + size))
      << "the last of four begins at 1.5 GiB";
  EXPECT_TRUE(resolves("[[cells]]\noperation = \"allgatherv\"\ndistribution = \"linear\"\n" + size))
      << "the last one is the largest";
  EXPECT_THAT(
      faults_here("[[cells]]\noperation = \"alltoallv\"\ndistribution = \"half-zero\"\n" + size),
      ElementsAre(HasSubstr("displacements up to 2147483648 elements")))
      << "an empty one is the last one of some rank";
}

TEST(LargeNumbers, OfReductionsAreTheirVectors) {
  const std::string cells = "[[cells]]\noperation = \"reduce_scatter\"\nsize = ";
  EXPECT_TRUE(resolves(cells + "\"1GiB\"\n")) << "4 GiB are 1073741824 elements";
  EXPECT_THAT(faults_here(cells + "\"2GiB\"\n"),
              ElementsAre(HasSubstr("reduce_scatter of 2147483648 bytes on 4 ranks needs a vector "
                                    "of 2147483648 elements, above 2147483647")));
}

TEST(LargeNumbers, AreNotSentToAFormThatNoLibraryHas) {
  Surroundings machine = with_large_forms();
  for (record::OperationInfo& info : machine.operations[0]) {
    if (info.large_counts) info.missing = "large counts: this library has MPI 3.1 only";
  }
  EXPECT_THAT(
      faults_with("[[cells]]\noperation = \"bcast\"\nsize = \"3GiB\"\n", machine),
      ElementsAre(testing::EndsWith("; write smaller sizes; a library with MPI 4 has bcast_c")));
  EXPECT_THAT(faults_with("[[cells]]\noperation = \"allgatherv\"\nsize = \"1GiB\"\n", machine),
              ElementsAre(testing::EndsWith(
                  "; write smaller sizes; a library with MPI 4 has allgatherv_c")));
}

// 2^50 bytes of a buffer, gaps of the datatype included.
TEST(LargeNumbers, BeyondAnyMemoryAreRefusedByLargeFormsToo) {
  const auto cells_of = [](const std::string& operation, std::uint64_t size_bytes) {
    return "[[cells]]\noperation = \"" + operation + "\"\nsize = " + std::to_string(size_bytes) +
           "\n";
  };
  const auto faults_of_size = [&](const std::string& operation, std::uint64_t size_bytes) {
    return faults_with(cells_of(operation, size_bytes), with_large_forms());
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50U;
  EXPECT_THAT(faults_of_size("allgatherv_c", kMost / 4 + 1),
              ElementsAre(HasSubstr("allgatherv_c: 4 blocks of 281474976710657 bytes are more than "
                                    "any memory has (1024 TiB)")));
  EXPECT_TRUE(resolves(cells_of("allgatherv_c", kMost / 4), with_large_forms()));
  EXPECT_TRUE(resolves(cells_of("bcast_c", kMost), with_large_forms()))
      << "one block, whatever the ranks";
  EXPECT_THAT(faults_of_size("bcast_c", kMost + 1), ElementsAre(HasSubstr("bcast_c: 1 block of ")));
}

TEST(LargeCounts, AreLeftOutForALibraryThatLacksThem) {
  const ResolvedCells resolved =
      resolve_cells(distributed("[[cells]]\noperation = [\"bcast\", \"bcast_c\"]\nsize = 8\n"),
                    with_large_forms(), "c.toml");
  ASSERT_EQ(resolved.cells.size(), 2U);
  EXPECT_THAT(resolved.arms[0], ElementsAre(0U, 1U));
  EXPECT_THAT(resolved.arms[1], ElementsAre(0U));
  ASSERT_EQ(resolved.left_out.size(), 1U);
  EXPECT_EQ(resolved.left_out[0].arm, "b");
  EXPECT_EQ(resolved.left_out[0].reason, "large counts: this library has MPI 3.1 only");
}

TEST(LargeCounts, ThatNoLibraryHasAreRefused) {
  Surroundings machine = with_large_forms();
  for (record::OperationInfo& info : machine.operations[0]) {
    if (info.large_counts) info.missing = "large counts: this library has MPI 3.1 only";
  }
  EXPECT_THAT(faults_with("[[cells]]\noperation = \"bcast_c\"\nsize = 8\n", machine),
              ElementsAre(HasSubstr("no arm can measure any of the cells (bcast_c in a: large "
                                    "counts: this library has MPI 3.1 only)")));
}

record::Cell cell_of(const std::string& operation, const std::string& distribution) {
  return {.operation = operation, .size_bytes = 1000, .ranks = 4, .distribution = distribution};
}

std::vector<std::uint64_t> buffers_of(const std::string& operation,
                                      const std::string& distribution) {
  const record::Cell cell = cell_of(operation, distribution);
  return buffer_bytes(cell, in_catalogue(operation));
}

TEST(DistributedBuffers, AreAsLongAsTheRanksOwnBlocks) {
  // 400, 800, 1200, 1600 bytes; the root of a gather has all of them as well.
  EXPECT_THAT(buffers_of("allgatherv", "linear"), ElementsAre(4400, 4800, 5200, 5600));
  EXPECT_THAT(buffers_of("gatherv", "linear"), ElementsAre(4400, 1600, 2400, 3200));
  EXPECT_THAT(buffers_of("alltoallv", "linear"), Each(8000U)) << "the total on both sides";
  EXPECT_THAT(buffers_of("allgatherv", "one-big"), ElementsAre(4000, 4000, 4000, 8000));
  for (const char* operation : {"allgatherv", "scatterv", "reduce_scatter"}) {
    const auto regular = buffers_of(operation, "regular");
    EXPECT_EQ(regular.size(), 4U);
    const auto drawn = buffers_of(operation, "random:1");
    EXPECT_NE(drawn, regular) << operation;
    if (std::string_view(operation) == "scatterv") continue;  // the root's have no spare block
    EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), std::uint64_t{0}),
              std::accumulate(regular.begin(), regular.end(), std::uint64_t{0}))
        << operation << ": nothing is lost";
  }
}

// A form of allgatherv that talks to neighbours only.
record::OperationInfo to_neighbours() {
  record::OperationInfo info = in_catalogue("allgatherv");
  info.neighbours = true;
  info.buffers = everywhere(kBlock, kNeighbourBlocks);
  return info;
}

TEST(DistributedBuffers, OfNeighboursAreAsLongAsTheirBlocks) {
  record::Cell cell = cell_of("allgatherv", "linear");
  cell.topology = "ring";
  EXPECT_THAT(
      buffer_bytes(cell, to_neighbours()),
      ElementsAre(400 + 1600 + 800, 800 + 400 + 1200, 1200 + 800 + 1600, 1600 + 1200 + 400));
  // 2 x 2 ranks: each neighbour is one in both directions.
  cell.topology = "cartesian";
  EXPECT_THAT(buffer_bytes(cell, to_neighbours()),
              ElementsAre(400 + 2 * (1200 + 800), 800 + 2 * (1600 + 400), 1200 + 2 * (400 + 1600),
                          1600 + 2 * (800 + 1200)));
  // 3 rows of 2: the last rank's neighbours are ranks 1 and 3 above and below, and rank 4 twice.
  cell.ranks = 6;
  cell.distribution = "one-big";
  EXPECT_THAT(buffer_bytes(cell, to_neighbours()), ElementsAre(0, 6000, 0, 6000, 12'000, 6000));
}

// One-big: what is sent to four neighbours arrives four times, not four times at every rank.
TEST(DistributedBuffers, OfNeighboursAreFourTimesTheTotalInAll) {
  record::Cell cell = cell_of("allgatherv", "one-big");
  cell.topology = "cartesian";
  for (const std::uint32_t ranks : {1U, 2U, 7U, 64U, 120U}) {
    cell.ranks = ranks;
    const auto bytes = buffer_bytes(cell, to_neighbours());
    EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}), 5000 * ranks) << ranks;
  }
}

TEST(DistributedBuffers, OfTheRankThatHasMostAreTheMostOfAll) {
  for (const char* operation : {"allgatherv", "gatherv", "scatterv", "alltoallv", "bcast"}) {
    for (const char* distribution : {"regular", "linear", "half-zero", "one-big", "random:1"}) {
      for (const std::uint32_t root : {0U, 3U, record::kRotatingRoot}) {
        record::Cell cell = cell_of(operation, distribution);
        cell.root = root;
        const auto bytes = buffer_bytes(cell, in_catalogue(operation));
        EXPECT_EQ(most_buffer_bytes(cell, in_catalogue(operation)),
                  *std::max_element(bytes.begin(), bytes.end()))
            << operation << ' ' << distribution << ' ' << root;
      }
    }
  }
}

TEST(DistributedSeconds, OfNeighboursAreThoseOfTheLargestBlock) {
  record::Cell cell = cell_of("allgatherv", "one-big");
  cell.topology = "ring";
  cell.size_bytes = 1U << 20U;
  record::Cell as_large = cell;
  as_large.distribution = "regular";
  *as_large.size_bytes *= cell.ranks;
  EXPECT_EQ(rough_seconds(cell, to_neighbours()), rough_seconds(as_large, to_neighbours()));
  as_large.size_bytes = cell.size_bytes;
  const record::OperationInfo to_all = in_catalogue("allgatherv");
  EXPECT_EQ(rough_seconds(cell, to_all), rough_seconds(as_large, to_all)) << "the same total";
}

TEST(ArrayBytes, AreTwoSidesOfAnExchangeAndOneOfACollection) {
  record::Cell cell = cell_of("alltoallv", "linear");
  cell.ranks = 1000;
  EXPECT_EQ(array_bytes(cell, in_catalogue("bcast")), 0U);
  EXPECT_EQ(array_bytes(cell, in_catalogue("allgatherv")), 8'000U);
  EXPECT_EQ(array_bytes(cell, in_catalogue("alltoallv")), 16'000U);
  EXPECT_EQ(array_bytes(cell, in_catalogue("alltoallw")), 24'000U) << "handles of datatypes";
  EXPECT_EQ(array_bytes(cell, with_large_counts("alltoallw")), 40'000U);
  cell.distribution = "random:3";
  EXPECT_EQ(array_bytes(cell, in_catalogue("allgatherv")), 8'000U + 8 * 1001U)
      << "the sums of what was drawn";
}

TEST(VForms, CampaignComparesDistributionsOfThreeOperations) {
  const auto text = base::read_file(std::string(INVAR_SOURCE_DIR) + "/campaigns/v-forms.toml");
  ASSERT_TRUE(text);
  Campaign campaign = read_campaign(*text, "v-forms.toml");
  EXPECT_TRUE(campaign.arms.empty()) << "all libraries that are found";
  campaign.arms = small_campaign(2, 1, 1).arms;
  const ResolvedCells cells = resolve_cells(campaign, surroundings(2, 4), "v-forms.toml");
  std::set<std::string> levels;
  std::set<std::string> operations;
  for (const record::Cell& cell : cells.cells) {
    levels.insert(cell.distribution);
    operations.insert(cell.operation);
  }
  EXPECT_THAT(levels, ElementsAre("linear", "one-big", "random:1", "regular"));
  EXPECT_THAT(operations, ElementsAre("allgatherv", "alltoallv", "reduce_scatter"));
  EXPECT_EQ(cells.cells.size() % (levels.size() * operations.size()), 0U) << "the whole product";
}

}  // namespace
}  // namespace invar::design
