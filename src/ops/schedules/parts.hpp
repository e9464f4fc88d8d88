// What several algorithms share: how a vector is cut, how ranks beyond a power of two are folded
// away, how a vector is halved from round to round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/schedules/schedule.hpp"

namespace invar::ops {

// The whole vector of a rank, or the blocks first ... first + count - 1 of all ranks.
inline Piece whole(Where where, const Position& at) { return {where, 0, at.elements}; }
inline Piece blocks(Where where, const Position& at, int first, int count = 1) {
  return {where, static_cast<std::uint64_t>(first) * at.elements,
          static_cast<std::uint64_t>(count) * at.elements};
}

// A vector cut into shares, of which the first ones have an element more where it does not divide.
// There may be fewer elements than shares: the last ones are empty then.
class Cut {
 public:
  Cut(std::uint64_t elements, int shares)
      : shares_(static_cast<std::uint64_t>(shares)), elements_(elements) {}

  [[nodiscard]] std::uint64_t begin(int number) const {
    const auto before = static_cast<std::uint64_t>(number);
    return before * (elements_ / shares_) + std::min(before, elements_ % shares_);
  }
  [[nodiscard]] std::uint64_t largest() const { return begin(1); }
  // The shares from `first` up to but without `end`.
  [[nodiscard]] Piece piece(Where where, int first, int end) const {
    return {where, begin(first), begin(end) - begin(first)};
  }

 private:
  std::uint64_t shares_;
  std::uint64_t elements_;
};

// Segment `number` of a piece. Behind the end of the piece the segments are empty. `segment` is 0:
// the piece is the only segment.
inline Piece segment_of(const Piece& piece, std::uint64_t segment, std::uint64_t number) {
  if (segment == 0) return number == 0 ? piece : Piece{piece.where, piece.begin, 0};
  const std::uint64_t from = std::min(number * segment, piece.elements);
  return {piece.where, piece.begin + from, std::min(segment, piece.elements - from)};
}
// At least one, so that an empty vector is an empty message.
inline std::uint64_t segments_of(std::uint64_t elements, std::uint64_t segment) {
  return segment == 0 || elements == 0 ? 1 : (elements + segment - 1) / segment;
}

// The largest power of two that is not above.
constexpr int power_below(int ranks) {
  int power = 1;
  while (power <= ranks / 2) power *= 2;
  return power;
}

// Ranks beyond a power of two: of the first 2 (p - 2^k) ranks, which are adjacent pairs, one hands
// its data to the other and waits for the result. Those who go on have numbers 0 ... 2^k - 1, in
// the order of the ranks (Thakur, Rabenseifner, Gropp 2005).
class Fold {
 public:
  enum class Stays : std::uint8_t { kLower, kUpper };  // of a pair

  Fold(int ranks, Stays stays)
      : power_(power_below(ranks)),
        pairs_(ranks - power_),
        leaving_(stays == Stays::kUpper ? 0 : 1),
        staying_(1 - leaving_) {}

  [[nodiscard]] int power() const { return power_; }
  [[nodiscard]] int pairs() const { return pairs_; }
  [[nodiscard]] bool in_pair(int rank) const { return rank < 2 * pairs_; }
  // Hands its data over, and does not go on.
  [[nodiscard]] bool leaves(int rank) const { return in_pair(rank) && rank % 2 == leaving_; }
  // The other one of the pair.
  [[nodiscard]] static int partner(int rank) { return rank % 2 == 0 ? rank + 1 : rank - 1; }
  [[nodiscard]] int number(int rank) const { return in_pair(rank) ? rank / 2 : rank - pairs_; }
  [[nodiscard]] int rank_of(int number) const {
    return number < pairs_ ? 2 * number + staying_ : number + pairs_;
  }

 private:
  int power_;
  int pairs_;
  int leaving_;  // which rank of a pair leaves: its remainder by 2
  int staying_;
};

// One round of halving: what a number keeps of the 2^k shares, and what it gives to its partner.
// Both are [first, end).
struct Halving {
  int bit = 1;  // in which the partner's number differs
  int kept_first = 0;
  int kept_end = 0;
  int given_first = 0;
  int given_end = 0;

  [[nodiscard]] int partner(int number) const { return number ^ bit; }
  [[nodiscard]] bool is_upper(int number) const { return (number & bit) != 0; }
};

// From neighbours to the farthest ones ("distance doubling", Rabenseifner 2004): the largest
// messages travel least, and what is combined are adjacent ranks.
std::vector<Halving> halvings_outwards(int number, int power);
// From the farthest ones to neighbours: number i ends with share i.
std::vector<Halving> halvings_inwards(int number, int power);

}  // namespace invar::ops
