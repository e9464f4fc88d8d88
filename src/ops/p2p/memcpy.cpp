// What a message inside a host costs at least: who would send copies, from its send buffer to its
// receive buffer. Its partner takes part and returns at once, so that a visit has the ranks, and
// with them the canaries and the synchronisation, of the messages that it is put beside.
#include <array>
#include <cstring>

#include "ops/buffers/element.hpp"
#include "ops/p2p/verify.hpp"
#include "ops/shapes.hpp"

namespace invar::ops {
namespace {

int call_memcpy(Call& c) {
  if (c.role != record::Role::kStarts) return MPI_SUCCESS;
  std::memcpy(c.recv, c.send, c.block_bytes);
  return MPI_SUCCESS;
}

// Gaps of a datatype stay as they are.
int call_copy_pieces(Call& c) {
  if (c.role != record::Role::kStarts) return MPI_SUCCESS;
  c.element->moves.copy(c.send, static_cast<std::size_t>(c.count), c.recv);
  return MPI_SUCCESS;
}

Operation memcpy_of_cell(const Operation& operation, const record::Cell& cell) {
  Operation called = operation;
  const ElementType* const type = find_element_type(cell.datatype);
  if (type != nullptr && type->has_gaps()) called.call = call_copy_pieces;
  return called;
}

constexpr std::array kMemcpyTimes{
    Time{.name = "copying", .summary = "of a rank that copies", .kind = record::TimeKind::kOwn}};

}  // namespace

extern constexpr Operation kMemcpy{
    .name = "memcpy",
    .summary = "who would send copies its message, and nothing is sent",
    .chain = record::Chain::kNone,
    .buffers = kMessagesToMessages,
    .messages = record::Messages::kMatched,
    .copies = true,
    .of_cell = memcpy_of_cell,
    .times = kMemcpyTimes,
    .call = call_memcpy,
    .verify = copied_by_those_who_start,
};

}  // namespace invar::ops
