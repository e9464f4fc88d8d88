// `clocks local-global`: local run-time (the largest end - start of a rank) against global run-time
// (latest end - earliest start) of the same repetitions, per cell and synchronisation (Hunold and
// Carpen-Amarie, EuroMPI 2015, figure 3).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

struct LocalGlobalRow {
  std::string arm = {};
  // arm_a is "local", arm_b "global", so that the ratio is global / local; paired by visit. A
  // verdict `faster` says that the local run-time is the shorter one.
  ComparedCell compared = {};
  // Latest less earliest start of a repetition, over launches.
  std::optional<TimeEstimate> skew = {};
  // Times over those of the first synchronisation of the same place, paired by launch, because
  // launches differ by more than synchronisations do. 1 for that one itself.
  std::optional<double> local_to_first = {};
  std::optional<double> global_to_first = {};
};

struct LocalGlobal {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<LocalGlobalRow> rows = {};  // by arm, then by cell
  std::vector<Warning> warnings = {};
  double alpha = 0.05;
  double min_effect = 0.02;
  std::size_t comparisons = 0;  // tests in the table that was corrected
  std::string no_verdict = {};  // why there are no verdicts at all; empty: there are
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws what local_global_lack() says.
LocalGlobal local_global(const Study& study);
// No complete launch group, no visit in the regime that is named, no repetition with a valid global
// time (several hosts without a common clock).
std::optional<Lack> local_global_lack(const Study& study);

// From everything else.
std::string local_global_sentence(const LocalGlobal& answer);

Answer answer_of(const LocalGlobal& result);

}  // namespace invar::analysis
