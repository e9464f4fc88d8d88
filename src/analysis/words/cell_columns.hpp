// The columns of a table that tell its cells apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/cell.hpp"

namespace invar::analysis {

// Factors other than operation and size that tell these cells apart, without those of one role.
std::vector<record::Factor> varying_factors(std::span<const record::Cell> cells,
                                            std::optional<record::FactorRole> without = {});

// For tables whose rows are synchronisations, names of factors: of operation, size and others only
// what varies, then sync, and dither_ns if that varies.
std::vector<std::string> sync_factors(std::span<const record::Cell> cells);

// "allreduce, 8 B, 2 ranks": the only place that these synchronisations were tried in; empty if
// there are several.
std::string only_place(std::span<const record::Cell> cells);

// How a terminal heads a factor's column, and writes a level: "size" and "64 KiB", "dither" and
// "1.00 us"; else the factor's name and its text.
std::string level_header(const record::Factor& factor);
std::string level_words(const record::Factor& factor, const record::Cell& cell);

}  // namespace invar::analysis
