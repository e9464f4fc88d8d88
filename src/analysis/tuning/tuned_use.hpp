// How a tuned file is used: the variables to set, and those to unset.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/compare/comparison.hpp"

namespace invar::analysis {

struct TunedUse {
  std::vector<std::pair<std::string, std::string>> set = {};
  std::vector<std::string> unset = {};

  [[nodiscard]] bool empty() const { return set.empty() && unset.empty(); }
  bool operator==(const TunedUse&) const = default;
};

// The difference between the settings of both arms, `env:` taken off.
TunedUse use_of(const ComparedArm& untouched, const ComparedArm& tuned);

// What a file of variables for a shell says (tuned.env): lines `unset NAME` and `export
// NAME=VALUE`; comments and others are passed over.
TunedUse use_in(const std::string& text);

// One row a variable: what to do, its name, its value.
TidyTable use_table(const TunedUse& use);

// In the directory of `invar tune`: the file of variables, and the decision table, which is written
// last: where it is, all files are.
constexpr const char* kVariablesFile = "tuned.env";
constexpr const char* kTableFile = "table.csv";

}  // namespace invar::analysis
