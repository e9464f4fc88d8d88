// Memory of calls that are replaced, kept from one to the next.
#pragma once

#include <cstddef>
#include <memory>

namespace invar::shim {

// What all communicators of the process keep together. Above it memory is given back after the
// call that needed it.
inline constexpr std::size_t kMostKeptBytes = std::size_t{256} << 20U;

class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  // So many bytes at a cache line's begin, with any content, until the next call; null for none.
  // Throws std::bad_alloc.
  std::byte* take(std::size_t bytes);
  // After a call.
  void leave();

 private:
  struct Release {
    void operator()(std::byte* memory) const;
  };
  void give_back();

  std::unique_ptr<std::byte, Release> memory_ = {};
  std::size_t bytes_ = 0;
};

}  // namespace invar::shim
