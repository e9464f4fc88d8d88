#include "ops/call/executor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "ops/buffers/element.hpp"
#include "record/operation/cell_limits.hpp"

namespace invar::ops {
namespace {

constexpr int kStepTag = 1;

bool in_place_here(const Operation& collective, const Call& call) {
  return call.in_place && (!collective.rooted || call.rank == call.root);
}

std::uint8_t marks_of(const Algorithm& algorithm, bool marked) {
  return marked && !algorithm.phases.empty()
             ? static_cast<std::uint8_t>(algorithm.phases.size() - 1)
             : std::uint8_t{0};
}

}  // namespace

Program::Program(const Algorithm& algorithm, const Operation& collective, const Call& call,
                 bool marked) {
  const Steps steps = algorithm.steps({.ranks = call.ranks,
                                       .rank = call.rank,
                                       .root = collective.rooted ? call.root : 0,
                                       .elements = static_cast<std::uint64_t>(call.large_count),
                                       .segment = call.segment_elements,
                                       .in_place = in_place_here(collective, call)});
  const auto where = [&](const Piece& piece) {
    return location(piece, collective, call, algorithm.one_vector);
  };
  steps_.reserve(steps.size());
  const std::uint8_t marks = marks_of(algorithm, marked);
  std::uint8_t marked_so_far = 0;
  for (const Step& step : steps) {
    RunStep& run = steps_.emplace_back();
    run.to = step.to;
    run.from = step.from;
    run.sent = where(step.sent);
    run.received = where(step.received);
    run.operand = where(step.operand);
    run.into = where(step.into);
    run.then = step.then;
    const bool onto_itself =
        run.operand.memory == run.into.memory && run.operand.offset_bytes == run.into.offset_bytes;
    if (run.into.count == 0 || (run.then == Then::kCopy && onto_itself)) {
      run.then = Then::kNothingMore;
    }
    run.first_mark = marked_so_far;
    run.end_mark = std::max(marked_so_far, std::min(step.phase, marks));
    marked_so_far = run.end_mark;
  }
  first_last_mark_ = marked_so_far;
  end_last_mark_ = marks;
  assign_requests(steps);
}

Program::Location Program::location(const Piece& piece, const Operation& collective,
                                    const Call& call, bool one_vector) {
  const std::size_t extent_bytes = call.element->extent_bytes;
  Location place{.offset_bytes = piece.begin * extent_bytes,
                 .count = static_cast<int>(piece.elements),
                 .memory = kSendMemory};
  const bool root = collective.rooted && call.rank == call.root;
  if (piece.where == Where::kScratch) {
    place.memory = kScratchMemory;
  } else if (piece.where == Where::kResult) {
    place.memory = one_vector && root ? kSendMemory : kRecvMemory;
  } else if (in_place_here(collective, call)) {
    const Input input = root ? collective.buffers.root_input : collective.buffers.others_input;
    if (input != Input::kNowhere) place.memory = kRecvMemory;
    if (input == Input::kOwnBlock) {
      place.offset_bytes += static_cast<std::size_t>(call.rank) *
                            static_cast<std::size_t>(call.large_count) * extent_bytes;
    }
  }
  return place;
}

// All that is under way lies in one bank. A step that waits for the earlier ones only posts its own
// into the other one.
void Program::assign_requests(const Steps& steps) {
  std::array<std::uint32_t, 2> under_way{};
  std::size_t bank = 0;
  std::vector<std::uint32_t*> of_second_bank;  // whose begin is known at the end
  std::size_t longest = 0;
  const auto post = [&](std::uint32_t& request) {
    request = under_way[bank]++;
    longest = std::max<std::size_t>(longest, under_way[bank]);
    if (bank == 1) of_second_bank.push_back(&request);
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RunStep& run = steps_[i];
    const std::size_t earlier = bank;
    if (steps[i].wait == Wait::kEarlier) bank = 1 - bank;
    if (run.from != kNobody) post(run.receive_request);
    if (run.to != kNobody) post(run.send_request);
    if (steps[i].wait == Wait::kNone) continue;
    run.awaited = static_cast<int>(under_way[earlier]);
    under_way[earlier] = 0;
    if (earlier == 1) of_second_bank.push_back(&run.first_awaited);
  }
  for (std::uint32_t* const request : of_second_bank) {
    *request += static_cast<std::uint32_t>(longest);
  }
  bank_ = longest;
}

// Gaps of a datatype stay as they are.
int Program::copy(const Call& call, const std::byte* from, std::byte* to, int count) {
  if (!call.element->has_gaps()) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * call.element->extent_bytes);
    return MPI_SUCCESS;
  }
  return MPI_Sendrecv(from, count, call.type, call.rank, kStepTag, to, count, call.type, call.rank,
                      kStepTag, call.comm, MPI_STATUS_IGNORE);
}

int Program::run(const Call& call, MPI_Request* requests) const {
  const std::array<std::byte*, 3> begin{call.send, call.recv, call.scratch};
  const auto at = [&](const Location& place) { return begin[place.memory] + place.offset_bytes; };
  for (const RunStep& step : steps_) {
    for (std::uint8_t mark = step.first_mark; mark < step.end_mark; ++mark) call.mark(mark);
    int error = MPI_SUCCESS;
    if (step.from != kNobody) {
      error = MPI_Irecv(at(step.received), step.received.count, call.type, step.from, kStepTag,
                        call.comm, &requests[step.receive_request]);
    }
    if (step.to != kNobody && error == MPI_SUCCESS) {
      error = MPI_Isend(at(step.sent), step.sent.count, call.type, step.to, kStepTag, call.comm,
                        &requests[step.send_request]);
    }
    if (error == MPI_SUCCESS && step.awaited == 1) {
      error = MPI_Wait(&requests[step.first_awaited], MPI_STATUS_IGNORE);
    } else if (error == MPI_SUCCESS && step.awaited > 1) {
      error = MPI_Waitall(step.awaited, &requests[step.first_awaited], MPI_STATUSES_IGNORE);
    }
    if (error == MPI_SUCCESS && step.then == Then::kReduce) {
      error = MPI_Reduce_local(at(step.operand), at(step.into), step.into.count, call.type,
                               call.reduction);
    } else if (error == MPI_SUCCESS && step.then == Then::kCopy) {
      error = copy(call, at(step.operand), at(step.into), step.into.count);
    }
    if (error != MPI_SUCCESS) return error;
  }
  for (std::uint8_t mark = first_last_mark_; mark < end_last_mark_; ++mark) call.mark(mark);
  return MPI_SUCCESS;
}

Executor::Executor(const Algorithm& algorithm, const Operation& collective, const Call& call,
                   bool marked) {
  Call of_root = call;
  const int roots = call.rotates ? call.ranks : 1;
  programs_.reserve(static_cast<std::size_t>(roots));
  for (int root = 0; root < roots; ++root) {
    if (call.rotates) of_root.root = root;
    programs_.emplace_back(algorithm, collective, of_root, marked);
    most_requests_ = std::max(most_requests_, programs_.back().most_requests());
  }
  requests_ = std::make_unique<MPI_Request[]>(most_requests_);
  std::fill_n(requests_.get(), most_requests_, MPI_REQUEST_NULL);
}

void Executor::give_up() const {
  for (std::size_t i = 0; i < most_requests_; ++i) {
    MPI_Request& request = requests_[i];
    if (request == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
}

std::string refusal_of(const Algorithm& algorithm, const Call& call) {
  std::string refused =
      record::lack_of_ranks(algorithm.rank_counts, static_cast<std::uint32_t>(call.ranks));
  if (refused.empty() && algorithm.reorders && !call.reduces_as->commutes) {
    refused = record::lack_of_order(call.reduces_as->name);
  }
  return refused;
}

int run_executor(Call& call) { return static_cast<const Executor*>(call.equipment)->run(call); }

}  // namespace invar::ops
