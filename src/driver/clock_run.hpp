// Clock experiments on a real MPI library.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "design/campaign/hosts.hpp"
#include "driver/clock_places.hpp"
#include "driver/prepare/core_claims.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/launcher.hpp"
#include "record/clock_spec.hpp"
#include "store/clock_dir.hpp"

namespace invar::driver {

struct ClockOrder {
  std::string library = {};  // name of a profile
  // Numbers of ranks, one launch each; none: the usual ones (clock_places.hpp).
  std::vector<std::uint32_t> ranks = {};
  bool over_ranks = false;  // goes over numbers of ranks, of which some may need only some hosts
  std::vector<design::Host> hosts = {};  // none: this host
  std::string pinning = {};              // "core" or "none", as asked; empty: as it can be
  record::ClockSpec spec = {};           // pinning, CPUs and hosts' names are filled in
};

// What will be started.
struct ClockRun {
  std::string library = {};          // name of its profile
  std::string library_version = {};  // "4.1.4"
  std::vector<ClockPlace> places = {};
  std::vector<std::string> hosts = {};  // names of all that any place has; none: as in ClockPlace
  std::optional<std::uint32_t> ranks_per_host = {};  // none: not the same in all places, or unknown
  record::ClockSpec spec = {};
  std::chrono::seconds finalize_grace = {};       // driver/run/finalize_grace.hpp
  std::shared_ptr<const CoreClaims> claims = {};  // of this host's cores; null: none is bound here
  std::shared_ptr<const launch::EngineUse> engine = {};  // nobody builds another one meanwhile

  [[nodiscard]] std::vector<std::uint32_t> ranks() const;
};

// Throws base::UserError for orders that cannot be carried out.
ClockRun prepare_clocks(const ClockOrder& order);

// What one launch has written: the engine's clocks.csv, or why that would make no sense.
struct ClockRows {
  std::string csv = {};
  std::optional<record::ClockRefused> refused = {};
  std::string warning = {};  // the rows are whole, but it ended otherwise than with 0
};

// One launch, `options` but for arguments and directory. Some libraries do not come back from
// MPI_Finalize: then the rows are whole all the same. Throws base::CommandError (exit 3) with the
// engine's words if it fails.
ClockRows launch_clocks(const launch::Profile& profile, launch::StartOptions options,
                        const record::ClockSpec& spec, std::chrono::seconds finalize_grace);

// Where rows and words go while an experiment is under way.
struct ClockListener {
  std::function<void(const std::string& rows)> add = {};
  std::function<void(const std::string& warning)> warn = {};
};

// Starts all launches, by turns over the numbers of ranks, and gives the rows of each as soon as
// they are whole: put together they are the engine's clocks.csv (record/clock_spec.hpp). A launch
// that fails is started once more; if it fails again it is left out, and after two such launches in
// a row no more are started. Returns what is left out. Where no launch has rows: throws
// base::UserError for what the engine finds to make no sense before it measures, else
// base::CommandError (exit 3) with the engine's words.
std::vector<store::FailedClockLaunch> run_clocks(const ClockRun& run,
                                                 const ClockListener& listener);

using MeasureClockLaunch =
    std::function<std::string(const ClockPlace& place, const record::ClockSpec& spec)>;
// The same with anything that measures a launch: it throws as run_clocks() does.
std::vector<store::FailedClockLaunch> run_clocks(const ClockRun& run, const ClockListener& listener,
                                                 const MeasureClockLaunch& measure);

}  // namespace invar::driver
