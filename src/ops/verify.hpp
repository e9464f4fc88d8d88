// Is a result what MPI promises? fill_for_check() writes known data and guard zones, the
// operation's verify() states what recv must hold, and the Checker compares: every byte of recv is
// stated, send must not have been modified, guard zones must be intact. All of it also for no
// elements at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ops/buffers/element.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/agree.hpp"
#include "ops/operation.hpp"

namespace invar::ops {

// The first thing that is wrong on this rank.
struct Mismatch {
  std::string buffer;            // "send", "recv", "scratch"
  std::int64_t byte_offset = 0;  // from the buffer's start; negative: in the zone in front of it
  std::string expected = {};
  std::string found = {};
  std::string what;  // where that is in the result, or what is wrong if it is not a byte

  // "recv byte 12 (block of rank 3, element 0): expected 7, found 255, as before the call".
  [[nodiscard]] std::string text() const;
};

// Fills the call's buffers: the rank's pattern into send, poison into recv (the pattern of rank + 1
// if the operation reads it, the rank's own where it works in place) and into scratch, guard zones
// around all. Gaps of the datatype get bytes that differ between ranks and buffers.
void fill_for_check(const Operation& operation, const Call& call,
                    const MemorySpace& space = host_memory());

// The same where the root moves on from call to call: what this rank needs as the root and what it
// needs otherwise. `need` is the most of either.
void fill_for_every_root(const Operation& operation, const Call& call, const BufferNeed& need,
                         const MemorySpace& space = host_memory());

// Numbers that are neither denormal nor infinite, where such would be slow: what fill_for_check()
// writes, for calls that are timed.
void fill_for_timing(const Operation& operation, const Call& call,
                     const MemorySpace& space = host_memory());

class Checker {
 public:
  // The call's buffers must have been filled by fill_for_check() before the call.
  Checker(const Operation& operation, const Call& call, const MemorySpace& space = host_memory());

  // Offsets and lengths in elements. Each expectation is about recv[at ... at + elements).

  // What rank `source` sends from its element `source_element` on.
  void expect_block(std::uint64_t at, int source, std::uint64_t source_element,
                    std::uint64_t elements);
  // What ranks first..last send from their element `source_element` on, reduced.
  void expect_reduction(std::uint64_t at, int first, int last, std::uint64_t source_element,
                        std::uint64_t elements);
  // As fill_for_check() left it.
  void expect_untouched(std::uint64_t at, std::uint64_t elements);
  // All of recv: also the operand that it is, or holds in place.
  void expect_as_filled();
  // Whether recv holds that now; states nothing.
  [[nodiscard]] bool holds_block(std::uint64_t at, int source, std::uint64_t source_element,
                                 std::uint64_t elements) const;
  // MPI leaves open what is there.
  void allow_anything(std::uint64_t at, std::uint64_t elements);
  // Something else is wrong.
  void fail(const std::string& what);

  // Looks at send and the guard zones, and whether as much as recv holds has been stated. The
  // first mismatch of all that was stated, or nothing.
  [[nodiscard]] std::optional<Mismatch> finish();

 private:
  // The first wrong one of `elements` elements of a buffer from `at` on, where expected(to, first)
  // writes what must be there, first counting from `at`.
  template <typename Expected>
  [[nodiscard]] std::optional<Mismatch> compared(int buffer, std::uint64_t at,
                                                 std::uint64_t elements, const std::string& source,
                                                 Expected expected) const;
  void compare_guards(int buffer);
  // Takes note of what was stated, and of the first mismatch.
  template <typename Expected>
  void state(std::uint64_t at, std::uint64_t elements, const std::string& source,
             Expected expected);
  [[nodiscard]] bool covers(std::uint64_t at, std::uint64_t elements);

  const Operation& operation_;
  const Call& call_;
  const MemorySpace& space_;
  BufferNeed need_;
  const ElementType* type_;
  std::uint64_t stated_bytes_ = 0;
  std::optional<Mismatch> mismatch_ = {};
};

// Whether buffers that were filled once hold the same after any number of calls as after one. Not
// where a call changes its own input (reduce_local, reductions in place, alltoall in place), where
// the root moves on from call to call, nor where hooks of the operation do what nobody else knows.
bool leaves_one_result(const Operation& operation, const Call& call);

// Collective over the call's communicator: fills, calls once, verifies; all ranks return the same,
// which they agree on in `circle`: these ranks in their order. An MPI error code is a failure.
// Where it fails on one rank only, the others may wait for ever: what calls this has a time limit.
Outcome check_once(const Operation& operation, Call& call, const Circle& circle,
                   const MemorySpace& space = host_memory());

// The same with so many calls in a row on what was filled once; only where that leaves one result.
Outcome check_calls(const Operation& operation, Call& call, const Circle& circle, int calls,
                    const MemorySpace& space = host_memory());

// The last part of both, for buffers that were filled by fill_for_check() and called on.
Outcome check_result(const Operation& operation, const Call& call, const Circle& circle,
                     const MemorySpace& space = host_memory());

}  // namespace invar::ops
