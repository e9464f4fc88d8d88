#include "design/messages/network_campaign.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/size_samples.hpp"
#include "record/factors.hpp"

namespace invar::design {
namespace {

// Few repetitions of many cells: what differs are launches.
constexpr std::uint32_t kNetworkRounds = 2;
constexpr std::uint32_t kNetworkRepetitions = 10;
constexpr std::uint32_t kMostNetworkGroups = 200;

// Launch groups that have all sizes, so that a launch prepares a fifth of them.
constexpr std::uint32_t kNetworkParts = 5;
// Sizes for a second of the budget, fewest and most: 200 for three minutes.
constexpr double kSizesPerSecond = 200.0 / 180.0;
constexpr std::uint32_t kFewestNetworkSizes = 50;
constexpr std::uint32_t kMostNetworkSizes = 400;
// Two pieces of five sizes each: below there is nothing to divide.
constexpr std::size_t kLeastNetworkSizes = 10;
constexpr std::uint32_t kHeldOut = 10;
// That may be added where a fit breaks.
constexpr std::uint32_t kMostAddedSizes = 60;

// The receiver comes three of the call's own times late, by which its message has arrived; twice as
// late at few sizes, where overheads must be the same.
constexpr const char* kLate = "last-late:3x";
constexpr const char* kTwiceAsLate = "last-late:6x";
constexpr std::uint32_t kEveryTwiceAsLate = 20;

// Trains of one message and of several, of which each costs as much as all its messages; with
// delays, as much as a hundred.
constexpr const char* kTrainOfOne = "1";
constexpr const char* kTrainOfMany = "10";
constexpr std::uint32_t kEveryTrain = 2;
constexpr const char* kTrainDelay = "1x";
constexpr std::uint32_t kEveryDelayedTrain = 8;

// What several messages at once reach together: the largest power of two, and each a quarter of the
// one before, because the machine's caches say at which size that is most.
constexpr std::uint32_t kSharedSizes = 3;
constexpr std::uint64_t kSharedStep = 4;
// Below this size the time of a byte is next to nothing beside that of a call.
constexpr std::uint64_t kLeastSharedBytes = 64;

// What the recipe says itself.
constexpr std::array<std::string_view, 6> kRecipeKeys{"arrival", "receives",    "window",
                                                      "pattern", "train-delay", "batches"};

void refuse_recipe_keys(const Levels& levels, base::Faults& faults) {
  for (const std::string_view key : kRecipeKeys) {
    if (!levels.contains(key)) continue;
    faults.add("--with",
               "'" + std::string(key) + "' is what tells the parts of the model from each other",
               "leave it out; a campaign of your own may have any: invar init --all");
  }
}

// The level, where there is one.
std::optional<std::uint64_t> only_level(const Levels& levels, std::string_view key,
                                        base::Faults& faults) {
  const auto found = levels.find(key);
  if (found == levels.end()) return std::nullopt;
  if (found->second.size() == 1) return base::parse_u64(found->second.front());
  const bool option = key == "ranks";
  faults.add(option ? "--ranks" : "--with",
             (option ? "" : std::string(key) + " ") + base::join(found->second, ", ") +
                 " are several numbers, and a network is measured between two ranks",
             "name one, and measure the others in campaigns of their own");
  return std::nullopt;
}

class NetworkCampaign {
 public:
  explicit NetworkCampaign(const NetworkOrder& order)
      : order_(order), common_(order.quick.cell_levels) {
    const double sizes = std::round(order.quick.budget_s * kSizesPerSecond);
    const auto count = static_cast<std::uint32_t>(
        std::clamp<double>(sizes, kFewestNetworkSizes, kMostNetworkSizes));
    draw_ = {.low_bytes = order.sizes.low_bytes,
             .high_bytes = order.sizes.high_bytes,
             .count = count,
             .per_launch = (count + kNetworkParts - 1) / kNetworkParts,
             .hold_out = kHeldOut};
  }

  Campaign make() {
    Campaign campaign = begin_campaign(order_.quick, "network", Question::kNetwork);
    campaign.engine.hosts = order_.hosts;
    campaign.engine.hostfile = order_.hostfile;
    campaign.rounds = kNetworkRounds;
    campaign.repetitions = kNetworkRepetitions;
    base::Faults faults;
    refuse_recipe_keys(common_, faults);
    choose_pair(faults);
    base::collect(faults, [&] { label_arms(campaign.arms, "network"); });
    add_blocks(campaign);
    const std::vector<SizeSample> samples = size_samples(campaign);
    const SizeSample& sample = samples.front();
    campaign.launches = {.min = kLeastGroupsOfSize * sample.parts, .max = kMostNetworkGroups};
    if (sample.sizes_bytes.size() < kLeastNetworkSizes) {
      faults.add("--sizes",
                 "from " + base::size_text(draw_.low_bytes) + " to " +
                     base::size_text(draw_.high_bytes) + " there are " +
                     base::count_text(sample.sizes_bytes.size(), "size") +
                     ", and lines in pieces need " + std::to_string(kLeastNetworkSizes),
                 "write a longer range, as in 1:4MiB");
    }
    faults.throw_if_any();
    return campaign;
  }

 private:
  // The last rank is the one that can be late: it receives.
  void choose_pair(base::Faults& faults) {
    const std::optional<std::uint64_t> ranks = only_level(common_, "ranks", faults);
    const std::optional<std::uint64_t> nodes = only_level(common_, "nodes", faults);
    const std::optional<std::uint64_t> ppn = only_level(common_, "ppn", faults);
    const bool told =
        common_.contains("ranks") || common_.contains("nodes") || common_.contains("ppn");
    if (!told && (order_.hosts.size() > 1 || !order_.hostfile.empty())) {
      common_["nodes"] = {"2"};
      common_["ppn"] = {"1"};
    } else if (!told) {
      common_["ranks"] = {"2"};
    } else if (ranks) {
      ranks_ = *ranks;
      if (*ranks < 2) faults.add("--ranks", "one rank sends to nobody", "write 2 or more");
    } else if (nodes && ppn) {
      ranks_ = *nodes * *ppn;
      if (ranks_ < 2) faults.add("--with", "one rank sends to nobody", "write ppn=2 or nodes=2");
    } else if (!common_.contains("ranks")) {
      faults.add("--with", "of nodes and ppn one alone does not say which rank is the last one",
                 "write both, as in --with nodes=2 --with ppn=1, or --ranks");
    }
    if (ranks_ > 2) common_["pattern"] = {"distance:" + std::to_string(ranks_ - 1)};
  }

  [[nodiscard]] CellsBlock block_of(std::vector<std::string> operations,
                                    std::uint32_t every = 1) const {
    CellsBlock block{
        .operations = std::move(operations), .random_sizes = {draw_}, .levels = common_};
    block.random_sizes.front().every = every;
    return block;
  }

  // More sizes where its fit breaks.
  [[nodiscard]] CellsBlock with_breaks(CellsBlock block) const {
    block.adaptive.push_back({.low_bytes = draw_.low_bytes,
                              .high_bytes = draw_.high_bytes,
                              .separation_share = kBreakSeparation,
                              .most = draw_.count + kMostAddedSizes,
                              .rule = RefinementRule::kBreaks});
    return block;
  }

  // A level of the block's own beside those that all have.
  [[nodiscard]] static CellsBlock with_level(CellsBlock block, const char* key,
                                             std::vector<std::string> levels) {
    block.levels[key] = std::move(levels);
    return block;
  }

  void add_blocks(Campaign& campaign) const {
    std::vector<CellsBlock>& cells = campaign.cells;
    // One by one also where they are short: a line must not begin with batches and go on without.
    cells.push_back(with_breaks(with_level(block_of({"pingpong"}), "batches", {"never"})));
    cells.push_back(with_breaks(block_of({"send", "isend"})));
    cells.push_back(block_of({"ssend"}));
    cells.push_back(with_breaks(with_level(block_of({"send"}), "arrival", {kLate})));
    cells.push_back(with_breaks(with_level(with_level(block_of({"recv"}), "arrival", {kLate}),
                                           "receives", {"in-call", "before"})));
    cells.push_back(with_level(block_of({"recv"}, kEveryTwiceAsLate), "arrival", {kTwiceAsLate}));
    cells.push_back(
        with_level(block_of({"train"}, kEveryTrain), "window", {kTrainOfOne, kTrainOfMany}));
    cells.push_back(
        with_level(with_level(block_of({"train"}, kEveryDelayedTrain), "window", {kTrainOfMany}),
                   "train-delay", {kTrainDelay}));
    if (CellsBlock together = shared(); !together.sizes_bytes.empty()) {
      cells.push_back(std::move(together));
    }
    cells.push_back(single_calls());
  }

  // Every rank of an even number of them sends and receives at once. Ranks that are dealt out in
  // another way than host after host might meet inside a host: there it is the pair alone.
  [[nodiscard]] CellsBlock shared() const {
    CellsBlock block{.operations = {"exchange"}, .levels = common_};
    std::uint64_t size = std::bit_floor(draw_.high_bytes);
    const std::uint64_t least = std::max(draw_.low_bytes, kLeastSharedBytes);
    for (std::uint32_t i = 0; i < kSharedSizes && size >= least; ++i, size /= kSharedStep) {
      block.sizes_bytes.push_back(size);
    }
    std::ranges::reverse(block.sizes_bytes);
    block.levels["batches"] = {"never"};
    const bool in_order = !common_.contains("mapping") && !common_.contains("rank-order");
    if (ranks_ > 2 && ranks_ % 2 == 0 && in_order) block.levels["pattern"] = {"bisection"};
    return block;
  }

  // They have no messages: what is said of these is not said of them.
  [[nodiscard]] CellsBlock single_calls() const {
    CellsBlock block{.operations = {"wtime", "test", "iprobe"}};
    for (const auto& [key, levels] : common_) {
      const record::Factor* factor = record::find_factor_by_key(key);
      if (factor->applies == nullptr) block.levels[key] = levels;
    }
    return block;
  }

  const NetworkOrder& order_;
  Levels common_;
  std::uint64_t ranks_ = 2;
  RandomSizes draw_ = {};
};

}  // namespace

Campaign network_campaign(const NetworkOrder& order) { return NetworkCampaign(order).make(); }

}  // namespace invar::design
