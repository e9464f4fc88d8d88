// Visits sorted by the levels of their factors, and the paired differences between two levels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/summaries.hpp"
#include "design/campaign/campaign.hpp"
#include "record/arm_cell.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// A factor of an arm, of a launch, or of a cell.
struct VariedFactor {
  std::string name = {};
  bool between_launches = false;
  std::vector<std::string> levels = {};  // in the order of the campaign
};

// A level that was planned for a table and that it has no time of.
struct AbsentLevel {
  std::string factor = {};
  std::string level = {};
  // It was to be the reference: the level that is now. Else empty.
  std::string reference_now = {};
  // Where it was to be measured, by indices as in store::Data.
  std::vector<record::ArmCell> places = {};
};

// Levels of every factor of a table, as indices into VariedFactor::levels.
using Combination = std::vector<std::uint32_t>;

struct FactorTable {
  record::Cell cell = {};
  std::vector<VariedFactor> factors = {};
  std::vector<AbsentLevel> absent = {};
  std::map<Combination, std::vector<const VisitSummary*>> visits = {};

  // All factors at their first level; null if there is no such visit.
  [[nodiscard]] const std::vector<const VisitSummary*>* reference() const;
};

// A table for each operation and size, in the order of the cells. Left out are cells that failed,
// and visits shorter than the clock can tell, which
// have no logarithm. The tables point into `visits`.
std::vector<FactorTable> factor_tables(const store::Data& data, const design::Campaign& campaign,
                                       const std::vector<VisitSummary>& visits);

// log(time of a level) - log(time of the first level), one value a group that has both: the mean
// over all combinations of the other factors. Each of these is a pair: of two arms, as
// `between_arms` says, if levels are measured in launches of their own, else of two cells. A
// combination that a group lacks is left out of its mean.
PairedDifferences level_differences(const FactorTable& table, std::size_t factor,
                                    std::uint32_t level, Pairing between_arms);

}  // namespace invar::analysis
