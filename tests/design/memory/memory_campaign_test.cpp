// The campaign of `invar memory`: which cells it has, in how many launch groups, and what it
// refuses.
#include "design/memory/memory_campaign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "design/campaign/campaign.hpp"
#include "design/factors/size_samples.hpp"
#include "design/memory_operations.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using test::with_memory_operations;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = kKiB * kKiB;

MemoryOrder usual_memory(double budget_s = 180) {
  MemoryOrder order;
  order.quick = {.engine_levels = {{"sync", {"round-time"}}}, .budget_s = budget_s, .seed = 5};
  order.machine = {.caches_bytes = {32 * kKiB, kMiB, 32 * kMiB},
                   .widest_bytes = 32,
                   .transparent_huge_pages = true,
                   .cores = 2};
  return order;
}

MemoryOrder with_library(double budget_s = 180) {
  MemoryOrder order = usual_memory(budget_s);
  order.quick.arms = {parse_arm("mpich", "memory")};
  return order;
}

ResolvedCells resolved_memory(const Campaign& campaign) {
  return resolve_cells(campaign, with_memory_operations(8), "memory");
}

std::vector<std::string> faults_with(const MemoryOrder& order) {
  return faults_of([&] { (void)memory_campaign(order); });
}

TEST(MemoryCampaign, WithoutALibraryIsOfOneProcess) {
  const Campaign campaign = memory_campaign(usual_memory());
  EXPECT_EQ(campaign.analysis.question, Question::kMemory);
  ASSERT_THAT(campaign.arms, SizeIs(1));
  EXPECT_EQ(campaign.arms[0].library, "none");
  for (const record::Cell& cell : resolved_memory(campaign).cells) EXPECT_EQ(cell.ranks, 1U);
}

TEST(MemoryCampaign, ReadsHaveAllSizesOfTheDrawInTwoNumbersOfPasses) {
  const ResolvedCells resolved = resolved_memory(memory_campaign(usual_memory()));
  ASSERT_THAT(resolved.samples, SizeIs(2));
  std::map<std::string, std::set<std::uint64_t>> sizes;
  std::map<std::uint64_t, std::set<std::string>> families;
  for (const record::Cell& cell : resolved.cells) {
    EXPECT_EQ(cell.size_bytes.value_or(1) % kKiB, 0U) << "every inner loop divides it";
    const bool usual = cell.width == "widest" && (cell.stride == "packed" || cell.stride == "128");
    if (!usual) continue;
    sizes[cell.operation + " " + cell.loops + " " + cell.pages].insert(cell.size_bytes.value());
    if (cell.operation == "read" && cell.stride == "packed") {
      families[*cell.size_bytes].insert(cell.family);
    }
  }
  const std::vector<std::uint64_t>& reads = resolved.samples.front().sizes_bytes;
  const std::vector<std::uint64_t>& chases = resolved.samples.back().sizes_bytes;
  EXPECT_GT(reads.size(), 30U);
  EXPECT_GT(reads.back(), 64 * kMiB);
  EXPECT_THAT(sizes["read auto default"], IsSupersetOf(reads));
  EXPECT_THAT(sizes["read auto:2 default"], IsSupersetOf(reads));
  EXPECT_GT(chases.size(), 15U);
  EXPECT_LE(chases.back(), 64 * kMiB);
  EXPECT_THAT(sizes["chase auto default"], testing::ElementsAreArray(chases));
  EXPECT_THAT(sizes["chase auto thp"], testing::ElementsAreArray(chases));
  for (const auto& [size, of_size] : families) {
    EXPECT_THAT(of_size, SizeIs(1)) << "both are measured together";
    EXPECT_THAT(of_size, Each(Not(IsEmpty())));
  }
}

// A family is in one launch group as in another.
TEST(MemoryCampaign, DrawnSizesMayBeThoseOfOtherKernels) {
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MemoryOrder order = usual_memory();
    order.quick.seed = seed;
    order.sizes = SizeRange{.low_bytes = 4 * kKiB, .high_bytes = 64 * kKiB};
    const Campaign campaign = memory_campaign(order);
    const auto samples = size_samples(campaign);
    for (const std::uint64_t size : samples.front().sizes_bytes) {
      met += size == 16 * kKiB ? 1 : 0;
    }
    EXPECT_NO_THROW((void)resolved_memory(campaign)) << seed;
  }
  EXPECT_GT(met, 5U);
}

TEST(MemoryCampaign, OtherKernelsAreAtHalfOfEachCacheAndBeyondAll) {
  const ResolvedCells resolved = resolved_memory(memory_campaign(usual_memory()));
  std::map<std::string, std::set<std::uint64_t>> sizes;
  std::set<std::string> widths;
  for (const record::Cell& cell : resolved.cells) {
    if (resolved.sampled.contains(cell.id)) continue;
    sizes[cell.operation].insert(cell.size_bytes.value());
    widths.insert(cell.width);
  }
  for (const char* operation : {"read", "write", "write_nt", "copy", "triad"}) {
    EXPECT_THAT(sizes[operation], IsSupersetOf({16 * kKiB, kMiB / 2, 16 * kMiB, 64 * kMiB}))
        << operation;
  }
  for (const char* operation : {"copy_nt", "triad_nt"}) {
    EXPECT_THAT(sizes[operation], ElementsAre(64 * kMiB)) << operation;
  }
  EXPECT_THAT(widths, testing::UnorderedElementsAre("widest", "4", "8", "16", "32"))
      << "this processor has no wider ones";
}

TEST(MemoryCampaign, WithALibraryAlsoFromOneToAllRanks) {
  MemoryOrder order = with_library();
  order.quick.cell_levels["ranks"] = {"6"};
  order.machine.cores = 6;
  const ResolvedCells resolved = resolved_memory(memory_campaign(order));
  std::map<std::string, std::set<std::uint32_t>> ranks;
  std::set<std::uint32_t> drawn;
  for (const record::Cell& cell : resolved.cells) {
    ranks[cell.operation].insert(cell.ranks);
    if (resolved.sampled.contains(cell.id)) drawn.insert(cell.ranks);
  }
  EXPECT_THAT(ranks["triad"], ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(ranks["copy"], ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(ranks["chase"], ElementsAre(1));
  EXPECT_THAT(drawn, ElementsAre(1, 6)) << "one, and all at once";
}

TEST(MemoryCampaign, MoreRanksThanCoresAreOneFault) {
  MemoryOrder order = with_library();
  order.quick.cell_levels["ranks"] = {"64"};
  order.machine.cores = 2;
  EXPECT_THAT(faults_with(order), ElementsAre(testing::HasSubstr("64 ranks, a core for each")));
}

TEST(MemoryCampaign, EverySizeIsInFiveOfItsLeastLaunchGroups) {
  const Campaign campaign = memory_campaign(usual_memory());
  const ResolvedCells resolved = resolved_memory(campaign);
  Counters counters;
  const record::Plan plan = plan_groups(campaign, resolved, campaign.launches.min, counters);
  std::map<std::uint32_t, std::set<std::uint32_t>> groups;
  for (const record::PlanRow& row : plan.rows) groups[row.cell].insert(row.group);
  EXPECT_EQ(groups.size(), resolved.cells.size());
  for (const auto& [cell, of_cell] : groups) EXPECT_GE(of_cell.size(), kLeastGroupsOfSize);
}

// Also of two minutes with two ranks, and three without a library.
TEST(MemoryCampaign, ItsLeastGroupsFitIntoTheBudgetByTheEstimate) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (MemoryOrder order : {usual_memory(180), with_library(120), with_library(180)}) {
      order.quick.seed = seed;
      const Campaign campaign = memory_campaign(order);
      const ResolvedCells resolved = resolved_memory(campaign);
      Counters counters;
      const record::Plan plan = plan_groups(campaign, resolved, campaign.launches.min, counters);
      const std::vector<double> startup_s{0.3};
      const double seconds = estimate(campaign, resolved, plan, startup_s).seconds;
      EXPECT_LT(seconds, 0.9 * order.quick.budget_s) << seed;
      EXPECT_GT(seconds, 0.2 * order.quick.budget_s) << "there is room for more sizes";
    }
  }
}

TEST(MemoryCampaign, MoreTimeIsMoreSizes) {
  const auto sizes = [](double budget_s) {
    return size_samples(memory_campaign(usual_memory(budget_s))).front().sizes_bytes.size();
  };
  EXPECT_LT(sizes(120), sizes(600));
  EXPECT_LE(sizes(1e6), 240U);
}

TEST(MemoryCampaign, AnUnknownMachineIsMeasuredAllTheSame) {
  MemoryOrder order = usual_memory();
  order.machine = {};
  const ResolvedCells resolved = resolved_memory(memory_campaign(order));
  for (const record::Cell& cell : resolved.cells) EXPECT_NE(cell.pages, "thp");
  std::set<std::uint64_t> sizes;
  for (const record::Cell& cell : resolved.cells) sizes.insert(cell.size_bytes.value());
  EXPECT_GE(*sizes.rbegin(), 32 * kMiB);
}

TEST(MemoryCampaign, OtherFactorsAreForAllCells) {
  MemoryOrder order = usual_memory();
  order.quick.cell_levels["policy"] = {"nice:5"};
  for (const record::Cell& cell : resolved_memory(memory_campaign(order)).cells) {
    EXPECT_EQ(cell.policy, "nice:5");
  }
}

TEST(MemoryCampaign, SurvivesWritingAndReading) {
  const Campaign campaign = memory_campaign(with_library());
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "again"), campaign);
}

TEST(MemoryCampaign, EveryFaultIsTold) {
  MemoryOrder order = usual_memory();
  order.sizes = SizeRange{.low_bytes = 4 * kKiB, .high_bytes = 8 * kKiB};
  order.quick.cell_levels = {
      {"loops", {"7"}}, {"ranks", {"4"}}, {"nodes", {"2"}}, {"width", {"8"}}};
  EXPECT_THAT(faults_with(order),
              AllOf(SizeIs(5), Contains(HasSubstr("--with: 'loops' is what this campaign varies")),
                    Contains(HasSubstr("--with: 'width' is what this campaign varies")),
                    Contains(HasSubstr("--with: 'nodes' is about several hosts")),
                    Contains(HasSubstr("--ranks: 4 ranks need an MPI library")),
                    Contains(HasSubstr("--sizes: from 4 KiB to 8 KiB there are"))));
  order = usual_memory();
  order.sizes = SizeRange{.low_bytes = 1, .high_bytes = 100};
  EXPECT_THAT(faults_with(order),
              ElementsAre(HasSubstr("--sizes: no multiple of 1 KiB is from 1 B to 100 B")));
  order = with_library();
  order.quick.cell_levels["ranks"] = {"2", "4"};
  EXPECT_THAT(faults_with(order), ElementsAre(HasSubstr("name the largest")));
}

}  // namespace
}  // namespace invar::design
