// What `invar run --resume` needs of `invar reproduce`.
#pragma once

#include <filesystem>

#include "cli/answer.hpp"

namespace invar::cli {

// Goes on with a directory that `invar reproduce` made, and ends with its answer. Returns the exit
// status.
int resume_repeats(const std::filesystem::path& dir, const AnswerOptions& options);

}  // namespace invar::cli
