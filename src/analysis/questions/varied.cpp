#include "analysis/questions/varied.hpp"

#include <algorithm>
#include <vector>

#include "analysis/study/select.hpp"
#include "record/factors.hpp"

namespace invar::analysis {

bool plants_delays(const Study& study) {
  return std::ranges::any_of(study.data().cells,
                             [](const record::Cell& cell) { return cell.delay_ns > 0; });
}

bool varies(const Study& study, std::string_view factor) {
  const std::vector<record::Cell>& cells = study.data().cells;
  const record::Factor* known = record::find_factor(factor);
  return std::ranges::any_of(cells, [&](const record::Cell& cell) {
    return known->text(cell) != known->text(cells.front());
  });
}

bool varies_factors(const Study& study) {
  const bool launches = std::ranges::any_of(
      study.campaign().arms, [](const design::Arm& arm) { return !arm.variant_of.empty(); });
  return launches || std::ranges::any_of(record::factors(), [&](const record::Factor& factor) {
           using enum record::FactorRole;
           const bool other = factor.role == kSubject || factor.role == kRanks ||
                              factor.role == kStart || factor.role == kFamily;
           return !other && record::tells_cells_apart(factor, study.data().cells);
         });
}

bool varies_syncs_alone(const Study& study, bool or_dither) {
  return !plants_delays(study) && !varies_factors(study) &&
         (varies(study, "sync") || (or_dither && varies(study, "dither_ns")));
}

}  // namespace invar::analysis
