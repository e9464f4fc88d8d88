// What every suite would have reported of a campaign's cells, launch by launch: a launch is to it
// what a run of the suite is to its user.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/preset_processing.hpp"
#include "design/campaign/presets.hpp"
#include "design/suites/suite_ways.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Why a suite has no number that it could have.
inline constexpr std::string_view kNotItsWay = "not measured its way";

struct LaunchReport {
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::uint64_t calls = 0;                   // that the numbers rest on
  std::vector<ReportedNumber> numbers = {};  // the headline first; never empty
  std::uint32_t again = 0;  // times that the suite measured the point again (measured_again.hpp)
};

// What the suite would have reported for an arm and a cell.
struct Reported {
  std::vector<LaunchReport> launches = {};
  std::string missing = {};  // why there are none
  bool other_way = false;    // ... because they were not measured the suite's way
  // The suite's benchmark where it has one of its own for messages, which says what the numbers are
  // of a call's time; null: as of collectives, whole calls.
  const design::MessagePreset* benchmark = nullptr;
  // Bytes that a call moves, where the suite prints a rate instead of times.
  std::optional<double> call_bytes = {};
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

  // The command that makes such campaigns: "race", "p2p".
  [[nodiscard]] std::string_view command() const { return command_; }

  // The cell's operation as the campaign's engines describe it.
  [[nodiscard]] record::OperationInfo operation(const record::Cell& cell) const;

  // One a launch of the arm that has visits of this cell; for batches as for single calls. Visits
  // with fewer calls than others of the cell are those from which longer batches were decided, and
  // are not there.
  struct LaunchSample {
    const store::Launch* launch = nullptr;
    PresetSample sample = {};
  };
  [[nodiscard]] std::vector<LaunchSample> samples(const record::Cell& cell,
                                                  std::uint32_t arm) const;

 private:
  // How many times of a launch, and whether there are none because batches were too short.
  struct Passes {
    std::vector<LaunchReport> launches = {};
    std::string missing = {};
  };

  [[nodiscard]] Reported of_own(const design::Preset& preset, std::uint32_t cell,
                                std::uint32_t arm) const;
  // Only for a suite that measures points of the cell's curve again.
  [[nodiscard]] const Passes& passes_of(const design::SuiteWay& way, const record::Cell& measured,
                                        std::uint32_t arm) const;
  void sweep(const design::SuiteWay& way, const record::Cell& measured, std::uint32_t arm) const;

  const store::Data& all_;
  const store::Data& own_;
  const std::vector<std::string>& measured_;  // the campaign's presets
  std::string_view command_;
  std::array<CellTable, 2> medians_ = {};                   // without and with Tukey's filter
  std::map<std::uint32_t, std::uint32_t> most_calls_ = {};  // of a visit, by Cell::id
  std::vector<std::string> curves_ = {};  // like all_.cells: equal where only sizes differ
  // By processing, Cell::id and arm; a curve's points are made together.
  mutable std::map<std::tuple<design::Processing, std::uint32_t, std::uint32_t>, Passes> passes_ =
      {};
};

// Median over launches of one of the numbers, by its place; all launches have the same ones.
double median_of_launches(std::span<const LaunchReport> launches, std::size_t number);

}  // namespace invar::analysis
