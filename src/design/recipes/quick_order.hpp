// What all campaigns are told that come from options and not from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"

namespace invar::design {

struct QuickOrder {
  std::vector<Arm> arms = {};  // labelled where the user did
  std::vector<std::string> operations = {};
  std::vector<std::uint64_t> sizes_bytes = {};
  std::vector<AdaptiveSizes> adaptive = {};
  Levels cell_levels = {};    // of [[cells]]: what is said of them
  Levels engine_levels = {};  // of [engine]: what is said of them; the others are the usual ones
  std::optional<base::CanaryBand> regime = {};  // the machine's reference regime
  std::optional<double> gate = {};              // margin of a gate; none: who is faster?
  std::optional<double> alpha = {};             // none: the usual one, as of the next
  std::optional<double> min_effect = {};
  double budget_s = 0;
  std::uint64_t seed = 0;
  // More ranks than cores: they are not pinned, and nothing is judged.
  bool oversubscribe = false;
};

// Many groups, as the budget allows: who asks quickly wants one answer.
constexpr Launches kQuickLaunches{.min = 3, .max = 200};

// Enough rounds of so many cells in a launch that its start-up is not all of its cost.
std::uint32_t quick_rounds(std::size_t cells);

// The fault of a command with adaptive sizes and --oversubscribe: times on shared cores are no
// figures, and choose no sizes.
base::Fault adaptive_of_shared_cores();

// Name, seed, budget and levels of [engine] as ordered, kQuickLaunches, and no cells yet.
Campaign begin_campaign(const QuickOrder& order, std::string name, Question question);

// Operations, sizes and levels as ordered.
CellsBlock ordered_cells(const QuickOrder& order);

}  // namespace invar::design
