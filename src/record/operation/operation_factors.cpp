#include "record/operation/operation_factors.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/p2p/levels.hpp"

namespace invar::record {
namespace {

// The remedy that helps when only one of several operations minds.
std::string or_own_block(const std::string& remedy, const OperationInfo& info) {
  return remedy + ", or give " + info.name + " in a [[cells]] block of its own";
}

}  // namespace

bool is_rooted(const OperationInfo& info) { return info.rooted; }
bool is_sized(const OperationInfo& info) { return info.sized; }
bool reduces(const OperationInfo& info) { return info.reduces; }
bool has_in_place(const OperationInfo& info) { return info.in_place; }
bool has_neighbours(const OperationInfo& info) { return info.neighbours; }
bool has_optional_marks(const OperationInfo& info) { return info.optional_marks; }
bool has_segments(const OperationInfo& info) { return info.segments != Segments::kNone; }
bool has_distribution(const OperationInfo& info) {
  return info.distributes != Distributes::kNothing;
}

LevelText check_root(const OperationInfo& info, const Cell& cell) {
  if (cell.root == kRotatingRoot) {
    if (!info.persistent) return {};
    return {.complaint = info.name + " fixes its root before it starts: it cannot rotate",
            .remedy = or_own_block("write a rank", info)};
  }
  if (cell.root < cell.ranks) return {};
  return {.complaint = "root " + std::to_string(cell.root) + " is not a rank of " +
                       std::to_string(cell.ranks),
          .remedy = "write 0 to " + std::to_string(cell.ranks - 1)};
}

LevelText usual_datatype(const OperationInfo& info, const Cell& /*cell*/) {
  if (info.datatypes.empty()) return {};
  return {.text = info.datatypes.front().name};
}

LevelText check_datatype(const OperationInfo& info, const Cell& cell) {
  if (info.datatype(cell.datatype) != nullptr) return {};
  std::vector<std::string> names;
  for (const DatatypeInfo& type : info.datatypes) names.push_back(type.name);
  return {.complaint = info.name + " has no datatype '" + cell.datatype + "'",
          .remedy = base::did_you_mean(cell.datatype, names)};
}

LevelText usual_reduction(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type != nullptr && !type->reductions.empty()) return {.text = type->reductions.front()};
  return {
      .complaint = info.name + " cannot reduce " + cell.datatype + ": MPI has no operator on it",
      .remedy = "write another datatype",
      .blamed_key = "datatype"};
}

LevelText check_reduction(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type == nullptr) return check_datatype(info, cell);
  const std::vector<std::string>& known = type->reductions;
  if (std::find(known.begin(), known.end(), cell.reduction) != known.end()) return {};
  return {.complaint = info.name + " has no reduction '" + cell.reduction + "' of " + cell.datatype,
          .remedy =
              known.empty() ? "write another datatype" : base::did_you_mean(cell.reduction, known)};
}

LevelText not_in_place(const OperationInfo& /*info*/, const Cell& /*cell*/) {
  return {.text = "no"};
}

LevelText usual_topology(const OperationInfo& /*info*/, const Cell& /*cell*/) {
  return {.text = "ring"};
}

// In place a rank gets as much from another one as it sends there.
LevelText check_distribution(const OperationInfo& info, const Cell& cell) {
  if (info.distributes != Distributes::kPairs || cell.in_place != "yes" ||
      cell.distribution == Cell().distribution) {
    return {};
  }
  return {.complaint = info.name +
                       " in place exchanges blocks that are as long in both directions, "
                       "which they are not with distribution = \"" +
                       cell.distribution + "\"",
          .remedy = or_own_block("write in-place = false, or distribution = \"regular\"", info)};
}

LevelText segment_level(std::string_view written) {
  const base::Parsed<std::uint64_t> bytes = base::parse_size_bytes(written);
  if (bytes.value) return {.text = std::to_string(*bytes.value)};
  return {.complaint = "is not the length of a segment: " + bytes.error,
          .remedy = "write bytes, as in \"8KiB\", or \"0\" for whole messages"};
}

LevelText check_segment(const OperationInfo& info, const Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  if (type == nullptr || cell.segment_bytes % type->size_bytes == 0) return {};
  return {.complaint = "a segment of " + std::to_string(cell.segment_bytes) +
                       " bytes is not a multiple of the " + std::to_string(type->size_bytes) +
                       " bytes of " + type->name,
          .remedy = or_own_block("write one", info)};
}

// What is not below the messages leaves them whole.
void settle_segment(const OperationInfo& info, Cell& cell) {
  const DatatypeInfo* type = info.datatype(cell.datatype);
  const std::uint64_t element_bytes = type == nullptr ? 1 : type->size_bytes;
  const BlockCount block{.elements = cell.size_bytes.value_or(0) / element_bytes,
                         .ranks = cell.ranks};
  const std::uint64_t elements =
      info.segments == Segments::kOfShare ? block.share() : block.elements;
  if (cell.segment_bytes >= elements * element_bytes) cell.segment_bytes = 0;
}

LevelText check_cache(const OperationInfo& info, const Cell& cell) {
  const bool fixed = info.persistent || cell.form == name_of(P2pForm::kPersistent);
  if (cell.cache != "cold-cycle" || !fixed) return {};
  return {.complaint = info.name + " fixes its buffers before it starts: they cannot move on",
          .remedy = or_own_block("use cache = \"cold-flush\"", info)};
}

}  // namespace invar::record
