#include "launch/start/named_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "launch/kinds/simgrid.hpp"

namespace invar::launch {
namespace {

// What libraries read, by their names in an environment; of the shim its table.
constexpr std::array<std::string_view, 9> kReadVariables{
    "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    "OMPI_MCA_coll_han_dynamic_rules_filename",
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
    "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
    "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE",
    "I_MPI_TUNING_BIN",
    "INVAR_TUNED_TABLE",
    kPlatform,
    "LD_PRELOAD"};

bool is_read(std::string_view name) {
  return std::ranges::find(kReadVariables, name) != kReadVariables.end();
}

std::vector<std::string> paths_in(const std::string& value) {
  std::vector<std::string> paths;
  for (const std::string_view item : base::split(value, ':')) {
    if (item.starts_with('/')) paths.emplace_back(item);
  }
  return paths;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

std::vector<std::string> named_files(const Environment& environment) {
  std::vector<std::string> files;
  for (const auto& [name, value] : environment) {
    // Others may be written: a log that grows is no other library.
    if (!is_read(name)) continue;
    for (std::string& path : paths_in(value)) {
      if (!is_there(path) || std::ranges::find(files, path) != files.end()) continue;
      files.push_back(std::move(path));
    }
  }
  return files;
}

void find_files(Environment& settings, const std::filesystem::path& folder) {
  for (auto& [name, value] : settings) {
    if (name == kPlatform && !value.empty()) value = (folder / value).lexically_normal().string();
  }
}

std::vector<MissingFile> missing_files(const Environment& environment) {
  std::vector<MissingFile> missing;
  for (const auto& [name, value] : environment) {
    if (!is_read(name)) continue;
    const bool relative = !value.empty() && !value.starts_with('/') && name != "LD_PRELOAD";
    // Ranks may be started in another folder.
    if (relative) missing.push_back({.variable = name, .file = value});
    for (std::string& path : paths_in(value)) {
      if (!is_there(path)) missing.push_back({.variable = name, .file = std::move(path)});
    }
  }
  return missing;
}

}  // namespace invar::launch
