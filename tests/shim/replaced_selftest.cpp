// Every mock-up and every reference algorithm, in the place of the collective that it stands for:
// the program gets what the library would have given it. Linked with the shim's objects instead of
// preloaded, so that one launch goes through all of them; for any number of ranks.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "ops/expect.hpp"
#include "shim/comparison.hpp"
#include "shim/tables.hpp"

namespace invar::ops {

// ops/mockups/hosts/host_groups.hpp, which brings along calls of MPI that the shim has by other
// names.
void pretend_hosts(int (*host_of)(int rank, int ranks));

}  // namespace invar::ops

namespace invar::shim::test {
namespace {

using ops::test::Expectations;

constexpr std::string_view kCatalogue[] = {
#define INVAR_OPERATION(name, constant) name,
#define INVAR_SCHEDULE(name, constant) name,
#include "ops/catalogue.def"
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE
};

struct HostLayout {
  const char* name;
  int (*host_of)(int rank, int ranks);
};
constexpr HostLayout kHostLayouts[] = {
    {"one host", [](int, int) { return 0; }},
    {"two on each", [](int rank, int) { return rank / 2; }},
    {"by turns", [](int rank, int) { return rank % 2; }},
};

bool goes_by_hosts(std::string_view name) {
  return name.ends_with("=hierarchical") || name.ends_with("=full-lane");
}

// tests/ops/host_layouts.cpp says what is the matter.
bool broken_in_library(std::string_view name, int ranks) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version = {};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const bool intel = std::string_view(version.data()).find("Intel") != std::string_view::npos;
  return intel && ranks > 3 && (name == "allgather=full-lane" || name == "scatter=full-lane");
}

// Around multiples of the ranks, and more than a few.
std::vector<int> counts_for(const TestedCollective& collective, int ranks) {
  if (collective.name == "barrier") return {0};
  return {0, 1, ranks - 1, ranks + 1, 5 * ranks, 300};
}

std::uint64_t calls_are_right(Expectations& t, const TestedCollective& collective, MPI_Comm comm,
                              const std::string& candidate) {
  const int ranks = ranks_of(comm);
  std::uint64_t calls = 0;
  const auto compare = [&](const TestedCall& call) {
    ++calls;
    const std::string wrong = difference(call, comm);
    t.expect(wrong.empty(), candidate + ": " + wrong);
  };
  for (const ElementKind& kind : element_kinds()) {
    for (const int count : counts_for(collective, ranks)) {
      for (const int root : {0, ranks - 1, ranks / 2}) {
        if (root > 0 && !collective.rooted) continue;
        TestedCall call{.collective = &collective, .kind = &kind, .count = count, .root = root};
        compare(call);
        // Every second rank has another name for the same data.
        call.sends_numbers = rank_of(comm) % 2 == 0;
        call.receives_numbers = !call.sends_numbers;
        if (!collective.reduces) compare(call);
        if (collective.in_place == InPlace::kNever) continue;
        call.in_place = true;
        compare(call);
      }
    }
  }
  return calls;
}

// On a communicator of its own, so that nothing is left of other candidates.
void candidate_is_right(Expectations& t, std::string_view name, const std::string& knobs,
                        const std::string& where) {
  const std::string collective = collective_of(name);
  const std::string candidate = candidate_of(name) + knobs;
  const std::string faults = take_table(line_of(collective, ranks_of(MPI_COMM_WORLD), candidate));
  if (!faults.empty()) {
    t.expect_contains(faults, "needs ", candidate + " is not for so many ranks");
    return;
  }
  MPI_Comm comm = another(MPI_COMM_WORLD);
  const std::uint64_t calls =
      calls_are_right(t, tested_collective(collective), comm, candidate + where);
  MPI_Comm_free(&comm);
  std::uint64_t passed_on = 0;
  for (std::size_t reason = 0; reason < kPassedOnTexts.size(); ++reason) {
    passed_on += passed_on_calls(static_cast<PassedOn>(reason));
  }
  t.expect(replaced_calls() + passed_on == calls,
           candidate + where + ": " + std::to_string(replaced_calls()) + " calls replaced, " +
               std::to_string(passed_on) + " passed on, of " + std::to_string(calls));
  t.expect(passed_on_calls(PassedOn::kFirst) <= 1, candidate + where + ": one first call");
  t.expect(passed_on_calls(PassedOn::kUnknownOperator) == 0 &&
               passed_on_calls(PassedOn::kDerivedType) == 0 &&
               passed_on_calls(PassedOn::kTooLong) == 0 &&
               passed_on_calls(PassedOn::kUnequalBlocks) == 0 &&
               passed_on_calls(PassedOn::kNoCommunicator) == 0,
           candidate + where + ": nothing else stands in its way");
  if (passed_on_calls(PassedOn::kHosts) == 0) {
    t.expect(replaced_calls() > 0, candidate + where + ": it is called");
  }
}

int run() {
  Expectations t;
  const int ranks = ranks_of(MPI_COMM_WORLD);
  std::size_t candidates = 0;
  for (const std::string_view name : kCatalogue) {
    if (name.find_first_of("=@") == std::string_view::npos) continue;
    if (broken_in_library(name, ranks)) continue;
    ++candidates;
    if (!goes_by_hosts(name)) {
      candidate_is_right(t, name, "", "");
    } else {
      for (const HostLayout& layout : kHostLayouts) {
        ops::pretend_hosts(layout.host_of);
        candidate_is_right(t, name, "", std::string(", ") + layout.name);
      }
      ops::pretend_hosts(nullptr);
    }
    if (name == "bcast@chain" || name == "allreduce@ring") {
      candidate_is_right(t, name, ":segment=24", ", segments");
    }
  }
  t.expect(candidates >= 70, "mock-ups and algorithms: " + std::to_string(candidates));
  return t.finish("replaced_selftest");
}

}  // namespace
}  // namespace invar::shim::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = invar::shim::test::run();
  MPI_Finalize();
  return status;
}
