#include "launch/build/target.hpp"

#include <array>

#include "launch/process/paths.hpp"
#include "record/launch_spec.hpp"

namespace invar::launch {
namespace {

using Flags = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> kEngineLink{"-g", "-pthread"};
constexpr std::array<Flags, 1> kEngineLinks{kEngineLink};

// Only what stands in src/shim/exported.cpp is seen from outside: a program may have functions of
// the same names. No flag hides what templates of the C++ library are made into (kShimExports).
constexpr std::array<std::string_view, 2> kShimFlags{"-fPIC", "-fvisibility=hidden"};
constexpr std::array<std::string_view, 2> kShimMpiFlags{"-include", "shim/library/library.hpp"};

// It is loaded into every process of a launch: launchers, shells, programs that load their MPI
// later. So it needs no MPI library (--as-needed: its references are weak), looks functions up when
// they are called first, and brings along what it needs of C++, because a program may have an older
// one. Not every site has that as an archive.
constexpr std::array<std::string_view, 8> kShimLink{"-shared",           "-g",
                                                    "-pthread",          "-Wl,--as-needed",
                                                    "-Wl,-z,lazy",       "-Wl,--exclude-libs,ALL",
                                                    "-static-libstdc++", "-static-libgcc"};
constexpr std::array<Flags, 2> kShimLinks{kShimLink, Flags(kShimLink).first(6)};
constexpr std::array<std::string_view, 1> kShimLibraries{"-ldl"};
constexpr std::string_view kShimExports = "shim/library/exports.def";

// From src/ops only what mock-ups and reference algorithms are made of is compiled: the collectives
// themselves and the engine's ways to check and to place are left out.
const std::vector<std::string>& shim_sources() {
  static const std::vector<std::string> sources{
      "base",
      "host/identity.cpp",
      "record/operation/distribution.cpp",
      "tuning/candidate.cpp",
      "tuning/decision_table.cpp",
      "ops/buffers/memory.cpp",
      "ops/call/agree.cpp",
      "ops/call/executor.cpp",
      "ops/call/rank_host.cpp",
      "ops/call/scheduled.cpp",
      "ops/mockups",
      "ops/schedules",
      "ops/shapes.cpp",
      "ops/verify.cpp",
      "ops/waiting.cpp",
      "shim",
  };
  return sources;
}

}  // namespace

const BuildTarget& engine_target() {
  static const BuildTarget target{.title = "the engine",
                                  .file = record::kEngineName,
                                  .sources = engine_folders,
                                  .link_flags = kEngineLinks};
  return target;
}

const BuildTarget& shim_target() {
  static const BuildTarget target{.title = "the shim",
                                  .file = "libinvar-tuned.so",
                                  .sources = shim_sources,
                                  .flags = kShimFlags,
                                  .mpi_flags = kShimMpiFlags,
                                  .link_flags = kShimLinks,
                                  .link_libraries = kShimLibraries,
                                  .exports = kShimExports};
  return target;
}

std::string target_state(const BuildTarget& target) {
  std::string state(target.file);
  const auto add = [&](Flags flags) {
    for (const std::string_view flag : flags) state.append(" ").append(flag);
  };
  add(target.flags);
  add(target.mpi_flags);
  for (const Flags flags : target.link_flags) add(flags);
  add(target.link_libraries);
  return state.append(" ").append(target.exports);
}

}  // namespace invar::launch
