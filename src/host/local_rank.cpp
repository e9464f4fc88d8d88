#include "host/local_rank.hpp"

#include <array>
#include <string>

#include "base/text.hpp"

namespace invar::host {
namespace {

// JSM is IBM's launcher (jsrun), PALS is that of HPE Cray.
constexpr std::array<LauncherVariables, 9> kLaunchers{{
    {"no MPI", "INVAR_LOCAL_RANK", ""},  // of the only process (src/launch/kinds/kind.cpp)
    {"Open MPI, PRRTE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"Hydra, Intel MPI", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MVAPICH", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"PALS", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
    {"JSM", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},
    {"PMI", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
    {"Flux", "FLUX_TASK_LOCAL_ID", ""},
    {"Slurm", "SLURM_LOCALID", ""},
}};

std::optional<std::uint64_t> number_in(const Environment& environment, std::string_view name) {
  const char* text = name.empty() ? nullptr : environment(std::string(name).c_str());
  return text == nullptr ? std::nullopt : base::parse_u64(text);
}

}  // namespace

std::span<const LauncherVariables> launcher_variables() { return kLaunchers; }

std::optional<std::uint32_t> local_rank(const Environment& environment,
                                        std::optional<std::uint32_t> expected) {
  for (const LauncherVariables& launcher : kLaunchers) {
    const auto rank = number_in(environment, launcher.local_rank);
    if (!rank) continue;
    const auto ranks = number_in(environment, launcher.local_ranks);
    if (ranks && (*rank >= *ranks || (expected && *ranks != *expected))) continue;
    if (expected && *rank >= *expected) continue;
    return static_cast<std::uint32_t>(*rank);
  }
  return std::nullopt;
}

}  // namespace invar::host
