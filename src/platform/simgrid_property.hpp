// A setting of a platform file as text, and where it stands there.
#pragma once

#include <span>
#include <string>

#include "base/error.hpp"

namespace invar::platform {

// A property of <config> has its own name ("smpi/os"); an attribute of <cluster> has that in front
// ("cluster bw").
struct SimgridProperty {
  std::string name = {};
  std::string value = {};
  int line = 0;  // of the value, from 1; 0: it stands in no file
  int column = 0;
};

// Adds to `faults` what smpirun aborts on or reads as something else without a word, whoever wrote
// it: boundaries that are no whole numbers or 2^31 and more (it stops at the first letter),
// sections out of order, without a slope, with a value too many, or above 0 at the beginning;
// overheads below 0 (taken for none), factors that are not above 0, thresholds that cross, costs of
// MPI_Wtime with which a wait never ends, units and numbers that are none, a property given twice.
// What is not in its table is left alone. `place`: the file's name; where there is no line each
// fault's place is the property's own name.
void check_properties(std::span<const SimgridProperty> properties, const std::string& place,
                      base::Faults& faults);

}  // namespace invar::platform
