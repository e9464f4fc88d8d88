// How many bytes in a second the pairs of a pattern move: all of them together, over the time from
// the first start to the last end, and each by itself (docs/methods.md, "Pairs of ranks").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/p2p/rates.hpp"
#include "analysis/pairs/pair_times.hpp"
#include "record/cell.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::analysis {

// A mean over several cells and pairs, of which every launch group that counts has all.
struct MeanTime {
  TimeEstimate time = {};
  std::size_t groups = 0;
};

struct NamedRate {
  std::string name = {};  // of a pattern, "random:7"; of a pair, "3 to 5", "3 and 5"
  double time_ns = 0;
  std::optional<double> gb_s = {};
};

// A pattern in an arm, or what stands for several: all random matchings of a place, all pairs.
struct PatternRates {
  std::string arm = {};
  record::Cell cell = {};    // of several, its pattern is what they were asked for by
  std::size_t patterns = 1;  // measured one after the other; times are means over them
  std::size_t pairs = 0;     // that talk at once
  std::size_t groups = 0;
  // From the first start to the last end where the headline of the operation says so.
  TimeEstimate span = {};
  std::optional<Rate> total = {};  // all bytes over it; none: there are no bytes
  // A single pair, as a mean over the pairs. None: it cannot be told.
  std::optional<MeanTime> pair = {};
  std::optional<Rate> of_pair = {};
  // Pair; none: there is one, or what sets it apart from the fastest may be its clocks.
  std::optional<NamedRate> slowest = {};
  // The slowest and the fastest of several patterns. None: there is one pattern.
  std::optional<NamedRate> worst = {};
  std::optional<NamedRate> best = {};

  [[nodiscard]] bool this_launch_only() const { return groups == 1; }
};

// Cells that one row is about, and what its pattern is called: all random matchings of a place
// ("random-matchings:20"), the matchings of all pairs ("all-pairs"), and every other cell by
// itself. In the order of the plan.
struct PatternCells {
  record::Cell cell = {};
  std::vector<std::uint32_t> cells = {};  // indices into Data::cells, ascending
};
std::vector<PatternCells> pattern_cells(const store::Data& data,
                                        const std::vector<std::uint32_t>& cells);

// By arm, then in the order of `of`. What no launch group has whole is left out.
std::vector<PatternRates> pattern_rates(const store::Data& data, const MeasuredPairs& measured,
                                        const std::vector<PatternCells>& of);

struct Bisection {
  std::string sentence = {};
  PairsFrame frame = {};
  std::vector<PatternRates> rates = {};     // as pattern_cells() puts them together
  std::vector<PatternRates> patterns = {};  // of each cell; empty: that would be the same
};

// No cell has pairs; no complete launch group, or no valid repetition.
std::optional<Lack> bisection_lack(const Study& study);
// Throws what bisection_lack() says.
Bisection bisection(const Study& study);

// From rates and frame alone.
std::string bisection_sentence(const Bisection& found);

// With this id; a terminal shows it.
TidyTable rates_table(const std::vector<PatternRates>& rates, const std::string& id);
// How its columns are read.
std::vector<std::string> rates_readings(const std::vector<PatternRates>& rates,
                                        const PairsFrame& frame);

Answer answer_of(const Bisection& found);

}  // namespace invar::analysis
