// What is wrong with the data that an answer rests on, whole and in one place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"

namespace invar::analysis {

struct Health {
  std::size_t damaged = 0;         // places where the data do not match their checksums
  std::size_t unfinished = 0;      // campaigns that have not come to their end
  std::size_t failed_groups = 0;   // launch groups
  std::size_t failed_cells = 0;    // of an arm: a wrong result, an MPI error
  std::size_t dropped_arms = 0;    // of which no launch was whole any more
  std::size_t missed_runs = 0;     // of foreign programs: no time was printed
  std::uint64_t empty_visits = 0;  // without a valid repetition
  std::size_t without_data = 0;    // campaigns that ended without a whole group that judges
  // The data speak against the method: what it says of them is not to be trusted.
  bool refuted = false;

  [[nodiscard]] bool measurement_failed() const {
    return failed_groups + failed_cells + dropped_arms + missed_runs + without_data > 0 ||
           empty_visits > 0 || refuted;
  }
  // Adds another campaign's health.
  Health& operator+=(const Health& other);
  bool operator==(const Health&) const = default;
};

// The status of a command whose answer rests on such data: damaged, else unfinished, else a
// measurement failed, else done.
base::Exit status_of(const Health& health);

}  // namespace invar::analysis
