// What ranks do that stand by while two others measure: they begin together with these, end when
// the visit does, leave no message and no request behind, and end with a group that is lost.
// Standing in front of the MPI library, this file sees what they send and post. For three ranks or
// more.
#include "engine/bystanders/bystanders.hpp"

#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/arm_barrier.hpp"
#include "engine/launch/host.hpp"
#include "engine/launch/team.hpp"
#include "group/page.hpp"
#include "group/turns.hpp"
#include "ops/expect.hpp"

namespace {

using namespace invar;  // NOLINT
using engine::StandingBy;
using engine::Team;
using ops::test::Expectations;
using record::Others;

constexpr std::uint32_t kMembers = 2;

// What this rank asked its library for, on the communicator of those that stand by, but for the
// barrier.
MPI_Comm others_comm = MPI_COMM_NULL;
int sends = 0;
int receives = 0;
int cancels = 0;
int longest_bytes = 0;

void forget() { sends = receives = cancels = longest_bytes = 0; }

bool is_seen(MPI_Comm comm, int tag) {
  constexpr int kBarrierTag = 13;
  return comm == others_comm && tag != kBarrierTag;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int sum_of(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void pause_ms(long ms) {
  const timespec time{0, ms * 1'000'000};
  nanosleep(&time, nullptr);
}

// A group of this program's ranks alone, which makes `visits` visits by the first two of them.
class Visits {
 public:
  explicit Visits(std::uint32_t visits)
      : page_(group::Page::attach(
            agreed_name(), {.arms = 1, .local_ranks = static_cast<std::uint32_t>(world_size())},
            {.arm = 0, .local_rank = static_cast<std::uint32_t>(world_rank())})),
        steps_(steps_of(visits)),
        turns_(page_, steps_, {.visit_ns = kHourNs, .start_ns = kHourNs}, {}) {
    turns_.start();
  }

  // Nobody gives up: `member` is what a member does in a visit, `other` what the others do.
  void make(const std::function<void()>& member, const std::function<void()>& other) {
    while (turns_.next() != nullptr) {
      if (static_cast<std::uint32_t>(world_rank()) < kMembers) {
        member();
        turns_.visit_over(kMembers);
      } else {
        other();
        turns_.stand_by();
      }
      engine::arm_barrier(MPI_COMM_WORLD, engine::kCallsBehindBarrier);
      turns_.done();
    }
    turns_.finish();
  }

  [[nodiscard]] group::Turns& turns() { return turns_; }
  [[nodiscard]] const group::Page& page() const { return page_; }

 private:
  static constexpr std::int64_t kHourNs = 3'600'000'000'000;

  static std::string agreed_name() {
    static int number = 0;
    int pid = static_cast<int>(getpid());
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return "bystanders-" + std::to_string(pid) + "-" + std::to_string(++number);
  }
  static std::vector<group::Step> steps_of(std::uint32_t visits) {
    std::vector<group::Step> steps;
    for (std::uint32_t row = 0; row < visits; ++row) {
      steps.push_back({.kind = group::StepKind::kVisit, .arm = 0, .row = row});
    }
    return steps;
  }

  group::Page page_;
  std::vector<group::Step> steps_;
  group::Turns turns_;
};

StandingBy standing_by(const Team& team, Others others, std::uint64_t size_bytes, Visits& visits) {
  return {.others = others,
          .comm = team.others_comm(),
          .partner = team.traffic_partner(),
          .size_bytes = size_bytes,
          .calls_behind_barrier = engine::kCallsBehindBarrier,
          .yields = true,
          .over = [&visits] { return visits.turns().visit_is_over(); }};
}

// Three visits in which those that stand by do `others`.
void make_visits(const Team& team, Others others, std::uint64_t size_bytes) {
  Visits visits(3);
  visits.make(
      [&] {
        engine::arm_barrier(team.others_comm(), engine::kCallsBehindBarrier);
        pause_ms(30);
      },
      [&] { engine::stand_by_doing(standing_by(team, others, size_bytes, visits)); });
}

bool is_other() { return static_cast<std::uint32_t>(world_rank()) >= kMembers; }

void expect_nothing_left(Expectations& t, const std::string& name) {
  MPI_Barrier(MPI_COMM_WORLD);
  int there = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, others_comm, &there, MPI_STATUS_IGNORE);
  t.expect(there == 0, name + ": no message is left");
}

void those_that_receive_post_one_and_cancel_it(Expectations& t, const Team& team) {
  forget();
  make_visits(team, Others::kReceiving, 64);
  t.expect(receives == (is_other() ? 3 : 0), "a receive in each visit");
  t.expect(cancels == receives, "and none is left");
  t.expect(sends == 0, "nobody sends");
  expect_nothing_left(t, "receiving");
}

void those_that_compute_send_and_receive_nothing(Expectations& t, const Team& team) {
  forget();
  make_visits(team, Others::kComputing, 64);
  t.expect(sends == 0 && receives == 0, "computing");
  expect_nothing_left(t, "computing");
}

void traffic_goes_both_ways_and_ends_with_the_visit(Expectations& t, const Team& team) {
  for (const std::uint64_t size_bytes :
       {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{1} << 24U}) {
    const std::string name = "traffic of " + std::to_string(size_bytes) + " bytes";
    forget();
    make_visits(team, Others::kTraffic, size_bytes);
    const bool takes_part = is_other() && team.traffic_partner();
    t.expect((sends > 0) == takes_part, name + ": those that have a partner");
    t.expect(!takes_part || sends >= 3, name + ": in every visit");
    t.expect(sends == receives, name + ": as much there as back");
    t.expect(cancels == 0, name + ": all that was posted came");
    const auto most = static_cast<int>(std::min(size_bytes, engine::kMostTrafficBytes));
    t.expect(longest_bytes == (takes_part ? most : 0), name + ": as long as the cell's, bounded");
    expect_nothing_left(t, name);
    const int others = world_size() - static_cast<int>(kMembers);
    t.expect(sum_of(takes_part ? 1 : 0) == others - others % 2, name + ": the last one has nobody");
  }
}

// Members begin when the others have come, and not before.
void all_begin_together(Expectations& t, const Team& team) {
  Visits visits(1);
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  };
  std::int64_t came_ns = 0;
  std::int64_t began_ns = INT64_MAX;
  visits.make(
      [&] {
        engine::arm_barrier(team.others_comm(), engine::kCallsBehindBarrier);
        began_ns = now_ns();
      },
      [&] {
        pause_ms(20);
        came_ns = now_ns();
        engine::stand_by_doing(standing_by(team, Others::kComputing, 8, visits));
      });
  MPI_Allreduce(MPI_IN_PLACE, &came_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &began_ns, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  t.expect(came_ns <= began_ns, "no member began before the last of the others had come");
}

// What was under way between two of them when their group was lost: messages of one sender come in
// order, so that the last one says that it is the last.
void take_what_is_left(const Team& team) {
  constexpr int kLastTag = 99;
  const std::optional<int> partner = team.traffic_partner();
  if (!partner) return;
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(nullptr, 0, MPI_BYTE, *partner, kLastTag, others_comm, &sent);
  std::vector<std::byte> any(engine::kMostTrafficBytes);
  MPI_Status status;
  do {
    MPI_Recv(any.data(), static_cast<int>(any.size()), MPI_BYTE, *partner, MPI_ANY_TAG, others_comm,
             &status);
  } while (status.MPI_TAG != kLastTag);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// As where a member dies: whoever sees it tells all others on the page. A launch then ends, with
// its messages where they are; here all are alive and go on, and a communicator with messages in it
// must not be freed.
void a_lost_group_ends_them(Expectations& t, const Team& team) {
  for (const Others others : {Others::kReceiving, Others::kComputing, Others::kTraffic}) {
    Visits visits(1);
    visits.turns().next();
    bool thrown = !is_other();
    if (is_other()) {
      try {
        engine::stand_by_doing(standing_by(team, others, 8, visits));
        visits.turns().stand_by();  // of traffic one may have nobody
      } catch (const group::GroupLost&) {
        thrown = true;
      }
    } else {
      engine::arm_barrier(team.others_comm(), engine::kCallsBehindBarrier);
      pause_ms(20);
      visits.page().abort();
    }
    t.expect(thrown, std::string(name_of(others)) + " ends with the group");
    // When nobody receives any more what is of the visit.
    MPI_Barrier(MPI_COMM_WORLD);
    if (others == Others::kTraffic) take_what_is_left(team);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void a_team_that_only_sleeps_has_no_communicator_for_it(Expectations& t, const engine::Hosts& hosts,
                                                        const std::vector<std::uint32_t>& all) {
  Team team(MPI_COMM_WORLD, hosts, all, {0, 1});
  team.make_sync();
  t.expect(team.others_comm() == MPI_COMM_NULL, "nobody asked for one");
  t.expect(!team.traffic_partner(), "and nobody has a partner");
  team.free();
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (is_seen(comm, tag)) {
    ++sends;
    longest_bytes = std::max(longest_bytes, count);
  }
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  if (is_seen(comm, tag)) ++receives;
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Cancel(MPI_Request* request) {
  ++cancels;
  return PMPI_Cancel(request);
}

}  // extern "C"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Expectations t;
  {
    const engine::Hosts hosts = engine::find_hosts(MPI_COMM_WORLD);
    std::vector<std::uint32_t> all(static_cast<std::size_t>(world_size()));
    std::iota(all.begin(), all.end(), 0U);
    Team team(MPI_COMM_WORLD, hosts, all, {0, 1});
    team.let_others_act();
    team.make_sync();
    others_comm = team.others_comm();
    a_team_that_only_sleeps_has_no_communicator_for_it(t, hosts, all);
    those_that_receive_post_one_and_cancel_it(t, team);
    those_that_compute_send_and_receive_nothing(t, team);
    traffic_goes_both_ways_and_ends_with_the_visit(t, team);
    all_begin_together(t, team);
    a_lost_group_ends_them(t, team);
    team.free();
  }
  const int status = t.finish("bystanders_selftest");
  MPI_Finalize();
  return status;
}
