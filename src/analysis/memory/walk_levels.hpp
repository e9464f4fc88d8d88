// How two walks over memory differ.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell.hpp"
#include "record/factors.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::analysis {

// Factors of walks' cells, without those that a series has several levels of (operation, size,
// loops, family).
const std::vector<const record::Factor*>& walk_factors();

// Names of the walk factors in which two cells differ.
std::vector<std::string_view> differing_factors(const record::Cell& a, const record::Cell& b);

// "width 4 B, unroll 1": what is unusual about a cell for its operation, but for some factors. Of
// ranks nothing is usual, but one is what needs no word.
std::string unusual_words(const record::Cell& cell, const record::OperationInfo& info,
                          std::initializer_list<std::string_view> but = {});

}  // namespace invar::analysis
