// Calls of one rank that neither send nor receive: what they cost is a number for simulators, in
// which programs pay it whenever they look. Rank 0 calls; rank 1 takes part and returns at once, so
// that a visit has the canaries and the synchronisation of two ranks, as messages have.
//
// They may be timed in batches, and so they are where a call is too short for the clock: they take
// some ten times as long as an instruction, less than two readings of the clock, and programs call
// them again and again, too.
#pragma once

#include <array>

#include "ops/shapes.hpp"

namespace invar::ops {

constexpr int kLoneCaller = 0;
constexpr int kLonePartner = 1;

inline constexpr std::array kLoneRoles{
    record::RoleRule{
        .role = record::Role::kStarts, .ranks = record::Ranks::kNumber, .number = kLoneCaller},
    record::RoleRule{
        .role = record::Role::kAnswers, .ranks = record::Ranks::kNumber, .number = kLonePartner}};

inline constexpr std::array kLoneTimes{
    Time{.name = "call", .summary = "of the rank that calls", .kind = record::TimeKind::kOwn}};

// What the call found, where it has to find nothing.
inline int found_nothing(int error, int found) {
  return error != MPI_SUCCESS || found == 0 ? error : MPI_ERR_OTHER;
}

template <int (*Lone)(Call&)>
int call_alone(Call& c) {
  return c.role == record::Role::kStarts ? Lone(c) : MPI_SUCCESS;
}

template <int (*Lone)(Call&)>
constexpr Operation lone_call(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .sized = false,
          .chain = record::Chain::kNone,
          .buffers = kNoBuffers,
          .roles = kLoneRoles,
          .times = kLoneTimes,
          .call = call_alone<Lone>,
          .verify = nothing_received};
}

}  // namespace invar::ops
