#include "analysis/repetitions/nrep.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/machine/diagnostics.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostNeedsNamed = 4;

bool of_several_arms(const Nrep& result) {
  return std::ranges::any_of(
      result.needs, [&](const CellNeed& need) { return need.arm != result.needs.front().arm; });
}

// "allgather, 16 B", "allgather, 16 B (openmpi)".
std::string need_place(const Nrep& result, const CellNeed& need) {
  std::string text = record::CellTexts(result.cells)(result.cells[need.cell]);
  if (of_several_arms(result)) text += " (" + result.arms[need.arm].label + ")";
  return text;
}

// In a sentence: the table has every cell.
std::string cells_in_sentence(const Nrep& result, const std::vector<const CellNeed*>& needs) {
  constexpr std::size_t kNamed = 2;
  if (needs.size() > kNamed) {
    return std::to_string(needs.size()) + " of " + count_text(result.needs.size(), "cell");
  }
  std::vector<std::string> places;
  for (const CellNeed* need : needs) places.push_back(need_place(result, *need));
  return base::join(places, "; ");
}

std::string need_places(const Nrep& result, const std::vector<const CellNeed*>& needs) {
  std::vector<std::string> places;
  places.reserve(needs.size());
  for (const CellNeed* need : needs) places.push_back(need_place(result, *need));
  return base::first_items(places, kMostNeedsNamed, "; ", "cell");
}

std::size_t launches_at_most(const Nrep& result) {
  std::size_t most = 0;
  for (const CellNeed& need : result.needs) most = std::max(most, need.launches.size());
  return most;
}

// "20", "20 to 340".
std::string numbers_needed(std::size_t least, std::size_t most) {
  return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
}

// ", the largest of 3 launches (20, 80 and 240)".
std::string launches_needed_text(const CellNeed& need) {
  if (need.launches.size() < 2) return ", by one launch";
  std::vector<std::string> numbers;
  numbers.reserve(need.launches.size());
  for (const LaunchNeed& launch : need.launches) {
    numbers.push_back(launch.repetitions ? std::to_string(*launch.repetitions) : "none");
  }
  return ", the largest of " + count_text(numbers.size(), "launch") + " (" + list_text(numbers) +
         ")";
}

// What the launches have measured that were not satisfied with it: of a cell the most, over cells
// "80 to 1000". A launch that was satisfied says nothing of what is not enough.
std::string numbers_not_enough(const std::vector<const CellNeed*>& needs) {
  std::size_t least = design::kMostPredicted;
  std::size_t most = 0;
  for (const CellNeed* need : needs) {
    std::size_t of_cell = 0;
    for (const LaunchNeed& launch : need->launches) {
      if (!launch.repetitions) of_cell = std::max(of_cell, launch.observations);
    }
    least = std::min(least, of_cell);
    most = std::max(most, of_cell);
  }
  return numbers_needed(least, most);
}

// Its last median of all launches is the best that there is.
std::optional<double> half_step_share(const CellNeed& need) {
  std::optional<double> least_ns;
  for (const LaunchNeed& launch : need.launches) {
    if (launch.running.empty() || !(launch.running.back().median > 0)) continue;
    const double median_ns = launch.running.back().median;
    least_ns = std::min(least_ns.value_or(median_ns), median_ns);
  }
  if (!least_ns || !(need.step_ns > 0)) return std::nullopt;
  return need.step_ns / 2 / *least_ns;
}

void warn_of_clock_steps(const Nrep& result, std::vector<Warning>& warnings) {
  const auto limit = [&](design::RepetitionMethod method) -> const design::RepetitionLimit& {
    return result.rule.limit(method);
  };
  const design::RepetitionLimit& medians = limit(design::RepetitionMethod::kCovMedian);
  const design::RepetitionLimit& width = limit(design::RepetitionMethod::kInvar);
  std::vector<const CellNeed*> equal;
  std::vector<const CellNeed*> coarse;
  double coarsest = 0;
  for (const CellNeed& need : result.needs) {
    if (std::ranges::any_of(need.launches, &LaunchNeed::medians_equal)) equal.push_back(&need);
    const std::optional<double> share = half_step_share(need);
    if (!share || *share < width.threshold) continue;
    coarse.push_back(&need);
    coarsest = std::max(coarsest, *share);
  }
  const auto gravity = [](bool asked) { return asked ? Gravity::kDoubt : Gravity::kNote; };
  if (!equal.empty()) {
    warnings.emplace_back(
        "the last " + std::to_string(medians.window) +
            " running medians are one value, so that their COV is 0 and says nothing about how "
            "well the median is known (times come in steps of the clock): " +
            need_places(result, equal),
        gravity(medians.asked));
  }
  if (!coarse.empty()) {
    warnings.emplace_back("half a step of the clock is up to " + percent_text(coarsest) +
                              " of a call: no number of repetitions brings the half-width below " +
                              percent_text(width.threshold) + ": " + need_places(result, coarse),
                          gravity(width.asked));
  }
}

// Cell by cell: a launch in which no repetition of a cell was valid predicts nothing of it.
void warn_of_few_launches(const Nrep& result, std::vector<Warning>& warnings) {
  std::vector<const CellNeed*> few;
  std::size_t least = kEnoughPredictions;
  std::size_t most = 0;
  for (const CellNeed& need : result.needs) {
    if (need.launches.size() >= kEnoughPredictions) continue;
    few.push_back(&need);
    least = std::min(least, need.launches.size());
    most = std::max(most, need.launches.size());
  }
  if (few.empty()) return;
  std::string text =
      least == most ? count_text(most, "launch") : numbers_needed(least, most) + " launches";
  text += ": launches differ, so that the largest of " + std::to_string(kEnoughPredictions) +
          " is what the next ones need";
  if (few.size() < result.needs.size()) text += ": " + need_places(result, few);
  warnings.emplace_back(std::move(text), Gravity::kDoubt);
}

void warn_of_batched_needs(const Nrep& result, std::vector<Warning>& warnings) {
  std::vector<const CellNeed*> batched;
  for (const CellNeed& need : result.needs) {
    if (need.calls > 1) batched.push_back(&need);
  }
  if (batched.empty()) return;
  warnings.emplace_back(
      "a repetition is a batch of calls where single ones are too short for the "
      "clock, and needs fewer of them: " +
      need_places(result, batched));
}

}  // namespace

std::string limit_words(const design::RepetitionMethodInfo& info,
                        const design::RepetitionLimit& limit) {
  const std::string below = " below " + percent_text(limit.threshold);
  const std::string last = "COV of the last " + std::to_string(limit.window) + " running ";
  switch (info.method) {
    case design::RepetitionMethod::kRse:
      return "RSE" + below;
    case design::RepetitionMethod::kCovMean:
      return last + "means" + below;
    case design::RepetitionMethod::kCovMedian:
      return last + "medians" + below;
    case design::RepetitionMethod::kInvar:
      break;
  }
  return "half-width of the median's interval" + below;
}

std::string rule_text(const design::RepetitionRule& rule) {
  std::vector<std::string> texts;
  for (const design::RepetitionMethodInfo& info : design::repetition_methods()) {
    const design::RepetitionLimit& limit = rule.limit(info.method);
    if (limit.asked) texts.push_back(limit_words(info, limit));
  }
  return list_text(texts);
}

std::string nrep_sentence(const Nrep& result) {
  std::vector<const CellNeed*> enough;
  std::vector<const CellNeed*> open;
  std::size_t least = design::kMostPredicted;
  std::size_t most = 0;
  for (const CellNeed& need : result.needs) {
    (need.repetitions ? enough : open).push_back(&need);
    if (!need.repetitions) continue;
    least = std::min(least, *need.repetitions);
    most = std::max(most, *need.repetitions);
  }
  const bool one = result.needs.size() == 1;
  std::string text;
  if (!enough.empty()) {
    text = numbers_needed(least, most) + (most == 1 ? " repetition is" : " repetitions are") +
           " enough for " +
           (open.empty() && !one ? "all " + count_text(enough.size(), "cell")
                                 : cells_in_sentence(result, enough));
    if (one) text += launches_needed_text(result.needs.front());
  }
  if (!open.empty()) {
    const std::string not_enough = numbers_not_enough(open);
    text += text.empty() ? not_enough + " repetitions" : "; " + not_enough;
    text += " are not enough for " + (enough.empty() && !one
                                          ? "any of " + count_text(open.size(), "cell")
                                          : cells_in_sentence(result, open));
    if (one) text += launches_needed_text(result.needs.front());
  }
  return text + ", by " + rule_text(result.rule) + ": " + result.scope + ".";
}

design::RepetitionRule repetition_rule_of(const Study& study) {
  if (study.campaign().prediction) return *study.campaign().prediction;
  return design::usual_rule();
}

std::optional<Lack> nrep_lack(const Study& study) {
  if (std::optional<Lack> lack = lack_of_groups(study.data())) return lack;
  if (std::optional<Lack> lack = lack_of_repetitions(study.data(), study.summaries())) return lack;
  const bool programs_alone = std::ranges::all_of(
      study.summaries().visits, [](const VisitSummary& visit) { return visit.source->program; });
  if (!programs_alone) return std::nullopt;
  return Lack{.faults = {{.place = study.data().dir.string(),
                          .what = "a program prints one time a launch, and no repetitions",
                          .remedy = "ask of an arm that Invar measures itself"}}};
}

Nrep nrep(const Study& study, const std::optional<design::RepetitionRule>& rule) {
  require(nrep_lack(study));
  const store::Data& data = study.data();
  const Summaries& summaries = study.summaries();
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  Nrep result;
  result.rule = rule ? *rule : repetition_rule_of(study);
  result.confidence = 1 - study.rules().decision.alpha;
  result.arms = compared_arms(data, arms);
  result.cells = data.cells;
  result.needs = repetition_needs(data, summaries, result.rule, result.confidence);
  result.scope = scope_text(data, launches_at_most(result) == 1, study.starts());
  warn_of_few_launches(result, result.warnings);
  warn_of_clock_steps(result, result.warnings);
  warn_of_batched_needs(result, result.warnings);
  for (Warning& warning : data_warnings(data, study.rules(), summaries, arms)) {
    result.warnings.push_back(std::move(warning));
  }
  result.global_runtime = summaries.global;
  result.local_cells = local_cell_texts(data, summaries);
  result.dir = data.dir;
  result.health = study.health();
  result.sentence = nrep_sentence(result);
  return result;
}

}  // namespace invar::analysis
