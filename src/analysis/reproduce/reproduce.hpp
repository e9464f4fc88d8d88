// `reproduce`: how far apart the numbers are that a campaign reports when it is made again and
// again, by our method and by other suites' (docs/methods.md, "Reproducibility").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "record/cell.hpp"
#include "stats/decide/verdict.hpp"
#include "stats/describe/summary.hpp"

namespace invar::analysis {

// Which number its user takes from a repeat: what our answer says; what the suite's first run
// printed; the mean of what all runs printed that the time of the repeat allowed.
enum class Taken : std::uint8_t { kAnswer, kOneRun, kSameTime };

// What one repeat reported of an arm's cell.
struct RepeatedValue {
  std::optional<double> time_ns = {};
  std::optional<double> ratio = {};            // to the first arm's time; none for that arm
  std::optional<stats::Verdict> verdict = {};  // ours, about the first arm
  std::string missing = {};                    // why there is no time
};

struct RepeatValues {
  std::vector<std::vector<RepeatedValue>> values = {};  // [cell][arm]
  double machine_s = 0;                                 // wall time of what they rest on
};

struct MethodRepeats {
  std::string name = {};  // "invar", or a preset
  Taken taken = Taken::kAnswer;
  bool shares_time = false;  // its numbers come from the launches of "invar"
  std::vector<RepeatValues> repeats = {};
};

struct ReproduceInput {
  std::vector<record::Cell> cells = {};
  std::vector<ComparedArm> arms = {};  // the first one is the reference; launches of all repeats
  std::vector<MethodRepeats> methods = {};  // ours first; all with as many repeats
  double min_effect = 0.02;
};

// The spread of the values that there are.
struct Spread {
  std::size_t repeats = 0;  // with a value
  double least = 0;
  double largest = 0;
  double spread = 0;         // (largest - least) / least
  stats::TukeyBox box = {};  // of the values over the least
};

struct ReproducedCell {
  std::size_t cell = 0;  // index into Reproduced::cells
  std::size_t arm = 0;   // index into Reproduced::arms
  // By repeat.
  std::vector<std::optional<double>> times_ns = {};
  std::vector<std::optional<double>> ratios = {};            // empty for the first arm
  std::vector<std::optional<stats::Verdict>> verdicts = {};  // ours; empty for the first arm
  // None from fewer than two values.
  std::optional<Spread> time = {};
  std::optional<Spread> ratio = {};
  bool winner_changed = false;  // by more than min-effect to both sides
  std::string missing = {};     // of the first repeat without a time; empty: all have one
};

// Over arms and cells that have a value in every repeat: a spread of fewer values is smaller.
struct SpreadSummary {
  std::size_t count = 0;
  double median = 0;
  double worst = 0;
  std::size_t worst_cell = 0;  // index into ReproducedMethod::cells
  // A box of the values of all these cells, each over the least of its own: figure 12 of Hunold and
  // Carpen-Amarie 2016.
  stats::TukeyBox box = {};
};

struct ReproducedMethod {
  std::string name = {};
  Taken taken = Taken::kAnswer;
  bool shares_time = false;
  std::vector<double> machine_s = {};  // by repeat
  std::optional<SpreadSummary> times = {};
  std::optional<SpreadSummary> ratios = {};
  std::size_t comparisons = 0;  // arms other than the first and cells with all ratios
  std::size_t winners_changed = 0;
  // Ours: of comparisons whose verdict every repeat has.
  std::optional<std::size_t> judged = {};
  std::size_t opposite_verdicts = 0;  // faster in one repeat, slower in another
  std::size_t decided_alike = 0;      // the same verdict, not "undecided", in all
  std::vector<ReproducedCell> cells = {};
};

struct Reproduced {
  std::string sentence = {};
  std::string scope = {};
  std::size_t repeats = 0;
  std::optional<double> budget_s = {};  // of a method in a repeat
  double min_effect = 0.02;
  std::vector<record::Cell> cells = {};
  std::vector<ComparedArm> arms = {};
  std::vector<ReproducedMethod> methods = {};
  std::vector<Warning> warnings = {};
  std::vector<std::filesystem::path> dirs = {};

  Health health = {};
};

// Sentence, methods and warnings about missing values. Throws std::invalid_argument where methods
// differ in their number of repeats or tables are not [cell][arm], and for fewer than two repeats.
Reproduced reproduce(ReproduceInput input);

// Every value over the least of them, by repeat: figure 12 of Hunold and Carpen-Amarie 2016.
std::vector<std::optional<double>> normalised(const std::vector<std::optional<double>>& values);

// "answer", "one-run", "same-time": for machines.
std::string_view taken_name(Taken taken);

// "invar", "osu, one run", "osu, same time".
std::string method_text(const std::string& name, Taken taken);

// `cells`: a terminal shows every cell too.
Answer answer_of(const Reproduced& result, bool cells);

}  // namespace invar::analysis
