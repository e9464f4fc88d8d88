#include "cli/network/check_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/network/series.hpp"
#include "analysis/network/simulator/network_check.hpp"
#include "analysis/network/simulator/simulated_platforms.hpp"
#include "analysis/questions/questions.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/network/platform_directory.hpp"
#include "cli/terminal.hpp"
#include "design/messages/network_check_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/launcher.hpp"
#include "platform/platform_files.hpp"
#include "record/operation/reduction_cost.hpp"
#include "store/reader.hpp"
#include "store/unborn.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;
using analysis::CheckedBy;

// The library that simulates, ready to run. Nobody builds an engine to find out that there is none.
std::string simulator_name() {
  const std::vector<std::string> names = launch::simulator_names();
  if (names.empty()) {
    throw base::UserError(
        "--check", "there is no simulator: SimGrid's smpirun and smpicxx were not found",
        "install SimGrid (Debian: apt-get install libsimgrid-dev), and look with: invar mpi list");
  }
  return launch::find_profile(names.front()).name;
}

// Everything that a check is made of.
struct CheckPlan {
  fs::path dir = {};  // of the network's campaign
  std::string simulator = {};
  analysis::SimulatedPlatforms platforms = {};
  design::CheckRanks ranks = {};
  std::vector<std::uint64_t> sizes_bytes = {};
  std::uint64_t seed = 0;
};

design::CheckRanks ranks_for(const analysis::Network& found,
                             const analysis::SimulatedPlatforms& platforms) {
  const bool between = std::ranges::none_of(found.models, &analysis::NetworkModel::inside_host);
  if (between) {
    return {.ranks = static_cast<std::uint32_t>(std::max<std::size_t>(found.hosts, 2)),
            .between_hosts = true};
  }
  // As many as both have a core for: those who measure, and the platforms.
  auto ranks = static_cast<std::uint32_t>(launch::core_cpus().size());
  for (const analysis::SimulatedPlatform& one : platforms.platforms) {
    if (found.models[one.model].inside_host) ranks = std::min(ranks, one.ranks);
  }
  return {.ranks = std::max(2U, ranks)};
}

// The ranks of a check that was measured already, on whatever machine that was.
design::CheckRanks ranks_in(const analysis::Study& measured) {
  const auto& cells = measured.data().cells;
  const auto cell =
      std::ranges::find(cells, design::kCheckedCollectives[0], &record::Cell::operation);
  if (cell == cells.end()) {
    throw base::UserError(measured.data().dir.string(),
                          std::string("has no ") + design::kCheckedCollectives[0],
                          "take it away, and check again");
  }
  return {.ranks = cell->ranks, .between_hosts = cell->nodes > 1};
}

// The network's campaign, of its arms those that have a platform.
design::Campaign checked_arms(const analysis::Study& study, const analysis::Network& found,
                              const CheckPlan& plan) {
  design::Campaign campaign = study.campaign();
  std::erase_if(campaign.arms, [&](const design::Arm& arm) {
    return std::ranges::none_of(plan.platforms.platforms, [&](const auto& one) {
      return found.models[one.model].arm == arm.label;
    });
  });
  return campaign;
}

// Messages of the campaign, as it asked for them: by operation and lateness.
std::vector<design::CheckedMessages> messages_of(const analysis::Study& study) {
  constexpr analysis::SeriesKind kKinds[] = {
      analysis::SeriesKind::kRoundTrip, analysis::SeriesKind::kSend, analysis::SeriesKind::kIsend,
      analysis::SeriesKind::kLateReceive};
  std::vector<design::CheckedMessages> all;
  for (const analysis::SeriesKind kind : kKinds) {
    const analysis::SeriesInfo& info = analysis::info_of(kind);
    std::map<double, std::pair<std::string, std::set<std::uint64_t>>> by_lateness;
    for (const record::Cell& cell : study.data().cells) {
      if (cell.operation != info.operation || (info.takes != nullptr && !info.takes(cell)))
        continue;
      auto& [arrival, sizes] = by_lateness[analysis::receiver_lateness(cell)];
      arrival = cell.arrival;
      sizes.insert(cell.size_bytes.value_or(0));
    }
    if (by_lateness.empty()) continue;
    // The series is made of the least level of lateness.
    const auto& [arrival, sizes] = by_lateness.begin()->second;
    all.push_back({.operation = std::string(info.operation),
                   .arrival = arrival,
                   .sizes_bytes = {sizes.begin(), sizes.end()}});
  }
  return all;
}

std::vector<std::uint64_t> sizes_for(const std::vector<design::CheckedMessages>& messages) {
  std::uint64_t high = 0;
  for (const design::CheckedMessages& one : messages) {
    for (const std::uint64_t size : one.sizes_bytes) high = std::max(high, size);
  }
  return design::checked_sizes(high);
}

// What smpirun is given of each platform; the usual formulas' only where it can be written.
std::vector<platform::NamedText> texts_of(const CheckPlan& plan) {
  std::vector<platform::NamedText> texts;
  for (const analysis::SimulatedPlatform& one : plan.platforms.platforms) {
    const std::uint32_t ranks = std::max(one.ranks, plan.ranks.ranks);
    // The file itself: it was just compared with its record.
    const std::string name = one.stem + ".xml";
    texts.push_back({name, base::read_file((plan.dir / name).string()).value_or("")});
    texts.push_back({analysis::simulated_arm(one.stem, CheckedBy::kDefaults) + ".xml",
                     platform::defaults_xml(one.of, ranks)});
    try {
      texts.push_back({analysis::simulated_arm(one.stem, CheckedBy::kUsual) + ".xml",
                       platform::usual_xml(one.of, ranks)});
    } catch (const base::CommandError& error) {
      tell("invar: no simulation by the usual formulas: " + error.faults().front().text());
    }
  }
  return texts;
}

// An arm a platform. `costs`: of reductions, by the platform's arm; SimGrid's own parameters have
// none.
std::vector<design::Arm> arms_of(const CheckPlan& plan, const analysis::Network& found,
                                 const std::map<std::string, std::string>& costs) {
  std::vector<design::Arm> arms;
  for (const analysis::SimulatedPlatform& one : plan.platforms.platforms) {
    for (const CheckedBy by : {CheckedBy::kPlatform, CheckedBy::kDefaults, CheckedBy::kUsual}) {
      const std::string label = analysis::simulated_arm(one.stem, by);
      const fs::path file = analysis::checked_platforms_dir(plan.dir) / (label + ".xml");
      if (!fs::exists(file)) continue;
      design::Arm arm{.label = label, .library = plan.simulator};
      arm.settings.emplace_back("platform", fs::absolute(file).lexically_normal().string());
      const auto cost = costs.find(found.models[one.model].arm);
      if (by != CheckedBy::kDefaults && cost != costs.end() && !cost->second.empty()) {
        arm.settings.emplace_back(std::string("env:") + record::kReductionCostVariable,
                                  cost->second);
      }
      arms.push_back(std::move(arm));
    }
  }
  return arms;
}

std::map<std::string, std::string> reduction_costs(const analysis::Network& found,
                                                   const analysis::Study& measured) {
  const std::optional<base::CanaryBand> band = analysis::model_band(found);
  std::map<std::string, std::string> costs;
  for (const analysis::NetworkModel& model : found.models) {
    costs[model.arm] = analysis::reduction_costs_text(
        analysis::operation_times(measured, model.arm, design::kCheckedReduction, band));
  }
  return costs;
}

design::Campaign simulated_campaign(const CheckPlan& plan, const analysis::Study& study,
                                    std::vector<design::Arm> arms) {
  return design::simulated_check_campaign({.arms = std::move(arms),
                                           .messages = messages_of(study),
                                           .ranks = plan.ranks.ranks,
                                           .sizes_bytes = plan.sizes_bytes,
                                           .seed = plan.seed});
}

// Simulations that came to their end and gave no times of something.
bool has_failed_simulating(const analysis::Study& simulated) {
  const store::Data& data = simulated.data();
  return data.groups.empty() || !data.failed_cells.empty() || !data.failed_groups.empty() ||
         !data.dropped_arms.empty();
}

void refuse_checked(const fs::path& dir) {
  const std::string check = analysis::check_dir(dir).string();
  for (const fs::path& campaign :
       {analysis::measured_check_dir(dir), analysis::simulated_check_dir(dir)}) {
    if (!store::holds_campaign(campaign)) {
      store::remove_unborn(campaign);
      continue;
    }
    const analysis::Study study(store::read_campaign_dir(campaign));
    if (study.health().unfinished > 0) {
      throw base::UserError(campaign.string(), "is not at its end",
                            "go on with: invar run --resume -o " +
                                base::shell_quoted(campaign.string()) + ", then check again");
    }
  }
  const fs::path simulated = analysis::simulated_check_dir(dir);
  if (!store::holds_campaign(simulated)) return;
  if (has_failed_simulating(analysis::Study(store::read_campaign_dir(simulated)))) {
    throw base::UserError(simulated.string(), "the simulation failed, wholly or in part",
                          "take " + base::shell_quoted(simulated.string()) +
                              " away to simulate anew: what was measured stays");
  }
  throw base::UserError(check, "it was checked already",
                        "invar network " + base::shell_quoted(dir.string()) +
                            " says what was found; take " + base::shell_quoted(check) +
                            " away to check anew");
}

// A status where it did not come to its end.
std::optional<int> measure_or_simulate(design::Campaign campaign, const fs::path& dir) {
  driver::Prepared prepared = driver::prepare(std::move(campaign), {}, "network --check");
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  announce(prepared, dir);
  return unfinished_status(dir, driver::run_new(prepared, std::nullopt, dir));
}

// `made`: gets what was not there before, folders first.
void write_platforms(const CheckPlan& plan, std::vector<fs::path>& made) {
  const fs::path dir = analysis::checked_platforms_dir(plan.dir);
  const auto note = [&](const fs::path& path) {
    std::error_code none;
    if (!fs::exists(path, none)) made.push_back(path);
  };
  note(analysis::check_dir(plan.dir));
  note(dir);
  for (const platform::NamedText& file : texts_of(plan)) {
    note(dir / file.name);
    replace_file(dir / file.name, file.text);
  }
}

// A folder that holds anything else stays.
void take_away(const std::vector<fs::path>& made) {
  std::error_code none;
  for (auto path = made.rbegin(); path != made.rend(); ++path) fs::remove(*path, none);
}

analysis::Network network_in(const analysis::Study& study, const fs::path& dir) {
  if (study.campaign().analysis.question != design::Question::kNetwork) {
    throw base::UserError(dir.string(),
                          "has a campaign that was made for '" +
                              std::string(design::to_string(study.campaign().analysis.question)) +
                              "', and no platform follows from it",
                          "invar network ARM -o DIR makes one that --check takes");
  }
  analysis::require(analysis::network_lack(study));
  return analysis::network(study);
}

void refuse_unusable(const fs::path& dir, const PlatformDirectory& files) {
  // These faults are those of arms without a platform. The platforms of the others can be used.
  if (files.usable) {
    for (const base::Fault& fault : files.faults) {
      tell("invar: left out: " + fault.text());
    }
    return;
  }
  base::Faults faults;
  for (const base::Fault& fault : files.faults) faults.add(fault);
  if (files.faults.empty() || !files.notes.empty()) {
    faults.add(dir.string(), base::join(files.notes, "; "),
               "take " + (dir / kPlatformRecord).string() + " away, and check again");
  }
  faults.throw_if_any();
}

}  // namespace

int check_network(const fs::path& dir, const CheckWords& words, const AnswerOptions& options) {
  const analysis::Study study(store::read_campaign_dir(dir));
  const analysis::Network found = network_in(study, dir);
  CheckPlan plan{.dir = dir, .simulator = simulator_name(), .platforms = platforms_of(found)};
  refuse_checked(dir);
  refuse_unusable(dir, bring_platform_up_to_date(found));
  const fs::path measured_dir = analysis::measured_check_dir(dir);
  const bool begun = store::holds_campaign(measured_dir);
  plan.ranks = begun ? ranks_in(analysis::Study(store::read_campaign_dir(measured_dir)))
                     : ranks_for(found, plan.platforms);
  if (begun && words.budget_written) {
    fmt::print(stderr, "invar: --budget has no say: {} is measured already\n",
               base::without_controls(measured_dir.string()));
  }
  plan.sizes_bytes = sizes_for(messages_of(study));
  plan.seed = words.seed.value_or((study.campaign().seed + 1) & design::kMaxSeed);

  // What the simulator refuses is known before anything is measured.
  std::vector<fs::path> made;
  try {
    write_platforms(plan, made);
    static_cast<void>(driver::prepare(simulated_campaign(plan, study, arms_of(plan, found, {})), {},
                                      "network --check"));
  } catch (...) {
    take_away(made);
    throw;
  }
  if (!begun) {
    const auto status = measure_or_simulate(
        design::measured_check_campaign({.network = checked_arms(study, found, plan),
                                         .ranks = plan.ranks,
                                         .sizes_bytes = plan.sizes_bytes,
                                         .budget_s = words.budget_s,
                                         .seed = plan.seed}),
        measured_dir);
    if (status) return *status;
  }
  const analysis::Study measured(store::read_campaign_dir(measured_dir));
  const auto status = measure_or_simulate(
      simulated_campaign(plan, study, arms_of(plan, found, reduction_costs(found, measured))),
      analysis::simulated_check_dir(dir));
  if (status) return *status;
  const std::optional<analysis::NetworkCheck> check = analysis::network_check_in(found);
  if (!check) {
    throw base::CommandError(base::Exit::kIncomplete,
                             {{.place = analysis::check_dir(dir).string(),
                               .what = "the check did not come to its end"}});
  }
  return finish_with(analysis::answer_of(*check), options);
}

}  // namespace invar::cli
