// Which CPUs the ranks of a host take. Runs alone, without MPI_Init.
#include "engine/launch/host.hpp"
#include "host/identity.hpp"
#include "host/placement.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "ops/expect.hpp"

namespace {

using Cpus = std::vector<std::uint32_t>;
using invar::ops::test::Expectations;

std::string text(const Cpus& cpus) {
  std::string all;
  for (const std::uint32_t cpu : cpus) all += (all.empty() ? "" : " ") + std::to_string(cpu);
  return all;
}

void cpus_of_the_drivers_host_are_taken_where_they_are_allowed(Expectations& t) {
  const struct {
    Cpus wanted;
    Cpus allowed;
    Cpus taken;
    const char* what;
  } cases[] = {
      {{0, 1}, {0, 1, 2, 3}, {0, 1}, "all allowed"},
      {{3, 0}, {0, 1, 2, 3}, {3, 0}, "in the order of the ranks"},
      {{0, 0, 1}, {0, 1}, {0, 0, 1}, "a CPU twice, allowed"},
      {{0, 1}, {2, 3}, {2, 3}, "a job that was given 2 of 4 cores"},
      {{0, 1}, {1, 2, 3}, {1, 2}, "one of them allowed: all are chosen anew, none twice"},
      {{2, 0}, {4, 6, 8}, {4, 6}, "the allowed ones in their order"},
      {{0, 0, 1, 1}, {2, 3}, {2, 2, 3, 3}, "a CPU twice where the driver's host has it twice"},
      {{0, 1, 0}, {2, 3}, {2, 3, 2}, "a CPU twice, apart"},
      {{0, 0}, {5}, {5, 5}, "two ranks on the only core"},
      {{}, {}, {}, "no ranks"},
  };
  for (const auto& one : cases) {
    t.expect_equal(text(invar::engine::local_cpus(one.wanted, one.allowed, "launch 1")),
                   text(one.taken), one.what);
  }
}

void too_few_cores_are_refused_with_the_hosts_name(Expectations& t) {
  const struct {
    Cpus wanted;
    Cpus allowed;
    std::string what;
  } cases[] = {
      {{0, 1, 2}, {2, 3}, " allows this process 2 of its cores, too few for 3 ranks"},
      {{0, 1}, {5}, " allows this process 1 of its cores, too few for 2 ranks"},
      {{0}, {}, " allows this process 0 of its cores, too few for 1 ranks"},
  };
  for (const auto& one : cases) {
    try {
      invar::engine::local_cpus(one.wanted, one.allowed, "launch 1");
      t.expect(false, "refused:" + one.what);
    } catch (const invar::base::UserError& error) {
      t.expect_contains(error.what(), "launch 1: " + invar::host::host_name() + one.what,
                        "who refuses what");
      t.expect_contains(error.what(), "pinning = \"none\"", "what to do");
    }
  }
}

// Hosts place their own ranks: on those cores that they allow, by what lies between these.
void ranks_that_are_spread_take_cores_of_their_own_host(Expectations& t) {
  const Cpus allowed = invar::engine::allowed_cores(0);
  const Cpus taken = invar::engine::placed_cpus(Cpus(allowed.size(), 0), allowed, "spread", "l");
  t.expect_equal(std::to_string(taken.size()), std::to_string(allowed.size()), "one a rank");
  for (const std::uint32_t cpu : taken) {
    t.expect(std::find(allowed.begin(), allowed.end(), cpu) != allowed.end(),
             "CPU " + std::to_string(cpu) + " is allowed");
  }
  Cpus different(allowed.size() + 1);
  std::iota(different.begin(), different.end(), 0U);
  try {
    invar::engine::placed_cpus(different, allowed, "spread", "launch 1");
    t.expect(false, "refused: more ranks than cores");
  } catch (const invar::base::UserError& error) {
    t.expect_contains(error.what(), "too few for", "more ranks than cores");
  }
  if (invar::host::numa_nodes(invar::host::read_cores(allowed)) > 1) return;
  try {
    invar::engine::placed_cpus({0}, allowed, "numa", "launch 1");
    t.expect(false, "refused: one NUMA node");
  } catch (const invar::base::UserError& error) {
    t.expect_contains(error.what(), "has one NUMA node", "a placement without NUMA");
  }
}

// Whatever else the host would allow: other campaigns may measure on what is not claimed.
void ranks_on_the_drivers_host_take_what_it_has_claimed_or_nothing(Expectations& t) {
  const struct {
    Cpus wanted;
    Cpus allowed;
    const char* missing;
  } cases[] = {
      {{3, 0}, {0, 1, 2, 3}, ""},
      {{0, 2, 0}, {0, 2}, ""},
      {{0, 4}, {0, 1, 2, 3}, " does not allow this rank CPU 4, "},
      {{2, 5}, {}, " does not allow this rank CPUs 2, 5, "},
  };
  for (const auto& one : cases) {
    std::string refusal;
    try {
      t.expect_equal(text(invar::engine::claimed_cpus(one.wanted, one.allowed, "launch 1")),
                     text(one.wanted), "taken as claimed");
    } catch (const invar::base::UserError& error) {
      refusal = error.what();
    }
    t.expect(refusal.empty() == std::string(one.missing).empty(), "refused or not: " + refusal);
    t.expect_contains(refusal, one.missing, "what is missing");
  }
}

// A launcher has bound the rank to other cores than those that are claimed.
void a_rank_may_take_claimed_cores_that_its_launcher_has_not_bound_it_to(Expectations& t) {
  const Cpus all = invar::engine::allowed_cores(0);
  invar::engine::bind_to_cpu(all.back());
  const Cpus claimed = {all.front()};
  t.expect_equal(text(invar::engine::permitted_cpus(claimed)), text(claimed), "permitted");
  t.expect(invar::engine::bound_cpu() == static_cast<std::int32_t>(all.front()), "and bound to it");
  t.expect(invar::engine::permitted_cpus({CPU_SETSIZE - 1}).empty() || CPU_SETSIZE == all.size(),
           "there is no such CPU");
  t.expect(invar::engine::allowed_cores(all.size()).size() >= all.size(), "unbound again");
}

void cores_that_are_allowed_are_different_and_in_order(Expectations& t) {
  const Cpus cores = invar::engine::allowed_cores(0);
  t.expect(!cores.empty(), "there is one at least");
  for (std::size_t i = 1; i < cores.size(); ++i) {
    t.expect(cores[i - 1] < cores[i], "ascending: " + text(cores));
  }
}

// A launcher that binds each rank alone.
void a_rank_that_is_bound_alone_sees_the_others_cores_again(Expectations& t) {
  const Cpus all = invar::engine::allowed_cores(0);
  invar::engine::bind_to_cpu(all.back());
  t.expect_equal(text(invar::engine::allowed_cores(1)), text({all.back()}), "bound, and enough");
  t.expect(invar::engine::bound_cpu() == static_cast<std::int32_t>(all.back()), "still bound");
  t.expect(invar::engine::allowed_cores(all.size()).size() >= all.size(), "not enough: unbound");
  t.expect(all.size() == 1 || invar::engine::bound_cpu() == -1, "bound no more");
}

}  // namespace

int main() {
  Expectations t;
  cpus_of_the_drivers_host_are_taken_where_they_are_allowed(t);
  too_few_cores_are_refused_with_the_hosts_name(t);
  ranks_that_are_spread_take_cores_of_their_own_host(t);
  ranks_on_the_drivers_host_take_what_it_has_claimed_or_nothing(t);
  a_rank_may_take_claimed_cores_that_its_launcher_has_not_bound_it_to(t);
  cores_that_are_allowed_are_different_and_in_order(t);
  a_rank_that_is_bound_alone_sees_the_others_cores_again(t);
  return t.finish("host_selftest");
}
