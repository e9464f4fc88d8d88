#include "launch/libraries/no_library.hpp"

#include <array>
#include <cstdlib>

#include "launch/kinds/kind.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

constexpr std::array<const char*, 3> kCompilers{"c++", "g++", "clang++"};

}  // namespace

std::optional<StoredProfile> no_library_profile(const std::set<std::string>& wrappers) {
  const std::optional<std::string> env = find_program("env");
  std::optional<std::string> compiler;
  const auto take = [&](const char* name) {
    if (compiler) return;
    compiler = find_program(name);
    if (compiler && wrappers.contains(*compiler)) compiler.reset();
  };
  if (const char* own = std::getenv("CXX"); own != nullptr && *own != '\0') take(own);
  for (const char* name : kCompilers) take(name);
  if (!env || !compiler) return std::nullopt;
  StoredProfile stored;
  stored.profile.name = kNoLibrary;
  stored.profile.mpicxx = *compiler;
  stored.profile.mpirun = *env;
  stored.profile.family = kNoLibrary;
  stored.profile.detected = true;
  stored.toolchain = inspect(*compiler, *env, {});
  return stored;
}

bool is_alone(const std::string& name) {
  const auto stored = read_profile(profiles_dir() / name);
  return stored && kind_of(stored->profile.family).alone;
}

}  // namespace invar::launch
