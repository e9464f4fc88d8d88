// What a file is to say, in the library's own numbers of bytes: between a decision table and its
// writers. What must not be said is dropped here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/tuned_file.hpp"

namespace invar::tuning {

// An algorithm with its knobs.
struct Choice {
  const LibraryAlgorithm* algorithm = nullptr;  // null: the library's own default
  std::uint32_t fanout = 0;                     // 0: the algorithm has none, or not in a file
  std::uint64_t segment_bytes = 0;
};

struct Range {
  std::uint64_t from = 0;  // as the library compares them, both included
  std::uint64_t to = 0;
  Choice choice = {};
};

struct RanksPlan {
  std::uint32_t ranks = 0;
  std::vector<Range> ranges = {};  // ascending, at least one
};

struct OperationPlan {
  std::string operation = {};
  bool sized = true;                  // false: one range, whatever is compared
  std::vector<RanksPlan> ranks = {};  // ascending
  std::optional<Choice> forced = {};  // by the arm as it was given: what holds elsewhere
};

struct FilePlan {
  std::vector<OperationPlan> operations = {};  // in alphabetical order
  std::vector<Entry> written = {};
  std::vector<DroppedEntry> dropped = {};
  // Knobs that hold for a whole process, by environment name.
  Variables process_knobs = {};
  std::vector<std::string> cautions = {};
};

// The largest number of bytes that the format can hold.
std::uint64_t largest_bytes(FileFormat format);

// Throws UserError: what the arm was given cannot be understood, or is a file of its own.
FilePlan plan_file(const TuningRequest& request, FileFormat format);

// The writers: each fills in text, set and unset; the rest is in the plan.
void write_open_mpi_classic(const TuningRequest& request, const FilePlan& plan, TunedFile& file);
void write_open_mpi_json(const TuningRequest& request, const FilePlan& plan, TunedFile& file);
void write_mpich_json(const TuningRequest& request, const FilePlan& plan, TunedFile& file);
void write_intel_variables(const TuningRequest& request, const FilePlan& plan, TunedFile& file);

}  // namespace invar::tuning
