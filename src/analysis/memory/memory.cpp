#include "analysis/memory/memory.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"

namespace invar::analysis {
namespace {

class MemoryReader {
 public:
  explicit MemoryReader(const Study& study)
      : study_(study),
        data_(study.data()),
        summaries_(study.summaries_of({})),
        rules_(judging_rules(study, summaries_)),
        regimes_(regimes_by(data_, summaries_, rules_)),
        reference_(reference_of(data_, summaries_, regimes_, rules_)),
        arms_(data_.arms.size()) {
    std::iota(arms_.begin(), arms_.end(), 0U);
    contest_ =
        contest_of(data_, sort_visits(summaries_.visits, data_.cells.size(), data_.arms.size()),
                   arms_, reference_.band);
  }

  Memory read() {
    Memory found{.arms = compared_arms(data_, arms_),
                 .regimes = regimes_,
                 .reference = reference_regime(contest_),
                 .alpha = rules_.decision.alpha,
                 .min_effect = rules_.decision.min_effect,
                 .no_verdict = rules_.no_verdict,
                 .dir = data_.dir};
    const bool split = contest_.is_split();
    for (const MemoryData& data : memory_data(study_, split ? inside() : TakenWalks())) {
      found.models.push_back(
          memory_model(data, {.confidence = 1 - found.alpha, .min_effect = found.min_effect}));
      for (Warning& warning : found.models.back().warnings) {
        found.warnings.push_back(std::move(warning));
      }
      found.models.back().warnings.clear();
    }
    found.scope =
        scope_text(data_, data_.groups.size() < 2, study_.starts()) + regime_scope(found.reference);
    for (Warning& warning : data_warnings(data_, rules_, summaries_, arms_, contest_.split_by())) {
      found.warnings.push_back(std::move(warning));
    }
    if (!reference_.moved.empty()) {
      found.warnings.emplace_back(moved_words(reference_.moved, split), Gravity::kDoubt);
    } else if (rules_.method == Method::kInvar && !reference_.band && regimes_.found.size() > 1) {
      found.warnings.push_back(mixed_regimes_warning(
          regimes_, "each with too few launch groups to be told alone: all numbers mix them"));
    }
    found.health = health_of(study_.all(), summaries_);
    found.sentence = memory_sentence(found);
    return found;
  }

 private:
  // Visits whose canary is not outside of the band; what has none stays.
  [[nodiscard]] TakenWalks inside() const {
    return [band = *contest_.reference](const VisitSummary& visit) {
      const std::optional<double> canary_ns = visit.canary(band.kind);
      return !canary_ns || band.contains(*canary_ns);
    };
  }

  const Study& study_;
  const store::Data& data_;
  const Summaries& summaries_;
  Rules rules_;
  Regimes regimes_;
  ReferenceChoice reference_;
  std::vector<std::uint32_t> arms_;
  Contest contest_ = {};
};

}  // namespace

std::optional<Lack> memory_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  const bool any = std::ranges::any_of(
      data.cells, [&](const record::Cell& cell) { return walks_over_memory(data, cell); });
  if (!any) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "no cell walks over memory (operation = \"read\")",
                            .remedy = "invar memory measures all that a model needs; in a campaign "
                                      "operation = [\"read\", \"chase\"] of many sizes"}}};
  }
  const Summaries& summaries = study.summaries_of({});
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  return lack_of_regime(data, summaries, study.rules());
}

Memory memory(const Study& study) {
  require(memory_lack(study));
  return MemoryReader(study).read();
}

}  // namespace invar::analysis
