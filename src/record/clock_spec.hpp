// What an engine is to find out about clocks: the orders of `invar clocks` (docs/clocks.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/virtual_clocks.hpp"

namespace invar::record {

struct ClockSpec {
  std::string experiment = "accuracy";
  std::string clock = "auto";                // auto | tsc | monotonic-raw | mpi-wtime
  std::vector<std::string> algorithms = {};  // "hca3:fit-points=100"
  std::vector<double> after_s = {0};  // when the error is looked at, after the last rank's end
  std::uint32_t repetitions = 1;      // of each algorithm
  std::string pinning = "core";
  std::vector<std::uint32_t> cpus = {};  // as in LaunchSpec
  VirtualClocks virtual_clocks = {};

  bool operator==(const ClockSpec&) const = default;
};

std::string clock_spec_text(const ClockSpec& spec);
// Throws UserError with every fault; `place` names the file.
ClockSpec read_clock_spec(std::string_view text, const std::string& place);

}  // namespace invar::record
