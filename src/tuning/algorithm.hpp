// The algorithms that libraries can be told to run: one row each, in `algorithms`, a file a
// library.
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
  std::string_view operation = {};
  std::string_view name = {};  // ours: "recursive-doubling"; unique within version and operation
  // Open MPI: of coll_tuned_<operation>_algorithm. Intel: the preset of I_MPI_ADJUST_<OPERATION>.
  // MPICH: -1, the numbers differ from build to build and are asked of the library by `item`.
  int number = -1;
  // Open MPI: of the variable's enumeration. MPICH: of MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM.
  std::string_view item = {};
  std::string_view tree_name = {};  // MPICH: in a selection tree, "MPIR_Bcast_intra_binomial"
  Version first = {};               // these versions have it, both included; {}: no limit
  Version last = {};
  // MPICH: what stands below the name in a tree: "%" is the fan-out, "#" the bytes of a segment,
  // "k=%,chunk_size=#".
  std::string_view tree_parameters = {};

  FanoutOf fanout = FanoutOf::kNothing;
  std::uint32_t usual_fanout = 0;  // what is told where Candidate::fanout is 0
  // A variable of its own, which holds for all calls of a process; empty: a file says it for each
  // range, and variables by the operation's common ones.
  std::string_view fanout_variable = {};
  bool segments = false;  // obeys Candidate::segment_bytes
  std::uint64_t usual_segment_bytes = 0;
  std::string_view segment_variable = {};  // likewise

  // What it cannot do. A library told to do it gives wrong results, stops, or takes another one.
  RankNeed ranks = RankNeed::kAny;
  bool commutative_only = false;  // combines operands in another order than that of the ranks
  bool built_in_only = false;     // only MPI's own operators
  bool count_from_ranks = false;  // needs as many elements as the largest power of two of ranks
  bool hierarchy_only = false;    // needs a communicator of hosts with several ranks
  bool regular_only = false;      // v-forms: needs equal counts
  bool needs_elements = false;    // breaks where a count is 0

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
