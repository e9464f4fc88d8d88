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

#include "ops/memory/kernels/kernels.hpp"

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

#define INVAR_WALK_INLINE INVAR_WALK_TARGET __attribute__((always_inline)) static inline

// Where the elements are that come next. Only pointers that a kernel uses move: others are null.
struct Pointers {
  const std::byte* from;
  const std::byte* also;
  std::byte* to;
};

template <WalkKernel Kernel>
INVAR_WALK_INLINE void move_on(Pointers& at, std::uint64_t bytes) {
  constexpr bool kReads = Kernel != WalkKernel::kWrite && Kernel != WalkKernel::kWriteNt;
  if constexpr (kReads) at.from += bytes;
  constexpr bool kReadsTwo = Kernel == WalkKernel::kTriad || Kernel == WalkKernel::kTriadNt;
  if constexpr (kReadsTwo) at.also += bytes;
  if constexpr (Kernel != WalkKernel::kRead) at.to += bytes;
}

// What a pass goes by, in registers as well.
struct Extent {
  std::uint64_t elements;
  std::uint64_t pages;
  std::uint64_t stride_bytes;
};

// No array: compilers would keep that in memory.
struct Registers {
  Held sum_0;
  Held sum_1;
  Held sum_2;
  Held sum_3;
  Held value;
};

// Additions of four chains are under way at a time, so that loads need not wait for them.
template <std::size_t I>
INVAR_WALK_INLINE Held& sum_of(Registers& registers) {
  if constexpr (I % 4 == 0) {
    return registers.sum_0;
  } else if constexpr (I % 4 == 1) {
    return registers.sum_1;
  } else if constexpr (I % 4 == 2) {
    return registers.sum_2;
  } else {
    return registers.sum_3;
  }
}

template <WalkKernel Kernel>
INVAR_WALK_INLINE void store(std::byte* to, Held value) {
#ifdef INVAR_WALK_STREAM
  if constexpr (stores_around(Kernel)) {
    INVAR_WALK_STREAM(to, value);
    asm volatile("" : : : "memory");
    return;
  }
#endif
  *reinterpret_cast<volatile Element*>(to) = value;
}

// The element `I` of a turn, so many bytes behind `at`.
template <WalkKernel Kernel, std::size_t I, std::size_t Behind = 0>
INVAR_WALK_INLINE void visit(const Pointers& at, Registers& registers) {
  if constexpr (Kernel == WalkKernel::kRead) {
    Held& sum = sum_of<I>(registers);
#if INVAR_WALK_BYTES <= 8
    sum += *reinterpret_cast<const volatile Element*>(at.from + Behind);
#else
    sum += *reinterpret_cast<const Element*>(at.from + Behind);
#endif
    asm volatile("" : INVAR_WALK_HOLD(sum));
  } else if constexpr (Kernel == WalkKernel::kWrite || Kernel == WalkKernel::kWriteNt) {
    store<Kernel>(at.to + Behind, registers.value);
  } else if constexpr (Kernel == WalkKernel::kCopy || Kernel == WalkKernel::kCopyNt) {
    store<Kernel>(at.to + Behind, *reinterpret_cast<const volatile Element*>(at.from + Behind));
  } else {
    const Held b = *reinterpret_cast<const volatile Element*>(at.from + Behind);
    const Held c = *reinterpret_cast<const volatile Element*>(at.also + Behind);
    store<Kernel>(at.to + Behind, b + c + c);
  }
}

template <WalkKernel Kernel, std::size_t I>
INVAR_WALK_INLINE void visit_at(Pointers at, std::uint64_t offset, Registers& registers) {
  move_on<Kernel>(at, offset);
  visit<Kernel, I>(at, registers);
}

// One element behind the other.
template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void packed(Pointers& at, Registers& registers,
                              std::index_sequence<I...> /*numbers*/) {
  (visit<Kernel, I, I * kBytes>(at, registers), ...);
  move_on<Kernel>(at, sizeof...(I) * kBytes);
}

// One step behind the other, because as many addresses as elements do not fit the registers.
template <WalkKernel Kernel, std::size_t I>
INVAR_WALK_INLINE void step(Pointers& at, std::uint64_t stride_bytes, Registers& registers) {
  visit<Kernel, I>(at, registers);
  move_on<Kernel>(at, stride_bytes);
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void strided(Pointers& at, std::uint64_t stride_bytes, Registers& registers,
                               std::index_sequence<I...> /*numbers*/) {
  (step<Kernel, I>(at, stride_bytes, registers), ...);
}

// The same number, of which the compiler knows nothing: places of all elements of a turn would
// else be computed before the first of them, several at once, and would not fit the registers.
template <typename Number>
INVAR_WALK_INLINE Number anew(Number& number) {
  asm volatile("" : "+r"(number));
  return number;
}

// `Stride` 0: of `stride_bytes`.
template <WalkKernel Kernel, std::uint64_t Stride, std::size_t... I>
INVAR_WALK_INLINE void drawn(const Pointers& at, std::uint32_t& draws, std::uint64_t elements,
                             std::uint64_t stride_bytes, Registers& registers,
                             std::index_sequence<I...> /*numbers*/) {
  std::uint32_t before = draws;
  (visit_at<Kernel, I>(at,
                       drawn_element(DrawLeap<I + 1>::of(anew(before)), elements) *
                           (Stride == 0 ? stride_bytes : Stride),
                       registers),
   ...);
  draws = DrawLeap<sizeof...(I)>::of(before);
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void shuffled(const Pointers& page, std::uint32_t& draws,
                                std::uint64_t stride_bytes, Registers& registers,
                                std::index_sequence<I...> /*numbers*/) {
  std::uint32_t before = draws;
  (visit_at<Kernel, I>(page, DrawLeap<I + 1>::of(anew(before)) * stride_bytes % kPageOfOrders,
                       registers),
   ...);
  draws = DrawLeap<sizeof...(I)>::of(before);
}

template <WalkKernel Kernel, std::size_t... I>
INVAR_WALK_INLINE void lines(const Pointers& at, std::uint64_t page, Registers& registers,
                             std::index_sequence<I...> /*numbers*/) {
  (visit_at<Kernel, I>(at, line_in_page(anew(page) + I), registers), ...);
}

// So many turns of `Count` elements each.
template <WalkKernel Kernel, WalkOrder Order, std::size_t Count>
INVAR_WALK_INLINE void turns(const Extent& extent, Pointers& at, std::uint32_t& draws,
                             std::uint64_t& page, std::uint64_t number, Registers& registers) {
  constexpr std::make_index_sequence<Count> kNumbers{};
  const std::uint64_t elements = extent.elements;
  const std::uint64_t stride_bytes = extent.stride_bytes;
  INVAR_AS_IT_STANDS
  for (std::uint64_t left = number; left > 0; --left) {
    if constexpr (Order == WalkOrder::kPacked) {
      packed<Kernel>(at, registers, kNumbers);
    } else if constexpr (Order == WalkOrder::kStrided) {
      strided<Kernel>(at, stride_bytes, registers, kNumbers);
    } else if constexpr (Order == WalkOrder::kDrawn) {
      drawn<Kernel, kBytes>(at, draws, elements, stride_bytes, registers, kNumbers);
    } else if constexpr (Order == WalkOrder::kDrawnStrided) {
      drawn<Kernel, 0>(at, draws, elements, stride_bytes, registers, kNumbers);
    } else if constexpr (Order == WalkOrder::kShuffledPages) {
      shuffled<Kernel>(at, draws, stride_bytes, registers, kNumbers);
    } else {
      lines<Kernel>(at, page, registers, kNumbers);
      page += Count;
    }
  }
}

// A pass: turns of `Unroll` elements, then what is left, one by one; page after page where the
// order says so.
template <WalkKernel Kernel, WalkOrder Order, std::size_t Unroll>
INVAR_WALK_INLINE void pass(const Extent& extent, Pointers at, std::uint32_t& draws,
                            Registers& registers) {
  const std::uint64_t whole = extent.elements / Unroll;
  const std::uint64_t left = extent.elements % Unroll;
  std::uint64_t page = 0;
  if constexpr (Order == WalkOrder::kShuffledPages) {
    INVAR_AS_IT_STANDS
    for (std::uint64_t pages = extent.pages; pages > 0; --pages) {
      turns<Kernel, Order, Unroll>(extent, at, draws, page, whole, registers);
      if constexpr (Unroll > 1) turns<Kernel, Order, 1>(extent, at, draws, page, left, registers);
      move_on<Kernel>(at, kPageOfOrders);
    }
  } else {
    turns<Kernel, Order, Unroll>(extent, at, draws, page, whole, registers);
    if constexpr (Unroll > 1) turns<Kernel, Order, 1>(extent, at, draws, page, left, registers);
  }
}

template <WalkKernel Kernel, WalkOrder Order, std::size_t Unroll>
INVAR_WALK_TARGET void walk(KernelOrder& order) {
  const Pointers at{order.from, order.also, order.to};
  const Extent extent{order.elements, order.pages, order.stride_bytes};
  const Held none = {};
  Registers registers{none, none, none, none, none + static_cast<Word>(kWrittenWord)};
  // Unknown to the compiler, so that it is not a constant of memory.
  asm volatile("" : INVAR_WALK_HOLD(registers.value));
  std::uint32_t draws = order.draws;
  INVAR_AS_IT_STANDS
  for (std::uint64_t left = order.passes; left > 0; --left) {
    pass<Kernel, Order, Unroll>(extent, at, draws, registers);
    // No load of one pass stands for that of another.
    asm volatile("" : : "r"(at.from), "r"(at.also), "r"(at.to) : "memory");
  }
  order.draws = draws;
  if constexpr (Kernel == WalkKernel::kRead) {
    const Held all = registers.sum_0 + registers.sum_1 + registers.sum_2 + registers.sum_3;
    Word words[kWords];
    __builtin_memcpy(words, &all, kBytes);
    Word sum = 0;
    for (const Word word : words) sum += word;
    order.sum = sum;
  }
#ifdef INVAR_WALK_STREAM
  if constexpr (stores_around(Kernel)) __builtin_ia32_sfence();  // all of it has left
#endif
}

template <WalkKernel Kernel, WalkOrder Order>
constexpr std::array<KernelFunction, kUnrolls.size()> of_unrolls() {
#ifndef INVAR_WALK_STREAM
  if constexpr (stores_around(Kernel)) return {};
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
