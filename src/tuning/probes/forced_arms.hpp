// What a library cannot be told inside a launch is told when it starts: an arm for each candidate,
// so many at a time as can take turns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tuning/candidate.hpp"
#include "tuning/variables.hpp"

namespace invar::tuning {

struct ForcedArm {
  std::string operation = {};
  Candidate candidate = {};
  Variables settings = {};  // by their names in the environment

  bool operator==(const ForcedArm&) const = default;
};

// Arms that are alive in one launch group beside the one that they are compared with. They are of
// one operation: the others' cells would only be measured again.
using ForcedBatch = std::vector<ForcedArm>;

// In the order of `arms`, operation after operation in the order of their first arms; batches of an
// operation are as equal as they can be, none has more than `most` (1 or more).
std::vector<ForcedBatch> forced_batches(std::span<const ForcedArm> arms, std::size_t most);

// What stands behind the label of the arm that it is a variant of: "bcast-chain-segment-64".
// Without signs that labels cannot have.
std::string forced_label(const ForcedArm& arm);

}  // namespace invar::tuning
