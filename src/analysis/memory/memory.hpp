// The memory models of a campaign: one for every arm, in the machine's reference regime. A plain
// value that a test can construct and any renderer can print.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/memory/memory_model.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// A model in a regime of the machine that the answer is not of.
struct MemoryElsewhere {
  std::string regime = {};
  MemoryModel model = {};
};

struct Memory {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<MemoryModel> models = {};  // by arm
  std::vector<Warning> warnings = {};
  Regimes regimes = {};                           // of the machine
  std::optional<ReferenceRegime> reference = {};  // none: nothing splits
  std::vector<MemoryElsewhere> elsewhere = {};
  bool shows_regimes = false;
  std::string asked = {};  // with other options than usual: asked_words
  double alpha = 0.05;
  double min_effect = 0.02;
  std::string no_verdict = {};  // why these are no figures; empty: they are
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws what memory_lack() says.
Memory memory(const Study& study);
// No cell walks over memory; no complete launch group, or no valid repetition.
std::optional<Lack> memory_lack(const Study& study);

// From models, scope and no_verdict alone.
std::string memory_sentence(const Memory& found);

// "L1 32 KiB 161 GB/s [158, 164], ...": one model of it; `several`: with its arm.
std::string model_words(const MemoryModel& model, bool several);

// Tables of docs/formats.md (`invar memory --format json`), all but regimes.
std::vector<TidyTable> memory_tables(const Memory& found);

Answer answer_of(const Memory& found);

}  // namespace invar::analysis
