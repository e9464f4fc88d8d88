#include "ops/p2p/hooks.hpp"

#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ops/call/agree.hpp"
#include "ops/p2p/tags.hpp"
#include "ops/p2p/transfer.hpp"
#include "ops/p2p/untimed.hpp"

namespace invar::ops {
namespace {

using record::QueueKind;

void require_success(const char* what, int code) {
  if (code == MPI_SUCCESS) return;
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {{.place = what, .what = mpi_error_text(what, code)}});
}

// Others take no part in anything any more, and MPI might wait for them.
bool error_unwinds() { return std::uncaught_exceptions() > 0; }

// In the order of posting, in which libraries find them at the head of their queues.
void cancel_all(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) MPI_Cancel(&request);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

MPI_Comm comm_of(QueueKind kind, const Call& call) {
  return kind == QueueKind::kOtherCommunicator ? call.peers->other : call.comm;
}

class AttachedBuffer final : public Hook {
 public:
  explicit AttachedBuffer(const Call& call) : call_(call) {
    require_success("MPI_Buffer_attach", attach_buffer(call));
  }
  ~AttachedBuffer() override {
    if (!error_unwinds()) detach_buffer(call_);
  }
  // MPI_Bsend returns before a long message has gone, and libraries send the rest of it when they
  // are called. A rank that only waits for its next start calls nothing: the receiver would wait
  // for that start, too, or until the rank looks after its library.
  void behind(Call& call, std::uint32_t /*repetition*/) override {
    require_success("MPI_Buffer_detach", empty_buffer(call));
  }

 private:
  const Call& call_;
};

class UnexpectedMessages final : public Hook {
 public:
  UnexpectedMessages(const Call& call, const record::Queue& queue)
      : peers_(*call.peers), comm_(comm_of(queue.kind, call)), count_(queue.count) {
    // What comes behind them is received: by then the library has met all of them, and found
    // nobody who waits for them.
    std::vector<MPI_Request> seen(peers_.from.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      require_success("MPI_Irecv",
                      MPI_Irecv(nullptr, 0, MPI_BYTE, peers_.from[i], kSeenTag, comm_, &seen[i]));
    }
    for (const int to : peers_.to) {
      for (std::uint32_t i = 0; i < count_; ++i) send_empty(to, kUnexpectedTag);
      send_empty(to, kSeenTag);
    }
    require_success("MPI_Waitall",
                    MPI_Waitall(static_cast<int>(seen.size()), seen.data(), MPI_STATUSES_IGNORE));
  }
  ~UnexpectedMessages() override {
    if (error_unwinds()) return;
    for (const int from : peers_.from) {
      for (std::uint32_t i = 0; i < count_; ++i) {
        MPI_Recv(nullptr, 0, MPI_BYTE, from, kUnexpectedTag, comm_, MPI_STATUS_IGNORE);
      }
    }
  }

 private:
  void send_empty(int to, int tag) {
    require_success("MPI_Send", MPI_Send(nullptr, 0, MPI_BYTE, to, tag, comm_));
  }

  const Peers& peers_;
  MPI_Comm comm_;
  std::uint32_t count_;
};

class PendingReceives final : public Hook {
 public:
  PendingReceives(const Call& call, const record::Queue& queue) {
    const MPI_Comm comm = comm_of(queue.kind, call);
    const bool from_anybody = queue.kind == QueueKind::kAnySource;
    const std::size_t senders = from_anybody ? 1 : call.peers->from.size();
    requests_.reserve(senders * queue.count);
    for (std::size_t i = 0; i < senders; ++i) {
      const int source = from_anybody ? MPI_ANY_SOURCE : call.peers->from[i];
      for (std::uint32_t n = 0; n < queue.count; ++n) {
        require_success("MPI_Irecv", MPI_Irecv(nullptr, 0, MPI_BYTE, source, kPendingTag, comm,
                                               &requests_.emplace_back(MPI_REQUEST_NULL)));
      }
    }
  }
  ~PendingReceives() override {
    if (!error_unwinds()) cancel_all(requests_);
  }

 private:
  std::vector<MPI_Request> requests_ = {};
};

class PostedReceives final : public Hook {
 public:
  explicit PostedReceives(Call& call) : call_(call) {}
  ~PostedReceives() override {
    if (!call_.peers->posted || error_unwinds()) return;
    // The last ones were posted for a repetition that there was not.
    const std::size_t count = messages_in(*call_.peers);
    for (std::size_t i = 0; i < count; ++i) MPI_Cancel(&call_.requests[i]);
    wait_for(call_, 0, count);
    call_.peers->posted = false;
  }
  void before(Call& call, std::uint32_t /*repetition*/) override {
    require_success("MPI_Irecv", post_all_receives(call));
    call.peers->posted = true;
  }
  void behind(Call& call, std::uint32_t /*repetition*/) override { call.peers->posted = false; }

 private:
  Call& call_;
};

}  // namespace

std::unique_ptr<Hook> make_attached_buffer(const record::Cell& /*cell*/, Call& call) {
  if (call.levels->mode != record::SendMode::kBuffered) return nullptr;
  return std::make_unique<AttachedBuffer>(call);
}

std::unique_ptr<Hook> make_unexpected(const record::Cell& /*cell*/, Call& call) {
  const record::Queue& queue = call.levels->unexpected;
  if (queue.kind == QueueKind::kNone) return nullptr;
  return std::make_unique<UnexpectedMessages>(call, queue);
}

std::unique_ptr<Hook> make_pending(const record::Cell& /*cell*/, Call& call) {
  const record::Queue& queue = call.levels->pending;
  if (queue.kind == QueueKind::kNone || call.peers->from.empty()) return nullptr;
  return std::make_unique<PendingReceives>(call, queue);
}

std::unique_ptr<Hook> make_posted_receives(const record::Cell& /*cell*/, Call& call) {
  if (!call.levels->posted || call.peers->from.empty()) return nullptr;
  return std::make_unique<PostedReceives>(call);
}

}  // namespace invar::ops
