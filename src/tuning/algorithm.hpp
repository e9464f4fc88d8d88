// The algorithms that libraries can be told to run: one row each in the three files *.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/library.hpp"

namespace invar::tuning {

// Numbers of ranks that it runs on. On others libraries take another one, in silence.
enum class RankNeed : std::uint8_t { kAny, kTwo, kEven, kPowerOfTwo };

bool allows(RankNeed need, std::uint32_t ranks);

// What Candidate::fanout is to it.
enum class FanoutOf : std::uint8_t { kNothing, kTree, kChains };

// An algorithm of one library. What it is called by stands as in the library's own sources.
struct LibraryAlgorithm {
  Library library = Library::kOpenMpi;
  Version first = {};  // these versions have it, both included
  Version last = {};   // {}: so has the newest one known
  std::string_view operation = {};
  std::string_view name = {};  // ours: "recursive-doubling"; unique within library and operation
  // Open MPI: of coll_tuned_<operation>_algorithm. Intel: of I_MPI_ADJUST_<OPERATION>. MPICH: -1,
  // the numbers differ from build to build and are asked of the library by `item`.
  int number = -1;
  // Open MPI: of the variable's enumeration. MPICH: of MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM.
  std::string_view item = {};
  // MPICH: the name in a selection tree, "MPIR_Bcast_intra_binomial". Empty: a tree cannot say it.
  std::string_view tree_name = {};
  FanoutOf fanout = FanoutOf::kNothing;
  bool segments = false;  // obeys Candidate::segment_bytes
  RankNeed ranks = RankNeed::kAny;
  // Combines operands in another order than that of the ranks, or loses them: wrong results for
  // operators that do not commute, unless the library looks for itself.
  bool commutative_only = false;
  bool needs_elements = false;  // breaks where a count is 0
  // One of ours with the same messages (src/ops/schedules): "bcast@binomial". Empty: none.
  std::string_view reference = {};

  [[nodiscard]] bool in(const Version& version) const {
    return version >= first && (last == Version{} || version <= last);
  }
};

// All rows, of all libraries and versions.
std::span<const LibraryAlgorithm> library_algorithms();

// Those that this version of the library has for the operation, in the order of its numbers. Empty:
// it has none to choose from.
std::vector<const LibraryAlgorithm*> algorithms_of(Library library, const Version& version,
                                                   std::string_view operation);

// Null: this version has none of that name.
const LibraryAlgorithm* find_algorithm(Library library, const Version& version,
                                       std::string_view operation, std::string_view name);

// Operations with algorithms to choose from, each once, in alphabetical order.
std::vector<std::string> tunable_operations(Library library, const Version& version);

}  // namespace invar::tuning
