// Network models as an answer: parameters, thresholds, pieces, costs, and how well they hold.
#include <algorithm>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/machine_tables.hpp"
#include "analysis/network/network.hpp"
#include "analysis/network/network_tables.hpp"
#include "analysis/network/simulator/network_check.hpp"
#include "analysis/network/simulator/simulated_platforms.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/words/numbers.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

std::vector<std::string> model_notes(const Network& found) {
  const std::string confidence = percent_text(1 - found.alpha);
  const bool launches = std::ranges::all_of(found.models, &NetworkModel::launches);
  const std::string resampled =
      std::string("resampled ") + (launches ? "launch groups" : "stretches of time");
  std::vector<std::string> notes{
      "parameters: one fit of RTT/2 = o_s + L + (s - 1) G + o_r, of a train's further messages = g "
      "+ (s - 1) G, of sends that do not wait and of late receives that contain no transfer; "
      "told as at least 0, though in the fit L and G beside overheads may be below, where both "
      "ends "
      "of a message overlap; overheads are lines over the size; LogP: smallest messages, o = (o_s "
      "+ o_r) / "
      "2; "
      "PLogP's L: RTT/2 - g of the smallest messages; intervals: " +
          confidence + ", from " + resampled,
      "pieces: times over sizes by straight lines with jumps between; a piece is worth 3 log n; "
      "spread: of repetitions in their visit, median over visits and sizes; held out: sizes that "
      "no fit saw, "
      "|predicted / measured - 1|, LogGP by the parameters as they are told",
      "thresholds: the size is above the one and at most the other, between which nothing was "
      "measured"};
  std::string regimes = regimes_line(found.regimes, found.reference, "the model is of this one");
  if (!regimes.empty()) notes.push_back(std::move(regimes));
  return notes;
}

std::string held_out_text(const NetworkModel& model) {
  for (const HeldOutError& one : model.held_out.errors) {
    if (one.model != "pieces" || one.key.kind != SeriesKind::kRoundTrip) continue;
    return "round trips of " + count_text(one.sizes, "size") + " that no fit saw: median error " +
           percent_text(one.median) + ", 95 % below " + percent_text(one.most);
  }
  return {};
}

std::string control_text(const NetworkModel& model) {
  if (!model.control) return {};
  const LatenessControl& control = *model.control;
  return "receives " + base::duration_text(control.later_ns) + " late in the place of " +
         base::duration_text(control.lateness_ns) + " take " + ratio_words(control.ratio.value) +
         " times as long (" + count_text(control.sizes, "size") + ")";
}

// "a message adds 0.031 us [0.029, 0.033] to the sender's delay of 1.2 us (2 B to 240 B): ...".
std::string delayed_text(const NetworkModel& model) {
  if (!model.delayed) return {};
  const DelayedOverhead& delayed = *model.delayed;
  const EstimateText overhead = time_text(
      {.median_ns = delayed.overhead_ns.value, .interval_ns = delayed.overhead_ns.interval});
  return "a message adds " + overhead.estimate +
         (overhead.interval.empty() ? "" : " " + overhead.interval) + " to the sender's delay of " +
         base::duration_text(delayed.delay_ns) + " (" + base::size_text(delayed.sizes.from_bytes) +
         " to " + base::size_text(delayed.sizes.to_bytes) +
         "): o_s of sends behind one another, as exactly as the delay was calibrated";
}

// "2 messages at once share 6.31 GB/s [6.20, 6.42]".
std::string shared_text(const NetworkModel& model) {
  if (!model.shared.most_gb_s) return {};
  const EstimateText most =
      ratio_text(model.shared.most_gb_s->value, model.shared.most_gb_s->interval);
  std::size_t flows = 0;
  for (const SharedPoint& point : model.shared.points) flows = std::max(flows, point.flows);
  return count_text(flows, "message") + " at once share " + most.estimate + " GB/s" +
         (most.interval.empty() ? "" : " " + most.interval);
}

void add_remarks(const Network& found, Answer& answer) {
  for (const NetworkModel& model : found.models) {
    const std::string who = found.models.size() > 1 ? model.arm + ": " : "";
    for (const auto& [label, text] : {std::pair(std::string("held out"), held_out_text(model)),
                                      {"twice as late", control_text(model)},
                                      {"delayed trains", delayed_text(model)},
                                      {"together", shared_text(model)}}) {
      if (!text.empty()) {
        answer.remarks.push_back({.label = label, .text = who + text, .own_line = true});
      }
    }
  }
}

// PLogP's functions are a row a size, which no terminal has room for, and CSV is one table.
void add_plogp_remark(const Network& found, Answer& answer) {
  const bool any = std::ranges::any_of(
      found.models, [](const NetworkModel& model) { return !model.joint.plogp.empty(); });
  if (!any) return;
  answer.remarks.push_back({.label = "PLogP",
                            .text = "o_s, o_r and g of every size: --format json, table plogp",
                            .own_line = true});
}

// What a check has found, where there was one.
void add_check(const Network& found, Answer& answer) {
  std::optional<NetworkCheck> check;
  try {
    if (found.no_verdict.empty()) check = network_check_in(found);
  } catch (const base::CommandError& error) {
    // The model stands all the same.
    answer.warnings.emplace_back("what --check left in " + check_dir(found.dir).string() +
                                     " cannot be read: " + error.faults().front().text(),
                                 Gravity::kDoubt);
  }
  answer.facts.push_back({"checked", check ? check_value(*check) : Value()});
  if (!check) return;
  for (TidyTable& table : check_tables(*check, false)) answer.tables.push_back(std::move(table));
  for (const Warning& warning : check->warnings) answer.warnings.push_back(warning);
  answer.health += check->health;
  answer.remarks.push_back({.label = "check", .text = check->sentence, .own_line = true});
}

}  // namespace

Answer answer_of(const Network& found) {
  Answer answer{
      .question = "network",
      .sentence = found.sentence,
      .scope = found.scope,
      .facts = {{"arms", arms_value(found.arms)},
                {"alpha", found.alpha},
                {"min_effect", found.min_effect},
                {"reference", reference_value(found.reference)},
                {"no_figures", found.no_verdict.empty() ? Value() : Value(found.no_verdict)},
                {"imported", found.source.empty() ? Value() : Value(found.source)}},
      .tables = network_tables(found),
      .notes = model_notes(found),
      .warnings = found.warnings,
      .health = found.health};
  if (std::optional<Remark> settings = arms_remark(found.arms)) {
    answer.remarks.push_back(std::move(*settings));
  }
  if (found.no_verdict.empty()) {
    add_remarks(found, answer);
    add_plogp_remark(found, answer);
  }
  answer.tables.push_back(regimes_table(found.regimes));
  if (found.dir.empty()) return answer;
  const std::string dir = base::shell_quoted(found.dir.string());
  if (!found.elsewhere.empty() && !found.shows_regimes && found.no_verdict.empty()) {
    answer.next.push_back({"other regimes, and everything together",
                           "invar network " + dir + found.asked + " --regimes", true});
  }
  answer.next.push_back({"data", dir});
  answer.next.push_back({"page", "invar report " + dir});
  if (status_of(found.health) != base::Exit::kDone) {
    answer.next.push_back({"go on", "invar run --resume -o " + dir});
  }
  return answer;
}

QuestionRow network_row() {
  return {design::Question::kNetwork, network_lack,
          [](const Study& study, Detail) {
            Network found = network(study);
            Answer answer = answer_of(found);
            if (found.no_verdict.empty()) answer.tables.push_back(platforms_table(found));
            add_check(found, answer);
            return Answered{.answer = std::move(answer), .found = std::move(found)};
          },
          [](const Study& study) {
            // A ping-pong alone has no overheads: that is another question's.
            const bool any = std::ranges::any_of(study.data().cells, [](const record::Cell& cell) {
              const SeriesInfo& info = info_of(SeriesKind::kLateReceive);
              return cell.operation == info.operation && info.takes(cell);
            });
            return any ? OnPage::kIfAny : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
