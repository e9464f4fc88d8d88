// `nrep`: how many repetitions of a launch are enough (paper 003, IV.B).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/repetitions/repetition_needs.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// As many predictions as the paper takes the largest of.
constexpr std::size_t kEnoughPredictions = 3;

struct Nrep {
  std::string sentence = {};
  std::string scope = {};
  design::RepetitionRule rule = {};
  std::vector<ComparedArm> arms = {};
  std::vector<record::Cell> cells = {};  // of the campaign
  std::vector<CellNeed> needs = {};
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double confidence = 0.95;                   // of the median's interval
  std::filesystem::path dir = {};
  Health health = {};
};

// The rule that a campaign of `nrep` names, or that one is asked by which predicts its repetitions;
// else the half-width of the median's interval, from 20 to 1000 in steps of 10.
design::RepetitionRule repetition_rule_of(const Study& study);

// Throws what nrep_lack() says. `rule`: none: repetition_rule_of().
Nrep nrep(const Study& study, const std::optional<design::RepetitionRule>& rule = {});
// No complete launch group, no valid repetition.
std::optional<Lack> nrep_lack(const Study& study);

// "RSE below 2.5 %", "COV of the last 20 running means below 1 %".
std::string limit_words(const design::RepetitionMethodInfo& info,
                        const design::RepetitionLimit& limit);
// All limits that are asked for, in words.
std::string rule_text(const design::RepetitionRule& rule);

// From everything else.
std::string nrep_sentence(const Nrep& result);

Answer answer_of(const Nrep& result);

}  // namespace invar::analysis
