// From a call to what the shim keeps for its communicator. Every collective of the program asks
// is_tuned(), and most of them go no further than tuned_for().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shim/communicator/communicator.hpp"
#include "shim/library/library.hpp"
#include "shim/table/collective.hpp"

namespace invar::shim {

// bit_of() those that the table is about. None before MPI_Init has read it, and none once
// MPI_Finalize has begun.
inline constinit std::atomic<std::uint32_t> tuned_collectives{0};

inline bool is_tuned(Collective collective) {
  return (tuned_collectives.load(std::memory_order_acquire) & bit_of(collective)) != 0;
}

// Changes whenever a communicator goes: what threads remember of communicators is void then,
// because the next one may have the same handle.
inline constinit std::atomic<std::uint64_t> generation{1};

struct Remembered {
  MPI_Comm comm;
  std::uint64_t generation;  // 0: nothing
  Communicator* communicator;
};

inline constexpr std::size_t kRemembered = 32;

// A place in what a thread remembers. Handles are numbers, or addresses that end in zeros: the
// upper bits of the product depend on all of theirs.
template <typename Handle>
std::size_t place_of(Handle comm) {
  std::uint64_t bits = 0;
  if constexpr (std::is_pointer_v<Handle>) {
    bits = reinterpret_cast<std::uintptr_t>(comm);
  } else {
    bits = static_cast<std::uint64_t>(comm);
  }
  return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> 59U) % kRemembered;
}

// A library that is preloaded may have its threads' variables where access is cheapest.
inline constinit thread_local std::array<Remembered, kRemembered> remembered
    __attribute__((tls_model("initial-exec"))) = {};

struct Found {
  Communicator* communicator = nullptr;  // null: the shim has nothing to do with it
  bool lasts = false;                    // until `generation` changes
};

// From the communicator's attribute, which is made if there is none.
Found look_up(MPI_Comm comm) noexcept;

// The collective must be one that is_tuned(). Null: the call is the library's.
inline Communicator* tuned_for(Collective collective, MPI_Comm comm) {
  Remembered& place = remembered[place_of(comm)];
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (place.comm != comm || place.generation != now) {
    const Found found = look_up(comm);
    place = {.comm = comm, .generation = found.lasts ? now : 0, .communicator = found.communicator};
  }
  Communicator* const communicator = place.communicator;
  return communicator != nullptr && communicator->is_about(collective) ? communicator : nullptr;
}

// The table by which look_up() makes what it makes, the processes that the program was
// started with, the attribute's key. In MPI_Init. False: the library gives no key.
bool begin_looking_up(ActiveTable& table);
// In MPI_Finalize: nothing is freed from here on, by whatever the library deletes.
void end_looking_up();

}  // namespace invar::shim
