// What `show --plot` draws: for every cell and arm the time of one call over launches, and the
// launches' medians as a box.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/questions/cell_filter.hpp"
#include "analysis/study/study.hpp"
#include "record/cell.hpp"
#include "stats/describe/summary.hpp"

namespace invar::analysis {

struct PicturedArm {
  std::size_t arm = 0;                // index into Pictured::arms
  TimeEstimate time = {};             // over launches
  std::vector<double> relative = {};  // the launches' medians over the cell's smallest of all arms
  stats::TukeyBox box = {};           // of these
};

struct PicturedCell {
  record::Cell cell = {};
  std::vector<PicturedArm> arms = {};  // those that have it
};

struct Pictured {
  std::string sentence = {};
  std::vector<std::string> arms = {};  // labels
  std::vector<PicturedCell> cells = {};
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double confidence = 0.95;
  std::filesystem::path dir = {};
  Health health = {};
};

struct PicturedOptions {
  std::vector<std::string> arms = {};  // labels; empty: all
  CellFilter cells = {};
};

// Throws as `show` does. Cells in the campaign's order; those that no arm has a time of, or only
// times of 0 (shorter than the clock can tell), are left out with a warning; and so are such arms.
Pictured pictured(const Study& study, const PicturedOptions& options = {});

}  // namespace invar::analysis
