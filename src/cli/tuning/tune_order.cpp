#include "cli/tuning/tune_order.hpp"

#include <utility>

#include "base/error.hpp"
#include "design/recipes/known_operations.hpp"
#include "launch/algorithms/told_level.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/files/given.hpp"
#include "tuning/tuned_file.hpp"

namespace invar::cli {
design::TunedLibrary tuned_library(const launch::CheckedArm& arm,
                                   const std::vector<std::string>& operations) {
  const launch::KnownLibrary known = launch::known_library(arm.profile);
  const std::string place = "arm '" + arm.label + "'";
  if (!known.lacks.empty()) {
    throw base::UserError(place, known.lacks,
                          "tune Open MPI, MPICH or Intel MPI: 'invar mpi list' shows what is here");
  }
  design::TunedLibrary library{.library = known.library,
                               .version = known.version,
                               .settings = arm.environment,
                               .operations = arm.profile.operations};
  // What a writer would refuse when all is measured is refused now.
  const tuning::TuningRequest request{
      .library = known.library, .version = known.version, .given = arm.environment};
  base::Faults faults;
  const auto check = [&](const auto& ask) {
    try {
      ask();
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) {
        faults.add(place + ": " + fault.place, fault.what, fault.remedy);
      }
    }
  };
  check([&] { tuning::refuse_given_file(request); });
  for (const std::string& operation : operations) {
    check([&] { static_cast<void>(tuning::forced_choice(request, operation)); });
  }
  faults.throw_if_any();
  return library;
}

std::vector<std::string> operations_to_tune(const launch::CheckedArm& arm,
                                            const std::vector<std::string>& words) {
  if (words != std::vector<std::string>{"all"}) return words;
  const launch::KnownLibrary known = launch::known_library(arm.profile);
  if (!known.lacks.empty()) return {};  // tuned_library() says it
  std::vector<std::string> operations;
  for (std::string& operation : tuning::tunable_operations(known.library, known.version)) {
    const record::OperationInfo* info = design::find_info(arm.profile.operations, operation);
    if (info != nullptr && info->missing.empty()) operations.push_back(std::move(operation));
  }
  return operations;
}

}  // namespace invar::cli
