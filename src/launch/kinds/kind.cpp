#include "launch/kinds/kind.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "launch/kinds/components.hpp"
#include "launch/kinds/hydra.hpp"
#include "launch/kinds/open_mpi.hpp"
#include "launch/kinds/simgrid.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/launcher.hpp"

namespace invar::launch {
namespace {

constexpr std::array<std::string_view, 1> kIntelSays{"Intel(R) MPI"};
constexpr std::array<std::string_view, 4> kOpenMpiLaunchers{"Open MPI", "OpenRTE", "PRRTE", "prte"};
constexpr std::array<std::string_view, 1> kOpenMpiSays{"Open MPI"};
constexpr std::array<std::string_view, 3> kMpichLaunchers{"HYDRA", "MPICH", "MVAPICH"};
constexpr std::array<std::string_view, 2> kMpichSays{"MPICH", "MVAPICH"};
constexpr std::array<std::string_view, 2> kEnvSays{"coreutils", "BusyBox"};
constexpr std::array<std::string_view, 1> kNoLibrarySays{"no MPI"};

std::vector<std::string> no_words(const Profile& /*profile*/, const StartOptions& options) {
  // For `env`; a row of src/host/local_rank.cpp.
  if (options.ranks == 1) return {"INVAR_LOCAL_RANK=0"};
  throw base::UserError("library 'none'",
                        "there is no MPI: one process, not " + std::to_string(options.ranks),
                        "write ranks = 1, or take an MPI library ('invar mpi list')");
}

constexpr std::array<std::string_view, 1> kSimgridLaunchers{"SimGrid"};
constexpr std::array<std::string_view, 1> kSimgridSays{"SMPI"};
constexpr std::array<std::string_view, 2> kSimgridFailures{"Deadlock detected",
                                                           "MPI_Abort was called"};

// Intel's launcher is a hydra too, so that it comes before MPICH.
const std::array<LibraryKind, 6> kKinds{{
    {.name = "intel",
     .title = "Intel MPI",
     .launcher_says = kIntelSays,
     .library_says = kIntelSays,
     .words = intel_words,
     .environment = intel_environment,
     .told = intel_told,
     .components = intel_components,
     .srun_option = "--mpi=pmi2",
     .before_slots = ":",
     // Its mpirun is a script around mpiexec.hydra that looks for other batch systems.
     .wheel = WheelSource{.package = "impi-devel",
                          .launcher = "mpiexec.hydra",
                          .licence = "Intel Simplified Software License, proprietary; installing "
                                     "it accepts it (text: https://pypi.org/project/impi-devel, "
                                     "and LICENSE.txt in the wheel)",
                          .abi = true,
                          .versioned = false,
                          .environment = intel_wheel_environment}},
    {.name = "openmpi",
     .title = "Open MPI",
     .launcher_says = kOpenMpiLaunchers,
     .library_says = kOpenMpiSays,
     .variables = "OMPI_MCA_",
     .named_without = true,
     .more_variables = ask_ompi_info,
     .configured = open_mpi_configured,
     .doubts = open_mpi_doubts,
     .words = open_mpi_words,
     .environment = open_mpi_environment,
     .told = open_mpi_told,
     .components = open_mpi_components,
     .switching = Switching::kAtMaking,
     .counting = open_mpi_counting,
     .srun_option = "--mpi=pmix",
     .before_slots = " slots=",
     .wheel = WheelSource{.package = "openmpi",
                          .launcher = "mpirun",
                          .licence = "BSD 3-clause (Open MPI's)",
                          .environment = open_mpi_wheel_environment}},
    {.name = "mpich",
     .title = "MPICH",
     .launcher_says = kMpichLaunchers,
     .launcher_file = "hydra",
     .library_says = kMpichSays,
     .variables = "MPIR_CVAR_",
     .configured = mpich_configured,
     .accepts_by_surviving = true,
     .words = mpich_words,
     .told = mpich_told,
     .components = mpich_components,
     .switching = Switching::kAtCalls,
     .srun_option = "--mpi=pmi2",
     .before_slots = ":",
     .wheel = WheelSource{.package = "mpich",
                          .launcher = "mpirun",
                          .licence = "MPICH's own, permissive",
                          .abi = true}},
    // Template statics and inline variables would be one for all ranks, which are one process.
    {.name = "simgrid",
     .title = "SimGrid",
     .simulates = true,
     .wrapper = "smpicxx",
     .launcher = "smpirun",
     .linked = "simgrid",
     .cxxflags = "-fno-gnu-unique -DSMPI_NO_OVERRIDE_MALLOC",
     .launcher_says = kSimgridLaunchers,
     .library_says = kSimgridSays,
     .is_variable = is_simgrid_option,
     .variables_are_words = true,
     .more_variables = ask_simgrid,
     .doubts = simgrid_doubts,
     .words = simgrid_words,
     .write_files = write_simgrid_files,
     .failure_says = kSimgridFailures,
     .environment = simgrid_environment},
    // `env` starts the engine itself; it is not a launcher, and says so.
    {.name = "none",
     .title = "no MPI",
     .alone = true,
     .headers = "engine/stub",
     .launcher_says = kEnvSays,
     .library_says = kNoLibrarySays,
     .words = no_words},
    // What a launch template starts is not known before the first probe: it may be Open MPI.
    {.name = "other", .title = "another library", .environment = leave_to_run_as_root},
}};

bool says(std::span<const std::string_view> words, std::string_view text) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

std::span<const LibraryKind> library_kinds() { return kKinds; }

const LibraryKind& kind_of(std::string_view family) {
  const auto found = std::ranges::find(kKinds, family, &LibraryKind::name);
  return found == kKinds.end() ? kKinds.back() : *found;
}

bool has_variable(const LibraryKind& kind, std::string_view name) {
  if (kind.is_variable != nullptr) return kind.is_variable(name);
  return !kind.variables.empty() && name.starts_with(kind.variables);
}

const LibraryKind& kind_of_launcher(std::string_view text, std::string_view file) {
  for (const LibraryKind& kind : kKinds) {
    const bool called_so =
        !kind.launcher_file.empty() && file.find(kind.launcher_file) != std::string_view::npos;
    if (says(kind.launcher_says, text) || called_so) return kind;
  }
  return kKinds.back();
}

const LibraryKind* kind_of_library(std::string_view version) {
  const auto found = std::ranges::find_if(kKinds, [&](const LibraryKind& kind) {
    return std::ranges::any_of(kind.library_says,
                               [&](std::string_view word) { return version.starts_with(word); });
  });
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace invar::launch
