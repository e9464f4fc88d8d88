#include "ops/buffers/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/units.hpp"

namespace invar::ops {
namespace {

bool huge_pages_asked = false;

class HostMemory final : public MemorySpace {
 public:
  [[nodiscard]] std::string_view name() const override { return "host"; }

  [[nodiscard]] std::size_t page_bytes() const override {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) const override {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw base::CommandError(
          base::Exit::kMeasurementFailed,
          {base::Fault{.place = "message buffers",
                       .what = "cannot map " + base::size_text(bytes) + ": " + strerror(errno),
                       .remedy = "use smaller sizes or fewer ranks per host"}});
    }
    if (huge_pages_asked && madvise(memory, bytes, MADV_HUGEPAGE) != 0) {
      const int reason = errno;
      munmap(memory, bytes);
      throw base::CommandError(
          base::Exit::kMeasurementFailed,
          {base::Fault{.place = "message buffers",
                       .what = std::string("the kernel refuses huge pages: ") + strerror(reason),
                       .remedy = "leave thp = \"always\" out"}});
    }
    return static_cast<std::byte*>(memory);
  }

  void release(std::byte* memory, std::size_t bytes) const noexcept override {
    munmap(memory, bytes);
  }

  void write(std::byte* to, std::span<const std::byte> from) const override {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }

  void read(const std::byte* from, std::span<std::byte> to) const override {
    if (!to.empty()) std::memcpy(to.data(), from, to.size());
  }

  void flush(const std::byte* from, std::size_t bytes) const override {
    if (bytes == 0) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(from) / kLineBytes * kLineBytes;
    const auto end = reinterpret_cast<std::uintptr_t>(from) + bytes;
    for (std::uintptr_t line = begin; line < end; line += kLineBytes) flush_line(line);
    flush_fence();
  }

 private:
#if defined(__x86_64__)
  static void flush_line(std::uintptr_t line) { _mm_clflush(reinterpret_cast<const void*>(line)); }
  static void flush_fence() { _mm_mfence(); }
#elif defined(__aarch64__)
  static void flush_line(std::uintptr_t line) {
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
  }
  static void flush_fence() { asm volatile("dsb ish" : : : "memory"); }
#else
#error "how does this processor flush a cache line?"
#endif
};

constexpr std::size_t kLeastSlackPages = 64;
constexpr std::size_t kMostSlackBytes = std::size_t{16} << 20U;

}  // namespace

const MemorySpace& host_memory() {
  static const HostMemory memory;
  return memory;
}

void ask_for_huge_pages() { huge_pages_asked = true; }

// Pages that a buffer may touch wherever it is placed: one in front for the guard zone, then the
// buffer behind the largest offset, then the guard zone.
std::size_t Arena::pages_of(std::size_t buffer_bytes) const {
  const std::size_t largest_offset = page_bytes_ - kLineBytes;
  return 1 + (largest_offset + buffer_bytes + kGuardBytes + page_bytes_ - 1) / page_bytes_;
}

std::size_t Arena::pages_of(BufferNeed need) const {
  return pages_of(need.send_bytes) + pages_of(need.recv_bytes) +
         (need.scratch_bytes == 0 ? 0 : pages_of(need.scratch_bytes));
}

Arena::Arena(std::span<const BufferNeed> needs, const MemorySpace& space)
    : space_(space), page_bytes_(space.page_bytes()) {
  std::size_t largest = pages_of(BufferNeed{});
  for (const BufferNeed& need : needs) largest = std::max(largest, pages_of(need));
  pages_ = largest + std::clamp(largest, kLeastSlackPages,
                                std::max(kLeastSlackPages, kMostSlackBytes / page_bytes_));
  memory_ = space_.allocate(pages_ * page_bytes_);
  std::array<std::uint64_t, 512> words{};
  for (std::size_t at = 0; at < pages_ * page_bytes_;) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      constexpr std::uint64_t kNoByteZero = 0x0101010101010101U;
      words[i] = ((at / sizeof(std::uint64_t) + i) * 0x9e3779b97f4a7c15U) | kNoByteZero;
    }
    const auto chunk =
        std::as_bytes(std::span(words)).first(std::min(sizeof words, pages_ * page_bytes_ - at));
    space_.write(memory_ + at, chunk);
    at += chunk.size();
  }
}

Arena::~Arena() { space_.release(memory_, pages_ * page_bytes_); }

void Arena::check_room(BufferNeed need) const {
  if (pages_of(need) <= pages_) return;
  throw std::length_error("buffers of " + std::to_string(need.send_bytes) + ", " +
                          std::to_string(need.recv_bytes) + " and " +
                          std::to_string(need.scratch_bytes) + " bytes do not fit the arena");
}

Placement Arena::at(const std::array<std::uint64_t, kMostBuffers>& pages,
                    const std::array<std::uint32_t, kMostBuffers>& offsets_bytes,
                    BufferNeed need) const {
  const auto memory = [&](std::size_t buffer) {
    return memory_ + pages[buffer] * page_bytes_ + offsets_bytes[buffer];
  };
  Placement placement{.send = memory(0),
                      .recv = memory(1),
                      .send_page = pages[0],
                      .recv_page = pages[1],
                      .send_offset_bytes = offsets_bytes[0],
                      .recv_offset_bytes = offsets_bytes[1]};
  if (need.scratch_bytes == 0) return placement;
  placement.scratch = memory(2);
  placement.scratch_page = pages[2];
  placement.scratch_offset_bytes = offsets_bytes[2];
  return placement;
}

Placement Arena::place_at(std::uint32_t offset_bytes, BufferNeed need) const {
  check_room(need);
  const std::uint64_t recv_page = 1 + pages_of(need.send_bytes);
  return at({1, recv_page, recv_page + pages_of(need.recv_bytes)},
            {offset_bytes, offset_bytes, offset_bytes}, need);
}

Placement Arena::place(base::Random& random, BufferNeed need) const {
  check_room(need);
  const std::array<std::size_t, kMostBuffers> lengths{
      pages_of(need.send_bytes), pages_of(need.recv_bytes), pages_of(need.scratch_bytes)};
  const std::size_t buffers = need.scratch_bytes == 0 ? 2 : 3;
  // Where free pages and buffers stand in line, these are the buffers' places, in ascending order.
  const std::uint64_t free = pages_ - pages_of(need);
  std::array<std::uint64_t, kMostBuffers> places{};
  for (std::size_t taken = 0; taken < buffers; ++taken) {
    std::uint64_t place = random.below(free + buffers - taken);
    std::size_t i = 0;
    for (; i < taken && places[i] <= place; ++i) ++place;
    std::copy_backward(places.begin() + i, places.begin() + taken, places.begin() + taken + 1);
    places[i] = place;
  }
  std::array<std::size_t, kMostBuffers> order{0, 1, 2};
  for (std::size_t i = 0; i + 1 < buffers; ++i) {
    std::swap(order[i], order[i + random.below(buffers - i)]);
  }
  std::array<std::uint64_t, kMostBuffers> pages{};
  std::uint64_t before = 1;  // pages of buffers, and the one in front of all
  for (std::size_t i = 0; i < buffers; ++i) {
    pages[order[i]] = before + places[i] - i;
    before += lengths[order[i]];
  }
  std::array<std::uint32_t, kMostBuffers> offsets_bytes{};
  for (std::size_t i = 0; i < buffers; ++i) {
    offsets_bytes[i] =
        static_cast<std::uint32_t>(random.below(page_bytes_ / kLineBytes) * kLineBytes);
  }
  return at(pages, offsets_bytes, need);
}

}  // namespace invar::ops
