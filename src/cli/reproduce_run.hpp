// Measuring for `reproduce`: the same campaign several times, by our method and by other suites'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/reproduce/reproduce.hpp"
#include "base/error.hpp"
#include "store/reproduction.hpp"

namespace invar::cli {

struct ReproduceOrder {
  std::string file = {};    // campaign.toml
  std::uint32_t times = 0;  // at least 2
  double budget_s = 0;      // of a method in a repeat
  // Suites; `presets_written`: the user named them.
  std::vector<std::string> presets = {};
  bool presets_written = false;
  std::filesystem::path dir = {};  // new
};

// Checks everything, makes the directory and measures. Returns the exit status if it did not come
// to its end, 0 if it did. Throws UserError before anything is measured: a campaign that cannot be
// measured by one of the methods, a budget that is too short for one.
int reproduce_new(const ReproduceOrder& order);

// Goes on: finished campaigns are kept, an interrupted one is resumed, the rest is measured.
int reproduce_resumed(const std::filesystem::path& dir);

// Throws UserError if the directory holds no reproduce.json.
store::Reproduction reproduction_of(const std::filesystem::path& dir);

// This campaign of it has come to its end; false also where it was not begun.
bool has_ended(const std::filesystem::path& campaign);

// Directories of all campaigns that were begun, by repeat and method.
std::vector<std::filesystem::path> campaigns_of(const std::filesystem::path& dir);

// Of every repeat that is whole. Throws CommandError (kIncomplete) if fewer than two are.
analysis::Reproduced reproduced_from(const std::filesystem::path& dir);

}  // namespace invar::cli
