// Whose times stand side by side, whatever the campaign's design: the sides that pairs are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/pair.hpp"
#include "analysis/study/pairs.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// All visits by one of their times.
struct TimedVisits {
  Time time = {};
  TimeChoice choice = {};  // how a study is asked for it, unless it is local or global
  CellTable table = {};    // [cell][arm]; empty where an arm does not have a cell
  // `table` before the visits outside the machine's reference regime were left out; empty: none
  // were.
  CellTable everything = {};
  // The visits of each of Contest::views.
  std::vector<CellTable> in_view = {};

  [[nodiscard]] const CellTable& whole() const { return everything.empty() ? table : everything; }
};

struct Contest {
  std::vector<record::Cell> cells = {};  // of several campaigns: those that all of them have
  std::vector<std::string> labels = {};  // of the arms, campaign after campaign
  std::vector<TimedVisits> times = {};   // the first one is the headline
  // The machine's reference regime, that `table` speaks of where there are others; none: of all.
  std::optional<base::CanaryBand> reference = {};
  // What else the machine did, by name: its other regimes, and everything together.
  std::vector<std::string> views = {};
  // The factor whose levels are compared inside every arm; null: arms are.
  const record::Factor* against = nullptr;
  // Every CellVisits::launches is a session's, not a launch's.
  bool over_sessions = false;
  bool against_times = false;  // not arms but `times` are compared, inside every arm
  // Bytes that a call of the side moves (moved_bytes()); null: nobody asks for rates.
  std::function<std::optional<double>(const Side& side, bool time_of_pair)> moved = {};

  [[nodiscard]] bool inside_arms() const { return against != nullptr || against_times; }
  [[nodiscard]] const CellTable& table() const { return times.front().table; }
  [[nodiscard]] bool is_split() const { return !times.front().everything.empty(); }
  // The canaries that it is split by; none: it is not.
  [[nodiscard]] std::optional<base::CanaryKind> split_by() const {
    return is_split() && reference ? std::optional(reference->kind) : std::nullopt;
  }
};

// `view`: index into Contest::views; none: the headline. The contest has the side's time,
// else std::out_of_range.
const CellVisits& visits_of(const Contest& contest, const Side& side,
                            std::optional<std::size_t> view = {});

// What the side's time is called: "whole", "one way".
std::string time_name_of(const Contest& contest, const Side& side);

// log of A - log of B, one a launch group; of a pair that is paired.
PairedDifferences differences_of(const Contest& contest, const Pair& pair, Pairing between_arms);

// The arms (indices into Data::arms) in this order; cells that failed in an arm are empty there.
CellTable of_arms(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms);
// `reference`: what is outside of it is left out of the headline.
Contest contest_of(const store::Data& data, CellTable table, std::span<const std::uint32_t> arms,
                   const std::optional<base::CanaryBand>& reference = {});

// Makes `table` anew from all visits: after some of these were taken away.
void keep_reference(TimedVisits& timed, const std::optional<base::CanaryBand>& reference);

// Whether both sides have launches enough in the pair's view for an answer of its own.
bool enough_in_view(const Contest& contest, const Pair& pair, Pairing between_arms);

// Two arms of each cell. With more than two arms every pair is asked, because the best arms follow
// from all of them; printed are those with the reference, or, where it does not have the cell, with
// the first arm that does. A gate asks one thing only: whether another arm takes longer than the
// first one by more than the margin `gate`; where the first does not have the cell, nothing.
std::vector<Pair> pairs_of_arms(const Contest& contest, bool all_pairs,
                                std::optional<double> gate = {});

// The levels of `contest.against` inside every arm: cells that differ in nothing else. The first
// one of them is the reference. The rest as in pairs_of_arms.
std::vector<Pair> pairs_of_levels(const Contest& contest, bool all_pairs,
                                  std::optional<double> gate = {});

// The times that an operation states inside every arm and cell. The first of them is the reference.
std::vector<Pair> pairs_of_declared_times(const Contest& contest, bool all_pairs);

// Whichever the contest is about.
std::vector<Pair> pairs_of(const Contest& contest, bool all_pairs, std::optional<double> gate);

// The printed ones in every view in which both sides have launches enough: a table of their own,
// because nobody decides by them.
std::vector<Pair> pairs_in_views(const Contest& contest, std::span<const Pair> pairs,
                                 Pairing between_arms);

// What a campaign compares: which pairs a question is about.
using AskedPairs = std::function<std::vector<Pair>(const Contest&)>;

}  // namespace invar::analysis
