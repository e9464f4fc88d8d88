// What an engine is to find out about clocks: the orders of `invar clocks` (docs/clocks.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/virtual_clocks.hpp"

namespace invar::record {

struct ClockSpec {
  std::string experiment = "accuracy";       // a name of engine/experiments/clock_experiments.hpp
  std::string clock = "auto";                // auto | tsc | monotonic-raw | mpi-wtime
  std::vector<std::string> algorithms = {};  // "hca3:fit-points=100"
  std::vector<double> after_s = {0};  // when the error is looked at, after the last rank's end
  // Of each algorithm, of each kind of barrier, of the operation with each synchronisation, reads.
  std::uint32_t repetitions = 1;
  double duration_s = 0;  // that the experiment is spread over, where it is (docs/clocks.md)
  double interval_s = 1;  // between two points, or two trackings
  std::string operation = {};
  std::uint64_t size_bytes = 0;
  std::uint32_t bins = 1;
  std::string pinning = "core";
  std::vector<std::uint32_t> cpus = {};  // as in LaunchSpec
  VirtualClocks virtual_clocks = {};
  bool virtual_where_possible = false;  // else real clocks, not an error

  bool operator==(const ClockSpec&) const = default;
};

std::string clock_spec_text(const ClockSpec& spec);
// Throws UserError with every fault; `place` names the file.
ClockSpec read_clock_spec(std::string_view text, const std::string& place);

}  // namespace invar::record
