// The communicators of a team as the factor `communicator` asks for them, the connections that are
// made beforehand, and the barrier in which an arm finishes its messages. Standing in front of the
// MPI library, this file sees how communicators are made and which messages travel.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/launch/arm_barrier.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/team.hpp"
#include "group/connections.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"

namespace {

using invar::engine::Hosts;
using invar::engine::Making;
using invar::engine::Part;
using invar::engine::Team;
using invar::engine::Teams;
using invar::ops::test::Expectations;

std::string made_by;        // in the order in which it happened
int synchronous_sends = 0;  // of this rank
int sends = 0;

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::vector<std::uint32_t> all_ranks() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::uint32_t> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

bool has_handler(MPI_Comm comm, MPI_Errhandler wanted) {
  MPI_Errhandler found = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &found);
  return found == wanted;
}

bool is_same(MPI_Comm a, MPI_Comm b, int how) {
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(a, b, &result);
  return result == how;
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void split_and_dup_are_communicators_of_their_own(Expectations& t, const Hosts& hosts) {
  const std::vector<std::uint32_t> all = all_ranks();
  for (const Making making : {Making::kSplit, Making::kDup}) {
    const std::string name = making == Making::kSplit ? "split" : "dup";
    made_by.clear();
    Team team(MPI_COMM_WORLD, hosts, all, all, making);
    t.expect_equal(made_by, name + " ", name + " of all ranks");
    t.expect(is_same(team.comm(), MPI_COMM_WORLD, MPI_CONGRUENT), name + " has the same ranks");
    t.expect(has_handler(team.comm(), MPI_ERRORS_RETURN), name + " returns errors");
    t.expect(team.sync_comm() == MPI_COMM_NULL, name + ": that of the barriers comes later");
    team.make_sync();
    t.expect(is_same(team.sync_comm(), MPI_COMM_WORLD, MPI_CONGRUENT), name + ": it has come");
    t.expect(has_handler(team.sync_comm(), MPI_ERRORS_ARE_FATAL), name + ": its errors are fatal");
    team.free();
  }
}

void world_is_the_world_itself(Expectations& t, const Hosts& hosts) {
  const std::vector<std::uint32_t> all = all_ranks();
  made_by.clear();
  Teams teams(MPI_COMM_WORLD, hosts, 1, invar::engine::factor_hooks(), Making::kWorld);
  const auto size = static_cast<std::uint32_t>(all.size());
  const Team& team = teams.of({.operation = "bcast", .size_bytes = 8, .ranks = size, .ppn = size},
                              *invar::ops::find_operation("bcast"));
  t.expect(team.comm() == MPI_COMM_WORLD, "operations run on MPI_COMM_WORLD");
  t.expect_equal(made_by, "", "nothing is made for it");
  t.expect(has_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), "what is made next inherits that");
  const auto mine = static_cast<std::uint32_t>(rank_of_world());
  t.expect(teams.partners(mine) == invar::group::pattern_partners(all, mine),
           "its messages at a visit's begin and end go to the pattern's partners");
  teams.make_sync();
  t.expect(has_handler(team.sync_comm(), MPI_ERRORS_ARE_FATAL), "as barriers' do");
  teams.return_errors();
  t.expect(has_handler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "then its errors are returned");
  t.expect(has_handler(team.sync_comm(), MPI_ERRORS_ARE_FATAL), "and those of barriers are not");
  teams.free();
  t.expect(has_handler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), "in the end it is as it was");
  t.expect(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "and was not freed");
}

void the_world_has_one_order(Expectations& t, const Hosts& hosts) {
  std::vector<std::uint32_t> reversed = all_ranks();
  std::ranges::reverse(reversed);
  std::string error;
  try {
    const Team team(MPI_COMM_WORLD, hosts, reversed, all_ranks(), Making::kWorld);
  } catch (const invar::base::UserError& refused) {
    error = refused.what();
  }
  t.expect_contains(error, "communicator 'world' has all ranks in the order", "another order");
}

void parts_of_the_ranks_are_split_first(Expectations& t, const Hosts& hosts) {
  const bool mine = rank_of_world() == 0;
  for (const Making making : {Making::kSplit, Making::kDup}) {
    made_by.clear();
    Team team(MPI_COMM_WORLD, hosts, {0}, {0}, making);
    t.expect_equal(made_by, making == Making::kSplit || !mine ? "split " : "split dup ",
                   "a part of the ranks");
    t.expect((team.comm() != MPI_COMM_NULL) == mine, "who is not called has none");
    t.expect(team.part() == (mine ? Part::kMeasures : Part::kSleeps), "and takes no part");
    t.expect(team.members_here() == 1, "all ranks of the host know how many measure there");
    t.expect(team.visit_word() == invar::group::VisitWord(), "one host needs no message");
    team.make_sync();
    team.free();
  }
  // Called, but it calls nothing.
  Team bystander(MPI_COMM_WORLD, hosts, all_ranks(), {0});
  t.expect(bystander.part() == (mine ? Part::kMeasures : Part::kStandsBy), "it stands by");
  bystander.make_sync();
  t.expect((bystander.sync_comm() != MPI_COMM_NULL) == mine, "without a part in barriers");
  bystander.free();
}

void words_are_levels(Expectations& t) {
  t.expect(invar::engine::making_of("world") == Making::kWorld, "world");
  t.expect(invar::engine::making_of("dup") == Making::kDup, "dup");
  std::string error;
  try {
    static_cast<void>(invar::engine::making_of("wrld"));
  } catch (const invar::base::UserError& refused) {
    error = refused.what();
  }
  t.expect_contains(error, "unknown communicator 'wrld'", "a wrong word");
}

void only_the_pattern_is_connected(Expectations& t) {
  const std::vector<std::uint32_t> all = all_ranks();
  const auto mine = static_cast<std::uint32_t>(rank_of_world());
  const std::vector<std::uint32_t> partners = invar::group::pattern_partners(all, mine);
  sends = 0;
  invar::engine::connect_with(MPI_COMM_WORLD, partners);
  t.expect(sends == static_cast<int>(partners.size()), "a message to every partner");
  sends = 0;
  invar::engine::connect_with(MPI_COMM_WORLD, {});
  t.expect(sends == 0, "and none to nobody");
}

// Ranks of one host read one clock.
void nobody_leaves_the_barrier_before_all_have_come(Expectations& t) {
  const std::vector<std::uint32_t> all = all_ranks();
  for (std::size_t last = 0; last < all.size(); ++last) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (static_cast<std::size_t>(rank_of_world()) == last) {
      const timespec late{0, 20'000'000};
      nanosleep(&late, nullptr);
    }
    synchronous_sends = 0;
    std::int64_t came_ns = now_ns();
    invar::engine::arm_barrier(MPI_COMM_WORLD, 0);
    std::int64_t left_ns = now_ns();
    int rounds = 0;
    for (std::size_t distance = 1; distance < all.size(); distance *= 2) ++rounds;
    t.expect(synchronous_sends == rounds, "every message is known to have been received");
    MPI_Allreduce(MPI_IN_PLACE, &came_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &left_ns, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    t.expect(came_ns <= left_ns, "the first to leave left after the last had come");
  }
}

}  // namespace

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  made_by += "split ";
  return PMPI_Comm_split(comm, color, key, made);
}

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  made_by += "dup ";
  return PMPI_Comm_dup(comm, made);
}

extern "C" int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  ++sends;
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}

extern "C" int MPI_Issend(const void* from, int count, MPI_Datatype type, int to, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  ++synchronous_sends;
  return PMPI_Issend(from, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  const Hosts hosts = invar::engine::find_hosts(MPI_COMM_WORLD);
  split_and_dup_are_communicators_of_their_own(t, hosts);
  world_is_the_world_itself(t, hosts);
  the_world_has_one_order(t, hosts);
  parts_of_the_ranks_are_split_first(t, hosts);
  words_are_levels(t);
  only_the_pattern_is_connected(t);
  nobody_leaves_the_barrier_before_all_have_come(t);
  const int status = t.finish("communicators_selftest");
  MPI_Finalize();
  return status;
}
