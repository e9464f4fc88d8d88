#include "ops/verify.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

// Patterns are made, written and compared in pieces of about this.
constexpr std::size_t kPieceBytes = std::size_t{16} << 10U;

// A piece holds whole elements, whatever their extent.
std::size_t piece_bytes(const ElementType& type, std::size_t bytes) {
  const std::size_t elements = std::max<std::size_t>(kPieceBytes / type.extent_bytes, 1);
  return std::min(elements * type.extent_bytes, bytes);
}

constexpr int kSendBuffer = 0;
constexpr int kRecvBuffer = 1;
constexpr int kScratchBuffer = 2;

// A guard byte depends on rank, buffer and place: a guard zone that another rank's overrun has
// copied here differs too.
std::byte guard(int rank, int buffer, std::size_t place) {
  const auto mixed =
      static_cast<std::size_t>(rank) * 5 + static_cast<std::size_t>(buffer) * 6 + place * 3;
  return static_cast<std::byte>(kFirstGuard + mixed % kGuards);
}

using Zone = std::array<std::byte, kGuardBytes>;

// `place` counts from the front of the buffer's front zone, whatever the buffer's length.
Zone guard_zone(int rank, int buffer, bool behind) {
  Zone zone{};
  for (std::size_t i = 0; i < zone.size(); ++i) {
    zone[i] = guard(rank, buffer, i + (behind ? kGuardBytes : 0));
  }
  return zone;
}

void write_guards(const MemorySpace& space, std::byte* buffer, std::size_t bytes, int rank,
                  int number) {
  space.write(buffer - kGuardBytes, guard_zone(rank, number, false));
  space.write(buffer + bytes, guard_zone(rank, number, true));
}

const char* buffer_name(int buffer) {
  return buffer == kSendBuffer ? "send" : buffer == kRecvBuffer ? "recv" : "scratch";
}

std::byte* begin_of(const Call& call, int buffer) {
  return buffer == kSendBuffer ? call.send : buffer == kRecvBuffer ? call.recv : call.scratch;
}

// All gaps of a rank's buffer hold one byte, another one in each of its buffers and on other ranks.
void fill_gaps(const ElementType& type, std::span<std::byte> to, int rank, int buffer) {
  if (type.has_gaps()) std::fill(to.begin(), to.end(), guard(rank, buffer, 0));
}

void poison(const ElementType& type, std::span<std::byte> to) {
  if (!type.has_gaps()) {
    std::fill(to.begin(), to.end(), kPoison);
    return;
  }
  for (std::size_t byte = 0; byte < to.size(); ++byte) {
    if (!type.in_gap(byte)) to[byte] = kPoison;
  }
}

// Writes whole elements: content(to, first) gives those from number `first` on, gaps are there.
template <typename Content>
void write_elements(const MemorySpace& space, const Call& call, int buffer, std::size_t begin,
                    std::size_t bytes, Content content) {
  const ElementType& type = *call.element;
  std::byte* const to = begin_of(call, buffer) + begin;
  std::vector<std::byte> piece(piece_bytes(type, bytes));
  for (std::size_t at = 0; at < bytes; at += piece.size()) {
    const auto part = std::span(piece).first(std::min(piece.size(), bytes - at));
    fill_gaps(type, part, call.rank, buffer);
    content(part, at / type.extent_bytes);
    space.write(to + at, part);
  }
}

// What a rank sends or contributes, from its element `first` on.
void pattern_of(const Call& call, std::span<std::byte> to, int rank, std::uint64_t first) {
  const Reduction* const reduction = call.reduces_as;
  const bool own = reduction != nullptr && reduction->input != nullptr;
  (own ? reduction->input : call.element->pattern)(to, rank, call.pattern_start + first);
}

void write_pattern(const MemorySpace& space, const Call& call, int buffer, int rank,
                   std::size_t begin, std::size_t bytes) {
  write_elements(
      space, call, buffer, begin, bytes,
      [&](std::span<std::byte> to, std::uint64_t first) { pattern_of(call, to, rank, first); });
}

void write_input(const Operation& operation, const Call& call, const BufferNeed& need,
                 const MemorySpace& space) {
  write_pattern(space, call, kSendBuffer, call.rank, 0, need.send_bytes);
  if (operation.reads_recv) {
    write_pattern(space, call, kRecvBuffer, call.rank + 1, 0, need.recv_bytes);
  }
  write_pattern(space, call, kRecvBuffer, call.rank, need.input_begin_bytes, need.input_bytes);
}

std::string byte_value(std::byte value) { return std::to_string(std::to_integer<int>(value)); }

}  // namespace

std::string Mismatch::text() const {
  if (buffer.empty()) return what;
  std::string text = buffer + " byte " + std::to_string(byte_offset) + " (" + what + ")";
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  return text;
}

namespace {

void fill_between_guards(const Operation& operation, const Call& call, const MemorySpace& space) {
  if (call.element == nullptr) return;
  const BufferNeed need = buffer_need(operation, call);
  const auto nobody_wrote = [&](std::span<std::byte> to, std::uint64_t) {
    poison(*call.element, to);
  };
  write_elements(space, call, kRecvBuffer, 0, need.recv_bytes, nobody_wrote);
  write_elements(space, call, kScratchBuffer, 0, need.scratch_bytes, nobody_wrote);
  write_input(operation, call, need, space);
}

void write_all_guards(const Call& call, const BufferNeed& need, const MemorySpace& space) {
  write_guards(space, call.send, need.send_bytes, call.rank, kSendBuffer);
  write_guards(space, call.recv, need.recv_bytes, call.rank, kRecvBuffer);
  if (need.scratch_bytes == 0) return;
  write_guards(space, call.scratch, need.scratch_bytes, call.rank, kScratchBuffer);
}

}  // namespace

void fill_for_check(const Operation& operation, const Call& call, const MemorySpace& space) {
  fill_between_guards(operation, call, space);
  write_all_guards(call, buffer_need(operation, call), space);
}

void fill_for_every_root(const Operation& operation, const Call& call, const BufferNeed& need,
                         const MemorySpace& space) {
  // What the rank is for most of the calls, then what it is as the root.
  Call role = call;
  for (const int root : {(call.rank + 1) % call.ranks, call.rank}) {
    role.root = root;
    fill_between_guards(operation, role, space);
  }
  write_all_guards(call, need, space);
}

void fill_for_timing(const Operation& operation, const Call& call, const MemorySpace& space) {
  if (!operation.reduces || call.element == nullptr || !call.element->floating) return;
  const BufferNeed need = buffer_need(operation, call);
  write_input(operation, call, need, space);
  write_pattern(space, call, kScratchBuffer, call.rank, 0, need.scratch_bytes);
}

Checker::Checker(const Operation& operation, const Call& call, const MemorySpace& space)
    : operation_(operation),
      call_(call),
      space_(space),
      need_(buffer_need(operation, call)),
      type_(call.element) {
  if (type_ == nullptr && operation.sized) fail("no pattern is known for the call's datatype");
}

template <typename Expected>
std::optional<Mismatch> Checker::compared(int buffer, std::uint64_t at, std::uint64_t elements,
                                          const std::string& source, Expected expected) const {
  const std::byte* const begin = begin_of(call_, buffer);
  const std::size_t width = type_->extent_bytes;
  const std::size_t bytes = elements * width;
  std::vector<std::byte> wanted(piece_bytes(*type_, bytes));
  std::vector<std::byte> found(wanted.size());
  for (std::size_t done = 0; done < bytes; done += wanted.size()) {
    const std::size_t part = std::min(wanted.size(), bytes - done);
    fill_gaps(*type_, std::span(wanted).first(part), call_.rank, buffer);
    expected(std::span(wanted).first(part), done / width);
    space_.read(begin + at * width + done, std::span(found).first(part));
    const auto end = wanted.begin() + static_cast<std::ptrdiff_t>(part);
    const auto wrong = std::mismatch(wanted.begin(), end, found.begin()).first;
    if (wrong == end) continue;
    const auto byte = static_cast<std::size_t>(wrong - wanted.begin());
    const std::size_t element = byte / width * width;
    Mismatch mismatch{.buffer = buffer_name(buffer),
                      .byte_offset = static_cast<std::int64_t>(at * width + done + byte),
                      .what = source + ", element " + std::to_string((done + element) / width)};
    if (type_->in_gap(byte)) {
      mismatch.what += ", a gap of the datatype";
      mismatch.expected = byte_value(wanted[byte]);
      mismatch.found = byte_value(found[byte]);
      return mismatch;
    }
    bool poisoned = true;
    for (std::size_t i = 0; i < width; ++i) {
      poisoned = poisoned && (type_->in_gap(i) || found[element + i] == kPoison);
    }
    mismatch.expected = type_->text(&wanted[element]);
    mismatch.found = type_->text(&found[element]) + (poisoned ? ", which nobody wrote" : "");
    return mismatch;
  }
  return std::nullopt;
}

bool Checker::covers(std::uint64_t at, std::uint64_t elements) {
  if (type_ == nullptr) return false;
  stated_bytes_ += elements * type_->extent_bytes;
  if ((at + elements) * type_->extent_bytes <= need_.recv_bytes) return true;
  fail(std::string("the check of ") + operation_.name + " states more than recv holds");
  return false;
}

template <typename Expected>
void Checker::state(std::uint64_t at, std::uint64_t elements, const std::string& source,
                    Expected expected) {
  if (!covers(at, elements) || mismatch_) return;
  mismatch_ = compared(kRecvBuffer, at, elements, source, expected);
}

void Checker::expect_block(std::uint64_t at, int source, std::uint64_t source_element,
                           std::uint64_t elements) {
  state(at, elements, "block of rank " + std::to_string(source),
        [&](std::span<std::byte> to, std::uint64_t first) {
          pattern_of(call_, to, source, source_element + first);
        });
}

bool Checker::holds_block(std::uint64_t at, int source, std::uint64_t source_element,
                          std::uint64_t elements) const {
  if (type_ == nullptr || (at + elements) * type_->extent_bytes > need_.recv_bytes) return false;
  return !compared(kRecvBuffer, at, elements, "",
                   [&](std::span<std::byte> to, std::uint64_t first) {
                     pattern_of(call_, to, source, source_element + first);
                   });
}

void Checker::expect_reduction(std::uint64_t at, int first, int last, std::uint64_t source_element,
                               std::uint64_t elements) {
  if (call_.reduces_as == nullptr) {
    if (covers(at, elements)) fail("no result is known for the call's datatype and reduction");
    return;
  }
  state(at, elements, "reduction of ranks " + std::to_string(first) + " to " + std::to_string(last),
        [&](std::span<std::byte> to, std::uint64_t from) {
          call_.reduces_as->pattern(to, first, last, call_.pattern_start + source_element + from);
        });
}

void Checker::expect_untouched(std::uint64_t at, std::uint64_t elements) {
  if (operation_.reads_recv) {
    expect_block(at, call_.rank + 1, at, elements);
    return;
  }
  state(at, elements, "not to be written on this rank",
        [&](std::span<std::byte> to, std::uint64_t) { poison(*type_, to); });
}

void Checker::expect_as_filled() {
  if (type_ == nullptr) return;
  const std::uint64_t begin = need_.input_begin_bytes / type_->extent_bytes;
  const std::uint64_t input = need_.input_bytes / type_->extent_bytes;
  const std::uint64_t all = need_.recv_bytes / type_->extent_bytes;
  expect_untouched(0, begin);
  expect_block(begin, call_.rank, 0, input);
  expect_untouched(begin + input, all - begin - input);
}

void Checker::allow_anything(std::uint64_t at, std::uint64_t elements) {
  static_cast<void>(covers(at, elements));
}

void Checker::fail(const std::string& what) {
  if (!mismatch_) mismatch_ = Mismatch{.buffer = "", .what = what};
}

void Checker::compare_guards(int buffer) {
  const std::byte* const begin = begin_of(call_, buffer);
  const std::size_t bytes = buffer == kSendBuffer   ? need_.send_bytes
                            : buffer == kRecvBuffer ? need_.recv_bytes
                                                    : need_.scratch_bytes;
  for (const bool behind : {false, true}) {
    if (mismatch_) return;
    const std::int64_t offset =
        behind ? static_cast<std::int64_t>(bytes) : -static_cast<std::int64_t>(kGuardBytes);
    const Zone wanted = guard_zone(call_.rank, buffer, behind);
    Zone found{};
    space_.read(begin + offset, found);
    const auto [want, got] = std::mismatch(wanted.begin(), wanted.end(), found.begin());
    if (want == wanted.end()) continue;
    mismatch_ = Mismatch{.buffer = buffer_name(buffer),
                         .byte_offset = offset + (want - wanted.begin()),
                         .expected = byte_value(*want),
                         .found = byte_value(*got),
                         .what = behind ? "behind the buffer" : "in front of the buffer"};
  }
}

std::optional<Mismatch> Checker::finish() {
  if (type_ != nullptr && !mismatch_) {
    mismatch_ = compared(kSendBuffer, 0, need_.send_bytes / type_->extent_bytes, "modified",
                         [&](std::span<std::byte> to, std::uint64_t first) {
                           pattern_of(call_, to, call_.rank, first);
                         });
  }
  compare_guards(kSendBuffer);
  compare_guards(kRecvBuffer);
  if (need_.scratch_bytes > 0) compare_guards(kScratchBuffer);
  if (stated_bytes_ != need_.recv_bytes) {
    fail(std::string("the check of ") + operation_.name + " states " +
         std::to_string(stated_bytes_) + " of " + std::to_string(need_.recv_bytes) +
         " bytes of recv");
  }
  return mismatch_;
}

bool leaves_one_result(const Operation& operation, const Call& call) {
  const Shape& shape = operation.buffers;
  const bool own_input =
      operation.reads_recv ||
      (call.in_place && (shape.root_input == Input::kAll || shape.others_input == Input::kAll));
  return !own_input && !call.rotates && operation.hooks.visit == nullptr;
}

Outcome check_once(const Operation& operation, Call& call, const Circle& circle,
                   const MemorySpace& space) {
  return check_calls(operation, call, circle, 1, space);
}

Outcome check_calls(const Operation& operation, Call& call, const Circle& circle, int calls,
                    const MemorySpace& space) {
  fill_for_check(operation, call, space);
  int code = MPI_SUCCESS;
  // Behind an error, too: ranks whose calls were right make all of them, and would wait for it.
  for (int i = 0; i < calls && call.role != record::Role::kStandsBy; ++i) {
    const int error = make_call(operation, call);
    if (code == MPI_SUCCESS) code = error;
  }
  Outcome called = agree(circle, code == MPI_SUCCESS ? "" : mpi_error_text(operation.name, code));
  if (!called.passed()) return called;
  return check_result(operation, call, circle, space);
}

Outcome check_result(const Operation& operation, const Call& call, const Circle& circle,
                     const MemorySpace& space) {
  Checker checker(operation, call, space);
  operation.verify(call, checker);
  const std::optional<Mismatch> mismatch = checker.finish();
  return agree(circle, mismatch ? mismatch->text() : "");
}

}  // namespace invar::ops
