// The machine's reference regime: the visits that headline and verdicts speak of. It is chosen from
// canaries alone, before any time is looked at (docs/methods.md, "The reference regime").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/machine/regimes.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "base/canary_band.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// A regime with so many launch groups is preferred as the reference. Where none has them, it is the
// fastest one that has enough for a row of its own (kRegimeGroups); where none has these, a
// headline is over everything.
constexpr std::size_t kReferenceGroups = 5;

// The least share of the visits that the reference regime holds, of each campaign where several are
// compared.
constexpr double kLeastReferenceShare = 0.1;

struct ReferenceChoice {
  std::optional<base::CanaryBand> band = {};  // none: nothing is ever left out
  // An arm moves the canaries of the blocks that it shares with another one, so that a regime would
  // be an arm. Empty: none does. A band that is fixed stays all the same.
  std::string moved = {};
};

// The regimes that hold a tenth of the visits, the fastest first: a rarer one comes and goes
// between sessions. Somewhat wider than their canaries, but not beyond the cuts around them.
std::vector<base::CanaryBand> reference_bands(const Regimes& regimes);

// The fastest of them; none without regimes.
std::optional<base::CanaryBand> reference_band(const Regimes& regimes);

// The fastest of them in which so many launch groups count: where a faster one holds a tenth of the
// visits, but is spread thinly over the groups, the next one says more than everything together.
std::optional<base::CanaryBand> first_with_groups(const CellTable& table, const Regimes& regimes,
                                                  std::size_t groups);

// The rules name the band, or a look was taken in one: it is not chosen any more.
bool is_fixed(const store::Data& data, const Rules& rules);

// The canaries of all visits, split: of the kind that a fixed band is of, else of the chosen one.
Regimes regimes_by(const store::Data& data, const Summaries& summaries, const Rules& rules);

// The band that the rules name, else that of the first look, else the one that these canaries give.
// A campaign whose looks were taken before there were bands has none.
ReferenceChoice reference_of(const store::Data& data, const Summaries& summaries,
                             const Regimes& regimes, const Rules& rules);

// An arm that moves the canaries beyond a cut between regimes or an end of the band, in words;
// empty: none does.
std::string moved_by(const store::Data& data, const Summaries& summaries, const Regimes& regimes,
                     const std::optional<base::CanaryBand>& band);

// The rules name a regime that no visit is in.
std::optional<Lack> lack_of_regime(const store::Data& data, const Summaries& summaries,
                                   const Rules& rules);

bool any_in(const Summaries& summaries, const base::CanaryBand& band);

// How many of a table's visits have a canary of the band's kind, and how many of these lie in it.
struct BandShare {
  std::size_t visits = 0;
  std::size_t inside = 0;

  [[nodiscard]] double share() const {
    return visits == 0 ? 1 : static_cast<double>(inside) / static_cast<double>(visits);
  }
  // As many lie outside as make a regime of their own. Fewer are stragglers, which count.
  [[nodiscard]] bool splits() const;
};
BandShare share_in(const CellTable& table, const base::CanaryBand& band);

// A headline may be of this band alone: it leaves nothing out, or so many launch groups count.
bool can_speak_of(const CellTable& table, const base::CanaryBand& band,
                  std::size_t groups = kRegimeGroups);

// The median canary in the band; none where there are no canaries in it.
std::optional<double> median_canary_ns(const CellTable& table, const base::CanaryBand& band);

// The visits of the blocks none of whose visits, by any arm, lies outside of the band, in launch
// groups that have kRegimeBlocks such blocks of the cell (all, where they have fewer). The whole
// table where the band does not split it.
CellTable within_band(const CellTable& table, const base::CanaryBand& band);

// The launch groups of which at least half of the cells are left in the reference regime: those
// that count towards a look. All where it does not split them.
std::vector<std::uint32_t> groups_that_count(const CellTable& table,
                                             const std::optional<base::CanaryBand>& band);

}  // namespace invar::analysis
