// The table of synchronisations: the levels of the factor `sync`. Whoever asks what ranks may rely
// on before a repetition asks its row; the code of each is a policy of the engine
// (src/engine/sync), chosen in engine/launch/visit.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

struct Cell;

struct Synchronisation {
  std::string_view name;
  // What it is: for the template of `invar init`.
  std::string_view summary;
  // Behind "repetitions were synchronised by NAME: ", for a paper.
  std::string_view method;
  // Ranks compare their clocks, so that these must agree (MPI_Wtime's do not).
  bool needs_common_clock = false;
  // Every rank knows beforehand when a repetition starts. Then ranks can be late on purpose, a late
  // start is noticed, and the global run-time is the one that is meant.
  bool agreed_start = false;
  // Ranks may share cores, or move between them.
  bool allows_shared_cores = true;
  // Repetitions begin at equal distances, whose length [engine] window may fix.
  bool has_windows = false;
  // Exchanges between all ranks before every repetition.
  double rounds = 1;
  // Lines of the template of `invar init` for keys that only it has.
  std::string_view sample = {};
};

std::span<const Synchronisation> synchronisations();

// Null if there is none of that name.
const Synchronisation* find_synchronisation(std::string_view name);

// The row of a level of `sync`, which Factor::parse has checked. Throws std::invalid_argument.
const Synchronisation& synchronisation(std::string_view name);

std::vector<std::string> synchronisation_names();

// What waiting for a common start adds to a repetition (Factor::seconds).
double synchronisation_seconds(const Cell& cell, double calls_s);

// Its lines in the template of `invar init`: all levels with what they are, and their keys.
std::string synchronisation_sample();

}  // namespace invar::record
