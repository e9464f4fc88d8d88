// allreduce around a ring: the vector in p shares, a reduce-scatter and an allgather of p - 1
// rounds each, which moves as little as can be (Patarasuk, Yuan 2009). With segments, a segment is
// reduced while the next one comes in (Pjesivac-Grbovic and others 2007).
#include <array>

#include "ops/schedules/parts.hpp"

namespace invar::ops {
namespace {

constexpr std::array kAllreduceRingPhases{
    Phase{.name = "reduce-scatter", .summary = "every rank has its share of the result"},
    Phase{.name = "allgather", .summary = "every rank has all shares"}};

// One message of the ring: a segment in a round.
struct RingMessage {
  int round;
  std::uint64_t segment;
};

class AllreduceRing {
 public:
  explicit AllreduceRing(const Position& at)
      : at_(at),
        cut_(at.elements, at.ranks),
        segments_(segments_of(cut_.largest(), at.segment)),
        messages_(static_cast<std::uint64_t>(at.ranks - 1) * segments_) {}

  Steps take() {
    if (at_.ranks == 1) schedule_.copy(whole(Where::kInput, at_), whole(Where::kResult, at_));
    reduce_scatter();
    schedule_.begin_phase(1);
    for (std::uint64_t i = 0; i < messages_; ++i) {
      const RingMessage message = message_of(i);
      schedule_.exchange(at_.right(), piece(Where::kResult, at_.left(message.round) + 1, message),
                         at_.left(), piece(Where::kResult, at_.left(message.round), message),
                         wait());
    }
    return schedule_.take();
  }

 private:
  [[nodiscard]] RingMessage message_of(std::uint64_t i) const {
    return {static_cast<int>(i / segments_), i % segments_};
  }
  [[nodiscard]] Piece piece(Where where, int share, const RingMessage& message) const {
    const int number = share % at_.ranks;
    return segment_of(cut_.piece(where, number, number + 1), at_.segment, message.segment);
  }
  // What a message needs came in with the round before: from two segments on one may be under way
  // while the one before is dealt with.
  [[nodiscard]] Wait wait() const { return segments_ > 1 ? Wait::kEarlier : Wait::kAll; }

  // What comes in: the share to the left of the one that goes out.
  [[nodiscard]] Piece coming(const RingMessage& message, Where where) const {
    return piece(where, at_.left(message.round + 1), message);
  }
  // In place the input is where the result will be. Else a share comes in once only, and the input
  // can be added to it there.
  [[nodiscard]] Piece comes_into(const RingMessage& message) const {
    if (!at_.in_place) return coming(message, Where::kResult);
    Piece piece = coming(message, Where::kScratch);
    piece.begin = message.segment * at_.segment;
    return piece;
  }

  void post(std::uint64_t i, Wait wait) {
    const RingMessage message = message_of(i);
    const Where from = message.round == 0 ? Where::kInput : Where::kResult;
    schedule_.exchange(at_.right(), piece(from, at_.left(message.round), message), at_.left(),
                       comes_into(message), wait);
  }
  void reduce(std::uint64_t i) {
    const RingMessage message = message_of(i);
    schedule_.reduce(at_.in_place ? comes_into(message) : coming(message, Where::kInput),
                     coming(message, Where::kResult));
  }

  void reduce_scatter() {
    if (segments_ == 1) {
      for (std::uint64_t i = 0; i < messages_; ++i) {
        post(i, Wait::kAll);
        reduce(i);
      }
      return;
    }
    for (std::uint64_t i = 0; i < messages_; ++i) {
      if (i == 0) post(0, Wait::kNone);
      if (i + 1 < messages_) {
        post(i + 1, Wait::kEarlier);
      } else {
        schedule_.wait_for_all();
      }
      reduce(i);
    }
  }

  const Position& at_;
  Cut cut_;
  std::uint64_t segments_;
  std::uint64_t messages_;  // of a phase
  Schedule schedule_ = {};
};

Steps allreduce_ring_steps(const Position& at) { return AllreduceRing(at).take(); }

}  // namespace

extern constexpr Algorithm kAllreduceRing{
    .name = "allreduce@ring",
    .collective = "allreduce",
    .summary = "allreduce around a ring, in segments",
    .phases = kAllreduceRingPhases,
    .scratch = {.shares = 1},
    .chain = record::Chain::kRing,
    .reorders = true,
    .segments = record::Segments::kOfShare,
    .steps = allreduce_ring_steps,
};

}  // namespace invar::ops
