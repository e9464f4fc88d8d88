// What the executor of reference algorithms costs beyond the same loops written by hand. The MPI
// calls of both are stubs that do nothing: what a library takes would hide what stands between its
// calls, and so one process can be a rank of many.
//
// Prints one line a block: algorithm, steps of a call, mean of a call by the executor and by hand,
// in ticks; then the clock's rate. Fails if both do not make the same MPI calls.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "clock/calibration.hpp"
#include "ops/call/executor.hpp"
#include "ops/catalogue.hpp"
#include "ops/virtual_ranks.hpp"

// As if they stood in a library: compiled without a look at who calls them, and the other way
// round.
#if __has_cpp_attribute(gnu::noipa)
#define INVAR_STUB [[gnu::noipa]]
#else
#define INVAR_STUB [[gnu::noinline]]
#endif

namespace {

enum MpiCall : std::intptr_t { kIsend, kIrecv, kWait, kWaitall, kReduceLocal };

// What the calls were told, one number behind the other; null while anything is timed.
std::vector<std::intptr_t>* told = nullptr;
volatile int outcome = MPI_SUCCESS;

std::intptr_t address(const void* data) { return reinterpret_cast<std::intptr_t>(data); }

template <typename... Arguments>
int answer(MpiCall call, Arguments... arguments) {
  if (told != nullptr) {
    told->push_back(call);
    (told->push_back(static_cast<std::intptr_t>(arguments)), ...);
  }
  return outcome;
}

}  // namespace

extern "C" {

INVAR_STUB int MPI_Isend(const void* data, int count, MPI_Datatype /*type*/, int to, int tag,
                         MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return answer(kIsend, address(data), count, to, tag);
}

INVAR_STUB int MPI_Irecv(void* data, int count, MPI_Datatype /*type*/, int from, int tag,
                         MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return answer(kIrecv, address(data), count, from, tag);
}

INVAR_STUB int MPI_Wait(MPI_Request* /*request*/, MPI_Status* /*status*/) { return answer(kWait); }

INVAR_STUB int MPI_Waitall(int count, MPI_Request* /*requests*/, MPI_Status* /*statuses*/) {
  return answer(kWaitall, count);
}

INVAR_STUB int MPI_Reduce_local(const void* operand, void* into, int count, MPI_Datatype /*type*/,
                                MPI_Op /*op*/) {
  return answer(kReduceLocal, address(operand), address(into), count);
}

}  // extern "C"

namespace invar::ops {

extern const Algorithm kAllgatherRing;
extern const Algorithm kAllreduceRecursiveDoubling;
extern const Algorithm kBcastChain;

namespace {

constexpr int kTag = 1;
constexpr int kCalls = 1000;
constexpr int kBlocks = 200;

int exchange(const Call& c, int to, const std::byte* sent, int from, std::byte* received,
             MPI_Request* requests) {
  int error = MPI_Irecv(received, c.count, c.type, from, kTag, c.comm, &requests[0]);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Isend(sent, c.count, c.type, to, kTag, c.comm, &requests[1]);
  if (error != MPI_SUCCESS) return error;
  return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int ring_by_hand(Call& c) {
  MPI_Request requests[2];
  const std::size_t block_bytes = c.block_bytes;
  const auto block = [&](int rank) {
    return c.recv + static_cast<std::size_t>(rank) * block_bytes;
  };
  const int left = c.rank == 0 ? c.ranks - 1 : c.rank - 1;
  const int right = c.rank + 1 == c.ranks ? 0 : c.rank + 1;
  std::memcpy(block(c.rank), c.send, block_bytes);
  int sent = c.rank;
  for (int round = 1; round < c.ranks; ++round) {
    const int coming = sent == 0 ? c.ranks - 1 : sent - 1;
    const int error = exchange(c, right, block(sent), left, block(coming), requests);
    if (error != MPI_SUCCESS) return error;
    sent = coming;
  }
  return MPI_SUCCESS;
}

// For a power of two of ranks.
int doubling_by_hand(Call& c) {
  MPI_Request requests[2];
  std::byte* partial = c.recv;
  std::byte* coming = c.scratch;
  for (int bit = 1; bit < c.ranks; bit *= 2) {
    if ((c.rank & bit) == 0) std::swap(partial, coming);
  }
  std::memcpy(partial, c.send, c.block_bytes);
  for (int bit = 1; bit < c.ranks; bit *= 2) {
    const int partner = c.rank ^ bit;
    int error = exchange(c, partner, partial, partner, coming, requests);
    if (error != MPI_SUCCESS) return error;
    if ((c.rank & bit) != 0) {
      error = MPI_Reduce_local(coming, partial, c.count, c.type, c.reduction);
    } else {
      error = MPI_Reduce_local(partial, coming, c.count, c.type, c.reduction);
      std::swap(partial, coming);
    }
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// What a rank between the first and the last one does, in whole segments.
int chain_by_hand(Call& c) {
  // A segment that comes in, and the one before it that goes out; those of the next one.
  MPI_Request requests[2][2];
  const int segment = static_cast<int>(c.segment_elements);
  const int segments = c.count / segment;
  const std::size_t segment_bytes = c.segment_elements * c.element->extent_bytes;
  const auto at = [&](int number) {
    return c.recv + static_cast<std::size_t>(number) * segment_bytes;
  };
  int error = MPI_Irecv(at(0), segment, c.type, c.rank - 1, kTag, c.comm, &requests[0][0]);
  if (error != MPI_SUCCESS) return error;
  for (int number = 0; number < segments; ++number) {
    MPI_Request* const now = requests[number % 2];
    MPI_Request* const next = requests[1 - number % 2];
    const bool last = number + 1 == segments;
    if (!last) {
      error = MPI_Irecv(at(number + 1), segment, c.type, c.rank - 1, kTag, c.comm, &next[0]);
      if (error != MPI_SUCCESS) return error;
    }
    error = number == 0 ? MPI_Wait(&now[0], MPI_STATUS_IGNORE)
                        : MPI_Waitall(2, now, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS) return error;
    error = MPI_Isend(at(number), segment, c.type, c.rank + 1, kTag, c.comm, &next[last ? 0 : 1]);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_Wait(&requests[segments % 2][0], MPI_STATUS_IGNORE);
}

struct Subject {
  const Algorithm& algorithm;
  int ranks;
  int rank;
  int count;
  std::uint64_t segment_elements;
  int (*by_hand)(Call&);
};

// Short messages, whose copies take no time beside the steps.
const Subject kSubjects[] = {
    {kAllgatherRing, 16, 5, 8, 0, ring_by_hand},
    {kAllreduceRecursiveDoubling, 64, 5, 2, 0, doubling_by_hand},
    {kBcastChain, 4, 1, 512, 8, chain_by_hand},
};

std::vector<std::intptr_t> calls_of(int (*function)(Call&), Call& call) {
  std::vector<std::intptr_t> calls;
  told = &calls;
  function(call);
  told = nullptr;
  return calls;
}

// Ticks of a call.
double mean_ticks(int (*function)(Call&), Call& call) {
  const std::int64_t begin = clock::TscClock::now();
  for (int i = 0; i < kCalls; ++i) function(call);
  return static_cast<double>(clock::TscClock::now() - begin) / kCalls;
}

bool compare(const Subject& subject) {
  const Operation& operation = *find_operation(subject.algorithm.name);
  const test::VirtualRanks ranks(operation, subject.ranks, subject.count, 0);
  Call call = ranks.call(static_cast<std::size_t>(subject.rank));
  call.marked = false;
  call.segment_elements = subject.segment_elements;
  const Equipped equipped = operation.equip(call);
  call.equipment = equipped.made.get();
  // Through pointers that the compiler cannot follow, as an engine calls operations.
  int (*volatile by_executor)(Call&) = operation.call;
  int (*volatile by_hand)(Call&) = subject.by_hand;
  if (call.equipment == nullptr || calls_of(by_executor, call) != calls_of(by_hand, call)) {
    std::fprintf(stderr, "executor: %s: the loop written by hand does not make the same calls\n",
                 subject.algorithm.name);
    return false;
  }
  const std::size_t steps = subject.algorithm
                                .steps({.ranks = call.ranks,
                                        .rank = call.rank,
                                        .root = call.root,
                                        .elements = static_cast<std::uint64_t>(call.large_count),
                                        .segment = call.segment_elements})
                                .size();
  mean_ticks(by_executor, call);
  mean_ticks(by_hand, call);
  for (int block = 0; block < kBlocks; ++block) {
    double executor_ticks = 0;
    double hand_ticks = 0;
    for (int half = 0; half < 2; ++half) {
      // ABBA, so that a slow drift is in both.
      if ((block + half) % 2 == 0) {
        executor_ticks = mean_ticks(by_executor, call);
      } else {
        hand_ticks = mean_ticks(by_hand, call);
      }
    }
    std::printf("%s %zu %.4f %.4f\n", subject.algorithm.name, steps, executor_ticks, hand_ticks);
  }
  return true;
}

}  // namespace
}  // namespace invar::ops

int main() {
  namespace clock = invar::clock;
  const clock::Bracket first = clock::bracketed_read(clock::TscClock{});
  for (const invar::ops::Subject& subject : invar::ops::kSubjects) {
    if (!compare(subject)) return 1;
  }
  const clock::Rate rate = clock::rate_between(first, clock::bracketed_read(clock::TscClock{}));
  std::printf("rate %.0f\n", rate.ticks_per_s);
  return 0;
}
