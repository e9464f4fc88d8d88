// `clocks sync-bias`: how much the comparison of two arms depends on the way in which repetitions
// are synchronised, and what each way does to the distribution of the times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

struct ArmShape {
  VisitShape repetitions = {};           // within visits
  std::optional<double> sd_visits = {};  // as sd_between_visits
};

struct SyncBiasRow {
  ComparedCell compared = {};
  ArmShape a = {};
  ArmShape b = {};
};

struct SyncBias {
  std::string sentence = {};           // the answer: Comparison::sentence speaks of the arms
  std::vector<SyncBiasRow> rows = {};  // as Comparison::cells
  Comparison comparison = {};
};

// Everything that compare() says, with the shapes of its rows. Throws as compare(), and lacks what
// that lacks.
SyncBias sync_bias(const Study& study);

// From the rows alone.
std::string sync_bias_sentence(const SyncBias& bias);

Answer answer_of(const SyncBias& bias);

}  // namespace invar::analysis
