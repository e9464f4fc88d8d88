// The loops of one width, included once by the file of every width (so there is no #pragma once),
// which defines
//   INVAR_WALK_BYTES      of a load or store
//   INVAR_WALK_NAMESPACE  of its own, because several of these files may be compiled together
//   INVAR_WALK_TARGET     attribute of functions that have such loads; may be empty
//   INVAR_WALK_HOLD       constraint of a register that holds one: "+r", "+v", "+w"
//   INVAR_WALK_STREAM(to, value)  a store around the caches; not defined: there is none
// Functions carry the target, and no lambda does: it would not have its caller's.
//
// What keeps compilers from adding, merging or leaving out: stores, and loads that are stored, are
// volatile; what `read` loads goes through an empty asm statement, so that it may still be a part
// of the addition.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ops/memory/kernels.hpp"

namespace invar::ops::INVAR_WALK_NAMESPACE {

#if INVAR_WALK_BYTES == 4
using Word = std::uint32_t;
#else
using Word = std::uint64_t;
#endif
#if INVAR_WALK_BYTES <= 8
using Held [[gnu::may_alias]] = Word;
using Element [[gnu::may_alias]] = Word;
#else
typedef Word Held __attribute__((vector_size(INVAR_WALK_BYTES), may_alias));
// Buffers may begin anywhere (placement = "fixed:16").
typedef Word Element __attribute__((vector_size(INVAR_WALK_BYTES), aligned(8), may_alias));
#endif
constexpr std::size_t kBytes = INVAR_WALK_BYTES;
constexpr std::size_t kWords = kBytes / sizeof(Word);
// Additions of several chains are under way at a time, so that loads need not wait for them.
constexpr std::size_t kSums = 4;

#define INVAR_WALK_INLINE INVAR_WALK_TARGET __attribute__((always_inline)) static inline

struct Pointers {
  const std::byte* from;
  const std::byte* also;
  std::byte* to;
};

struct Registers {
  Held sums[kSums];
  Held value;
};

template <WalkKernel Kernel, std::size_t I>
INVAR_WALK_INLINE void visit(const Pointers& at, std::uint64_t offset, Registers& registers) {
  if constexpr (Kernel == WalkKernel::kRead) {
    Held& sum = registers.sums[I % kSums];
#if INVAR_WALK_BYTES <= 8
    sum += *reinterpret_cast<const volatile Element*>(at.from + offset);
#else
    sum += *reinterpret_cast<const Element*>(at.from + offset);
#endif
    asm volatile("" : INVAR_WALK_HOLD(sum));
  } else if constexpr (Kernel == WalkKernel::kWrite) {
    *reinterpret_cast<volatile Element*>(at.to + offset) = registers.value;
  } else if constexpr (Kernel == WalkKernel::kWriteNt) {
#ifdef INVAR_WALK_STREAM
    INVAR_WALK_STREAM(at.to + offset, registers.value);
    asm volatile("" : : : "memory");
#endif
  } else if constexpr (Kernel == WalkKernel::kCopy) {
    const Held value = *reinterpret_cast<const volatile Element*>(at.from + offset);
    *reinterpret_cast<volatile Element*>(at.to + offset) = value;
  } else {
    const Held b = *reinterpret_cast<const volatile Element*>(at.from + offset);
    const Held c = *reinterpret_cast<const volatile Element*>(at.also + offset);
    *reinterpret_cast<volatile Element*>(at.to + offset) = b + c + c;
  }
}

// So many elements one behind the other, from `offset` on.
template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void packed(const Pointers& at, std::uint64_t offset, Registers& registers,
                              std::index_sequence<I...> /*numbers*/) {
  (visit<Kernel, I>(at, offset + I * kBytes, registers), ...);
}

// One step behind the other, because as many addresses as elements do not fit the registers.
template <WalkKernel Kernel, std::size_t I>
INVAR_WALK_INLINE void step(const Pointers& at, std::uint64_t& offset, std::uint64_t stride_bytes,
                            Registers& registers) {
  visit<Kernel, I>(at, offset, registers);
  offset += stride_bytes;
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void strided(const Pointers& at, std::uint64_t& offset,
                               std::uint64_t stride_bytes, Registers& registers,
                               std::index_sequence<I...> /*numbers*/) {
  (step<Kernel, I>(at, offset, stride_bytes, registers), ...);
}

// `Stride` 0: of `stride_bytes`.
template <WalkKernel Kernel, std::uint64_t Stride, std::size_t... I>
INVAR_WALK_INLINE void drawn(const Pointers& at, std::uint32_t& draws, std::uint64_t elements,
                             std::uint64_t stride_bytes, Registers& registers,
                             std::index_sequence<I...> /*numbers*/) {
  const std::uint32_t before = draws;
  (visit<Kernel, I>(
       at,
       drawn_element(DrawLeap<I + 1>::of(before), elements) * (Stride == 0 ? stride_bytes : Stride),
       registers),
   ...);
  draws = DrawLeap<sizeof...(I)>::of(before);
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void shuffled(const Pointers& at, std::uint64_t page, std::uint32_t& draws,
                                std::uint64_t stride_bytes, Registers& registers,
                                std::index_sequence<I...> /*numbers*/) {
  const std::uint32_t before = draws;
  (visit<Kernel, I>(at, page + DrawLeap<I + 1>::of(before) * stride_bytes % kPageOfOrders,
                    registers),
   ...);
  draws = DrawLeap<sizeof...(I)>::of(before);
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void lines(const Pointers& at, std::uint64_t page, Registers& registers,
                             std::index_sequence<I...> /*numbers*/) {
  (visit<Kernel, I>(at, line_in_page(page + I), registers), ...);
}

// A pass: turns of `Unroll` elements, then what is left, one by one.
template <WalkKernel Kernel, WalkOrder Order, std::size_t Unroll>
INVAR_WALK_INLINE void pass(const KernelOrder& order, const Pointers& at, std::uint32_t& draws,
                            Registers& registers) {
  constexpr std::make_index_sequence<Unroll> kTurn{};
  constexpr std::make_index_sequence<1> kOne{};
  const std::uint64_t elements = order.elements;
  const std::uint64_t stride_bytes = order.stride_bytes;
  const std::uint64_t turns = elements / Unroll;
  const std::uint64_t left = elements % Unroll;
  if constexpr (Order == WalkOrder::kPacked) {
    const std::uint64_t turned = turns * Unroll * kBytes;
    std::uint64_t offset = 0;
    for (; offset != turned; offset += Unroll * kBytes)
      packed<Kernel>(at, offset, registers, kTurn);
    if constexpr (Unroll == 1) return;
    const std::uint64_t end = elements * kBytes;
    for (; offset != end; offset += kBytes) packed<Kernel>(at, offset, registers, kOne);
  } else if constexpr (Order == WalkOrder::kStrided) {
    std::uint64_t offset = 0;
    for (std::uint64_t turn = turns; turn > 0; --turn) {
      strided<Kernel>(at, offset, stride_bytes, registers, kTurn);
    }
    if constexpr (Unroll == 1) return;
    for (std::uint64_t one = left; one > 0; --one) {
      strided<Kernel>(at, offset, stride_bytes, registers, kOne);
    }
  } else if constexpr (Order == WalkOrder::kDrawn || Order == WalkOrder::kDrawnStrided) {
    constexpr std::uint64_t kStride = Order == WalkOrder::kDrawn ? kBytes : 0;
    for (std::uint64_t turn = turns; turn > 0; --turn) {
      drawn<Kernel, kStride>(at, draws, elements, stride_bytes, registers, kTurn);
    }
    if constexpr (Unroll == 1) return;
    for (std::uint64_t one = left; one > 0; --one) {
      drawn<Kernel, kStride>(at, draws, elements, stride_bytes, registers, kOne);
    }
  } else if constexpr (Order == WalkOrder::kShuffledPages) {
    const std::uint64_t end = order.pages * kPageOfOrders;
    for (std::uint64_t page = 0; page != end; page += kPageOfOrders) {
      for (std::uint64_t turn = turns; turn > 0; --turn) {
        shuffled<Kernel>(at, page, draws, stride_bytes, registers, kTurn);
      }
      if constexpr (Unroll == 1) continue;
      for (std::uint64_t one = left; one > 0; --one) {
        shuffled<Kernel>(at, page, draws, stride_bytes, registers, kOne);
      }
    }
  } else {
    std::uint64_t page = 0;
    const std::uint64_t turned = turns * Unroll;
    for (; page != turned; page += Unroll) lines<Kernel>(at, page, registers, kTurn);
    if constexpr (Unroll == 1) return;
    for (; page != elements; ++page) lines<Kernel>(at, page, registers, kOne);
  }
}

template <WalkKernel Kernel, WalkOrder Order, std::size_t Unroll>
INVAR_WALK_TARGET void walk(KernelOrder& order) {
  const Pointers at{order.from, order.also, order.to};
  const Held none = {};
  Registers registers{{none, none, none, none}, none + static_cast<Word>(kWrittenWord)};
  // Unknown to the compiler, so that it is no constant of memory.
  asm volatile("" : INVAR_WALK_HOLD(registers.value));
  std::uint32_t draws = order.draws;
  for (std::uint64_t left = order.passes; left > 0; --left) {
    pass<Kernel, Order, Unroll>(order, at, draws, registers);
    // No load of one pass stands for that of another.
    asm volatile("" : : "r"(at.from), "r"(at.also), "r"(at.to) : "memory");
  }
  order.draws = draws;
  if constexpr (Kernel == WalkKernel::kRead) {
    Word sum = 0;
    for (const Held& some : registers.sums) {
#if INVAR_WALK_BYTES <= 8
      sum += some;
#else
      for (std::size_t i = 0; i < kWords; ++i) sum += some[i];
#endif
    }
    order.sum = sum;
  }
#ifdef INVAR_WALK_STREAM
  if constexpr (Kernel == WalkKernel::kWriteNt) __builtin_ia32_sfence();  // all of it has left
#endif
}

template <WalkKernel Kernel, WalkOrder Order>
constexpr std::array<KernelFunction, kUnrolls.size()> of_unrolls() {
#ifndef INVAR_WALK_STREAM
  if constexpr (Kernel == WalkKernel::kWriteNt) return {};
#endif
  return {walk<Kernel, Order, kUnrolls[0]>, walk<Kernel, Order, kUnrolls[1]>,
          walk<Kernel, Order, kUnrolls[2]>, walk<Kernel, Order, kUnrolls[3]>,
          walk<Kernel, Order, kUnrolls[4]>};
}

template <WalkKernel Kernel, std::size_t... Order>
constexpr std::array<std::array<KernelFunction, kUnrolls.size()>, kWalkOrders> of_orders(
    std::index_sequence<Order...> /*orders*/) {
  return {of_unrolls<Kernel, static_cast<WalkOrder>(Order)>()...};
}

template <std::size_t... Kernel>
constexpr WalkTable of_kernels(std::index_sequence<Kernel...> /*kernels*/) {
  return {of_orders<static_cast<WalkKernel>(Kernel)>(std::make_index_sequence<kWalkOrders>())...};
}

constexpr WalkTable kWalks = of_kernels(std::make_index_sequence<kWalkKernels>());

}  // namespace invar::ops::INVAR_WALK_NAMESPACE

#undef INVAR_WALK_BYTES
#undef INVAR_WALK_NAMESPACE
#undef INVAR_WALK_TARGET
#undef INVAR_WALK_HOLD
#undef INVAR_WALK_INLINE
#ifdef INVAR_WALK_STREAM
#undef INVAR_WALK_STREAM
#endif
