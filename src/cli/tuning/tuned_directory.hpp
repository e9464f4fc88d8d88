// A directory of `invar tune` from race to file: what is written when the race has ended, what a
// confirmation measures, and what stays of the file after it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "design/campaign/campaign.hpp"

namespace invar::cli {

// Throws UserError where `dir` has no campaign that races.
void check_tuned_directory(const std::filesystem::path& dir);

// Brings the files up to date with what is measured: writes them when the race has ended, and what
// is in force after its confirmations (analysis/tuning/kept.hpp). Does nothing where they are, or
// where the measurement is not at its end. Says on stderr what it writes.
void bring_up_to_date(const std::filesystem::path& dir);

// The same of a race, or of a confirmation in the directory of its race, that was ended by other
// means than `invar tune`: what cannot be written is told on stderr, and is not a fault of what was
// measured. Does nothing with any other campaign.
void write_what_follows(const std::filesystem::path& dir, design::Question question);

struct ConfirmWords {
  double budget_s = 0;
  std::optional<std::uint64_t> seed = {};  // none: from that of the race
};

// Measures the arm untouched against the arm with the files of all that no confirmation has denied,
// in DIR/confirm-N. A status if it did
// not come to its end, or there is nothing to confirm; none: the answer is the directory's. Throws
// UserError: the race is not at its end, a file was edited, the library has changed since.
std::optional<int> confirm(const std::filesystem::path& dir, const ConfirmWords& words);

}  // namespace invar::cli
