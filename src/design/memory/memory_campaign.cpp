#include "design/memory/memory_campaign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/size_samples.hpp"
#include "record/factors.hpp"
#include "record/memory/levels.hpp"

namespace invar::design {
namespace {

// Two visits in each launch: what differs between launches is told from what differs inside them.
constexpr std::uint32_t kMemoryRounds = 2;
constexpr std::uint32_t kMemoryRepetitions = 6;
constexpr std::uint32_t kMostMemoryGroups = 200;

// Launch groups that have all sizes.
constexpr std::uint32_t kMemoryParts = 2;
// Sizes for a second of what the other cells leave of the budget, fewest and most: 40 for three
// minutes.
constexpr double kSecondsOfOthers = 45;
constexpr double kMemorySizesPerSecond = 0.3;
constexpr std::uint32_t kFewestMemorySizes = 20;
constexpr std::uint32_t kMostMemorySizes = 240;
// Three plateaus of four sizes each: below there is nothing to find.
constexpr std::uint32_t kLeastMemorySizes = 12;
// Chains are slow beyond the caches, where they take most of the time: they have a draw of half as
// many sizes that ends at half.
constexpr std::uint32_t kChainShare = 2;
// Two of these may be drawn twice.
constexpr std::uint32_t kFewestChainSizes = kLeastMemorySizes + 2;
constexpr std::uint32_t kEveryOfAllCores = 2;

constexpr std::uint64_t kSizeStep = std::uint64_t{1} << 10U;
constexpr std::uint64_t kSmallestBuffer = std::uint64_t{4} << 10U;
// Where no cache is known, and what lies beyond all of them at least.
constexpr std::array<std::uint64_t, 3> kUnknownCaches{
    std::uint64_t{32} << 10U, std::uint64_t{1} << 20U, std::uint64_t{32} << 20U};
constexpr std::uint64_t kLeastBeyond = std::uint64_t{32} << 20U;
// Sizes of a campaign are below 2 GiB.
constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 30U;

// Twice as many passes beside as many as the engine chooses: what is the same for both is not a
// pass.
const std::vector<std::string> kPasses{"auto", "auto:2"};
const std::vector<std::string> kUnrolls{"1", "8"};
const std::vector<std::string> kStrides{"64", "128", "256"};

// What the recipe says itself.
constexpr std::array<std::string_view, 8> kMemoryRecipeKeys{
    "stride", "width", "unroll", "loops", "chains", "access", "pages", "batches"};

void refuse_keys_of_recipe(const Levels& levels, base::Faults& faults) {
  for (const std::string_view key : kMemoryRecipeKeys) {
    if (!levels.contains(key)) continue;
    faults.add("--with",
               "'" + std::string(key) + "' is what this campaign varies, each where it says most",
               "leave it out; a campaign of your own may have any: campaigns/memory.toml");
  }
  for (const std::string_view key : {"nodes", "ppn"}) {
    if (!levels.contains(key)) continue;
    faults.add("--with", "'" + std::string(key) + "' is about several hosts, and memory is one's",
               "write --ranks, and measure other hosts there");
  }
}

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + kSizeStep - 1) / kSizeStep * kSizeStep;
}

class MemoryCampaign {
 public:
  explicit MemoryCampaign(const MemoryOrder& order)
      : order_(order),
        common_(order.quick.cell_levels),
        caches_(order.machine.caches_bytes),
        most_ranks_(order.machine.cores) {
    if (caches_.empty()) caches_.assign(kUnknownCaches.begin(), kUnknownCaches.end());
    const double sizes =
        std::round((order.quick.budget_s - kSecondsOfOthers) * kMemorySizesPerSecond);
    const auto count =
        static_cast<std::uint32_t>(std::clamp<double>(sizes, kFewestMemorySizes, kMostMemorySizes));
    const SizeRange range = order.sizes.value_or(
        SizeRange{.low_bytes = kSmallestBuffer,
                  .high_bytes = std::clamp(4 * caches_.back(), 2 * kLeastBeyond, kLargestBuffer)});
    draw_ = {.low_bytes = range.low_bytes,
             .high_bytes = range.high_bytes,
             .count = count,
             .multiple_bytes = kSizeStep,
             .per_launch = (count + kMemoryParts - 1) / kMemoryParts};
    chain_draw_ = draw_;
    chain_draw_.high_bytes = std::max(draw_.high_bytes / kChainShare, draw_.low_bytes);
    chain_draw_.count = std::max(count / kChainShare, kFewestChainSizes);
    chain_draw_.per_launch = (chain_draw_.count + kMemoryParts - 1) / kMemoryParts;
  }

  Campaign make() {
    Campaign campaign = begin_campaign(order_.quick, "memory", Question::kMemory);
    if (campaign.arms.empty())
      campaign.arms.push_back({.library = std::string(record::kNoLibrary)});
    campaign.rounds = kMemoryRounds;
    campaign.repetitions = kMemoryRepetitions;
    campaign.together = {"loops"};
    base::Faults faults;
    refuse_keys_of_recipe(common_, faults);
    choose_ranks(campaign, faults);
    base::collect(faults, [&] { label_arms(campaign.arms, "memory"); });
    add_blocks(campaign);
    check_sizes(campaign, faults);
    faults.throw_if_any();
    return campaign;
  }

 private:
  void choose_ranks(const Campaign& campaign, base::Faults& faults) {
    const bool alone = std::ranges::any_of(
        campaign.arms, [](const Arm& arm) { return arm.library == record::kNoLibrary; });
    if (alone) most_ranks_ = 1;
    const auto written = common_.find("ranks");
    if (written == common_.end()) return;
    if (written->second.size() != 1) {
      faults.add("--ranks",
                 base::join(written->second, ", ") +
                     " are several numbers, and 1 to the largest of them are measured anyway",
                 "name the largest");
    } else {
      const auto ranks = base::parse_u64(written->second.front()).value_or(1);
      if (alone && ranks > 1) {
        faults.add("--ranks",
                   std::to_string(ranks) +
                       " ranks need an MPI library, and without ARM (or with '" +
                       std::string(record::kNoLibrary) + "') there is one process",
                   "name a library of 'invar mpi list', or leave --ranks out");
      } else if (!alone && ranks > order_.machine.cores) {
        faults.add("--ranks",
                   std::to_string(ranks) + " ranks, a core for each, and " +
                       base::count_text(order_.machine.cores, "core") + " here",
                   "write " + std::to_string(order_.machine.cores) + " or less");
      } else if (!alone) {
        most_ranks_ = static_cast<std::uint32_t>(ranks);
      }
    }
    common_.erase("ranks");
  }

  void check_sizes(Campaign& campaign, base::Faults& faults) const {
    const std::string range =
        "from " + base::size_text(draw_.low_bytes) + " to " + base::size_text(draw_.high_bytes);
    const std::string remedy = "write a longer range, as in 4KiB:256MiB";
    if (draw_.high_bytes / kSizeStep * kSizeStep < std::max(draw_.low_bytes, kSizeStep)) {
      faults.add("--sizes", "no multiple of 1 KiB is " + range, remedy);
      return;
    }
    const std::vector<SizeSample> samples = size_samples(campaign);
    const SizeSample& sample = samples.front();
    std::uint32_t parts = 1;
    for (const SizeSample& one : samples) parts = std::max(parts, one.parts);
    campaign.launches = {.min = kLeastGroupsOfSize * parts, .max = kMostMemoryGroups};
    if (sample.sizes_bytes.size() >= kLeastMemorySizes) return;
    faults.add("--sizes",
               range + " there are " + base::count_text(sample.sizes_bytes.size(), "size") +
                   " that are multiples of 1 KiB, and plateaus need " +
                   std::to_string(kLeastMemorySizes),
               remedy);
  }

  // Half of each cache, which is in it whatever else is, and beyond all; of these what lies in the
  // range that was asked for.
  [[nodiscard]] std::vector<std::uint64_t> places(bool beyond) const {
    std::vector<std::uint64_t> sizes;
    for (const std::uint64_t cache : caches_) sizes.push_back(rounded_up(cache / 2));
    if (beyond) sizes.push_back(rounded_up(beyond_bytes()));
    std::erase_if(sizes, [&](std::uint64_t size) {
      return size < draw_.low_bytes || size > draw_.high_bytes;
    });
    return sizes;
  }
  [[nodiscard]] std::uint64_t beyond_bytes() const {
    return std::min(std::max(2 * caches_.back(), kLeastBeyond), draw_.high_bytes);
  }

  [[nodiscard]] CellsBlock block_of(std::vector<std::string> operations,
                                    std::vector<std::uint64_t> sizes_bytes) const {
    CellsBlock block{.operations = std::move(operations),
                     .sizes_bytes = std::move(sizes_bytes),
                     .levels = common_};
    block.levels["ranks"] = {"1"};
    return block;
  }

  // One size in `every` of the draw.
  [[nodiscard]] CellsBlock drawn_block(std::vector<std::string> operations, const RandomSizes& draw,
                                       std::uint32_t every = 1) const {
    CellsBlock block = block_of(std::move(operations), {});
    block.random_sizes = {draw};
    block.random_sizes.front().every = every;
    return block;
  }

  static void add_with(
      Campaign& campaign, CellsBlock block,
      const std::vector<std::pair<const char*, std::vector<std::string>>>& levels) {
    // Where nothing of a range is half of a cache.
    if (!block.has_sizes()) return;
    for (const auto& [key, of_key] : levels) block.levels[key] = of_key;
    campaign.cells.push_back(std::move(block));
  }

  [[nodiscard]] std::vector<std::string> widths() const {
    std::vector<std::string> found;
    for (const std::string_view word : record::kWidths) {
      const auto width = record::parse_width(word).value_or(0);
      if (width > 0 && width <= order_.machine.widest_bytes) found.emplace_back(word);
    }
    return found;
  }

  // 2, 4, 8, ... and the most.
  [[nodiscard]] std::vector<std::string> rank_counts() const {
    std::vector<std::string> counts;
    for (std::uint64_t ranks = 2; ranks < most_ranks_; ranks *= 2) {
      counts.push_back(std::to_string(ranks));
    }
    if (most_ranks_ > 1) counts.push_back(std::to_string(most_ranks_));
    return counts;
  }

  void add_blocks(Campaign& campaign) const {
    add_with(campaign, drawn_block({"read"}, draw_), {{"loops", kPasses}});
    std::vector<std::string> pages{"default"};
    if (order_.machine.transparent_huge_pages) pages.emplace_back("thp");
    add_with(campaign, drawn_block({"chase"}, chain_draw_), {{"pages", pages}});
    // A drawn size may be one of these, and then both numbers of passes are in every launch.
    add_with(campaign, block_of({"read"}, places(true)), {{"loops", kPasses}});
    add_with(campaign, block_of({"write", "write_nt", "copy", "triad"}, places(true)), {});
    add_with(campaign, block_of({"copy_nt", "triad_nt"}, {rounded_up(beyond_bytes())}), {});
    std::vector<std::uint64_t> caches = places(false);
    if (caches.size() > 2) caches.resize(2);
    if (const std::vector<std::string> all = widths(); all.size() > 1) {
      add_with(campaign, block_of({"read"}, caches), {{"width", all}, {"unroll", kUnrolls}});
    }
    std::vector<std::uint64_t> outer = places(false);
    if (!outer.empty()) outer.erase(outer.begin());
    add_with(campaign, block_of({"read"}, outer), {{"stride", kStrides}});
    if (most_ranks_ == 1) return;
    add_with(campaign, drawn_block({"read"}, draw_, kEveryOfAllCores),
             {{"ranks", {std::to_string(most_ranks_)}}});
    add_with(campaign, block_of({"read", "copy", "triad"}, {rounded_up(beyond_bytes())}),
             {{"ranks", rank_counts()}});
  }

  const MemoryOrder& order_;
  Levels common_;
  std::vector<std::uint64_t> caches_;
  std::uint32_t most_ranks_;
  RandomSizes draw_ = {};
  RandomSizes chain_draw_ = {};
};

}  // namespace

Campaign memory_campaign(const MemoryOrder& order) { return MemoryCampaign(order).make(); }

}  // namespace invar::design
