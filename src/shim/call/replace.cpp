#include "shim/call/replace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "ops/mockups/bodies/body.hpp"
#include "ops/shapes.hpp"
#include "shim/call/arguments.hpp"
#include "shim/call/datatype.hpp"
#include "shim/call/setup.hpp"

namespace invar::shim {
namespace {

constexpr std::size_t kScratchAlignment = 64;

// A call, as far as it is understood.
struct Plan {
  ActiveEntry* entry = nullptr;
  Presence presence = {};
  std::uint64_t block_bytes = 0;
  // As the operation is called.
  Datatype type = {};
  std::uint64_t count = 0;  // elements of a block
  Operator op = {};

  [[nodiscard]] const ops::Operation& operation() const { return *entry->operation; }
};

void count_passed_on(ActiveEntry& entry, PassedOn reason) {
  entry.passed_on[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

bool are_equal(const int* counts, int ranks) {
  for (int rank = 1; rank < ranks; ++rank) {
    if (counts[rank] != counts[0]) return false;
  }
  return true;
}

// Datatype, count and operator of the operation's call. Nothing: it can be made.
std::optional<PassedOn> understand(const Communicator& communicator, const Asked& asked,
                                   const CollectiveRow& row, Plan& plan) {
  if (!row.reduces) {
    plan.type = {.handle = MPI_BYTE,
                 .size_bytes = 1,
                 .extent_bytes = 1,
                 .named = true,
                 .dense = true,
                 .plain = true};
    plan.count = plan.block_bytes;
    return std::nullopt;
  }
  const std::optional<Datatype> type = describe(asked.recv_type);
  if (!type) return PassedOn::kUnknownOperator;
  plan.type = *type;
  plan.count = static_cast<std::uint64_t>(asked.recv_count);
  plan.op = describe(asked.op, plan.type);
  if (plan.op.kind == OperatorKind::kUnknown) return PassedOn::kUnknownOperator;
  if (!plan.type.plain) return PassedOn::kDerivedType;
  if (asked.recv_counts != nullptr && !are_equal(asked.recv_counts, communicator.ranks())) {
    return PassedOn::kUnequalBlocks;
  }
  return std::nullopt;
}

// Whether any count inside is above int; the blocks of all ranks together are asked of everything,
// so that nobody has to know which operations count them.
bool is_too_long(const Communicator& communicator, const Plan& plan) {
  const auto ranks = static_cast<std::uint64_t>(communicator.ranks());
  if (plan.count > kMostElements / ranks) return true;
  const ops::Operation& operation = plan.operation();
  const std::uint64_t counted =
      operation.counted.elements({.elements = plan.count, .ranks = ranks});
  const auto extent_bytes = static_cast<std::uint64_t>(plan.type.extent_bytes);
  return counted * (operation.counts_bytes ? extent_bytes : 1) > kMostElements;
}

// By what all ranks know alike, in this order. Nothing: the call is replaced.
std::optional<PassedOn> why_not(Communicator& communicator, const Asked& asked,
                                const CollectiveRow& row, Plan& plan) {
  if (const auto reason = understand(communicator, asked, row, plan)) return reason;
  const ops::Operation& operation = plan.operation();
  if (is_too_long(communicator, plan)) return PassedOn::kTooLong;
  // A root's is copied aside: the others do not know of it.
  if (plan.presence.in_place && !operation.in_place && !row.rooted) return PassedOn::kInPlace;
  if (operation.reorders && !plan.op.commutes) return PassedOn::kOrder;
  if (communicator.refuses(operation, plan.op.commutes)) return PassedOn::kHosts;
  if (communicator.begins()) return PassedOn::kFirst;
  if (communicator.own() == MPI_COMM_NULL) return PassedOn::kNoCommunicator;
  return std::nullopt;
}

std::optional<Plan> plan_of(Communicator& communicator, const Asked& asked, const Match& match) {
  const CollectiveRow& row = row_of(asked.collective);
  Plan plan{.entry = match.entry, .presence = match.presence, .block_bytes = match.block_bytes};
  if (const auto reason = why_not(communicator, asked, row, plan)) {
    count_passed_on(*plan.entry, *reason);
    return std::nullopt;
  }
  return plan;
}

CallKind kind_of(const Asked& asked, const Plan& plan) {
  const std::uint64_t element_bytes = std::max<std::uint64_t>(plan.type.size_bytes, 1);
  const std::uint64_t segment_bytes = plan.entry->segment_bytes;
  return {.operation = plan.entry->operation,
          .type = plan.type.handle,
          .count = static_cast<int>(plan.count),
          .root = asked.root,
          // A segment has an element at least.
          .segment_elements =
              segment_bytes == 0 ? 0 : std::max<std::uint64_t>(segment_bytes / element_bytes, 1),
          .in_place = plan.presence.in_place && plan.operation().in_place,
          .commutes = plan.op.commutes};
}

// A setup of the kind: one that is kept, or one in `made`. Null: making it was refused, on all
// ranks.
Setup* setup_for(Communicator& communicator, const Asked& asked, const Plan& plan,
                 std::unique_ptr<Setup>& made) {
  const CallKind kind = kind_of(asked, plan);
  // The handle of a derived type may be that of another one tomorrow.
  const bool keeps = plan.type.named;
  if (keeps) {
    if (Setup* const kept = communicator.setups().find(kind)) return kept;
  }
  made = std::make_unique<Setup>(kind, plan.type, communicator.own(), communicator.rank(),
                                 communicator.ranks());
  made->call().reduction = asked.op;
  if (!made->equip().empty()) {
    communicator.refuse(plan.operation(), plan.op.commutes);
    count_passed_on(*plan.entry, PassedOn::kHosts);
    return nullptr;
  }
  communicator.setups().hold_hosts_of(*made);
  return keeps ? &communicator.setups().keep(std::move(made)) : made.get();
}

std::size_t aligned(std::size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

int call_moving(Communicator& communicator, const Asked& asked, const Plan& plan, ops::Call& call,
                std::size_t scratch_bytes) {
  MovedData data(asked, plan.presence, communicator.ranks(),
                 static_cast<std::size_t>(plan.block_bytes));
  std::byte* const memory =
      communicator.scratch().take(aligned(scratch_bytes) + data.staged_bytes());
  call.scratch = memory;
  const int error = data.begin(call, memory + aligned(scratch_bytes));
  if (error != MPI_SUCCESS) return error;
  const int called = plan.operation().call(call);
  return called == MPI_SUCCESS ? data.end(call) : called;
}

// A root that is in place where the operation cannot be has its vector copied aside.
int call_reducing(Communicator& communicator, const Asked& asked, const Plan& plan, ops::Call& call,
                  std::size_t scratch_bytes) {
  const bool aside = plan.presence.in_place && !call.in_place;
  const ops::body::Elements elements{plan.type.handle, call.element->extent_bytes,
                                     call.element->has_gaps()};
  const std::size_t vector_bytes =
      aside ? ops::body::bytes_of(elements, static_cast<std::size_t>(call.count)) : 0;
  std::byte* const memory = communicator.scratch().take(aligned(scratch_bytes) + vector_bytes);
  call.scratch = memory;
  call.recv = static_cast<std::byte*>(asked.recv);
  call.send = static_cast<std::byte*>(const_cast<void*>(asked.send));
  call.reduction = asked.op;
  if (aside) {
    call.send = memory + aligned(scratch_bytes);
    const int error = ops::body::copy(elements, asked.recv, call.send, call.count,
                                      {call.comm, call.rank, call.ranks});
    if (error != MPI_SUCCESS) return error;
  }
  return plan.operation().call(call);
}

std::optional<int> serve(Communicator& communicator, const Asked& asked, const Plan& plan) {
  std::unique_ptr<Setup> made;
  Setup* const setup = setup_for(communicator, asked, plan, made);
  if (setup == nullptr) return std::nullopt;
  ops::Call& call = setup->call();
  const std::size_t scratch_bytes = ops::buffer_need(plan.operation(), call).scratch_bytes;
  const auto call_it = row_of(asked.collective).reduces ? call_reducing : call_moving;
  const int error = call_it(communicator, asked, plan, call, scratch_bytes);
  communicator.scratch().leave();
  plan.entry->replaced.fetch_add(1, std::memory_order_relaxed);
  return error;
}

}  // namespace

std::optional<int> replaced(Communicator& communicator, const Asked& asked,
                            const Match& match) noexcept {
  int error = MPI_SUCCESS;
  try {
    const std::optional<Plan> plan = plan_of(communicator, asked, match);
    if (!plan) return std::nullopt;
    const std::optional<int> served = serve(communicator, asked, *plan);
    if (!served) return std::nullopt;
    error = *served;
  } catch (const std::bad_alloc&) {
    // The other ranks are in the call already: it cannot be passed on any more.
    error = MPI_ERR_NO_MEM;
  } catch (...) {
    error = MPI_ERR_INTERN;
  }
  if (error != MPI_SUCCESS) MPI_Comm_call_errhandler(communicator.comm(), error);
  return error;
}

}  // namespace invar::shim
