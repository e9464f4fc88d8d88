// What was measured of walks over buffers, as plain numbers: one series an operation and place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/study/taken_visits.hpp"
#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

class Study;

// One visit. The cost of reading the clock is taken away from its time.
struct WalkObservation {
  std::uint64_t size_bytes = 0;
  std::uint32_t group = 0;
  std::uint32_t round = 0;
  std::uint64_t loops = 1;  // passes in every repetition
  double time_ns = 0;       // median of a repetition, > 0
  double variance_ns2 = 0;  // between repetitions
  std::uint64_t repetitions = 1;
  double start_s = 0;
  double step_ns = 0;
  std::optional<double> add_ns = {};        // of a dependent add: one cycle of the core
  std::optional<double> huge = {};          // share of the buffer in huge pages
  std::optional<double> frames_again = {};  // share of its frames that the visit before had
};

struct WalkSeries {
  std::string operation = {};
  std::string place = {};  // what tells it from the arm's others; empty: nothing
  record::Cell cell = {};  // of its largest size
  record::OperationInfo info = {};
  std::uint32_t width_bytes = 0;  // of a load or store; 0: not told
  // What a pass over a buffer of one byte names, of all ranks together; of chains how many loads
  // follow one another.
  double named = 1;
  double loads = 1;
  std::uint32_t planned = std::numeric_limits<std::uint32_t>::max();  // its first cell of the data
  std::vector<WalkObservation> observations = {};                     // as they were measured
};

struct MemoryData {
  std::string arm = {};
  std::vector<WalkSeries> series = {};        // in the order of the plan
  std::vector<store::ToldCache> caches = {};  // innermost first
  std::optional<double> reading_ns = {};
  double step_ns = 0;
  std::size_t groups = 0;
  std::vector<Warning> warnings = {};
};

// One for every arm that has any.
std::vector<MemoryData> memory_data(const Study& study, const TakenVisits& takes = {});

// Some cell walks over memory.
bool walks_over_memory(const store::Data& data, const record::Cell& cell);

}  // namespace invar::analysis
