// The variables by which a library is told what to do. Names are those of MPI_T (Intel: of the
// environment); `environment_name` makes those that stand in a launch's environment of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuning/algorithm.hpp"
#include "tuning/candidate.hpp"
#include "tuning/library.hpp"

namespace invar::tuning {

using Variables = std::vector<std::pair<std::string, std::string>>;  // name, value

// "coll_tuned_bcast_algorithm" -> "OMPI_MCA_coll_tuned_bcast_algorithm"; others stay as they are.
std::string environment_name(Library library, std::string_view variable);

// That which chooses the operation's algorithm: "coll_tuned_bcast_algorithm",
// "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "I_MPI_ADJUST_BCAST".
std::string algorithm_variable(Library library, std::string_view operation);

// What forces the candidate (an algorithm of this version, a library's default) for all sizes and
// communicators, with the values as in an environment: numbers for Open MPI and Intel, names for
// MPICH. Every knob that the algorithm has is told, so that none keeps what was told before. Throws
// UserError: no such algorithm, a knob that it lacks, a candidate that no library can be told.
Variables forcing_variables(Library library, const Version& version, std::string_view operation,
                            const Candidate& candidate);

// The algorithm that the candidate names. Throws UserError as forcing_variables() does.
const LibraryAlgorithm& checked_algorithm(Library library, const Version& version,
                                          std::string_view operation, const Candidate& candidate);

// What is told of a knob that the algorithm has: the candidate's, else the usual one.
std::uint32_t fanout_of(const LibraryAlgorithm& row, const Candidate& candidate);
std::uint64_t segment_bytes_of(const LibraryAlgorithm& row, const Candidate& candidate);

// What must hold for the launch before any of these acts: Open MPI's dynamic rules, MPICH's
// fallback as an error and the operation's device collectives off.
Variables enabling_variables(Library library, const Version& version, std::string_view operation);

// Environment names whose settings decide about the operation beside a file, or over it: none of
// them may be set together with a file that has entries for it.
std::vector<std::string> overruling_variables(Library library, std::string_view operation);

}  // namespace invar::tuning
