#include "driver/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/batches.hpp"
#include "driver/group.hpp"
#include "driver/group_page.hpp"
#include "driver/interrupt.hpp"
#include "driver/progress.hpp"
#include "launch/arms.hpp"
#include "launch/together.hpp"
#include "store/campaign_dir.hpp"
#include "store/files.hpp"
#include "store/reader.hpp"

namespace invar::driver {
namespace {

constexpr int kFailuresToDropAnArm = 3;
// A budget is a promise about time: once it is over by this much, no further group starts.
constexpr double kBudgetSlack = 1.1;

class Run {
 public:
  Run(const Prepared& prepared, store::CampaignDir dir)
      : prepared_(prepared), dir_(std::move(dir)) {
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
      decide();
      const std::optional<std::uint32_t> group = next_group();
      if (!group) break;
      if (!libraries_unchanged()) break;
      if (!arms_remain()) break;
      run_one(*group);
    }
    progress_.finish();
    const bool all_done = !next_group() || !arms_remain();
    if (all_done && !result_.interrupted && !result_.library_changed && !dir_.state().ended &&
        libraries_unchanged()) {
      dir_.end();
    }
  }

  [[nodiscard]] double elapsed_s() const {
    return spent_s_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  [[nodiscard]] std::uint32_t last_planned() const {
    std::uint32_t last = 0;
    for (const record::Plan& plan : dir_.state().plans) {
      if (!plan.rows.empty()) last = std::max(last, plan.rows.back().group);
    }
    const auto decided = dir_.state().planned_groups;
    return decided ? std::min(last, *decided) : last;
  }

  [[nodiscard]] std::optional<std::uint32_t> next_group() const {
    for (const record::Plan& plan : dir_.state().plans) {
      for (const record::PlanRow& row : plan.rows) {
        if (row.group <= last_planned() && !finished_.contains(row.group)) return row.group;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] const record::Plan& plan_of(std::uint32_t group) const {
    for (const record::Plan& plan : dir_.state().plans) {
      if (!plan.rows.empty() && group <= plan.rows.back().group) return plan;
    }
    throw base::UserError("plan", "there is no group " + std::to_string(group));
  }

  // A new `make install` under way would mix two libraries in one arm.
  bool libraries_unchanged() {
    for (const launch::CheckedArm& arm : prepared_.arms) {
      const auto recorded =
          std::find_if(dir_.state().arms.begin(), dir_.state().arms.end(),
                       [&](const store::ArmRecord& record) { return record.label == arm.label; });
      if (recorded == dir_.state().arms.end()) continue;
      const auto now = launch::library_checksums(arm.profile);
      if (now == recorded->checksums) continue;
      result_.library_changed = true;
      std::string what = "the library of '" + arm.label + "' has changed since the campaign began";
      for (const auto& [file, checksum] : recorded->checksums) {
        const auto found = now.find(file);
        if (found == now.end() || found->second != checksum) what += ": " + file;
      }
      dir_.warn(what);
      progress_.say("invar: " + what + "; stopped, compare old and new as two profiles instead");
      return false;
    }
    return true;
  }

  bool arms_remain() {
    const std::size_t left = prepared_.arms.size() - dir_.state().dropped_arms.size();
    return left >= std::min<std::size_t>(2, prepared_.arms.size());
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
                                          .plan = plan_of(group),
                                          .group = group,
                                          .attempt = attempt,
                                          .limits = limits(group),
                                          .failed_cells = dir_.state().failed_cells,
                                          .dropped_arms = dir_.state().dropped_arms,
                                          .full_environment = result_.groups_complete == 0});
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
      group_seconds_.push_back(result.seconds);
      for (const std::string& warning : result.warnings) warn_once(warning);
    } else {
      const std::string kept = cannot_be_written();
      if (result.unwritable || !kept.empty()) {
        stop(group, kept.empty() ? reason : kept, reason);
      }
      fail_group(group, attempt, reason, failed_arm, result.seconds);
    }
    show();
  }

  // A library that does not end once will not end in any group.
  void warn_once(const std::string& warning) {
    if (!warned_.insert(warning).second) return;
    dir_.warn(warning);
    progress_.say("invar: " + warning + "; its data are whole");
  }

  // A full disk, or a directory that became read-only; engines cannot always say so, because their
  // words go there too. Empty: it can be written.
  [[nodiscard]] std::string cannot_be_written() const {
    try {
      store::check_room(dir_.path());
      return {};
    } catch (const base::CommandError& error) {
      return error.faults().front().what;
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
                                record::cell_text(prepared_.cells.cells.at(failure.cell)), arm,
                                reason));
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

  [[nodiscard]] double typical_group_s() const {
    if (group_seconds_.empty()) return 0;
    std::vector<double> sorted = group_seconds_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }

  [[nodiscard]] Limits limits(std::uint32_t group) const {
    record::Plan rows{.cells = plan_of(group).cells};
    for (const record::PlanRow& row : plan_of(group).rows) {
      if (row.group == group) rows.rows.push_back(row);
    }
    return limits_of(prepared_, rows, longest_s_);
  }

  // After the pilot group: which cells are timed in batches.
  void decide_batches() {
    if (dir_.state().ended) return;
    if (!dir_.state().batches && result_.groups_complete > 0) {
      const record::Calls calls = batches_needed(pilot());
      dir_.decide_batches(calls, calls.empty() ? "no call is too short for the clock"
                                               : batches_text(calls, prepared_.cells.cells));
      if (!calls.empty()) {
        progress_.say(
            "invar: too short for the clock (below 20 steps), from here on timed in batches: " +
            batches_text(calls, prepared_.cells.cells) +
            "; the pilot group does not count for them");
      }
    }
    if (!dir_.state().batches || dir_.state().batches->empty()) return;
    leave_out_old_groups();
    // What is not begun yet must follow the decision.
    const std::uint32_t done = finished_.empty() ? 0 : *finished_.rbegin();
    bool follows = dir_.state().planned_groups || last_planned() >= launches().min;
    for (const record::Plan& plan : dir_.state().plans) {
      for (const record::PlanRow& row : plan.rows) {
        const auto batch = dir_.state().batches->find(row.cell);
        if (row.group > done && batch != dir_.state().batches->end() &&
            row.calls != batch->second) {
          follows = false;
        }
      }
    }
    if (!follows) dir_.add_plan(rest_of_plan(done, std::max(last_planned(), launches().min)));
  }

  // A group that failed before the decision: as it was planned it would not count.
  void leave_out_old_groups() {
    for (const store::GroupOutcome& group : dir_.state().failed_before) {
      const record::Plan& plan = plan_of(group.group);
      const bool old =
          std::any_of(plan.rows.begin(), plan.rows.end(), [&](const record::PlanRow& row) {
            const auto batch = dir_.state().batches->find(row.cell);
            return row.group == group.group && batch != dir_.state().batches->end() &&
                   row.calls != batch->second;
          });
      if (old) finished_.insert(group.group);
    }
  }

  // The groups that are complete when the first decisions are due.
  [[nodiscard]] store::Data pilot() const { return store::read_campaign_dir(dir_.path()); }

  // One more than asked for where the pilot does not count for all cells.
  [[nodiscard]] design::Launches launches() const {
    design::Launches launches = prepared_.campaign.launches;
    if (dir_.state().batches && !dir_.state().batches->empty()) {
      ++launches.min;
      ++launches.max;
    }
    return launches;
  }

  // After the pilot group: how many groups the budget allows. Depends on its cost alone.
  void decide() {
    const design::Launches launches = this->launches();
    const std::uint32_t planned = last_planned();
    if (result_.groups_complete == 0) return;
    const auto done = static_cast<std::uint32_t>(finished_.size());
    const auto budget_s = prepared_.campaign.budget_s;
    if (!dir_.state().planned_groups && launches.min < launches.max) {
      double group_s = typical_group_s();
      const bool batched = dir_.state().batches && !dir_.state().batches->empty();
      if (batched) group_s += extra_seconds(pilot(), *dir_.state().batches);
      const std::uint32_t groups =
          design::groups_for_budget(launches, budget_s, elapsed_s(), done, group_s);
      if (groups > planned) dir_.add_plan(rest_of_plan(planned, groups));
      dir_.decide_groups(
          groups, fmt::format("the pilot group took {}", base::span_text(typical_group_s())));
      show();
    } else if (budget_s && done >= launches.min && done < planned &&
               elapsed_s() + typical_group_s() > *budget_s * kBudgetSlack) {
      dir_.decide_groups(done, "the budget was over after " + base::span_text(elapsed_s()));
    }
  }

  [[nodiscard]] record::Plan rest_of_plan(std::uint32_t planned, std::uint32_t groups) const {
    design::Counters counters{.group = planned + 1};
    for (const record::Plan& plan : dir_.state().plans) {
      for (const record::PlanRow& row : plan.rows) {
        if (row.group > planned) continue;
        counters.launch = std::max(counters.launch, row.launch + 1);
        counters.visit = std::max(counters.visit, row.visit + 1);
      }
    }
    record::Plan plan =
        design::plan_groups(prepared_.campaign, prepared_.cells, groups - planned, counters);
    if (!dir_.state().batches) return plan;
    for (record::PlanRow& row : plan.rows) {
      const auto batch = dir_.state().batches->find(row.cell);
      if (batch != dir_.state().batches->end()) row.calls = batch->second;
    }
    return plan;
  }

  void show() {
    progress_.show(
        {.done = static_cast<std::uint32_t>(finished_.size()),
         .planned = dir_.state().planned_groups
                        ? dir_.state().planned_groups
                        : (decided_from_start() ? std::optional(last_planned()) : std::nullopt),
         .at_least = last_planned(),
         .elapsed_s = elapsed_s(),
         .group_s = typical_group_s(),
         .late_share =
             repetitions_ == 0 ? 0 : static_cast<double>(late_) / static_cast<double>(repetitions_),
         .canary_ns = canary_ns_});
  }

  [[nodiscard]] bool decided_from_start() const {
    return prepared_.campaign.launches.min == prepared_.campaign.launches.max;
  }

  const Prepared& prepared_;
  store::CampaignDir dir_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double spent_s_ = 0;  // by drivers before this one
  std::set<std::uint32_t> finished_ = {};
  std::map<std::uint32_t, std::uint32_t> tries_ = {};
  std::map<std::string, int> failures_ = {};
  std::vector<double> group_seconds_ = {};
  std::map<std::uint32_t, double> longest_s_ = {};  // visits, by cell
  std::uint64_t late_ = 0;
  std::uint64_t repetitions_ = 0;
  std::vector<double> canary_ns_ = {};
  std::set<std::string> warned_ = {};
  Progress progress_ = {};
  RunResult result_ = {};
};

std::string cpus_text(std::span<const std::uint32_t> cpus) {
  std::string text;
  for (const std::uint32_t cpu : cpus) text += (text.empty() ? "" : ", ") + std::to_string(cpu);
  return text;
}

// An allocation of another day may give other cores. Ratios within a group are as good as ever;
// times of both sessions are not alike.
void warn_of_other_cpus(const Prepared& prepared, store::CampaignDir& dir) {
  const std::vector<std::uint32_t>& before = dir.state().place.cpus;
  if (before == prepared.cpus) return;
  const std::string text = "resumed on CPUs " + cpus_text(prepared.cpus) + " instead of " +
                           cpus_text(before) + ": absolute times mix both";
  fmt::print(stderr, "invar: {}\n", text);
  dir.warn(text);
}

// A library's own launcher on this host allows several launches at once; others may not.
void check_turns(const Prepared& prepared) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  const bool known = prepared.hosts.empty() && engine.launcher == "mpirun" &&
                     std::all_of(prepared.arms.begin(), prepared.arms.end(), [](const auto& arm) {
                       return arm.profile.launch_template.empty();
                     });
  if (known || engine.pairing != "turns" || prepared.arms.size() < 2) return;
  launch::StartOptions options{.ranks = prepared.ranks,
                               .hosts = prepared.hosts,
                               .launcher = engine.launcher,
                               .oversubscribe = engine.oversubscribe};
  options.environment = prepared.arms[0].environment;
  const std::string problem = launch::together_problem(
      prepared.arms[0].profile, prepared.arms[1].profile, options, prepared.arms[1].environment);
  if (problem.empty()) return;
  const design::Position at = engine.positions.of("pairing");
  throw base::UserError(
      {.place = prepared.place,
       .line = at.line,
       .column = at.column,
       .what = "pairing = \"turns\" (the default) needs two launches at once, and "
               "here " +
               problem,
       .remedy = "write pairing = \"launches\" into [engine]"});
}

}  // namespace

record::Plan first_plan(const Prepared& prepared) {
  design::Counters counters;
  return design::plan_groups(prepared.campaign, prepared.cells, prepared.campaign.launches.min,
                             counters);
}

RunResult run_new(const Prepared& prepared, const std::optional<record::Plan>& plan,
                  const std::filesystem::path& dir) {
  check_turns(prepared);
  std::vector<store::ArmRecord> arms;
  for (std::size_t i = 0; i < prepared.arms.size(); ++i) {
    arms.push_back(arm_record(prepared.campaign.arms[i], prepared.arms[i]));
  }
  store::CampaignDir campaign_dir = store::CampaignDir::create(
      dir, design::campaign_toml(prepared.campaign), plan ? *plan : first_plan(prepared), arms,
      {.scope = scope_text(prepared), .cpus = prepared.cpus});
  if (plan) campaign_dir.decide_batches({}, "the plan was given");
  for (const design::LeftOut& left_out : prepared.cells.left_out) {
    campaign_dir.warn(record::cell_text(left_out.cell) + " is left out for '" + left_out.arm +
                      "': " + left_out.reason);
  }
  Run run(prepared, std::move(campaign_dir));
  return run.run();
}

RunResult run_resumed(const std::filesystem::path& dir) {
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
  warn_of_other_cpus(prepared, campaign_dir);
  Run run(prepared, std::move(campaign_dir));
  return run.run();
}

}  // namespace invar::driver
