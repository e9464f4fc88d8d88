// What a compiler or linker says, and where its first complaint is.
#pragma once

#include <string>

#include "base/error.hpp"

namespace invar::launch {

// The first error in the output, with its file, line and column; a linker's has no place. Without
// one that is understood, `what` is empty.
base::Fault first_complaint(const std::string& output);

}  // namespace invar::launch
