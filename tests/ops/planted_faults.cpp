// Does `check_operations` find a library that is wrong? This program stands between the check and
// the library (PMPI): each fault is planted in one MPI function, on one rank where that is enough,
// and must be found in exactly the operations that call it. For two ranks or more.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ops/catalogue.hpp"
#include "ops/checked.hpp"
#include "ops/expect.hpp"

namespace {

enum class Fault {
  kNone,
  kWrongByte,       // one byte of the last rank's result
  kMissingWrite,    // the last rank's result is not written
  kOverrun,         // one element too many is written
  kModifiedSend,    // the last rank's input is changed
  kError,           // an error code from every rank
  kEveryOtherCall,  // wrong only the second time
  kOtherRoot,       // wrong only if the root is not rank 0
  kGap,             // a gap of the datatype is written
  kIrregular,       // one byte of the last rank's result, where blocks differ in length
  kFirstByte,       // the first byte of the last rank's result
  kCountsOnly       // displacements are taken for the sums of the counts
};

Fault planted = Fault::kNone;
int planted_calls = 0;

bool last_rank(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  return rank == ranks - 1;
}

void flip(void* buffer, std::ptrdiff_t byte) { static_cast<unsigned char*>(buffer)[byte] ^= 1; }

// What is done to the last rank's buffers after a right call; `bytes` is the result's length.
int spoil(int code, MPI_Comm comm, const void* send, void* recv, std::ptrdiff_t bytes) {
  ++planted_calls;
  if (planted == Fault::kError) return MPI_ERR_OTHER;
  if (!last_rank(comm)) return code;
  if (planted == Fault::kWrongByte && bytes > 0) flip(recv, bytes / 2);
  if (planted == Fault::kEveryOtherCall && planted_calls % 2 == 0 && bytes > 0) flip(recv, 0);
  if (planted == Fault::kOverrun) flip(recv, bytes);
  if (planted == Fault::kModifiedSend && bytes > 0 && send != MPI_IN_PLACE)
    flip(const_cast<void*>(send), 0);
  if (planted == Fault::kMissingWrite) std::memset(recv, 0xff, static_cast<std::size_t>(bytes));
  return code;
}

std::ptrdiff_t bytes_of(int count, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return std::ptrdiff_t{count} * bytes;
}

// The displacements of a library, which may have its own ideas of them.
class Places {
 public:
  Places(const int* counts, const int* displacements, MPI_Comm comm)
      : displacements_(displacements) {
    if (planted != Fault::kCountsOnly || counts == nullptr) return;
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    sums_.assign(static_cast<std::size_t>(ranks), 0);
    std::partial_sum(counts, counts + ranks - 1, sums_.begin() + 1);
  }
  [[nodiscard]] const int* get() const { return sums_.empty() ? displacements_ : sums_.data(); }

 private:
  const int* displacements_;
  std::vector<int> sums_ = {};
};

// The first byte of the last rank's first block that has any.
void spoil_irregular(void* recv, const int* counts, const int* displacements, MPI_Datatype type,
                     MPI_Comm comm) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  const int* const end = counts + ranks;
  const bool equal = std::all_of(counts, end, [&](int count) { return count == counts[0]; });
  if (planted != Fault::kIrregular || equal || !last_rank(comm)) return;
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &begin, &extent);
  const int* const block = std::find_if(counts, end, [](int count) { return count > 0; });
  flip(recv, displacements[block - counts] * extent);
}

// Spoils the last rank's result, if there is any: the blocks of v-forms begin with data.
void spoil_first_byte(void* recv, bool any, MPI_Comm comm) {
  if (planted == Fault::kFirstByte && any && last_rank(comm)) flip(recv, 0);
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const int code = PMPI_Allreduce(send, recv, count, type, op, comm);
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(type, &begin, &extent);
  const bool gaps = count > 0 && extent * count != bytes_of(count, type);
  if (planted == Fault::kGap && gaps && last_rank(comm)) flip(recv, 8);  // behind the first map
  return spoil(code, comm, send, recv, bytes_of(count, type));
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const int code = PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  return spoil(code, comm, send, recv, bytes_of(recv_count, recv_type) * ranks);
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                   const int counts[], const int displacements[], MPI_Datatype type,
                   MPI_Comm comm) {
  const Places places(counts, displacements, comm);
  const int code =
      PMPI_Allgatherv(send, send_count, send_type, recv, counts, places.get(), type, comm);
  spoil_irregular(recv, counts, displacements, type, comm);
  return code;
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_displacements[],
                  MPI_Datatype send_type, void* recv, const int counts[], const int displacements[],
                  MPI_Datatype type, MPI_Comm comm) {
  const Places sent(send_counts, send_displacements, comm);
  const Places received(counts, displacements, comm);
  const int code = PMPI_Alltoallv(send, send_counts, sent.get(), send_type, recv, counts,
                                  received.get(), type, comm);
  spoil_irregular(recv, counts, displacements, type, comm);
  return code;
}

int MPI_Alltoallw(const void* send, const int send_counts[], const int send_displacements[],
                  const MPI_Datatype send_types[], void* recv, const int counts[],
                  const int displacements[], const MPI_Datatype types[], MPI_Comm comm) {
  const int code = PMPI_Alltoallw(send, send_counts, send_displacements, send_types, recv, counts,
                                  displacements, types, comm);
  spoil_irregular(recv, counts, displacements, MPI_BYTE, comm);  // displacements are bytes
  return code;
}

int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                const int counts[], const int displacements[], MPI_Datatype type, int root,
                MPI_Comm comm) {
  const int code =
      PMPI_Gatherv(send, send_count, send_type, recv, counts, displacements, type, root, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank == root) spoil_irregular(recv, counts, displacements, type, comm);
  return code;
}

int MPI_Scatterv(const void* send, const int send_counts[], const int send_displacements[],
                 MPI_Datatype send_type, void* recv, int count, MPI_Datatype type, int root,
                 MPI_Comm comm) {
  const int code = PMPI_Scatterv(send, send_counts, send_displacements, send_type, recv, count,
                                 type, root, comm);
  if (recv != MPI_IN_PLACE) spoil_first_byte(recv, count > 0, comm);
  return code;
}

int MPI_Reduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Reduce_scatter(send, recv, counts, type, op, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  spoil_first_byte(recv, counts[rank] > 0, comm);
  return code;
}

int MPI_Neighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                            const int counts[], const int displacements[], MPI_Datatype type,
                            MPI_Comm comm) {
  const int code = PMPI_Neighbor_allgatherv(send, send_count, send_type, recv, counts,
                                            displacements, type, comm);
  spoil_first_byte(recv, counts[0] > 0, comm);
  return code;
}

int MPI_Neighbor_alltoallv(const void* send, const int send_counts[],
                           const int send_displacements[], MPI_Datatype send_type, void* recv,
                           const int counts[], const int displacements[], MPI_Datatype type,
                           MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoallv(send, send_counts, send_displacements, send_type, recv,
                                           counts, displacements, type, comm);
  spoil_first_byte(recv, counts[0] > 0, comm);
  return code;
}

int MPI_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const int code =
      PMPI_Neighbor_alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm);
  return spoil(code, comm, send, recv, bytes_of(recv_count, recv_type));
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  const bool spoils = planted == Fault::kOtherRoot && root != 0 && !last_rank(comm);
  if (spoils && count > 0) flip(buffer, 0);
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  if (planted == Fault::kMissingWrite) return MPI_SUCCESS;  // does not wait
  const int code = PMPI_Barrier(comm);
  return planted == Fault::kError ? MPI_ERR_OTHER : code;
}

}  // extern "C"

namespace invar::ops::test {
namespace {

// Collective. Several expectations of the same fault are of one check: with more ranks than cores
// it takes seconds.
const Checked& check(const std::vector<std::string>& names, Fault fault) {
  static std::map<std::pair<std::vector<std::string>, Fault>, Checked> checks;
  const auto [place, is_new] = checks.try_emplace({names, fault});
  if (!is_new) return place->second;
  planted = fault;
  planted_calls = 0;
  place->second = checked(names);
  planted = Fault::kNone;
  return place->second;
}

// `failures` of all checks of a function; the text is of rank 0 only.
void expect_found(Expectations& t, bool speaks, const std::string& name, Fault fault, int failures,
                  const std::string& part) {
  const Checked& checked = check({name}, fault);
  t.expect(checked.failures == failures,
           name + ": " + std::to_string(failures) + " failures, found " +
               std::to_string(checked.failures) + "\n" + checked.text);
  if (!speaks) return;
  t.expect_contains(checked.text, part, name);
  t.expect_contains(checked.text, " failed\n", "summary");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool speaks = rank == 0;
  Expectations t;

  // Those that are spoilt below; all of them under the library alone: engine_operations.
  const Checked& clean =
      check({"allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
             "gatherv", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
             "reduce_scatter", "scatterv"},
            Fault::kNone);
  t.expect(clean.failures == 0, "an unspoilt library passes:\n" + clean.text);

  // Checks of four counts, and of the same in place; of two counts and one in place for each of 15
  // reductions or 7 datatypes; all of it twice. Where there are no elements, no byte can be wrong.
  struct Function {
    const char* name;
    int all;
    int with_bytes;
    int with_send;
  };
  for (const Function& f :
       {Function{"allreduce", 106, 102, 66}, Function{"alltoall", 58, 54, 34}}) {
    const std::string name = f.name;
    expect_found(t, speaks, name, Fault::kWrongByte, f.with_bytes, "expected");
    expect_found(t, speaks, name, Fault::kMissingWrite, f.with_bytes, "which nobody wrote");
    expect_found(t, speaks, name, Fault::kOverrun, f.all, "behind the buffer");
    expect_found(t, speaks, name, Fault::kModifiedSend, f.with_send, "(modified, element 0)");
    expect_found(t, speaks, name, Fault::kError, f.all, "returned error");
    expect_found(t, speaks, name, Fault::kEveryOtherCall, f.with_bytes / 2, "call 2");
    expect_found(t, speaks, name, Fault::kWrongByte, f.with_bytes, "FAILED " + name + ", count 7");
    expect_found(t, speaks, name, Fault::kWrongByte, f.with_bytes, "in place");
  }
  expect_found(t, speaks, "allreduce", Fault::kWrongByte, 102, "count 7, vector, user, in place");
  expect_found(t, speaks, "allreduce", Fault::kGap, 6, "a gap of the datatype");
  expect_found(t, speaks, "neighbor_alltoall", Fault::kWrongByte, 40, "ring");
  expect_found(t, speaks, "neighbor_alltoall", Fault::kWrongByte, 40, "cartesian");
  expect_found(t, speaks, "neighbor_alltoall", Fault::kMissingWrite, 40, "which nobody wrote");
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string others =
      ranks == 2 ? "(and 1 other rank)" : "(and " + std::to_string(ranks - 1) + " other ranks)";
  expect_found(t, speaks, "allreduce", Fault::kError, 106, others);
  expect_found(t, speaks, "bcast", Fault::kOtherRoot, 34, "root " + std::to_string(ranks - 1));
  // Four distributions of two counts, of one of them in place as well, and six datatypes in a fifth
  // one; in place alltoallv has none. A sixth one in reverse order: two counts, and one in place.
  for (const char* distribution :
       {"linear", "half-zero", "one-big", "random:1", "vector, random:2"}) {
    expect_found(t, speaks, "allgatherv", Fault::kIrregular, 42, distribution);
    expect_found(t, speaks, "alltoallv", Fault::kIrregular, 32, distribution);
    expect_found(t, speaks, "alltoallw", Fault::kIrregular, 32, distribution);
  }
  // The last rank receives where it is the root, which it is with the usual datatype only.
  for (const char* distribution : {"linear", "half-zero", "one-big", "random:1"}) {
    expect_found(t, speaks, "gatherv", Fault::kIrregular, 30, distribution);
  }
  // The last rank has a block in these, and on a ring or torus so have its neighbours.
  for (const char* name :
       {"scatterv", "reduce_scatter", "neighbor_allgatherv", "neighbor_alltoallv"}) {
    const Checked& found = check({name}, Fault::kFirstByte);
    t.expect(found.failures > 0, name);
    for (const char* distribution : {", linear, ", ", random:1, ", ", random:2, "}) {
      if (speaks) t.expect_contains(found.text, distribution, name);
    }
  }
  // Blocks in reverse order: of equal length with two counts and one of them in place, and the same
  // of a drawn length, but for alltoallv in place.
  for (const char* distribution : {"count 7, blocks in reverse", "random:2, blocks in reverse"}) {
    expect_found(t, speaks, "allgatherv", Fault::kCountsOnly, 12, distribution);
    expect_found(t, speaks, "alltoallv", Fault::kCountsOnly, 10, distribution);
  }
  expect_found(t, speaks, "barrier", Fault::kMissingWrite, 2, "had entered");
  expect_found(t, speaks, "barrier", Fault::kError, 2, "returned error");
  expect_found(t, speaks, "allredcue", Fault::kNone, 1, "did you mean 'allreduce'?");

  const Checked& other = check({"bcast", "scan", "gatherv"}, Fault::kWrongByte);
  t.expect(other.failures == 0, "operations without a fault pass while others have one");

  const int status = t.finish("planted_faults");
  MPI_Finalize();
  return status;
}
