// Which number of bytes a library compares with the limits of its file, and whether it reads the
// file at all: asked, never assumed. A file makes it run something plainly different from a
// threshold on (an algorithm that is slow there, or sends other messages); from which block size on
// that is seen says what was compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuning/size_law.hpp"

namespace invar::tuning {

struct SizeLawQuestion {
  std::string operation = {};
  std::uint32_t ranks = 2;          // two or more: one rank tells no law from another
  std::uint64_t element_bytes = 1;  // of the usual datatype
  // What the library's sources say; names the law where several compare the same number for equal
  // blocks.
  std::optional<SizeLaw> expected = {};
};

// A file with one rule: from `threshold_bytes` on, as the library counts them, the other algorithm.
struct SizeLawProbe {
  std::uint64_t threshold_bytes = 0;
  std::vector<std::uint64_t> sizes_bytes = {};  // of the block, ascending

  bool operator==(const SizeLawProbe&) const = default;
};

// What was seen of a size: the rule acts, it does not, or that cannot be said.
using RuleActs = std::optional<bool>;

struct SizeLawAnswer {
  SizeLawProbe probe = {};
  std::vector<RuleActs> acts = {};  // as many as the probe has sizes
};

// What to ask next after these answers, in their order; nothing: it is known, or cannot be.
std::optional<SizeLawProbe> next_size_law_probe(const SizeLawQuestion& question,
                                                std::span<const SizeLawAnswer> answers);

struct SizeLawFinding {
  bool reads_file = false;  // the rule has acted somewhere
  std::optional<SizeLaw> law = {};
  // "the file is not read: a rule from 0 on changes nothing"; also where there is a law.
  std::string words = {};
};

SizeLawFinding find_size_law(const SizeLawQuestion& question,
                             std::span<const SizeLawAnswer> answers);

// Does the rule act, by times? A call takes `without_ns` without the file and `with_ns` with it,
// and its algorithm takes `alone_ns` where it is forced. Twice as long, and nearer to what the
// algorithm takes alone than to the other: yes. Within a quarter of the time without: no. Else
// nobody can tell.
RuleActs acts_by_time(double without_ns, double with_ns, double alone_ns);

// Is an algorithm plainly slow, so that it tells? By its times and the library's own, size by size:
// three times as long for each.
bool is_plainly_slow(std::span<const double> own_ns, std::span<const double> library_ns);

}  // namespace invar::tuning
