// Rank 1 hands the blocks of all ranks over to rank 2, in two messages; rank 0 and all further ones
// stand by. It has everything that an operation can say of itself: tests/campaign/described_test.py
// measures it. handover_way is the same with another headline.
#include <array>

#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

constexpr int kGiver = 1;
constexpr int kTaker = 2;
constexpr int kTag = 1;
enum MarkNumber : std::size_t { kPosted, kWaited };

// The first block, and all others.
int call_handover(Call& c) {
  const std::size_t block_bytes = static_cast<std::size_t>(c.count) * c.element->extent_bytes;
  const int rest = (c.ranks - 1) * c.count;
  int error = MPI_SUCCESS;
  if (c.rank == kGiver) {
    error = MPI_Isend(c.send, c.count, c.type, kTaker, kTag, c.comm, &c.requests[0]);
    if (error == MPI_SUCCESS) {
      error = MPI_Isend(c.send + block_bytes, rest, c.type, kTaker, kTag, c.comm, &c.requests[1]);
    }
  } else {
    error = MPI_Irecv(c.scratch, c.count, c.type, kGiver, kTag, c.comm, &c.requests[0]);
    if (error == MPI_SUCCESS) {
      error =
          MPI_Irecv(c.scratch + block_bytes, rest, c.type, kGiver, kTag, c.comm, &c.requests[1]);
    }
  }
  if (error != MPI_SUCCESS) return error;
  c.mark(kPosted);
  error = MPI_Waitall(2, c.requests, MPI_STATUSES_IGNORE);
  if (error != MPI_SUCCESS || c.rank == kGiver) return error;
  c.mark(kWaited);
  // Gaps of a datatype stay as they are.
  return MPI_Sendrecv(c.scratch, c.ranks * c.count, c.type, c.rank, kTag, c.recv, c.ranks * c.count,
                      c.type, c.rank, kTag, c.comm, MPI_STATUS_IGNORE);
}

void taken_over(const Call& c, Checker& checker) {
  if (c.rank == kTaker) {
    checker.expect_block(0, kGiver, 0, all_elements(c));
  } else {
    checker.expect_untouched(0, all_elements(c));
  }
}

constexpr std::array kRoles{
    record::RoleRule{.role = record::Role::kStarts, .ranks = record::Ranks::kNumber, .number = 1},
    record::RoleRule{.role = record::Role::kAnswers, .ranks = record::Ranks::kNumber, .number = 2}};

constexpr std::array kMarks{
    Mark{.name = "posted", .summary = "both messages are on their way, or waited for"},
    Mark{.name = "waited", .summary = "both messages have come"}};

constexpr Time kAll{.name = "whole", .summary = "until the taker has all blocks"};
constexpr Time kOneWay{.name = "one way",
                       .summary = "from the giver's start to the taker's end",
                       .kind = record::TimeKind::kAcross,
                       .to_role = record::Role::kAnswers};
constexpr Time kPosting{.name = "posting",
                        .summary = "what the giver needs until it may do something else",
                        .kind = record::TimeKind::kOwn,
                        .to = "posted"};
constexpr Time kWaiting{.name = "waiting",
                        .summary = "from posting to having come",
                        .kind = record::TimeKind::kOwn,
                        .from_role = record::Role::kAnswers,
                        .from = "posted",
                        .to_role = record::Role::kAnswers,
                        .to = "waited"};
// Needs no common clock.
constexpr Time kGiving{
    .name = "giving", .summary = "the giver's own call", .kind = record::TimeKind::kOwn};
constexpr std::array kTimes{kAll, kOneWay, kPosting, kWaiting};
constexpr std::array kGivingFirst{kGiving, kOneWay, kAll};

}  // namespace

extern constexpr Operation kHandover{
    .name = "handover",
    .summary = "rank 1 hands the blocks of all ranks over to rank 2",
    .chain = record::Chain::kOne,
    .buffers = with_scratch(everywhere(kAllBlocks, kAllBlocks), kAllBlocks),
    .requests = 2,
    .roles = kRoles,
    .marks = kMarks,
    .times = kTimes,
    .call = call_handover,
    .verify = taken_over,
};

extern constexpr Operation kGivingAway{
    .name = "giving",
    .summary = "rank 1 hands the blocks of all ranks over to rank 2",
    .chain = record::Chain::kOne,
    .buffers = with_scratch(everywhere(kAllBlocks, kAllBlocks), kAllBlocks),
    .requests = 2,
    .roles = kRoles,
    .marks = kMarks,
    .times = kGivingFirst,
    .call = call_handover,
    .verify = taken_over,
};

}  // namespace invar::ops
