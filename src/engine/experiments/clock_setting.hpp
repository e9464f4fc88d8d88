// What the clock experiments share: the clock that the ranks read, what is wrong with it on
// purpose, the link for ping-pongs, and by what an error is known.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/algorithm.hpp"
#include "engine/clocks/clocks.hpp"
#include "engine/clocks/mpi_link.hpp"
#include "engine/launch/host.hpp"
#include "group/page.hpp"
#include "record/clock_spec.hpp"

namespace invar::engine {

// A moment on this rank's clock and on the reference's.
struct Observation {
  std::int64_t local_ps = 0;
  std::int64_t reference_ps = 0;
  double half_width_ns = 0;  // of the reference's time; 0: it is known exactly

  // The error of a clock that claimed `claimed_ps` for this moment.
  [[nodiscard]] double error_ns(std::int64_t claimed_ps) const {
    return static_cast<double>(claimed_ps - reference_ps) / 1000;
  }
};

// All calls that say so are collective over the world.
class ClockSetting {
 public:
  // Collective. Throws base::UserError for a clock that cannot be trusted, and for virtual clocks
  // where the truth is not known.
  ClockSetting(MPI_Comm world, const record::ClockSpec& spec);
  ClockSetting(const ClockSetting&) = delete;
  ClockSetting& operator=(const ClockSetting&) = delete;
  // Collective: frees what hosts share among themselves. Not while an exception is under way, of
  // which other ranks may know nothing: what ends then is the whole launch.
  ~ClockSetting();

  [[nodiscard]] MPI_Comm world() const { return world_; }
  [[nodiscard]] const record::ClockSpec& spec() const { return spec_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] const Hosts& hosts() const { return hosts_; }
  [[nodiscard]] const Clocks& clocks() const { return clocks_; }
  [[nodiscard]] const LinkClock& clock() const { return clock_; }
  // Where there are several hosts whose ranks read one clock each, its leaders are those of hosts.
  // On one host every rank is a domain: else there would be nothing to synchronise.
  [[nodiscard]] MpiLink& link() { return link_; }
  // The spec's algorithms, with their parameters.
  [[nodiscard]] const std::vector<clock::Settings>& algorithms() const { return algorithms_; }
  // The first of them that is mesh.
  [[nodiscard]] std::optional<clock::Settings> mesh() const;

  // All ranks read one real clock: one host, one source, and no answer came before its question.
  [[nodiscard]] bool one_clock() const { return one_clock_; }
  [[nodiscard]] bool virtual_clocks() const { return virtual_; }

  // Compares this rank's clock with rank 0's at a real time. Where all ranks read one real clock
  // this is computed, for any time. Else it is measured by ping-pongs, collectively, as soon as
  // that time has come.
  Observation observe(std::int64_t at_real_ps);
  // Sleeps until shortly before that time on this rank's real clock, then spins.
  void sleep_until(std::int64_t real_ps) const;

  // Collective.
  [[nodiscard]] double largest(double mine) const;
  // The last rank's time where all read one clock; else this rank's.
  [[nodiscard]] std::int64_t latest_ps(std::int64_t mine_ps) const;
  // Every rank's numbers, as many as this rank's, on rank 0 in the order of ranks; empty elsewhere.
  [[nodiscard]] std::vector<double> gather(std::span<const double> mine) const;
  // The page that the ranks of a host share. The first call is collective.
  [[nodiscard]] const group::Page& page();

 private:
  void choose_clock();
  // Whether rank 0 of `comm` asked each of the others twice, 10 ms apart, and no answer came before
  // its question; the same on all ranks. Collective over the world.
  [[nodiscard]] bool answers_follow_questions(MPI_Comm comm);
  void make_virtual();

  MPI_Comm world_;
  const record::ClockSpec& spec_;
  Clocks clocks_;
  Hosts hosts_;
  DomainComms host_comms_;
  LinkClock clock_ = {};
  MpiLink link_;
  std::vector<clock::Settings> algorithms_ = {};
  int rank_ = 0;
  int ranks_ = 1;
  bool one_clock_ = false;
  bool virtual_ = false;
  std::optional<group::Page> page_ = {};
};

}  // namespace invar::engine
