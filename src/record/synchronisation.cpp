#include "record/synchronisation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {
namespace {

constexpr std::array<Synchronisation, 6> kSynchronisations{{
    {.name = "round-time",
     .summary = "a common start time, no MPI call of the library between repetitions",
     .method =
         "ranks agreed on a start a little ahead in global time and waited for it on the clock; "
         "repetitions that a rank began late were flagged and repeated",
     .needs_common_clock = true,
     .agreed_start = true,
     .allows_shared_cores = false},
    {.name = "window",
     .summary = "start times at equal distances",
     .method = "repetitions began at equal distances in global time, windows that adapt to the "
               "operation; what began late or took longer was flagged and repeated",
     .needs_common_clock = true,
     .agreed_start = true,
     .allows_shared_cores = false,
     .has_windows = true,
     .sample = "# Length of all windows of `sync = \"window\"`; without it they adapt to what a "
               "call takes.\n"
               "# window = \"100us\"\n"},
    {.name = "barrier", .summary = "MPI_Barrier", .method = "MPI_Barrier of the library itself"},
    {.name = "dissemination",
     .summary = "an own barrier",
     .method = "a dissemination barrier of the measuring program"},
    {.name = "double-barrier",
     .summary = "MPI_Barrier twice",
     .method = "two calls of MPI_Barrier of the library itself",
     .rounds = 2},
    {.name = "none", .summary = "nothing", .method = "nothing", .rounds = 0},
}};

}  // namespace

std::span<const Synchronisation> synchronisations() { return kSynchronisations; }

const Synchronisation* find_synchronisation(std::string_view name) {
  const auto found = std::find_if(kSynchronisations.begin(), kSynchronisations.end(),
                                  [&](const Synchronisation& known) { return known.name == name; });
  return found == kSynchronisations.end() ? nullptr : &*found;
}

const Synchronisation& synchronisation(std::string_view name) {
  if (const Synchronisation* known = find_synchronisation(name)) return *known;
  throw std::invalid_argument("no synchronisation '" + std::string(name) + "'");
}

std::vector<std::string> synchronisation_names() {
  std::vector<std::string> names;
  for (const Synchronisation& known : kSynchronisations) names.emplace_back(known.name);
  return names;
}

// Grows with the levels of the tree of arrivals.
double synchronisation_seconds(const Cell& cell, double /*calls_s*/) {
  constexpr double kLevelSeconds = 1e-6;
  return synchronisation(cell.sync).rounds * kLevelSeconds * tree_levels(cell.ranks);
}

std::string synchronisation_sample() {
  constexpr std::size_t kColumn = 18;
  std::string text = "# How ranks start a repetition together:\n";
  for (const Synchronisation& known : kSynchronisations) {
    std::string name = '"' + std::string(known.name) + '"';
    name.resize(std::max(kColumn, name.size() + 1), ' ');
    text += "#   " + name + std::string(known.summary) + '\n';
  }
  text += "sync = \"" + Cell().sync + "\"\n";
  for (const Synchronisation& known : kSynchronisations) text += known.sample;
  return text;
}

}  // namespace invar::record
