#include "ops/verify.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace invar::ops {
namespace {

// Patterns are made, written and compared in pieces of this.
constexpr std::size_t kPieceBytes = std::size_t{16} << 10U;
constexpr int kSendBuffer = 0;
constexpr int kRecvBuffer = 1;

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

template <typename Content>
void write_pieces(const MemorySpace& space, std::byte* to, std::size_t bytes,
                  std::size_t element_bytes, Content content) {
  std::vector<std::byte> piece(std::min(kPieceBytes, bytes));
  for (std::size_t at = 0; at < bytes; at += piece.size()) {
    const auto part = std::span(piece).first(std::min(piece.size(), bytes - at));
    content(part, at / element_bytes);
    space.write(to + at, part);
  }
}

void poison(std::span<std::byte> to) { std::fill(to.begin(), to.end(), kPoison); }

std::string byte_value(std::byte value) { return std::to_string(std::to_integer<int>(value)); }

}  // namespace

std::string Mismatch::text() const {
  if (buffer.empty()) return what;
  std::string text = buffer + " byte " + std::to_string(byte_offset) + " (" + what + ")";
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  return text;
}

void fill_for_check(const Operation& operation, const Call& call, const MemorySpace& space) {
  const BufferNeed need = operation.buffers(call);
  const ElementType* const type = find_element_type(call.type);
  if (type != nullptr) {
    const auto pattern_of = [&](int rank) {
      return [type, rank](std::span<std::byte> to, std::uint64_t first) {
        type->pattern(to, rank, first);
      };
    };
    write_pieces(space, call.send, need.send_bytes, type->size_bytes, pattern_of(call.rank));
    if (operation.reads_recv) {
      write_pieces(space, call.recv, need.recv_bytes, type->size_bytes, pattern_of(call.rank + 1));
    }
  }
  if (!operation.reads_recv) {
    write_pieces(space, call.recv, need.recv_bytes, 1,
                 [](std::span<std::byte> to, std::uint64_t) { poison(to); });
  }
  write_guards(space, call.send, need.send_bytes, call.rank, kSendBuffer);
  write_guards(space, call.recv, need.recv_bytes, call.rank, kRecvBuffer);
}

Checker::Checker(const Operation& operation, const Call& call, const MemorySpace& space)
    : operation_(operation),
      call_(call),
      space_(space),
      need_(operation.buffers(call)),
      type_(find_element_type(call.type)) {
  if (type_ == nullptr) fail("no pattern is known for the call's datatype");
}

// Compares `elements` elements from `at` on with expected(to, first), first counting from `at`.
template <typename Expected>
void Checker::compare(const char* buffer, const std::byte* begin, std::uint64_t at,
                      std::uint64_t elements, const std::string& source, Expected expected) {
  if (mismatch_) return;
  const std::size_t width = type_->size_bytes;
  const std::size_t bytes = elements * width;
  std::vector<std::byte> wanted(std::min(kPieceBytes, bytes));
  std::vector<std::byte> found(wanted.size());
  for (std::size_t done = 0; done < bytes; done += wanted.size()) {
    const std::size_t part = std::min(wanted.size(), bytes - done);
    expected(std::span(wanted).first(part), done / width);
    space_.read(begin + at * width + done, std::span(found).first(part));
    const auto end = wanted.begin() + static_cast<std::ptrdiff_t>(part);
    const auto wrong = std::mismatch(wanted.begin(), end, found.begin()).first;
    if (wrong == end) continue;
    const auto byte = static_cast<std::size_t>(wrong - wanted.begin());
    const std::size_t element = byte / width * width;
    const bool poisoned = std::all_of(found.begin() + static_cast<std::ptrdiff_t>(element),
                                      found.begin() + static_cast<std::ptrdiff_t>(element + width),
                                      [](std::byte value) { return value == kPoison; });
    mismatch_ =
        Mismatch{.buffer = buffer,
                 .byte_offset = static_cast<std::int64_t>(at * width + done + byte),
                 .expected = type_->text(&wanted[element]),
                 .found = type_->text(&found[element]) + (poisoned ? ", which nobody wrote" : ""),
                 .what = source + ", element " + std::to_string((done + element) / width)};
    return;
  }
}

bool Checker::covers(std::uint64_t at, std::uint64_t elements) {
  if (type_ == nullptr) return false;
  stated_bytes_ += elements * type_->size_bytes;
  if ((at + elements) * type_->size_bytes <= need_.recv_bytes) return true;
  fail(std::string("the check of ") + operation_.name + " states more than recv holds");
  return false;
}

void Checker::expect_block(std::uint64_t at, int source, std::uint64_t source_element,
                           std::uint64_t elements) {
  if (!covers(at, elements)) return;
  compare("recv", call_.recv, at, elements, "block of rank " + std::to_string(source),
          [&](std::span<std::byte> to, std::uint64_t first) {
            type_->pattern(to, source, source_element + first);
          });
}

void Checker::expect_reduction(std::uint64_t at, int first, int last, std::uint64_t source_element,
                               std::uint64_t elements) {
  if (!covers(at, elements)) return;
  const Reduction* const reduction = find_reduction(call_.reduction, type_->name);
  if (reduction == nullptr) {
    fail("no result is known for the call's datatype and reduction");
    return;
  }
  compare("recv", call_.recv, at, elements,
          "reduction of ranks " + std::to_string(first) + " to " + std::to_string(last),
          [&](std::span<std::byte> to, std::uint64_t from) {
            reduction->pattern(to, first, last, source_element + from);
          });
}

void Checker::expect_untouched(std::uint64_t at, std::uint64_t elements) {
  if (operation_.reads_recv) {
    expect_block(at, call_.rank + 1, at, elements);
    return;
  }
  if (!covers(at, elements)) return;
  compare("recv", call_.recv, at, elements, "not to be written on this rank",
          [](std::span<std::byte> to, std::uint64_t) { poison(to); });
}

void Checker::allow_anything(std::uint64_t at, std::uint64_t elements) {
  static_cast<void>(covers(at, elements));
}

void Checker::fail(const std::string& what) {
  if (!mismatch_) mismatch_ = Mismatch{.buffer = "", .what = what};
}

void Checker::compare_guards(const char* buffer, const std::byte* begin, std::size_t bytes,
                             int number) {
  for (const bool behind : {false, true}) {
    if (mismatch_) return;
    const std::int64_t offset =
        behind ? static_cast<std::int64_t>(bytes) : -static_cast<std::int64_t>(kGuardBytes);
    const Zone wanted = guard_zone(call_.rank, number, behind);
    Zone found{};
    space_.read(begin + offset, found);
    const auto [want, got] = std::mismatch(wanted.begin(), wanted.end(), found.begin());
    if (want == wanted.end()) continue;
    mismatch_ = Mismatch{.buffer = buffer,
                         .byte_offset = offset + (want - wanted.begin()),
                         .expected = byte_value(*want),
                         .found = byte_value(*got),
                         .what = behind ? "behind the buffer" : "in front of the buffer"};
  }
}

std::optional<Mismatch> Checker::finish() {
  if (type_ != nullptr) {
    compare("send", call_.send, 0, need_.send_bytes / type_->size_bytes, "modified",
            [&](std::span<std::byte> to, std::uint64_t first) {
              type_->pattern(to, call_.rank, first);
            });
  }
  compare_guards("send", call_.send, need_.send_bytes, kSendBuffer);
  compare_guards("recv", call_.recv, need_.recv_bytes, kRecvBuffer);
  if (stated_bytes_ != need_.recv_bytes) {
    fail(std::string("the check of ") + operation_.name + " states " +
         std::to_string(stated_bytes_) + " of " + std::to_string(need_.recv_bytes) +
         " bytes of recv");
  }
  return mismatch_;
}

Outcome check_once(const Operation& operation, Call& call, const MemorySpace& space) {
  fill_for_check(operation, call, space);
  const int code = operation.call(call);
  Outcome called =
      agree(call.comm, code == MPI_SUCCESS ? "" : mpi_error_text(operation.name, code));
  if (!called.passed()) return called;
  Checker checker(operation, call, space);
  operation.verify(call, checker);
  const std::optional<Mismatch> mismatch = checker.finish();
  return agree(call.comm, mismatch ? mismatch->text() : "");
}

}  // namespace invar::ops
