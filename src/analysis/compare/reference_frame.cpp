#include "analysis/compare/reference_frame.hpp"

#include <numeric>
#include <utility>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/perturbations.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"

namespace invar::analysis {
namespace {

std::vector<std::uint32_t> all_arms(const store::Data& data) {
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  return arms;
}

}  // namespace

ReferenceFrame::ReferenceFrame(const Study& study)
    : study_(study),
      data_(study.data()),
      summaries_(study.summaries_of({})),
      rules_(judging_rules(study, summaries_)),
      regimes_(regimes_by(data_, summaries_, rules_)),
      reference_(reference_of(data_, summaries_, regimes_, rules_)),
      arms_(all_arms(data_)),
      contest_(contest_of(data_,
                          sort_visits(summaries_.visits, data_.cells.size(), data_.arms.size()),
                          arms_, reference_.band)) {}

TakenVisits ReferenceFrame::reference_visits() const {
  if (!contest_.is_split()) return {};
  return [band = *contest_.reference](const VisitSummary& visit) {
    const std::optional<double> canary_ns = visit.canary(band.kind);
    return !canary_ns || band.contains(*canary_ns);
  };
}

void ReferenceFrame::for_each_elsewhere(
    const std::function<void(const std::string& regime, const TakenVisits& takes)>& f) const {
  if (!reference_.band && !reference_.moved.empty()) return;
  const bool split = contest_.is_split();
  for (std::size_t i = 0; regimes_.found.size() > 1 && i < regimes_.found.size(); ++i) {
    const Regime& regime = regimes_.found[i];
    if (split && contest_.reference->contains(regime.median_ns)) continue;
    f(regime.name, [this, i](const VisitSummary& visit) { return regimes_.of(visit) == i; });
  }
  if (split) f(std::string(kAllRegimes), {});
}

std::string ReferenceFrame::scope() const {
  return scope_text(data_, data_.groups.size() < 2, study_.starts()) +
         regime_scope(reference_regime(contest_));
}

void ReferenceFrame::append_warnings(std::vector<Warning>& warnings) const {
  for (Warning& warning : data_warnings(data_, rules_, summaries_, arms_, contest_.split_by())) {
    warnings.push_back(std::move(warning));
  }
  for (Warning& doubt :
       perturbation_warnings(find_perturbations(data_, summaries_, rules_.pairing))) {
    warnings.push_back(std::move(doubt));
  }
  if (!reference_.moved.empty()) {
    warnings.emplace_back(moved_words(reference_.moved, contest_.is_split()), Gravity::kDoubt);
  } else if (rules_.method == Method::kInvar && !reference_.band && regimes_.found.size() > 1) {
    warnings.push_back(mixed_regimes_warning(
        regimes_, "each with too few launch groups to be told alone: all numbers mix them"));
  }
}

}  // namespace invar::analysis
