// What the library is told for the cells of the factor `algorithm`. Open MPI reads its variables
// when a communicator is made (ompi/mca/coll/tuned, tuned_module_enable), but for one or the other
// that it reads in the call; MPICH reads them in every call. So a cell's values hold while its
// communicator is made, if its switch says so, and while its operation is called; they are put back
// behind that, because the same variables act on calls of ours.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/algorithms/variables.hpp"
#include "ops/call/around.hpp"
#include "record/algorithms/algorithm_switch.hpp"
#include "record/cell.hpp"

namespace invar::engine {

class Switches {
 public:
  // As LaunchSpec::switches has them. Throws UserError, naming `place`, for what is not a switch,
  // and std::runtime_error where the library has no tool interface.
  Switches(std::span<const std::string> texts, const std::string& place);

  // Null: nothing is told for the cell.
  [[nodiscard]] const record::AlgorithmSwitch* find(const record::Cell& cell) const;

  // What holds in the cell's calls; `this` outlives it. If nothing is told for the cell it does
  // nothing, so that cells that are compared run the same code.
  [[nodiscard]] std::unique_ptr<ops::Around> calling(const record::Cell& cell);
  // While its communicator is made; null: nothing has to hold.
  [[nodiscard]] std::unique_ptr<ops::Around> making(const record::Cell& cell);
  // What tells communicators apart that are made so; empty: nothing.
  [[nodiscard]] std::string making_key(const record::Cell& cell) const;

 private:
  WrittenVariables variables_ = {};
  std::vector<record::AlgorithmSwitch> switches_ = {};
};

// As Switches::calling() of a cell for which nothing is told: of a launch that tells nobody
// anything, whose cells are compared with those of one that does.
std::unique_ptr<ops::Around> calling_untold();

}  // namespace invar::engine
