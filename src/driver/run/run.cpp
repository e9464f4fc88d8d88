#include "driver/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/machine/regimes.hpp"
#include "base/error.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/plans.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/conditions.hpp"
#include "driver/prepare/old_frequencies.hpp"
#include "driver/run/group.hpp"
#include "driver/run/group_page.hpp"
#include "driver/run/intake.hpp"
#include "driver/run/interrupt.hpp"
#include "driver/run/telling.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::driver {
namespace {

class Run {
 public:
  Run(const Prepared& prepared, store::CampaignDir dir, const std::string& part,
      std::span<const Decision> decisions)
      : dir_(std::move(dir)), prepared_(prepared), decisions_(decisions), telling_(dir_, part) {
    for (const store::DecidedLine& decided : dir_.state().decided) add_cells(prepared_, decided);
    for (const store::GroupOutcome& group : dir_.state().groups) {
      finished_.insert(group.group);
      spent_s_ += group.seconds;
      if (group.complete) {
        ++result_.groups_complete;
        group_seconds_.push_back(group.seconds);
      }
    }
  }

  RunResult run() {
    const InterruptGuard guard;
    remove_stale_pages(dir_.path());
    try {
      telling_.not_put_back(put_back_frequencies(dir_.path(), sysfs_root()));
      loop();
    } catch (const base::CommandError& error) {
      telling_.finish();
      // The manifest could not be written: a campaign that fails, not one that was left.
      if (error.status() != base::Exit::kIncomplete) throw;
      std::vector<base::Fault> faults = error.faults();
      for (base::Fault& fault : faults) fault.remedy = how_to_go_on(dir_);
      throw base::CommandError(base::Exit::kMeasurementFailed, faults);
    }
    result_.elapsed_s = elapsed_s();
    return result_;
  }

 private:
  void loop() {
    while (!result_.interrupted) {
      decide();
      const std::optional<std::uint32_t> group = next_group(dir_.state(), finished_);
      if (!group) break;
      if (!libraries_unchanged()) break;
      if (!arms_remain(prepared_, dir_.state())) break;
      if (result_.groups_complete > 0 && !std::exchange(told_budget_, true)) tell_budget();
      measured_.reset();
      run_one(*group);
    }
    telling_.finish();
    telling_.count_warnings(complete_here_);
    const bool all_done =
        !next_group(dir_.state(), finished_) || !arms_remain(prepared_, dir_.state());
    if (all_done && !result_.interrupted && !result_.library_changed && !dir_.state().ended &&
        libraries_unchanged()) {
      dir_.end();
    }
  }

  void decide() {
    for (const Decision& decision : decisions_) {
      if (!decision.asked(prepared_)) continue;
      const Step step =
          decision.decide({.prepared = prepared_,
                           .state = dir_.state(),
                           .finished = finished_,
                           .groups_complete = result_.groups_complete,
                           .spent = spent(),
                           .measured = [this]() -> const store::Data& { return measured(); }});
      finished_.insert(step.given_up.begin(), step.given_up.end());
      if (step.plan && step.group_s > 0) {
        // Groups before this plan had other visits.
        group_seconds_.clear();
        expected_group_s_ = step.group_s;
      }
      const std::size_t before = dir_.state().decided.size();
      write_step(dir_, decision.name, step);
      if (!step.say.empty()) telling_.say(step.say);
      if (!step.warning.empty()) telling_.say(step.warning);
      for (std::size_t i = before; i < dir_.state().decided.size(); ++i) {
        add_cells(prepared_, dir_.state().decided[i]);
      }
      if (step.plan && step.groups) show();
    }
  }

  // All complete groups, read once between two groups, with what was decided since then.
  const store::Data& measured() {
    if (!measured_) measured_ = store::read_campaign_dir(dir_.path());
    measured_->looks = dir_.state().looks;
    measured_->decided = dir_.state().decided;
    return *measured_;
  }

  [[nodiscard]] double elapsed_s() const {
    return spent_s_ +
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  [[nodiscard]] Spent spent() const {
    return {.groups_done = static_cast<std::uint32_t>(finished_.size()),
            .elapsed_s = elapsed_s(),
            .group_s = typical_group_s()};
  }

  bool libraries_unchanged() {
    const std::string what = changed_library(prepared_, dir_.state());
    if (what.empty()) return true;
    result_.library_changed = true;
    dir_.warn(what);
    telling_.say(what + "; stopped, compare old and new as two profiles instead");
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
    const GroupResult result = try_group({.prepared = prepared_,
                                          .plan = plan_of(dir_.state(), group),
                                          .group = group,
                                          .attempt = intake_.next_attempt(group),
                                          .limits = limits(group),
                                          .failed_cells = dir_.state().failed_cells,
                                          .dropped_arms = dir_.state().dropped_arms,
                                          .never_end = never_end_,
                                          .full_environment = result_.groups_complete == 0});
    telling_.not_put_back(result.not_put_back);
    if (result.interrupted) {
      dir_.discard_group(group, "interrupted");
      result_.interrupted = true;
      return;
    }
    if (intake_.take(group, result)) {
      ++result_.groups_complete;
      ++complete_here_;
      group_seconds_.push_back(result.seconds);
      never_end_.insert(result.never_end.begin(), result.never_end.end());
    } else {
      ++result_.groups_failed;
    }
    finished_.insert(group);
    show();
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
    RunsAhead runs{.longest_s = intake_.seen().longest_run_s,
                   .groups = least > done ? least - done : 1};
    if (prepared_.campaign.budget_s) runs.left_s = *prepared_.campaign.budget_s - elapsed_s();
    return limits_of(prepared_, rows, intake_.seen().longest_s, runs);
  }

  // Once, as soon as a group was measured: whoever waits can still stop.
  void tell_budget() {
    if (!prepared_.campaign.budget_s) return;
    const Spent now = spent();
    double group_s = now.group_s;
    if (is_batched(dir_.state())) group_s += extra_seconds(measured(), *dir_.state().batches);
    const std::string text = over_budget_text(prepared_, dir_.state(), now, group_s);
    if (!text.empty()) telling_.say(text);
  }

  void show() {
    const Seen& seen = intake_.seen();
    telling_.show(
        {.done = static_cast<std::uint32_t>(finished_.size()),
         .planned = dir_.state().planned_groups
                        ? dir_.state().planned_groups
                        : (decided_from_start() ? std::optional(last_planned(dir_.state()))
                                                : std::nullopt),
         .at_least = last_planned(dir_.state()),
         .elapsed_s = elapsed_s(),
         .group_s = typical_group_s(),
         .late_share = seen.repetitions == 0
                           ? 0
                           : static_cast<double>(seen.late) / static_cast<double>(seen.repetitions),
         .canary_ns = seen.canary_ns,
         .regimes = seen.canary_ns.empty() ? "" : regimes_so_far(seen.canary_ns)});
  }

  // Of evenly spread canaries, so that a look costs the same however long the campaign is.
  static std::string regimes_so_far(const std::vector<double>& canary_ns) {
    constexpr std::size_t kMost = 2000;
    const std::size_t count = std::min(kMost, canary_ns.size());
    std::vector<double> some(count);
    for (std::size_t i = 0; i < count; ++i) some[i] = canary_ns[i * canary_ns.size() / count];
    return analysis::regimes_text(analysis::split_canaries(some, 0));
  }

  [[nodiscard]] bool decided_from_start() const {
    return is_sequential(prepared_) ||
           prepared_.campaign.launches.min == prepared_.campaign.launches.max;
  }

  store::CampaignDir dir_;
  Prepared prepared_;
  std::span<const Decision> decisions_;
  Telling telling_;
  Intake intake_{prepared_, dir_, telling_};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double spent_s_ = 0;  // by drivers before this one
  std::set<std::uint32_t> finished_ = {};
  std::vector<double> group_seconds_ = {};
  double expected_group_s_ = 0;           // until one of them was measured
  std::set<std::string> never_end_ = {};  // arms, in groups of this driver
  std::uint32_t complete_here_ = 0;       // groups of this driver
  bool told_budget_ = false;
  std::optional<store::Data> measured_ = {};
  RunResult result_ = {};
};

}  // namespace

record::Plan first_plan(const Prepared& prepared) {
  design::Counters counters;
  return design::plan_groups(prepared.campaign, prepared.cells, prepared.campaign.launches.min,
                             counters);
}

RunResult run_new(const Prepared& prepared, const std::optional<record::Plan>& plan,
                  const std::filesystem::path& dir, const std::string& part,
                  std::span<const Decision> decisions) {
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
  Run run(prepared, std::move(campaign_dir), part, decisions);
  return run.run();
}

RunResult run_resumed(const std::filesystem::path& dir, const std::string& part,
                      std::span<const Decision> decisions) {
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
      prepare(design::read_sealed_campaign(campaign_dir.state().campaign_toml, place), {}, place);
  check_launches(prepared);
  warn_of_other_place(prepared, campaign_dir);
  Run run(prepared, std::move(campaign_dir), part, decisions);
  return run.run();
}

}  // namespace invar::driver
