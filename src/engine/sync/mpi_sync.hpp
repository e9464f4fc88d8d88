// Process synchronisations on MPI: the same interface as RoundTime (sync.hpp). The number of
// repetitions is fixed before the visit, because nothing but the barrier is agreed between them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>

#include "engine/sync/sync.hpp"

namespace invar::engine {

enum class Barrier : std::uint8_t { kNone, kLibrary, kDouble, kDissemination };

// ceil(log2 p) rounds of exchanges with the ranks at distance 2^i (Hensgen, Finkel, Manber 1988):
// after them everybody has heard of everybody. `exchange(to, from)`: one round of this rank.
template <typename Exchange>
void disseminate(MPI_Comm comm, Exchange exchange) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int distance = 1; distance < ranks; distance *= 2) {
    exchange((rank + distance) % ranks, (rank - distance + ranks) % ranks);
  }
}

inline void dissemination_barrier(MPI_Comm comm) {
  constexpr int kTag = 7;
  disseminate(comm, [comm](int to, int from) {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, kTag, nullptr, 0, MPI_BYTE, from, kTag, comm,
                 MPI_STATUS_IGNORE);
  });
}

// Everything reaches everybody, in the rounds of a dissemination barrier; for what may be added
// twice (T::add). Our own, because the library's allreduce may be what is measured.
template <typename T>
class DisseminatedSum {
 public:
  void use(MPI_Comm comm) { comm_ = comm; }

  T operator()(T mine) const {
    constexpr int kTag = 8;
    disseminate(comm_, [&](int to, int from) {
      T other{};
      MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, to, kTag, &other, sizeof other, MPI_BYTE, from,
                   kTag, comm_, MPI_STATUS_IGNORE);
      mine.add(other);
    });
    return mine;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

template <typename Clock, Barrier kKind>
class BarrierSync {
 public:
  BarrierSync(Clock clock, Dither dither) : clock_(clock), dither_(dither) {}

  void use(MPI_Comm comm) { comm_ = comm; }

  // `warm_up`: the same on all ranks.
  void begin(const VisitStart& start) {
    dither_.set_amplitude(start.dither_ticks);
    warm_up_ = start.warm_up;
    left_ = start.repetitions + start.warm_up;
  }

  bool wait(std::uint16_t& /*flags*/) {
    if (left_ == 0) return false;
    --left_;
    dither_.wait(clock_);
    if constexpr (kKind == Barrier::kLibrary || kKind == Barrier::kDouble) MPI_Barrier(comm_);
    if constexpr (kKind == Barrier::kDouble) MPI_Barrier(comm_);
    if constexpr (kKind == Barrier::kDissemination) dissemination_barrier(comm_);
    return true;
  }

  // Nothing is agreed between barriers: the visit goes on to its end.
  void note_error() {}

  [[nodiscard]] std::uint32_t warm_up() const { return warm_up_; }

 private:
  // Carries the barriers only: their traffic never meets that of the operation.
  MPI_Comm comm_ = MPI_COMM_NULL;
  Clock clock_;
  Dither dither_;
  std::uint32_t warm_up_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace invar::engine
