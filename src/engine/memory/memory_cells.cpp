#include "engine/memory/memory_cells.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "record/memory/levels.hpp"

namespace invar::engine {
namespace {

constexpr std::uint64_t kMostAutoPasses = std::uint64_t{1} << 30U;

bool is_allocated_anew(const record::Cell& cell) {
  return cell.allocation == record::kAllocations.back();
}

// What cells have in common whose passes are multiples of one number.
std::string levels_but_loops(record::Cell cell) {
  const record::Cell usual;
  cell.loops = usual.loops;
  cell.family = usual.family;
  std::string levels;
  for (const record::Factor& factor : record::factors()) levels += factor.text(cell) + '\n';
  return levels;
}

}  // namespace

void MemoryCells::note_need(const record::Cell& cell, ops::BufferNeed need) {
  // What is allocated anew needs no room here, but the checks of a rank that has nothing else do.
  regions_[kind_of(cell)].needs.push_back(is_allocated_anew(cell) ? ops::BufferNeed{} : need);
}

void MemoryCells::make_arenas() {
  const record::Cell usual;
  static_cast<void>(regions_[kind_of(usual)]);  // of what nobody asks for
  for (auto& [kind, region] : regions_) {
    if (kind != kind_of(usual)) region.space = ops::paged_memory(kind.first, kind.second);
    region.arena = std::make_unique<ops::Arena>(region.needs,
                                                region.space ? *region.space : ops::host_memory());
  }
}

const ops::Arena& MemoryCells::arena_of(const record::Cell& cell) const {
  return *regions_.at(kind_of(cell)).arena;
}

ops::Placement MemoryCells::allocate_anew(ops::BufferNeed need) {
  visit_memory_.reset();
  visit_memory_ = std::make_unique<ops::VisitMemory>(need);
  return visit_memory_->placement();
}

std::uint64_t MemoryCells::offset_of(const record::Cell& cell, const std::byte* buffer) const {
  if (is_allocated_anew(cell)) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return reinterpret_cast<std::uintptr_t>(buffer) % page;
  }
  return static_cast<std::uint64_t>(buffer - arena_of(cell).bytes().data());
}

void MemoryCells::look(const record::Cell& cell, const ops::MemoryCall& memory,
                       const ops::Placement& placement, VisitNote& note) {
  note.loops = memory.passes;
  // Every operation has one of these; the largest buffers of a cell are of one size.
  const std::byte* const buffer =
      placement.scratch != nullptr ? placement.scratch
      : memory.walk == ops::WalkKernel::kRead || memory.walk == ops::WalkKernel::kCopy
          ? placement.send
          : placement.recv;
  note.huge_ppm = ops::huge_ppm(buffer);
  if (!is_allocated_anew(cell)) return;
  std::vector<std::uint64_t> frames = visit_memory_->frames();
  const auto before = frames_.find(cell.id);
  if (before != frames_.end() && !frames.empty()) {
    std::vector<std::uint64_t> both;
    std::ranges::set_intersection(frames, before->second, std::back_inserter(both));
    note.frames_again_ppm = static_cast<std::uint32_t>(both.size() * 1'000'000 / frames.size());
  }
  frames_[cell.id] = std::move(frames);
}

void MemoryCells::decide_passes(const record::Cell& cell, std::uint32_t decided,
                                ops::MemoryCall& memory, MPI_Comm comm,
                                const std::function<double()>& call_s) {
  if (!memory.loops.automatic) {
    memory.passes = memory.loops.number;
    return;
  }
  const std::string levels = levels_but_loops(cell);
  if (decided > 0) passes_.try_emplace(levels, decided);
  const auto known = passes_.find(levels);
  std::uint64_t passes = known == passes_.end() ? 1 : known->second;
  for (bool enough = known != passes_.end(); !enough;) {
    memory.passes = passes;
    double least_s = call_s();
    // Shorter on one rank than on others: as many passes everywhere.
    MPI_Allreduce(MPI_IN_PLACE, &least_s, 1, MPI_DOUBLE, MPI_MIN, comm);
    enough = least_s >= record::kAutoLoopsS || passes >= kMostAutoPasses;
    if (!enough) passes *= 2;
  }
  passes_[levels] = passes;
  memory.passes = passes * memory.loops.number;
}

void MemoryCells::need_reference() {
  if (!reference_) reference_ = std::make_unique<Reference>();
}

}  // namespace invar::engine
