// Wrong kernels are found: what `verify` of operations on memory says of kernels that leave out a
// load, store where they should not, or do not follow their chains; and what the memory is that
// cells may ask for. Without other ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "ops/buffers/paged.hpp"
#include "ops/expect.hpp"
#include "ops/memory/memory_call.hpp"
#include "ops/placed.hpp"
#include "ops/verify.hpp"

namespace invar::ops::test {
namespace {

constexpr std::uint64_t kBytes = 16'384;

record::Cell memory_cell(const std::string& operation) {
  record::Cell cell = cell_of(operation, kBytes);
  if (operation == "chase") {
    cell.stride = "128";
    cell.access = "random";
  }
  return cell;
}

// What the check says of a call of a cell with that kernel in the place of its own.
std::string said_of(const record::Cell& cell, KernelFunction kernel) {
  Placed placed(cell);
  if (!placed.setup.errors().empty()) return placed.setup.errors().front();
  Call& call = placed.setup.call();
  if (kernel != nullptr) call.memory->kernel = kernel;
  return check_once(*find_operation(cell.operation), call, {.comm = MPI_COMM_WORLD}).what;
}

// The kernel that the cell would have, of another order.
template <WalkKernel Kernel>
KernelFunction right() {
  return walk_kernel(Kernel, walk_widths().back(), 8, WalkOrder::kPacked);
}

// One element fewer, but told of as many.
template <WalkKernel Kernel>
void too_few(KernelOrder& order) {
  --order.elements;
  right<Kernel>()(order);
  ++order.elements;
}

// For cells with a stride of 256.
template <WalkKernel Kernel>
KernelFunction right_strided() {
  return walk_kernel(Kernel, walk_widths().back(), 8, WalkOrder::kStrided);
}

void a_word_between(KernelOrder& order) {
  right_strided<WalkKernel::kWrite>()(order);
  const std::uint64_t word = 1;
  std::memcpy(order.to + 128, &word, sizeof word);
}

void a_pass_too_many(KernelOrder& order) {
  ++order.passes;
  right<WalkKernel::kRead>()(order);
  --order.passes;
}

void changes_what_it_reads(KernelOrder& order) {
  right_strided<WalkKernel::kCopy>()(order);
  const_cast<std::byte*>(order.from)[200] ^= std::byte{1};
}

void follows_nothing(KernelOrder& /*order*/) {}

void half_as_many(KernelOrder& order) {
  order.loads = order.loads / 2 + 1;
  chase_kernel(1, 8)(order);
}

void right_kernels_pass(Expectations& t) {
  for (const char* name : {"read", "write", "copy", "triad", "chase"}) {
    t.expect_equal(said_of(memory_cell(name), nullptr), "", name);
  }
  if (!has_stores_around()) return;
  for (const char* name : {"write_nt", "copy_nt", "triad_nt"}) {
    t.expect_equal(said_of(memory_cell(name), nullptr), "", name);
  }
}

void wrong_kernels_are_found(Expectations& t) {
  const std::string read = said_of(memory_cell("read"), too_few<WalkKernel::kRead>);
  t.expect_contains(read, "the sum of all that was read is", "a load too few");
  t.expect_contains(said_of(memory_cell("read"), a_pass_too_many), "the sum", "a pass too many");
  t.expect_contains(said_of(memory_cell("write"), too_few<WalkKernel::kWrite>),
                    "does not hold what is stored there", "a store too few");
  record::Cell strided = memory_cell("write");
  strided.stride = "256";
  t.expect_contains(said_of(strided, a_word_between), "recv byte 128 was never to be stored",
                    "a store between the elements of a stride");
  t.expect_contains(said_of(memory_cell("copy"), too_few<WalkKernel::kCopy>),
                    "does not hold what is stored there", "an element is not copied");
  strided = memory_cell("copy");
  strided.stride = "256";
  t.expect_contains(said_of(strided, changes_what_it_reads), "send byte 200",
                    "what is read is changed");
  t.expect(!said_of(memory_cell("triad"), right<WalkKernel::kCopy>()).empty(),
           "a copy is not a triad");
  if (has_stores_around()) {
    t.expect(!said_of(memory_cell("triad_nt"), right<WalkKernel::kCopyNt>()).empty(),
             "nor is one around the caches");
  }
  t.expect_contains(said_of(memory_cell("chase"), follows_nothing), "did not arrive",
                    "no load at all");
  t.expect_contains(said_of(memory_cell("chase"), half_as_many), "did not arrive",
                    "half of the loads");
}

void passes_are_a_part_of_the_check(Expectations& t) {
  record::Cell cell = memory_cell("chase");
  cell.loops = "3";
  t.expect_equal(said_of(cell, nullptr), "", "three rounds");
  cell = memory_cell("read");
  cell.loops = "3";
  cell.access = "random";
  t.expect_equal(said_of(cell, nullptr), "", "three random passes");
}

void what_is_not_there_is_refused(Expectations& t) {
  record::Cell cell = memory_cell("read");
  cell.width = "64";
  cell.stride = "96";
  t.expect(!said_of(cell, nullptr).empty(), "a stride that is not a multiple of the width");
  cell = memory_cell("chase");
  cell.cache = "cold-cycle";
  t.expect_contains(said_of(cell, nullptr), "cannot move on", "chains that move");
  cell = memory_cell("read");
  cell.datatype = "vector";
  t.expect(!said_of(cell, nullptr).empty(), "a datatype with gaps");
  if (has_stores_around() && walk_widths().back() > 16) {
    for (const char* name : {"write_nt", "copy_nt", "triad_nt"}) {
      cell = memory_cell(name);
      cell.placement = "fixed:16";
      t.expect_contains(said_of(cell, nullptr), "multiples",
                        "stores around the caches beside a line");
    }
  }
  bool refused = false;
  try {
    static_cast<void>(paged_memory("default", "node:1000"));
  } catch (const std::exception&) {
    refused = true;
  }
  t.expect(refused, "a NUMA node that is not there");
}

constexpr const char* kSmaps =
    "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
    "Size:               4096 kB\nRss:                4096 kB\nAnonHugePages:      2048 kB\n"
    "Private_Hugetlb:       0 kB\nVmFlags: rd wr mr\n"
    "7f0000400000-7f0000600000 rw-p 00000000 00:0f 1234 /anon_hugepage (deleted)\n"
    "Size:               2048 kB\nRss:                   0 kB\nAnonHugePages:         0 kB\n"
    "Private_Hugetlb:    2048 kB\n"
    "7f0000600000-7f0000700000 rw-p 00000000 00:00 0 \n"
    "Size:               1024 kB\nRss:                   0 kB\nAnonHugePages:         0 kB\n";

void huge_pages_are_those_of_smaps(Expectations& t) {
  t.expect(huge_ppm_of(kSmaps, 0x7f0000001000) == 500'000U, "half in transparent huge pages");
  t.expect(huge_ppm_of(kSmaps, 0x7f0000400000) == 1'000'000U, "all in reserved pages");
  t.expect(!huge_ppm_of(kSmaps, 0x7f0000600000), "nothing touched");
  t.expect(!huge_ppm_of(kSmaps, 0x7f0000700000), "no mapping");
  const auto space = paged_memory("4KiB", "default");
  const BufferNeed need{.send_bytes = 8 << 20};
  const Arena arena(std::span(&need, 1), *space);
  t.expect(huge_ppm(arena.bytes().data() + (4 << 20)) == 0U,
           "pages of 4 KiB are what was asked for");
}

void what_malloc_gives_is_written_and_apart(Expectations& t) {
  const BufferNeed need{.send_bytes = 100'000, .recv_bytes = 50, .scratch_bytes = 4096};
  const VisitMemory memory(need);
  const Placement placed = memory.placement();
  for (const std::byte* buffer : {placed.send, placed.recv, placed.scratch}) {
    t.expect(reinterpret_cast<std::uintptr_t>(buffer) % kLineBytes == 0, "begins at a line");
    t.expect(buffer[0] != std::byte{0}, "was written to");
  }
  const std::vector<std::uint64_t> frames = memory.frames();
  t.expect(std::ranges::is_sorted(frames) && std::ranges::adjacent_find(frames) == frames.end(),
           "frames are told once each");
  t.expect(frames.empty() || frames.size() >= 100'000 / 4096, "all pages have frames, or none");
}

}  // namespace
}  // namespace invar::ops::test

int main(int argc, char** argv) {
  using namespace invar::ops::test;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Expectations t;
  right_kernels_pass(t);
  wrong_kernels_are_found(t);
  passes_are_a_part_of_the_check(t);
  what_is_not_there_is_refused(t);
  huge_pages_are_those_of_smaps(t);
  what_malloc_gives_is_written_and_apart(t);
  const int status = t.finish("memory_faults_selftest");
  MPI_Finalize();
  return status;
}
