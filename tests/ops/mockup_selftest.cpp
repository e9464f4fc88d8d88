// What mock-ups say of themselves: the same as what they emulate, and parts that their names spell.
// Which results they give is verified as of all operations (engine_operations). One rank is enough.
#include <mpi.h>

#include <numeric>
#include <string>
#include <string_view>

#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/mockups/shares.hpp"

namespace invar::ops::test {
namespace {

bool same_but_for_scratch(record::Buffers one, record::Buffers other) {
  one.scratch = other.scratch = {};
  return one == other;
}

bool same_but_for_scratch(const Shape& one, const Shape& other) {
  const record::BufferTable& a = one.lengths;
  const record::BufferTable& b = other.lengths;
  return same_but_for_scratch(a.others, b.others) && same_but_for_scratch(a.root, b.root) &&
         same_but_for_scratch(a.others_in_place, b.others_in_place) &&
         same_but_for_scratch(a.root_in_place, b.root_in_place) &&
         one.others_input == other.others_input && one.root_input == other.root_input;
}

// Whatever emulates one of ours: mock-ups, algorithms, a user's own operations.
void what_emulates_promises_what_is_emulated(Expectations& t) {
  std::size_t mockups = 0;
  for (const Operation* const one : catalogue()) {
    if (one->emulates == nullptr) continue;
    ++mockups;
    const std::string name = one->name;
    const Operation* const emulated = find_operation(one->emulates);
    t.expect(emulated != nullptr, name + " emulates an operation");
    if (emulated == nullptr) continue;
    t.expect(one->sized == emulated->sized && one->rooted == emulated->rooted &&
                 one->reduces == emulated->reduces && one->neighbours == emulated->neighbours &&
                 one->distributes == emulated->distributes,
             name + " takes the same");
    t.expect(same_but_for_scratch(one->buffers, emulated->buffers), name + ": the same buffers");
    if (name.find('=') == std::string::npos) continue;
    t.expect(!emulated->sized || one->verify == emulated->verify, name + ": the same result");
    // MPI_Reduce in place crashes MPICH, what emulates it does not.
    t.expect(one->in_place || !emulated->in_place, name + ": in place as well");
  }
  t.expect(mockups >= 47, std::to_string(mockups) + " mock-ups");
}

// So that a rule's text finds them; those that take their way by hosts have no such parts.
void names_spell_the_parts(Expectations& t) {
  for (const Operation* const one : catalogue()) {
    const std::string name = one->name;
    if (name.find('=') == std::string::npos || one->parts[0].operation == nullptr) continue;
    std::string spelt = std::string(one->emulates) + "=";
    for (const Part& part : one->parts) {
      if (part.operation == nullptr) continue;
      if (!spelt.ends_with("=")) spelt += "+";
      spelt += part.operation;
      t.expect(std::string_view(part.operation) == "sendrecv" ||
                   find_operation(part.operation) != nullptr,
               name + " by " + part.operation);
    }
    t.expect_equal(name, spelt, "name");
  }
}

void shares_are_the_vector(Expectations& t) {
  for (const int ranks : {1, 2, 3, 8}) {
    for (const int count : {0, 1, 7, 8, 9, 1000}) {
      Call call;
      call.ranks = ranks;
      call.count = count;
      const Equipped shares = make_shares(call);
      const Equipped roots = make_shares_of_roots(call);
      call.equipment = shares.made.get();
      const body::Shares parts = shares_of(call);
      int before = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        t.expect(parts.displacements[rank] == before, "one behind the other");
        t.expect(parts.counts[rank] == body::share_of(count, ranks) ||
                     parts.counts[rank] == count / ranks,
                 "by an element at most they differ");
        before += parts.counts[rank];
      }
      t.expect(before == count, "all of it");
      call.equipment = roots.made.get();
      for (call.root = 0; call.root < ranks; ++call.root) {
        const body::Shares of_root = share_of_root(call);
        t.expect(std::accumulate(of_root.counts, of_root.counts + ranks, 0) == count &&
                     of_root.counts[call.root] == count,
                 "the root has it all");
      }
    }
  }
}

// The call that is emulated takes it, a call inside does not.
void counts_that_overflow_inside_are_refused(Expectations& t) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.operation = "allgather=allreduce";
  cell.ranks = static_cast<std::uint32_t>(ranks);
  cell.datatype = "vector";
  cell.size_bytes = std::uint64_t{1} << 30U;  // with its gaps 2^31 bytes, which are counted
  const CallSetup setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  t.expect(setup.errors().size() == 1, "one error");
  if (!setup.errors().empty()) {
    t.expect_contains(setup.errors().front(), "needs a count of", "in bytes");
  }
  cell.operation = "allgather";
  const CallSetup emulated(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  t.expect(emulated.errors().empty(), "the allgather itself");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  what_emulates_promises_what_is_emulated(t);
  names_spell_the_parts(t);
  shares_are_the_vector(t);
  counts_that_overflow_inside_are_refused(t);
  const int status = t.finish("mockup_selftest");
  MPI_Finalize();
  return status;
}
