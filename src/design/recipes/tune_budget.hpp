// How the budget of `invar tune` is divided among its phases: guidelines, race, and what the
// library is asked afterwards.
#pragma once

#include <cstddef>

namespace invar::design {

// What the guidelines get of the budget: so much, and where nothing surely breaks one by then, up
// to so much. The rest is the race's, which there is none of without something to race.
inline constexpr double kShareOfGuidelines = 0.25;
inline constexpr double kMostOfGuidelines = 0.75;

// The race's part of the budget, when the guidelines took `spent_s`: what they left, but at least
// what they may not take.
double left_for_race_s(double budget_s, double spent_s);

// What is kept for asking the library, when the race has ended, which bytes it compares and whether
// it reads its file: a few short launches an operation.
double kept_for_asking_s(double budget_s, std::size_t operations);

// A budget with which the guidelines come to the last of their looks, where `groups` of its
// `groups_of_last_look` took `spent_s`. `groups` is not 0. Rather too much: what is decided under
// way is measured no more.
double enough_for_all_looks_s(double spent_s, std::size_t groups, std::size_t groups_of_last_look);

}  // namespace invar::design
