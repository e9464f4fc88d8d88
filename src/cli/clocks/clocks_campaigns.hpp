// `invar clocks local-global` and `invar clocks sync-bias`: experiments that measure a campaign of
// the usual kind and render its records in their own way.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/commands.hpp"

namespace invar::cli {

struct ClockCampaign {
  const char* name;
  const char* source;
  const char* about;
};
std::vector<ClockCampaign> clock_campaigns();

void add_clock_campaigns(CLI::App& clocks, Outcome& outcome);

}  // namespace invar::cli
