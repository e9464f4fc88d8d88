#include "launch/process/paths.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

const char* set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_executable(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

bool holds_engine(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "engine" / "main.cpp", error);
}

}  // namespace

fs::path invar_home() {
  // Without "." and "..", as compilers' dependencies are recorded.
  const auto plain = [](const fs::path& home) { return fs::absolute(home).lexically_normal(); };
  if (const char* home = set_variable("INVAR_HOME")) return plain(home);
  if (const char* data = set_variable("XDG_DATA_HOME")) return plain(data) / "invar";
  if (const char* home = set_variable("HOME")) return plain(home) / ".local/share/invar";
  // Batch systems may clear HOME.
  if (const passwd* user = getpwuid(getuid())) return fs::path(user->pw_dir) / ".local/share/invar";
  throw base::UserError("INVAR_HOME", "there is no home directory to keep MPI profiles in",
                        "set INVAR_HOME to a directory that can be written");
}

fs::path engine_sources() {
  if (const char* sources = set_variable("INVAR_ENGINE_SOURCES")) {
    if (holds_engine(sources)) return fs::canonical(sources);
    throw base::UserError("INVAR_ENGINE_SOURCES",
                          std::string(sources) + " does not hold engine/main.cpp");
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = program.parent_path() / "../share/invar/engine";
    if (holds_engine(installed)) return fs::canonical(installed);
  }
  if (holds_engine(INVAR_SOURCE_DIR "/src")) return INVAR_SOURCE_DIR "/src";
  throw base::UserError("invar",
                        "the sources of the engine are neither beside this program "
                        "(../share/invar/engine) nor in " INVAR_SOURCE_DIR "/src",
                        "install Invar again with 'make install'");
}

const std::vector<std::string>& engine_folders() {
  static const std::vector<std::string> folders{"base",  "record", "clock", "host",
                                                "group", "ops",    "engine"};
  return folders;
}

std::vector<std::string> path_entries(const char* variable) {
  std::vector<std::string> entries;
  const char* value = std::getenv(variable);
  if (value == nullptr) return entries;
  for (const std::string_view entry : base::split(value, ':')) {
    if (!entry.empty()) entries.emplace_back(entry);
  }
  return entries;
}

std::optional<std::string> find_program(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::string path = fs::absolute(name).lexically_normal().string();
    if (is_executable(path)) return path;
    return std::nullopt;
  }
  for (const std::string& folder : path_entries("PATH")) {
    std::string path = folder + "/" + std::string(name);
    if (is_executable(path)) return path;
  }
  return std::nullopt;
}

}  // namespace invar::launch
