// Performance guidelines (paper 003): what a library is expected to do no worse than itself. A file
// of rules has one a line (docs/formats.md, "Rules"):
//
//   GL10: bcast(n) <= scatter(n/p) + allgather(n/p) tolerance 5%  # why
//   monotone(reduce)
//   split(allgather) tolerance 5%
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/campaign/campaign.hpp"
#include "record/operation/parts.hpp"

namespace invar::design {

enum class GuidelineKind : std::uint8_t {
  kPattern,   // an operation against others that together do the same
  kMonotone,  // a size against the next larger one
  kSplit,     // one call against several on parts of its data
};

constexpr std::string_view to_string(GuidelineKind kind) {
  constexpr std::string_view kWords[] = {"pattern", "monotone", "split"};
  return kWords[static_cast<std::size_t>(kind)];
}

struct Guideline {
  std::string name = {};  // a rule without one is called after what it says: "monotone-reduce"
  GuidelineKind kind = GuidelineKind::kPattern;
  std::string operation = {};                // the left side
  std::vector<record::PartInfo> parts = {};  // the right side of a pattern, at least one
  double tolerance = 0;  // relative: violated where left > (1 + tolerance) right
  std::string why = {};  // the comment behind it
  Position at = {};      // of the line's first word
  Position operation_at = {};
  std::vector<Position> part_positions = {};  // of the parts

  [[nodiscard]] bool composite() const { return parts.size() > 1; }
  bool operator==(const Guideline&) const = default;
};

// All rules of a file, at least one. Throws UserError with every fault, each with file:line:column.
std::vector<Guideline> parse_guidelines(std::string_view text, const std::string& place);
// Those that can be read; the faults of all others are added.
std::vector<Guideline> parse_guidelines(std::string_view text, const std::string& place,
                                        base::Faults& faults);

// "bcast(n) <= scatter(n/p) + allgather(n/p)": without name, tolerance and comment.
std::string statement_of(const Guideline& guideline);
// The whole line, as parse_guidelines() reads it.
std::string guideline_text(const Guideline& guideline);

// Every operation that is named and not among the known ones, with its place and a did-you-mean.
// For an algorithm (`bcast@binomial`) only the operation must be known: which algorithms there are
// depends on the engine.
std::vector<base::Fault> unknown_operations(std::span<const Guideline> guidelines,
                                            std::span<const std::string> known,
                                            const std::string& place);

// Bytes of a part where the left side's block has `block_bytes`, in elements of `element_bytes` (of
// which it is a multiple), for `ranks`. Shares are rounded up to whole elements, so that one for
// every rank is a padded block.
std::uint64_t part_bytes(record::PartSize size, std::uint64_t block_bytes,
                         std::uint64_t element_bytes, std::uint32_t ranks);

}  // namespace invar::design
