#include "analysis/study/start_skews.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/study/batches.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// Of the starts that the scope speaks of; the few beyond are those of another accident.
constexpr double kToldStartShare = 0.95;

// Calls f(arm, visit) for every visit that counts.
template <typename F>
void for_each_kept_visit(const store::Data& data, const Batches& batches, F f) {
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        if (batches.keeps(visit)) f(launch.arm, visit);
      }
    }
  }
}

bool counts_unless_lost(const record::Timing& timing) {
  return (timing.flags & record::kLeftOut) == 0;
}

}  // namespace

StartSkews::StartSkews(const store::Data& data) {
  const Batches batches(data);
  std::set<std::uint32_t> measured;
  for_each_kept_visit(data, batches, [&](std::uint32_t arm, const store::Visit& visit) {
    measured.insert(visit.line.cell);
    if (visit.line.lost == 0) return;
    cells_.try_emplace(visit.line.cell);
    const auto [limit, is_new] =
        limits_ps_.try_emplace({arm, visit.line.cell}, visit.line.skew_limit_ps);
    if (!is_new) limit->second = std::min(limit->second, visit.line.skew_limit_ps);
  });
  measured_cells_ = measured.size();
  if (cells_.empty()) return;
  for_each_kept_visit(data, batches, [&](std::uint32_t arm, const store::Visit& visit) {
    const auto cell = cells_.find(visit.line.cell);
    if (cell == cells_.end()) return;
    const auto limit = limits_ps_.find({arm, visit.line.cell});
    for (const record::Timing& timing : visit.records) {
      if (!counts_unless_lost(timing)) continue;
      ++cell->second.judged;
      if ((timing.flags & record::kLost) == 0) continue;
      ++cell->second.lost;
      const bool apart = limit != limits_ps_.end() && !began_together(timing, limit->second);
      cell->second.apart += apart ? 1U : 0U;
    }
  });
  std::map<std::uint32_t, std::vector<double>> skews_ns;
  for (auto& [id, cell] : cells_) {
    cell.all_kept = 2 * cell.apart > cell.judged;
    if (cell.all_kept) skews_ns.try_emplace(id);
  }
  if (skews_ns.empty()) return;
  for_each_kept_visit(data, batches, [&](std::uint32_t /*arm*/, const store::Visit& visit) {
    const auto skews = skews_ns.find(visit.line.cell);
    if (skews == skews_ns.end()) return;
    for (const record::Timing& timing : visit.records) {
      // Where the time is not valid, the skew is told of lost ones alone.
      const bool told =
          (timing.flags & record::kLost) != 0 || (timing.flags & record::kGlobalInvalid) == 0;
      if (counts_unless_lost(timing) && told) {
        skews->second.push_back(static_cast<double>(timing.start_skew_ps) * 1e-3);
      }
    }
  });
  for (auto& [id, values] : skews_ns) {
    std::ranges::sort(values);
    cells_.at(id).skew_ns = stats::quantile_sorted(values, kToldStartShare);
  }
}

std::int64_t StartSkews::most_ps(std::uint32_t arm, std::uint32_t cell) const {
  const CellStarts* const starts = of(cell);
  if (starts == nullptr || starts->all_kept) return kAnySkew;
  const auto limit = limits_ps_.find({arm, cell});
  return limit == limits_ps_.end() ? kAnySkew : limit->second;
}

const CellStarts* StartSkews::of(std::uint32_t cell) const {
  const auto found = cells_.find(cell);
  return found == cells_.end() ? nullptr : &found->second;
}

std::string StartSkews::scope() const {
  std::size_t count = 0;
  double most_ns = 0;
  for (const auto& [id, cell] : cells_) {
    if (!cell.all_kept) continue;
    ++count;
    most_ns = std::max(most_ns, cell.skew_ns);
  }
  if (count == 0) return {};
  std::string text = "starts up to " + base::duration_text(most_ns) + " apart";
  if (measured_cells_ > 1) {
    text += " in " + std::to_string(count) + " of " + std::to_string(measured_cells_) + " cells";
  }
  return text + ": most repetitions had a rank that lost its processor";
}

}  // namespace invar::analysis
