// Who was doing what when a launch ended by itself, and which of its ranks most likely ended it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "record/stress/stress_activity.hpp"
#include "record/stress/stress_fault.hpp"

namespace invar::launch {

// By rank; none: not known.
using StressStates = std::vector<std::optional<record::StressActivity>>;

// What ranks have left in `dir`. What lies too far behind the others is left out: another host had
// not sent what came after it.
StressStates read_stress_states(const std::filesystem::path& dir, std::uint32_t ranks);
void remove_stress_states(const std::filesystem::path& dir, std::uint32_t ranks);

// Adds to a crash or a hang of the launch what ranks were doing, and names for a crash what the one
// was at that most likely was the first to go: who has left word that it dies of a signal, whom the
// launcher names in `said`, who has left word that it exits, or, where all states are known, whom
// the others wait for. Where several may have been it has what they have in common. As it was
// where nothing is known.
void tell_activities(record::StressFault& fault, const StressStates& states, std::string_view said);

}  // namespace invar::launch
