// What CallSetup makes of a cell, and what it refuses. Runs on any number of ranks, one is enough.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "ops/buffers/element.hpp"
#include "ops/buffers/memory.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/placed.hpp"
#include "ops/shapes.hpp"

namespace invar::ops::test {
namespace {

std::string errors_of(const record::Cell& cell) {
  const CallSetup setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  std::string all;
  for (const std::string& error : setup.errors()) all += error + "\n";
  return all;
}

void size_becomes_a_count_of_elements(Expectations& t) {
  const record::Cell bytes = cell_of("bcast", 12);
  const CallSetup moved(bytes, *find_operation("bcast"), MPI_COMM_WORLD);
  t.expect(moved.errors().empty() && moved.call().count == 12 && moved.call().type == MPI_BYTE,
           "12 bytes");
  const record::Cell ints = cell_of("allreduce", 12);
  const CallSetup reduced(ints, *find_operation("allreduce"), MPI_COMM_WORLD);
  t.expect(reduced.errors().empty() && reduced.call().count == 3 &&
               reduced.call().type == MPI_INT32_T && reduced.call().reduction == MPI_SUM &&
               reduced.call().block_bytes == 12,
           "3 int32, sum");
}

void typed_arrays_are_in_bytes(Expectations& t) {
  record::Cell cell = cell_of("alltoallw", 12);
  cell.datatype = "int32";
  Placed placed(cell);
  t.expect(placed.setup.errors().empty(), "alltoallw of int32");
  const Call& call = placed.setup.call();
  for (int r = 0; r < call.ranks; ++r) {
    for (const Side& side : {call.sent, call.received}) {
      t.expect(side.counts[r] == 3 && side.byte_displacements[r] == 12 * r &&
                   side.displacements == nullptr && side.large_counts == nullptr &&
                   call.types[r] == MPI_INT32_T,
               "entry " + std::to_string(r));
    }
  }
}

std::int64_t count_of(const Side& side, std::size_t block) {
  return side.large_counts != nullptr ? side.large_counts[block] : side.counts[block];
}

// In elements of int32.
std::int64_t displacement_of(const Side& side, std::size_t block) {
  constexpr std::int64_t kElementBytes = 4;
  if (side.displacements != nullptr) return side.displacements[block];
  if (side.large_displacements != nullptr) return side.large_displacements[block];
  if (side.byte_displacements != nullptr) return side.byte_displacements[block] / kElementBytes;
  return side.address_displacements[block] / kElementBytes;
}

void expect_one_block_behind_the_other(Expectations& t, const Side& side, std::size_t blocks,
                                       const std::string& where) {
  std::int64_t before = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    t.expect(displacement_of(side, block) == before, where + ": one block behind the other");
    before += count_of(side, block);
  }
}

// The length of every block that a rank receives, as those say it that send.
std::vector<std::int64_t> told_by_senders(const Operation& operation, const Call& call) {
  const auto ranks = static_cast<std::size_t>(call.ranks);
  std::vector<std::int64_t> told(ranks);
  if (operation.distributes == Distributes::kPairs) {
    std::vector<std::int64_t> sent(ranks);
    for (std::size_t to = 0; to < ranks; ++to) sent[to] = count_of(call.sent, to);
    MPI_Alltoall(sent.data(), 1, MPI_INT64_T, told.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    return told;
  }
  const std::int64_t own = call.large_own_count;
  MPI_Allgather(&own, 1, MPI_INT64_T, told.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  if (!operation.neighbours) return told;
  std::vector<std::int64_t> of_arrivals;
  for (int number = 0; number < call.neighbours; ++number) {
    of_arrivals.push_back(told[static_cast<std::size_t>(call.arrivals[number].source)]);
  }
  return of_arrivals;
}

// Looks at all operations whose blocks may differ in length.
void both_sides_of_an_exchange_agree(Expectations& t) {
  std::size_t operations = 0;
  for (const Operation* const operation : catalogue()) {
    if (operation->distributes == Distributes::kNothing || operation->missing != nullptr) continue;
    ++operations;
    for (const char* distribution : {"regular", "linear", "half-zero", "one-big", "random:3"}) {
      const std::string where = std::string(operation->name) + ", " + distribution;
      record::Cell cell = cell_of(operation->name, 40);
      cell.datatype = "int32";
      cell.distribution = distribution;
      const Placed placed(cell);
      t.expect(placed.setup.errors().empty(), where);
      if (!placed.setup.errors().empty()) continue;
      const Call& call = placed.setup.call();
      const std::vector<std::int64_t> told = told_by_senders(*operation, call);
      std::int64_t received = 0;
      for (std::size_t block = 0; block < told.size(); ++block) {
        t.expect(count_of(call.received, block) == told[block], where + ": one length");
        received += told[block];
      }
      expect_one_block_behind_the_other(t, call.received, told.size(), where);
      expect_one_block_behind_the_other(t, call.sent, told.size(), where);
      if (operation->neighbours) continue;
      t.expect(received == 10 * call.ranks, where + ": the total, whatever the distribution");
    }
  }
  t.expect(operations >= 18, "nine blocking and nine non-blocking v-forms, at least");
}

void arrays_are_there_only_while_the_setup_is_in_use(Expectations& t) {
  record::Cell cell = cell_of("alltoallw_c", 64);
  cell.distribution = "linear";
  if (find_operation("alltoallw_c")->missing != nullptr) cell.operation = "alltoallw";
  const Operation& operation = *find_operation(cell.operation);
  const CallSetup unused(cell, operation, MPI_COMM_WORLD);
  t.expect(unused.errors().empty() && unused.array_bytes() == 0, "made, but not placed");
  Placed placed(cell);
  const std::uint64_t bytes = placed.setup.array_bytes();
  const std::uint64_t number = operation.form == Form::kLargeCounts ? 8 : 4;
  t.expect(bytes == static_cast<std::uint64_t>(cell.ranks) * (4 * number + sizeof(MPI_Datatype)),
           std::to_string(bytes) + " bytes of arrays");
  placed.setup.put_away();
  t.expect(placed.setup.array_bytes() == 0 && placed.setup.call().sent.counts == nullptr &&
               placed.setup.call().types == nullptr,
           "put away");
  for (const char* when : {"made again", "and again, though nobody put them away"}) {
    t.expect(placed.setup.place_again() == MPI_SUCCESS && placed.setup.array_bytes() == bytes,
             when);
  }
  placed.setup.put_away();
  cell = cell_of("bcast", 64);
  Placed plain(cell);
  plain.setup.put_away();
  t.expect(plain.setup.call().recv != nullptr, "what has no arrays stays as it is");
}

// A library without them says so; one that has them takes a size that no int can count.
void large_counts_are_counts_of_64_bits(Expectations& t) {
  const record::Cell cell = cell_of("bcast_c", std::uint64_t{3} << 31U);
  const Operation& operation = *find_operation("bcast_c");
  if (operation.missing != nullptr) {
    t.expect_contains(errors_of(cell), "bcast_c is missing: large counts: this library has MPI 3",
                      "no large counts");
    return;
  }
  const CallSetup setup(cell, operation, MPI_COMM_WORLD);
  t.expect(setup.errors().empty() && setup.call().large_count == MPI_Count{3} << 31U &&
               setup.need().recv_bytes == std::size_t{3} << 31U,
           "6 GiB");
  record::Cell spread = cell_of("allgatherv_c", std::uint64_t{1} << 30U);
  spread.distribution = "one-big";
  t.expect_equal(errors_of(spread), "", "displacements of 64 bits");
}

// Where blocks begin must be told in an int; what lies behind the last beginning need not.
void numbers_that_no_int_holds_are_refused(Expectations& t) {
  constexpr std::uint64_t kMost = 2147483647;
  const std::uint64_t ranks = cell_of("allgatherv", 1).ranks;
  const std::uint64_t fits = kMost / std::max<std::uint64_t>(ranks - 1, 1);
  t.expect_equal(errors_of(cell_of("allgatherv", fits)), "", "the last block begins at an int");
  if (ranks > 2) {
    t.expect_contains(errors_of(cell_of("allgatherv", fits + 1)), "needs displacements of ",
                      "the last block begins beyond");
  }
  const std::uint64_t elements = kMost / ranks;
  t.expect_equal(errors_of(cell_of("reduce_scatter", 4 * elements)), "", "a vector's elements");
  if (ranks > 1) {
    t.expect_contains(errors_of(cell_of("reduce_scatter", 4 * (elements + 1))),
                      "needs a vector of " + std::to_string(ranks * (elements + 1)) + " elements",
                      "a vector of more");
  }
}

void impossible_distributions_are_refused(Expectations& t) {
  record::Cell cell = cell_of("allreduce", 8);
  cell.distribution = "linear";
  t.expect_contains(errors_of(cell), "allreduce has blocks of one length", "equal blocks");
  cell = cell_of("alltoallv", 8);
  cell.distribution = "linear";
  cell.in_place = "yes";
  t.expect_contains(errors_of(cell), "alltoallv in place exchanges blocks of one length",
                    "in place");
  cell.distribution = "random:";
  t.expect_contains(errors_of(cell), "unknown distribution 'random:'", "no seed");
  cell = cell_of("allgatherv", (std::uint64_t{1} << 31U) - 1);
  if (cell.ranks < 2) return;
  cell.distribution = "one-big";
  t.expect_contains(errors_of(cell), "with distribution one-big a block has", "one large block");
}

// An own operation whose file forgets that its call takes counts.
void distributions_without_counts_are_refused(Expectations& t) {
  Operation forgetful = *find_operation("allgatherv");
  forgetful.arrays = Arrays::kNone;
  record::Cell cell = cell_of("allgatherv", 8);
  t.expect_contains(wrong_distribution(forgetful), "takes no counts (arrays)", "forgotten arrays");
  for (const char* distribution : {"linear", "random:1"}) {
    cell.distribution = distribution;
    const CallSetup setup(cell, forgetful, MPI_COMM_WORLD);
    t.expect(setup.errors().size() == 1, distribution);
    if (setup.errors().empty()) continue;
    t.expect_contains(setup.errors().front(), "all its blocks would be equal", distribution);
  }
  cell.distribution = "regular";
  t.expect(CallSetup(cell, forgetful, MPI_COMM_WORLD).errors().empty(), "equal blocks");
  for (const Operation* const operation : catalogue()) {
    t.expect_equal(wrong_distribution(*operation), "", operation->name);
  }
}

void impossible_cells_are_refused_with_the_reason(Expectations& t) {
  t.expect_contains(errors_of(cell_of("allreduce", 10)),
                    "a size of 10 bytes is not a multiple of the 4 bytes of the datatype",
                    "multiple");
  t.expect_contains(errors_of(cell_of("bcast", std::uint64_t{1} << 31U)),
                    "a count of 2147483648, above the largest", "count");
  t.expect_equal(errors_of(cell_of("bcast", (std::uint64_t{1} << 31U) - 1)), "", "largest count");
  t.expect_contains(errors_of(cell_of("bcast", {})), "bcast needs a size", "no size");
  t.expect_contains(errors_of(cell_of("barrier", 8)), "barrier has no size", "size");

  record::Cell cell = cell_of("bcast", 8);
  cell.root = cell.ranks;
  t.expect_contains(errors_of(cell), "is not a rank", "root");
  cell.operation = "allgather";
  t.expect_equal(errors_of(cell), "", "an operation without a root does not look at it");

  cell = cell_of("bcast", 8);
  cell.datatype = "int3";
  cell.reduction = "sum";
  ++cell.ranks;
  const std::string all = errors_of(cell);
  t.expect_contains(all, "unknown datatype 'int3'; did you mean 'int32'?", "all at once");
  t.expect_contains(all, "bcast reduces nothing", "all at once");
  t.expect_contains(all, "the cell is for", "all at once");

  cell = cell_of("allreduce", 8);
  cell.reduction = "sun";
  t.expect_contains(errors_of(cell), "no reduction 'sun' of datatype 'int32'; did you mean 'sum'?",
                    "reduction");
}

void impossible_forms_are_refused(Expectations& t) {
  record::Cell cell = cell_of("bcast", 8);
  cell.in_place = "yes";
  cell.topology = "ring";
  t.expect_contains(errors_of(cell), "bcast has no form in place", "in place");
  t.expect_contains(errors_of(cell), "bcast has no neighbours", "topology");
  cell = cell_of("bcast", 64);
  cell.marks = "on";
  t.expect_contains(errors_of(cell), "bcast has no marks that may be left out", "no marks");

  cell = cell_of("neighbor_alltoall", 8);
  cell.topology = "star";
  t.expect_contains(errors_of(cell), "unknown topology 'star'", "topology");

  cell = cell_of("bcast_init", 8);
  cell.root = record::kRotatingRoot;
  cell.cache = "cold-cycle";
  t.expect_contains(errors_of(cell), "bcast_init fixes its root", "rotating root");
  t.expect_contains(errors_of(cell), "bcast_init fixes its buffers", "moving buffers");

  cell = cell_of("allreduce", 8);
  cell.datatype = "vector";
  t.expect_contains(errors_of(cell), "not a multiple of the 16 bytes", "half an element");
  cell.size_bytes = 32;
  cell.reduction = "sum";
  t.expect_contains(errors_of(cell), "no reduction 'sum' of datatype 'vector'", "predefined");
}

void neighbours_are_those_of_the_topology(Expectations& t) {
  for (const char* topology : {"ring", "cartesian"}) {
    record::Cell cell = cell_of("neighbor_alltoallw", 32);
    cell.topology = topology;
    cell.datatype = "vector";
    Placed placed(cell);
    const CallSetup& setup = placed.setup;
    t.expect(setup.errors().empty(), topology);
    const Call& call = setup.call();
    t.expect(call.neighbours == (std::string_view(topology) == "ring" ? 2 : 4), "neighbours");
    t.expect(call.sent.address_displacements[1] == 64 &&
                 call.received.address_displacements[1] == 64 && call.count == 2,
             "extents count in buffers");
    t.expect(setup.need().recv_bytes == static_cast<std::size_t>(call.neighbours) * 64, "need");
  }
}

// Every rank becomes the root.
void rotating_root_needs_buffers_for_every_root(Expectations& t) {
  record::Cell cell = cell_of("gather", 8);
  cell.root = record::kRotatingRoot;
  const CallSetup setup(cell, *find_operation("gather"), MPI_COMM_WORLD);
  const auto ranks = static_cast<std::size_t>(setup.call().ranks);
  t.expect(setup.need().recv_bytes == 8 * ranks, "all blocks on every rank");
}

// As the root it works in place, and otherwise it sends: both inputs are there.
void rotating_root_has_its_input_in_place_and_otherwise(Expectations& t) {
  record::Cell cell = cell_of("gather", 8);
  if (cell.ranks < 2) return;
  cell.root = record::kRotatingRoot;
  cell.in_place = "yes";
  CallSetup setup(cell, *find_operation("gather"), MPI_COMM_WORLD);
  t.expect(setup.errors().empty(), "gather in place from every root");
  const BufferNeed need = setup.need();
  const Arena arena(std::span(&need, 1));
  base::Random random(1);
  constexpr std::uint32_t kVisit = 5;
  setup.place(arena.place(random, need), kVisit);
  const Call& call = setup.call();
  std::vector<std::byte> pattern(8);
  call.element->pattern(pattern, call.rank, pattern_start_of(kVisit));
  t.expect(std::equal(pattern.begin(), pattern.end(), call.send), "what it sends");
  t.expect(std::equal(pattern.begin(), pattern.end(), call.recv + 8 * call.rank),
           "its block of what it gathers");
}

void displacements_above_the_largest_int_are_refused(Expectations& t) {
  record::Cell cell = cell_of("allgatherv", std::uint64_t{1} << 30U);
  if (cell.ranks < 3) return;  // of two blocks the last one begins at 2^30
  t.expect_contains(errors_of(cell), "needs displacements of", "allgatherv");
  cell.operation = "allgather";
  t.expect_equal(errors_of(cell), "", "allgather takes none");
  cell.operation = "alltoallw";
  cell.datatype = "int32";
  t.expect_contains(errors_of(cell), " bytes, above the largest", "alltoallw");
}

void algorithms_refuse_cells_that_they_cannot_have(Expectations& t) {
  record::Cell cell = cell_of("allgather@recursive-doubling", 8);
  t.expect_equal(errors_of(cell),
                 cell.ranks == 3 ? "allgather@recursive-doubling: needs a power of two of ranks, "
                                   "not 3\n"
                                 : "",
                 "1 or 3 ranks");
  cell.operation = "allgather@neighbour-exchange";
  t.expect_contains(errors_of(cell), "needs an even number of ranks, not ", "odd numbers");

  cell = cell_of("allreduce@ring", 32);
  cell.datatype = "vector";
  t.expect_contains(errors_of(cell), "operator 'user' does not commute", "out of order");
  cell.operation = "allreduce@recursive-doubling";
  t.expect_equal(errors_of(cell), "", "in order");

  cell = cell_of("gather@binomial", (std::uint64_t{1} << 31U) - 1);
  t.expect(errors_of(cell).empty() == (cell.ranks == 1), "messages of several blocks");
  if (cell.ranks > 1) t.expect_contains(errors_of(cell), "needs a count of", "too large a message");
}

void segments_are_of_operations_that_cut_their_messages(Expectations& t) {
  record::Cell cell = cell_of("bcast", 64);
  cell.segment_bytes = 8;
  t.expect_contains(errors_of(cell), "bcast does not cut its messages", "no segments");
  cell = cell_of("allreduce@ring", 64);
  cell.segment_bytes = 10;
  t.expect_contains(errors_of(cell), "a segment of 10 bytes is not a multiple of the 4 bytes",
                    "half an element");
  cell.segment_bytes = 8;
  const CallSetup setup(cell, *find_operation(cell.operation), MPI_COMM_WORLD);
  t.expect(setup.errors().empty() && setup.call().segment_elements == 2, "two elements");
}

// An operation of our own, because what matters here is who talks to whom.
Operation messages_of_pairs() {
  Operation operation{};
  operation.name = "pairs";
  operation.buffers = kMessagesToMessages;
  operation.messages = record::Messages::kMatched;
  operation.windowed = true;
  operation.call = [](Call&) -> int { return MPI_SUCCESS; };
  operation.verify = nothing_received;
  return operation;
}

void peers_are_those_of_the_pattern(Expectations& t) {
  const Operation operation = messages_of_pairs();
  record::Cell cell = cell_of("pairs", 8);
  if (cell.ranks == 1) {
    const CallSetup alone(cell, operation, MPI_COMM_WORLD);
    t.expect_contains(std::string(alone.errors().front()),
                      "pattern 'distance:1' needs 2 ranks or more, not 1", "one rank");
    return;
  }
  if (cell.ranks != 3) return;
  cell.pattern = "distance:2";
  cell.window = 4;
  cell.source = "any";
  CallSetup setup(cell, operation, MPI_COMM_WORLD);
  t.expect(setup.errors().empty(), "rank 0 and rank 2");
  const Call& call = setup.call();
  const Peers& peers = *call.peers;
  const auto role = std::array{record::Role::kStarts, record::Role::kStandsBy,
                               record::Role::kAnswers}[static_cast<std::size_t>(call.rank)];
  t.expect(call.role == role, "who starts, answers, stands by");
  const bool talks = role != record::Role::kStandsBy;
  t.expect(peers.to.size() == (talks ? 1U : 0U) && peers.from.size() == peers.to.size(),
           "a pair talks both ways");
  if (talks) t.expect(peers.to[0] == 2 - call.rank && peers.from[0] == 2 - call.rank, "to whom");
  t.expect(peers.window == 4 && peers.messages == 4 && peers.packed == 0, "a slot a message");
  t.expect(peers.slot(1, 3) == 7, "behind those of the peers before");
  t.expect(peers.any_source && peers.source(0) == MPI_ANY_SOURCE, "from anybody");
  t.expect(call.levels->window == 4, "levels");
  t.expect(setup.need().send_bytes == 32 && setup.need().recv_bytes == 32 &&
               setup.need().scratch_bytes == 0,
           "as many bytes on every rank");
  int compared = MPI_UNEQUAL;
  MPI_Comm_compare(peers.other, call.comm, &compared);
  t.expect(compared == MPI_CONGRUENT, "another communicator of the same ranks");
  CallSetup second(cell, operation, MPI_COMM_WORLD);
  t.expect(second.call().peers->other == peers.other, "which setups share");
  const CallSetup moved(std::move(second));
  t.expect(moved.call().peers->to.size() == peers.to.size(), "peers stay where they are");

  record::Cell persistent = cell;
  persistent.form = "persistent";
  const CallSetup one_way(persistent, operation, MPI_COMM_WORLD);
  t.expect_contains(std::string(one_way.errors().front()), "pairs calls its messages in one way",
                    "no of_cell that gave it another call");

  // So it is where a cell chooses nothing but when receives are posted.
  record::Cell named = cell_of("send", 8);
  named.receives = "before";
  const auto errors_of_send = [](const record::Cell& one) {
    const CallSetup send(one, *find_operation("send"), MPI_COMM_WORLD);
    return send.errors().empty() ? std::string() : std::string(send.errors().front());
  };
  t.expect_equal(errors_of_send(named), "", "posted before");
  named.form = "persistent";
  t.expect_contains(errors_of_send(named), "send makes the calls that its name says", "a form");
  named = cell_of("send", 8);
  named.train_delay = "1x";
  t.expect_contains(errors_of_send(named), "it takes no train-delay", "a delay between messages");

  cell.pattern = "bisection";
  const CallSetup odd(cell, operation, MPI_COMM_WORLD);
  t.expect_contains(std::string(odd.errors().front()), "needs an even number of ranks", "3 ranks");
  cell.pattern = "everybody";
  const CallSetup unknown(cell, operation, MPI_COMM_WORLD);
  t.expect_contains(std::string(unknown.errors().front()), "unknown pattern", "no pattern");
  record::Cell bcast = cell_of("bcast", 8);
  bcast.pattern = "ring";
  t.expect_contains(errors_of(bcast), "it takes no pattern", "a collective");
}

std::string order_of_calls;

// Preparing and acknowledging stand around every call that nobody times, whatever fails.
void untimed_calls_have_all_their_parts(Expectations& t) {
  Operation operation = messages_of_pairs();
  operation.before_untimed = [](Call&) -> int {
    order_of_calls += "before ";
    return MPI_ERR_TAG;
  };
  operation.call = [](Call&) -> int {
    order_of_calls += "call ";
    return MPI_ERR_COUNT;
  };
  operation.behind_untimed = [](Call&) -> int {
    order_of_calls += "behind";
    return MPI_SUCCESS;
  };
  Call call;
  t.expect(untimed_call(operation, call) == MPI_ERR_TAG, "the first error is told");
  t.expect_equal(order_of_calls, "before call behind", "in order");
  order_of_calls.clear();
  t.expect(make_call(messages_of_pairs(), call) == MPI_SUCCESS && order_of_calls.empty(),
           "nothing where there are no parts");
}

// A cell may be called by other code than its operation's first.
void operations_may_be_others_in_a_cell(Expectations& t) {
  Operation operation = messages_of_pairs();
  operation.of_cell = [](const Operation& stated, const record::Cell& cell) {
    Operation special = stated;
    special.requests = cell.window;
    return special;
  };
  record::Cell cell = cell_of("pairs", 8);
  cell.window = 9;
  t.expect(operation_for(operation, cell).requests == 9, "as many requests as messages");
  t.expect(operation_for(messages_of_pairs(), cell).requests == 0, "as it stands");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  size_becomes_a_count_of_elements(t);
  typed_arrays_are_in_bytes(t);
  both_sides_of_an_exchange_agree(t);
  arrays_are_there_only_while_the_setup_is_in_use(t);
  large_counts_are_counts_of_64_bits(t);
  numbers_that_no_int_holds_are_refused(t);
  impossible_distributions_are_refused(t);
  distributions_without_counts_are_refused(t);
  impossible_cells_are_refused_with_the_reason(t);
  impossible_forms_are_refused(t);
  neighbours_are_those_of_the_topology(t);
  rotating_root_needs_buffers_for_every_root(t);
  rotating_root_has_its_input_in_place_and_otherwise(t);
  displacements_above_the_largest_int_are_refused(t);
  algorithms_refuse_cells_that_they_cannot_have(t);
  segments_are_of_operations_that_cut_their_messages(t);
  peers_are_those_of_the_pattern(t);
  untimed_calls_have_all_their_parts(t);
  operations_may_be_others_in_a_cell(t);
  const int status = t.finish("setup_selftest");
  MPI_Finalize();
  return status;
}
