// Chains of pointers: every load waits for the one before in its chain, and for nothing else.
#include <array>
#include <cstddef>
#include <utility>

#include "ops/memory/kernels/kernels.hpp"

namespace invar::ops {
namespace {

// A volatile load of an address is one load.
[[gnu::always_inline]] inline void follow(const std::byte*& at) {
  at = *reinterpret_cast<const std::byte* const volatile*>(at);
}

template <std::size_t... Chain>
[[gnu::always_inline]] inline void follow_each(const std::byte* (&at)[sizeof...(Chain)],
                                               std::index_sequence<Chain...> /*chains*/) {
  (follow(at[Chain]), ...);
}

template <std::size_t Chains, std::size_t... Step>
[[gnu::always_inline]] inline void follow_turn(const std::byte* (&at)[Chains],
                                               std::index_sequence<Step...> /*steps*/) {
  ((static_cast<void>(Step), follow_each(at, std::make_index_sequence<Chains>())), ...);
}

template <std::size_t Chains, std::size_t Unroll>
void chase(KernelOrder& order) {
  const std::byte* at[Chains];
  for (std::size_t i = 0; i < Chains; ++i) at[i] = order.heads[i];
  const std::uint64_t left = order.loads % Unroll;
  INVAR_AS_IT_STANDS
  for (std::uint64_t turn = order.loads / Unroll; turn > 0; --turn) {
    follow_turn(at, std::make_index_sequence<Unroll>());
  }
  INVAR_AS_IT_STANDS
  for (std::uint64_t one = left; one > 0; --one) {
    follow_turn(at, std::make_index_sequence<1>());
  }
  INVAR_NO_LOOP
  for (std::size_t i = 0; i < Chains; ++i) order.heads[i] = at[i];
}

using OfUnrolls = std::array<KernelFunction, kUnrolls.size()>;

template <std::size_t Chains>
constexpr OfUnrolls chases_of() {
  return {chase<Chains, kUnrolls[0]>, chase<Chains, kUnrolls[1]>, chase<Chains, kUnrolls[2]>,
          chase<Chains, kUnrolls[3]>, chase<Chains, kUnrolls[4]>};
}

template <std::size_t... Index>
constexpr std::array<OfUnrolls, sizeof...(Index)> all_chases(
    std::index_sequence<Index...> /*all*/) {
  return {chases_of<Index + 1>()...};
}

constexpr auto kChases = all_chases(std::make_index_sequence<kMostChainsFollowed>());

}  // namespace

KernelFunction chase_kernel(std::uint32_t chains, std::uint32_t unroll) {
  if (chains < 1 || chains > kChases.size()) return nullptr;
  for (std::size_t i = 0; i < kUnrolls.size(); ++i) {
    if (kUnrolls[i] == unroll) return kChases[chains - 1][i];
  }
  return nullptr;
}

}  // namespace invar::ops
