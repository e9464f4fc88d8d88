// One time for ranks that do not read one clock, by the algorithm that the launch asks for
// ([engine] clock-sync). mesh (clock/mesh/mesh.hpp) is kept up between blocks, and smoothed
// afterwards for what is recorded. All others are as they were published: one line a clock, from
// the launch's start on, without a word about its error.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/algorithm.hpp"
#include "clock/mesh/mesh.hpp"
#include "clock/mesh/tracking.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/mpi_link.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/team.hpp"

namespace invar::engine {

// Who shares a model: the ranks of a host, whose clocks were compared (Clocks::compare), or nobody.
enum class Domains : std::uint8_t { kHosts, kRanks };

// Makes one clock global. Global ticks are those of rank 0's clock: where all ranks share it, they
// are its readings. A function that is collective says so, and over which ranks.
class GlobalClock {
 public:
  // Collective. `clocks` outlives it.
  GlobalClock(MPI_Comm all, const Hosts& hosts, const Clocks& clocks, clock::Source source,
              Domains domains, const clock::Settings& algorithm);
  GlobalClock(const GlobalClock&) = delete;
  GlobalClock& operator=(const GlobalClock&) = delete;

  // Collective, and not done by the destructor: while an error unwinds, others do not take part.
  void free();

  // Collective: the first synchronisation; mesh's takes about half a second.
  void synchronise();
  // Collective: one more look at all clocks; the prediction is better afterwards, and what was
  // ticked before can be read. Nothing, where the algorithm is not tracked.
  void track();
  // Rank 0 alone may ask: is it time to track()?
  [[nodiscard]] bool due() const;
  // The clocks are looked at again and again, and the algorithm says how far it may be off: mesh.
  [[nodiscard]] bool tracked() const;
  // Every rank is a domain of its own.
  [[nodiscard]] bool rank_domains() const { return domains_ == Domains::kRanks; }

  // By prediction, for starts that lie ahead: good for about a second after track(), or as long as
  // the algorithm's line is.
  [[nodiscard]] std::int64_t to_global(std::int64_t own_ticks) const;
  [[nodiscard]] std::int64_t to_own(std::int64_t global_ticks) const;

  struct Reading {
    std::int64_t ticks = 0;  // global
    // Standard deviation; none: the algorithm states no error.
    std::optional<double> sigma_ps = {};
  };
  // Collective within a domain, after track(): readings from the last smooth() to this track().
  void smooth();
  // None: the time lies outside what was smoothed. Where nothing is tracked it lies nowhere
  // outside: the algorithm's line has no end.
  [[nodiscard]] std::optional<Reading> reading(std::int64_t own_ticks) const;

  // Collective: what was learned since the last call, as lines of clock_sync.csv (docs/formats.md)
  // on rank 0; empty elsewhere.
  std::string new_lines();

 private:
  [[nodiscard]] std::int64_t to_link_ps(std::int64_t own_ticks) const;
  void spread_prediction();

  clock::Source source_;
  Domains domains_;
  clock::Settings algorithm_;
  DomainComms comms_ = {};
  int rank_ = 0;
  LinkClock own_ = {};        // as the link reads it
  LinkClock reference_ = {};  // rank 0's, for real_ps_of and ticks_of only
  bool virtual_ = false;
  std::optional<MpiLink> link_ = {};      // leaders only
  std::optional<clock::Mesh> mesh_ = {};  // the same; none by another algorithm
  clock::Model prediction_ = {};
  std::optional<clock::SmoothedClock> smoothed_ = {};
  std::uint64_t smoothed_epochs_ = 0;  // leaders: those before the last one that was smoothed
  std::uint64_t told_epochs_ = 0;
  std::int64_t tracked_ns_ = 0;  // CLOCK_MONOTONIC_RAW of the last look
};

// The global clocks of all sources in use; none where all ranks read one clock.
class GlobalClocks {
 public:
  // Collective, after Clocks::compare(). `fixed`: as there. `clock_sync`: a level of [engine]
  // clock-sync; by "none" no clock is made.
  void start(MPI_Comm all, const Hosts& hosts, const Clocks& clocks, bool fixed,
             const std::string& clock_sync);
  void free();
  // May start() make any, in some arm? Known to all ranks and arms before, from the plan of the
  // launch alone: the arms of a group take the same steps, whatever they synchronise by.
  static bool expected(std::uint32_t hosts, const record::VirtualClocks& virtual_clocks) {
    return hosts > 1 || virtual_clocks.any();
  }

  [[nodiscard]] bool any() const {
    return std::any_of(clocks_.begin(), clocks_.end(), [](const auto& clock) { return !!clock; });
  }
  // For the ranks of a team. Null: they read one clock, or nothing is known of how theirs differ.
  [[nodiscard]] const GlobalClock* between(const Team& team, const Clocks& clocks,
                                           clock::Source source) const {
    if (clocks.one_time(source, team.one_host())) return nullptr;
    return clocks_[number_of(source)].get();
  }
  // Collective. `now`: also where it is not yet time to.
  void track(MPI_Comm all, bool now);
  // Collective.
  void smooth();
  // The first line of clock_sync.csv.
  static std::string heading();
  std::string new_lines();

 private:
  std::array<std::unique_ptr<GlobalClock>, group::kClocks> clocks_ = {};
};

}  // namespace invar::engine
