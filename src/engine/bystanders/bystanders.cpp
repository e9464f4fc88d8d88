#include "engine/bystanders/bystanders.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <vector>

#include "engine/launch/arm_barrier.hpp"
#include "ops/overlap/kernels.hpp"

namespace invar::engine {
namespace {

// On Team::others_comm(), where the barrier has a tag of its own.
constexpr int kNeverSentTag = 21;
constexpr int kTrafficTag = 22;
constexpr int kLastTrafficTag = 23;

// Whether the visit is over is asked for so seldom that it does not matter what asking costs, and
// so often that a member never waits for it: some microseconds, and some tens of them.
constexpr int kTestsALook = 64;
constexpr std::uint64_t kChainSteps = 20'000;

void give_core_up(const StandingBy& by) {
  if (by.yields) sched_yield();
}

// A receive that must not outlive its buffer. Cancelled in the end if nothing came, and waited for;
// not while an error unwinds, because whoever would send may be gone.
class PostedReceive {
 public:
  PostedReceive(std::byte* to, int bytes, int from, int tag, MPI_Comm comm) {
    MPI_Irecv(to, bytes, MPI_BYTE, from, tag, comm, &request_);
  }
  PostedReceive(const PostedReceive&) = delete;
  PostedReceive& operator=(const PostedReceive&) = delete;
  ~PostedReceive() {
    if (request_ == MPI_REQUEST_NULL) return;
    MPI_Cancel(&request_);
    if (std::uncaught_exceptions() > 0) {
      MPI_Request_free(&request_);
    } else {
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
  }

  // Whether it is there; `tag`: of what came.
  bool test(int& tag) {
    if (request_ == MPI_REQUEST_NULL) return true;
    int done = 0;
    MPI_Status status;
    MPI_Test(&request_, &done, &status);
    if (done != 0) tag = status.MPI_TAG;
    return done != 0;
  }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void begin_with_members(const StandingBy& by) { arm_barrier(by.comm, by.calls_behind_barrier); }

// As in MPI_Recv of a message that does not come. One that could not be left would need a message
// of somebody who measures.
void receive_meanwhile(const StandingBy& by) {
  PostedReceive receive(nullptr, 0, MPI_ANY_SOURCE, kNeverSentTag, by.comm);
  begin_with_members(by);
  int tag = 0;
  while (!by.over()) {
    for (int i = 0; i < kTestsALook; ++i) receive.test(tag);
    give_core_up(by);
  }
}

void compute_meanwhile(const StandingBy& by) {
  begin_with_members(by);
  while (!by.over()) {
    ops::run_chain(kChainSteps);
    give_core_up(by);
  }
}

// One exchange of messages; the tag of what came.
int exchange_once(const StandingBy& by, std::vector<std::byte>& out, std::vector<std::byte>& in,
                  int tag) {
  const int bytes = static_cast<int>(out.size());
  PostedReceive receive(in.data(), bytes, *by.partner, MPI_ANY_TAG, by.comm);
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), bytes, MPI_BYTE, *by.partner, tag, by.comm, &sent);
  int come = 0;
  for (int tests = 1;; ++tests) {
    const bool received = receive.test(come);
    int gone = 0;
    MPI_Test(&sent, &gone, MPI_STATUS_IGNORE);
    if (received && gone != 0) return come;
    if (tests % kTestsALook != 0) continue;
    // Not to end here, where the partner waits for this exchange: it looks after the group.
    by.over();
    give_core_up(by);
  }
}

// The lower rank of a pair says in its message that it is the last one, so that both stop behind
// the same exchange. That is a tag: messages may have no byte.
void exchange_meanwhile(const StandingBy& by) {
  const std::size_t bytes = std::min(by.size_bytes, kMostTrafficBytes);
  // Touched before the members begin.
  std::vector<std::byte> out(bytes, std::byte{1});
  std::vector<std::byte> in(bytes, std::byte{2});
  begin_with_members(by);
  if (!by.partner) return;
  int rank = 0;
  MPI_Comm_rank(by.comm, &rank);
  const bool decides = rank < *by.partner;
  for (bool last = false; !last;) {
    // Asked by both: who does not decide may be the one that others get the word from.
    const bool over = by.over();
    last = decides && over;
    const int come = exchange_once(by, out, in, last ? kLastTrafficTag : kTrafficTag);
    if (!decides) last = come == kLastTrafficTag;
  }
}

}  // namespace

void stand_by_doing(const StandingBy& what) {
  switch (what.others) {
    case record::Others::kReceiving:
      return receive_meanwhile(what);
    case record::Others::kComputing:
      return compute_meanwhile(what);
    case record::Others::kTraffic:
      return exchange_meanwhile(what);
    case record::Others::kAsleep:
      break;
  }
}

}  // namespace invar::engine
