// What the decision on adaptive sizes has said so far: rounds of choosing, evidence of protocols,
// and where curves seem to jump or bend, which fresh groups judge then (docs/formats.md,
// "Manifest").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/manifest/manifest.hpp"

namespace invar::analysis {

// Name of the decision (store::DecidedLine::decision).
constexpr std::string_view kSizesDecision = "sizes";

enum class SizePhase : std::uint8_t {
  kChoose,    // the next groups measure what may add sizes
  kEvidence,  // the next groups measure senders whose receiver is late
  kJudge,     // sizes are chosen: groups from here on judge
  kGiven,     // nothing is chosen: the plan was given, or there is no time for it
};

// One middle of a round, in one arm. `cell`: the first of its place (Cell::id), which tells which
// curve it is.
struct SizeCandidate {
  std::uint32_t cell = 0;
  std::string arm = {};
  std::uint64_t low_bytes = 0;
  std::uint64_t middle_bytes = 0;
  std::uint64_t high_bytes = 0;
  std::uint64_t groups = 0;
  double deviation = 0;  // relative, signed
  std::optional<double> p = {};
  std::optional<double> p_adjusted = {};
  bool beyond = false;

  bool operator==(const SizeCandidate&) const = default;
};

struct ChosenJump {
  std::uint32_t cell = 0;
  std::string arm = {};
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;

  bool operator==(const ChosenJump&) const = default;
};

struct ChosenBend {
  std::uint32_t cell = 0;
  std::string arm = {};
  std::uint64_t low_bytes = 0;
  std::uint64_t middle_bytes = 0;
  std::uint64_t high_bytes = 0;

  bool operator==(const ChosenBend&) const = default;
};

// Cells of one-way messages with a late receiver, at both ends of a jump.
struct EvidenceCells {
  std::uint32_t cell = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;
  std::uint32_t low_cell = 0;
  std::uint32_t high_cell = 0;

  bool operator==(const EvidenceCells&) const = default;
};

struct ChosenPlace {
  std::uint32_t cell = 0;
  double tolerance = 0.05;

  bool operator==(const ChosenPlace&) const = default;
};

// One line: a record of its candidates, and all that the next one goes on with.
struct SizeChoice {
  std::uint32_t round = 0;
  SizePhase phase = SizePhase::kChoose;
  // Complete launch groups that it rests on, by the rule `breaks`, whose jumps are where fits
  // break; 0: another rule.
  std::size_t groups = 0;
  std::vector<ChosenPlace> places = {};
  std::vector<SizeCandidate> candidates = {};
  std::vector<ChosenJump> jumps = {};
  std::vector<ChosenBend> bends = {};
  std::vector<EvidenceCells> evidence = {};

  // Nothing more is chosen.
  [[nodiscard]] bool is_final() const {
    return phase == SizePhase::kJudge || phase == SizePhase::kGiven;
  }
  bool operator==(const SizeChoice&) const = default;
};

// A JSON object: the line's `fields`.
std::string size_choice_text(const SizeChoice& choice);

// The choice in the last line of that name. None: there is no such line. Throws UserError where
// what was decided cannot be read.
std::optional<SizeChoice> last_size_choice(std::span<const store::DecidedLine> decided);

// Groups were looked at to choose sizes, and choosing has not come to its end: no group judges,
// neither those that were looked at nor those that measure what choosing waits for, which are named
// when it goes on. Throws as last_size_choice().
bool is_choosing_sizes(std::span<const store::DecidedLine> decided);

}  // namespace invar::analysis
