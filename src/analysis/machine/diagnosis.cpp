#include "analysis/machine/diagnosis.hpp"

#include <algorithm>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/model/modes.hpp"
#include "stats/test/shapiro_wilk.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostTested = 40;      // visits of an arm and cell
constexpr std::size_t kFewestForModes = 10;  // repetitions of a visit
constexpr double kBimodalShare = 0.25;       // of the tested visits
constexpr std::size_t kFewestTested = 4;
constexpr double kDependentShare = 0.5;      // independent repetitions of all
constexpr std::size_t kMeans = 500;          // as in the paper's figure 2
constexpr std::size_t kFewestForMeans = 50;  // repetitions of a launch
constexpr std::size_t kMostForMeans = 10000;
constexpr std::size_t kMostOfAMean = 50;
constexpr std::size_t kToldMean = 30;  // textbooks' "large enough"
constexpr double kNormalP = 0.01;
constexpr double kFarFromNormal = 0.95;  // W below it
constexpr std::uint64_t kSeed = 20161101;
constexpr std::size_t kMostListed = 3;

using Visits = std::vector<const VisitSummary*>;

std::vector<double> observations_of(const VisitSummary& visit, bool global) {
  std::vector<double> values;
  Tally tally;
  append_observations(visit, global, values, tally);
  return values;
}

void count_bimodal(CellDiagnosis& cell, const Visits& visits, bool global) {
  Visits large;
  std::ranges::copy_if(visits, std::back_inserter(large), [](const VisitSummary* visit) {
    return visit->observations >= kFewestForModes && !visit->within_one_step;
  });
  cell.tested_visits = std::min(large.size(), kMostTested);
  for (std::size_t i = 0; i < cell.tested_visits; ++i) {
    const VisitSummary& visit = *large[i * large.size() / cell.tested_visits];
    const std::vector<double> values = observations_of(visit, global);
    cell.bimodal_visits += stats::count_modes(values, visit.step_ns) > 1 ? 1U : 0U;
  }
}

void weigh_dependence(CellDiagnosis& cell, const Visits& visits) {
  std::vector<double> shares;
  shares.reserve(visits.size());
  for (const VisitSummary* visit : visits) {
    if (visit->within_one_step || visit->observations < kFewestForModes) continue;
    shares.push_back(visit->effective_count / static_cast<double>(visit->observations));
  }
  if (!shares.empty()) cell.effective_share = stats::median_in_place(shares);
}

// Repetitions of the first launch that has enough of them.
std::vector<double> of_one_launch(std::span<const VisitSummary* const> visits, bool global) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin < visits.size();) {
    values.clear();
    std::size_t end = begin;
    for (; end < visits.size() && visits[end]->launch == visits[begin]->launch; ++end) {
      if (values.size() >= kMostForMeans) continue;
      const std::vector<double> more = observations_of(*visits[end], global);
      values.insert(values.end(), more.begin(), more.end());
    }
    if (values.size() >= kFewestForMeans) return values;
    begin = end;
  }
  return {};
}

void test_means(CellDiagnosis& cell, const Visits& visits, bool global) {
  const std::vector<double> values = of_one_launch(visits, global);
  if (values.empty()) return;
  for (std::size_t size = 10; size <= kMostOfAMean; size += 10) {
    const auto test = stats::normality_of_means(values, size, kMeans, kSeed + size);
    if (!test) return;
    if (size == kToldMean) cell.means_w = test->w;
    if (!cell.normal_means_from && test->p >= kNormalP) cell.normal_means_from = size;
  }
}

// "openmpi, 8 B", as long as the cells are told apart.
class Names {
 public:
  explicit Names(std::span<const CellDiagnosis> diagnosis) {
    std::vector<record::Cell> cells;
    cells.reserve(diagnosis.size());
    for (const CellDiagnosis& one : diagnosis) cells.push_back(one.cell);
    texts_.emplace(cells);
  }
  [[nodiscard]] std::string of(const CellDiagnosis& one) const {
    return one.arm + ", " + (*texts_)(one.cell);
  }

 private:
  std::optional<record::CellTexts> texts_ = {};
};

}  // namespace

std::optional<SampleMeans> told_means(std::span<const VisitSummary* const> visits, bool global) {
  const std::vector<double> values = of_one_launch(visits, global);
  if (values.empty()) return std::nullopt;
  return SampleMeans{.size = kToldMean,
                     .means_ns = stats::sample_means(values, kToldMean, kMeans, kSeed + kToldMean)};
}

std::vector<SampleMeans> means_by_size(std::span<const VisitSummary* const> visits, bool global) {
  const std::vector<double> values = of_one_launch(visits, global);
  std::vector<SampleMeans> result;
  if (values.empty()) return result;
  for (std::size_t size = 10; size <= kToldMean; size += 10) {
    result.push_back(
        {.size = size, .means_ns = stats::sample_means(values, size, kMeans, kSeed + size)});
  }
  return result;
}

std::vector<CellDiagnosis> diagnose(const store::Data& data, const Summaries& summaries,
                                    std::span<const std::uint32_t> arms) {
  std::vector<std::vector<Visits>> table(data.cells.size(), std::vector<Visits>(data.arms.size()));
  for (const VisitSummary& visit : summaries.visits) {
    table.at(visit.cell).at(visit.arm).push_back(&visit);
  }
  std::vector<CellDiagnosis> result;
  result.reserve(data.cells.size() * arms.size());
  for (const std::uint32_t cell : record::reading_order(data.cells)) {
    for (const std::uint32_t arm : arms) {
      const Visits& visits = table[cell][arm];
      if (visits.empty()) continue;
      CellDiagnosis one{
          .cell = data.cells[cell], .arm = data.arms[arm].label, .visits = visits.size()};
      count_bimodal(one, visits, summaries.global);
      weigh_dependence(one, visits);
      test_means(one, visits, summaries.global);
      result.push_back(std::move(one));
    }
  }
  return result;
}

std::vector<Warning> diagnosis_warnings(std::span<const CellDiagnosis> cells, bool of_means) {
  const Names names(cells);
  std::vector<std::string> bimodal;
  std::vector<std::string> dependent;
  std::size_t far = 0;
  std::size_t tested = 0;
  const CellDiagnosis* worst = nullptr;
  for (const CellDiagnosis& one : cells) {
    const auto several = static_cast<double>(one.bimodal_visits);
    if (one.tested_visits >= kFewestTested &&
        several > kBimodalShare * static_cast<double>(one.tested_visits)) {
      bimodal.push_back(names.of(one) + " (" + std::to_string(one.bimodal_visits) + " of " +
                        count_text(one.tested_visits, "visit") + ")");
    }
    if (one.effective_share && *one.effective_share < kDependentShare) {
      dependent.push_back(names.of(one) + " (" + percent_text(*one.effective_share) + ")");
    }
    if (!one.means_w) continue;
    ++tested;
    if (*one.means_w >= kFarFromNormal || one.normal_means_from) continue;
    ++far;
    if (worst == nullptr || *one.means_w < *worst->means_w) worst = &one;
  }
  std::vector<Warning> warnings;
  if (!bimodal.empty()) {
    warnings.emplace_back("run-times have several modes, between which a median jumps: " +
                              base::first_items(bimodal, kMostListed, "; "),
                          Gravity::kBorne);
  }
  if (!dependent.empty()) {
    warnings.emplace_back(
        "repetitions depend on those before, so that fewer count than were made (share that "
        "counts): " +
            base::first_items(dependent, kMostListed, "; "),
        Gravity::kBorne);
  }
  if (of_means && worst != nullptr) {
    warnings.emplace_back("even means of " + std::to_string(kMostOfAMean) +
                          " repetitions are not normally distributed for " + std::to_string(far) +
                          " of " + std::to_string(tested) + " arms and cells (" + names.of(*worst) +
                          " most): a mean of one run says little about that of the next");
  }
  return warnings;
}

}  // namespace invar::analysis
