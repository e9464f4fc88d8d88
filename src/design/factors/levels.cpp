#include "design/factors/levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/arrival.hpp"
#include "record/placement.hpp"

namespace invar::design {
namespace {

constexpr std::uint64_t kMostRanks = 10'000'000;
constexpr double kMaxDitherSeconds = 1;  // and of arrival patterns
constexpr double kMostCalls = 1000;

bool is_rooted(const record::OperationInfo& info) { return info.rooted; }
bool is_sized(const record::OperationInfo& info) { return info.sized; }
bool reduces(const record::OperationInfo& info) { return info.reduces; }
bool has_in_place(const record::OperationInfo& info) { return info.in_place; }
bool has_neighbours(const record::OperationInfo& info) { return info.neighbours; }

const std::vector<LevelsKey>& table() {
  static const std::vector<LevelsKey> keys{
      {"ranks", "ranks", LevelKind::kNumber},
      {"nodes", "nodes", LevelKind::kNumber},
      {"ppn", "ppn", LevelKind::kNumber},
      {"mapping", "mapping", LevelKind::kWord, {"packed", "round-robin"}},
      {"rank-order", "rank_order", LevelKind::kWord, {"natural", "reversed", "shuffled"}},
      {"root", "root", LevelKind::kRoot, {}, false, is_rooted, "has a root"},
      {"datatype", "datatype", LevelKind::kName, {}, false, is_sized, "moves data of a datatype"},
      {"reduction", "reduction", LevelKind::kName, {}, false, reduces, "reduces"},
      {"in-place", "in_place", LevelKind::kTruth, {}, false, has_in_place, "works in place"},
      {"topology",
       "topology",
       LevelKind::kWord,
       {"ring", "cartesian"},
       false,
       has_neighbours,
       "exchanges with neighbours"},
      {"cache", "cache", LevelKind::kWord, {"warm", "cold-flush", "cold-cycle"}, true},
      {"placement", "placement", LevelKind::kPlacement, {}, true},
      {"sync",
       "sync",
       LevelKind::kWord,
       {"round-time", "window", "barrier", "dissemination", "double-barrier", "none"},
       true},
      {"arrival", "arrival", LevelKind::kArrival, {}, true},
      {"clock", "clock", LevelKind::kWord, {"auto", "tsc", "monotonic-raw", "mpi-wtime"}, true},
      {"dither", "dither_ns", LevelKind::kDuration, {}, true},
      {"delay", "delay_ns", LevelKind::kDuration},
  };
  return keys;
}

LevelText number(std::string_view written, std::uint64_t low, std::uint64_t high) {
  const auto value = base::parse_u64(written);
  if (value && *value >= low && *value <= high) return {.text = std::to_string(*value)};
  return {.complaint = "is " + std::string(written) + (value ? "" : ", no whole number"),
          .remedy = "write " + std::to_string(low) + " to " + std::to_string(high)};
}

LevelText duration(std::string_view written) {
  if (written == "off") return {.text = "0"};
  const base::Parsed<double> seconds = base::parse_duration_s(written);
  if (!seconds.value) return {.complaint = seconds.error};
  if (*seconds.value > kMaxDitherSeconds) {
    return {.complaint = "is longer than 1 s",
            .remedy = "write a time about as long as the operations, as in \"1us\", or \"off\""};
  }
  return {.text = std::to_string(std::llround(*seconds.value * 1e9))};
}

LevelText arrival(std::string_view written) {
  const std::string complaint = "is '" + std::string(written) + "', no arrival pattern";
  const std::string remedy =
      "write \"none\", or first-late, last-late, linear or random with an amplitude, as in "
      "\"linear:10us\" or \"random:0.5x\" (times a call's own time)";
  if (const auto parsed = record::parse_arrival(written)) {
    if (parsed->amplitude_ns > kMaxDitherSeconds * 1e9 || parsed->amplitude_calls > kMostCalls) {
      return {.complaint = "is later than 1 s or 1000 calls", .remedy = "write a shorter time"};
    }
    return {.text = std::string(written)};
  }
  const std::size_t colon = written.find(':');
  if (colon == std::string_view::npos) return {.complaint = complaint, .remedy = remedy};
  const base::Parsed<double> seconds = base::parse_duration_s(written.substr(colon + 1));
  if (!seconds.value) return {.complaint = complaint, .remedy = remedy};
  // Nanoseconds, as the plan has them.
  const std::string text = std::string(written.substr(0, colon + 1)) +
                           std::to_string(std::llround(*seconds.value * 1e9)) + "ns";
  if (text == written || !record::parse_arrival(text)) {
    return {.complaint = complaint, .remedy = remedy};
  }
  return arrival(text);
}

}  // namespace

std::span<const LevelsKey> levels_keys() { return table(); }

const LevelsKey* find_levels_key(std::string_view key) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const LevelsKey& known) { return known.key == key; });
  return found == table().end() ? nullptr : &*found;
}

LevelText level_text(const LevelsKey& key, std::string_view written) {
  switch (key.kind) {
    case LevelKind::kWord:
      if (std::find(key.words.begin(), key.words.end(), written) != key.words.end()) {
        return {.text = std::string(written)};
      }
      return {.complaint = "'" + std::string(written) + "' is no value",
              .remedy = base::did_you_mean(std::string(written), key.words)};
    case LevelKind::kName:
      if (!written.empty()) return {.text = std::string(written)};
      return {.complaint = "is empty", .remedy = "leave the key out for the usual one"};
    case LevelKind::kNumber:
      return number(written, 1, kMostRanks);
    case LevelKind::kTruth:
      if (written == "yes" || written == "no") return {.text = std::string(written)};
      return {.complaint = "is '" + std::string(written) + "'", .remedy = "write true or false"};
    case LevelKind::kRoot:
      if (written == "rotating") return {.text = std::string(written)};
      {
        LevelText level = number(written, 0, kMostRanks - 1);
        if (!level.text)
          level.remedy = "write a rank of the cell: 0, 1, ... up to its ranks less one";
        return level;
      }
    case LevelKind::kDuration:
      return duration(written);
    case LevelKind::kArrival:
      return arrival(written);
    case LevelKind::kPlacement:
      if (record::is_placement(written)) return {.text = std::string(written)};
      return {.complaint = "is '" + std::string(written) + "', no placement",
              .remedy =
                  "write \"random\", \"same\", or \"fixed:OFFSET\": bytes from the begin of "
                  "a page, a multiple of 16 up to 4032"};
  }
  return {};
}

const std::vector<std::string>& levels_of(const Campaign& campaign, const CellsBlock& block,
                                          std::string_view key) {
  const auto own = block.levels.find(key);
  if (own != block.levels.end()) return own->second;
  const auto general = campaign.engine.levels.find(key);
  if (general == campaign.engine.levels.end()) {
    throw std::invalid_argument("no levels of '" + std::string(key) + "'");
  }
  return general->second;
}

}  // namespace invar::design
