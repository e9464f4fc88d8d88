#include <utility>

#include "analysis/directory/progress.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kMostUndecided = 8;

// "ended", "running", "interrupted": what machines read.
std::string state_of(const Progress& progress) {
  if (!progress.missing.empty()) return "damaged";
  if (progress.ended) return "ended";
  return progress.driver ? "running" : "interrupted";
}

TidyTable state_table(const Progress& progress) {
  TidyTable table{.id = "state",
                  .columns = {{.name = "state"},
                              {.name = "groups_complete", .kind = Kind::kCount},
                              {.name = "groups_failed", .kind = Kind::kCount},
                              {.name = "groups_planned", .kind = Kind::kCount},
                              {.name = "more_may_be_planned", .kind = Kind::kYesNo},
                              {.name = "measured_s", .kind = Kind::kSeconds},
                              {.name = "under_way_s", .kind = Kind::kSeconds},
                              {.name = "left_s", .kind = Kind::kSeconds},
                              {.name = "driver"}}};
  table.rows.push_back({state_of(progress), progress.complete, progress.failed, progress.planned,
                        progress.at_least, progress.measured_s, progress.under_way_s,
                        progress.left_s, progress.driver});
  return table;
}

TidyTable looks_table(const Progress& progress) {
  TidyTable table{.id = "looks",
                  .columns = {{.name = "look", .kind = Kind::kCount},
                              {.name = "groups", .kind = Kind::kCount},
                              {.name = "questions", .kind = Kind::kCount},
                              {.name = "decided", .kind = Kind::kCount}}};
  for (const store::LookLine& look : progress.looks) {
    table.rows.push_back(
        {look.look, look.groups.size(), look.questions, look.questions - look.undecided});
  }
  return table;
}

TidyTable failures_table(const Progress& progress) {
  TidyTable table{.id = "failures",
                  .columns = {{.name = "group", .kind = Kind::kCount},
                              {.name = "cell_id", .kind = Kind::kCount},
                              {.name = "arm"},
                              {.name = "reason"}}};
  for (const store::GroupOutcome& group : progress.lost) {
    table.rows.push_back({group.group, std::nullopt, group.arm, group.reason});
  }
  for (const store::FailedCell& cell : progress.failed_cells) {
    table.rows.push_back({std::nullopt, cell.cell, cell.arm, cell.reason});
  }
  return table;
}

std::string sentence_of(const Progress& progress) {
  return progress.dir + ": " + std::to_string(progress.complete) + " of " +
         (progress.at_least ? "at least " : "") +
         base::count_text(progress.planned, "launch group") + " done" +
         (progress.failed == 0 ? "" : ", " + std::to_string(progress.failed) + " failed") +
         (progress.ended    ? ", the campaign has ended"
          : progress.driver ? ", running (" + *progress.driver + ")"
                            : ", nobody is at work on it") +
         ".";
}

std::string measured_text(const Progress& progress) {
  std::string text = "measured for " + base::span_text(progress.measured_s);
  if (progress.under_way_s) {
    text += ", and " + base::span_text(*progress.under_way_s) + " in the group under way";
  }
  if (progress.left_s) text += ", about " + base::span_text(*progress.left_s) + " left";
  return text;
}

void add_look_remarks(const Progress& progress, std::vector<Remark>& remarks) {
  if (progress.looks.empty()) {
    remarks.push_back({"sequential", "no look yet; " + progress.next_look});
    return;
  }
  for (const store::LookLine& look : progress.looks) {
    remarks.push_back({"look " + std::to_string(look.look) + " after " +
                           base::count_text(look.groups.size(), "group"),
                       std::to_string(look.questions - look.undecided) + " of " +
                           base::count_text(look.questions, "question") + " decided"});
  }
  if (!progress.undecided.empty()) {
    remarks.push_back(
        {"undecided", base::first_items(progress.undecided, kMostUndecided, "; ", "cell")});
  }
  remarks.push_back({"next", progress.next_look});
}

}  // namespace

Answer answer_of(const Progress& progress) {
  std::vector<Remark> remarks;
  if (progress.sequential) add_look_remarks(progress, remarks);
  for (const store::GroupOutcome& group : progress.lost) {
    remarks.push_back({"group " + std::to_string(group.group) + " failed", group.reason});
  }
  for (const store::FailedCell& cell : progress.failed_cells) {
    remarks.push_back(
        {"cell " + std::to_string(cell.cell) + " fails in '" + cell.arm + "'", cell.reason});
  }
  Answer answer{.question = "status",
                .sentence = sentence_of(progress),
                .facts = {{"dir", progress.dir}},
                .tables = {state_table(progress), looks_table(progress), failures_table(progress)},
                .notes = {measured_text(progress)},
                .remarks = std::move(remarks),
                .health = {.damaged = progress.missing.size(),
                           .unfinished = progress.ended ? 0U : 1U,
                           .failed_groups = progress.failed,
                           .failed_cells = progress.failed_cells.size()}};
  for (const std::string& dir : progress.missing) {
    answer.warnings.emplace_back(dir + " is missing: data are damaged", Gravity::kDoubt);
  }
  for (const std::string& warning : progress.warnings) answer.warnings.emplace_back(warning);
  if (progress.status() != base::Exit::kDone) {
    answer.next = {{"go on with", "invar run --resume -o " + base::shell_quoted(progress.dir)}};
  }
  return answer;
}

Answer answer_of(const ClockProgress& progress) {
  const bool done = progress.found == base::Exit::kDone;
  const std::string state = done               ? "complete"
                            : progress.damaged ? "damaged"
                            : progress.driver  ? "running"
                                               : "unfinished";
  const std::string words = state == "running" ? "running (" + *progress.driver + ")"
                            : state == "unfinished"
                                ? std::string("not finished: delete it and measure again")
                                : state;
  TidyTable table{.id = "state", .columns = {{.name = "state"}, {.name = "driver"}}};
  table.rows.push_back({state, progress.driver});
  std::vector<Remark> remarks;
  for (const store::FailedClockLaunch& failed : progress.failed) {
    remarks.push_back({"left out", store::failed_text(failed)});
  }
  return {.question = "status",
          .sentence = progress.dir + ": an experiment with clocks, " + words + ".",
          .facts = {{"dir", progress.dir}},
          .tables = {std::move(table)},
          .remarks = std::move(remarks),
          .health = {.damaged = progress.damaged ? 1U : 0U,
                     .unfinished = done ? 0U : 1U,
                     .failed_groups = progress.failed.size()}};
}

}  // namespace invar::analysis
