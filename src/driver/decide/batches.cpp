#include "driver/decide/batches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "design/plan/families.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::driver {
namespace {

constexpr double kMargin = 1.1;
constexpr double kMostCalls = 1 << 16;

// What is known of an arm's cell.
struct Known {
  std::vector<double> times_ns = {};  // single calls
  store::BatchCall batch = {};
};

std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_of(const store::Data& pilot) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Known> all;  // (cell, arm)
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        // Other suites' ways of measuring are theirs.
        if (visit.line.calls != 1 || pilot.cells.at(visit.line.cell).scheme != record::kOwnScheme) {
          continue;
        }
        Known& known = all[{visit.line.cell, launch.arm}];
        for (const record::Timing& timing : visit.records) {
          if ((timing.flags & record::kLeftOut) != 0) continue;
          known.times_ns.push_back(static_cast<double>(timing.local_max_ps) * 1e-3);
        }
      }
      for (const auto& [cell, batch] : launch.batch_calls) all[{cell, launch.arm}].batch = batch;
    }
  }
  return all;
}

}  // namespace

record::Calls batches_needed(const store::Data& pilot, std::span<const record::Cell> planned) {
  record::Calls calls;
  std::map<std::uint32_t, double> fastest_ns;
  std::map<std::uint32_t, double> step_ns;
  for (auto& [place, known] : known_of(pilot)) {
    const std::uint32_t cell = place.first;
    if (!(known.batch.step_ns > 0) || !(known.batch.call_ns > 0)) continue;
    const auto [fastest, is_new] = fastest_ns.try_emplace(cell, known.batch.call_ns);
    if (!is_new) fastest->second = std::min(fastest->second, known.batch.call_ns);
    step_ns[cell] = std::max(step_ns[cell], known.batch.step_ns);
    // Only the first call of a batch would find a cold cache.
    if (known.times_ns.empty() || pilot.cells.at(cell).cache != "warm") continue;
    const double median_ns = stats::grouped_median_in_place(known.times_ns, known.batch.step_ns);
    if (median_ns < record::kStepsOfABatch * known.batch.step_ns) calls[cell] = 1;
  }
  for (auto& [cell, count] : calls) {
    const double needed = kMargin * record::kStepsOfABatch * step_ns.at(cell) / fastest_ns.at(cell);
    count = static_cast<std::uint32_t>(std::clamp(std::ceil(needed), 2.0, kMostCalls));
  }
  const std::vector<std::uint32_t> families = design::families_of(planned);
  const auto family_of = [&](std::uint32_t cell) {
    return cell < families.size() ? families[cell] : cell;
  };
  std::map<std::uint32_t, std::uint32_t> most;  // by family
  for (const auto& [cell, count] : calls) {
    std::uint32_t& so_far = most[family_of(cell)];
    so_far = std::max(so_far, count);
  }
  for (const auto& [cell, time_ns] : fastest_ns) {
    const auto family = most.find(family_of(cell));
    if (family != most.end() && pilot.cells.at(cell).cache == "warm") calls[cell] = family->second;
  }
  return calls;
}

double extra_seconds(const store::Data& pilot, const record::Calls& calls) {
  double seconds = 0;
  for (const store::Group& group : pilot.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const auto batched = calls.find(visit.line.cell);
        const auto known = launch.batch_calls.find(visit.line.cell);
        if (batched == calls.end() || known == launch.batch_calls.end()) continue;
        seconds += static_cast<double>(visit.line.records) * (batched->second - 1.0) *
                   known->second.call_ns * 1e-9;
      }
    }
  }
  return seconds / static_cast<double>(std::max<std::size_t>(1, pilot.groups.size()));
}

std::string batches_text(const record::Calls& calls, const std::vector<record::Cell>& cells) {
  constexpr std::size_t kMostListed = 4;
  const record::CellTexts text(cells);
  std::vector<std::string> texts;
  for (const auto& [cell, count] : calls) {
    texts.push_back(text(cells.at(cell)) + ": " + std::to_string(count) + " calls");
  }
  return base::first_items(texts, kMostListed, ", ", "cell");
}

}  // namespace invar::driver
