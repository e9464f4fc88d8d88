// Mock-ups that take their way by hosts, on hosts that this machine does not have: ranks are told
// that they are on others. What a layout does not allow is refused, everything else is right. For
// any number of ranks.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/element.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/checked.hpp"
#include "ops/expect.hpp"
#include "ops/mockups/hosts/host_groups.hpp"
#include "ops/verify.hpp"

namespace {

// Libraries have few communicators: for the last rank this one has none left.
bool none_left = false;
std::vector<MPI_Comm> withheld;  // which the others have, and free

}  // namespace

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  const int code = PMPI_Comm_split(comm, color, key, made);
  if (!none_left || rank != ranks - 1) return code;
  if (*made != MPI_COMM_NULL) withheld.push_back(*made);
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}

namespace invar::ops::test {
namespace {

struct Layout {
  const char* name;
  int (*host_of)(int rank, int ranks);
  [[nodiscard]] std::vector<int> sizes(int ranks) const {
    std::vector<int> sizes(static_cast<std::size_t>(ranks), 0);
    for (int rank = 0; rank < ranks; ++rank) {
      ++sizes[static_cast<std::size_t>(host_of(rank, ranks))];
    }
    std::erase(sizes, 0);
    return sizes;
  }
  [[nodiscard]] bool even(int ranks) const {
    const std::vector<int> of_hosts = sizes(ranks);
    for (const int size : of_hosts) {
      if (size != of_hosts.front()) return false;
    }
    return true;
  }
  // No rank of another host is between two of one.
  [[nodiscard]] bool together(int ranks) const {
    for (int rank = 1; rank < ranks; ++rank) {
      if (host_of(rank, ranks) < host_of(rank - 1, ranks)) return false;
    }
    return true;
  }
};

constexpr Layout kLayouts[] = {
    {"one host", [](int, int) { return 0; }},
    {"a rank on each", [](int rank, int) { return rank; }},
    {"two on each", [](int rank, int) { return rank / 2; }},
    {"two hosts", [](int rank, int ranks) { return rank < (ranks + 1) / 2 ? 0 : 1; }},
    {"all but one together", [](int rank, int ranks) { return rank + 1 < ranks ? 0 : 1; }},
    {"one, then the others", [](int rank, int) { return rank == 0 ? 0 : 1; }},
    {"by turns", [](int rank, int) { return rank % 2; }},
};

bool goes_by_hosts(const Operation& operation) {
  const std::string_view name = operation.name;
  return name.ends_with("=hierarchical") || name.ends_with("=full-lane");
}

// Empty: it must be right.
std::string refusal(const Operation& operation, const Layout& layout, bool commutes, int ranks) {
  const std::string_view way = operation.name;
  const std::string_view emulated = operation.emulates;
  const bool by_lanes = way.ends_with("=full-lane");
  const bool ordered = by_lanes || !commutes ||
                       (emulated != "allreduce" && emulated != "bcast" && emulated != "reduce");
  if (ordered && !layout.together(ranks)) return "the ranks of a host do not follow one another";
  if (by_lanes && !layout.even(ranks)) return "it needs as many ranks on every host";
  return "";
}

// Intel MPI 2021.18 mixes up interleaved blocks in its allgather, gather and scatter of four ranks
// or more, and now and then the scatter never ends. Who measures them there is told by the check.
bool broken_in_library(const Operation& operation, int ranks) {
  static const bool intel = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version = {};
    int length = 0;
    MPI_Get_library_version(version.data(), &length);
    return std::string_view(version.data()).find("Intel") != std::string_view::npos;
  }();
  const std::string_view name = operation.name;
  return intel && ranks > 3 &&
         (name == "allgather=full-lane" || name == "gather=full-lane" ||
          name == "scatter=full-lane");
}

void check(Expectations& t, const Operation& operation, const record::Cell& cell,
           const std::string& where, const std::string& refused) {
  CallSetup setup(cell, operation, MPI_COMM_WORLD);
  if (!refused.empty()) {
    t.expect(setup.errors().size() == 1 && setup.errors().front() == setup.refused(),
             where + ": refused");
    t.expect_contains(setup.refused(), refused, where);
    return;
  }
  t.expect(setup.errors().empty(), where + ": can be called");
  if (!setup.errors().empty()) return;
  const BufferNeed need = setup.need();
  const Arena arena(std::span(&need, 1));
  base::Random random(cell.size_bytes.value_or(0));
  setup.place(arena.place(random, need));
  t.expect_equal(check_once(operation, setup.call(), {.comm = MPI_COMM_WORLD}).text(), "", where);
}

void every_root_of(Expectations& t, const Operation& operation, record::Cell cell,
                   const std::string& where, const std::string& refused) {
  const std::uint32_t roots = operation.rooted ? cell.ranks : 1;
  for (cell.root = 0; cell.root < roots; ++cell.root) {
    const std::string at_root = where + ", root " + std::to_string(cell.root);
    cell.in_place = "no";
    check(t, operation, cell, at_root, refused);
    if (!operation.in_place) continue;
    cell.in_place = "yes";
    check(t, operation, cell, at_root + ", in place", refused);
  }
}

// Counts around multiples of the ranks and of those of a host; gaps, and an operator that does not
// commute.
void results_are_right(Expectations& t, const Operation& operation, const Layout& layout) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto p = static_cast<std::uint64_t>(ranks);
  record::Cell cell;
  cell.operation = operation.name;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  cell.size_bytes = 0;
  // All setups below share its communicators.
  const CallSetup keeps_them(cell, operation, MPI_COMM_WORLD);
  const std::string_view usual = usual_datatype(operation.reduces);
  for (const std::string_view datatype : {usual, std::string_view("vector")}) {
    cell.datatype = datatype;
    const bool commutes = !operation.reduces || datatype == usual;
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, p - 1, p + 1, 5 * p}) {
      cell.size_bytes = count * find_element_type(datatype)->size_bytes;
      every_root_of(t, operation, cell,
                    std::string(operation.name) + ", " + layout.name + ", count " +
                        std::to_string(count) + " of " + cell.datatype,
                    refusal(operation, layout, commutes, ranks));
    }
  }
}

// The check of all operations leaves them out, and says why.
void refused_cells_fail_no_check(Expectations& t) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 3) return;
  pretend_hosts([](int of_rank, int) { return of_rank == 0 ? 0 : 1; });
  const Checked found = checked({"allreduce=full-lane"});
  t.expect(found.failures == 0, found.text);
  if (rank != 0) return;
  t.expect_contains(found.text,
                    "left out allreduce=full-lane: it needs as many ranks on every host, and there "
                    "are 1 and " +
                        std::to_string(ranks - 1),
                    "the reason");
  t.expect_contains(found.text, "0 checks passed, 0 failed, ", "the summary");
}

// Setups on one communicator share those that they make of it, because libraries have few.
void setups_share_communicators(Expectations& t) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.operation = "allreduce=hierarchical";
  cell.size_bytes = 8;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  const Operation& operation = *find_operation(cell.operation);
  const CallSetup one(cell, operation, MPI_COMM_WORLD);
  cell.size_bytes = 16;
  const CallSetup other(cell, operation, MPI_COMM_WORLD);
  t.expect(hosts_of(one.call()).host.comm == hosts_of(other.call()).host.comm, "shared");
}

// On all ranks, though the others have theirs.
void cells_without_communicators_are_refused(Expectations& t) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.size_bytes = 8;
  cell.ranks = static_cast<std::uint32_t>(ranks);
  for (const char* name : {"allreduce=hierarchical", "scan=hierarchical", "gather=hierarchical",
                           "allgather=full-lane"}) {
    cell.operation = name;
    none_left = true;
    const CallSetup setup(cell, *find_operation(name), MPI_COMM_WORLD);
    none_left = false;
    for (MPI_Comm& comm : withheld) PMPI_Comm_free(&comm);
    withheld.clear();
    t.expect_contains(setup.refused(), "the library made no communicator", name);
  }
}

// All blocks together may be more than an int counts, where there are no blocks.
void vectors_have_no_blocks(Expectations& t) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  record::Cell cell;
  cell.operation = "scan=hierarchical";
  cell.size_bytes = std::uint64_t{4} << 30U;  // of int32
  cell.ranks = static_cast<std::uint32_t>(ranks);
  const CallSetup setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  t.expect(setup.errors().empty(), "4 GiB");
  if (!setup.errors().empty()) return;
  t.expect(hosts_of(setup.call()).blocks.counts == nullptr, "and no block of the ranks");
}

int run() {
  Expectations t;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::size_t operations = 0;
  for (const Operation* const operation : catalogue()) {
    if (!goes_by_hosts(*operation)) continue;
    ++operations;
    if (broken_in_library(*operation, ranks)) {
      if (rank == 0) std::printf("left out: %s under this Intel MPI\n", operation->name);
      continue;
    }
    for (const Layout& layout : kLayouts) {
      pretend_hosts(layout.host_of);
      results_are_right(t, *operation, layout);
    }
  }
  t.expect(operations == 16, "eight operations, both ways");
  refused_cells_fail_no_check(t);
  pretend_hosts(nullptr);
  setups_share_communicators(t);
  cells_without_communicators_are_refused(t);
  vectors_have_no_blocks(t);
  return t.finish("host_layouts");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = invar::ops::test::run();
  MPI_Finalize();
  return status;
}
