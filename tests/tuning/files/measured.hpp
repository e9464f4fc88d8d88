// Decision tables for the tests of writers, and what must come out of any reader of the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tuning/algorithm.hpp"
#include "tuning/decision_table.hpp"
#include "tuning/size_law.hpp"
#include "tuning/tuned_file.hpp"

namespace invar::tuning {

constexpr std::uint32_t kMostTestedRanks = 64;

inline Candidate candidate_of(const std::string& text) {
  return parse_candidate(text).value.value();
}

inline Entry measured(const std::string& operation, std::uint32_t ranks, std::uint64_t from,
                      std::uint64_t to, const std::string& candidate) {
  return {.operation = operation,
          .ranks = ranks,
          .from_bytes = from,
          .to_bytes = to,
          .candidate = candidate_of(candidate)};
}

// As probes would have learned them.
inline SizeLaws learned_laws(Library library, const Version& version) {
  SizeLaws laws;
  for (const std::string& operation : tunable_operations(library, version)) {
    const auto law = expected_size_law(library, version, operation);
    if (law) laws.emplace(operation, *law);
  }
  return laws;
}

// Entries for some numbers of ranks and ranges of sizes of every operation: neighbours, gaps,
// single sizes, zero; any algorithm with any knob, so that some must be dropped.
inline DecisionTable random_table(Library library, const Version& version, std::uint32_t seed) {
  std::mt19937 generator(seed);
  // 0 to count - 1.
  const auto below = [&](std::size_t count) -> std::size_t { return generator() % count; };
  std::vector<Entry> entries;
  for (const std::string& operation : tunable_operations(library, version)) {
    const auto algorithms = algorithms_of(library, version, operation);
    std::set<std::uint32_t> ranks;
    for (std::size_t i = 0; i <= below(5); ++i) {
      const auto first = static_cast<std::uint32_t>(2 + below(kMostTestedRanks - 2));
      ranks.insert(first);
      if (below(2) == 0) ranks.insert(first + 1);  // no room for a fence
    }
    for (const std::uint32_t count : ranks) {
      std::uint64_t from = below(2) == 0 ? 0 : 1 + below(100);
      for (std::size_t i = 0; i <= below(4); ++i) {
        const std::uint64_t to = below(3) == 0 ? from : from + (std::uint64_t{1} << below(16));
        const LibraryAlgorithm& row = *algorithms[below(algorithms.size())];
        Candidate candidate{.kind = CandidateKind::kAlgorithm, .name = std::string(row.name)};
        if (row.fanout != FanoutOf::kNothing && below(2) == 0) {
          candidate.fanout = static_cast<std::uint32_t>(2 + below(6));
        }
        if (row.segments && below(2) == 0) candidate.segment_bytes = 64U << below(8);
        if (operation == "barrier") {
          entries.push_back({operation, count, 0, 0, candidate});
          break;
        }
        entries.push_back({operation, count, from, to, candidate});
        from = to + (below(2) == 0 ? 1 : 1 + below(1000));
      }
    }
  }
  return DecisionTable(std::move(entries));
}

// Sizes of blocks at which something may change for these ranks, and sizes far from any.
inline std::set<std::uint64_t> tested_sizes(const DecisionTable& table,
                                            const std::string& operation, std::uint32_t ranks) {
  std::set<std::uint64_t> sizes{0, 1, 2, 3};
  for (std::uint64_t power = 4; power <= (std::uint64_t{1} << 24U); power *= 4) {
    sizes.insert({power - 1, power, power + 1});
  }
  for (const Entry& entry : table.entries()) {
    if (entry.operation != operation) continue;
    // A neighbour's limits must not be met by mistake.
    if (entry.ranks + 1 < ranks || entry.ranks > ranks + 1) continue;
    for (const std::uint64_t edge : {entry.from_bytes, entry.to_bytes}) {
      sizes.insert({edge, edge + 1});
      if (edge > 0) sizes.insert(edge - 1);
    }
  }
  return sizes;
}

// What the file says, by what its writer says of itself; null: nothing of this cell.
inline const Entry* written_for(const TunedFile& file, const std::string& operation,
                                std::uint32_t ranks, std::uint64_t block_bytes) {
  for (const Entry& entry : file.written) {
    if (entry.operation != operation || entry.ranks != ranks) continue;
    if (operation == "barrier") return &entry;
    if (entry.from_bytes <= block_bytes && block_bytes <= entry.to_bytes) return &entry;
  }
  return nullptr;
}

// The number of bytes that the library compares, written down apart from src/tuning.
inline std::uint64_t bytes_that_library_sees(Library library, const std::string& operation,
                                             std::uint32_t ranks, std::uint64_t block_bytes) {
  static const std::set<std::string> times_ranks{"allgather", "gather", "scatter", "reduce_scatter",
                                                 "reduce_scatter_block"};
  if (operation == "barrier") return 0;
  if (library == Library::kIntel) {
    return operation == "reduce_scatter" || operation == "allgatherv" ? block_bytes * ranks
                                                                      : block_bytes;
  }
  if (operation == "allgatherv") {
    return library == Library::kMpich ? block_bytes * ranks : block_bytes;
  }
  if (operation == "alltoall") {
    return library == Library::kOpenMpi ? block_bytes * ranks : block_bytes;
  }
  return times_ranks.contains(operation) ? block_bytes * ranks : block_bytes;
}

inline std::vector<std::string> reasons_of(const TunedFile& file) {
  std::vector<std::string> reasons;
  reasons.reserve(file.dropped.size());
  for (const DroppedEntry& dropped : file.dropped) reasons.push_back(dropped.reason);
  return reasons;
}

}  // namespace invar::tuning
