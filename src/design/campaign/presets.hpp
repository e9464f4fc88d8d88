// What other suites would report of the same machine time: for each how it measures, how it comes
// to its numbers and what it calls them (docs/methods.md, "Presets"). Data; src/analysis computes.
// For messages between single ranks suites have benchmarks of their own: design/suites.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/operation/operation_info.hpp"
#include "record/scheme.hpp"

namespace invar::design {

// Processing schemes: PS1 to PS8 are those of Hunold and Carpen-Amarie 2016, table 4.
enum class Processing : std::uint8_t {
  kMiddleHalf,       // PS1: largest of the ranks per repetition; mean of the middle half
  kMeanOfLargest,    // PS2: largest of the ranks per repetition; mean with its interval
  kLeastOfLargest,   // PS2 as mpicroscope prints it: the least of them first
  kMeanOfRanks,      // PS3, PS7: mean of each rank; mean, least and largest over ranks
  kRootToLast,       // PS4: from the root's start to the last rank's end; mean with its interval
  kWithoutOutliers,  // PS5: all ranks' repetitions below twice their 99 % quantile; mean
  kLargestMedian,    // PS6: median (or another one) of each rank; largest over ranks
  kLeastBatch,       // PS8: mean of a batch on rank 0; the least over passes
  kFilteredMedian,   // median of the largest of the ranks inside of Tukey's fences
  kMedian,           // median of the largest of the ranks
  // The following process messages between single ranks (design/suites/message_presets.hpp).
  kMeanOfInitiator,  // mean of the first rank that starts
  kLargestMean,      // mean of each rank; largest over ranks
  kLeastOfPasses,    // the initiator's batches, points that stick out measured again; least, mean,
                     // largest over passes
};

// What a run of the suite makes of one cell if its user says nothing.
struct Habit {
  std::uint32_t passes = 1;  // over all cells
  std::uint32_t calls = 1000;
  std::uint64_t small_up_to_bytes = 0;  // above: `large_calls`; 0: the same for all sizes
  std::uint32_t large_calls = 0;
  std::uint64_t most_bytes = 0;  // calls times size; 0: not limited
};

// mpptest sweeps its sizes once less often than -sample_reps says, 30 if nobody says anything:
// its loop counts from 1.
constexpr std::uint32_t kMpptestPasses = 29;

struct Preset {
  std::string_view name;
  std::string_view suite;   // as its users know it, with the version that was looked at
  std::string_view scheme;  // record::Scheme::name; empty: computed from our own visits
  Processing processing;
  std::string_view reports;  // its headline, in words
  bool tests = false;        // it compares by a test of its own
  Habit habit = {};
};

std::span<const Preset> presets();

// Null if there is none of that name.
const Preset* find_preset(std::string_view name);

std::vector<std::string> preset_names();

// The names themselves. Throws UserError naming `place` for each that is unknown (with a
// did-you-mean) or stands twice.
std::vector<std::string> checked_presets(std::vector<std::string> names, const std::string& place);

// The preset cannot be computed where only sums over ranks were recorded, and no single rank.
bool needs_ranks(Processing processing);
// So it is with some of these.
bool any_needs_ranks(std::span<const std::string> presets);

// The measurement schemes by which these presets measure collectives, each once, in the order of
// record::schemes().
std::vector<const record::Scheme*> schemes_of(std::span<const std::string> presets);

// The size that the suites print for one of our cells: of a reduction it is the vector that goes
// in, also where every rank keeps but a part of the result (reduce_scatter).
std::uint64_t size_in_suite(const record::Cell& cell, const record::OperationInfo& operation);

}  // namespace invar::design
