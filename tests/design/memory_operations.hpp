// Operations that walk over memory, as engines describe them.
#pragma once

#include <string>

#include "design/helpers.hpp"

namespace invar::design::test {

inline record::OperationInfo walking(const std::string& name, std::uint32_t arrays) {
  record::OperationInfo info{.name = name,
                             .datatypes = {{.name = "byte"}},
                             .chain = record::Chain::kNone,
                             .buffers = everywhere(kBlock, {.constant = arrays - 1}),
                             .walks = arrays,
                             .batches = false};
  info.times = {{.name = "kernel", .kind = record::TimeKind::kOwn}};
  return info;
}

inline Surroundings with_memory_operations(std::uint32_t slots = 2, std::size_t arms = 1) {
  Surroundings around = surroundings(arms, slots);
  for (auto& operations : around.operations) {
    for (const char* name : {"read", "write", "write_nt"}) operations.push_back(walking(name, 1));
    for (const char* name : {"copy", "copy_nt"}) operations.push_back(walking(name, 2));
    for (const char* name : {"triad", "triad_nt"}) operations.push_back(walking(name, 3));
    operations.push_back(walking("chase", 1));
    operations.back().chases = true;
  }
  return around;
}

}  // namespace invar::design::test
