#include "analysis/machine/moved_canaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "stats/test/binomial.hpp"

namespace invar::analysis {
namespace {

constexpr double kMovedAlpha = 0.01;
constexpr double kLeastMoved = 0.05;  // of the blocks, as many as make a regime

using ArmPair = std::pair<std::uint32_t, std::uint32_t>;

// What a launch group says of two arms.
struct SharedBlocks {
  std::size_t blocks = 0;
  std::size_t first_slower = 0;
  std::size_t second_slower = 0;

  [[nodiscard]] double more_often() const {
    return (static_cast<double>(first_slower) - static_cast<double>(second_slower)) /
           static_cast<double>(blocks);
  }
};

bool can_differ(const store::Data& data, const ArmPair& arms) {
  return !same_arm(std::array{data.arms[arms.first], data.arms[arms.second]});
}

// One entry a launch group, of all pairs of arms that may differ.
std::map<ArmPair, std::vector<SharedBlocks>> by_group(const store::Data& data,
                                                      const Summaries& summaries,
                                                      std::span<const double> cuts_ns,
                                                      base::CanaryKind kind) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::map<std::uint32_t, std::ptrdiff_t>>> groups;
  for (const VisitSummary& visit : summaries.visits) {
    const std::optional<double> canary_ns = visit.canary(kind);
    if (!canary_ns) continue;
    const auto place = std::ranges::upper_bound(cuts_ns, *canary_ns) - cuts_ns.begin();
    groups[visit.group][visit.block].emplace(visit.arm, place);
  }
  std::map<ArmPair, std::vector<SharedBlocks>> found;
  for (const auto& [group, blocks] : groups) {
    std::map<ArmPair, SharedBlocks> pairs;
    for (const auto& [block, arms] : blocks) {
      for (auto a = arms.begin(); a != arms.end(); ++a) {
        for (auto b = std::next(a); b != arms.end(); ++b) {
          SharedBlocks& shared = pairs[{a->first, b->first}];
          ++shared.blocks;
          shared.first_slower += a->second > b->second ? 1U : 0U;
          shared.second_slower += a->second < b->second ? 1U : 0U;
        }
      }
    }
    for (const auto& [arms, shared] : pairs) {
      if (can_differ(data, arms)) found[arms].push_back(shared);
    }
  }
  return found;
}

}  // namespace

std::optional<MovedCanaries> moved_canaries(const store::Data& data, const Summaries& summaries,
                                            std::span<const double> cuts_ns,
                                            base::CanaryKind kind) {
  if (cuts_ns.empty()) return std::nullopt;
  const auto pairs = by_group(data, summaries, cuts_ns, kind);
  const double level =
      kMovedAlpha / 2 / static_cast<double>(std::max<std::size_t>(1, pairs.size()));
  for (const auto& [arms, groups] : pairs) {
    std::size_t first = 0;
    std::size_t second = 0;
    double sum = 0;
    for (const SharedBlocks& shared : groups) {
      first += shared.first_slower > shared.second_slower ? 1U : 0U;
      second += shared.first_slower < shared.second_slower ? 1U : 0U;
      sum += shared.more_often();
    }
    const bool is_first = first > second;
    const std::size_t more = std::max(first, second);
    if (more == 0 || more <= stats::binomial_limit(first + second, 0.5, level)) continue;
    const double moved = (is_first ? sum : -sum) / static_cast<double>(groups.size());
    if (moved < kLeastMoved) continue;
    return MovedCanaries{.slow = is_first ? arms.first : arms.second,
                         .fast = is_first ? arms.second : arms.first,
                         .groups = more,
                         .differing = first + second};
  }
  return std::nullopt;
}

std::string moved_text(const store::Data& data, const MovedCanaries& moved) {
  return "'" + data.arms[moved.slow].label + "' lies in a slower regime than '" +
         data.arms[moved.fast].label + "' in the blocks that they share (" +
         std::to_string(moved.groups) + " of " + count_text(moved.differing, "launch group") +
         " where they differ)";
}

}  // namespace invar::analysis
