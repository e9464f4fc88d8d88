#include "ops/overlap/overlap.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "host/facts.hpp"
#include "ops/verify.hpp"
#include "record/p2p/compute_level.hpp"

namespace invar::ops {
namespace {

void compute(const Overlap& overlap, std::uint64_t steps) {
  if (overlap.region != nullptr) {
    stream(*overlap.region, steps);
  } else {
    run_chain(steps);
  }
}

// So that the library gets on. Not MPI_Testall where there is one request: of a persistent
// collective MPICH's (4.0.2 to 5.0.2, and Intel's) returns MPI_ERR_IN_STATUS with no error in any
// status as soon as it is over, while MPI_Test of the same request is right.
int make_progress(const Overlap& overlap, Call& c) {
  int all = 0;
  if (overlap.requests == 1) return MPI_Test(c.requests, &all, MPI_STATUS_IGNORE);
  return MPI_Testall(overlap.requests, c.requests, &all, MPI_STATUSES_IGNORE);
}

// A call that failed to start has nothing to wait for, and one whose progress failed might be
// waited for in vain.
int call_overlapped(Call& c) {
  const Overlap& overlap = *c.overlap;
  if (const int error = overlap.start(c); error != MPI_SUCCESS) return error;
  std::uint64_t left = overlap.steps;
  if (left > 0 && overlap.progress_calls > 0) {
    const std::uint64_t piece = left / (std::uint64_t{overlap.progress_calls} + 1);
    for (std::uint32_t call = 0; call < overlap.progress_calls; ++call) {
      compute(overlap, piece);
      left -= piece;
      const int error = make_progress(overlap, c);
      if (error != MPI_SUCCESS) return error;
    }
  }
  compute(overlap, left);
  return overlap.finish(c);
}

int send_nothing(Call& /*c*/) { return MPI_SUCCESS; }

void nothing_changed(const Call& /*call*/, Checker& checker) { checker.expect_as_filled(); }

bool computes(std::string_view side, record::Role role) {
  if (role == record::Role::kStandsBy) return false;
  const auto [both, starts, answers] = record::kComputeSides;
  return side == both || side == (role == record::Role::kStarts ? starts : answers);
}

}  // namespace

Operation overlapped(Operation operation, const record::Cell& cell) {
  operation.call = call_overlapped;
  if (!record::parse_compute(cell.compute).value().alone) return operation;
  operation.start = send_nothing;
  operation.finish = send_nothing;
  // Nobody waits for what these would post or send.
  operation.before_untimed = nullptr;
  operation.behind_untimed = nullptr;
  operation.verify = nothing_changed;
  operation.verify_calls = false;
  return operation;
}

bool is_overlapped(const Operation& operation) { return operation.call == call_overlapped; }

Overlap overlap_of(const Operation& operation, const record::Cell& cell, record::Role role) {
  const bool alone = record::parse_compute(cell.compute).value().alone;
  return {.start = operation.start,
          .finish = operation.finish,
          .here = computes(cell.compute_side, role),
          .alone = alone,
          .progress_calls = alone ? 0 : cell.progress_calls,
          .requests = static_cast<int>(operation.requests)};
}

ComputeMemory::ComputeMemory(const MemorySpace& space) : space_(space) {
  const host::Number cache = host::last_level_cache_bytes();
  if (!cache) {
    throw base::UserError("compute-kernel = \"memory\"",
                          "the kernel does not tell how large the last-level cache is",
                          "use compute-kernel = \"chain\"");
  }
  const std::size_t page = space.page_bytes();
  bytes_ = (host::kCachesToLeave * *cache + page - 1) / page * page;
  memory_ = space.allocate(bytes_);
  // Touched before anything is timed, and nowhere the kernel's one page of zeros.
  std::array<std::byte, 4096> fill{};
  fill.fill(std::byte{1});
  for (std::size_t at = 0; at < bytes_; at += fill.size()) {
    space.write(memory_ + at, std::span(fill).first(std::min(fill.size(), bytes_ - at)));
  }
  region_ = {.words = reinterpret_cast<std::uint64_t*>(memory_),
             .lines = bytes_ / StreamedRegion::kLineBytes};
}

ComputeMemory::~ComputeMemory() { space_.release(memory_, bytes_); }

}  // namespace invar::ops
