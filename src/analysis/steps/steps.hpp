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
struct Contest;

// The height of a step that nobody would want to miss.
constexpr double kSensibleStep = 0.2;

struct CurvePoint {
  std::uint64_t size_bytes = 0;
  std::uint32_t cell = 0;  // index into Data::cells
  TimeEstimate time = {};
};

// A curve has at least three sizes.
struct Curve {
  record::Cell place = {};              // without a size
  std::uint32_t arm = 0;                // index into Data::arms
  std::string label = {};               // of that arm
  std::vector<CurvePoint> points = {};  // ascending
  // Where it has no step, one would have been found: some interval of it could be tested and would
  // have shown one of a sensible height, or choosing its sizes found nothing to test.
  bool judged = false;
  // It is not judged because no interval would have shown a sensible step, or because one that
  // would not looks like one.
  bool too_wide = false;
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
  // What senders do there whose receiver is late: "eager -> rendezvous", "same protocol",
  // "unclear"; empty: nobody asked.
  std::string protocol = {};
  bool closest = false;  // no size between the two can be measured
  std::uint64_t element_bytes = 1;

  [[nodiscard]] bool is_down() const { return height < 1; }
};

struct Bend {
  std::size_t curve = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  double p_adjusted = 1;
  // ns for each byte that a call moves (moved_bytes()).
  double slope_below_ns = 0;
  double slope_above_ns = 0;
};

struct Steps {
  std::vector<Curve> curves = {};
  std::vector<Step> steps = {};
  std::vector<Bend> bends = {};
  std::vector<Warning> warnings = {};
  // The machine's regime that they are of, "canary 0.143 us (60 % of visits)"; empty: of all
  // visits.
  std::string regime = {};
  std::string not_judged = {};  // why there are curves alone, whatever they do; empty: they are
  // So many regimes of the machine are mixed in them; 0: none are.
  std::size_t mixed_regimes = 0;
};

// Where sizes were chosen, only fresh groups judge. They judge what choosing found, between all
// sizes that are measured there meanwhile. Where sizes were written as a list, the bend at every
// size between two others is judged, and every interval but the first and the last one, beyond the
// usual tolerance. All tests of all curves are corrected together. Data that allow no verdict, or
// of which the results decided how many there are, have curves alone. Curves and steps are of the
// visits that answers speak of: those in the machine's reference regime, where it is one of
// several.
Steps find_steps(const Study& study);
// The same for these visits, without `mixed_regimes`. `contest`: of all arms of study.data(), in
// their order.
Steps find_steps(const Study& study, const Contest& contest);

// Ids "steps", "bends", "curves".
std::vector<TidyTable> steps_tables(const Steps& steps);

// Why curves are too wide to be judged: "the machine was in 2 regimes", "...too wide to show a step
// of 20 %".
std::string too_wide_words(const Steps& steps);

// Why there are none: "none found", "not judged: there is one launch group". Empty: there are, and
// the table has them.
std::string steps_text(const Steps& steps);
// The same as a remark behind an answer.
void add_steps_remark(Answer& answer, const Steps& steps);

// " (1.31 times, eager -> rendezvous)", " (down to 0.66 times)".
std::string step_words(const Step& step);

// Where a terminal has no room for all rows of the answer's tables, those on both sides of a step
// say most, and are left out last.
void keep_rows_at_steps(Answer& answer, const Steps& steps);

// Tables, text and warnings behind an answer of a campaign that chose sizes, whose rows at steps
// are kept; of others nothing.
void add_steps(Answer& answer, const Study& study);

}  // namespace invar::analysis
