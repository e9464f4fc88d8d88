// What is compiled at a time: sources of one folder of the engine that differ in little but names,
// two dozen in one compilation, because nearly half of the time goes into headers that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/build/build_order.hpp"

namespace invar::launch {

// One compilation: "engine/launch/visit.cpp" -> objects/engine-launch-visit.o, with a record of
// what went into it.
struct CompiledUnit {
  std::string source = {};  // relative to the sources; a user's own, and a batch: absolute
  std::filesystem::path object = {};
  std::filesystem::path record = {};      // objects/engine-launch-visit.json
  std::vector<std::string> members = {};  // of a batch: what it includes, relative to the sources
  // By the folder: only ops, engine and shim include mpi.h.
  bool may_know_mpi = true;
  std::uintmax_t size_bytes = 0;  // of its sources

  [[nodiscard]] std::size_t files() const { return members.empty() ? 1 : members.size(); }
};

// Sources and headers of the target, relative to the sources, sorted. Headers beside files that are
// named one by one are not among these.
std::vector<std::string> target_files(const BuildTarget& target,
                                      const std::filesystem::path& sources);
// Those of the engine.
std::vector<std::string> engine_files(const std::filesystem::path& sources);
// The user's own operations, also in folders below; sorted, empty if there is no folder.
std::vector<std::filesystem::path> files_of_user(const std::filesystem::path& operations);

// All compilations of the order's target. Batches have no file yet, see write_batch().
std::vector<CompiledUnit> units_of(const BuildOrder& order);

// The file of a batch, written where it is not there yet; of any other unit nothing.
void write_batch(const CompiledUnit& unit);

}  // namespace invar::launch
