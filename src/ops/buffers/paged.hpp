// Host memory of certain pages on certain NUMA nodes, and what came of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/buffers/memory.hpp"
#include "record/memory/levels.hpp"

namespace invar::ops {

// `pages` and `numa`: levels of these factors. "default" of both is host_memory(). Throws UserError
// for nodes that are not there. What it gives is touched by whoever writes to it first.
std::unique_ptr<MemorySpace> paged_memory(const std::string& pages, const std::string& numa);

// NUMA nodes of this host that have memory, ascending; {0} where the kernel tells of none. `root`:
// of tests.
std::vector<std::uint32_t> memory_nodes(const std::string& root = "");

// Millionths of the touched memory in the mapping around `at` that lie in pages larger than the
// usual ones, as /proc/self/smaps has it; nothing where it tells of no such mapping.
std::optional<std::uint32_t> huge_ppm(const std::byte* at);
// The same from the text of smaps.
std::optional<std::uint32_t> huge_ppm_of(const std::string& smaps, std::uintptr_t at);

// Numbers of the frames that these bytes lie in, ascending; none where the kernel does not show
// them to this process (/proc/self/pagemap shows them to root alone). At most 65536 pages are
// looked at, from the start on.
std::vector<std::uint64_t> frames_of(const std::byte* from, std::size_t bytes);

// Buffers as malloc gives them, for one visit: with their guard zones, at the start of a line,
// written to everywhere, so that no page of them is the kernel's page of zeros.
class VisitMemory {
 public:
  // Throws CommandError where there is not enough.
  explicit VisitMemory(BufferNeed need);

  // Pages count from nowhere: only the offsets in the page are told.
  [[nodiscard]] Placement placement() const { return placement_; }
  // The frames of all buffers, ascending, each once.
  [[nodiscard]] std::vector<std::uint64_t> frames() const;

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  using Block = std::unique_ptr<std::byte, Free>;
  static std::byte* placed(Block& block, std::size_t bytes);

  BufferNeed need_;
  Block send_ = {};
  Block recv_ = {};
  Block scratch_ = {};
  Placement placement_ = {};
};

}  // namespace invar::ops
