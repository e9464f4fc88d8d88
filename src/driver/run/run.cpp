#include "driver/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/machine/regimes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/batches.hpp"
#include "driver/decide/looks.hpp"
#include "driver/decide/plans.hpp"
#include "driver/decide/repetitions.hpp"
#include "driver/decide/splits.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/conditions.hpp"
#include "driver/prepare/old_settings.hpp"
#include "driver/run/group.hpp"
#include "driver/run/group_page.hpp"
#include "driver/run/intake.hpp"
#include "driver/run/interrupt.hpp"
#include "driver/run/telling.hpp"
#include "driver/sizes/sizes.hpp"
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
    // The budget said how many groups to plan, and they were planned. What is left of them (failed,
    // damaged, not measured before a kill) is asked for again, whatever was spent.
    budget_s_ = prepared_.campaign.budget_s;
    if (dir_.state().planned_groups) prepared_.campaign.budget_s.reset();
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
      telling_.not_put_back(put_back_settings(dir_.path(), host_roots()));
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
    while (!result_.interrupted && !result_.library_changed) {
      const std::optional<std::uint32_t> group = next();
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

  // The planned groups in their order; then, before decisions plan more or end the campaign, what
  // failed among them.
  std::optional<std::uint32_t> next() {
    if (!next_group(dir_.state(), finished_) ||
        !budget_over_text(prepared_, dir_.state(), spent()).empty()) {
      if (const auto again = once_more()) return again;
    }
    const std::uint32_t planned = last_planned(dir_.state());
    decide();
    // Whether what was planned just now still ends in time.
    if (last_planned(dir_.state()) > planned) decide();
    return next_group(dir_.state(), finished_);
  }

  // A process that somebody killed must not cost a night's campaign: what failed once in this run
  // is tried again, as --resume would. None: nothing did, or there is no time for it.
  std::optional<std::uint32_t> once_more() {
    if (to_try_again_.empty() || !cut_.empty()) return std::nullopt;
    const std::optional<double> latest_s = latest_end_s(prepared_);
    if (latest_s && elapsed_s() + spent().most_s > *latest_s) return std::nullopt;
    while (!to_try_again_.empty()) {
      const std::uint32_t group = *to_try_again_.begin();
      to_try_again_.erase(to_try_again_.begin());
      // What batches were decided for meanwhile would not count.
      if (follows_batches(prepared_, dir_.state(), group)) return group;
    }
    return std::nullopt;
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
                           .budget_s = budget_s_,
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
      if (!step.warning.text.empty()) telling_.say(step.warning.text);
      for (std::size_t i = before; i < dir_.state().decided.size(); ++i) {
        add_cells(prepared_, dir_.state().decided[i]);
      }
      if (step.plan && step.groups) telling_.renew(progress());
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
    const GroupTime time = group_time(group_seconds_, expected_group_s_);
    return {.groups_done = static_cast<std::uint32_t>(finished_.size()),
            .elapsed_s = elapsed_s(),
            .group_s = time.typical_s,
            .most_s = std::max(time.most_s, cut_s_),
            .waiting = static_cast<std::uint32_t>(to_try_again_.size()),
            .cut = cut_};
  }

  // No group may run longer, whatever it has measured.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> latest_end() const {
    const std::optional<double> seconds = latest_end_s(prepared_);
    if (!seconds) return std::nullopt;
    return begin_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                        std::chrono::duration<double>(*seconds - spent_s_));
  }

  bool libraries_unchanged() {
    const Changed changed = changed_library(prepared_, dir_.state());
    if (!changed) return true;
    result_.file_edited = result_.file_edited || changed.named_file;
    if (!std::exchange(result_.library_changed, true)) {
      dir_.warn(changed.what);
      telling_.say(changed.what + "; stopped: " + changed.remedy);
    }
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
    if (prepared_.claims) prepared_.claims->keep(prepared_.place);
    const GroupResult result =
        try_group({.prepared = prepared_,
                   .plan = plan_of(dir_.state(), group),
                   .group = group,
                   .attempt = intake_.next_attempt(group),
                   .limits = limits(group),
                   .failed_cells = dir_.state().failed_cells,
                   .decided_loops = intake_.decided_loops(),
                   .dropped_arms = dir_.state().dropped_arms,
                   .never_end = never_end_,
                   // Twice, so that what changes by itself is known.
                   .full_environment = result_.groups_complete < 2,
                   .latest_end = latest_end(),
                   .say = [this](const std::string& text) { telling_.say(text); }});
    telling_.not_put_back(result.not_put_back);
    // Launches that follow each other may have had different ones.
    if (!libraries_unchanged()) {
      dir_.discard_group(group, "what is measured changed meanwhile");
      return;
    }
    if (result.out_of_time) return give_up_for_the_budget(group, result);
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
      if (const auto before = failed_here_.find(group); before != failed_here_.end()) {
        --result_.groups_failed;
        const std::string told =
            "group " + std::to_string(group) +
            " failed and was whole when it was measured again: " + before->second;
        dir_.warn(told);
        telling_.say(told);
      }
    } else if (failed_here_.emplace(group, failure_of(group)).second) {
      ++result_.groups_failed;
      to_try_again_.insert(group);
    }
    finished_.insert(group);
    show();
  }

  // As the manifest has it: what a launch left may be the reason, too.
  [[nodiscard]] std::string failure_of(std::uint32_t group) const {
    const auto& groups = dir_.state().groups;
    const auto found = std::ranges::find(groups, group, &store::GroupOutcome::group);
    return found == groups.end() ? std::string() : found->reason;
  }

  // Nobody's fault: nothing of it is kept, and the decisions that follow end the campaign.
  void give_up_for_the_budget(std::uint32_t group, const GroupResult& result) {
    const std::string why =
        "did not end within the budget of " + base::span_text(*prepared_.campaign.budget_s);
    dir_.discard_group(group, why);
    // One before others is not planned any more; the last one leaves the plan with the decision
    // that ends the campaign.
    if (!finished_.empty() && group < *finished_.rbegin()) finished_.insert(group);
    cut_ = "group " + std::to_string(group) + " did not end in time and was dropped";
    cut_s_ = result.seconds;
    if (!group_seconds_.empty()) return;
    // What one needs, by how far this one came; if it came nowhere, by the plan.
    const double all = result.of_visits;
    expected_group_s_ =
        result.visits > 0 ? result.seconds * all / result.visits
                          : std::max(2 * result.seconds, estimate_groups(prepared_).first.seconds);
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

  void show() { telling_.show(progress()); }

  [[nodiscard]] Progress::Now progress() const {
    const Seen& seen = intake_.seen();
    // One rank a host has nothing but the chain.
    const bool chain = seen.canary_ns.empty();
    return {.done = static_cast<std::uint32_t>(finished_.size()),
            .planned = dir_.state().planned_groups
                           ? dir_.state().planned_groups
                           : (decided_from_start() ? std::optional(last_planned(dir_.state()))
                                                   : std::nullopt),
            .at_least = last_planned(dir_.state()),
            .elapsed_s = elapsed_s(),
            .group_s = spent().group_s,
            .late_share = seen.repetitions == 0 ? 0
                                                : static_cast<double>(seen.late) /
                                                      static_cast<double>(seen.repetitions),
            .canary_ns = chain ? seen.chain_ns : seen.canary_ns,
            .canary = chain ? base::CanaryKind::kChain : base::CanaryKind::kLine,
            // Whether those of a chain last is seen when all visits are.
            .regimes = chain ? "" : regimes_so_far(seen.canary_ns)};
  }

  // Takes evenly spread canaries, so that a look costs the same however long the campaign is.
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
  std::chrono::steady_clock::time_point begin_ = prepared_.begun;
  std::optional<double> budget_s_ = {};  // the campaign's, whatever is planned already
  double spent_s_ = 0;                   // by drivers before this one
  std::string cut_ = {};                 // why its budget is over, however short groups may be
  double cut_s_ = 0;                     // what the group took that did not end in time
  std::map<std::uint32_t, std::string> failed_here_ = {};  // groups, and why
  std::set<std::uint32_t> to_try_again_ = {};
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
  Prepared described = prepared;
  describe_operations(described, decisions);
  std::vector<store::ArmRecord> arms;
  for (std::size_t i = 0; i < described.arms.size(); ++i) {
    arms.push_back(arm_record(described, i));
  }
  store::CampaignDir campaign_dir =
      store::CampaignDir::create(dir, design::campaign_toml(prepared.campaign),
                                 plan ? *plan : first_plan(prepared), arms, place_of(prepared));
  if (plan) campaign_dir.decide_batches({}, "the plan was given");
  if (plan && predicts_repetitions(prepared)) campaign_dir.decide(given_repetitions(), {});
  if (plan && chooses_splits(prepared)) campaign_dir.decide(given_splits(), {});
  if (plan && chooses_sizes(prepared)) campaign_dir.decide(given_sizes(), {});
  for (const std::string& text : left_out_texts(prepared)) {
    campaign_dir.warn(std::string(store::kLeftOutCells) + text);
  }
  Run run(described, std::move(campaign_dir), part, decisions);
  return run.run();
}

namespace {

bool has_single_ranks(const std::filesystem::path& dir) {
  std::error_code error;
  for (const auto& launch : std::filesystem::directory_iterator(dir / "launches", error)) {
    if (std::filesystem::exists(launch.path() / "ranks.bin", error)) return true;
  }
  return false;
}

}  // namespace

void record_as_begun(design::Campaign& campaign, const std::filesystem::path& dir) {
  if (campaign.engine.record == "auto" && !campaign.analysis.presets.empty() &&
      has_single_ranks(dir)) {
    campaign.engine.record = "per-rank";
  }
}

RunResult run_resumed(const std::filesystem::path& dir, const std::string& part,
                      std::span<const Decision> decisions) {
  std::vector<std::string> notes;
  const std::string place = (dir / "campaign.toml").string();
  store::CampaignDir campaign_dir = store::CampaignDir::resume(
      dir, notes, [&](const std::string& toml) { return design::written_by_newer(toml, place); });
  for (const std::string& note : notes) {
    fmt::print(stderr, "invar: {}\n", base::without_controls(note));
  }
  design::Campaign campaign =
      design::read_sealed_campaign(campaign_dir.state().campaign_toml, place);
  record_as_begun(campaign, dir);
  Prepared prepared = prepare(std::move(campaign), {.sealed = campaign_dir.state().arms}, place);
  check_launches(prepared, Beginning::kGoesOn);
  describe_as_sealed(prepared, campaign_dir.state());
  warn_of_other_place(prepared, campaign_dir);
  Run run(prepared, std::move(campaign_dir), part, decisions);
  return run.run();
}

}  // namespace invar::driver
