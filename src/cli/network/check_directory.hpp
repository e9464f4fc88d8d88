// `invar network DIR --check`: the platform of the directory against its own machine. What is
// measured and simulated for it lies in DIR/check, in campaigns of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "cli/answer.hpp"

namespace invar::cli {

struct CheckWords {
  double budget_s = 0;                     // of what is measured on the real machine
  bool budget_written = false;             // by whoever asks
  std::optional<std::uint64_t> seed = {};  // none: from the campaign's
};

// Measures and simulates, and prints the check's answer. Returns the exit status. A check that
// stopped half way goes on where its measurement is whole. Throws UserError where no platform
// follows or its files are not those that follow, where there is no simulator (before anything is
// made), and where it was checked already.
int check_network(const std::filesystem::path& dir, const CheckWords& words,
                  const AnswerOptions& options);

}  // namespace invar::cli
