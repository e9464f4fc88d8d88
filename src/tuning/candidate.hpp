// What a cell can be made to run: the levels of the factor `algorithm`, and what a decision table
// chooses among. One form of text for all of them:
//
//   default                              the arm exactly as its user gave it
//   library-default                      the library without the arm's settings
//   algorithm:chain:segment=64           one of the library's own (tuning/algorithm.hpp)
//   algorithm:knomial:fanout=8
//   mockup:allreduce=reduce+bcast        a mock-up of Invar (src/ops/mockups)
//   reference:allreduce@ring:segment=64  a reference algorithm of Invar (src/ops/schedules)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace invar::tuning {

enum class CandidateKind : std::uint8_t {
  kAsGiven,         // nothing is told to anybody: what every campaign without the factor measures
  kLibraryDefault,  // another one than kAsGiven only where the arm has settings
  kAlgorithm,       // what the library can be told
  kMockup,          // what only a shim can bring into a program
  kReference,       // likewise
};

struct Candidate {
  CandidateKind kind = CandidateKind::kAsGiven;
  // "chain"; "allreduce=reduce+bcast"; "allreduce@ring". Empty for the first two kinds.
  std::string name = {};
  // Children of a tree, chains: which of them, the algorithm's row says. 0: the library's own.
  std::uint32_t fanout = 0;
  std::uint64_t segment_bytes = 0;  // of a message at most; 0: not cut, the library's own

  auto operator<=>(const Candidate&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Nothing that a library can be told brings it into a program, but the shim does: each of the
// program's collectives then pays for the way through it.
bool needs_shim(const Candidate& candidate);

// The level that an absent column of the factor `algorithm` means, for ever.
constexpr std::string_view kAsGivenText = "default";

std::string to_string(const Candidate& candidate);

// The reverse. Whether the library has such an algorithm is not asked. The error says what is wrong
// and which forms there are.
base::Parsed<Candidate> parse_candidate(std::string_view text);

}  // namespace invar::tuning
