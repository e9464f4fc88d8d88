// What all operations on memory have in common: every rank works on its own buffers, of the cell's
// size each, and sends nothing.
#pragma once

#include <array>

#include "ops/memory/memory_call.hpp"
#include "ops/memory/memory_check.hpp"
#include "ops/operation.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {

inline constexpr std::array kMemoryTimes{
    Time{.name = "kernel",
         .summary = "of a rank: a pass, which is all its passes over their number",
         .kind = record::TimeKind::kOwn},
    Time{.name = "all",
         .summary = "a pass of all ranks: from the first start to the last end, over the number of "
                    "passes"}};

// Why operations that store around the caches are missing; null: they are not.
#if defined(__x86_64__)
inline constexpr const char* kStoresAroundMissing = nullptr;
#else
inline constexpr const char* kStoresAroundMissing =
    "compilers have no store around the caches of this processor";
#endif

struct MemoryOperation {
  const char* name;
  const char* summary;
  std::uint32_t walks;  // arrays whose bytes it names
  WalkKernel walk = WalkKernel::kRead;
  Shape buffers;
  void (*verify)(const Call&, Checker&);
  bool chases = false;
  const char* missing = nullptr;
};

constexpr Operation memory_operation(const MemoryOperation& stated) {
  return {.name = stated.name,
          .summary = stated.summary,
          .missing = stated.missing,
          .chain = record::Chain::kNone,
          .buffers = stated.buffers,
          .walks = stated.walks,
          .chases = stated.chases,
          .walk = stated.walk,
          .batches = false,
          .times = kMemoryTimes,
          .call = stated.chases ? chase_memory : walk_memory,
          .before_untimed = stated.chases ? ensure_chains : nullptr,
          .verify = stated.verify};
}

}  // namespace invar::ops
