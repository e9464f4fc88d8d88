// Why the ranks of a cell have no time in common, where their synchronisation needs one. MPI-free.
#pragma once

#include <string>

namespace invar::engine {

struct ClocksApart {
  std::string cell = {};      // its levels in words
  bool one_host = false;      // all of its ranks are on one
  bool own_cores = false;     // every rank stays on a core of its own
  bool expected = false;      // GlobalClocks::expected(): a synchronisation would be of use
  bool synchronised = false;  // the launch asks for one
};

// A synchronisation that the launch left out is blamed only where it would have been one.
inline std::string clocks_apart_text(const ClocksApart& apart) {
  if (!apart.synchronised && apart.own_cores && apart.expected) {
    return apart.cell + ": the ranks do not read one clock, and clock-sync is none";
  }
  if (apart.one_host) return "the clocks of a host's CPUs differ by more than their step";
  return apart.cell +
         ": clocks of ranks that are not pinned to cores of their own cannot be synchronised "
         "between hosts";
}

}  // namespace invar::engine
