// What can be built of the sources with a library's own wrapper: one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::launch {

struct BuildTarget {
  std::string_view title;  // in messages: "the engine"
  std::string_view file;   // that comes of it, in the folder of the build
  // Folders of the sources, and files of other folders: "base", "host/identity.cpp". Each folder is
  // compiled apart from the others.
  const std::vector<std::string>& (*sources)();
  // Flags of compilations, behind engine_flags(): of all, and of those that may know MPI.
  std::span<const std::string_view> flags = {};
  std::span<const std::string_view> mpi_flags = {};
  // Flags of linking, in front of the objects: the first of these that works. Then what stands
  // behind the objects.
  std::span<const std::span<const std::string_view>> link_flags = {};
  std::span<const std::string_view> link_libraries = {};
  // The linker's version script, relative to the sources: what is seen from outside. Empty: all
  // that is not compiled hidden.
  std::string_view exports = {};
};

const BuildTarget& engine_target();
// The library between a program and its MPI (src/shim).
const BuildTarget& shim_target();

// What all links have in common, for keys that tell whether something is as it would be built now.
std::string target_state(const BuildTarget& target);

}  // namespace invar::launch
