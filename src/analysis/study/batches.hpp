// A batch of calls measures something else than a single call: visits of a cell with different
// numbers of calls are never pooled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

class Batches {
 public:
  explicit Batches(const store::Data& data);

  // False for visits that were made with fewer calls than others of their cell: those of the pilot
  // group, from which the batches were decided.
  [[nodiscard]] bool keeps(const store::Visit& visit) const;

  // What is timed in batches, and what was left out.
  [[nodiscard]] std::vector<Warning> warnings(const store::Data& data) const;

 private:
  struct OfCell {
    std::uint32_t calls = 1;
    std::uint64_t left_out = 0;  // visits
  };
  std::map<std::uint32_t, OfCell> cells_ = {};  // by Cell::id
};

}  // namespace invar::analysis
