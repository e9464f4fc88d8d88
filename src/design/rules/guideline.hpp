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

namespace invar::design {

enum class GuidelineKind : std::uint8_t {
  kPattern,   // an operation against others that together do the same
  kMonotone,  // a size against the next larger one
  kSplit,     // one call against several on parts of its data
};

// The size of a term, as a function of n, the left side's size: the block of its call.
enum class TermSize : std::uint8_t {
  kBlock,  // n
  kShare,  // n/p: rounded up to whole elements, so that p shares are a padded block
  kAll,    // p*n
};

// "scatter(n/p)"
struct GuidelineTerm {
  std::string operation = {};
  TermSize size = TermSize::kBlock;
  Position at = {};

  bool operator==(const GuidelineTerm&) const = default;
};

struct Guideline {
  std::string name = {};  // a rule without one is called after what it says: "monotone-reduce"
  GuidelineKind kind = GuidelineKind::kPattern;
  std::string operation = {};             // the left side
  std::vector<GuidelineTerm> parts = {};  // the right side of a pattern, at least one
  double tolerance = 0;                   // relative: violated where left > (1 + tolerance) right
  std::string why = {};                   // the comment behind it
  Position at = {};                       // of the line's first word
  Position operation_at = {};

  [[nodiscard]] bool composite() const { return parts.size() > 1; }
  bool operator==(const Guideline&) const = default;
};

// All rules of a file, at least one. Throws UserError with every fault, each with file:line:column.
std::vector<Guideline> parse_guidelines(std::string_view text, const std::string& place);

// "bcast(n) <= scatter(n/p) + allgather(n/p)": without name, tolerance and comment.
std::string statement_of(const Guideline& guideline);
// "scatter(n/p) + allgather(n/p)"; of the other kinds empty.
std::string parts_text(std::span<const GuidelineTerm> parts);
// The whole line, as parse_guidelines() reads it.
std::string guideline_text(const Guideline& guideline);

// Every operation that is named and not among the known ones, with its place and a did-you-mean.
// What begins with a known operation and '@' is an algorithm of it: who names one that is not there
// asks for something that this build lacks, which is no mistake of writing.
std::vector<base::Fault> unknown_operations(std::span<const Guideline> guidelines,
                                            std::span<const std::string> known,
                                            const std::string& place);

// Bytes of a term where the left side's block has `block_bytes`, in elements of `element_bytes`
// (of which it is a multiple), for `ranks`.
std::uint64_t term_bytes(TermSize size, std::uint64_t block_bytes, std::uint64_t element_bytes,
                         std::uint32_t ranks);

}  // namespace invar::design
