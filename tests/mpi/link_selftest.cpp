// Clock domains over a library: the leader of each synchronises for all of its ranks.
#include "engine/clocks/mpi_link.hpp"

#include <string>

#include "clock/algorithm.hpp"
#include "ops/expect.hpp"

namespace {

using invar::clock::Link;
using invar::clock::Model;
using invar::clock::PerRank;
using invar::engine::DomainComms;
using invar::engine::LinkClock;
using invar::engine::MpiLink;
using invar::ops::test::Expectations;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

// Two ranks a domain, the last one alone where their number is odd.
int domain_of(int rank) { return rank / 2; }
int leader_of(int rank) { return 2 * domain_of(rank); }

void every_rank_is_a_domain_where_none_are_named(Expectations& t) {
  const LinkClock clock;
  MpiLink link(MPI_COMM_WORLD, clock);
  t.expect(link.leaders() == nullptr, "no leaders");
}

void lowest_ranks_of_domains_are_leaders_in_their_order(Expectations& t) {
  const LinkClock clock;
  DomainComms comms = DomainComms::split(MPI_COMM_WORLD, domain_of(world_rank()));
  MpiLink link(MPI_COMM_WORLD, clock);
  link.use_domains(comms);
  const std::unique_ptr<Link> leaders = link.leaders();
  const bool leads = leader_of(world_rank()) == world_rank();
  t.expect_equal(std::to_string(leaders->last() - leaders->first()), leads ? "1" : "0",
                 "ranks of the leaders' link in this process");
  if (leads) {
    t.expect_equal(std::to_string(leaders->ranks()), std::to_string((world_ranks() + 1) / 2),
                   "leaders");
    t.expect_equal(std::to_string(leaders->first()), std::to_string(domain_of(world_rank())),
                   "number among them");
  }
  comms.free();
}

void what_a_leader_has_reaches_the_ranks_of_its_domain(Expectations& t) {
  const LinkClock clock;
  DomainComms comms = DomainComms::split(MPI_COMM_WORLD, domain_of(world_rank()));
  MpiLink link(MPI_COMM_WORLD, clock);
  link.use_domains(comms);
  const int mine = 100 + world_rank();
  int told = -1;
  link.spread(&mine, &told, sizeof told);
  t.expect_equal(std::to_string(told), std::to_string(100 + leader_of(world_rank())), "spread");
  comms.free();
}

// A clock that is wrong by a known offset on every domain: its ranks share the leader's model bit
// by bit, as only one of them has measured.
void ranks_of_a_domain_share_the_model_that_their_leader_learned(Expectations& t) {
  constexpr std::int64_t kApartPs = 3'000'000'000'000;
  LinkClock clock;
  clock.virtual_clock = invar::clock::VirtualClock(0, 3.0 * domain_of(world_rank()), 0, 0, 1);
  DomainComms comms = DomainComms::split(MPI_COMM_WORLD, domain_of(world_rank()));
  MpiLink link(MPI_COMM_WORLD, clock);
  link.use_domains(comms);
  for (const char* name : {"h2hca:fit-points=20", "mesh:duration=0.05"}) {
    const PerRank<Model> models =
        invar::clock::synchronise(link, invar::clock::parse_algorithm(name, "test")).models;
    const Model model = models[world_rank()];
    Model leaders = model;
    MPI_Bcast(&leaders, sizeof leaders, MPI_BYTE, 0, comms.domain);
    t.expect(model.at_ps == leaders.at_ps && model.offset_ps == leaders.offset_ps &&
                 model.skew == leaders.skew,
             std::string(name) + ": the leader's model");
    const std::int64_t now_ps = clock.now_ps();
    const std::int64_t error_ps = model.difference_ps(now_ps) - kApartPs * domain_of(world_rank());
    // Where ranks share cores a message may take many milliseconds.
    t.expect(error_ps > -kApartPs / 10 && error_ps < kApartPs / 10,
             std::string(name) + ": off by " + std::to_string(error_ps) + " ps");
  }
  comms.free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  every_rank_is_a_domain_where_none_are_named(t);
  lowest_ranks_of_domains_are_leaders_in_their_order(t);
  what_a_leader_has_reaches_the_ranks_of_its_domain(t);
  ranks_of_a_domain_share_the_model_that_their_leader_learned(t);
  const int status = t.finish("link_selftest");
  MPI_Finalize();
  return status;
}
