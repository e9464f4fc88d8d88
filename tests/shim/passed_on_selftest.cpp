// What is the library's: calls that no entry is about, and those that a mock-up could not do. The
// results are the library's, the shim says why, and all ranks come to the same. For any number of
// ranks.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/expect.hpp"
#include "shim/comparison.hpp"
#include "shim/tables.hpp"

namespace invar::shim::test {
namespace {

using ops::test::Expectations;

const ElementKind& numbers() { return element_kinds().front(); }
const ElementKind& maps() { return element_kinds()[1]; }

void expect_same(Expectations& t, const TestedCall& call, MPI_Comm comm, const std::string& what) {
  const std::string wrong = difference(call, comm);
  t.expect(wrong.empty(), what + ": " + wrong);
}

// A table of one line, and a communicator whose first call is behind it.
struct Tried {
  Tried(Expectations& t, const std::string& line, std::string_view collective,
        MPI_Comm of = MPI_COMM_WORLD)
      : call{.collective = &tested_collective(collective), .kind = &numbers(), .count = 4} {
    t.expect_equal(take_table(line), "", line);
    comm = another(of);
    expect_same(t, call, comm, "the first call");
  }
  Tried(const Tried&) = delete;
  Tried& operator=(const Tried&) = delete;
  ~Tried() { MPI_Comm_free(&comm); }
  TestedCall call;
  MPI_Comm comm = MPI_COMM_NULL;
};

std::string for_allreduce(int ranks) {
  return line_of("allreduce", ranks, "mockup:allreduce=reduce+bcast");
}

// It would pay for a communicator that lives no longer.
void first_call_of_a_communicator_is_the_librarys(Expectations& t) {
  const Tried tried(t, for_allreduce(ranks_of(MPI_COMM_WORLD)), "allreduce");
  t.expect(replaced_calls() == 0 && passed_on_calls(PassedOn::kFirst) == 1, "the first call");
  expect_same(t, tried.call, tried.comm, "the second call");
  t.expect(replaced_calls() == 1 && passed_on_calls(PassedOn::kFirst) == 1, "the second call");
}

// Both ends of an entry belong to it.
void sizes_outside_of_an_entry_are_the_librarys(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const std::string line =
      "allreduce," + std::to_string(ranks) + ",16,32,mockup:allreduce=reduce+bcast\n";
  Tried tried(t, line, "allreduce");
  for (const int count : {0, 1, 2, 3, 4, 5}) {  // of 8 bytes
    tried.call.count = count;
    const std::uint64_t before = replaced_calls();
    expect_same(t, tried.call, tried.comm, std::to_string(count));
    const bool inside = count >= 2 && count <= 4;
    t.expect(replaced_calls() == before + (inside ? 1 : 0), std::to_string(count) + " numbers");
  }
}

void other_numbers_of_ranks_are_the_librarys(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const Tried tried(t, for_allreduce(ranks + 1), "allreduce");
  expect_same(t, tried.call, tried.comm, "ranks");
  t.expect(replaced_calls() == 0 && passed_on_calls(PassedOn::kFirst) == 0, "nobody asked");
}

// Two tables' worth of entries, of which each collective finds its own.
void collectives_find_their_own_entries(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const Tried tried(
      t, line_of("reduce_scatter", ranks, "mockup:reduce_scatter=allreduce") + for_allreduce(ranks),
      "allreduce");
  TestedCall call = tried.call;
  for (const char* name : {"allreduce", "reduce_scatter", "reduce_scatter_block", "reduce"}) {
    call.collective = &tested_collective(name);
    expect_same(t, call, tried.comm, name);
  }
  const auto entries = table_in_use()->entries();
  t.expect(entries.size() == 2, "two entries");
  for (const ActiveEntry& entry : entries) {
    t.expect(entry.replaced.load() == 1, entry.text + " replaced once");
  }
}

// The two halves of the ranks: in MPI_Allreduce each gets the other one's sum.
void inter_communicators_are_the_librarys(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const int rank = rank_of(MPI_COMM_WORLD);
  if (ranks < 2) return;
  std::string lines;
  for (int some = 1; some <= ranks; ++some) lines += for_allreduce(some);
  t.expect_equal(take_table(lines), "", "for any number of ranks");
  const int half = ranks / 2;
  const bool lower = rank < half;
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, lower ? 0 : 1, rank, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, lower ? half : 0, 1, &both);
  for (int call = 0; call < 3; ++call) {
    const int one = lower ? 1 : 100;
    int sum = 0;
    t.expect(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both) == MPI_SUCCESS, "allreduce");
    t.expect(sum == (lower ? 100 * (ranks - half) : half), "the other group's sum");
  }
  for (const ActiveEntry& entry : table_in_use()->entries()) {
    t.expect(entry.replaced.load() == 0 &&
                 entry.passed_on[static_cast<std::size_t>(PassedOn::kFirst)].load() == 0,
             entry.text + ": nobody asked");
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&mine);
}

// The library complains of those that it does not define; mock-ups would do so half way.
void operators_and_types_that_do_not_fit_are_the_librarys(Expectations& t) {
  const Tried tried(t, for_allreduce(ranks_of(MPI_COMM_WORLD)), "allreduce");
  MPI_Comm_set_errhandler(tried.comm, MPI_ERRORS_RETURN);
  std::array<double, 4> in{1, 2, 3, 4};
  std::array<double, 4> out{};
  std::array<double, 4> past{};
  const int through = MPI_Allreduce(in.data(), out.data(), 4, MPI_DOUBLE, MPI_BAND, tried.comm);
  const int library = PMPI_Allreduce(in.data(), past.data(), 4, MPI_DOUBLE, MPI_BAND, tried.comm);
  int through_class = 0;
  int library_class = 0;
  MPI_Error_class(through, &through_class);
  MPI_Error_class(library, &library_class);
  t.expect(through_class == library_class, "bits of a double: the library's own error");
  t.expect(passed_on_calls(PassedOn::kUnknownOperator) == 1, "said");
  t.expect(MPI_Allreduce(in.data(), out.data(), 4, MPI_DOUBLE, MPI_MAX, tried.comm) == MPI_SUCCESS,
           "what fits");
  t.expect(replaced_calls() == 1, "is replaced");
}

// Copies of whole elements would take along what belongs to nobody.
void derived_types_that_reach_beyond_an_element_are_the_librarys(Expectations& t) {
  Tried tried(t, for_allreduce(ranks_of(MPI_COMM_WORLD)), "allreduce");
  MPI_Datatype shifted = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(maps().type, -8, 32, &shifted);
  MPI_Type_commit(&shifted);
  const Bytes in(64, std::byte{1});
  Bytes out(64, kUntouched);
  Bytes past(64, kUntouched);
  MPI_Allreduce(&in[8], &out[8], 1, shifted, maps().op, tried.comm);
  PMPI_Allreduce(&in[8], &past[8], 1, shifted, maps().op, tried.comm);
  t.expect(out == past, "the same result");
  t.expect(passed_on_calls(PassedOn::kDerivedType) == 1 && replaced_calls() == 0, "said");
  MPI_Type_free(&shifted);
  tried.call.kind = &maps();
  expect_same(t, tried.call, tried.comm, "maps without gaps");
  t.expect(replaced_calls() == 1, "which are replaced");
}

void operators_that_do_not_commute_are_the_librarys_where_order_is_lost(Expectations& t) {
  Tried tried(t, line_of("allreduce", ranks_of(MPI_COMM_WORLD), "reference:allreduce@ring"),
              "allreduce");
  tried.call.kind = &maps();
  expect_same(t, tried.call, tried.comm, "maps");
  t.expect(passed_on_calls(PassedOn::kOrder) == 1 && replaced_calls() == 0, "said");
}

void algorithms_without_a_form_in_place_are_the_librarys_in_place(Expectations& t) {
  Tried tried(t, line_of("alltoall", ranks_of(MPI_COMM_WORLD), "reference:alltoall@pairwise"),
              "alltoall");
  tried.call.in_place = true;
  expect_same(t, tried.call, tried.comm, "in place");
  t.expect(passed_on_calls(PassedOn::kInPlace) == 1 && replaced_calls() == 0, "said");
}

void blocks_of_different_lengths_are_the_librarys(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  if (ranks < 2) return;
  const Tried tried(t, line_of("reduce_scatter", ranks, "mockup:reduce_scatter=allreduce"),
                    "reduce_scatter");
  std::vector<int> counts(static_cast<std::size_t>(ranks), 2);
  counts.back() = 5;
  const std::size_t all = 2 * (counts.size() - 1) + 5;
  const Bytes in = elements_of(numbers(), rank_of(tried.comm), all);
  Bytes out = untouched(numbers(), 5);
  Bytes past = untouched(numbers(), 5);
  MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT64_T, MPI_SUM, tried.comm);
  PMPI_Reduce_scatter(in.data(), past.data(), counts.data(), MPI_INT64_T, MPI_SUM, tried.comm);
  t.expect(out == past, "the same result");
  t.expect(passed_on_calls(PassedOn::kUnequalBlocks) == 1 && replaced_calls() == 0, "said");
}

// A bcast of a single rank touches nothing, however much it says that it has.
void counts_above_int_are_the_librarys(Expectations& t) {
  MPI_Comm self = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD), 0, &self);
  {
    const Tried tried(t, "bcast,1,0,99999999999,mockup:bcast=scatter+allgather\n", "bcast", self);
    MPI_Datatype gibibyte = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1 << 30, MPI_BYTE, &gibibyte);
    MPI_Type_commit(&gibibyte);
    std::byte nothing{};
    t.expect(MPI_Bcast(&nothing, 3, gibibyte, 0, tried.comm) == MPI_SUCCESS, "3 GiB");
    t.expect(passed_on_calls(PassedOn::kTooLong) == 1 && replaced_calls() == 0, "said");
    MPI_Type_free(&gibibyte);
  }
  MPI_Comm_free(&self);
}

// Arguments that are none are complained of as without the shim.
void wrong_arguments_are_the_librarys(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const Tried tried(t, line_of("bcast", ranks, "reference:bcast@binomial"), "bcast");
  MPI_Comm_set_errhandler(tried.comm, MPI_ERRORS_RETURN);
  int number = 0;
  int error_class = 0;
  MPI_Error_class(MPI_Bcast(&number, 1, MPI_INT, ranks, tried.comm), &error_class);
  t.expect(error_class == MPI_ERR_ROOT, "no rank is the root");
  MPI_Error_class(MPI_Bcast(&number, -1, MPI_INT, 0, tried.comm), &error_class);
  t.expect(error_class == MPI_ERR_COUNT, "a negative count");
  MPI_Error_class(MPI_Bcast(&number, 1, MPI_DATATYPE_NULL, 0, tried.comm), &error_class);
  t.expect(error_class == MPI_ERR_TYPE, "no datatype");
  t.expect(replaced_calls() == 0, "none is replaced");
}

// The faults of a table, all of them, with their places; nothing is replaced by the rest of it.
void tables_with_a_fault_replace_nothing(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  const std::string faults =
      take_table(for_allreduce(ranks) + line_of("alltoallv", ranks, "mockup:alltoallv=alltoall") +
                 line_of("bcast", ranks, "mockup:allreduce=reduce+bcast") +
                 line_of("bcast", ranks + 1, "mockup:bcast=scater+allgather") +
                 line_of("allgather", 3, "reference:allgather@neighbour-exchange") +
                 line_of("reduce", ranks, "reference:reduce@binomial:segment=8") +
                 line_of("scan", ranks, "reference:scan@linear:fanout=2"));
  for (const char* part :
       {"does not stand in front of 'alltoallv'; did you mean 'alltoall'?",
        "'allreduce=reduce+bcast' does not stand for bcast here",
        "did you mean 'bcast=scatter+allgather'?", "needs an even number of ranks, not 3",
        "does not cut its messages", "has no fan-out to choose", "table.csv: "}) {
    t.expect_contains(faults, part, "faults");
  }
  t.expect_contains(take_table("allreduce,x,0,8,default\n"), "table.csv:2: ", "a line's number");
  MPI_Comm comm = another(MPI_COMM_WORLD);
  const std::uint64_t before = replaced_calls();
  const TestedCall call{
      .collective = &tested_collective("allreduce"), .kind = &numbers(), .count = 2};
  for (int i = 0; i < 3; ++i) expect_same(t, call, comm, "behind a table with faults");
  t.expect(replaced_calls() == before, "nothing is replaced");
  MPI_Comm_free(&comm);
}

// What the library's own file is for.
void entries_of_the_librarys_own_algorithms_are_left_to_it(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  t.expect_equal(
      take_table(for_allreduce(ranks) + line_of("alltoallv", ranks, "algorithm:pairwise") +
                 line_of("bcast", ranks, "default")),
      "", "no faults");
  t.expect(table_in_use()->entries().size() == 1 && table_in_use()->left_to_library() == 2,
           "two are left");
  t.expect_contains(report_text(*table_in_use()), "2 entries for the library's own file",
                    "the report");
}

void reports_say_what_was_replaced_and_why_not(Expectations& t) {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  Tried tried(t, line_of("allreduce", ranks, "reference:allreduce@ring"), "allreduce");
  expect_same(t, tried.call, tried.comm, "numbers");
  expect_same(t, tried.call, tried.comm, "numbers");
  tried.call.kind = &maps();
  expect_same(t, tried.call, tried.comm, "maps");
  t.expect_contains(report_text(*table_in_use()),
                    "reference:allreduce@ring: 2 calls replaced; passed on: 1 (the first on its "
                    "communicator), 1 (an operator that does not commute)\n",
                    "the report");
}

int run() {
  Expectations t;
  first_call_of_a_communicator_is_the_librarys(t);
  sizes_outside_of_an_entry_are_the_librarys(t);
  other_numbers_of_ranks_are_the_librarys(t);
  collectives_find_their_own_entries(t);
  inter_communicators_are_the_librarys(t);
  operators_and_types_that_do_not_fit_are_the_librarys(t);
  derived_types_that_reach_beyond_an_element_are_the_librarys(t);
  operators_that_do_not_commute_are_the_librarys_where_order_is_lost(t);
  algorithms_without_a_form_in_place_are_the_librarys_in_place(t);
  blocks_of_different_lengths_are_the_librarys(t);
  counts_above_int_are_the_librarys(t);
  wrong_arguments_are_the_librarys(t);
  tables_with_a_fault_replace_nothing(t);
  entries_of_the_librarys_own_algorithms_are_left_to_it(t);
  reports_say_what_was_replaced_and_why_not(t);
  return t.finish("passed_on_selftest");
}

}  // namespace
}  // namespace invar::shim::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = invar::shim::test::run();
  MPI_Finalize();
  return status;
}
