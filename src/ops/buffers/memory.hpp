// Message buffers: where they live, and the arena from which every visit draws a fresh placement.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/random.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

// Kept free for the checks in front of every buffer and behind it.
constexpr std::size_t kGuardBytes = 64;
// Buffers start at a multiple of this in their page.
constexpr std::size_t kLineBytes = 64;

// A kind of memory. Whoever touches a buffer's bytes goes through write() and read(), because
// memory of a device may be out of the processor's reach.
class MemorySpace {
 public:
  MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;
  virtual ~MemorySpace() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::size_t page_bytes() const = 0;
  // Aligned to a page; `bytes` is a multiple of it. Throws CommandError where there is not enough.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void release(std::byte* memory, std::size_t bytes) const noexcept = 0;
  virtual void write(std::byte* to, std::span<const std::byte> from) const = 0;
  virtual void read(const std::byte* from, std::span<std::byte> to) const = 0;
  // Leaves the bytes in no cache of this processor.
  virtual void flush(const std::byte* from, std::size_t bytes) const = 0;
};

const MemorySpace& host_memory();

// From now on message buffers ask the kernel for transparent huge pages (madvise). Arenas then fail
// with CommandError where it refuses.
void ask_for_huge_pages();

// Where the buffers of one visit lie; the numbers go into its journal line.
struct Placement {
  std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::byte* scratch = nullptr;  // null where none is needed
  std::uint64_t send_page = 0;   // counts from the arena's first page
  std::uint64_t recv_page = 0;
  std::uint64_t scratch_page = 0;
  std::uint32_t send_offset_bytes = 0;  // in the page; drawn ones are multiples of kLineBytes
  std::uint32_t recv_offset_bytes = 0;
  std::uint32_t scratch_offset_bytes = 0;
};

// One region, mapped, touched and filled with data that are nowhere zero before anything is timed:
// untouched pages would all be the kernel's one zero page, and large sends look twice as fast.
class Arena {
 public:
  // Large enough for the largest of the needs. What is left beside them, at least 64 pages (as
  // much as the largest need itself up to 16 MiB), is what placements are drawn from.
  explicit Arena(std::span<const BufferNeed> needs, const MemorySpace& space = host_memory());
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Random pages and lines for all buffers: every choice of places is equally likely, in any order;
  // the buffers and their guard zones never overlap. The same draws give the same
  // placement in an arena of the same size. Throws std::length_error if the arena is too small,
  // which it is for none of the needs that it was made for.
  [[nodiscard]] Placement place(base::Random& random, BufferNeed need) const;

  // All buffers at that offset in their pages, always the same ones, a free page between them.
  // offset_bytes <= page_bytes() - kLineBytes. Throws as place().
  [[nodiscard]] Placement place_at(std::uint32_t offset_bytes, BufferNeed need) const;

  [[nodiscard]] std::size_t pages() const { return pages_; }
  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {memory_, pages_ * page_bytes_}; }

 private:
  [[nodiscard]] std::size_t pages_of(std::size_t buffer_bytes) const;
  [[nodiscard]] std::size_t pages_of(BufferNeed need) const;
  void check_room(BufferNeed need) const;
  static constexpr std::size_t kMostBuffers = 3;  // send, recv, scratch
  [[nodiscard]] Placement at(const std::array<std::uint64_t, kMostBuffers>& pages,
                             const std::array<std::uint32_t, kMostBuffers>& offsets_bytes,
                             BufferNeed need) const;

  const MemorySpace& space_;
  std::size_t page_bytes_;
  std::size_t pages_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace invar::ops
