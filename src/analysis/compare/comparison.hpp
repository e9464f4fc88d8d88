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

#include "analysis/machine/diagnosis.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/machine/regimes.hpp"
#include "analysis/study/answer.hpp"
#include "analysis/study/health.hpp"
#include "analysis/study/rules.hpp"
#include "base/canary_band.hpp"
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
  bool named = false;                    // by the campaign or the command, not chosen

  // "canary 0.143 us"
  [[nodiscard]] std::string name() const;
};

// Time of one call of an arm in a cell, over launches.
struct TimeEstimate {
  double median_ns = 0;
  std::optional<stats::Interval> interval_ns = {};

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
  // times, medians over groups: these do not show the verdict.
  kWeighs,
  // Two campaigns. No ratio and no verdict is given:
  kShares,   // each was in the machine's regimes for other shares of its time
  kTimes,    // the ratio and the times that it is printed with speak against each other
  kBatches,  // one timed calls one by one, the other in batches, which measures something else
};

// There is neither ratio nor verdict because of it.
constexpr bool speaks_no_more(Doubt doubt) {
  return doubt == Doubt::kShares || doubt == Doubt::kTimes || doubt == Doubt::kBatches;
}

// One comparison: side B against side A (the reference). Sides are two arms of a cell, or two times
// ("local", "global"; then `arm_a` and `arm_b` are those), or two cells. The ratio is time of B /
// time of A; the verdict speaks about A: faster means that A takes less time. Of a pair with a
// direction, as those of a gate, it speaks about what is expected of the ratio: holds, violated.
struct ComparedCell {
  record::Cell cell = {};
  std::optional<record::Cell> cell_b = {};  // of B, where it is another one
  std::string in_arm = {};                  // of that, which both sides are of then
  bool with_reference = true;               // A is what all others are compared with
  // One of the machine's other regimes, or kAllRegimes; none: the headline, of the reference
  // regime.
  std::optional<std::string> regime = {};
  std::string arm_a = {};
  std::string arm_b = {};
  std::optional<TimeEstimate> time_a = {};
  std::optional<TimeEstimate> time_b = {};
  std::optional<double> ratio = {};
  // At 1 - alpha, wider where the correction rejected: it agrees with the verdict.
  std::optional<stats::Interval> ratio_interval = {};
  std::size_t launches = 0;       // launch groups with both arms; unpaired: the smaller number
  bool this_launch_only = false;  // one group: the interval says nothing of the next one
  std::optional<double> p = {};
  std::optional<double> p_adjusted = {};       // none for presets that do not correct
  std::optional<stats::Verdict> verdict = {};  // none: no verdict is possible
  // Sequential campaigns: the look that decided, from 1, of which all of the above is.
  std::optional<std::uint32_t> look = {};
  Doubt doubt = Doubt::kNone;
};

// The arms that cannot be told from the best one of this cell.
struct BestArms {
  record::Cell cell = {};
  std::vector<std::string> arms = {};
  std::size_t contenders = 0;  // arms that have this cell
};

// One look of a sequential campaign.
struct LookReport {
  std::uint32_t look = 0;    // from 1
  std::size_t launches = 0;  // complete launch groups at the time
  double alpha = 0;          // its share of the campaign's
  std::size_t decided = 0;   // pairs, this look's and those before
};

struct Comparison {
  std::string sentence = {};  // the answer, with its scope, and `detail`
  std::string detail = {};    // the sentences about regimes; often empty
  std::string scope = {};     // "2 ranks, 1 host, shared memory, this session"
  std::vector<ComparedArm> arms = {};
  std::string against = {};  // the factor whose levels are compared, by its name; empty: arms are
  std::vector<ComparedCell> cells = {};
  std::vector<BestArms> best = {};  // with more than two arms, one entry a cell
  std::vector<Warning> warnings = {};
  Regimes regimes = {};  // of the machine; two campaigns: of both together
  std::optional<base::CanaryBand> regime_before =
      {};                                         // of the last comparison on this host, before
  bool shows_pairs = false;                       // a terminal's table has a row a pair
  bool shows_regimes = false;                     // a terminal's tables have their rows, too
  std::optional<ReferenceRegime> reference = {};  // none: there are no canaries, or nothing splits
  std::vector<Perturbation> perturbations = {};   // in order of time
  std::vector<CellDiagnosis> diagnosis = {};      // of every arm and cell

  // How it was computed.
  Method method = Method::kInvar;
  std::string preset = {};  // its name; empty: ours
  Pairing pairing = Pairing::kTurns;
  bool global_runtime = false;
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
  std::vector<std::string> campaigns = {};  // names of the two that are compared; empty: it is one

  Health health = {};
};

// What stands against each other, the reference first, by the names in the rows: all arms, or the
// levels that are compared.
std::vector<std::string> sides_of(const Comparison& comparison);

Answer answer_of(const Comparison& comparison);

}  // namespace invar::analysis
