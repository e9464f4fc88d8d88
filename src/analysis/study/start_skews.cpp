#include "analysis/study/start_skews.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "analysis/study/batches.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

// Share of the starts that the scope speaks of. The few beyond are those of another accident.
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

// Start skews, counted in bins of which each is a 32nd of a power of two wide: a cell has as many
// as it has repetitions.
class SkewHistogram {
 public:
  void add(std::int64_t skew_ps) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, skew_ps));
    largest_ = std::max(largest_, value);
    ++counts_[bin_of(value)];
    ++all_;
  }

  // At least `share` of the skews are at most this, which exceeds the least such value by one bin's
  // width at most.
  [[nodiscard]] double quantile_ps(double share) const {
    const double wanted = share * static_cast<double>(all_);
    std::uint64_t below = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
      below += counts_[bin];
      if (static_cast<double>(below) >= wanted) {
        return static_cast<double>(std::min(last_of(bin), largest_));
      }
    }
    return static_cast<double>(largest_);
  }

 private:
  static constexpr unsigned kBits = 5;        // 32 bins in a power of two
  static constexpr unsigned kLeastBits = 10;  // below 1 ns: one bin
  static constexpr unsigned kMostBits = 41;   // from 2.2 s on: one bin
  static constexpr std::size_t kBins = ((kMostBits - kLeastBits) << kBits) + 2;

  static std::size_t bin_of(std::uint64_t value) {
    const auto bits = static_cast<unsigned>(std::bit_width(value));
    if (bits <= kLeastBits) return 0;
    if (bits > kMostBits) return kBins - 1;
    const std::uint64_t within = (value >> (bits - 1 - kBits)) - (std::uint64_t{1} << kBits);
    return 1 + ((bits - 1 - kLeastBits) << kBits) + within;
  }

  // The largest value of a bin.
  static std::uint64_t last_of(std::size_t bin) {
    if (bin == 0) return (std::uint64_t{1} << kLeastBits) - 1;
    if (bin == kBins - 1) return ~std::uint64_t{0};
    const std::size_t octave = (bin - 1) >> kBits;
    const std::uint64_t within = (bin - 1) & ((std::uint64_t{1} << kBits) - 1);
    return (((std::uint64_t{1} << kBits) + within + 1) << (octave + kLeastBits - kBits)) - 1;
  }

  std::array<std::uint32_t, kBins> counts_ = {};
  std::uint64_t all_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace

StartSkews::StartSkews(const store::Data& data, bool one_for_all,
                       const std::set<std::uint32_t>& kept_elsewhere) {
  const Batches batches(data);
  std::set<std::uint32_t> measured;
  for_each_kept_visit(data, batches, [&](std::uint32_t /*arm*/, const store::Visit& visit) {
    measured.insert(visit.line.cell);
    if (visit.line.lost > 0) cells_.try_emplace(visit.line.cell);
  });
  measured_cells_ = measured.size();
  if (cells_.empty()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, StartCounts> counts;  // by cell and arm
  for_each_kept_visit(data, batches, [&](std::uint32_t arm, const store::Visit& visit) {
    if (!cells_.contains(visit.line.cell)) return;
    StartCounts& of_arm = counts[{visit.line.cell, arm}];
    for (const record::Timing& timing : visit.records) {
      if (!counts_unless_lost(timing)) continue;
      ++of_arm.judged;
      of_arm.lost += (timing.flags & record::kLost) != 0 ? 1U : 0U;
      of_arm.apart += (timing.flags & record::kApart) != 0 ? 1U : 0U;
    }
  });
  bool any = false;
  for (const auto& [place, of_arm] : counts) {
    CellStarts& cell = cells_.at(place.first);
    cell.judged += of_arm.judged;
    cell.lost += of_arm.lost;
    cell.apart += of_arm.apart;
    cell.mostly = cell.mostly || of_arm.mostly_apart();
    cell.all_kept = cell.mostly || kept_elsewhere.contains(place.first);
    any = any || cell.all_kept;
  }
  if (!any) return;
  std::map<std::uint32_t, std::string_view> family_of;  // by Cell::id
  for (const record::Cell& cell : data.cells) {
    if (!cell.family.empty()) family_of.emplace(cell.id, cell.family);
  }
  const auto family = [&](std::uint32_t id) {
    const auto found = family_of.find(id);
    return found == family_of.end() ? std::string_view() : found->second;
  };
  std::set<std::string_view> kept_families;
  for (const auto& [id, cell] : cells_) {
    if (cell.all_kept) kept_families.insert(family(id));
  }
  kept_families.erase(std::string_view());
  std::map<std::uint32_t, SkewHistogram> skews;
  for (auto& [id, cell] : cells_) {
    cell.all_kept = one_for_all || cell.all_kept || kept_families.contains(family(id));
    if (cell.all_kept) skews.try_emplace(id);
  }
  for_each_kept_visit(data, batches, [&](std::uint32_t /*arm*/, const store::Visit& visit) {
    const auto of_cell = skews.find(visit.line.cell);
    if (of_cell == skews.end()) return;
    for (const record::Timing& timing : visit.records) {
      const bool told = (timing.flags & record::kGlobalInvalid) == 0;
      if (counts_unless_lost(timing) && told) of_cell->second.add(timing.start_skew_ps);
    }
  });
  for (const auto& [id, of_cell] : skews) {
    cells_.at(id).skew_ns = of_cell.quantile_ps(kToldStartShare) * 1e-3;
  }
}

bool StartSkews::keeps_apart(std::uint32_t cell) const {
  const CellStarts* const starts = of(cell);
  return starts != nullptr && starts->all_kept;
}

const CellStarts* StartSkews::of(std::uint32_t cell) const {
  const auto found = cells_.find(cell);
  return found == cells_.end() ? nullptr : &found->second;
}

std::string StartSkews::scope() const {
  std::size_t mostly = 0;
  std::size_t compared = 0;  // of which some count that would not
  double most_ns = 0;
  for (const auto& [id, cell] : cells_) {
    if (!cell.all_kept || cell.apart == 0) continue;
    ++(cell.mostly ? mostly : compared);
    most_ns = std::max(most_ns, cell.skew_ns);
  }
  if (mostly + compared == 0) return {};
  std::string text = "starts up to " + base::duration_text(most_ns) + " apart";
  if (measured_cells_ > 1) {
    text += " in " + std::to_string(mostly > 0 ? mostly : compared) + " of " +
            std::to_string(measured_cells_) + " cells";
  }
  if (mostly == 0) return text + ": kept as in those that they are compared with";
  if (compared > 0) text += " (and " + std::to_string(compared) + " compared with them)";
  return text + ": most repetitions had a rank that lost its processor";
}

}  // namespace invar::analysis
