// What an engine or a shim is built of, with what, and where.
#pragma once

#include <filesystem>
#include <string>

#include "launch/build/target.hpp"
#include "launch/process/command.hpp"

namespace invar::launch {

struct BuildOrder {
  std::string name = {};  // of the profile, for messages
  std::string mpicxx = {};
  Environment environment = {};
  std::filesystem::path sources = {};     // engine_sources()
  std::filesystem::path operations = {};  // folder of the user's own; empty: none
  std::filesystem::path dir = {};         // gets the target's file, objects/ and batches/
  std::string compiler_state = {};        // what changes when compiler, wrapper or library change
  std::string object_state = {};          // toolchain.hpp; empty: objects are not shared
  std::string cxxflags = {};              // the profile's own, behind the engine's
  // Folder in `sources` that mpi.h is found in; empty: the wrapper has one. Not among the flags,
  // which are the same wherever the sources lie.
  std::string headers = {};
  const BuildTarget* target = &engine_target();
};

}  // namespace invar::launch
