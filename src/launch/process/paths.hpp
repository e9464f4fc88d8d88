// Where Invar keeps its things, and where programs are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar::launch {

// $INVAR_HOME, else $XDG_DATA_HOME/invar, else ~/.local/share/invar. Not created.
std::filesystem::path invar_home();

// The folder that holds base/, record/, ..., engine/: $INVAR_ENGINE_SOURCES, else
// ../share/invar/engine beside the running program, else the source tree that it was built from.
// Throws UserError if there is none.
std::filesystem::path engine_sources();

// Folders of the engine's sources, in the order of their dependencies.
const std::vector<std::string>& engine_folders();

// First executable of that name on PATH, or the path itself if it has a slash and is executable.
std::optional<std::string> find_program(std::string_view name);

// The non-empty parts of a variable like PATH.
std::vector<std::string> path_entries(const char* variable);

}  // namespace invar::launch
