// The experiments of `invar clocks` whose raw rows lie in one file: a row each, with their columns
// and what makes an answer of them. To add one: a row here, its file beside it, its columns in
// record/clock_spec.hpp, and what measures it (engine/experiments, or cli/clocks for a simulation).
#pragma once

#include <span>
#include <string_view>

#include "analysis/answer/answer.hpp"
#include "analysis/clocks/clock_csv.hpp"
#include "record/clock_spec.hpp"
#include "store/clock_dir.hpp"

namespace invar::analysis {

// What was asked and what came back: all that an answer is made of.
struct ClockInput {
  store::ClockHead head = {};
  record::ClockSpec spec = {};
  ClockCsv rows;

  [[nodiscard]] bool simulated() const { return head.library.empty(); }
};

struct ClockExperiment {
  std::string_view name;
  std::string_view source;  // the paper's figure, or where it is described
  std::string_view about;
  // Columns of the engine's rows, and of a simulation's; empty: it has no such rows.
  std::span<const record::RawColumn> live;
  std::span<const record::RawColumn> simulated;
  // Pure: the same input gives the same answer. Throws UserError for rows that make no sense.
  Answer (*answer)(const ClockInput& input);
};

std::span<const ClockExperiment> clock_experiments();

// Null: there is none of this name.
const ClockExperiment* find_clock_experiment(std::string_view name);

// Throws UserError, naming file and line, for what is not as the experiment's row says: also the
// check of what an engine has written, before it is sealed.
ClockInput read_clock_input(const store::ClockData& data);

// With the directory and the command at its end, where the data are kept.
Answer clock_answer(const store::ClockData& data);

}  // namespace invar::analysis
