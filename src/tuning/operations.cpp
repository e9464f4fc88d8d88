#include "tuning/operations.hpp"

#include <algorithm>
#include <array>

namespace invar::tuning {
namespace {

constexpr std::string_view kTreeFanout = "_algorithm_tree_fanout";
constexpr std::string_view kChainFanout = "_algorithm_chain_fanout";

// Numbers: COLLTYPE of coll_base_functions.h. Knobs: what *_dec_dynamic hands on of a forced one.
constexpr std::array kOpenMpiOperations{
    OpenMpiOperation{"allgather", 0, kTreeFanout},
    OpenMpiOperation{"allgatherv", 1, kTreeFanout},
    OpenMpiOperation{"allreduce", 2, kTreeFanout},
    OpenMpiOperation{"alltoall", 3, kTreeFanout},
    OpenMpiOperation{"alltoallv", 4, {}},
    OpenMpiOperation{"barrier", 6, {}},
    OpenMpiOperation{"bcast", 7, kChainFanout},
    OpenMpiOperation{"exscan", 8, {}},
    OpenMpiOperation{"gather", 9, kTreeFanout},
    OpenMpiOperation{"reduce", 11, kChainFanout},
    OpenMpiOperation{"reduce_scatter", 12, kChainFanout},
    OpenMpiOperation{"reduce_scatter_block", 13, kChainFanout},
    OpenMpiOperation{"scan", 14, {}},
    OpenMpiOperation{"scatter", 15, kChainFanout},
};

struct SizeKey {
  std::string_view operation;
  std::string_view key;
};

// get_avg_msgsize() and get_total_msgsize() of csel.c. Where both know the operation, the one that
// MPICH's own tree asks for.
constexpr std::array kMpichSizeKeys{
    SizeKey{"allgather", "total_msg_size"},
    SizeKey{"allgatherv", "total_msg_size"},
    SizeKey{"allreduce", "avg_msg_size"},
    SizeKey{"alltoall", "avg_msg_size"},
    SizeKey{"bcast", "avg_msg_size"},
    SizeKey{"reduce", "avg_msg_size"},
    SizeKey{"reduce_scatter", "total_msg_size"},
    SizeKey{"reduce_scatter_block", "total_msg_size"},
};

struct RuleWords {
  Library library;
  std::string_view operation;
  std::string_view words;
};

constexpr std::array kHarms{
    RuleWords{Library::kOpenMpi, "scatter",
              "Open MPI reads MPI_Scatter's send count and type on every rank, and MPI says that "
              "they mean nothing but at the root: ranks may choose differently, and hang"},
    RuleWords{Library::kOpenMpi, "gather",
              "Open MPI reads MPI_Gather's send count and type at a root that is in place, where "
              "MPI says that they mean nothing: ranks may choose differently, and hang"},
    RuleWords{Library::kMpich, "gather",
              "MPICH compares elements instead of bytes for MPI_Gather, and reads the send count "
              "of a root that is in place, where MPI says that it means nothing"},
    RuleWords{Library::kMpich, "scatter",
              "MPICH compares elements instead of bytes for MPI_Scatter, and reads the receive "
              "count of a root that is in place, where MPI says that it means nothing"},
    RuleWords{Library::kMpich, "alltoallv",
              "MPICH compares what each rank sends in MPI_Alltoallv, and ranks may differ in it: "
              "they would choose differently, and hang"},
    RuleWords{Library::kMpich, "alltoallw",
              "MPICH compares what each rank sends in MPI_Alltoallw, and ranks may differ in it: "
              "they would choose differently, and hang"},
};

constexpr std::array kCautions{
    RuleWords{Library::kOpenMpi, "allgather",
              "MPI_Allgather in place: Open MPI judges the size by the send count and type that "
              "MPI ignores there; they must be equal on all ranks"},
    RuleWords{Library::kOpenMpi, "allgatherv",
              "MPI_Allgatherv: Open MPI judges the size by the send type and the receive counts; "
              "the send type must be as long on all ranks"},
};

constexpr std::array<std::string_view, 6> kCombining{
    "allreduce", "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan"};

char capital(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

template <std::size_t N>
std::string_view words_of(const std::array<RuleWords, N>& rows, Library library,
                          std::string_view operation) {
  for (const RuleWords& row : rows) {
    if (row.library == library && row.operation == operation) return row.words;
  }
  return {};
}

}  // namespace

std::string mpi_name_of(std::string_view operation) {
  std::string name = "MPI_" + std::string(operation);
  if (!operation.empty()) name[4] = capital(name[4]);
  return name;
}

std::string capitals_of(std::string_view operation) {
  std::string name(operation);
  std::transform(name.begin(), name.end(), name.begin(), capital);
  return name;
}

bool combines(std::string_view operation) {
  return std::ranges::find(kCombining, operation) != kCombining.end();
}

const OpenMpiOperation* find_open_mpi_operation(std::string_view operation) {
  for (const OpenMpiOperation& row : kOpenMpiOperations) {
    if (row.operation == operation) return &row;
  }
  return nullptr;
}

std::string_view mpich_size_key(std::string_view operation) {
  for (const SizeKey& row : kMpichSizeKeys) {
    if (row.operation == operation) return row.key;
  }
  return {};
}

std::optional<std::string_view> harm_of_rules(Library library, std::string_view operation) {
  const std::string_view words = words_of(kHarms, library, operation);
  if (words.empty()) return {};
  return words;
}

std::string_view caution_of_rules(Library library, std::string_view operation) {
  return words_of(kCautions, library, operation);
}

}  // namespace invar::tuning
