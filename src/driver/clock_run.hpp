// Clock experiments on a real MPI library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/launcher.hpp"
#include "record/clock_spec.hpp"

namespace invar::driver {

struct ClockOrder {
  std::string library = {};  // name of a profile
  // Numbers of ranks, one launch each; none: one a core, with hosts as many as are written behind
  // each, or one.
  std::vector<std::uint32_t> ranks = {};
  std::vector<design::Host> hosts = {};  // none: this host
  // pinning: "core" or "none", as asked; CPUs and hosts' names are filled in.
  record::ClockSpec spec = {};
};

// A launch: ranks / hosts.size() of them on each.
struct ClockPlace {
  std::uint32_t ranks = 0;
  std::vector<design::Host> hosts = {};
};

// What will be started.
struct ClockRun {
  std::string library = {};          // name of its profile
  std::string library_version = {};  // "4.1.4"
  std::vector<ClockPlace> places = {};
  record::ClockSpec spec = {};

  [[nodiscard]] std::vector<std::uint32_t> ranks() const;
};

// Throws base::UserError for orders that cannot be carried out.
ClockRun prepare_clocks(const ClockOrder& order);

// What one launch has written: the engine's clocks.csv, or why that would make no sense.
struct ClockRows {
  std::string csv = {};
  std::optional<record::ClockRefused> refused = {};
};

// One launch, `options` but for arguments and directory. Some libraries do not come back from
// MPI_Finalize: then the rows are whole all the same. Throws base::CommandError (exit 3) with the
// engine's words if it fails.
ClockRows launch_clocks(const launch::Profile& profile, launch::StartOptions options,
                        const record::ClockSpec& spec);

// The rows of all launches, by turns over the numbers of ranks: the engine's clocks.csv
// (record/clock_spec.hpp). Throws base::UserError for what the engine finds to make no sense before
// it measures, base::CommandError (exit 3) with the engine's words if it fails.
std::string run_clocks(const ClockRun& run);

}  // namespace invar::driver
