// Renderers of `clocks sync-bias`.
#pragma once

#include <string>

#include "analysis/questions/sync_bias.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

// The table, how to read it, what to look at, and the sentence as the last paragraph.
std::string sync_bias_table(const analysis::SyncBias& bias);
// As `compare --format csv`, and for each arm of a row visits, modes, several_modes, sd_log_visits,
// sd_log_repetitions.
std::string sync_bias_csv(const analysis::SyncBias& bias);
// As `compare --format json` with the same keys more in its cells.
std::string sync_bias_json(const analysis::SyncBias& bias);
// The same object as a value of a larger one.
void write_sync_bias(base::JsonWriter& json, const analysis::SyncBias& bias);

}  // namespace invar::report
