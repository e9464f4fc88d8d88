// What an operation or a factor does around measurements, outside of the timed region.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "record/cell.hpp"

namespace invar::ops {

struct Call;

// Made before what it is for (the making of a communicator, a visit), and destroyed behind it. The
// destructor undoes whatever the hook did; it also runs while an error unwinds, when other ranks do
// not take part in anything collective.
class Hook {
 public:
  Hook() = default;
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  virtual ~Hook() = default;
  // Called in a visit before each repetition is synchronised, and behind it. before() comes once
  // more than there are repetitions, because only the synchronisation knows which was the last.
  virtual void before(Call& /*call*/, std::uint32_t /*repetition*/) {}
  virtual void behind(Call& /*call*/, std::uint32_t /*repetition*/) {}
};

// Hooks that are there together: undone, and called behind a repetition, in the opposite order.
class Hooks {
 public:
  Hooks() = default;
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  ~Hooks() {
    while (!hooks_.empty()) hooks_.pop_back();
  }

  // Null is none.
  void add(std::unique_ptr<Hook> hook) {
    if (hook) hooks_.push_back(std::move(hook));
  }
  [[nodiscard]] bool empty() const { return hooks_.empty(); }
  void before(Call& call, std::uint32_t repetition) {
    for (const std::unique_ptr<Hook>& hook : hooks_) hook->before(call, repetition);
  }
  void behind(Call& call, std::uint32_t repetition) {
    for (auto hook = hooks_.rbegin(); hook != hooks_.rend(); ++hook) {
      (*hook)->behind(call, repetition);
    }
  }

 private:
  std::vector<std::unique_ptr<Hook>> hooks_ = {};
};

// The hooks of one owner; null functions have none, as has a null result for that cell.
struct HookMakers {
  // Around the making of the cell's communicator.
  std::unique_ptr<Hook> (*communicator)(const record::Cell& cell) = nullptr;
  // Around every visit of the cell, its buffers being placed.
  std::unique_ptr<Hook> (*visit)(const record::Cell& cell, Call& call) = nullptr;
};

}  // namespace invar::ops
