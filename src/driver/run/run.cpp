#include "driver/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/machine/regimes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/decisions.hpp"
#include "driver/decide/looks.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/conditions.hpp"
#include "driver/prepare/old_frequencies.hpp"
#include "driver/programs/program_run.hpp"
#include "driver/run/group.hpp"
#include "driver/run/group_page.hpp"
#include "driver/run/interrupt.hpp"
#include "driver/run/progress.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::driver {
namespace {

constexpr int kFailuresToDropAnArm = 3;
constexpr int kMissesToGiveUp = 3;

class Run {
 public:
  Run(const Prepared& prepared, store::CampaignDir dir, const std::string& part)
      : prepared_(prepared), dir_(std::move(dir)), progress_(part) {
    for (const store::GroupOutcome& group : dir_.state().groups) {
      finished_.insert(group.group);
      spent_s_ += group.seconds;
      if (group.complete) {
        ++result_.groups_complete;
        group_seconds_.push_back(group.seconds);
      }
    }
    for (const store::GroupOutcome& group : dir_.state().failed_before) {
      tries_[group.group] = group.tries;
      if (!group.arm.empty()) ++failures_[group.arm];
    }
  }

  RunResult run() {
    const InterruptGuard guard;
    remove_stale_pages(dir_.path());
    try {
      tell_not_put_back(put_back_frequencies(dir_.path(), sysfs_root()));
      loop();
    } catch (const base::CommandError& error) {
      progress_.finish();
      // The manifest could not be written: a campaign that fails, not one that was left.
      if (error.status() != base::Exit::kIncomplete) throw;
      std::vector<base::Fault> faults = error.faults();
      for (base::Fault& fault : faults) fault.remedy = how_to_go_on();
      throw base::CommandError(base::Exit::kMeasurementFailed, faults);
    }
    result_.elapsed_s = elapsed_s();
    return result_;
  }

 private:
  void loop() {
    while (!result_.interrupted) {
      // First of all, because a driver before this one may have ended between pilot and decision.
      decide_batches();
      if (is_sequential(prepared_)) {
        decide_looks();
      } else {
        decide_groups();
      }
      const std::optional<std::uint32_t> group = next_group(dir_.state(), finished_);
      if (!group) break;
      if (!libraries_unchanged()) break;
      if (!arms_remain(prepared_, dir_.state())) break;
      run_one(*group);
    }
    progress_.finish();
    count_warnings();
    const bool all_done =
        !next_group(dir_.state(), finished_) || !arms_remain(prepared_, dir_.state());
    if (all_done && !result_.interrupted && !result_.library_changed && !dir_.state().ended &&
        libraries_unchanged()) {
      dir_.end();
    }
  }

  [[nodiscard]] double elapsed_s() const {
    return spent_s_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  bool libraries_unchanged() {
    const std::string what = changed_library(prepared_, dir_.state());
    if (what.empty()) return true;
    result_.library_changed = true;
    dir_.warn(what);
    progress_.say("invar: " + what + "; stopped, compare old and new as two profiles instead");
    return false;
  }

  // What cannot even be started (its input cannot be written) has failed, too.
  GroupResult try_group(const GroupRequest& request) {
    try {
      return run_group(dir_, request);
    } catch (const base::CommandError& error) {
      GroupResult result;
      result.reason = error.what();
      result.machine = true;
      return result;
    }
  }

  void run_one(std::uint32_t group) {
    const std::uint32_t attempt = ++tries_[group];
    const GroupResult result = try_group({.prepared = prepared_,
                                          .plan = plan_of(dir_.state(), group),
                                          .group = group,
                                          .attempt = attempt,
                                          .limits = limits(group),
                                          .failed_cells = dir_.state().failed_cells,
                                          .dropped_arms = dir_.state().dropped_arms,
                                          .never_end = never_end_,
                                          .full_environment = result_.groups_complete == 0});
    tell_not_put_back(result.not_put_back);
    if (result.interrupted) {
      dir_.discard_group(group, "interrupted");
      result_.interrupted = true;
      return;
    }
    std::string reason = result.reason;
    std::string failed_arm = result.failed_arm;
    if (reason.empty()) {
      for (const auto& [launch, arm] : result.launches) {
        try {
          take_in(dir_.seal_launch(launch, group, arm), arm);
        } catch (const base::CommandError& error) {
          reason = error.what();
          failed_arm = arm;
          break;
        }
      }
    }
    finished_.insert(group);
    if (reason.empty()) {
      dir_.finish_group(
          {.group = group, .complete = true, .seconds = result.seconds, .tries = attempt});
      ++result_.groups_complete;
      ++complete_here_;
      group_seconds_.push_back(result.seconds);
      never_end_.insert(result.never_end.begin(), result.never_end.end());
      for (const std::string& warning : result.warnings) warn_once(warning);
    } else {
      const std::string kept = why_unwritable(dir_.path());
      if (result.unwritable || !kept.empty()) {
        stop(group, kept.empty() ? reason : kept, reason);
      }
      fail_group(group, attempt, reason, failed_arm, result.seconds);
    }
    show();
  }

  // What others will measure with after us.
  void tell_not_put_back(const std::vector<std::string>& problems) {
    for (const std::string& problem : problems) {
      if (!not_put_back_.insert(problem).second) continue;
      dir_.warn(problem);
      progress_.say("invar: warning: " + problem);
    }
  }

  // A library that does not end once will often not end: told at once, counted at the end.
  void warn_once(const std::string& warning) {
    if (++warned_[warning] > 1) return;
    dir_.warn(warning);
    progress_.say("invar: " + warning + "; its data are whole");
  }

  void count_warnings() {
    for (const auto& [warning, groups] : warned_) {
      if (groups > 1) progress_.say("invar: " + repeated_text(warning, groups, complete_here_));
    }
  }

  // Going on would only lose more. The group is measured again by the next driver.
  [[noreturn]] void stop(std::uint32_t group, const std::string& what, const std::string& reason) {
    try {
      dir_.discard_group(group, reason);
    } catch (const base::CommandError&) {
      // No room to note even that: the next driver finds the group unfinished.
    }
    throw base::CommandError(base::Exit::kMeasurementFailed,
                             {{.place = dir_.path().string(),
                               .what = fmt::format("stopped in group {}: {}", group, what),
                               .remedy = how_to_go_on()}});
  }

  [[nodiscard]] std::string how_to_go_on() const {
    return "what is sealed is safe; mend that, then go on with: invar run --resume -o " +
           base::shell_quoted(dir_.path().string());
  }

  void fail_group(std::uint32_t group, std::uint32_t attempt, const std::string& reason,
                  const std::string& arm, double seconds) {
    dir_.discard_group(group, reason);
    dir_.finish_group({.group = group,
                       .complete = false,
                       .reason = reason,
                       .arm = arm,
                       .seconds = seconds,
                       .tries = attempt});
    ++result_.groups_failed;
    progress_.say(fmt::format("invar: group {} failed: {}", group, reason));
    if (arm.empty() || ++failures_[arm] < kFailuresToDropAnArm) return;
    const std::string why =
        fmt::format("failed {}, the last one: {}",
                    base::count_text(static_cast<std::uint64_t>(failures_[arm]), "group"), reason);
    dir_.drop_arm(arm, why);
    progress_.say("invar: '" + arm + "' takes no further part: it " + why);
  }

  // What the journal says of cells and of the machine.
  void take_in(const store::Journal& journal, const std::string& arm) {
    for (const record::FailureLine& failure : journal.failures) {
      const std::pair<std::uint32_t, std::string> key{failure.cell, arm};
      const auto& known = dir_.state().failed_cells;
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string reason = fmt::format("{} (rank {} on {}): {}", failure.kind, failure.rank,
                                             failure.host, failure.reason);
      dir_.fail_cell(failure.cell, arm, reason);
      progress_.say(fmt::format("invar: {} fails in '{}': {}",
                                text_(prepared_.cells.cells.at(failure.cell)), arm, reason));
    }
    if (const design::Arm* known = prepared_.campaign.find_arm(arm); known && known->is_program()) {
      take_runs(journal, arm);
      return;
    }
    for (const record::VisitLine& visit : journal.visits) {
      double& longest_s = longest_s_[visit.cell];
      longest_s = std::max(longest_s, static_cast<double>(visit.end_ps - visit.begin_ps) * 1e-12);
      late_ += visit.late;
      repetitions_ += visit.valid + visit.late;
      if (!visit.canary_ps.empty()) {
        canary_ns_.push_back(
            static_cast<double>(*std::max_element(visit.canary_ps.begin(), visit.canary_ps.end())) /
            1e3);
      }
    }
  }

  // Of a foreign program: a run may fail now and then, but not always.
  void take_runs(const store::Journal& journal, const std::string& arm) {
    for (const record::VisitLine& visit : journal.visits) {
      gave_times_.insert(arm);
      missed_[{visit.cell, arm}] = 0;
      longest_run_s_ =
          std::max(longest_run_s_, static_cast<double>(visit.end_ps - visit.begin_ps) * 1e-12);
    }
    for (const record::MissedLine& missed : journal.missed) {
      const std::string cell = text_(prepared_.cells.cells.at(missed.cell));
      progress_.say(fmt::format("invar: {} in '{}' gave no time: {}", cell, arm, missed.reason));
      if (++missed_[{missed.cell, arm}] < kMissesToGiveUp) continue;
      const std::string reason = fmt::format("{} runs in a row gave no time, the last one: {}",
                                             kMissesToGiveUp, missed.reason);
      dir_.fail_cell(missed.cell, arm, reason);
      progress_.say(fmt::format("invar: {} fails in '{}' and is not run any more", cell, arm));
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

  // Nobody waits for the rest of a budget when a program cannot be measured at all.
  void drop_if_nothing_left(const std::string& arm) {
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

  void drop(const std::string& arm, const std::string& why) {
    const auto& dropped = dir_.state().dropped_arms;
    if (std::find(dropped.begin(), dropped.end(), arm) != dropped.end()) return;
    dir_.drop_arm(arm, why);
    progress_.say("invar: '" + arm + "' takes no further part: " + why);
  }

  [[nodiscard]] double typical_group_s() const {
    if (group_seconds_.empty()) return expected_group_s_;
    // Groups of a sequential campaign get shorter.
    const std::size_t recent = is_sequential(prepared_)
                                   ? std::min<std::size_t>(3, group_seconds_.size())
                                   : group_seconds_.size();
    std::vector<double> sorted(group_seconds_.end() - static_cast<std::ptrdiff_t>(recent),
                               group_seconds_.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

  [[nodiscard]] Limits limits(std::uint32_t group) const {
    record::Plan rows{.cells = plan_of(dir_.state(), group).cells};
    for (const record::PlanRow& row : plan_of(dir_.state(), group).rows) {
      if (row.group == group) rows.rows.push_back(row);
    }
    const auto done = static_cast<std::uint32_t>(finished_.size());
    const std::uint32_t least = prepared_.campaign.launches.min;
    RunsAhead runs{.longest_s = longest_run_s_, .groups = least > done ? least - done : 1};
    if (prepared_.campaign.budget_s) runs.left_s = *prepared_.campaign.budget_s - elapsed_s();
    return limits_of(prepared_, rows, longest_s_, runs);
  }

  // After the pilot group: which cells are timed in batches.
  void decide_batches() {
    if (dir_.state().ended) return;
    if (!dir_.state().batches && result_.groups_complete > 0) {
      const record::Calls calls = batches_needed(pilot(), prepared_.campaign.together);
      dir_.decide_batches(calls, calls.empty() ? "no call is too short for the clock"
                                               : batches_text(calls, prepared_.cells.cells));
      if (!calls.empty()) {
        progress_.say(
            "invar: too short for the clock (below 20 steps), from here on timed in batches: " +
            batches_text(calls, prepared_.cells.cells) +
            "; the pilot group does not count for them");
      }
    }
    if (!is_batched(dir_.state())) return;
    for (const std::uint32_t group : outdated_groups(prepared_, dir_.state()))
      finished_.insert(group);
    // What is not begun yet must follow the decision.
    const std::uint32_t done = finished_.empty() ? 0 : *finished_.rbegin();
    if (const auto plan = batched_plan(prepared_, dir_.state(), done)) dir_.add_plan(*plan);
  }

  // The groups that are complete when the first decisions are due.
  [[nodiscard]] store::Data pilot() const { return store::read_campaign_dir(dir_.path()); }

  // After the pilot group: how many groups there will be.
  void decide_groups() {
    if (result_.groups_complete == 0) return;
    const Spent spent{.groups_done = static_cast<std::uint32_t>(finished_.size()),
                      .elapsed_s = elapsed_s(),
                      .group_s = typical_group_s()};
    if (const auto decision =
            driver::decide_groups(prepared_, dir_.state(), spent, [this] { return pilot(); })) {
      if (decision->more) dir_.add_plan(*decision->more);
      dir_.decide_groups(decision->groups, decision->why);
      show();
    } else if (const auto stopped = stop_over_budget(prepared_, dir_.state(), spent)) {
      dir_.decide_groups(stopped->groups, stopped->why);
    }
    if (!std::exchange(told_budget_, true)) tell_budget(spent);
  }

  // Whenever the planned groups are measured: what is decided, and what comes next.
  void decide_looks() {
    if (dir_.state().ended || dir_.state().planned_groups) return;
    const std::optional<std::uint32_t> group = next_group(dir_.state(), finished_);
    const Spent spent{.groups_done = static_cast<std::uint32_t>(finished_.size()),
                      .elapsed_s = elapsed_s(),
                      .group_s = typical_group_s()};
    std::string stop;
    if (!arms_remain(prepared_, dir_.state())) {
      stop = "fewer than two arms are left";
    } else if (const auto over = stop_over_budget(prepared_, dir_.state(), spent)) {
      stop = over->why;
    }
    if (group && spent.groups_done > 0 && !std::exchange(told_budget_, true)) tell_budget(spent);
    if (group && stop.empty()) return;
    const LookStep step = look(prepared_, dir_.state(), pilot(), spent, stop);
    if (step.look) dir_.note_look(*step.look);
    if (!step.say.empty()) progress_.say("invar: " + step.say);
    if (step.more) {
      dir_.add_plan(*step.more);
      // Groups before this look had other visits.
      group_seconds_.clear();
      expected_group_s_ = step.group_s;
    }
    if (!step.warning.empty()) {
      const std::vector<std::string>& told = dir_.state().warnings;
      if (std::find(told.begin(), told.end(), step.warning) == told.end()) {
        dir_.warn(step.warning);
      }
      progress_.say("invar: " + step.warning);
    }
    if (!step.end.empty()) {
      dir_.decide_groups(finished_.empty() ? 0 : *finished_.rbegin(), step.end);
    }
  }

  // Once, as soon as a group was measured: whoever waits can still stop.
  void tell_budget(const Spent& spent) {
    if (!prepared_.campaign.budget_s) return;
    double group_s = spent.group_s;
    if (is_batched(dir_.state())) group_s += extra_seconds(pilot(), *dir_.state().batches);
    const std::string text = over_budget_text(prepared_, dir_.state(), spent, group_s);
    if (!text.empty()) progress_.say("invar: " + text);
  }

  void show() {
    progress_.show(
        {.done = static_cast<std::uint32_t>(finished_.size()),
         .planned = dir_.state().planned_groups
                        ? dir_.state().planned_groups
                        : (decided_from_start() ? std::optional(last_planned(dir_.state()))
                                                : std::nullopt),
         .at_least = last_planned(dir_.state()),
         .elapsed_s = elapsed_s(),
         .group_s = typical_group_s(),
         .late_share =
             repetitions_ == 0 ? 0 : static_cast<double>(late_) / static_cast<double>(repetitions_),
         .canary_ns = canary_ns_,
         .regimes = canary_ns_.empty() ? "" : regimes_so_far()});
  }

  // Of evenly spread canaries, so that a look costs the same however long the campaign is.
  [[nodiscard]] std::string regimes_so_far() const {
    constexpr std::size_t kMost = 2000;
    const std::size_t count = std::min(kMost, canary_ns_.size());
    std::vector<double> some(count);
    for (std::size_t i = 0; i < count; ++i) some[i] = canary_ns_[i * canary_ns_.size() / count];
    return analysis::regimes_text(analysis::split_canaries(some, 0));
  }

  [[nodiscard]] bool decided_from_start() const {
    return is_sequential(prepared_) ||
           prepared_.campaign.launches.min == prepared_.campaign.launches.max;
  }

  const Prepared& prepared_;
  record::CellTexts text_{prepared_.cells.cells};
  store::CampaignDir dir_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double spent_s_ = 0;  // by drivers before this one
  std::set<std::uint32_t> finished_ = {};
  std::map<std::uint32_t, std::uint32_t> tries_ = {};
  std::map<std::string, int> failures_ = {};
  std::vector<double> group_seconds_ = {};
  double expected_group_s_ = 0;                     // until one of them was measured
  std::map<std::uint32_t, double> longest_s_ = {};  // visits, by cell
  double longest_run_s_ = 0;                        // of a foreign program
  std::map<std::pair<std::uint32_t, std::string>, int> missed_ = {};  // runs in a row: cell, arm
  std::set<std::string> gave_times_ = {};                             // programs
  std::uint64_t late_ = 0;
  std::uint64_t repetitions_ = 0;
  std::vector<double> canary_ns_ = {};
  std::set<std::string> never_end_ = {};              // arms, in groups of this driver
  std::uint32_t complete_here_ = 0;                   // groups of this driver
  std::map<std::string, std::uint32_t> warned_ = {};  // -> how many of these
  std::set<std::string> not_put_back_ = {};           // told of
  bool told_budget_ = false;
  Progress progress_;
  RunResult result_ = {};
};

}  // namespace

record::Plan first_plan(const Prepared& prepared) {
  design::Counters counters;
  return design::plan_groups(prepared.campaign, prepared.cells, prepared.campaign.launches.min,
                             counters);
}

RunResult run_new(const Prepared& prepared, const std::optional<record::Plan>& plan,
                  const std::filesystem::path& dir, const std::string& part) {
  std::vector<store::ArmRecord> arms;
  for (std::size_t i = 0; i < prepared.arms.size(); ++i) {
    arms.push_back(arm_record(prepared, i));
  }
  store::CampaignDir campaign_dir =
      store::CampaignDir::create(dir, design::campaign_toml(prepared.campaign),
                                 plan ? *plan : first_plan(prepared), arms, place_of(prepared));
  if (plan) campaign_dir.decide_batches({}, "the plan was given");
  for (const std::string& text : left_out_texts(prepared)) {
    campaign_dir.warn("left out: " + text);
  }
  Run run(prepared, std::move(campaign_dir), part);
  return run.run();
}

RunResult run_resumed(const std::filesystem::path& dir, const std::string& part) {
  std::vector<std::string> notes;
  store::CampaignDir campaign_dir = store::CampaignDir::resume(dir, notes, [](const auto& toml) {
    try {
      static_cast<void>(design::read_campaign(toml, "campaign.toml"));
      return true;
    } catch (const base::UserError&) {
      return false;
    }
  });
  for (const std::string& note : notes) fmt::print(stderr, "invar: {}\n", note);
  const std::string place = (dir / "campaign.toml").string();
  const Prepared prepared =
      prepare(design::read_campaign(campaign_dir.state().campaign_toml, place), {}, place);
  check_launches(prepared);
  warn_of_other_place(prepared, campaign_dir);
  Run run(prepared, std::move(campaign_dir), part);
  return run.run();
}

}  // namespace invar::driver
