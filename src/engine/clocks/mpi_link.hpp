// The synchronisation algorithms over MPI: every process is one rank of the link.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "clock/link.hpp"
#include "engine/clocks/link_clock.hpp"

namespace invar::engine {

// The ranks of a communicator by clock domain: those of one domain share a model of their clock.
struct DomainComms {
  MPI_Comm domain = MPI_COMM_NULL;   // of this rank, its leader first
  MPI_Comm leaders = MPI_COMM_NULL;  // null on others; the reference of all clocks is its first

  // Collective over `comm`: `domain` numbers this rank's; the lowest rank of each is its leader.
  static DomainComms split(MPI_Comm comm, int domain);
  // Collective.
  void free();
};

class MpiLink : public clock::Link {
 public:
  // `comm` and `clock` outlive it; every rank of `comm` is a clock domain of its own. `latency_ps`:
  // a message is noticed only so long after it was sent, which ranks that read the same real clock
  // can tell; 0: as soon as it is there.
  MpiLink(MPI_Comm comm, const LinkClock& clock, std::int64_t latency_ps = 0);

  // From now on ranks have these domains. They outlive this.
  void use_domains(const DomainComms& domains) { domains_ = domains; }

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] int first() const override { return rank_; }
  [[nodiscard]] int last() const override { return comm_ == MPI_COMM_NULL ? rank_ : rank_ + 1; }
  [[nodiscard]] std::int64_t now_ps(int rank) override;
  void wait_until(int rank, std::int64_t local_ps) override;
  void exchange(const clock::Pair& pair, const clock::Policy& policy,
                std::vector<clock::PingPong>& series) override;
  void send(int from, int to, const void* in, void* out, std::size_t size) override;
  void reduce(clock::Reduction reduction, std::vector<double>& values, std::size_t width) override;
  void broadcast(int root, void* data, std::size_t size) override;
  void barrier() override;
  std::unique_ptr<clock::Link> leaders() override;
  void spread(const void* from_leaders, void* data, std::size_t size) override;

 private:
  struct Message {
    std::int64_t sent_real_ps = 0;
    std::int64_t receive_ps = 0;  // of the answerer's clock
    std::int64_t send_ps = 0;
    std::int64_t more = 1;  // 0: the series is over, there is no answer
  };
  void post(Message message, int to) const;
  [[nodiscard]] Message take(int from) const;

  MPI_Comm comm_;  // null: of no rank, beside the leaders'
  DomainComms domains_ = {};
  const LinkClock& clock_;
  std::int64_t latency_ps_;
  int rank_ = 0;
  int ranks_ = 1;
};

}  // namespace invar::engine
