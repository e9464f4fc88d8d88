#include "ops/call/reduction_cost.hpp"

#ifdef SMPI_H  // SimGrid's mpi.h

#include <simgrid/s4u/Actor.hpp>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/operation/reduction_cost.hpp"

#endif

namespace invar::ops {

#ifdef SMPI_H

namespace {

// Globals are every simulated rank's own.
const std::vector<record::ReductionCost>& told_costs() {
  static const std::vector<record::ReductionCost> costs = [] {
    const char* text = std::getenv(record::kReductionCostVariable);
    if (text == nullptr || *text == '\0') return std::vector<record::ReductionCost>();
    std::optional<std::vector<record::ReductionCost>> read = record::parse_reduction_costs(text);
    if (read) return *std::move(read);
    throw base::UserError(record::kReductionCostVariable,
                          "'" + std::string(text) + "' is not a list of what reductions take",
                          "write BOUNDARY:SECONDS:SECONDS_A_BYTE, sections by ';', the first "
                          "boundary 0, as in 0:1e-07:2e-10");
  }();
  return costs;
}

enum class Predefined : std::uint8_t { kSum, kMax, kMin, kOr };
constexpr std::array kPredefined{Predefined::kSum, Predefined::kMax, Predefined::kMin,
                                 Predefined::kOr};

MPI_Op handle_of(Predefined which) {
  switch (which) {
    case Predefined::kSum:
      return MPI_SUM;
    case Predefined::kMax:
      return MPI_MAX;
    case Predefined::kMin:
      return MPI_MIN;
    case Predefined::kOr:
      break;
  }
  return MPI_BOR;
}

// A user's function is not told which operator it is of.
template <Predefined kWhich>
void reduce_and_pass_time(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Reduce_local(in, inout, *count, *type, handle_of(kWhich));
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const double seconds = record::reduction_seconds(
      told_costs(), static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(bytes));
  if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
}

MPI_User_function* function_of(Predefined which) {
  switch (which) {
    case Predefined::kSum:
      return reduce_and_pass_time<Predefined::kSum>;
    case Predefined::kMax:
      return reduce_and_pass_time<Predefined::kMax>;
    case Predefined::kMin:
      return reduce_and_pass_time<Predefined::kMin>;
    case Predefined::kOr:
      break;
  }
  return reduce_and_pass_time<Predefined::kOr>;
}

}  // namespace

MPI_Op with_simulated_cost(MPI_Op reduction) {
  if (told_costs().empty()) return reduction;
  static std::array<MPI_Op, kPredefined.size()> made = [] {
    std::array<MPI_Op, kPredefined.size()> ops{};
    for (std::size_t i = 0; i < ops.size(); ++i) {
      MPI_Op_create(function_of(kPredefined[i]), 1, &ops[i]);
    }
    return ops;
  }();
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (reduction == handle_of(kPredefined[i])) return made[i];
  }
  return reduction;
}

#else

MPI_Op with_simulated_cost(MPI_Op reduction) { return reduction; }

#endif

}  // namespace invar::ops
