// What cells of memory operations need beside their calls: memory of the pages and nodes that they
// ask for, buffers anew for every visit, passes that last long enough, references.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "engine/launch/segment.hpp"
#include "engine/memory/reference.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/buffers/paged.hpp"
#include "ops/memory/memory_call.hpp"
#include "record/cell.hpp"

namespace invar::engine {

// What a launch tells of such a cell.
struct MemoryFacts {
  std::uint32_t width_bytes = 0;  // of a load or store
  std::uint64_t elements = 0;     // of a pass
  std::uint64_t passes = 1;       // of a repetition
};

class MemoryCells {
 public:
  MemoryCells() = default;
  MemoryCells(const MemoryCells&) = delete;
  MemoryCells& operator=(const MemoryCells&) = delete;

  // note_need() is for every cell that this rank takes part in. Then make_arenas() is called once.
  // It makes an arena for every kind of memory that some cell asks for. Throws UserError and
  // CommandError as paged_memory() and MemorySpace::allocate().
  void note_need(const record::Cell& cell, ops::BufferNeed need);
  void make_arenas();
  // That of the cell's pages and nodes.
  [[nodiscard]] const ops::Arena& arena_of(const record::Cell& cell) const;

  // Memory for a visit of a cell with allocation = "malloc". What the visit before had is freed
  // first, as a program would that allocates for every measurement.
  ops::Placement allocate_anew(ops::BufferNeed need);
  // Offsets that a journal has: from the arena's start, or in the page of what malloc gave.
  [[nodiscard]] std::uint64_t offset_of(const record::Cell& cell, const std::byte* buffer) const;

  // Looks at the memory of a visit that is placed, before it is measured.
  void look(const record::Cell& cell, const ops::MemoryCall& memory,
            const ops::Placement& placement, VisitNote& note);

  // The passes of a call: those that the cell says, or as many as last 20 us on every rank, a power
  // of two; cells that differ in nothing but a multiple of that have the same number of it.
  // Collective over `comm`; `call_s` makes a call and returns the seconds that it takes.
  // `decided`: what an earlier launch found for these levels, so that all launches are alike; 0:
  // none did.
  void decide_passes(const record::Cell& cell, std::uint32_t decided, ops::MemoryCall& memory,
                     MPI_Comm comm, const std::function<double()>& call_s);

  // This rank takes the references of some team.
  void need_reference();
  [[nodiscard]] Reference* reference() { return reference_.get(); }  // null: it does not

 private:
  using Kind = std::pair<std::string, std::string>;  // pages, numa
  struct Region {
    std::vector<ops::BufferNeed> needs = {};
    std::unique_ptr<ops::MemorySpace> space = {};  // null: host_memory()
    std::unique_ptr<ops::Arena> arena = {};
  };
  static Kind kind_of(const record::Cell& cell) { return {cell.pages, cell.numa}; }

  std::map<Kind, Region> regions_ = {};
  std::unique_ptr<ops::VisitMemory> visit_memory_ = {};
  std::map<std::uint32_t, std::vector<std::uint64_t>> frames_ = {};  // by Cell::id, last visit's
  std::map<std::string, std::uint64_t> passes_ = {};                 // by all other levels
  std::unique_ptr<Reference> reference_ = {};
};

}  // namespace invar::engine
