#include "shim/communicator/scratch.hpp"

#include <atomic>
#include <new>

#include "shim/communicator/kept.hpp"

namespace invar::shim {
namespace {

constexpr std::align_val_t kScratchLine{64};

std::atomic<std::size_t> kept_bytes{0};

}  // namespace

void Scratch::Release::operator()(std::byte* memory) const {
  ::operator delete(memory, kScratchLine);
}

Scratch::~Scratch() { give_back(); }

void Scratch::give_back() {
  memory_.reset();
  kept_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
  bytes_ = 0;
}

std::byte* Scratch::take(std::size_t bytes) {
  if (bytes <= bytes_) return memory_.get();
  // The old content is of no use: both need not be there at a time.
  give_back();
  memory_.reset(static_cast<std::byte*>(::operator new(bytes, kScratchLine)));
  bytes_ = bytes;
  kept_bytes.fetch_add(bytes_, std::memory_order_relaxed);
  return memory_.get();
}

void Scratch::leave() {
  if (kept_bytes.load(std::memory_order_relaxed) > kMostKeptBytes) give_back();
}

std::size_t kept_scratch_bytes() { return kept_bytes.load(std::memory_order_relaxed); }

}  // namespace invar::shim
