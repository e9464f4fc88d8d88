// Curves of times over message sizes, and what is not smooth in them. A step is a jump between two
// sizes that were measured, a bend is another slope without a jump (docs/methods.md, "Adaptive
// sizes and steps").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"
#include "record/cell.hpp"

namespace invar::analysis {

class Study;

struct CurvePoint {
  std::uint64_t size_bytes = 0;
  std::uint32_t cell = 0;  // index into Data::cells
  TimeEstimate time = {};
};

// Of three sizes at least.
struct Curve {
  record::Cell place = {};              // without a size
  std::uint32_t arm = 0;                // index into Data::arms
  std::string label = {};               // of that arm
  std::vector<CurvePoint> points = {};  // ascending
  // Where it has no step, one was looked for: some interval of it could be tested, or choosing its
  // sizes found nothing to test.
  bool judged = false;
};

struct Step {
  std::size_t curve = 0;
  // The sizes that it lies between.
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  // Time above it over time below it, less what the curve grows by itself, with its interval.
  double height = 1;
  double low = 1;
  double high = 1;
  double p_adjusted = 1;
  std::string protocol = {};  // "eager -> rendezvous"; empty: nothing shows that
};

struct Bend {
  std::size_t curve = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  double p_adjusted = 1;
  // ns a byte.
  double slope_below_ns = 0;
  double slope_above_ns = 0;
};

struct Steps {
  std::vector<Curve> curves = {};
  std::vector<Step> steps = {};
  std::vector<Bend> bends = {};
  std::vector<Warning> warnings = {};
  std::string not_judged = {};  // why there are curves alone, whatever they do; empty: they are
};

// Of fresh groups alone, where sizes were chosen: what choosing them found is judged there. Of
// sizes that were written as a list every interval between two neighbours, and the bend at every
// size, is judged, beyond the usual tolerance. All tests of all curves are corrected together.
// Data that allow no verdict, or of which the results decided how many there are, have curves.
Steps find_steps(const Study& study);

// Ids "steps", "bends", "curves".
std::vector<TidyTable> steps_tables(const Steps& steps);

// Why there are none: "none found", "not judged: there is one launch group". Empty: there are, and
// the table has them.
std::string steps_text(const Steps& steps);
// The same as a remark behind an answer.
void add_steps_remark(Answer& answer, const Steps& steps);

// Tables, text and warnings behind an answer of a campaign that chose sizes; of others nothing.
void add_steps(Answer& answer, const Study& study);

}  // namespace invar::analysis
