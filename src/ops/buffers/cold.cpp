#include "ops/buffers/cold.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "host/facts.hpp"

namespace invar::ops {
namespace {

std::size_t in_lines(std::size_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// A buffer and the guard zones that a check may write around it.
std::size_t stride_of(std::size_t bytes) { return in_lines(bytes) + 2 * kGuardBytes; }

std::size_t stride_of(BufferNeed need) {
  return stride_of(need.send_bytes) + stride_of(need.recv_bytes) +
         (need.scratch_bytes == 0 ? 0 : stride_of(need.scratch_bytes));
}

}  // namespace

ColdCache::ColdCache(bool cycles, BufferNeed largest, const MemorySpace& space) : space_(space) {
  if (!cycles) return;
  const host::Number cache = host::last_level_cache_bytes();
  if (!cache) {
    throw base::UserError("cache = \"cold-cycle\"",
                          "the kernel does not tell how large the last-level cache is",
                          "use cache = \"cold-flush\"");
  }
  const std::size_t page = space.page_bytes();
  bytes_ = (host::kCachesToLeave * *cache + stride_of(largest) + page - 1) / page * page;
  region_ = std::unique_ptr<std::byte, Release>(space.allocate(bytes_),
                                                Release{.space = &space, .bytes = bytes_});
  // Touched before anything is timed, nowhere zero, and as floating-point numbers not denormal.
  std::array<std::byte, 4096> fill{};
  for (std::size_t i = 0; i < fill.size(); ++i) fill[i] = static_cast<std::byte>(1 + i % 127);
  for (std::size_t at = 0; at < bytes_; at += fill.size()) {
    space.write(region_.get() + at, std::span(fill).first(std::min(fill.size(), bytes_ - at)));
  }
}

void ColdCache::before_repetition(Cache cache, Call& call, BufferNeed need) {
  if (cache == Cache::kFlush) {
    space_.flush(call.send, need.send_bytes);
    space_.flush(call.recv, need.recv_bytes);
    space_.flush(call.scratch, need.scratch_bytes);
  } else if (cache == Cache::kCycle) {
    const std::size_t stride = stride_of(need);
    if (at_ + stride > bytes_) at_ = 0;
    call.send = region_.get() + at_ + kGuardBytes;
    call.recv = call.send + stride_of(need.send_bytes);
    if (need.scratch_bytes > 0) call.scratch = call.recv + stride_of(need.recv_bytes);
    at_ += stride;
  }
}

void ColdCache::end_visit(Call& call, const Placement& home) {
  call.send = home.send;
  call.recv = home.recv;
  call.scratch = home.scratch;
}

}  // namespace invar::ops
