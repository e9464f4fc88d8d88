// Overlap as an answer: every amount of computation beside its call, and the knee of each call.
#include <algorithm>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/overlap/overlap_words.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/cell.hpp"

namespace invar::analysis {
namespace {

void add_interval_column(TidyTable& table, const std::string& name, Kind kind,
                         const std::string& unit = {}) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

void append_overlap(std::vector<Value>& values, const std::optional<OverlapEstimate>& estimate) {
  values.emplace_back();
  if (estimate) values.back() = estimate->value;
  append_interval(values, estimate ? estimate->interval : std::nullopt);
}

constexpr const char* kNanoseconds = "_ns";

template <typename Row>
std::vector<record::Cell> calls_in(const std::vector<Row>& rows) {
  std::vector<record::Cell> calls;
  calls.reserve(rows.size());
  for (const Row& row : rows) calls.push_back(row.call);
  return calls;
}

TidyTable overlap_table(const Overlaps& found) {
  TidyTable table{.id = "overlap",
                  .columns = {{.name = "arm"},
                              {.name = "cell", .kind = Kind::kCell},
                              {.name = "computation"},
                              {.name = "multiple", .kind = Kind::kRatio},
                              {.name = "launches", .kind = Kind::kCount}}};
  for (const char* time : {"compute", "comm", "both", "hidden"}) {
    add_interval_column(table, time, Kind::kTime, kNanoseconds);
  }
  for (const char* share : {"overlap", "availability", "osu", "imb"}) {
    add_interval_column(table, share, Kind::kShare);
  }
  for (const OverlapRow& row : found.rows) {
    std::vector<Value> values{row.arm, row.call, row.computation, row.multiple(), row.groups};
    for (const TimeEstimate& time : {row.compute_time, row.call_time, row.both_time}) {
      append_time(values, time);
    }
    for (const OverlapEstimate& estimate :
         {row.hidden_ns, row.overlap, row.availability, row.osu, row.imb}) {
      append_overlap(values, estimate);
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

// The same for a terminal, with what the computation really was of the call.
TidyTable shown_overlaps(const Overlaps& found, TidyTable table) {
  table.id.clear();
  table.columns.push_back({.name = "behind"});
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    table.rows[i].emplace_back(multiple_words(found.rows[i]));
  }
  if (found.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "behind", .column = "behind", .right = true});
  table.shown.push_back({.header = "computation", .column = "compute_ns"});
  table.shown.push_back({.header = "call", .column = "comm_ns"});
  table.shown.push_back({.header = "both", .column = "both_ns"});
  if (!found.no_verdict.empty()) return table;  // shares would be taken for figures
  table.shown.push_back({.header = "overlap", .column = "overlap"});
  table.shown.push_back({.header = "OSU", .column = "osu"});
  table.shown.push_back({.header = "IMB", .column = "imb"});
  return table;
}

TidyTable knees_table(const Overlaps& found) {
  TidyTable table{.id = "knees",
                  .columns = {{.name = "arm"}, {.name = "cell", .kind = Kind::kCell}}};
  add_interval_column(table, "comm", Kind::kTime, kNanoseconds);
  table.columns.push_back({.name = "free_ns", .kind = Kind::kTime});
  table.columns.push_back({.name = "costs_ns", .kind = Kind::kTime});
  add_interval_column(table, "knee", Kind::kTime, kNanoseconds);
  add_interval_column(table, "availability", Kind::kShare);
  table.columns.push_back({.name = "computation"});
  for (const OverlapKnee& knee : found.knees) {
    std::vector<Value> values{knee.arm, knee.call};
    append_time(values, knee.call_time);
    values.emplace_back(knee.free_ns);
    values.emplace_back(knee.costs_ns);
    append_overlap(values, knee.knee_ns);
    append_overlap(values, knee.availability);
    values.emplace_back(knee.computation.empty() ? Value() : Value(knee.computation));
    table.rows.push_back(std::move(values));
  }
  return table;
}

// "< 0.239 us": even the shortest computation that was tried costs something.
std::string free_words(const OverlapKnee& knee) {
  return knee.free_ns ? base::duration_text(*knee.free_ns)
                      : "< " + base::duration_text(knee.shortest_ns);
}

// "<= 0.239 us": the shortest that was tried; "> 5.00 us": not even the longest does.
std::string costs_words(const OverlapKnee& knee) {
  if (!knee.costs_ns) return "> " + base::duration_text(knee.longest_ns);
  return (knee.free_ns ? "" : "<= ") + base::duration_text(*knee.costs_ns);
}

TidyTable shown_knees(const Overlaps& found, TidyTable table) {
  table.id.clear();
  for (const char* name : {"free", "costs"}) table.columns.push_back({.name = name});
  for (std::size_t i = 0; i < found.knees.size(); ++i) {
    table.rows[i].emplace_back(free_words(found.knees[i]));
    table.rows[i].emplace_back(costs_words(found.knees[i]));
  }
  if (!found.no_verdict.empty()) return table;
  if (found.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "call", .column = "comm_ns"});
  table.shown.push_back({.header = "hidden", .column = "knee_ns", .absent = "-"});
  table.shown.push_back({.header = "availability", .column = "availability", .absent = "-"});
  table.shown.push_back({.header = "free up to", .column = "free", .right = true});
  table.shown.push_back({.header = "costs from", .column = "costs", .right = true});
  return table;
}

std::vector<std::string> readings(const Overlaps& found) {
  EstimateWords estimates;
  for (const OverlapRow& row : found.rows) {
    for (const TimeEstimate& time : {row.call_time, row.compute_time, row.both_time}) {
      estimates.add(time);
    }
  }
  const std::string confidence = percent_text(1 - found.alpha);
  std::vector<std::string> lines{
      "times: " + runtime_words(found.global_runtime, found.local_cells) + ", " + estimates.text() +
          " over groups, " + confidence +
          "; computation: measured by itself, in the same family; overlap: call + computation "
          "- both, of the same rounds, over the shorter of call and computation: below 0 both "
          "at once take longer than one after the other; mean over groups, t, " +
          confidence + ", each by itself",
      "OSU: the same over the call, cut off at 0; IMB: over the longer of both, cut off at 0 "
      "and 100 % (both by these times, not by their own programs)",
      "hidden: of a long computation, taken where both take " + ratio_words(kBeyondKnee) +
          " times the call for the first time (the knee); over the call it is the processor's "
          "availability (Sandia's SMB); free up to: the longest computation that was tried "
          "with which both take at most " +
          percent_text(found.tolerance) +
          " more than the call; costs from: the shortest with which they take more; < and <= "
          "where that is the shortest of all"};
  std::string regimes =
      regimes_line(found.regimes, found.reference,
                   found.reference_named ? "the figures are of this one, which was named before"
                                         : "the figures are of this one, the fastest that has "
                                           "launch groups enough, however rare");
  if (!regimes.empty()) lines.push_back(std::move(regimes));
  return lines;
}

// Calls whose knee no computation reaches.
std::optional<Warning> knee_warning(const Overlaps& found, const CallNames& name) {
  std::vector<std::string> calls;
  for (const OverlapKnee& knee : found.knees) {
    if (!knee.knee_ns) calls.push_back(name(knee.call) + " of " + knee.arm);
  }
  if (calls.empty()) return std::nullopt;
  constexpr std::size_t kNamed = 3;
  return Warning("no knee: no computation is so long that both take " + ratio_words(kBeyondKnee) +
                 " times the call: " + base::first_items(calls, kNamed, ", ") +
                 "; add compute = \"2x\"");
}

}  // namespace

Answer answer_of(const Overlaps& found) {
  Answer answer{
      .question = "overlap",
      .sentence = found.sentence,
      .scope = found.scope,
      .facts = {{"arms", arms_value(found.arms)},
                {"runtime", found.global_runtime ? "global" : "local"},
                {"alpha", found.alpha},
                {"tolerance", found.tolerance},
                {"reference", reference_value(found.reference)},
                {"no_figures", found.no_verdict.empty() ? Value() : Value(found.no_verdict)}},
      .tables = {overlap_table(found), knees_table(found)},
      .head = only_place(calls_in(found.rows)),
      .notes = readings(found),
      .warnings = found.warnings,
      .health = found.health};
  answer.tables.push_back(shown_overlaps(found, answer.tables[0]));
  answer.tables.push_back(shown_knees(found, answer.tables[1]));
  if (auto warning = knee_warning(found, CallNames(found))) {
    answer.warnings.push_back(std::move(*warning));
  }
  if (!found.dir.empty()) {
    const std::string dir = base::shell_quoted(found.dir.string());
    answer.next = {{"data", dir}, {"page", "invar report " + dir}};
    if (status_of(found.health) != base::Exit::kDone) {
      answer.next.push_back({"go on", "invar run --resume -o " + dir});
    }
  }
  return answer;
}

QuestionRow overlap_row() {
  return {design::Question::kOverlap, overlap_lack,
          [](const Study& study, Detail) { return Answered{answer_of(overlaps(study))}; },
          [](const Study& study) {
            const bool any = std::ranges::any_of(study.data().cells, [](const record::Cell& cell) {
              return cell.compute != record::Cell().compute;
            });
            return any ? OnPage::kExpected : OnPage::kNo;
          }};
}

}  // namespace invar::analysis
