// What lies in the directory of `invar tune`: the campaign that raced, the tuned files, and a
// campaign for every time they were confirmed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace invar::analysis {

// DIR/confirm-3: a campaign; DIR/tested-3: the files that its tuned arm had.
std::filesystem::path confirmation_dir(const std::filesystem::path& dir, std::uint32_t number);
std::filesystem::path tested_dir(const std::filesystem::path& dir, std::uint32_t number);

// By its name.
bool is_confirmation_dir(const std::filesystem::path& dir);

// Numbers of the confirmations that were begun, ascending.
std::vector<std::uint32_t> confirmations_in(const std::filesystem::path& dir);

}  // namespace invar::analysis
