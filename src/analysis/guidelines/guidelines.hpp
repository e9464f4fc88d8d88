// `invar guidelines`: what a library does worse than it could (paper 003; docs/methods.md,
// "Guidelines"). A plain value that a test can construct and any renderer can print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"
#include "design/rules/guideline.hpp"

namespace invar::analysis {

// A rule at a size, for a number of ranks, in an arm.
struct GuidelineRow {
  std::size_t rule = 0;  // index into Guidelines::rules
  std::string arm = {};  // empty: what is not measured is not measured in any
  // Size of the left side. None: it has no size, or is not measured at any.
  std::optional<std::uint64_t> size_bytes = {};
  std::optional<std::uint32_t> ranks = {};  // none: likewise
  // Right side (A) and left side (B); its ratio is the factor by which the left one takes longer.
  // None: not measured.
  std::optional<ComparedCell> sides = {};
  std::string why = {};      // it is not measured
  std::string scratch = {};  // what the right side needs beside the buffers: "p*n"; empty: nothing
  // The right side's time is that of so many calls, which for PGMPI were not made; none: of one.
  std::optional<std::uint64_t> calls = {};

  [[nodiscard]] std::optional<stats::Verdict> verdict() const {
    return sides ? sides->verdict : std::nullopt;
  }
  [[nodiscard]] bool is(stats::Verdict asked) const { return verdict() == asked; }
  // What a call of the left side takes longer than the right one: its time (1 - 1/factor). None
  // without a factor, or where it takes less.
  [[nodiscard]] std::optional<double> lost_ns() const;
};

// The rules of a kind in an arm. A rule counts once, whatever the number of its sizes.
struct GuidelineCount {
  std::string arm = {};
  design::GuidelineKind kind = design::GuidelineKind::kPattern;
  std::size_t rules = 0;      // with those that are not measured
  std::size_t measured = 0;   // at one size at least
  std::size_t violated = 0;   // at one size at least
  std::size_t holding = 0;    // at every size that is measured
  std::size_t undecided = 0;  // the other measured ones
};

struct Guidelines {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<design::Guideline> rules = {};
  std::vector<GuidelineRow> rows = {};  // rule after rule
  std::vector<Warning> warnings = {};
  bool global_runtime = false;
  double alpha = 0.05;
  stats::Correction correction = stats::Correction::kBenjaminiHochberg;
  // Into how many calls a split divides was chosen by groups that do not judge it.
  bool splits_chosen = false;
  std::size_t comparisons = 0;         // tests in the table that was corrected
  bool sequential = false;             // the campaign looked at the results under way
  std::vector<LookReport> looks = {};  // empty: it is not sequential, or has had no look yet
  std::string no_verdict = {};         // why there are no verdicts at all; empty: there are
  // Judged as PGMPI does, by this test: `holds` then only means that no violation was found. Empty:
  // by method invar.
  std::string pgmpi_test = {};
  std::filesystem::path dir = {};
  Health health = {};

  [[nodiscard]] bool any(stats::Verdict verdict) const;
};

// For every arm (in its order) each kind that the rules have.
std::vector<GuidelineCount> counts_of(const Guidelines& found);

// Throws what guidelines_lack() says.
Guidelines guidelines(const Study& study);
// The campaign has no guidelines, or no complete launch group, or no valid repetition.
std::optional<Lack> guidelines_lack(const Study& study);

// From the rows alone.
std::string guidelines_sentence(const Guidelines& found);

Answer answer_of(const Guidelines& found);

}  // namespace invar::analysis
