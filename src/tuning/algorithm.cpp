#include "tuning/algorithm.hpp"

#include <algorithm>
#include <bit>

#include "tuning/algorithms/tables.hpp"

namespace invar::tuning {
namespace {

std::vector<LibraryAlgorithm> all_library_algorithms() {
  std::vector<LibraryAlgorithm> rows = intel_algorithms();
  rows.insert(rows.end(), open_mpi_algorithms().begin(), open_mpi_algorithms().end());
  rows.insert(rows.end(), mpich_algorithms().begin(), mpich_algorithms().end());
  return rows;
}

}  // namespace

bool allows(RankNeed need, std::uint32_t ranks) {
  switch (need) {
    case RankNeed::kTwo:
      return ranks == 2;
    case RankNeed::kEven:
      return ranks % 2 == 0;
    case RankNeed::kPowerOfTwo:
      return std::has_single_bit(ranks);
    case RankNeed::kAny:
      break;
  }
  return true;
}

std::span<const LibraryAlgorithm> library_algorithms() {
  static const std::vector<LibraryAlgorithm> rows = all_library_algorithms();
  return rows;
}

std::vector<const LibraryAlgorithm*> algorithms_of(Library library, const Version& version,
                                                   std::string_view operation) {
  std::vector<const LibraryAlgorithm*> found;
  for (const LibraryAlgorithm& row : library_algorithms()) {
    if (row.library == library && row.operation == operation && row.in(version)) {
      found.push_back(&row);
    }
  }
  return found;
}

const LibraryAlgorithm* find_algorithm(Library library, const Version& version,
                                       std::string_view operation, std::string_view name) {
  for (const LibraryAlgorithm* row : algorithms_of(library, version, operation)) {
    if (row->name == name) return row;
  }
  return nullptr;
}

std::vector<std::string> tunable_operations(Library library, const Version& version) {
  std::vector<std::string> operations;
  for (const LibraryAlgorithm& row : library_algorithms()) {
    if (row.library == library && row.in(version)) operations.emplace_back(row.operation);
  }
  std::sort(operations.begin(), operations.end());
  operations.erase(std::unique(operations.begin(), operations.end()), operations.end());
  return operations;
}

}  // namespace invar::tuning
