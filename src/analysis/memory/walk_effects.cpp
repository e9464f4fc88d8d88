#include "analysis/memory/walk_effects.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/memory/walk_levels.hpp"
#include "analysis/p2p/message_places.hpp"
#include "stats/describe/moments.hpp"

namespace invar::analysis {
namespace {

bool has_usual_level(const WalkSeries& series, const record::Factor& factor) {
  return record::unusual_level(factor, series.info, series.cell).empty();
}

// The series that differs from `series` in `factor` alone, has its usual level, or else was planned
// first; null: there is none, or it is `series` itself.
const WalkSeries* reference_of(const MemoryData& data, const WalkSeries& series,
                               const record::Factor& factor) {
  if (has_usual_level(series, factor)) return nullptr;
  const WalkSeries* first = nullptr;
  for (const WalkSeries& other : data.series) {
    if (other.operation != series.operation) continue;
    const std::vector<std::string_view> names = differing_factors(series.cell, other.cell);
    const bool in_this_alone = names.size() == 1 && names.front() == factor.name;
    if (!names.empty() && !in_this_alone) continue;
    if (has_usual_level(other, factor)) return &other;
    if (first == nullptr) first = &other;
  }
  return first == &series ? nullptr : first;
}

std::optional<WalkEffect> effect_of(const WalkSeries& usual, const WalkSeries& series,
                                    const record::Factor& factor, double confidence) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, double> times;
  for (const PassTime& one : pass_times(usual).times) {
    times[{one.size_bytes, one.group}] = one.pass_ns / usual.named;
  }
  std::map<std::uint32_t, std::vector<double>> logs;  // by launch group
  std::set<std::uint64_t> sizes;
  for (const PassTime& one : pass_times(series).times) {
    const auto same = times.find({one.size_bytes, one.group});
    if (same == times.end()) continue;
    logs[one.group].push_back(std::log(one.pass_ns / series.named / same->second));
    sizes.insert(one.size_bytes);
  }
  if (logs.empty()) return std::nullopt;
  std::vector<double> groups;
  groups.reserve(logs.size());
  for (const auto& [group, values] : logs) groups.push_back(stats::mean(values));
  const GroupEstimate mean = mean_over_groups(groups, 0, confidence);
  WalkEffect effect{.operation = series.operation,
                    .beside = unusual_words(series.cell, series.info, {factor.name}),
                    .factor = std::string(factor.name),
                    .level = factor.text(series.cell),
                    .reference = factor.text(usual.cell),
                    .ratio = {.value = std::exp(mean.value)},
                    .sizes = sizes.size(),
                    .groups = groups.size()};
  if (mean.interval) {
    effect.ratio.interval = {std::exp(mean.interval->low), std::exp(mean.interval->high),
                             confidence};
  }
  return effect;
}

}  // namespace

std::vector<WalkEffect> walk_effects(const MemoryData& data, const MemoryOptions& options) {
  std::vector<WalkEffect> effects;
  for (const record::Factor* factor : walk_factors()) {
    if (factor->role == record::FactorRole::kRanks) continue;
    for (const WalkSeries& series : data.series) {
      const WalkSeries* usual = reference_of(data, series, *factor);
      if (usual == nullptr) continue;
      if (auto effect = effect_of(*usual, series, *factor, options.confidence)) {
        effects.push_back(std::move(*effect));
      }
    }
  }
  return effects;
}

}  // namespace invar::analysis
