#include "engine/clocks/mpi_link.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace invar::engine {
namespace {

constexpr int kPingTag = 21;
constexpr int kSendTag = 22;

int count_of(std::size_t size) { return static_cast<int>(size); }

}  // namespace

DomainComms DomainComms::split(MPI_Comm comm, int domain) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  DomainComms comms;
  MPI_Comm_split(comm, domain, rank, &comms.domain);
  int in_domain = 0;
  MPI_Comm_rank(comms.domain, &in_domain);
  MPI_Comm_split(comm, in_domain == 0 ? 0 : MPI_UNDEFINED, rank, &comms.leaders);
  return comms;
}

void DomainComms::free() {
  for (MPI_Comm* comm : {&domain, &leaders}) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  }
}

MpiLink::MpiLink(MPI_Comm comm, const LinkClock& clock, std::int64_t latency_ps)
    : comm_(comm), clock_(clock), latency_ps_(latency_ps) {
  if (comm == MPI_COMM_NULL) {
    ranks_ = 0;
    return;
  }
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
}

std::int64_t MpiLink::now_ps(int /*rank*/) { return clock_.now_ps(); }

void MpiLink::wait_until(int /*rank*/, std::int64_t local_ps) {
  while (clock_.now_ps() < local_ps) clock::pause();
}

void MpiLink::post(Message message, int to) const {
  message.sent_real_ps = latency_ps_ > 0 ? clock_.real_ps() : 0;
  MPI_Send(&message, sizeof message, MPI_BYTE, to, kPingTag, comm_);
}

MpiLink::Message MpiLink::take(int from) const {
  Message message;
  MPI_Recv(&message, sizeof message, MPI_BYTE, from, kPingTag, comm_, MPI_STATUS_IGNORE);
  if (latency_ps_ > 0) {
    while (clock_.real_ps() < message.sent_real_ps + latency_ps_) {
    }
  }
  return message;
}

void MpiLink::exchange(const clock::Pair& pair, const clock::Policy& policy,
                       std::vector<clock::PingPong>& series) {
  series.clear();
  // Only a policy that may end early needs a message that says so.
  const bool may_stop = policy.may_stop();
  if (rank_ == pair.reference) {
    for (int i = 0; i < policy.count; ++i) {
      const Message asked = take(pair.client);
      Message answer;
      answer.receive_ps = clock_.now_ps();
      if (asked.more == 0) return;
      answer.send_ps = clock_.now_ps();
      post(answer, pair.client);
    }
    if (may_stop) static_cast<void>(take(pair.client));
    return;
  }
  std::int64_t best_ps = std::numeric_limits<std::int64_t>::max();
  int worse = 0;
  for (int i = 0; i < policy.count; ++i) {
    clock::PingPong one;
    one.local_send_ps = clock_.now_ps();
    post({}, pair.reference);
    const Message answer = take(pair.reference);
    one.local_receive_ps = clock_.now_ps();
    one.remote_receive_ps = answer.receive_ps;
    one.remote_send_ps = answer.send_ps;
    series.push_back(one);
    if (!may_stop) continue;
    worse = one.round_trip_ps() < best_ps ? 0 : worse + 1;
    best_ps = std::min(best_ps, one.round_trip_ps());
    const bool no_better = policy.stop_after_worse > 0 && worse >= policy.stop_after_worse;
    const bool good = policy.good_enough_ps > 0 && i + 1 >= policy.least &&
                      static_cast<double>(one.round_trip_ps()) < policy.good_enough_ps;
    if (no_better || good) break;
  }
  if (may_stop) post({.more = 0}, pair.reference);
}

void MpiLink::send(int from, int to, const void* in, void* out, std::size_t size) {
  if (rank_ == from && from == to) {
    std::copy_n(static_cast<const char*>(in), size, static_cast<char*>(out));
  } else if (rank_ == from) {
    MPI_Send(in, count_of(size), MPI_BYTE, to, kSendTag, comm_);
  } else if (rank_ == to) {
    MPI_Recv(out, count_of(size), MPI_BYTE, from, kSendTag, comm_, MPI_STATUS_IGNORE);
  }
}

void MpiLink::reduce(clock::Reduction reduction, std::vector<double>& values,
                     std::size_t /*width*/) {
  // In two steps: an allreduce may give ranks results that differ in the last bit.
  std::vector<double> all(values.size());
  const MPI_Op operation = reduction == clock::Reduction::kSum ? MPI_SUM : MPI_MAX;
  MPI_Reduce(values.data(), all.data(), count_of(values.size()), MPI_DOUBLE, operation, 0, comm_);
  MPI_Bcast(all.data(), count_of(all.size()), MPI_DOUBLE, 0, comm_);
  values = std::move(all);
}

void MpiLink::broadcast(int root, void* data, std::size_t size) {
  MPI_Bcast(data, count_of(size), MPI_BYTE, root, comm_);
}

void MpiLink::barrier() { MPI_Barrier(comm_); }

std::unique_ptr<clock::Link> MpiLink::leaders() {
  if (domains_.domain == MPI_COMM_NULL) return nullptr;
  return std::make_unique<MpiLink>(domains_.leaders, clock_, latency_ps_);
}

void MpiLink::spread(const void* from_leaders, void* data, std::size_t size) {
  // A process holds one rank: its leader, or none.
  if (domains_.leaders != MPI_COMM_NULL) {
    std::copy_n(static_cast<const char*>(from_leaders), size, static_cast<char*>(data));
  }
  MPI_Bcast(data, count_of(size), MPI_BYTE, 0, domains_.domain);
}

}  // namespace invar::engine
