// A memory in a sentence: "L1 32 KiB 161 GB/s [158, 164], L2 512 KiB 90.1 GB/s [...], memory 24.6
// GB/s [...]; L3 says 32 MiB, behaves as 6 MiB [4, 8]", and its tables.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/memory/memory.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::string estimate_words(const stats::ResampledValue& value, const std::string& unit) {
  const EstimateText text = ratio_text(value.value, value.interval);
  return text.estimate + " " + unit + (text.interval.empty() ? "" : " " + text.interval);
}

// What is known best of a cache's capacity, by whatever walk. Without an interval it is where the
// knee lies.
std::string capacity_words(const MemoryModel& model, const WalkKnee& knee) {
  for (const CacheBehaviour& one : model.caches) {
    if (one.name == knee.name && one.interval_bytes) return base::capacity_text(*one.behaves_bytes);
  }
  if (knee.knee.capacity_interval) return base::capacity_text(knee.knee.capacity);
  return base::capacity_text(knee.knee.begin) + " to " + base::capacity_text(knee.knee.end);
}

// "L1 32 KiB 161 GB/s [158, 164]": the last plateau of each name, which is all of it.
std::vector<std::string> plateau_clauses(const MemoryModel& model, const WalkModel& walk) {
  std::vector<std::string> clauses;
  for (std::size_t k = 0; k < walk.plateaus.size(); ++k) {
    const WalkPlateau& one = walk.plateaus[k];
    const bool last = k + 1 == walk.plateaus.size();
    // What ends where translations do is the same level with more to come.
    if (!last && !one.name.empty() && walk.plateaus[k + 1].name == one.name) continue;
    std::string clause = one.name.empty() ? (last ? "beyond" : "up to") : one.name;
    if (!last) clause += " " + capacity_words(model, walk.knees[k]);
    clause += " " + (walk.info.chases ? estimate_words(one.load_ns, "ns a load")
                                      : estimate_words(one.gb_s, "GB/s"));
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

std::string contradiction_clause(const CacheBehaviour& one) {
  std::string text = one.name + " says " + base::size_text(one.told.bytes) + ", behaves as " +
                     base::capacity_text(*one.behaves_bytes);
  if (one.interval_bytes) {
    text += " [" + base::capacity_text(one.interval_bytes->low) + ", " +
            base::capacity_text(one.interval_bytes->high) + "]";
  }
  return text;
}

std::vector<std::string> memory_notes(const Memory& found) {
  std::vector<std::string> notes{
      "bandwidth: bytes that the kernel names (copy 2 s, triad 3 s, of all ranks) over a pass; "
      "what "
      "a write reads before is not counted; passes: t0 + loops p, where there are two levels of "
      "loops",
      "plateaus and knees: pass times over sizes as levels that are left behind, which by LRU "
      "jump, "
      "by chance bend; a knee goes from 5 % above a plateau to 95 % of the next; intervals: " +
          percent_text(1 - found.alpha) +
          ", from resampled launch groups and from the places and shapes that fit as well",
      "TLB: knees that huge pages do not have; ports: 2 loads and 1 store a cycle are taken for "
      "granted"};
  std::string regimes = regimes_line(found.regimes, found.reference, "the model is of this one");
  if (!regimes.empty()) notes.push_back(std::move(regimes));
  return notes;
}

}  // namespace

std::string model_words(const MemoryModel& model, bool several) {
  const WalkModel* walk = model.find("read");
  for (const WalkModel& other : model.walks) {
    if (walk == nullptr && !other.plateaus.empty()) walk = &other;
  }
  const std::string who = several ? model.arm + ": " : "";
  if (walk == nullptr) return who + "too few sizes for a model";
  std::string text = who + base::join(plateau_clauses(model, *walk), ", ");
  const WalkModel* chase = model.find("chase");
  if (chase != nullptr && chase != walk && !chase->plateaus.empty()) {
    const WalkPlateau& last = chase->plateaus.back();
    text += "; " + (last.name.empty() ? std::string("largest buffers") : last.name) + " " +
            estimate_words(last.load_ns, "ns a load");
  }
  for (const CacheBehaviour& one : model.caches) {
    if (one.contradicts.value_or(false)) text += "; " + contradiction_clause(one);
  }
  return text;
}

std::string memory_sentence(const Memory& found) {
  if (!found.no_verdict.empty()) {
    return "No model: " + found.no_verdict +
           "; the tables have times as behaviour alone: " + found.scope + ".";
  }
  std::vector<std::string> clauses;
  for (const MemoryModel& model : found.models) {
    clauses.push_back(model_words(model, found.models.size() > 1));
  }
  if (clauses.empty()) clauses.emplace_back("No model: no arm walks over memory");
  return base::join(clauses, "; ") + ": " + found.scope + ".";
}

Answer answer_of(const Memory& found) {
  Answer answer{
      .question = "memory",
      .sentence = found.sentence,
      .scope = found.scope,
      .facts = {{"arms", arms_value(found.arms)},
                {"alpha", found.alpha},
                {"min_effect", found.min_effect},
                {"reference", reference_value(found.reference)},
                {"no_figures", found.no_verdict.empty() ? Value() : Value(found.no_verdict)}},
      .tables = memory_tables(found),
      .notes = memory_notes(found),
      .warnings = found.warnings,
      .health = found.health};
  if (std::optional<Remark> settings = arms_remark(found.arms)) {
    answer.remarks.push_back(std::move(*settings));
  }
  answer.tables.push_back(regimes_table(found.regimes));
  if (found.dir.empty()) return answer;
  const std::string dir = base::shell_quoted(found.dir.string());
  if (!found.elsewhere.empty() && !found.shows_regimes && found.no_verdict.empty()) {
    answer.next.push_back({"other regimes, and everything together",
                           "invar memory " + dir + found.asked + " --regimes", true});
  }
  answer.next.push_back({"effects", "invar factors " + dir});
  answer.next.push_back({"data", dir});
  answer.next.push_back({"page", "invar report " + dir});
  if (status_of(found.health) != base::Exit::kDone) {
    answer.next.push_back({"go on", "invar run --resume -o " + dir});
  }
  return answer;
}

QuestionRow memory_row() {
  return {design::Question::kMemory, memory_lack,
          [](const Study& study, Detail) {
            Memory found = memory(study);
            Answer answer = answer_of(found);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            const store::Data& data = study.data();
            const bool any = std::ranges::any_of(data.cells, [&](const record::Cell& cell) {
              return walks_over_memory(data, cell);
            });
            return any ? OnPage::kIfAny : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
