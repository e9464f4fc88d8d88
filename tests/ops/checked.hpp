// What `check_operations` says of some operations, for programs that stand between it and the
// library.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "ops/check/check.hpp"

namespace invar::ops::test {

inline constexpr std::uint64_t kCheckedCounts[] = {0, 1, 7, 1024};

struct Checked {
  int failures = 0;
  std::string text;  // on rank 0
};

// Collective.
inline Checked checked(const std::vector<std::string>& names) {
  std::FILE* const out = std::tmpfile();
  Checked checked;
  checked.failures =
      check_operations(MPI_COMM_WORLD, {.operations = names, .counts = kCheckedCounts}, out);
  std::rewind(out);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) {
    checked.text += static_cast<char>(c);
  }
  std::fclose(out);
  return checked;
}

}  // namespace invar::ops::test
