// Reference algorithms as they are run: steps of every root, marks, failures, and no memory that is
// allocated or touched for the first time in a call. Runs on any number of ranks; alone there are
// no messages.
#include <mpi.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "ops/catalogue.hpp"
#include "ops/expect.hpp"
#include "ops/placed.hpp"
#include "ops/verify.hpp"

namespace {

bool sends_fail = false;
// Calls touch what a message would, and nothing else: what a library allocates or touches is its
// own matter.
bool stubbed = false;
thread_local std::uint64_t allocations = 0;  // a library's threads have their own

std::size_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

int arrive(void* data, int count, MPI_Datatype type) {
  std::memset(data, 1, bytes_of(count, type));
  return MPI_SUCCESS;
}

// Reads every byte.
int leave(const void* data, int count, MPI_Datatype type) {
  unsigned sum = 0;
  const auto* const begin = static_cast<const unsigned char*>(data);
  const unsigned char* const end = begin + bytes_of(count, type);
  for (const unsigned char* byte = begin; byte < end; ++byte) sum += *byte;
  [[maybe_unused]] const volatile unsigned kept = sum;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (sends_fail) return MPI_ERR_OTHER;
  if (stubbed) return leave(data, count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
extern "C" int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (stubbed) return arrive(data, count, type);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return stubbed ? MPI_SUCCESS : PMPI_Wait(request, status);
}
extern "C" int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return stubbed ? MPI_SUCCESS : PMPI_Waitall(count, requests, statuses);
}
extern "C" int MPI_Reduce_local(const void* operand, void* into, int count, MPI_Datatype type,
                                MPI_Op op) {
  if (!stubbed) return PMPI_Reduce_local(operand, into, count, type, op);
  return leave(operand, count, type) == MPI_SUCCESS ? arrive(into, count, type) : MPI_ERR_OTHER;
}

#if defined(__GLIBC__)

// In the place of the C library's functions. The memory is that library's.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): so they are called.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* malloc(std::size_t bytes) noexcept {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
}  // extern "C"

#else

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif

namespace invar::ops::test {
namespace {

// A root that moves on has steps of its own for every rank that it becomes.
void algorithms_have_their_steps_for_every_root(Expectations& t) {
  record::Cell cell = cell_of("bcast@binomial", 64);
  cell.root = record::kRotatingRoot;
  Placed placed(cell);
  Call& call = placed.setup.call();
  const Operation& operation = *find_operation(cell.operation);
  for (int root = 0; root < call.ranks; ++root) {
    call.root = root;
    t.expect_equal(check_once(operation, call, {.comm = MPI_COMM_WORLD}).text(), "",
                   "root " + std::to_string(root));
  }
}

// What a call that failed was to receive, would take the next call's messages.
void algorithms_that_failed_leave_nothing_under_way(Expectations& t) {
  const record::Cell cell = cell_of("allgather@ring", 64);
  if (cell.ranks < 2) return;
  Placed placed(cell);
  Call& call = placed.setup.call();
  const Operation& operation = *find_operation(cell.operation);
  sends_fail = true;
  const Outcome failed = check_once(operation, call, {.comm = MPI_COMM_WORLD});
  sends_fail = false;
  t.expect_contains(failed.text(), "returned error", "no rank can send");
  t.expect_equal(check_once(operation, call, {.comm = MPI_COMM_WORLD}).text(), "", "the next call");
}

// A clock that counts its readings.
std::int64_t next_reading(const void* count) {
  return ++*const_cast<std::int64_t*>(static_cast<const std::int64_t*>(count));
}

// Also on ranks that have nothing to do in a phase.
void phases_are_marked_in_their_order_on_all_ranks(Expectations& t) {
  for (const Operation* const operation : catalogue()) {
    if (!operation->optional_marks) continue;
    record::Cell cell = cell_of(operation->name, 64);
    for (const char* marks : {"off", "on"}) {
      cell.marks = marks;
      Placed placed(cell);
      t.expect(placed.setup.errors().empty(), operation->name);
      if (!placed.setup.errors().empty()) continue;
      std::int64_t count = 0;
      std::vector<std::int64_t> ticks(operation->marks.size(), 0);
      Call& call = placed.setup.call();
      call.marks = ticks.data();
      call.read_clock = next_reading;
      call.clock = &count;
      t.expect(operation->call(call) == MPI_SUCCESS, operation->name);
      const bool on = cell.marks == "on";
      t.expect(marks_in(cell, *operation) == (on ? ticks.size() : 0), operation->name);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        t.expect(ticks[i] == (on ? static_cast<std::int64_t>(i) + 1 : 0),
                 std::string(operation->name) + ", marks " + marks + ", mark " + std::to_string(i));
      }
    }
  }
}

std::int64_t page_faults() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : -1;
}

struct Took {
  std::uint64_t allocations = 0;
  std::int64_t page_faults = 0;
};

// What the first call in buffers of its own takes, where messages take nothing.
Took first_call_takes(const record::Cell& cell) {
  Placed placed(cell);
  Call& call = placed.setup.call();
  const Operation& operation = *find_operation(cell.operation);
  stubbed = true;
  const std::uint64_t allocations_before = allocations;
  const std::int64_t faults_before = page_faults();
  operation.call(call);
  const Took took{.allocations = allocations - allocations_before,
                  .page_faults = page_faults() - faults_before};
  stubbed = false;
  return took;
}

// Requests, steps and scratch are there before, and were touched. Some pages fault once for reasons
// of the kernel's, or because the code was never run before: never in every new place.
void calls_allocate_nothing_and_touch_no_new_page(Expectations& t) {
  constexpr std::uint64_t kSizeBytes = 16384;  // pages of every block
  constexpr int kPlaces = 6;
  int measured = 0;
  for (const Operation* const operation : catalogue()) {
    const std::string name = operation->name;
    if (name.find('@') == std::string::npos) continue;
    const record::Cell cell = cell_of(name, kSizeBytes);
    if (!Placed(cell).setup.errors().empty()) continue;  // not for so many ranks
    ++measured;
    Took least = first_call_takes(cell);
    for (int place = 1; place < kPlaces && least.page_faults > 0; ++place) {
      const Took took = first_call_takes(cell);
      if (took.page_faults < least.page_faults) least = took;
    }
    t.expect(least.allocations == 0,
             name + " allocates " + std::to_string(least.allocations) + " times");
    t.expect(least.page_faults == 0,
             name + " faults on " + std::to_string(least.page_faults) + " pages");
  }
  t.expect(measured > 0, "some algorithms run on so many ranks");
}

// Else nothing above would mean anything.
void allocations_and_page_faults_are_counted(Expectations& t) {
  void* (*volatile allocate)(std::size_t) = [](std::size_t bytes) {
#if defined(__GLIBC__)
    return std::malloc(bytes);
#else
    return ::operator new(bytes);
#endif
  };
  const std::uint64_t allocations_before = allocations;
  void* const memory = allocate(1);
  const bool counted = allocations == allocations_before + 1;
  t.expect(counted, "an allocation is counted");
  std::free(memory);
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page =
      mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::int64_t faults_before = page_faults();
  *static_cast<volatile char*>(page) = 1;
  t.expect(page_faults() > faults_before, "a page that is touched for the first time is counted");
  munmap(page, page_bytes);
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  Expectations t;
  algorithms_have_their_steps_for_every_root(t);
  algorithms_that_failed_leave_nothing_under_way(t);
  phases_are_marked_in_their_order_on_all_ranks(t);
  allocations_and_page_faults_are_counted(t);
  calls_allocate_nothing_and_touch_no_new_page(t);
  const int status = t.finish("executor_selftest");
  MPI_Finalize();
  return status;
}
