// Measuring for `invar reproduce`: a campaign several times, by our method and by other suites'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "driver/prepare/prepare.hpp"
#include "store/reproduction.hpp"

namespace invar::driver {

struct RepeatOrder {
  design::Campaign campaign = {};  // as written
  std::string place = {};          // of its file
  std::uint32_t times = 0;         // at least 2
  double budget_s = 0;             // of a method in a repeat
  // Suites; `presets_written`: the user named them.
  std::vector<std::string> presets = {};
  bool presets_written = false;
};

// What will be measured. The campaign of every method is resolved against this machine; repeats
// differ in their seed only.
struct Repeats {
  store::Reproduction plan = {};
  std::string campaign_toml = {};  // what is repeated, sizes drawn
  std::map<std::string, Prepared> methods = {};

  [[nodiscard]] const Prepared& own() const;
};

// Checks everything. Throws UserError with all faults: a campaign that cannot be measured by one of
// the methods, a budget that is too short for one.
Repeats prepare_repeats(const RepeatOrder& order);

// How measuring ended, if no CommandError was thrown; how to go on was told.
enum class RepeatEnd { kWhole, kInterrupted, kStopped };

// Makes the directory and measures.
RepeatEnd repeat_new(const Repeats& repeats, const std::filesystem::path& dir);

// Goes on: finished campaigns are kept, an interrupted one is resumed, the rest is measured. Throws
// UserError if the campaign's file was edited.
RepeatEnd repeat_resumed(const std::filesystem::path& dir);

}  // namespace invar::driver
