// What `compare` answers: a plain value that a test can construct and any renderer can print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/machine/diagnosis.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/study/rules.hpp"
#include "base/canary_band.hpp"
#include "design/campaign/launch_test.hpp"
#include "record/cell.hpp"
#include "stats/decide/verdict.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// The view of everything together, where the headline speaks of the reference regime.
inline constexpr std::string_view kAllRegimes = "all regimes";

// The machine's reference regime.
struct ReferenceRegime {
  base::CanaryBand band = {};
  std::optional<double> median_ns = {};  // of the canaries in it; none: there are none
  double share = 1;                      // of the visits
  bool split = false;                    // the headline leaves out what is outside of it
  bool written = false;  // in the campaign's file: whoever repeats it has it from there

  // "canary 0.143 us"
  [[nodiscard]] std::string name() const;
};

// What a time over launches is: of one launch its median, of two to five the geometric mean of
// their medians, of more Hodges and Lehmann's estimate. Student's test of launches judges means.
enum class Estimate { kMedian, kGeometricMean, kHodgesLehmann, kMean };

// "median", "geometric mean", "hodges-lehmann", "mean", as machines read it.
std::string estimate_name(Estimate estimate);

// Time of one call of an arm in a cell, over launches.
struct TimeEstimate {
  double median_ns = 0;  // in the middle of launches, whatever `estimate` it is
  std::optional<stats::Interval> interval_ns = {};
  Estimate estimate = Estimate::kMedian;

  bool operator==(const TimeEstimate&) const = default;
};

struct ComparedArm {
  std::string label = {};
  std::string library = {};
  std::string library_version = {};
  std::string program = {};  // command of a foreign program; empty: the engine measured
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::size_t launches = 0;
};

// What is wrong with a row over everything, where there is something.
enum class Doubt {
  kNone,
  kDisagree,  // another regime of the machine has another winner
  // A few launch groups far from the others make the ratio, a mean of logs, and hardly move the
  // times beside it: these do not show the verdict, or do not give the ratio.
  kWeighs,
  // Two campaigns. No ratio and no verdict is given:
  kShares,    // each was in the machine's regimes for other shares of its time
  kTimes,     // the ratio and the times that it is printed with speak against each other
  kBatches,   // one timed calls one by one, the other in batches, which measures something else
  kSessions,  // over sessions: too few of a side have the cell
};

// There is neither ratio nor verdict because of it.
constexpr bool speaks_no_more(Doubt doubt) {
  return doubt == Doubt::kShares || doubt == Doubt::kTimes || doubt == Doubt::kBatches ||
         doubt == Doubt::kSessions;
}

// One comparison: side B against side A (the reference). Sides are two arms of a cell, or two times
// (then `arm_a` and `arm_b` are their names), or two cells. The ratio is time of B /
// time of A; the verdict speaks about A: faster means that A takes less time. In a pair with a
// direction, as those of a gate, it speaks about what is expected of the ratio: holds, violated.
struct ComparedCell {
  record::Cell cell = {};
  std::optional<record::Cell> cell_a = {};  // of A, where it is another one than `cell`
  std::optional<record::Cell> cell_b = {};  // of B, where it is another one than A's
  // Which time of the operation: of both sides, of B where it is another one.
  std::string time_name{kWholeName};
  std::optional<std::string> time_name_b = {};
  std::string in_arm = {};     // of that, which both sides are of then
  bool with_reference = true;  // A is what all others are compared with
  // One of the machine's other regimes, or kAllRegimes; none: the headline, of the reference
  // regime.
  std::optional<std::string> regime = {};
  std::string arm_a = {};
  std::string arm_b = {};
  std::optional<TimeEstimate> time_a = {};
  std::optional<TimeEstimate> time_b = {};
  // Bytes that a call moves in these times; none: there are none, or nobody asks for rates.
  std::optional<double> moved_a = {};
  std::optional<double> moved_b = {};
  std::optional<double> ratio = {};
  // At 1 - alpha, wider where the correction rejected: it agrees with the verdict.
  std::optional<stats::Interval> ratio_interval = {};
  std::size_t launches = 0;       // launch groups with both arms; unpaired: the smaller number
  bool unpaired = false;          // over launches or sessions of each side, not over launch groups
  bool this_launch_only = false;  // one group: the interval says nothing of the next one
  std::optional<double> p = {};
  std::optional<double> p_adjusted = {};       // none for presets that do not correct
  std::optional<stats::Verdict> verdict = {};  // none: no verdict is possible
  // Sequential campaigns: the look that decided, from 1, of which all of the above is.
  std::optional<std::uint32_t> look = {};
  Doubt doubt = Doubt::kNone;
  // By how much the log of the ratio may be off, however many launches there are: what programs
  // print was rounded by them.
  double rounding = 0;

  // It speaks of something else than whole calls.
  [[nodiscard]] bool names_time() const {
    return time_name != kWholeName || time_name_b.has_value();
  }
  // Sides are times of the same visits.
  [[nodiscard]] bool of_times() const { return !in_arm.empty() && !cell_b && time_name_b; }
};

// The arms that cannot be told from the best one of this cell.
struct BestArms {
  record::Cell cell = {};
  std::vector<std::string> arms = {};
  std::size_t contenders = 0;  // arms that have this cell
  // How many times the time of the best the next arm takes: of all ratios between one of the best
  // and one that is not, where a verdict tells them apart, the smallest. None: there is none.
  std::optional<double> ahead = {};
};

// One look of a sequential campaign.
struct LookReport {
  std::uint32_t look = 0;     // from 1
  std::size_t launches = 0;   // complete launch groups at the time
  double alpha = 0;           // its share of the campaign's
  std::size_t decided = 0;    // pairs, this look's and those before
  std::size_t questions = 0;  // pairs that were asked, also those that no row shows
};

struct Comparison {
  std::string sentence = {};  // the answer, with its scope, and `detail`
  std::string detail = {};    // the sentences about regimes; often empty
  std::string scope = {};     // "2 ranks, 1 host, shared memory, this session"
  std::vector<ComparedArm> arms = {};
  // The factor whose levels are compared, by its name, or kAgainstTimes; empty: arms are.
  std::string against = {};
  std::string time = {};  // that was asked for by its name; empty: the headline
  std::vector<ComparedCell> cells = {};
  std::vector<BestArms> best = {};  // with more than two arms, one entry a cell
  std::vector<Warning> warnings = {};
  Regimes regimes = {};  // of the machine; two campaigns: of both together
  std::optional<base::CanaryBand> regime_before =
      {};                                         // of the last comparison on this host, before
  std::string asked = {};                         // with other options than usual: asked_words
  bool shows_pairs = false;                       // a terminal's table has a row a pair
  bool shows_regimes = false;                     // a terminal's tables have their rows, too
  bool has_bandwidth = false;                     // tables have columns of GB/s
  std::optional<ReferenceRegime> reference = {};  // none: there are no canaries, or nothing splits
  std::vector<Perturbation> perturbations = {};   // in order of time
  std::vector<CellDiagnosis> diagnosis = {};      // of every arm and cell

  // How it was computed.
  Method method = Method::kInvar;
  std::string preset = {};          // its name; empty: ours, or a test that was named itself
  std::string preset_reports = {};  // its headline in words, of these operations; empty: no preset
  // Used by Method::kLaunchTest; less claims that A takes less time.
  design::LaunchTest launch_test = design::LaunchTest::kWilcoxon;
  stats::Alternative alternative = stats::Alternative::kTwoSided;
  Pairing pairing = Pairing::kTurns;
  bool global_runtime = false;
  std::vector<std::string> local_cells = {};  // of which it is local nevertheless
  double alpha = 0.05;
  double min_effect = 0.02;
  // The question was a gate with this margin: may an arm take longer than the first one by more?
  std::optional<double> gate = {};
  stats::Correction correction = stats::Correction::kBenjaminiHochberg;
  std::size_t comparisons = 0;         // tests in the table that was corrected
  bool sequential = false;             // the campaign looked at the results under way
  std::vector<LookReport> looks = {};  // empty: it is not sequential, or has had no look yet
  bool same_arm = false;               // A/A: all arms are the same library with the same settings
  std::string no_verdict = {};         // why there are no verdicts at all; empty: there are
  std::vector<std::filesystem::path> dirs = {};
  std::vector<std::string> campaigns = {};  // names of the two sides; empty: it is one campaign
  // Each side is several campaigns, one a session, of these names: the session is the unit. Empty:
  // it is not.
  std::vector<std::vector<std::string>> sessions = {};

  Health health = {};
};

// "invar", "ks", "reprompi": as --method has it.
std::string method_name(const Comparison& comparison);

// What stands against each other, the reference first, by the names in the rows: all arms, or the
// levels that are compared.
std::vector<std::string> sides_of(const Comparison& comparison);

Answer answer_of(const Comparison& comparison);

}  // namespace invar::analysis
