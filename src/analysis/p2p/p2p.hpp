// Latency, bandwidth, message rate, steps and queues of messages between single ranks. A plain
// value that a test can construct and any renderer can print.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/p2p/bandwidth.hpp"
#include "analysis/p2p/latency.hpp"
#include "analysis/p2p/queues.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// An arm in a place: what its user asks first.
struct MessageSummary {
  std::string arm = {};
  std::string place = {};  // what tells it from the arm's others; empty: it has one
  // One of the machine's other regimes, or kAllRegimes; empty: the one that the answer speaks of.
  std::string regime = {};
  std::optional<TimeEstimate> latency = {};  // half the round trip of the smallest messages
  std::uint64_t latency_bytes = 0;           // their size
  PlaceRates rates = {};
  // Steps of the curve of round trips. None: there is no such curve that could be judged.
  std::optional<std::vector<Step>> steps = {};
  // Why nobody can say whether there are any; empty: steps says it, or there is no such curve.
  std::string steps_not_judged = {};
};

struct P2p {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};
  std::vector<MessageSummary> summaries = {};  // by arm, then by place
  std::vector<MessageSummary> elsewhere = {};  // of the other regimes, each likewise
  std::vector<LatencyRow> latency = {};
  std::vector<RateRow> rates = {};
  Queues queues = {};
  Steps steps = {};  // of all curves
  std::vector<Warning> warnings = {};
  Regimes regimes = {};                           // of the machine
  std::optional<ReferenceRegime> reference = {};  // none: nothing splits
  bool shows_regimes = false;                     // the summaries of all of them are shown
  std::string asked = {};                         // with other options than usual: asked_words
  std::optional<double> reading_ns = {};          // what reading a clock takes
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double alpha = 0.05;
  double min_effect = 0.02;
  std::string no_verdict = {};  // why these are no figures; empty: they are
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws what p2p_lack() says.
P2p p2p(const Study& study);
// No cell sends messages between single ranks; no complete launch group, or no valid repetition.
std::optional<Lack> p2p_lack(const Study& study);

// From summaries, regimes, scope and no_verdict alone.
std::string p2p_sentence(const P2p& found);

// "6.02 KiB [4.00, 8.00], lost again from 16 KiB to 32 KiB", "between 8 B and 1 KiB", "64 B or
// less".
std::string half_words(const HalfSize& half);

Answer answer_of(const P2p& found);

}  // namespace invar::analysis
