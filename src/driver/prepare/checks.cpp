#include "driver/prepare/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/factors/simulated.hpp"
#include "driver/prepare/windows.hpp"
#include "launch/build/build.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/start/arms.hpp"
#include "launch/start/together.hpp"
#include "launch/systems/system.hpp"
#include "record/launch_spec.hpp"
#include "store/files.hpp"

namespace invar::driver {
namespace {

constexpr std::size_t kMostNames = 8;

std::string cpus_text(std::span<const std::uint32_t> cpus) {
  std::vector<std::string> texts;
  for (const std::uint32_t cpu : cpus) texts.push_back(std::to_string(cpu));
  return "CPUs " + base::join(texts, ", ");
}

std::string hosts_text(std::span<const std::string> hosts) {
  return (hosts.size() == 1 ? "host " : "hosts ") + base::first_items(hosts, kMostNames, ", ");
}

launch::StartOptions options_of(const Prepared& prepared, const launch::CheckedArm& arm) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  return {.ranks = prepared.ranks,
          .hosts = prepared.hosts,
          .launcher = engine.launcher,
          .oversubscribe = engine.oversubscribe,
          .environment = arm.environment};
}

}  // namespace

namespace {

// Nothing is tried where all is known.
void try_launches(const Prepared& prepared) {
  const design::EngineOptions& engine = prepared.campaign.engine;
  // Every simulated machine has been asked for its hosts.
  if (design::is_simulated(prepared.campaign)) return;
  const bool known = prepared.hosts.empty() && !launch::launch_system(engine.launcher).elsewhere &&
                     std::all_of(prepared.arms.begin(), prepared.arms.end(), [](const auto& arm) {
                       return arm.profile.launch_template.empty();
                     });
  if (known) return;
  base::Faults faults;
  std::set<std::string> tried;
  for (const launch::CheckedArm& arm : prepared.arms) {
    if (arm.profile.name.empty() || !tried.insert(arm.profile.name).second) continue;
    const std::string problem = launch::alone_problem(arm.profile, options_of(prepared, arm));
    if (problem.empty()) continue;
    const design::Position at = engine.positions.of(prepared.hosts.empty() ? "launcher" : "hosts");
    faults.add({.place = prepared.place,
                .line = at.line,
                .column = at.column,
                .what = "with '" + arm.profile.name + "' " + problem,
                .remedy = prepared.hosts.empty()
                              ? "try it by hand: invar mpi run " + arm.profile.name +
                                    " -- --check --operations barrier"
                              : "is each of the " + hosts_text(place_of(prepared).hosts) +
                                    " reached from here without a password, and does it see " +
                                    arm.profile.engine.string() + "?"});
    // Nobody waits for every library in turn because of a name that is misspelt.
    if (!launch::unknown_hosts(prepared.hosts).empty()) break;
  }
  faults.throw_if_any();
  if (engine.pairing != "turns" || prepared.arms.size() < 2) return;
  const std::string problem = launch::together_problem(
      prepared.arms[0].profile, prepared.arms[1].profile, options_of(prepared, prepared.arms[0]),
      prepared.arms[1].environment);
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

void check_launches(Prepared& prepared, Beginning beginning) {
  const auto begin = std::chrono::steady_clock::now();
  claim_cores(prepared);
  keep_engines(prepared);
  try_launches(prepared);
  if (beginning == Beginning::kNew) check_windows(prepared);
  prepared.begun += std::chrono::steady_clock::now() - begin;
}

namespace {

// "OMPI_MCA_btl=tcp,self and UCX_TLS=sm"
std::string variables_text(const std::vector<std::pair<std::string, std::string>>& variables) {
  if (variables.empty()) return "no variable that steers a library";
  std::vector<std::string> texts;
  texts.reserve(variables.size());
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  return base::join(texts, " and ");
}

}  // namespace

void warn_of_other_place(const Prepared& prepared, store::CampaignDir& dir) {
  const store::Place before = dir.state().place;
  const store::Place now = place_of(prepared);
  const auto warn = [&](const std::string& what, const std::string& other) {
    const std::string text =
        "resumed on " + what + " instead of " + other + ": absolute times mix both";
    fmt::print(stderr, "invar: {}\n", base::without_controls(text));
    dir.warn(text);
  };
  // A campaign of an earlier version has not kept its hosts.
  if (!before.hosts.empty() && before.hosts != now.hosts) {
    warn(hosts_text(now.hosts), hosts_text(before.hosts));
  }
  if (before.cpus != now.cpus) warn(cpus_text(now.cpus), cpus_text(before.cpus));
  // Nor its variables.
  if (before.variables && before.variables != now.variables) {
    const std::string text = "resumed with " + variables_text(*now.variables) + " instead of " +
                             variables_text(*before.variables) +
                             " in the environment: the library may do something else now";
    fmt::print(stderr, "invar: {}\n", base::without_controls(text));
    dir.warn(text);
  }
}

namespace {

// What gives records their meaning. Summaries may be reworded.
record::OperationInfo meaning_of(const record::OperationInfo& info) {
  record::OperationInfo meaning{.messages = info.messages,
                                .both_ways = info.both_ways,
                                .roles = info.roles,
                                .marks = info.marks,
                                .times = info.times};
  for (record::MarkInfo& mark : meaning.marks) mark.summary.clear();
  for (record::TimeInfo& time : meaning.times) time.summary.clear();
  return meaning;
}

}  // namespace

std::string changed_operation(const std::vector<record::OperationInfo>& now,
                              const store::ArmRecord& sealed) {
  for (const record::OperationInfo& before : sealed.operations) {
    const auto known = std::ranges::find(now, before.name, &record::OperationInfo::name);
    if (known != now.end() && meaning_of(*known) != meaning_of(before)) return before.name;
  }
  return {};
}

namespace {

bool is_own_operation(const std::string& file, const launch::CheckedArm& arm) {
  const std::string folder = arm.profile.operations_dir.string();
  return !folder.empty() && file.starts_with(folder + "/");
}

// "/home/me/.invar/profiles/mpich/invar-engine"
bool is_engine(const std::string& file) {
  return std::filesystem::path(file).filename() == record::kEngineName;
}

// Files whose content is not what it was, that are gone, or that are new.
std::vector<std::string> changed_files(const std::map<std::string, std::string>& before,
                                       const std::map<std::string, std::string>& now) {
  std::vector<std::string> changed;
  for (const auto& [file, checksum] : before) {
    const auto found = now.find(file);
    if (found == now.end() || found->second != checksum) changed.push_back(file);
  }
  for (const auto& [file, checksum] : now) {
    if (!before.contains(file)) changed.push_back(file);
  }
  return changed;
}

// A value of a setting, or an item of one, names the file.
bool is_value(const std::string& file, const launch::Environment& environment) {
  return std::ranges::any_of(environment, [&](const auto& setting) {
    const std::vector<std::string_view> items = base::split(setting.second, ':');
    return std::ranges::find(items, file) != items.end();
  });
}

constexpr const char* kUndo = "undo that, or begin another campaign";

}  // namespace

Changed changed_library(const Prepared& prepared, const store::State& state) {
  for (const launch::CheckedArm& arm : prepared.arms) {
    const auto recorded =
        std::find_if(state.arms.begin(), state.arms.end(),
                     [&](const store::ArmRecord& record) { return record.label == arm.label; });
    if (recorded == state.arms.end()) continue;
    if (const std::string name = changed_operation(arm.profile.operations, *recorded);
        !name.empty()) {
      return {.what = "what the operation '" + name + "' of '" + arm.label +
                      "' says of its roles, marks and times has changed since the campaign began",
              .remedy = kUndo};
    }
    const auto own = [&](const std::string& file) { return is_own_operation(file, arm); };
    auto now = launch::checksums_of(arm);
    // A campaign of an earlier version has not kept what its own operations were built from.
    if (std::ranges::none_of(recorded->checksums,
                             [&](const auto& file) { return own(file.first); })) {
      std::erase_if(now, [&](const auto& file) { return own(file.first); });
    }
    // Nor the files that its settings name.
    const auto is_named = [&](const auto& file) { return is_value(file.first, arm.environment); };
    if (std::ranges::none_of(recorded->checksums, is_named)) std::erase_if(now, is_named);
    // Nor its engine.
    if (std::ranges::none_of(recorded->checksums,
                             [](const auto& file) { return is_engine(file.first); })) {
      std::erase_if(now, [](const auto& file) { return is_engine(file.first); });
    }
    std::vector<std::string> changed = changed_files(recorded->checksums, now);
    if (changed.empty()) continue;
    const auto of_settings = [&](const std::string& file) {
      return is_value(file, arm.environment);
    };
    if (std::ranges::any_of(changed, of_settings)) {
      std::erase_if(changed, [&](const std::string& file) { return !of_settings(file); });
      Changed edited{.what = "a file that the settings of '" + arm.label +
                             "' name has changed since the campaign began",
                     .remedy = kUndo,
                     .named_file = true};
      for (const std::string& file : changed) edited.what += ": " + file;
      return edited;
    }
    const bool built = std::ranges::all_of(
        changed, [&](const std::string& file) { return own(file) || is_engine(file); });
    const bool edited = built && std::ranges::any_of(changed, own);
    // An engine follows from what it is built from.
    if (edited) std::erase_if(changed, is_engine);
    Changed found{.what = "the library of '", .remedy = "compare old and new as two profiles"};
    if (edited) {
      found = {.what = "the source of the own operations of '", .remedy = kUndo};
    } else if (built) {
      found = {.what = "the engine of '",
               .remedy = "go on with the Invar that began the campaign, or begin another one"};
    } else if (arm.program) {
      found = {.what = "the program or the library of '",
               .remedy = "compare old and new as two arms"};
    }
    found.what += arm.label + "' has changed since the campaign began";
    for (const std::string& file : changed) found.what += ": " + file;
    return found;
  }
  return {};
}

bool arms_remain(const Prepared& prepared, const store::State& state) {
  const std::size_t left = prepared.arms.size() - state.dropped_arms.size();
  // Levels, and sides of guidelines, are compared in every arm by itself.
  const std::size_t needed = prepared.campaign.compares_inside_arms() ? 1 : 2;
  return left >= std::min(needed, prepared.arms.size());
}

std::string why_unwritable(const std::filesystem::path& dir) {
  try {
    store::check_room(dir);
    return {};
  } catch (const base::CommandError& error) {
    return error.faults().front().what;
  }
}

void refuse_lonely_cells(const Prepared& prepared, const std::string& place) {
  base::Faults faults;
  const std::string& against = prepared.campaign.analysis.against;
  const auto alone = [](const record::Cell& cell) { return cell.family.empty(); };
  const bool nothing = !against.empty() && prepared.campaign.shuffled &&
                       std::ranges::all_of(prepared.cells.cells, alone);
  if (nothing) {
    faults.add(place,
               "no two cells differ in nothing but '" + against + "': nothing can be compared",
               "give everything else one level");
  }
  const record::CellTexts text(design::all_cells(prepared.cells));
  for (const design::LeftOut& left_out : prepared.cells.left_out) {
    // An algorithm that does not work costs itself alone, as long as others are left.
    if (left_out.of_algorithm) {
      if (nothing) {
        faults.add(place, text(left_out.cell) + ": '" + left_out.arm +
                              "' does not run it: " + left_out.reason);
      }
      continue;
    }
    const bool comparable =
        against.empty() && std::any_of(prepared.cells.cells.begin(), prepared.cells.cells.end(),
                                       [&](record::Cell cell) {
                                         // What is left out was never put into a family.
                                         cell.family = left_out.cell.family;
                                         return cell.same_levels(left_out.cell) &&
                                                prepared.cells.arms.at(cell.id).size() >= 2;
                                       });
    if (!comparable) {
      faults.add(place,
                 text(left_out.cell) + " cannot be compared: '" + left_out.arm + "' lacks it (" +
                     left_out.reason + ")",
                 "leave it out of --operation");
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::driver
