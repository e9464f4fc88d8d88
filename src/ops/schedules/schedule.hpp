// What one rank does in an algorithm of a collective, step by step. There is no MPI here: an
// algorithm is a pure function of a rank's position, ops/call/executor.hpp runs what it returns,
// and tests/ops/schedules plays all ranks of it against each other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "record/operation/buffer_table.hpp"
#include "record/operation/cell_limits.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::ops {

// Whose steps are asked for.
struct Position {
  int ranks = 1;
  int rank = 0;
  int root = 0;                // 0 where the collective has none
  std::uint64_t elements = 0;  // of a block: what the cell's size describes
  std::uint64_t segment = 0;   // elements of a message at most; 0: no limit
  bool in_place = false;       // this rank says MPI_IN_PLACE

  // Counted from the root on, which is 0; and back.
  [[nodiscard]] int relative() const { return (rank - root + ranks) % ranks; }
  [[nodiscard]] int absolute(int relative_rank) const { return (relative_rank + root) % ranks; }
  // Around the ring: the rank so many places to the right (0 to ranks), or to the left.
  [[nodiscard]] int right(int places = 1) const { return (rank + places) % ranks; }
  [[nodiscard]] int left(int places = 1) const { return (rank + ranks - places) % ranks; }
};

// What the memory of a step is for.
enum class Where : std::uint8_t {
  kInput,    // what the rank brings along; only read
  kResult,   // as MPI_IN_PLACE has it, it may be the input as well
  kScratch,  // Algorithm::scratch of it
};

struct Piece {
  Where where = Where::kResult;
  std::uint64_t begin = 0;  // elements
  std::uint64_t elements = 0;
};

constexpr int kNobody = -1;

// How long a step waits once its own messages are on their way.
enum class Wait : std::uint8_t {
  kAll,      // until no message is under way any more
  kEarlier,  // until those of the steps before it have arrived; its own ones go on
  kNone,
};

// What it does locally after that.
enum class Then : std::uint8_t {
  kNothingMore,
  kReduce,  // into = operand op into
  kCopy,    // into = operand
};

// A receive is posted, then a send, then both may be waited for, then something is done locally.
struct Step {
  int to = kNobody;
  Piece sent = {};
  int from = kNobody;
  Piece received = {};
  Wait wait = Wait::kAll;
  Then then = Then::kNothingMore;
  Piece operand = {};
  Piece into = {};
  std::uint8_t phase = 0;  // number in Algorithm::phases; never falls
};

using Steps = std::vector<Step>;

// A part of the algorithm that can be told from the others by the clock.
struct Phase {
  const char* name;
  const char* summary;
};

struct Algorithm {
  const char* name;        // "allreduce@ring"
  const char* collective;  // "allreduce": the operation whose buffers and result it has
  const char* summary;     // one line
  // In the order in which every rank goes through them. One that has none, does all in one.
  std::span<const Phase> phases = {};
  record::Blocks scratch = {};  // on every rank
  record::Chain chain = record::Chain::kTree;
  record::RankCounts rank_counts = record::RankCounts::kAny;
  // It combines operands in another order than that of the ranks.
  bool reorders = false;
  record::Segments segments = record::Segments::kNone;  // Position::segment is obeyed
  // bcast's: input and result are one vector, which the root has in its send buffer.
  bool one_vector = false;
  bool in_place = true;  // where the collective has such a form
  Steps (*steps)(const Position&) = nullptr;
};

// Steps in the making.
class Schedule {
 public:
  // All further steps belong to that phase.
  void begin_phase(std::uint8_t number) { phase_ = number; }

  // Waits for both messages, and for all that were under way.
  void exchange(int to, const Piece& sent, int from, const Piece& received, Wait wait = Wait::kAll);
  void send(int to, const Piece& sent, Wait wait = Wait::kAll) {
    exchange(to, sent, kNobody, {}, wait);
  }
  void receive(int from, const Piece& received, Wait wait = Wait::kAll) {
    exchange(kNobody, {}, from, received, wait);
  }
  void wait_for_all() { exchange(kNobody, {}, kNobody, {}); }

  // into = operand op into, once the step before has waited.
  void reduce(const Piece& operand, const Piece& into) { act(Then::kReduce, operand, into); }
  void copy(const Piece& from, const Piece& to) { act(Then::kCopy, from, to); }

  // The last step waits for what is still under way.
  [[nodiscard]] Steps take() {
    if (under_way_) steps_.back().wait = Wait::kAll;
    return std::move(steps_);
  }

 private:
  void act(Then then, const Piece& operand, const Piece& into);

  Steps steps_ = {};
  std::uint8_t phase_ = 0;
  bool under_way_ = false;
};

}  // namespace invar::ops
