// The factors that a campaign gives levels to, as keys of [[cells]] and [engine]: one line each in
// levels.cpp. Operation and size are read apart, because a size knows units and ranges.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "record/cell.hpp"
#include "record/operation_info.hpp"

namespace invar::design {

// How a level is written.
enum class LevelKind : std::uint8_t {
  kWord,       // one of LevelsKey::words
  kName,       // what it can be only the engine knows
  kNumber,     // 1 or more
  kTruth,      // true, false: "yes", "no"
  kRoot,       // a rank, or "rotating"
  kDuration,   // "1us", "off": nanoseconds
  kArrival,    // "none", "linear:10us", "random:0.5x"
  kPlacement,  // "random", "same", "fixed:64"
};

struct LevelsKey {
  std::string_view key;     // "rank-order"
  std::string_view factor;  // record::Factor::name: "rank_order"
  LevelKind kind;
  std::vector<std::string> words = {};
  // Stands in [engine] for all cells; a block that has the key too overrules it.
  bool engine = false;
  // Null: every operation has this factor.
  bool (*applies)(const record::OperationInfo&) = nullptr;
  // "root": for messages, "none of these operations has a root".
  std::string_view lack = {};
};

std::span<const LevelsKey> levels_keys();
const LevelsKey* find_levels_key(std::string_view key);

// A level as written to the text that record::Factor::parse takes; nothing with `complaint` set if
// it is none.
struct LevelText {
  std::optional<std::string> text = {};
  std::string complaint = {};
  std::string remedy = {};
};
LevelText level_text(const LevelsKey& key, std::string_view written);

// The block's levels of an [engine] factor, or those of [engine].
const std::vector<std::string>& levels_of(const Campaign& campaign, const CellsBlock& block,
                                          std::string_view key);

}  // namespace invar::design
