// What reductions take in a simulation. SimGrid's SMPI gives them no cost: messages alone take
// time there. An arm tells what a real library's take (docs/formats.md, "Simulated reductions").
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace invar::record {

// As `smpi/or` has it: "0:1e-07:2e-10;4096:5e-07:1e-10".
constexpr const char* kReductionCostVariable = "INVAR_SIMULATED_REDUCTION";

// What operands of more than `above_bytes` cost, up to the next section's: seconds, and seconds a
// byte.
struct ReductionCost {
  std::uint64_t above_bytes = 0;
  double seconds = 0;
  double seconds_per_byte = 0;
  bool operator==(const ReductionCost&) const = default;
};

// Ascending, the first one above 0 bytes; none: the text is no such list.
std::optional<std::vector<ReductionCost>> parse_reduction_costs(std::string_view text);

// Never below 0; 0 where there are no sections.
double reduction_seconds(const std::vector<ReductionCost>& costs, std::uint64_t bytes);

}  // namespace invar::record
