#include "tuning/variables.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/operations.hpp"

namespace invar::tuning {
namespace {

constexpr std::string_view kMcaInEnvironment = "OMPI_MCA_";

// "coll_tuned_bcast" + what is wanted of it.
std::string of_tuned(std::string_view operation, std::string_view what) {
  return "coll_tuned_" + std::string(operation) + std::string(what);
}

std::string of_mpich(std::string_view operation, std::string_view what) {
  return "MPIR_CVAR_" + capitals_of(operation) + std::string(what);
}

std::string library_text(Library library, const Version& version) {
  return std::string(title_of(library)) + ' ' + to_string(version);
}

[[noreturn]] void refuse_candidate(const Candidate& candidate, std::string what,
                                   std::string remedy) {
  throw base::UserError(to_string(candidate), std::move(what), std::move(remedy));
}

Variables default_variables(Library library, std::string_view operation) {
  const std::string name = algorithm_variable(library, operation);
  switch (library) {
    case Library::kOpenMpi:
      return {{name, "0"}};
    case Library::kMpich:
      return {{name, "auto"}};
    case Library::kIntel:
      break;
  }
  return {{name, "-1"}};  // its default; 0 is another logic
}

}  // namespace

std::string environment_name(Library library, std::string_view variable) {
  if (library != Library::kOpenMpi) return std::string(variable);
  return std::string(kMcaInEnvironment) + std::string(variable);
}

std::string algorithm_variable(Library library, std::string_view operation) {
  switch (library) {
    case Library::kOpenMpi:
      return of_tuned(operation, "_algorithm");
    case Library::kMpich:
      return of_mpich(operation, "_INTRA_ALGORITHM");
    case Library::kIntel:
      break;
  }
  return "I_MPI_ADJUST_" + capitals_of(operation);
}

const LibraryAlgorithm& checked_algorithm(Library library, const Version& version,
                                          std::string_view operation, const Candidate& candidate) {
  if (candidate.kind != CandidateKind::kAlgorithm) {
    refuse_candidate(candidate, "is not an algorithm of " + std::string(title_of(library)),
                     "name one as algorithm:NAME");
  }
  const LibraryAlgorithm* row = find_algorithm(library, version, operation, candidate.name);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const LibraryAlgorithm* other : algorithms_of(library, version, operation)) {
      known.emplace_back(other->name);
    }
    refuse_candidate(
        candidate,
        library_text(library, version) + " has no such algorithm of " + std::string(operation),
        known.empty() ? "it has none to choose from" : base::did_you_mean(candidate.name, known));
  }
  if (candidate.fanout != 0 && row->fanout == FanoutOf::kNothing) {
    refuse_candidate(candidate, "the algorithm has no fan-out", "leave :fanout= out");
  }
  if (candidate.fanout == 1 && row->fanout == FanoutOf::kTree) {
    // Open MPI would never end: it multiplies by it until all ranks are reached.
    refuse_candidate(candidate, "a tree with fan-out 1 reaches nobody", "write 2 or more");
  }
  if (candidate.segment_bytes != 0 && !row->segments) {
    refuse_candidate(candidate, "the algorithm does not cut messages", "leave :segment= out");
  }
  return *row;
}

Variables forcing_variables(Library library, const Version& version, std::string_view operation,
                            const Candidate& candidate) {
  if (candidate.kind == CandidateKind::kLibraryDefault) {
    return default_variables(library, operation);
  }
  const LibraryAlgorithm& row = checked_algorithm(library, version, operation, candidate);
  const std::string value =
      library == Library::kMpich ? std::string(row.item) : std::to_string(row.number);
  Variables variables{{algorithm_variable(library, operation), value}};
  if (row.fanout != FanoutOf::kNothing) {
    const OpenMpiOperation* of = find_open_mpi_operation(operation);
    std::string name(row.fanout_variable);
    if (name.empty() && of != nullptr) name = of_tuned(operation, of->fanout_variable);
    variables.emplace_back(std::move(name), std::to_string(fanout_of(row, candidate)));
  }
  if (row.segments) {
    std::string name(row.segment_variable);
    if (name.empty()) name = of_tuned(operation, "_algorithm_segmentsize");
    variables.emplace_back(std::move(name), std::to_string(segment_bytes_of(row, candidate)));
  }
  return variables;
}

std::uint32_t fanout_of(const LibraryAlgorithm& row, const Candidate& candidate) {
  return candidate.fanout == 0 ? row.usual_fanout : candidate.fanout;
}

std::uint64_t segment_bytes_of(const LibraryAlgorithm& row, const Candidate& candidate) {
  return candidate.segment_bytes == 0 ? row.usual_segment_bytes : candidate.segment_bytes;
}

Variables enabling_variables(Library library, const Version& /*version*/,
                             std::string_view operation) {
  switch (library) {
    case Library::kOpenMpi:
      return {{"coll_tuned_use_dynamic_rules", "1"}};
    case Library::kMpich:
      return {{"MPIR_CVAR_COLLECTIVE_FALLBACK", "error"},
              {of_mpich(operation, "_DEVICE_COLLECTIVE"), "0"}};
    case Library::kIntel:
      break;
  }
  return {};
}

std::vector<std::string> overruling_variables(Library library, std::string_view operation) {
  const std::string algorithm = algorithm_variable(library, operation);
  switch (library) {
    case Library::kOpenMpi: {
      const std::string name = environment_name(library, algorithm);
      std::vector<std::string> names{name};
      // MPI_Barrier, and whatever else has no data, has no knobs.
      if (operation != "barrier") {
        for (const char* knob : {"_segmentsize", "_tree_fanout", "_chain_fanout"}) {
          names.push_back(name + knob);
        }
      }
      return names;
    }
    case Library::kMpich:
      return {algorithm, of_mpich(operation, "_COMPOSITION")};
    case Library::kIntel:
      break;
  }
  return {algorithm + "_LIST", "I_MPI_TUNING_MODE"};
}

}  // namespace invar::tuning
