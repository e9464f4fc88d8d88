// What went into an object, kept beside it: is it still what a build needs, or that of another
// profile?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/build/units.hpp"

namespace invar::launch {

// What an object depends on besides its sources.
struct ObjectKeys {
  std::string own = {};     // compiler, flags, wrapper, library
  std::string shared = {};  // compiler and flags: enough for sources that know no MPI; may be empty
};
// A key for compiler and flags, with whatever else `compiler_state` tells.
std::string flags_key(const std::string& compiler_state, const std::string& cxxflags);
ObjectKeys object_keys(const BuildOrder& order);

// Holds ops/catalogue.def with our operations and the user's.
std::filesystem::path merged_folder(const BuildOrder& order);

// The object is there and as a compilation now would make it.
bool is_current(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys);

// Takes the object from a profile that has the same one. A link: it is only ever replaced whole.
bool adopt(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
           const std::vector<std::filesystem::path>& folders);
// The same without taking it.
bool is_adoptable(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
                  const std::vector<std::filesystem::path>& folders);

// Object folders of the profiles beside `dir`.
std::vector<std::filesystem::path> sibling_objects(const std::filesystem::path& dir);

// `rule` is the compiler's make rule (-MD); `begin` when it began, which took `seconds`. Without a
// record an object is compiled again next time: that is so where a file was edited meanwhile.
void write_record(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
                  const std::string& rule, std::filesystem::file_time_type begin, double seconds);

// How long the unit of this object took to compile when it was last compiled, from the first of the
// folders that knows; the sources may have changed since.
std::optional<double> compile_seconds(const CompiledUnit& unit,
                                      const std::vector<std::filesystem::path>& folders);

}  // namespace invar::launch
