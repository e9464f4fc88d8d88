// LogP, LogGP and PLogP of a network: one joint fit of what was measured, bounded at 0, and what it
// cannot tell (docs/methods.md, "The network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/network/fit/joint_solved.hpp"
#include "analysis/network/fit/points_alone.hpp"

namespace invar::analysis {

enum class ParameterState : std::uint8_t {
  kIdentified,
  kOnBound,        // the fit would have it below 0
  kNotIdentified,  // nothing that was measured tells it from others
};
// "identified", "on its bound", "not identified".
std::string_view name_of(ParameterState state);

struct Parameter {
  std::string model = {};  // "LogP", "LogGP", "PLogP"
  // "L", "o_s", "o_s per byte", "o_r", "g", "G", "G of trains"; where only a sum is known "L +
  // o_r".
  std::string name = {};
  bool per_byte = false;                       // ns for a byte, else ns
  ByteRange sizes = {};                        // that it holds for
  std::optional<ModelEstimate> estimate = {};  // none: not identified
  ParameterState state = ParameterState::kIdentified;
  // What it would be by subtraction, whatever its sign: half a round trip less both overheads.
  std::optional<double> by_subtraction = {};
  // Not identified, but no more than this, which was measured; none: no such bound is known.
  std::optional<ModelEstimate> at_most = {};
  std::string why = {};  // why it is not identified, or on its bound
};

struct JointParameters {
  std::vector<Parameter> parameters = {};  // LogP, LogGP by sizes, PLogP
  std::vector<PLogPRow> plogp = {};
  JointFit fit{JointShape{}};
  std::optional<JointSolution> solution = {};  // none: nothing to fit
};

// Where resamples do not tell the G of trains from that of round trips, they are one
// (judge_gaps()).
JointParameters joint_parameters(const JointQuestion& question, JointShape shape);

}  // namespace invar::analysis
