// One launch of an arm that is a foreign program: its cells one after the other, in the order of
// the plan, each a run of the program. Writes the same files as the engine does, so that everything
// that reads a launch reads this one.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "driver/prepare/prepare.hpp"
#include "record/plan.hpp"

namespace invar::driver {

// How the reason begins of a run that took longer than the limit.
constexpr std::string_view kDidNotEnd = "did not end within ";

struct ProgramOrder {
  const Prepared& prepared;
  std::uint32_t arm = 0;     // index into the campaign's arms
  const record::Plan& rows;  // of this launch
  std::uint32_t group = 0;
  std::uint32_t launch = 0;
  std::filesystem::path dir = {};
  double limit_s = 0;  // of one run, after which it counts as hung
  // What runs then is ended, and does not count as hung.
  std::optional<std::chrono::steady_clock::time_point> latest_end = {};
  std::set<std::uint32_t> failed_cells = {};  // not run any more
  bool full_environment = false;
};

struct ProgramEnd {
  bool interrupted = false;  // by the user: nothing of it counts
  bool out_of_time = false;  // likewise: it still ran at its latest end
  std::uint32_t runs = 0;
};

// When it returns no process of the program is left. A run that gives no time (it cannot be
// started, hangs, ends with another status than 0, prints none or several, or more than 64 MiB) is
// a line of the journal; the others go on. Throws std::runtime_error if a file cannot be written,
// beginning with record::kCannotWrite.
ProgramEnd run_program_launch(const ProgramOrder& order);

}  // namespace invar::driver
