// Which arms and pairs of a campaign a command asks about.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/pairs.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Indices of the labels that were asked for, in that order; all where nothing was asked. Throws
// UserError with every label that is unknown (did you mean?) or named twice.
std::vector<std::uint32_t> select_labels(std::span<const std::string> known,
                                         std::span<const std::string> asked,
                                         const std::string& option);

// By index into Data::cells: has it visits in the launch groups that judge? What a decision alone
// needed has none.
std::vector<bool> cells_with_visits(const store::Data& data);
// Those that have; all where none has. What these differ in is what tells an answer's cells apart.
std::vector<record::Cell> measured_cells(const store::Data& data);

// Labels of a campaign's arms.
std::vector<std::string> labels_of(const store::Data& data);

// Empties what failed: a wrong result or an MPI error fails the cell of that arm for the campaign.
void drop_failed_cells(const store::Data& data, CellTable& table);

// True if all these arms are the same library with the same settings (an A/A test).
bool same_arm(std::span<const store::ArmRecord> arms);

// The arms as an answer names them, with their complete launches.
std::vector<ComparedArm> compared_arms(const store::Data& data,
                                       std::span<const std::uint32_t> arms);

}  // namespace invar::analysis
