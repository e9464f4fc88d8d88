// What a call needs before its buffers are known, kept for the next one of its kind: arrays of
// counts, steps of algorithms, datatypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/operation.hpp"
#include "shim/call/datatype.hpp"
#include "shim/library/library.hpp"

namespace invar::shim {

// How a rank calls an operation. Ranks may differ in it (only the root knows that it is in place):
// by what one of them finds or has dropped here, nothing is decided that others take part in.
struct CallKind {
  const ops::Operation* operation = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;  // elements of a block; all blocks together fit an int
  int root = 0;
  std::uint64_t segment_elements = 0;
  bool in_place = false;
  bool commutes = true;

  bool operator==(const CallKind&) const = default;
};

class Setup {
 public:
  // Local. `own`: the communicator that is called on.
  Setup(const CallKind& kind, const Datatype& type, MPI_Comm own, int rank, int ranks);
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  ~Setup() = default;

  // What the operation needs besides. Collective, if it goes by hosts and is the first on its
  // communicator that does. Why it cannot be called, the same on all ranks; empty: it can.
  std::string equip();

  [[nodiscard]] const CallKind& kind() const { return kind_; }
  // Lacks the buffers and the operator.
  [[nodiscard]] ops::Call& call() { return call_; }
  [[nodiscard]] const std::shared_ptr<ops::Equipment>& equipment() const { return equipment_; }
  // Messages that an algorithm may have: what it holds grows with them.
  [[nodiscard]] std::uint64_t weight() const;

 private:
  CallKind kind_;
  ops::ElementType element_;
  ops::Reduction reduction_;
  ops::Call call_ = {};
  std::vector<int> counts_ = {};
  std::vector<int> displacements_ = {};
  std::shared_ptr<ops::Equipment> equipment_ = {};
};

// Those of a communicator. What was not used for longest makes way.
class Setups {
 public:
  static constexpr std::size_t kMost = 32;
  static constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 16U;

  // Null: it must be made.
  Setup* find(const CallKind& kind);
  Setup& keep(std::unique_ptr<Setup> setup);

  // The communicators of operations that go by hosts live as long as the program's communicator,
  // whatever setups come and go: they are made once, by all ranks, and found from then on.
  void hold_hosts_of(const Setup& setup);

  // Collective, if operations went by hosts; before the communicator that they call on goes.
  void clear();

  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  std::list<std::unique_ptr<Setup>> kept_ = {};  // the one that was used last comes first
  std::uint64_t weight_ = 0;
  std::vector<std::pair<const ops::Operation*, std::shared_ptr<ops::Equipment>>> hosts_ = {};
};

}  // namespace invar::shim
