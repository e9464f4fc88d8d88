// What a synchronisation algorithm knows of the machine. An algorithm is ONE program that every
// rank executes from begin to end; a link says which ranks live in this process. Under MPI that is
// one: it finds its partners of a round by itself, keeps the state of one rank, and skips what
// concerns others. A simulated link holds all ranks and executes all pairs. So the code of an
// algorithm is the same, and it is readable as the paper has it: pair by pair.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "clock/pair.hpp"

namespace invar::clock {

// The client initiates ping-pongs and learns how its clock differs from the reference's.
struct Pair {
  int reference = 0;
  int client = 0;
};

// When a series of ping-pongs ends. The client decides and tells by a flag in its message.
struct Policy {
  int count = 20;             // at most
  int stop_after_worse = 0;   // Netgauge: after so many successive round trips that were not better
  int least = 0;              // SKaMPI: after so many, and ...
  double good_enough_ps = 0;  // ... one round trip below this. 0: never. Only the client knows it

  // Known to both: then the client says when it is over, whether that was early or not.
  [[nodiscard]] bool may_stop() const {
    return stop_after_worse > 0 || least > 0 || good_enough_ps > 0;
  }
};

enum class Reduction { kSum, kMax };

class Link {
 public:
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  [[nodiscard]] virtual int ranks() const = 0;
  // Ranks of this process: first() <= rank < last(). MPI: one.
  [[nodiscard]] virtual int first() const = 0;
  [[nodiscard]] virtual int last() const = 0;
  [[nodiscard]] bool holds(int rank) const { return rank >= first() && rank < last(); }

  // The clock of a rank of this process.
  [[nodiscard]] virtual std::int64_t now_ps(int rank) = 0;
  // Returns at once if that time has passed.
  virtual void wait_until(int rank, std::int64_t local_ps) = 0;

  // Both ranks of the pair call it. `series` is filled where the client is, else left empty.
  virtual void exchange(const Pair& pair, const Policy& policy, std::vector<PingPong>& series) = 0;
  // size bytes from one rank to another; both call it, others must not. `out` is written only where
  // `to` is, `in` read only where `from` is. Small: may be sent eagerly.
  virtual void send(int from, int to, const void* in, void* out, std::size_t size) = 0;
  // `values`: `width` doubles for every rank of this process; afterwards all hold the result, bit
  // by bit the same everywhere.
  virtual void reduce(Reduction reduction, std::vector<double>& values, std::size_t width) = 0;
  // From root to all: `size` bytes at `data`, which all ranks of this process share; read only
  // where the root is.
  virtual void broadcast(int root, void* data, std::size_t size) = 0;
  virtual void barrier() = 0;

  // One leader of every clock domain, as a link of its own; none: every rank is a domain. A process
  // that holds no leader gets a link that holds no rank. It does not outlive this one. Collective.
  [[nodiscard]] virtual std::unique_ptr<Link> leaders() { return nullptr; }
  // What the leader of the domain has (a trivially copyable thing, `size` bytes a rank of this
  // process; `from_leaders`: those of the ranks of leaders() in this process) to all its ranks.
  virtual void spread(const void* from_leaders, void* data, std::size_t size) {
    (void)from_leaders, (void)data, (void)size;
  }
};

// State of the ranks of this process, indexed by rank.
template <typename T>
class PerRank {
 public:
  explicit PerRank(const Link& link) : first_(link.first()), items_(count(link)) {}
  T& operator[](int rank) { return items_[static_cast<std::size_t>(rank - first_)]; }
  const T& operator[](int rank) const { return items_[static_cast<std::size_t>(rank - first_)]; }
  T* data() { return items_.data(); }
  [[nodiscard]] const T* data() const { return items_.data(); }

 private:
  static std::size_t count(const Link& link) {
    return static_cast<std::size_t>(link.last() - link.first());
  }
  int first_;
  std::vector<T> items_;
};

// Calls body for every pair of a round that concerns this process. role(rank): the rank's pair, or
// nothing; a pure function that agrees for both ranks.
template <typename Role, typename Body>
void for_each_pair(Link& link, Role role, Body body) {
  for (int rank = link.first(); rank < link.last(); ++rank) {
    const std::optional<Pair> pair = role(rank);
    if (pair && (pair->client == rank || !link.holds(pair->client))) body(*pair);
  }
}

// Rank 0 with each of the others, one after the other.
template <typename Body>
void for_each_client(Link& link, Body body) {
  if (link.holds(0)) {
    for (int rank = 1; rank < link.ranks(); ++rank) body(Pair{0, rank});
  } else {
    for (int rank = link.first(); rank < link.last(); ++rank) body(Pair{0, rank});
  }
}

// A value from one rank to another; returned where `to` is, a default one elsewhere.
template <typename T>
T send(Link& link, int from, int to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  T received{};
  link.send(from, to, &value, &received, sizeof(T));
  return received;
}

// The largest of one value a rank.
inline double largest(Link& link, const PerRank<double>& values) {
  std::vector<double> all(values.data(), values.data() + (link.last() - link.first()));
  link.reduce(Reduction::kMax, all, 1);
  return all[0];
}

}  // namespace invar::clock
