// Overlap as an answer: every amount of computation beside its call, and the knee of each call.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/compare/compared_table.hpp"
#include "analysis/overlap/overlap.hpp"
#include "analysis/questions/question_row.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/cell_columns.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/cell.hpp"

namespace invar::analysis {
namespace {

// "92 % [90, 94]"
std::string overlap_words(const OverlapEstimate& share) {
  const int decimals = std::abs(share.value) >= 0.0995 ? 0 : 1;
  const auto percent = [decimals](double value) {
    // Nothing is "-0".
    return fmt::format("{:.{}f}", std::abs(value) < 0.0005 ? 0.0 : value * 100, decimals);
  };
  std::string text = percent(share.value) + " %";
  if (share.interval) {
    text += " [" + percent(share.interval->low) + ", " + percent(share.interval->high) + "]";
  }
  return text;
}

// "ibcast 64 KiB", with all its levels where another call would be called the same.
class CallNames {
 public:
  explicit CallNames(const Overlaps& found) {
    std::vector<record::Cell> calls;
    std::map<std::string, std::size_t> count;
    for (const OverlapRow& row : found.rows) {
      if (std::ranges::find(calls, row.call.id, &record::Cell::id) != calls.end()) continue;
      calls.push_back(row.call);
      ++count[short_name(row.call)];
    }
    const record::CellTexts long_name(calls);
    for (const record::Cell& call : calls) {
      const std::string name = short_name(call);
      names_[call.id] = count.at(name) == 1 ? name : long_name(call);
    }
  }
  [[nodiscard]] const std::string& operator()(const record::Cell& call) const {
    return names_.at(call.id);
  }

 private:
  static std::string short_name(const record::Cell& call) {
    return call.operation + (call.size_bytes ? " " + base::size_text(*call.size_bytes) : "");
  }

  std::map<std::uint32_t, std::string> names_ = {};
};

// "ibcast 64 KiB behind 1x"
std::string row_words(const OverlapRow& row, const CallNames& name) {
  return name(row.call) + " behind " + row.computation;
}

std::string one_row_clause(const OverlapRow& row, const CallNames& name) {
  if (row.costs()) {
    return row.arm + " takes longer for " + name(row.call) + " and " + row.computation +
           " at once than for one after the other, by " +
           overlap_words(
               {.value = -row.overlap.value,
                .interval = stats::Interval{-row.overlap.interval->high, -row.overlap.interval->low,
                                            row.overlap.interval->confidence}}) +
           " of the shorter one";
  }
  if (row.overlap.interval && !row.hides()) {
    return row.arm + " hides nothing of " + row_words(row, name) + " that could be told (" +
           overlap_words(row.overlap) + ")";
  }
  return row.arm + " hides " + overlap_words(row.overlap) + " of " + row_words(row, name);
}

std::string rows_clause(const std::vector<const OverlapRow*>& rows, const CallNames& name) {
  const auto [least, most] = std::ranges::minmax_element(
      rows, {}, [](const OverlapRow* row) { return row->overlap.value; });
  std::string text = (*least)->arm + " hides " + overlap_words((*least)->overlap) + " (" +
                     row_words(**least, name) + ") to " + overlap_words((*most)->overlap) + " (" +
                     row_words(**most, name) + ")";
  const auto open = std::ranges::count_if(rows, [](const OverlapRow* row) {
    return row->overlap.interval && !row->hides() && !row->costs();
  });
  if (open > 0) {
    text += ", " + std::to_string(open) + " of " + std::to_string(rows.size()) +
            " cannot be told from nothing";
  }
  return text;
}

// Of an arm with a single call; empty where its knee was not reached.
std::string knee_words(const Overlaps& found, const std::string& arm) {
  const OverlapKnee* only = nullptr;
  for (const OverlapKnee& knee : found.knees) {
    if (knee.arm != arm) continue;
    if (only != nullptr) return {};
    only = &knee;
  }
  if (only == nullptr || !only->knee_ns || !(only->knee_ns->value > 0)) return {};
  return " (knee " + base::duration_text(only->knee_ns->value) + ", processor availability " +
         overlap_words(*only->availability) + ")";
}

void add_interval_column(TidyTable& table, const std::string& name, Kind kind,
                         const std::string& unit = {}) {
  const std::string low = name + "_low" + unit;
  const std::string high = name + "_high" + unit;
  table.columns.push_back({.name = name + unit, .kind = kind, .low = low, .high = high});
  table.columns.push_back({.name = low, .kind = kind});
  table.columns.push_back({.name = high, .kind = kind});
}

void append_overlap(std::vector<Value>& values, const std::optional<OverlapEstimate>& estimate) {
  values.emplace_back(estimate ? Value(estimate->value) : Value());
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
                              {.name = "launches", .kind = Kind::kCount}}};
  for (const char* time : {"compute", "comm", "both", "hidden"}) {
    add_interval_column(table, time, Kind::kTime, kNanoseconds);
  }
  for (const char* share : {"overlap", "availability", "osu", "imb"}) {
    add_interval_column(table, share, Kind::kShare);
  }
  for (const OverlapRow& row : found.rows) {
    std::vector<Value> values{row.arm, row.call, row.computation, row.groups};
    for (const TimeEstimate& time : {row.compute_time, row.call_time, row.both_time}) {
      append_time(values, time);
    }
    for (const OverlapEstimate& estimate :
         {row.hidden_ns, row.overlap, row.availability, row.osu, row.imb}) {
      append_overlap(values, estimate);
    }
    table.rows.push_back(std::move(values));
  }
  if (found.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "behind", .column = "computation", .right = true});
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
  if (!found.no_verdict.empty()) return table;
  if (found.arms.size() > 1) table.shown.push_back({.header = "arm", .column = "arm"});
  table.shown.push_back({.column = "cell"});
  table.shown.push_back({.header = "call", .column = "comm_ns"});
  table.shown.push_back({.header = "free up to", .column = "free_ns", .absent = "-"});
  table.shown.push_back({.header = "costs from", .column = "costs_ns", .absent = "-"});
  table.shown.push_back({.header = "knee", .column = "knee_ns", .absent = "-"});
  table.shown.push_back({.header = "availability", .column = "availability", .absent = "-"});
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
  return {"times: " + runtime_words(found.global_runtime, found.local_cells) + ", " +
              estimates.text() + " over groups, " + confidence +
              "; computation: measured by itself, in the same family; overlap: call + computation "
              "- both, of the same rounds, over the shorter of call and computation: below 0 both "
              "at once take longer than one after the other; mean over groups, t, " +
              confidence + ", each by itself",
          "OSU: the same over the call, cut off at 0; IMB: over the longer of both, cut off at 0 "
          "and 100 % (both by these times, not by their own programs)",
          "free up to: the longest computation with which both take at most " +
              percent_text(found.tolerance) +
              " more than the call; costs from: the shortest with which they take more; knee: what "
              "is hidden by the shortest computation with which both take " +
              ratio_words(kBeyondKnee) +
              " times the call, over which it is the processor's availability (Sandia's SMB)"};
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

std::string overlap_sentence(const Overlaps& found) {
  // Ranks that share cores take turns: what they hide of each other is the scheduler's.
  if (!found.no_verdict.empty()) {
    return "No figures: " + found.no_verdict +
           "; the table has times as behaviour alone: " + found.scope + ".";
  }
  const CallNames name(found);
  std::vector<std::string> clauses;
  for (const ComparedArm& arm : found.arms) {
    std::vector<const OverlapRow*> rows;
    for (const OverlapRow& row : found.rows) {
      if (row.arm == arm.label) rows.push_back(&row);
    }
    if (rows.empty()) continue;
    clauses.push_back(
        (rows.size() == 1 ? one_row_clause(*rows.front(), name) : rows_clause(rows, name)) +
        knee_words(found, arm.label));
  }
  return base::join(clauses, "; ") + ": " + found.scope + ".";
}

Answer answer_of(const Overlaps& found) {
  Answer answer{
      .question = "overlap",
      .sentence = found.sentence,
      .scope = found.scope,
      .facts = {{"arms", arms_value(found.arms)},
                {"runtime", found.global_runtime ? "global" : "local"},
                {"alpha", found.alpha},
                {"tolerance", found.tolerance},
                {"no_figures", found.no_verdict.empty() ? Value() : Value(found.no_verdict)}},
      .tables = {overlap_table(found), knees_table(found)},
      .head = only_place(calls_in(found.rows)),
      .notes = readings(found),
      .warnings = found.warnings,
      .health = found.health};
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
