// What every suite would have reported of a campaign's cells, launch by launch: a launch is to it
// what a run of the suite is to its user.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/preset_processing.hpp"
#include "design/campaign/presets.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct LaunchReport {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::uint64_t calls = 0;                   // that the numbers rest on
  std::vector<ReportedNumber> numbers = {};  // the headline first; never empty
};

// What the suite would have reported for an arm and a cell.
struct Reported {
  std::vector<LaunchReport> launches = {};
  std::string missing = {};  // why there are none
  bool other_way = false;    // ... because they were not measured the suite's way
};

class PresetValues {
 public:
  // The study outlives this.
  explicit PresetValues(const Study& study, std::size_t campaign = 0);

  // The campaign as it was measured our way: its cells are those that are asked about.
  [[nodiscard]] const store::Data& own() const { return own_; }

  // `cell`, `arm`: indices of own().
  [[nodiscard]] Reported of(const design::Preset& preset, std::uint32_t cell,
                            std::uint32_t arm) const;

  // The suite's visits of our cell; null: there are none.
  [[nodiscard]] const record::Cell* cell_of(const design::Preset& preset,
                                            const record::Cell& own) const;

  // One a launch of the arm that has visits of this cell; for batches as for single calls.
  struct LaunchSample {
    const store::Launch* launch = nullptr;
    PresetSample sample = {};
  };
  [[nodiscard]] std::vector<LaunchSample> samples(const record::Cell& cell,
                                                  std::uint32_t arm) const;

 private:
  [[nodiscard]] Reported of_own(const design::Preset& preset, std::uint32_t cell,
                                std::uint32_t arm) const;

  const store::Data& all_;
  const store::Data& own_;
  const std::vector<std::string>& measured_;  // the campaign's presets
  std::array<CellTable, 2> medians_ = {};     // without and with Tukey's filter
};

// Median over launches of one of the numbers, by its place; all launches have the same ones.
double median_of_launches(std::span<const LaunchReport> launches, std::size_t number);

}  // namespace invar::analysis
