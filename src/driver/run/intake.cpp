#include "driver/run/intake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "design/races/race.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/programs/program_run.hpp"
#include "record/memory/levels.hpp"
#include "store/journal_reader.hpp"
#include "store/launch_files.hpp"

namespace invar::driver {
namespace {

constexpr std::size_t kFailuresToDropAnArm = 3;
constexpr int kMissesToGiveUp = 2;

// Adds the time of the visit's slowest host, and nothing where no host has one.
void add_slowest(const std::vector<std::int64_t>& hosts_ps, std::vector<double>& times_ns) {
  if (hosts_ps.empty()) return;
  times_ns.push_back(static_cast<double>(*std::max_element(hosts_ps.begin(), hosts_ps.end())) /
                     1e3);
}

}  // namespace

Intake::Intake(const Prepared& prepared, store::CampaignDir& dir, Telling& telling)
    : prepared_(prepared), dir_(dir), telling_(telling) {
  for (const store::GroupOutcome& group : dir_.state().failed_before) {
    tries_[group.group] = group.tries;
    if (!group.arm.empty()) failures_[group.arm].insert(group.group);
  }
  take_earlier_loops();
}

bool Intake::take(std::uint32_t group, const GroupResult& result) {
  std::string reason = result.reason;
  std::string failed_arm = result.failed_arm;
  if (reason.empty()) {
    for (const auto& [launch, arm] : result.launches) {
      try {
        take_journal(dir_.seal_launch(launch, group, arm), arm);
      } catch (const base::CommandError& error) {
        reason = error.what();
        failed_arm = arm;
        break;
      }
    }
  }
  if (reason.empty()) {
    dir_.finish_group(
        {.group = group, .complete = true, .seconds = result.seconds, .tries = tries_[group]});
    for (auto& [arm, groups] : failures_) groups.erase(group);
    for (const std::string& warning : result.warnings) telling_.warn_of_whole_data(warning);
    return true;
  }
  const std::string kept = why_unwritable(dir_.path());
  if (result.unwritable || !kept.empty()) stop(group, kept.empty() ? reason : kept, reason);
  fail_group(group, reason, failed_arm, result);
  return false;
}

// The group is measured again by the next driver.
void Intake::stop(std::uint32_t group, const std::string& what, const std::string& reason) {
  try {
    dir_.discard_group(group, reason);
  } catch (const base::CommandError&) {
    // No room to note even that: the next driver finds the group unfinished.
  }
  throw base::CommandError(base::Exit::kMeasurementFailed,
                           {{.place = dir_.path().string(),
                             .what = fmt::format("stopped in group {}: {}", group, what),
                             .remedy = how_to_go_on(dir_)}});
}

void Intake::fail_group(std::uint32_t group, const std::string& reason, const std::string& arm,
                        const GroupResult& result) {
  // In a race it is the candidate that crashed or hung, and not the arm that runs all of them.
  const std::vector<std::uint32_t> candidate =
      result.failed_cell ? design::cells_of_candidate(prepared_.campaign, prepared_.cells.cells,
                                                      *result.failed_cell, arm)
                         : std::vector<std::uint32_t>();
  dir_.discard_group(group, reason);
  dir_.finish_group({.group = group,
                     .complete = false,
                     .reason = reason,
                     .arm = candidate.empty() ? arm : std::string(),
                     .seconds = result.seconds,
                     .tries = tries_[group]});
  telling_.say(fmt::format("group {} failed: {}", group, reason));
  if (!candidate.empty()) {
    expel(candidate, arm, reason);
    return;
  }
  if (arm.empty()) return;
  failures_[arm].insert(group);
  if (failures_[arm].size() < kFailuresToDropAnArm) return;
  const std::string why = fmt::format("failed {}, the last one: {}",
                                      base::count_text(failures_[arm].size(), "group"), reason);
  dir_.drop_arm(arm, why);
  telling_.say("'" + arm + "' is dropped: it " + why);
}

// What does not do what MPI promises somewhere is not raced anywhere.
void Intake::expel(std::span<const std::uint32_t> cells, const std::string& arm,
                   const std::string& reason) {
  for (const std::uint32_t cell : cells) {
    const auto& known = dir_.state().failed_cells;
    if (std::find(known.begin(), known.end(), std::pair(cell, arm)) != known.end()) continue;
    dir_.fail_cell(cell, arm, reason);
  }
  telling_.say(fmt::format("out of the race: {} in '{}', {}", cell_text(cells.front()), arm,
                           base::count_text(cells.size(), "cell")));
  drop_if_nothing_left(arm);
}

// What was sealed before this driver began decides for it, too.
void Intake::take_earlier_loops() {
  const bool any = std::ranges::any_of(prepared_.cells.cells, [&](const record::Cell& cell) {
    const auto loops = record::parse_loops(cell.loops);
    return loops && loops->automatic && prepared_.cells.operation(0, cell.operation).walks > 0;
  });
  if (!any) return;
  for (const auto& [launch, seal] : dir_.seals()) {
    const std::string place = seal.dir + "/" + store::kJournal;
    const auto text = base::read_file((dir_.path() / place).string());
    if (text) take_loops(store::read_journal(*text, place), seal.arm);
  }
}

// The first launch of an arm decides; a cell has that number, or a multiple of it.
void Intake::take_loops(const store::Journal& journal, const std::string& arm) {
  for (const record::VisitLine& visit : journal.visits) {
    if (!visit.loops || visit.cell >= prepared_.cells.cells.size()) continue;
    const auto loops = record::parse_loops(prepared_.cells.cells[visit.cell].loops);
    if (!loops || !loops->automatic) continue;
    decided_loops_.emplace(std::pair(visit.cell, arm),
                           static_cast<std::uint32_t>(*visit.loops / loops->number));
  }
}

// What the journal says of cells and of the machine.
void Intake::take_journal(const store::Journal& journal, const std::string& arm) {
  take_loops(journal, arm);
  for (const record::FailureLine& failure : journal.failures) {
    const std::pair<std::uint32_t, std::string> key{failure.cell, arm};
    const auto& known = dir_.state().failed_cells;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string reason = fmt::format("{} (rank {} on {}): {}", failure.kind, failure.rank,
                                           failure.host, failure.reason);
    dir_.fail_cell(failure.cell, arm, reason);
    telling_.say(fmt::format("{} fails in '{}': {}", cell_text(failure.cell), arm, reason));
    // One that refuses a size says so, whenever it is asked; and what fails for want of another
    // call has done nothing wrong.
    if (failure.kind == record::kRefused || failure.kind == record::kNoMeasure) continue;
    const std::vector<std::uint32_t> candidate =
        design::cells_of_candidate(prepared_.campaign, prepared_.cells.cells, failure.cell, arm);
    if (candidate.size() > 1) expel(candidate, arm, reason);
  }
  if (const design::Arm* known = prepared_.campaign.find_arm(arm); known && known->is_program()) {
    take_runs(journal, arm);
    return;
  }
  if (!journal.failures.empty()) drop_if_nothing_left(arm);
  for (const record::VisitLine& visit : journal.visits) {
    double& longest_s = seen_.longest_s[visit.cell];
    longest_s = std::max(longest_s, static_cast<double>(visit.end_ps - visit.begin_ps) * 1e-12);
    seen_.late += visit.late;
    seen_.repetitions += visit.valid + visit.late + visit.apart;
    add_slowest(visit.canary_ps, seen_.canary_ns);
    add_slowest(visit.chain_ps, seen_.chain_ns);
  }
}

// A foreign program may fail now and then, but not always.
void Intake::take_runs(const store::Journal& journal, const std::string& arm) {
  for (const record::VisitLine& visit : journal.visits) {
    gave_times_.insert(arm);
    missed_[{visit.cell, arm}] = 0;
    seen_.longest_run_s =
        std::max(seen_.longest_run_s, static_cast<double>(visit.end_ps - visit.begin_ps) * 1e-12);
  }
  for (const record::MissedLine& missed : journal.missed) {
    const std::string cell = cell_text(missed.cell);
    telling_.say(fmt::format("{} in '{}' gave no time: {}", cell, arm, missed.reason));
    if (++missed_[{missed.cell, arm}] < kMissesToGiveUp) continue;
    const std::string reason = fmt::format("{} runs in a row gave no time, the last one: {}",
                                           kMissesToGiveUp, missed.reason);
    dir_.fail_cell(missed.cell, arm, reason);
    telling_.say(fmt::format("{} fails in '{}' and is not run any more", cell, arm));
  }
  const bool hangs = std::all_of(
      journal.missed.begin(), journal.missed.end(),
      [](const record::MissedLine& missed) { return missed.reason.starts_with(kDidNotEnd); });
  if (hangs && !journal.missed.empty() && !gave_times_.contains(arm)) {
    drop(arm,
         "none of its runs ended in time; if it only takes long, write visit-limit into "
         "[engine] or give a larger budget");
  } else {
    drop_if_nothing_left(arm);
  }
}

// Nobody waits for the rest of a budget when an arm cannot be measured at all. A cell that fails in
// every arm drops out of later groups by itself.
void Intake::drop_if_nothing_left(const std::string& arm) {
  const auto& arms = prepared_.campaign.arms;
  const auto index = static_cast<std::uint32_t>(prepared_.campaign.find_arm(arm) - arms.data());
  const auto& failed = dir_.state().failed_cells;
  for (const record::Cell& cell : prepared_.cells.cells) {
    const auto& of_cell = prepared_.cells.arms.at(cell.id);
    if (std::find(of_cell.begin(), of_cell.end(), index) == of_cell.end()) continue;
    if (std::find(failed.begin(), failed.end(), std::pair(cell.id, arm)) == failed.end()) return;
  }
  drop(arm, "all of its cells failed");
}

void Intake::drop(const std::string& arm, const std::string& why) {
  const auto& dropped = dir_.state().dropped_arms;
  if (std::find(dropped.begin(), dropped.end(), arm) != dropped.end()) return;
  dir_.drop_arm(arm, why);
  telling_.say("'" + arm + "' is dropped: " + why);
}

std::string Intake::cell_text(std::uint32_t cell) const {
  return record::CellTexts(prepared_.cells.cells)(prepared_.cells.cells.at(cell));
}

std::string how_to_go_on(const store::CampaignDir& dir) {
  return "what is sealed is safe; mend that, then go on with: invar run --resume -o " +
         base::shell_quoted(dir.path().string());
}

}  // namespace invar::driver
