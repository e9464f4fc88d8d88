// What a network's points say alone, beside the joint fit: PLogP's functions, and what is left of
// half a round trip without both overheads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/network/fit/joint_solved.hpp"

namespace invar::analysis {

// PLogP's functions of one size (Kielmann, Bal and Verstoep, IPDPS workshops 2000), as they were
// measured.
struct PLogPRow {
  std::uint64_t size_bytes = 0;
  std::optional<ModelEstimate> send_ns = {};     // o_s(m); none: it waits, or was not measured
  std::optional<ModelEstimate> receive_ns = {};  // o_r(m); none: it contains the transfer, or ...
  std::optional<ModelEstimate> gap_ns = {};      // g(m)
};

// By size.
std::vector<PLogPRow> plogp_rows(const SolvedJoint& solved);

// Constant and slope (over s - 1) of the line through half round trips less both overheads, of the
// sizes of the range that have all three; of any sign. None of fewer than three sizes.
struct SubtractedLine {
  std::optional<double> constant = {};
  std::optional<double> slope = {};
};
SubtractedLine by_subtraction(const JointPoints& points, const ByteRange& range);

}  // namespace invar::analysis
