#include "analysis/compare/reference_regime.hpp"

#include "analysis/compare/method_table.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {

std::string ReferenceRegime::name() const {
  return std::string(base::canary_name(band.kind)) + " " +
         (median_ns ? base::duration_text(*median_ns) : base::band_ends_text(band));
}

std::optional<ReferenceRegime> reference_regime(const Contest& contest) {
  if (!contest.reference) return std::nullopt;
  const TimedVisits& headline = contest.times.front();
  ReferenceRegime regime{.band = *contest.reference,
                         .share = share_in(headline.whole(), *contest.reference).share(),
                         .split = contest.is_split()};
  regime.median_ns = median_canary_ns(headline.whole(), *contest.reference);
  return regime;
}

std::string regime_text(const ReferenceRegime& regime) {
  return regime.name() + " (" + percent_text(regime.share) + " of visits)";
}

std::string regime_scope(const std::optional<ReferenceRegime>& reference) {
  if (!reference || !reference->split) return {};
  return ", " + regime_text(*reference);
}

std::string other_regime_sentence(const std::optional<ReferenceRegime>& reference,
                                  const std::optional<base::CanaryBand>& before) {
  if (!reference || !before) return {};
  const base::CanaryBand& now = reference->band;
  // Nothing says whether two kinds of canary show one state.
  if (now.kind != before->kind || now.touches(*before)) return {};
  return "The last comparison on this host was of another regime of the machine (" +
         base::band_text(*before) + ", this one " + base::band_text(now) + "): --regime chooses.";
}

void add_views(Contest& contest, const Study& study, const Regimes& regimes,
               std::span<const std::uint32_t> arms) {
  const store::Data& data = study.data();
  const auto is_reference = [&](const Regime& regime) {
    return contest.is_split() && contest.reference->contains(regime.median_ns);
  };
  for (std::size_t i = 0; regimes.found.size() > 1 && i < regimes.found.size(); ++i) {
    if (is_reference(regimes.found[i])) continue;
    contest.views.push_back(regimes.found[i].name);
    for (TimedVisits& timed : contest.times) {
      const Summaries& summaries = study.summaries_of(timed.choice);
      timed.in_view.push_back(
          of_arms(data,
                  visits_in_regime(summaries.visits, regimes, i, data.cells.size(),
                                   data.arms.size(), kRegimeBlocks),
                  arms));
    }
  }
  if (!contest.is_split()) return;
  contest.views.emplace_back(kAllRegimes);
  for (TimedVisits& timed : contest.times) timed.in_view.push_back(timed.whole());
}

Value reference_value(const std::optional<ReferenceRegime>& reference) {
  if (!reference) return {};
  return Record{{"regime", base::band_text(reference->band)},
                {"low_ns", reference->band.low_ns},
                {"high_ns", reference->band.high_ns},
                {"median_ns", reference->median_ns},
                {"share", reference->share},
                {"split", reference->split}};
}

std::optional<base::CanaryBand> reference_band_of(const Study& study) {
  const Summaries& summaries = summaries_by_method(study);
  return reference_of(study.data(), summaries, regimes_by(study.data(), summaries, study.rules()),
                      study.rules())
      .band;
}

}  // namespace invar::analysis
