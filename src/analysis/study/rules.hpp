// How data are to be analysed: the campaign's [analysis] section, overridden by a command's
// options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ticks/declared_time.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/gate.hpp"
#include "design/campaign/launch_test.hpp"
#include "design/campaign/presets.hpp"
#include "record/factors.hpp"
#include "stats/decide/inference.hpp"
#include "stats/types.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Ours; a test over launches, each of which is one value (ReproMPI, PGMPI, or named itself); what a
// suite without a test reports.
enum class Method { kInvar, kLaunchTest, kReported };
// How two values belong together. kTurns: two arms whose visits follow each other; kLaunches: two
// arms whose launches do; kRounds: two cells of the same launches; kVisits: two times of the same
// visits; kNone: not at all, as in two campaigns.
enum class Pairing { kTurns, kLaunches, kRounds, kVisits, kNone };
enum class Runtime { kAuto, kLocal, kGlobal };

// What a command may ask for; what it leaves open comes from the campaign.
struct CompareOptions {
  std::vector<std::string> arms = {};  // labels, the first one is the reference; empty: all
  bool all_pairs = false;
  bool regimes = false;                         // shows the rows of the machine's other regimes
  bool bandwidth = false;                       // has columns of GB/s
  std::optional<std::string> method = {};       // one of design::method_names()
  std::optional<std::string> alternative = {};  // two-sided | less | greater
  std::optional<std::string> correction = {};   // bh | holm
  std::optional<std::string> runtime = {};      // auto | local | global
  std::optional<double> alpha = {};             // in (0, 1)
  std::optional<double> min_effect = {};        // relative, at least 0
  std::optional<base::CanaryBand> regime = {};
  std::optional<design::Gate> gate = {};  // `slower` without a margin: the usual question
  // A factor, as in [analysis], or kAgainstTimes.
  std::optional<std::string> against = {};
  std::optional<std::string> time = {};  // of those that operations state; none: the headline
  // It is compared with other campaigns: what its own looks asked about its own arms binds nobody.
  bool with_others = false;
};

// The times of an operation are compared with each other.
constexpr std::string_view kAgainstTimes = "time";

struct Rules {
  Method method = Method::kInvar;
  // Null: ours, or a test that was named itself.
  const design::Preset* preset = nullptr;
  // For Method::kLaunchTest, with its direction: less claims that side one takes less time.
  design::LaunchTest test = design::LaunchTest::kWilcoxon;
  stats::Alternative alternative = stats::Alternative::kTwoSided;
  std::vector<std::string> measured = {};  // presets that the campaign measured their way
  bool own_visits = true;                  // it measured its own way, too
  Pairing pairing = Pairing::kTurns;
  Runtime runtime = Runtime::kAuto;
  // The start of every repetition of every cell was agreed in global time (round-time, window), so
  // that `auto` means global run-time; all cells have one kind of run-time.
  bool agreed_start = true;
  stats::DecisionRule decision = {};  // alpha and min-effect
  stats::Correction correction = stats::Correction::kBenjaminiHochberg;
  // The campaign looked at the results under way (stopping = "looks").
  bool sequential = false;
  // The machine's reference regime, where it is named; none: chosen from the canaries.
  std::optional<base::CanaryBand> regime = {};
  // The question is a gate: does another arm take longer than the first one by more than this
  // margin? None: who is faster?
  std::optional<double> gate = {};
  // The question is whether guidelines hold: each pair has a direction and a tolerance of its own.
  bool guidelines = false;
  // The question is what is fastest of all that can be made to run in a cell.
  bool races = false;
  // The question is what a tuned file gains: each pair has a direction and a margin of its own.
  bool confirms = false;
  // The factor whose levels are compared inside every arm; null: arms are.
  const record::Factor* against = nullptr;
  // Not arms but the times of every visit are compared, with this one:
  bool against_times = false;
  // The time that everything is said of, but for what presets say and what is local beside global:
  // these speak of whole calls.
  TimeChoice time = {};

  // Sides are of one arm.
  [[nodiscard]] bool inside_arms() const { return against != nullptr || against_times; }
  // Cells are compared with each other, whatever else is: they need one kind of run-time.
  bool compares_cells = false;
  [[nodiscard]] bool one_runtime() const { return compares_cells || inside_arms(); }
  std::optional<double> window_s = {};  // length of all windows, where the campaign fixed it
  // A launch group measures a part of the random sizes: each is in one of so many groups. 1: all
  // groups have all.
  std::uint32_t parts = 1;
  // Why these data allow no verdict at all; empty: they do.
  std::string no_verdict = {};
};

// What was asked beside the usual, as `invar compare` takes it, so that a command that goes on asks
// the same: " --method wilcoxon --alpha 0.01". Without the options that choose what is shown
// (--pairs, --regimes, --bandwidth). Empty: nothing was.
std::string asked_words(const CompareOptions& options);

// Throws UserError with every option that is out of range or unknown, named as on the command line.
Rules make_rules(const design::Campaign& campaign, const CompareOptions& options);

// The campaign of the data, read from its own copy. Throws UserError if that does not parse.
design::Campaign campaign_of(const store::Data& data);

}  // namespace invar::analysis
