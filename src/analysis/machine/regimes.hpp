// Regimes of the machine: the canaries of all visits, split where they lie in separate heaps
// (docs/methods.md, "Regimes").
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/pairs.hpp"
#include "analysis/study/summaries.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// The canaries between two cuts.
struct Regime {
  std::string name = {};  // "canary 0.13 us", "chain 1.02 us"
  double median_ns = 0;
  double low_ns = 0;  // 5 % of its canaries lie below
  double high_ns = 0;
  double share = 0;  // of all canaries; of several campaigns the mean of their shares
  // With several campaigns the share of each one's canaries; in an answer that of each side's.
  std::vector<double> campaign_shares = {};
};

struct Regimes {
  base::CanaryKind kind = base::CanaryKind::kLine;  // of canary that they rest on
  std::vector<Regime> found = {};                   // by canary; one: the machine did not change
  std::string why_none = {};  // why there are no canaries to split; empty: there are

  // Index into `found`. None for a canary that belongs to no regime, because too few are like it.
  [[nodiscard]] std::optional<std::size_t> of(double canary_ns) const;
  // By the visit's canary of that kind; none as well where it has none.
  [[nodiscard]] std::optional<std::size_t> of(const VisitSummary& visit) const {
    const std::optional<double> canary_ns = visit.canary(kind);
    return canary_ns ? of(*canary_ns) : std::nullopt;
  }

  // Canaries below cuts_ns[i] and not below the one before belong to members[i].
  std::vector<double> cuts_ns = {};
  std::vector<std::optional<std::size_t>> members = {};  // one more than cuts
};

constexpr std::size_t kMostRegimes = 4;

// `step_ns`: of the clock that measured them. One regime is the usual answer: heaps are told apart
// only if the sample proves several modes, a valley lies between them, their medians differ by
// least_ratio(kind) and each holds 5 % of the canaries. Values that are not positive are left out;
// without any, `found` is empty.
Regimes split_canaries(std::span<const double> canaries_ns, double step_ns,
                       base::CanaryKind kind = base::CanaryKind::kLine,
                       std::size_t most = kMostRegimes);

// What neighbouring regimes' medians are apart at least: a quarter; of chains 2 %, because steps of
// a core's clock are as small and its times have no queue on their way.
double least_ratio(base::CanaryKind kind);

// Whether a comparison that mixes them is in doubt: the fastest and the slowest regime differ as
// much as two of lines do. Steps of a core's clock by a few per cent are regimes as well, but move
// the times of all arms alike.
bool far_apart(const Regimes& regimes);

// A regime is a state that lasts: a visit and the next one of the same launch are in the same
// regime, as often as that the agreement beyond chance (Cohen's kappa) is one half. A clock that is
// another one at every visit is noise that turns cancel. False below 30 such pairs of visits: of
// few kappa is a coin.
bool regimes_last(std::span<const VisitSummary> visits, const Regimes& regimes);

// The kind of canary that regimes rest on, chosen from canaries alone: the line where it shows more
// than one regime, else the first other kind that shows several which last, else the first that
// there is, as one regime. `split`: by a kind, at most so many regimes; none where there are no
// canaries of it. `last`: they are states that last.
Regimes chosen_regimes(const std::function<Regimes(base::CanaryKind kind, std::size_t most)>& split,
                       const std::function<bool(const Regimes& regimes)>& last);

// The canaries of all visits, of the kind that is chosen like this, or of `fixed`.
Regimes regimes_of(const store::Data& data, const Summaries& summaries,
                   std::optional<base::CanaryKind> fixed = {});

// "one regime", "3 regimes", or why there are none: for the line that a user sees meanwhile.
std::string regimes_text(const Regimes& regimes);

// The visits of one regime: those of the blocks all of whose visits (by any arm) belong to it, in
// the launch groups that have at least `fewest_blocks` such blocks of the cell.
CellTable visits_in_regime(std::span<const VisitSummary> visits, const Regimes& regimes,
                           std::size_t regime, std::size_t cells, std::size_t arms,
                           std::size_t fewest_blocks);

// A row of its own needs so many launch groups, of so many blocks each.
constexpr std::size_t kRegimeGroups = 3;
constexpr std::size_t kRegimeBlocks = 3;

}  // namespace invar::analysis
