#include "driver/run/group.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/plan/families.hpp"
#include "driver/prepare/conditions.hpp"
#include "driver/prepare/old_settings.hpp"
#include "driver/prepare/simulation.hpp"
#include "driver/programs/program_run.hpp"
#include "driver/run/blame.hpp"
#include "driver/run/child_ends.hpp"
#include "driver/run/finalize_grace.hpp"
#include "driver/run/group_page.hpp"
#include "driver/run/interrupt.hpp"
#include "group/stillness.hpp"
#include "host/identity.hpp"
#include "host/settings.hpp"
#include "launch/start/launch_command.hpp"
#include "launch/start/launcher.hpp"
#include "record/launch_spec.hpp"
#include "store/journal_reader.hpp"

namespace invar::driver {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::uint64_t kStartStream = 0x7374617274;  // "start"
// A launcher sees within this that one of its ranks is gone, and ends the others.
constexpr double kGoneGraceS = 3;
// Arms that did not end then will not end in the next groups either.
constexpr std::int64_t kShortFinalizeGraceNs = 2'000'000'000;
constexpr auto kLookForEnds = std::chrono::seconds(1);
// When one fails, the others notice and end too, sometimes before the launcher of the first one.
constexpr std::int64_t kFailureGraceNs = 2'000'000'000;

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct PlannedLaunch {
  std::uint32_t launch = 0;
  std::uint32_t arm = 0;  // index into the campaign's arms
  fs::path dir = {};
};

class GroupRun {
 public:
  GroupRun(store::CampaignDir& dir, const GroupRequest& request) : dir_(dir), request_(request) {
    select_rows();
  }

  GroupResult run() {
    const auto begin = Clock::now();
    for (const PlannedLaunch& launch : launches_) {
      result_.launches.emplace_back(launch.launch, label(launch));
    }
    if (request_.prepared.campaign.engine.pairing == "turns") {
      // All arms have the same (design/campaign/campaign_keys.cpp).
      with_outside(launches_.front(), [&] { run_together(launches_); });
    } else {
      for (const PlannedLaunch& launch : launches_) {
        run_alone(launch);
        if (!result_.reason.empty() || stopped()) break;
      }
    }
    result_.seconds = seconds_since(begin);
    result_.complete = result_.reason.empty() && !stopped();
    result_.of_visits = static_cast<std::uint32_t>(rows_.rows.size());
    return result_;
  }

 private:
  [[nodiscard]] const std::string& label(const PlannedLaunch& launch) const {
    return request_.prepared.campaign.arms[launch.arm].label;
  }

  // Not its own fault that it has no end.
  [[nodiscard]] bool stopped() const { return result_.interrupted || result_.out_of_time; }

  [[nodiscard]] bool is_late() const {
    return request_.latest_end && Clock::now() >= *request_.latest_end;
  }

  // The launch's level of one of its factors.
  [[nodiscard]] std::string level(const PlannedLaunch& launch, std::string_view key) const {
    const design::Campaign& campaign = request_.prepared.campaign;
    return design::level_of(campaign, campaign.arms[launch.arm], key);
  }

  // The group's rows, without arms that were dropped; launches in the order of the plan.
  void select_rows() {
    const auto& arms = request_.prepared.campaign.arms;
    std::set<std::uint32_t> known;
    rows_.cells = request_.plan.cells;
    for (const record::PlanRow& row : request_.plan.rows) {
      if (row.group != request_.group) continue;
      if (std::count(request_.dropped_arms.begin(), request_.dropped_arms.end(), row.arm) != 0) {
        continue;
      }
      rows_.rows.push_back(row);
      if (!known.insert(row.launch).second) continue;
      const auto arm = std::find_if(arms.begin(), arms.end(),
                                    [&](const design::Arm& a) { return a.label == row.arm; });
      launches_.push_back(
          {.launch = row.launch, .arm = static_cast<std::uint32_t>(arm - arms.begin())});
    }
    if (request_.prepared.campaign.engine.pairing == "turns") {
      std::sort(launches_.begin(), launches_.end(),
                [](const PlannedLaunch& a, const PlannedLaunch& b) { return a.arm < b.arm; });
    }
  }

  // Rows of these launches; their turns leave gaps where others were.
  [[nodiscard]] record::Plan group_rows(const std::vector<PlannedLaunch>& together) const {
    record::Plan plan{.cells = rows_.cells};
    for (const record::PlanRow& row : rows_.rows) {
      const bool takes_part =
          std::any_of(together.begin(), together.end(),
                      [&](const PlannedLaunch& launch) { return launch.launch == row.launch; });
      if (takes_part) plan.rows.push_back(row);
    }
    return plan;
  }

  void write_inputs(const std::vector<PlannedLaunch>& together, std::uint32_t index,
                    const std::string& group_id) const {
    const PlannedLaunch& launch = together[index];
    const design::EngineOptions& options = request_.prepared.campaign.engine;
    record::LaunchSpec spec{
        .group_id = group_id,
        .group = request_.group,
        .launch = launch.launch,
        .arm = index,
        .ranks = request_.prepared.ranks,
        .hosts = request_.prepared.host_count(),
        .record = design::record_level(request_.prepared.campaign, request_.prepared.cells),
        .starts_again = design::any_starts_again(request_.prepared.campaign),
        .oversubscribe = options.oversubscribe,
        .cpus = cpus_of_arm(request_.prepared, launch.arm),
        .cpus_host = request_.prepared.claims ? host::host_identity() : "",
        .window_ns = static_cast<std::uint64_t>(options.window_s.value_or(0) * 1e9),
        .retry_cap = options.retry_cap,
        .skew_limit_ns = static_cast<std::uint64_t>(std::llround(options.skew_limit_s * 1e9)),
        .visit_limit_ns = nanoseconds(request_.limits.visit_s),
        .start_limit_ns = nanoseconds(request_.limits.start_s),
        .seed = request_.prepared.campaign.seed,
        .virtual_clocks = request_.prepared.campaign.virtual_clocks,
        .plants_delays = design::plants_delays(request_.prepared.campaign,
                                               request_.prepared.campaign.arms[launch.arm]),
        .late_by_cells = design::late_by_cells(request_.prepared.campaign, rows_.cells),
        .full_environment = request_.full_environment};
    for (const design::LaunchFactor& factor : design::launch_factors()) {
      if (factor.told != nullptr) spec.*factor.told = level(launch, factor.key);
    }
    const launch::CheckedArm& arm = request_.prepared.arms[launch.arm];
    for (const auto& [name, value] :
         launch::given_environment(arm.profile, {.environment = arm.environment})) {
      spec.environment.push_back(name + "=" + value);
    }
    for (const PlannedLaunch& partner : together) spec.arms.push_back(label(partner));
    for (const auto& [cell, failed_in] : request_.failed_cells) {
      if (failed_in == label(launch)) spec.failed_cells.push_back(cell);
    }
    for (const auto& [of, loops] : request_.decided_loops) {
      const auto& [cell, arm_label] = of;
      if (arm_label != label(launch)) continue;
      spec.decided_loops.resize(std::max<std::size_t>(spec.decided_loops.size(), cell + 1));
      spec.decided_loops[cell] = loops;
    }
    const std::vector<TriedAlgorithms>& algorithms = request_.prepared.algorithms;
    if (launch.arm < algorithms.size()) spec.switches = algorithms[launch.arm].switches;
    write(launch.dir / "launch.spec", record::launch_spec_text(spec));
    write(launch.dir / "visits.csv", record::plan_csv(group_rows(together)));
  }

  static void write(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      throw base::CommandError(base::Exit::kMeasurementFailed,
                               {{.place = path.string(), .what = "cannot be written"}});
    }
  }

  // Levels that the host has to have while the launch runs.
  [[nodiscard]] std::vector<std::pair<host::HostSetting, std::string>> outside_of(
      const PlannedLaunch& launch) const {
    std::vector<std::pair<host::HostSetting, std::string>> wanted;
    for (const design::LaunchFactor& factor : design::launch_factors()) {
      if (factor.from_outside == design::FromOutside::kNothing) continue;
      std::string one = level(launch, factor.key);
      if (one == factor.usual) continue;
      wanted.emplace_back(setting_of(factor.from_outside), std::move(one));
    }
    return wanted;
  }

  // Runs launches while what this one asks for from outside is set, and sees to it that it lasts.
  template <typename Launches>
  void with_outside(const PlannedLaunch& launch, Launches launches) {
    const auto wanted = outside_of(launch);
    if (wanted.empty()) {
      launches();
      return;
    }
    const host::HostRoots roots = host_roots();
    host::HostSettings settings(roots, [this](const host::SettingTexts& before) {
      keep_old_settings(dir_.path(), before);
    });
    bool is_set = false;
    try {
      for (const auto& [setting, one] : wanted) settings.set(setting, one);
      is_set = true;
    } catch (const base::UserError& error) {
      result_.failed_arm = label(launch);
      result_.reason = "'" + result_.failed_arm + "' " + error.what();
    }
    if (is_set) launches();
    if (const std::string changed = settings.changed();
        !changed.empty() && result_.reason.empty() && !stopped()) {
      result_.failed_arm = label(launch);
      result_.reason = "'" + result_.failed_arm + "' lost a setting of its host: " + changed;
    }
    // Then from the file, which an earlier driver may have begun: it knows what was there first.
    for (const auto& problems : {settings.restore(), put_back_settings(dir_.path(), roots)}) {
      result_.not_put_back.insert(result_.not_put_back.end(), problems.begin(), problems.end());
    }
  }

  void run_alone(const PlannedLaunch& launch) {
    with_outside(launch, [&] {
      if (request_.prepared.arms[launch.arm].program) {
        run_program(launch);
      } else {
        run_together({launch});
      }
    });
  }

  void run_together(std::vector<PlannedLaunch> together) {
    // Unique over tries, campaigns and machines' users: it names a page in shared memory.
    const std::string group_id = group_id_start(dir_.path()) + std::to_string(request_.group) +
                                 "-" + std::to_string(together[0].launch) + "-" +
                                 std::to_string(request_.attempt);
    for (PlannedLaunch& launch : together) {
      launch.dir = dir_.make_launch_dir(launch.launch, label(launch));
    }
    for (std::uint32_t i = 0; i < together.size(); ++i) write_inputs(together, i, group_id);
    // In random order: which library comes first must not be a hidden factor.
    std::vector<std::uint32_t> order(together.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    base::Random random =
        base::Random::of({request_.prepared.campaign.seed, kStartStream, request_.group});
    random.shuffle(std::span(order));
    GroupPage page(group_id);
    if (!page.problem().empty()) {
      result_.warnings.emplace_back("the driver cannot make the shared page of the group (" +
                                    page.problem() +
                                    "), and does not see which rank of this host holds up others");
    }
    std::map<std::uint32_t, launch::Process> processes;
    for (const std::uint32_t i : order) {
      const launch::CheckedArm& arm = request_.prepared.arms[together[i].arm];
      processes.emplace(
          i, launch::start(arm.profile,
                           {.ranks = request_.prepared.ranks,
                            .hosts = hosts_of_arm(request_.prepared, together[i].arm),
                            .launcher = request_.prepared.campaign.engine.launcher,
                            .oversubscribe = request_.prepared.campaign.engine.oversubscribe,
                            .environment = arm.environment,
                            .arguments = {"--launch", fs::absolute(together[i].dir).string()},
                            .dir = together[i].dir}));
    }
    whole_since_ns_.reset();
    watch(together, processes, page);
    for (auto& [index, process] : processes) process.begin_to_end();
    for (auto& [index, process] : processes) process.kill();
    if (!stopped()) {
      result_.visits += static_cast<std::uint32_t>(group_rows(together).rows.size());
    }
  }

  void run_program(PlannedLaunch launch) {
    launch.dir = dir_.make_launch_dir(launch.launch, label(launch));
    const record::Plan rows = group_rows({launch});
    write(launch.dir / "visits.csv", record::plan_csv(rows));
    ProgramOrder order{.prepared = request_.prepared,
                       .arm = launch.arm,
                       .rows = rows,
                       .group = request_.group,
                       .launch = launch.launch,
                       .dir = launch.dir,
                       .limit_s = request_.limits.program_s,
                       .latest_end = request_.latest_end,
                       .full_environment = request_.full_environment};
    for (const auto& [cell, failed_in] : request_.failed_cells) {
      if (failed_in == label(launch)) order.failed_cells.insert(cell);
    }
    try {
      const ProgramEnd end = run_program_launch(order);
      result_.interrupted = end.interrupted;
      result_.out_of_time = end.out_of_time;
      result_.visits += end.runs;
    } catch (const std::runtime_error& error) {
      result_.reason = error.what();
      result_.machine = true;
      result_.unwritable = std::string_view(error.what()).starts_with(record::kCannotWrite);
    }
  }

  void watch(const std::vector<PlannedLaunch>& together,
             std::map<std::uint32_t, launch::Process>& processes, GroupPage& page) {
    const ChildEnds child_ends;
    // While the job is suspended, and this process with it, nothing takes its time.
    group::CountedTime time;
    suspended_ns_ = 0;
    suspension_told_ = false;
    std::optional<std::int64_t> first_end_ns;
    std::optional<std::int64_t> first_failure_ns;
    std::map<std::uint32_t, int> statuses;  // of those that failed
    std::size_t running = processes.size();
    std::set<std::uint32_t> ended;
    while (running > 0) {
      const std::int64_t now_ns = time.look(steady_ns()) - suspended_ns_;
      if (interrupted()) {
        result_.interrupted = true;
        return;
      }
      for (auto& [index, process] : processes) {
        if (ended.contains(index)) continue;
        const std::optional<int> status = process.poll();
        if (!status) continue;
        ended.insert(index);
        --running;
        if (!first_end_ns) first_end_ns = now_ns;
        if (*status != 0 && is_whole(together[index])) {
          result_.warnings.emplace_back("'" + label(together[index]) + "' " + ended_text(*status) +
                                        " after its last measurement");
        } else if (*status != 0) {
          statuses[index] = *status;
          if (statuses.size() == 1) first_failure_ns = now_ns;
        }
      }
      if (first_failure_ns && (running == 0 || now_ns - *first_failure_ns > kFailureGraceNs)) {
        blame(together, statuses, page);
        return;
      }
      if (running > 0 && is_over(together, ended, page, now_ns)) return;
      if (running > 0 && is_late()) {
        result_.out_of_time = true;
        const auto rows = static_cast<std::uint32_t>(group_rows(together).rows.size());
        // Every arm prepares itself in a step of its own before the first visit.
        const std::uint32_t steps = page.steps_made();
        const auto arms = static_cast<std::uint32_t>(together.size());
        result_.visits += std::min(rows, steps - std::min(steps, arms));
        return;
      }
      if (running > 0 && stands_still(together, page)) return;
      const double taken_s = static_cast<double>(now_ns) * 1e-9;
      const double left_s = first_end_ns ? static_cast<double>(now_ns - *first_end_ns) * 1e-9 : 0;
      if (running > 0 && (taken_s > request_.limits.group_s || left_s > request_.limits.start_s)) {
        // Nobody has seen who holds the others up, so nobody is blamed unless one is left.
        result_.reason = "did not end within " + base::span_text(taken_s) + ": ";
        for (std::uint32_t i = 0; i < together.size(); ++i) {
          if (ended.contains(i)) continue;
          result_.reason +=
              (result_.reason.ends_with(' ') ? "'" : ", '") + label(together[i]) + "'";
          if (running == 1) result_.failed_arm = label(together[i]);
        }
        return;
      }
      page.wait(child_ends.descriptor());
    }
  }

  // All that it has to tell is written.
  static bool is_whole(const PlannedLaunch& launch) {
    return store::journal_is_ended(launch.dir / "journal.jsonl");
  }

  // Everything is measured, and those that still run had their time to end. `now_ns`: time that
  // counts.
  bool is_over(const std::vector<PlannedLaunch>& together, const std::set<std::uint32_t>& ended,
               GroupPage& page, std::int64_t now_ns) {
    const bool late = is_late();
    if (!whole_since_ns_ && (late || Clock::now() - last_look_ >= kLookForEnds)) {
      last_look_ = Clock::now();
      // Files are not looked into while ranks of this host measure.
      const GroupPage::Standstill still = page.standstill();
      if (still.seen && !still.finished) return false;
      if (std::all_of(together.begin(), together.end(), is_whole)) whole_since_ns_ = now_ns;
    }
    if (!whole_since_ns_) return false;
    std::vector<std::string> left;
    for (std::uint32_t i = 0; i < together.size(); ++i) {
      if (!ended.contains(i)) left.push_back(label(together[i]));
    }
    const bool known = std::all_of(left.begin(), left.end(), [&](const std::string& arm) {
      return request_.never_end.contains(arm);
    });
    const std::int64_t grace_ns = known ? std::min(grace_ns_, kShortFinalizeGraceNs) : grace_ns_;
    // Where the budget is over nobody is to blame for not having ended by now.
    if (now_ns - *whole_since_ns_ < grace_ns) return late;
    for (const std::string& arm : left) {
      result_.warnings.emplace_back(
          "'" + arm +
          "' did not end after its last measurement (MPI_Finalize?): it was "
          "killed");
      result_.never_end.push_back(arm);
    }
    return true;
  }

  // The job is suspended, and this process is not: that may last for as long as it likes, but
  // whoever waits for an answer is told why there is none.
  void is_suspended(const GroupPage::Standstill& still, GroupPage& page) {
    suspended_ns_ += still.still_ns;
    page.forgive();
    if (suspension_told_ || !request_.say ||
        static_cast<double>(suspended_ns_) * 1e-9 < request_.limits.visit_s) {
      return;
    }
    suspension_told_ = true;
    request_.say("group " + std::to_string(request_.group) + " waits: all its ranks on " +
                 host::host_name() + " have been stopped for " +
                 base::span_text(std::floor(static_cast<double>(suspended_ns_) * 1e-9)) +
                 ", as a suspended job's; it goes on when they do (kill -CONT)");
  }

  // A rank hangs, is stopped, or is gone without its launcher noticing.
  bool stands_still(const std::vector<PlannedLaunch>& together, GroupPage& page) {
    const GroupPage::Standstill still = page.standstill();
    const double still_s = static_cast<double>(still.still_ns) * 1e-9;
    if (still_s < kGoneGraceS / 2) return false;
    if (still.finished) {
      // They only have to end. Those that have are no longer to be asked.
      std::vector<group::RankSeen> left = page.ranks();
      std::erase_if(left, [](const group::RankSeen& rank) {
        return rank.state == group::ProcessState::kGone;
      });
      if (group::all_stopped(left)) is_suspended(still, page);
      return false;
    }
    const Limits& limits = request_.limits;
    const std::int64_t limit_ns = group::patience_ns(
        nanoseconds(still.takes_long ? limits.start_s : limits.visit_s), group::Onlooker::kDriver);
    const bool hangs = still.still_ns > limit_ns;
    if (!hangs && still_s <= kGoneGraceS) return false;
    const std::vector<group::RankSeen> ranks = page.ranks();
    if (group::all_stopped(ranks)) {
      is_suspended(still, page);
      return false;
    }
    const std::vector<group::RankSeen> late = group::suspects(ranks, still.arm, still.starting);
    const bool gone = std::any_of(late.begin(), late.end(), [](const group::RankSeen& rank) {
      return rank.state == group::ProcessState::kGone;
    });
    if (late.empty() || (!hangs && !gone)) return false;
    result_.failed_arm = label(together.at(late.front().arm));
    result_.failed_cell = group::cell_at(late.front().doing, group_rows(together));
    result_.reason = "'" + result_.failed_arm + "' " +
                     (gone ? "lost a rank"
                           : "hangs: nothing moved for " + base::span_text(std::floor(still_s))) +
                     ": " + group::suspects_text(late, group_rows(together)) + " on " +
                     host::host_name();
    return true;
  }

  void blame(const std::vector<PlannedLaunch>& together,
             const std::map<std::uint32_t, int>& statuses, const GroupPage& page) {
    const std::vector<group::RankSeen> ranks = page.ranks();
    const record::Plan rows = group_rows(together);
    std::vector<LaunchEnd> ends;
    for (std::uint32_t i = 0; i < together.size(); ++i) {
      const auto status = statuses.find(i);
      ends.push_back(
          {.label = label(together[i]),
           .status = status == statuses.end() ? std::nullopt : std::optional(status->second),
           // MPICH's launcher tells of a rank's end on its standard output.
           .err = base::read_file((together[i].dir / "stdout").string()).value_or("") + '\n' +
                  base::read_file((together[i].dir / "stderr").string()).value_or("")});
      for (const group::RankSeen& rank : ranks) {
        if (rank.arm != i) continue;
        ends.back().ranks.push_back({.rank = rank.rank,
                                     .pid = rank.pid,
                                     .where = group::doing_text(rank.doing, rows),
                                     .cell = group::cell_at(rank.doing, rows)});
      }
    }
    std::optional<FirstGone> first;
    if (page.first_gone())
      first = {.launch = page.first_gone()->arm, .rank = page.first_gone()->rank};
    Cause cause = find_cause(ends, host::host_name(), first);
    result_.failed_arm = std::move(cause.arm);
    result_.reason = std::move(cause.reason);
    result_.failed_cell = cause.cell;
    if (!cause.machine) {
      result_.reason += scarce_text(host::shared_memory());
      if (!page.problem().empty()) {
        result_.reason +=
            "; there is no shared memory on " + host::host_name() + " (" + page.problem() + ")";
      }
    }
    result_.machine = cause.machine;
    result_.unwritable = cause.unwritable;
  }

  store::CampaignDir& dir_;
  const GroupRequest& request_;
  record::Plan rows_ = {};
  std::vector<PlannedLaunch> launches_ = {};
  GroupResult result_ = {};
  Clock::time_point last_look_ = Clock::now();
  std::int64_t grace_ns_ = std::chrono::nanoseconds(finalize_grace()).count();
  std::optional<std::int64_t> whole_since_ns_ = {};  // time that counts
  std::int64_t suspended_ns_ = 0;                    // in which all ranks of this host were stopped
  bool suspension_told_ = false;
};

}  // namespace

GroupResult run_group(store::CampaignDir& dir, const GroupRequest& request) {
  return GroupRun(dir, request).run();
}

}  // namespace invar::driver
