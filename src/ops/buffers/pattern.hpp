// Patterns of numbers, and what their sums, maxima and minima over ranks are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace invar::ops {

// Patterns are linear in rank and element modulo a prime: neighbours, transposed blocks and shifted
// blocks all differ, and walking along the elements costs an addition. Every whole period of
// elements starts elsewhere, so that a shift by a period is found too.
template <std::uint64_t Prime, std::uint64_t Step, std::uint64_t PeriodStep>
class Walk {
  static_assert(Step + PeriodStep < Prime);

 public:
  constexpr Walk(std::uint64_t offset, std::uint64_t element)
      : element_(element % Prime),
        value_((offset + element_ * Step + element / Prime * PeriodStep) % Prime) {}

  // Between 0 and Prime - 1.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  void advance() {
    value_ += Step;
    if (++element_ == Prime) {  // Prime * Step is 0 modulo Prime: only the period moves on
      element_ = 0;
      value_ += PeriodStep;
    }
    if (value_ >= Prime) value_ -= Prime;
  }

 private:
  std::uint64_t element_;
  std::uint64_t value_;
};

// Every number is a term of the rank plus a term of the element, so that reductions over ranks have
// a closed form. Both terms are at most Prime.
template <std::uint64_t Prime, std::uint64_t RankStep, typename ElementWalk>
struct Terms {
  static constexpr std::uint64_t kPrime = Prime;
  static constexpr std::uint64_t kLargest = 2 * Prime - 1;

  static std::uint64_t of_rank(std::uint64_t rank) { return 1 + rank * RankStep % Prime; }

  // Over the ranks first..last.
  static std::uint64_t sum(int first, int last) { return sum_below(last + 1) - sum_below(first); }
  static std::uint64_t max(int first, int last) {
    std::uint64_t most = 0;
    for_one_period(first, last, [&](std::uint64_t term) { most = std::max(most, term); });
    return most;
  }
  static std::uint64_t min(int first, int last) {
    std::uint64_t least = Prime;
    for_one_period(first, last, [&](std::uint64_t term) { least = std::min(least, term); });
    return least;
  }

  using Elements = ElementWalk;

 private:
  static std::uint64_t sum_below(int ranks) {
    const auto count = static_cast<std::uint64_t>(ranks);
    std::uint64_t sum = count / Prime * (Prime * (Prime + 1) / 2);
    for (std::uint64_t rank = 0; rank < count % Prime; ++rank) sum += of_rank(rank);
    return sum;
  }
  template <typename Look>
  static void for_one_period(int first, int last, Look look) {
    const auto begin = static_cast<std::uint64_t>(first);
    const auto end = std::min(static_cast<std::uint64_t>(last) + 1, begin + Prime);
    for (std::uint64_t rank = begin; rank < end; ++rank) look(of_rank(rank));
  }
};

// Numbers of one type: `Scale` times the terms' sum. Every partial sum over 100,000 ranks is at
// most `Limit`, up to which the type counts exactly, so that the order of adding does not matter.
template <typename Number, typename TermsOfIt, std::uint64_t Scale, std::uint64_t Limit>
struct Numbers {
  static_assert(100'000 * TermsOfIt::kLargest <= Limit / Scale);

  static void pattern(std::span<std::byte> to, int rank, std::uint64_t first) {
    write(to, TermsOfIt::of_rank(static_cast<std::uint64_t>(rank)), 1, first);
  }
  static void sum(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first) {
    write(to, TermsOfIt::sum(first_rank, last_rank),
          static_cast<std::uint64_t>(last_rank - first_rank) + 1, first);
  }
  static void max(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first) {
    write(to, TermsOfIt::max(first_rank, last_rank), 1, first);
  }
  static void min(std::span<std::byte> to, int first_rank, int last_rank, std::uint64_t first) {
    write(to, TermsOfIt::min(first_rank, last_rank), 1, first);
  }
  static std::string text(const std::byte* element) {
    Number value{};
    std::memcpy(&value, element, sizeof value);
    return std::to_string(value);
  }

 private:
  static void write(std::span<std::byte> to, std::uint64_t offset, std::uint64_t factor,
                    std::uint64_t first) {
    typename TermsOfIt::Elements term(0, first);
    for (std::size_t at = 0; at + sizeof(Number) <= to.size(); at += sizeof(Number)) {
      const auto value = static_cast<Number>(Scale * (offset + factor * term.value()));
      std::memcpy(&to[at], &value, sizeof value);
      term.advance();
    }
  }
};

using IntTerms = Terms<10007, 7919, Walk<10007, 6007, 101>>;
using SmallTerms = Terms<83, 47, Walk<83, 31, 17>>;

using Int32 = Numbers<std::int32_t, IntTerms, 1, (std::uint64_t{1} << 31U) - 1>;
// Both halves hold data.
using Int64 =
    Numbers<std::int64_t, IntTerms, (std::uint64_t{1} << 32U) + 1, (std::uint64_t{1} << 63U) - 1>;
using Float = Numbers<float, SmallTerms, 1, std::uint64_t{1} << 24U>;
using Double = Numbers<double, IntTerms, 1, std::uint64_t{1} << 53U>;

}  // namespace invar::ops
