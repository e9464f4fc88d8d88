// What the operations between two ranks cost beyond the same loops written by hand, in one process
// and in turns: a ping-pong, and a stream of 64 messages of 8 bytes. For two ranks on cores of
// their own.
//
// Rank 0 prints one line a block: name, mean of a call by the operation and by hand, in ticks; then
// the clock's rate.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "clock/calibration.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"

namespace invar::ops {
namespace {

constexpr int kBlocks = 200;
constexpr int kWindow = 64;
constexpr int kTag = 1;
constexpr int kAcknowledged = 2;

// What a program would write: nothing but the calls.

int ping_pong_by_hand(Call& c) {
  const int other = 1 - c.rank;
  if (c.rank == 0) {
    const int error = MPI_Send(c.send, c.count, MPI_BYTE, other, kTag, c.comm);
    if (error != MPI_SUCCESS) return error;
    return MPI_Recv(c.recv, c.count, MPI_BYTE, other, kTag, c.comm, MPI_STATUS_IGNORE);
  }
  const int error = MPI_Recv(c.recv, c.count, MPI_BYTE, other, kTag, c.comm, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return error;
  return MPI_Send(c.send, c.count, MPI_BYTE, other, kTag, c.comm);
}

int stream_by_hand(Call& c) {
  static std::array<MPI_Request, kWindow> requests;
  const int other = 1 - c.rank;
  for (int i = 0; i < kWindow; ++i) {
    const std::ptrdiff_t at = std::ptrdiff_t{i} * c.count;
    const auto number = static_cast<std::size_t>(i);
    const int error =
        c.rank == 0
            ? MPI_Isend(c.send + at, c.count, MPI_BYTE, other, kTag, c.comm, &requests[number])
            : MPI_Irecv(c.recv + at, c.count, MPI_BYTE, other, kTag, c.comm, &requests[number]);
    if (error != MPI_SUCCESS) return error;
  }
  const int error = MPI_Waitall(kWindow, requests.data(), MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS) return error;
  if (c.rank == 0) {
    return MPI_Recv(nullptr, 0, MPI_BYTE, other, kAcknowledged, c.comm, MPI_STATUS_IGNORE);
  }
  return MPI_Send(nullptr, 0, MPI_BYTE, other, kAcknowledged, c.comm);
}

struct Subject {
  const char* operation;
  const char* form;
  std::uint32_t window;
  std::uint64_t size_bytes;
  int calls;  // in a block
  int (*by_hand)(Call&);
};

constexpr Subject kSubjects[] = {
    {"pingpong", "blocking", 1, 8, 2000, ping_pong_by_hand},
    {"pingpong", "blocking", 1, 1024, 2000, ping_pong_by_hand},
    {"stream", "non-blocking", kWindow, 8, 200, stream_by_hand},
};

double mean_ticks(int (*function)(Call&), Call& call, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t begin = clock::TscClock::now();
  for (int i = 0; i < calls; ++i) function(call);
  return static_cast<double>(clock::TscClock::now() - begin) / calls;
}

bool compare(const Subject& subject, int rank) {
  record::Cell cell{.operation = subject.operation, .size_bytes = subject.size_bytes};
  cell.form = subject.form;
  cell.window = subject.window;
  const Operation operation = operation_for(*find_operation(cell.operation), cell);
  CallSetup setup(cell, operation, MPI_COMM_WORLD);
  if (!setup.errors().empty()) {
    std::fprintf(stderr, "p2p: %s\n", setup.errors().front().c_str());
    return false;
  }
  const BufferNeed need = setup.need();
  const Arena arena(std::span(&need, 1));
  base::Random random(1);
  setup.place(arena.place(random, need));
  // Through pointers that the compiler cannot follow, as an engine calls operations.
  int (*volatile by_operation)(Call&) = operation.call;
  int (*volatile by_hand)(Call&) = subject.by_hand;
  mean_ticks(by_operation, setup.call(), subject.calls);
  mean_ticks(by_hand, setup.call(), subject.calls);
  for (int block = 0; block < kBlocks; ++block) {
    double operation_ticks = 0;
    double hand_ticks = 0;
    for (int half = 0; half < 2; ++half) {
      // ABBA, so that a slow drift is in both.
      if ((block + half) % 2 == 0) {
        operation_ticks = mean_ticks(by_operation, setup.call(), subject.calls);
      } else {
        hand_ticks = mean_ticks(by_hand, setup.call(), subject.calls);
      }
    }
    if (rank != 0) continue;
    std::printf("%s,%llu %.4f %.4f\n", subject.operation,
                static_cast<unsigned long long>(subject.size_bytes), operation_ticks, hand_ticks);
  }
  return true;
}

}  // namespace
}  // namespace invar::ops

int main(int argc, char** argv) {
  namespace clock = invar::clock;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    std::fprintf(stderr, "p2p: for two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const clock::Bracket first = clock::bracketed_read(clock::TscClock{});
  bool done = true;
  for (const invar::ops::Subject& subject : invar::ops::kSubjects) {
    done = invar::ops::compare(subject, rank) && done;
  }
  const clock::Rate rate = clock::rate_between(first, clock::bracketed_read(clock::TscClock{}));
  if (rank == 0) std::printf("rate,0 %.0f 0\n", rate.ticks_per_s);
  MPI_Finalize();
  return done ? 0 : 1;
}
