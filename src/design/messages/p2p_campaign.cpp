#include "design/messages/p2p_campaign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/sizes.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::design {
namespace {

// Few repetitions of many cells: what differs are launches.
constexpr std::uint32_t kMessageRounds = 4;
constexpr std::uint32_t kMessageRepetitions = 20;

// Small, in the middle, and where messages are long.
constexpr std::array<std::uint64_t, 3> kOneWaySizes{8, 1024, 65536};
constexpr std::uint64_t kQueueSize = 8;
constexpr std::array<std::uint32_t, 4> kQueueCounts{1, 16, 256, 4096};

// Factors that ask another question: what computation hides of a message.
constexpr std::array<std::string_view, 4> kOfOverlap{"compute", "compute-kernel", "compute-side",
                                                     "progress-calls"};

constexpr std::string_view kPatternKey = "pattern";
constexpr std::string_view kWindowKey = "window";
constexpr std::string_view kPendingKey = "pending";
constexpr std::string_view kUnexpectedKey = "unexpected";
// Keys that only some of the blocks have.
constexpr std::array<std::string_view, 4> kOwnKeys{kPatternKey, kWindowKey, kPendingKey,
                                                   kUnexpectedKey};

void refuse_overlap(const Levels& levels, base::Faults& faults) {
  for (const std::string_view key : kOfOverlap) {
    if (!levels.contains(key)) continue;
    faults.add("--with", "'" + std::string(key) + "' asks what computation hides of a message",
               "leave it out; invar run campaigns/overlap.toml measures that");
  }
}

// Who talks to whom. Throws UserError where that is not one pattern.
record::Pattern pattern_asked(const Levels& levels) {
  const auto asked = levels.find(kPatternKey);
  if (asked == levels.end()) {
    return *record::parse_pattern(record::usual_pattern(record::Messages::kMatched));
  }
  const std::optional<record::Pattern> pattern =
      asked->second.size() == 1 ? record::parse_pattern(asked->second.front()) : std::nullopt;
  if (!pattern) {
    throw base::UserError(
        "--with", "pattern " + base::join(asked->second, ", ") + " is more than one pattern",
        "name one, as in pattern=distance:1; invar race ARM... --operation pingpong --against "
        "pattern compares several");
  }
  return *pattern;
}

// All sizes that are known beforehand, ascending.
std::vector<std::uint64_t> sizes_beforehand(const QuickOrder& quick) {
  std::vector<std::uint64_t> sizes = quick.sizes_bytes;
  for (const AdaptiveSizes& asked : quick.adaptive) {
    const std::vector<std::uint64_t> first = first_sizes(asked, 1);
    sizes.insert(sizes.end(), first.begin(), first.end());
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// The one that is fewest times as large or as small as this; sizes of 0 only where there is no
// other.
std::uint64_t nearest_size(const std::vector<std::uint64_t>& sizes, std::uint64_t wanted) {
  const auto distance = [wanted](std::uint64_t size) {
    return size == 0 ? 1e9
                     : std::abs(std::log(static_cast<double>(size) / static_cast<double>(wanted)));
  };
  return *std::ranges::min_element(sizes, {}, distance);
}

std::vector<std::uint64_t> one_way_sizes(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::uint64_t> chosen;
  for (const std::uint64_t wanted : kOneWaySizes) {
    const std::uint64_t size = nearest_size(sizes, wanted);
    if (std::ranges::find(chosen, size) == chosen.end()) chosen.push_back(size);
  }
  return chosen;
}

// Sizes of messages in a row, up to `most_bytes`. Written sizes stay as they are. A range in which
// others are chosen later has its powers of two: rates of streams follow smooth curves, where those
// of ping-pongs have steps.
std::vector<std::uint64_t> stream_sizes(const P2pOrder& order, std::uint64_t most_bytes) {
  std::vector<std::uint64_t> sizes = order.quick.sizes_bytes;
  for (const AdaptiveSizes& asked : order.quick.adaptive) {
    const auto powers = sizes_by_factor(std::max<std::uint64_t>(asked.low_bytes, 1),
                                        std::max(asked.high_bytes, order.stream_bytes), 2);
    if (powers.value) sizes.insert(sizes.end(), powers.value->begin(), powers.value->end());
  }
  std::erase_if(sizes, [most_bytes](std::uint64_t size) { return size == 0 || size > most_bytes; });
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Larger ones: of a range the largest, a quarter of that, and so on, because each costs as much as
// a call may.
std::vector<std::uint64_t> long_stream_sizes(const P2pOrder& order, std::uint64_t above_bytes) {
  constexpr std::uint64_t kApart = 4;
  std::vector<std::uint64_t> sizes = order.quick.sizes_bytes;
  for (const AdaptiveSizes& asked : order.quick.adaptive) {
    const std::uint64_t high =
        std::min(std::max(asked.high_bytes, order.stream_bytes), kLargestStreamBytes);
    for (std::uint64_t size = high; size > above_bytes && size >= asked.low_bytes; size /= kApart) {
      sizes.push_back(size);
    }
  }
  std::erase_if(sizes, [above_bytes](std::uint64_t size) {
    return size <= above_bytes || size > kLargestStreamBytes;
  });
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::string> queue_levels(std::initializer_list<record::QueueKind> kinds) {
  std::vector<std::string> levels;
  for (const record::QueueKind kind : kinds) {
    for (const std::uint32_t count : kQueueCounts) {
      levels.push_back(record::queue_text({.kind = kind, .count = count}));
    }
  }
  return levels;
}

class MessageCampaign {
 public:
  explicit MessageCampaign(const P2pOrder& order)
      : order_(order), sizes_(sizes_beforehand(order.quick)), common_(order.quick.cell_levels) {
    for (const std::string_view key : kOwnKeys) {
      if (const auto own = common_.find(key); own != common_.end()) common_.erase(own);
    }
    choose_team();
  }

  Campaign make() {
    Campaign campaign = begin_campaign(order_.quick, "p2p", Question::kP2p);
    campaign.engine.hosts = order_.hosts;
    campaign.engine.hostfile = order_.hostfile;
    campaign.rounds = kMessageRounds;
    campaign.repetitions = kMessageRepetitions;
    campaign.analysis.presets = order_.presets;
    base::Faults faults;
    refuse_overlap(order_.quick.cell_levels, faults);
    refuse_wide_windows(faults);
    base::collect(faults, [&] { pattern_ = pattern_asked(order_.quick.cell_levels); });
    base::collect(faults, [&] { label_arms(campaign.arms, "p2p"); });
    faults.throw_if_any();
    campaign.cells.push_back(ping_pongs());
    for (CellsBlock& block : streams()) campaign.cells.push_back(std::move(block));
    if (!between_hosts()) add_one_way(campaign);
    for (CellsBlock& block : queues()) campaign.cells.push_back(std::move(block));
    for (const Conflict& conflict : adaptive_conflicts(campaign)) {
      faults.add("--size", conflict.what, conflict.remedy);
    }
    faults.throw_if_any();
    return campaign;
  }

 private:
  void choose_team() {
    const bool told =
        common_.contains("ranks") || common_.contains("nodes") || common_.contains("ppn");
    if (told) return;
    if (order_.hosts.size() > 1 || !order_.hostfile.empty()) {
      common_["nodes"] = {"2"};
      common_["ppn"] = {"1"};
    } else {
      common_["ranks"] = {"2"};
    }
  }

  // What no size has would be left out without a word.
  void refuse_wide_windows(base::Faults& faults) const {
    const auto asked = order_.quick.cell_levels.find(kWindowKey);
    const auto smallest = std::ranges::find_if(sizes_, [](std::uint64_t size) { return size > 0; });
    if (asked == order_.quick.cell_levels.end() || smallest == sizes_.end()) return;
    for (const std::string& level : asked->second) {
      const std::uint64_t window = base::parse_u64(level).value_or(0);
      if (window <= kMostInFlightBytes / *smallest) continue;
      faults.add("--with",
                 "window " + level + ": so many messages of " + base::size_text(*smallest) +
                     " are more than the " + base::size_text(kMostInFlightBytes) +
                     " that are in flight at most",
                 "take a smaller one");
    }
  }

  [[nodiscard]] bool between_hosts() const {
    const auto nodes = common_.find("nodes");
    return nodes != common_.end() &&
           std::ranges::any_of(nodes->second, [](const auto& level) { return level != "1"; });
  }

  // Only a pattern that was asked for is written: the usual one follows from the operation.
  void set_pattern(Levels& levels) const {
    if (order_.quick.cell_levels.contains(kPatternKey)) {
      levels[std::string(kPatternKey)] = {record::pattern_text(pattern_)};
    }
  }

  [[nodiscard]] CellsBlock block_of(const char* operation) const {
    CellsBlock block{.operations = {operation}, .levels = common_};
    set_pattern(block.levels);
    return block;
  }

  [[nodiscard]] CellsBlock ping_pongs() const {
    CellsBlock block = block_of("pingpong");
    block.sizes_bytes = order_.quick.sizes_bytes;
    block.adaptive = order_.quick.adaptive;
    return block;
  }

  [[nodiscard]] CellsBlock stream_of(std::uint64_t window, std::vector<std::uint64_t> sizes) const {
    CellsBlock block = block_of("stream");
    block.sizes_bytes = std::move(sizes);
    block.levels[std::string(kWindowKey)] = {std::to_string(window)};
    return block;
  }

  // A block for each window, because each has other sizes, and one of what is too long for all of
  // them.
  [[nodiscard]] std::vector<CellsBlock> streams() const {
    std::vector<std::uint64_t> windows{record::kUsualWindow};
    const auto asked = order_.quick.cell_levels.find(kWindowKey);
    if (asked != order_.quick.cell_levels.end()) {
      windows.clear();
      for (const std::string& window : asked->second) {
        windows.push_back(std::max<std::uint64_t>(base::parse_u64(window).value_or(1), 1));
      }
    }
    std::vector<CellsBlock> blocks;
    std::uint64_t known_bytes = 0;  // up to here some window has them
    for (const std::uint64_t window : windows) {
      const std::uint64_t most_bytes = kMostInFlightBytes / window;
      known_bytes = std::max(known_bytes, most_bytes);
      std::vector<std::uint64_t> sizes = stream_sizes(order_, most_bytes);
      if (!sizes.empty()) blocks.push_back(stream_of(window, std::move(sizes)));
    }
    std::vector<std::uint64_t> longer = long_stream_sizes(order_, known_bytes);
    if (!longer.empty()) blocks.push_back(stream_of(kLeastInFlight, std::move(longer)));
    return blocks;
  }

  // Both directions of a size are compared with each other.
  void add_one_way(Campaign& campaign) const {
    record::Pattern there = pattern_;
    there.back = false;
    record::Pattern back = pattern_;
    back.back = true;
    // In a ring no message comes back. Then the ping-pongs say that it is not a pattern for them.
    if (!record::parse_pattern(record::pattern_text(back))) return;
    const std::vector<std::string> both{record::pattern_text(there), record::pattern_text(back)};
    CellsBlock block{
        .operations = {"oneway"}, .sizes_bytes = one_way_sizes(sizes_), .levels = common_};
    block.levels[std::string(kPatternKey)] = both;
    for (const std::uint64_t size_bytes : block.sizes_bytes) {
      CellsBlock members{.operations = {"oneway"}, .sizes_bytes = {size_bytes}};
      members.levels[std::string(kPatternKey)] = both;
      campaign.families.push_back(
          {.name = "one-way-" + std::to_string(size_bytes), .cells = {std::move(members)}});
    }
    campaign.cells.push_back(std::move(block));
  }

  // The ping-pong of the same size without any is among those of all sizes.
  [[nodiscard]] std::vector<CellsBlock> queues() const {
    using Kind = record::QueueKind;
    Levels usual;
    usual[std::string(kPendingKey)] =
        queue_levels({Kind::kSamePeer, Kind::kAnySource, Kind::kOtherCommunicator});
    usual[std::string(kUnexpectedKey)] = queue_levels({Kind::kSamePeer, Kind::kOtherCommunicator});
    std::vector<CellsBlock> blocks;
    for (const auto& [key, levels] : usual) {
      const auto asked = order_.quick.cell_levels.find(key);
      CellsBlock block = block_of("pingpong");
      block.sizes_bytes = {nearest_size(sizes_, kQueueSize)};
      block.levels[key] = asked == order_.quick.cell_levels.end() ? levels : asked->second;
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  const P2pOrder& order_;
  std::vector<std::uint64_t> sizes_;
  Levels common_;
  record::Pattern pattern_ = {};
};

}  // namespace

Campaign p2p_campaign(const P2pOrder& order) {
  if (!order.quick.oversubscribe || order.quick.adaptive.empty()) {
    return MessageCampaign(order).make();
  }
  if (order.sizes_written) {
    throw base::UserError(adaptive_of_shared_cores());
  }
  P2pOrder fixed = order;
  fixed.quick.sizes_bytes = sizes_beforehand(order.quick);
  fixed.quick.adaptive.clear();
  return MessageCampaign(fixed).make();
}

}  // namespace invar::design
