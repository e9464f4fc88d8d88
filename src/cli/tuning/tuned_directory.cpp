#include "cli/tuning/tuned_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/study.hpp"
#include "analysis/tuning/races.hpp"
#include "analysis/tuning/tuned_dir.hpp"
#include "analysis/tuning/tuning.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/terminal.hpp"
#include "cli/tuning/learn.hpp"
#include "cli/tuning/spent_clock.hpp"
#include "cli/tuning/tune_order.hpp"
#include "cli/tuning/tuned_files.hpp"
#include "design/recipes/confirm_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/algorithms/size_laws.hpp"
#include "launch/libraries/shim.hpp"
#include "launch/start/arms.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

analysis::Study study_of(const fs::path& dir) {
  return analysis::Study(store::read_campaign_dir(dir));
}

bool is_whole(const analysis::Health& health) { return health.unfinished + health.damaged == 0; }

// The arm that is tuned, as it is on this machine now.
launch::CheckedArm given_arm(const analysis::Study& race) {
  const design::Arm& arm = race.campaign().arms.front();
  launch::CheckedArm checked = launch::check_arms(std::span(&arm, 1)).front();
  const std::string& before = race.data().arms.front().library_version;
  if (checked.profile.version != before) {
    throw base::UserError(
        "arm '" + arm.label + "'",
        "the library is " + checked.profile.version + " now, and the races were of " + before,
        "tune again, into another directory");
  }
  return checked;
}

std::vector<std::string> raced_operations(const analysis::Study& race) {
  std::vector<std::string> operations;
  for (const design::RaceBlock& block : race.campaign().races) {
    if (std::ranges::find(operations, block.operation) == operations.end()) {
      operations.push_back(block.operation);
    }
  }
  return operations;
}

// Only the arm in which algorithms were switched has levels.
std::vector<store::TriedLevel> tried_levels(const analysis::Study& race) {
  for (const store::ArmRecord& arm : race.data().arms) {
    if (!arm.levels.empty()) return arm.levels;
  }
  return {};
}

std::string text_of(const fs::path& file) {
  const std::optional<std::string> text = base::read_file(file.string());
  if (!text) {
    throw base::UserError(file.string(), "cannot be read",
                          "invar tune " + base::shell_quoted(file.parent_path().string()) +
                              " writes all of the files anew where there is no " +
                              std::string(kTableFile));
  }
  return *text;
}

tuning::DecisionTable table_in(const fs::path& dir) {
  const fs::path file = dir / kTableFile;
  return tuning::parse_table(text_of(file), file.string());
}

tuning::Learned learned_in(const fs::path& dir, const launch::CheckedArm& arm) {
  const fs::path file = dir / kLearnedFile;
  tuning::Learned learned = tuning::parse_learned(text_of(file), file.string());
  if (learned.library_version == arm.profile.version) return learned;
  throw base::UserError(file.string(),
                        "was learned of " + learned.library_version + ", and the library is " +
                            arm.profile.version + " now",
                        "tune again, into another directory");
}

FilesOrder order_of(const analysis::Study& race, const launch::CheckedArm& arm,
                    tuning::Learned learned, tuning::DecisionTable table, const fs::path& dir) {
  FilesOrder order{.profile = arm.profile,
                   .table = std::move(table),
                   .library = tuned_library(arm, raced_operations(race)),
                   .learned = std::move(learned),
                   .dir = base::absolute_name(dir)};
  if (order.library.library == tuning::Library::kMpich) {
    order.base_tree = launch::own_selection_tree(arm.profile);
    order.device_tree = launch::own_device_tree(arm.profile);
  }
  return order;
}

fs::path shim_for(const TunedFiles& files, const launch::CheckedArm& arm) {
  return files.shim ? launch::build_shim(arm.profile) : fs::path();
}

void say_written(const TunedFiles& files) {
  for (const std::string& note : files.notes) tell(note);
  if (files.empty()) {
    fmt::print(stderr, "no file is written: nothing is to be told to the library\n");
    return;
  }
  fmt::print(stderr, "written into {}: {}{}{}\n", files.dir.string(),
             files.file.text.empty() ? std::string()
                                     : std::string(tuning::file_name_of(files.file.format)) + ", ",
             files.shim ? std::string(kShimFile) + ", " : std::string(),
             "the variables that use it in tuned.env");
}

// Whether files follow from it.
bool has_ended(const analysis::TunedCampaign& found) {
  return is_whole(found.races.health) && found.races.no_verdict.empty();
}

// All files, where there are none: what a probe must tell of the library is asked for all that won,
// because a later confirmation may bring back what this one leaves out.
void write_anew(const fs::path& dir, const analysis::Study& race,
                const analysis::TunedCampaign& found) {
  const launch::CheckedArm arm = given_arm(race);
  const tuning::Learned learned =
      learn(arm, tuned_library(arm, raced_operations(race)), found.races.table, tried_levels(race));
  const TunedFiles files = make_files(order_of(race, arm, learned, found.kept.in_force, dir));
  write_files(files, shim_for(files, arm));
  say_written(files);
}

// What is in force after the latest confirmation.
void write_confirmed(const fs::path& dir, const analysis::Study& race,
                     const analysis::TunedCampaign& found) {
  const launch::CheckedArm arm = given_arm(race);
  const TunedFiles files =
      make_files(order_of(race, arm, learned_in(dir, arm), found.kept.in_force, dir));
  write_files(files, shim_for(files, arm));
  if (found.confirmed_times > 0) {
    fmt::print(stderr, "the files have {} now: what is confirmed of {} that won the race\n",
               base::count_text(found.kept.in_force.entries().size(), "entry"),
               base::count_text(found.races.table.entries().size(), "entry"));
  }
  if (found.kept.to_test != found.kept.in_force) {
    fmt::print(stderr,
               "what is undecided is tested again by: invar tune --confirm {} --budget TIME\n",
               base::shell_quoted(dir.string()));
  }
  say_written(files);
}

// What to do in a directory that was moved, or copied: files name it, for ranks to find them there.
enum class IfMoved { kTell, kWriteAnew };

void bring_up_to_date(const fs::path& dir, const analysis::Study& race,
                      const analysis::TunedCampaign& found, IfMoved if_moved) {
  if (!has_ended(found)) return;
  if (!fs::exists(dir / kTableFile)) return write_anew(dir, race, found);
  const std::optional<tuning::WrittenFiles> written = written_in(dir);
  if (!written) return;  // of an earlier version: a confirmation looks at it, and writes one
  const std::vector<base::Fault> faults = faults_of_files(dir, *written);
  for (const base::Fault& fault : faults) {
    tell("invar: " + fault.text());
  }
  if (!faults.empty()) return;
  // By a symbolic link it has another name, and is where it was.
  std::error_code unseen;
  const bool moved = written->dir != base::absolute_name(dir).string() &&
                     !fs::equivalent(written->dir, dir, unseen);
  if (moved) {
    tell("the files were written for " + written->dir + ": " +
         (if_moved == IfMoved::kTell ? "invar tune --confirm " + base::shell_quoted(dir.string()) +
                                           " makes their paths anew"
                                     : "their paths are made anew"));
  }
  // What the race alone has written stays as it is, also where a later version would choose better.
  const bool changed = found.confirmed_times > 0 && table_in(dir) != found.kept.in_force;
  if (changed || (moved && if_moved == IfMoved::kWriteAnew)) write_confirmed(dir, race, found);
}

// Those that were raced, and of the sizes in between those where something is tested.
std::vector<design::TuneCell> measured_cells(const analysis::TunedCampaign& found) {
  std::vector<design::TuneCell> cells = found.cells;
  std::erase_if(cells, [&](const design::TuneCell& cell) {
    const bool raced = std::ranges::any_of(found.races.cells, [&](const auto& one) {
      return one.operation == cell.operation && one.size_bytes == cell.size_bytes &&
             one.ranks == cell.ranks;
    });
    return !raced && found.kept.to_test.find(cell.operation, cell.ranks,
                                             cell.size_bytes.value_or(0)) == nullptr;
  });
  return cells;
}

// What of a table that somebody has edited does not come from race and confirmations.
std::string strange_entries(const fs::path& file, const tuning::DecisionTable& in_force) {
  std::vector<std::string> strange;
  const tuning::DecisionTable table = tuning::parse_table(text_of(file), file.string());
  for (const tuning::Entry& entry : table.entries()) {
    const auto& known = in_force.entries();
    if (std::ranges::find(known, entry) == known.end()) {
      strange.push_back("'" + tuning::entry_text(entry) + "'");
    }
  }
  constexpr std::size_t kNamed = 3;
  if (strange.empty()) return {};
  return base::first_items(strange, kNamed, ", ") +
         " in it came neither from the race nor from a confirmation";
}

// What is not as Invar wrote it is not measured as if it were.
void refuse_edited(const fs::path& dir, const analysis::Study& race,
                   const analysis::TunedCampaign& found, const launch::CheckedArm& arm) {
  base::Faults faults;
  for (const base::Fault& edit : store::verify_campaign_dir(dir).edits) faults.add(edit);
  const std::optional<tuning::WrittenFiles> written = written_in(dir);
  for (base::Fault& fault : written ? faults_of_files(dir, *written)
                                    : faults_of_files(make_files(order_of(
                                          race, arm, learned_in(dir, arm), table_in(dir), dir)))) {
    const bool is_table = fs::path(fault.place).filename() == kTableFile;
    if (is_table && fs::exists(fault.place)) {
      base::collect(faults, [&] {
        const std::string strange = strange_entries(dir / kTableFile, found.kept.in_force);
        if (!strange.empty()) fault.what += ": " + strange;
      });
    }
    faults.add(std::move(fault));
  }
  faults.throw_if_any();
}

}  // namespace

void check_tuned_directory(const fs::path& dir) {
  const analysis::Study study = study_of(dir);
  if (study.campaign().analysis.question == design::Question::kTune) return;
  throw base::UserError(dir.string(),
                        "has a campaign that was made for '" +
                            std::string(design::to_string(study.campaign().analysis.question)) +
                            "', and races nothing",
                        "invar tune ARM -o DIR makes one that does");
}

void bring_up_to_date(const fs::path& dir) {
  const analysis::Study race = study_of(dir);
  if (analysis::races_lack(race)) return;
  bring_up_to_date(dir, race, analysis::tuned_campaign(race), IfMoved::kTell);
}

void write_what_follows(const fs::path& dir, design::Question question) {
  // As it was named on a command line it may be "confirm-1", or end in a slash.
  const fs::path here = base::absolute_name(dir);
  const bool confirms =
      question == design::Question::kTuneConfirm && analysis::is_confirmation_dir(here);
  if (question != design::Question::kTune && !confirms) return;
  const fs::path race = confirms ? here.parent_path() : here;
  try {
    if (fs::exists(race / "manifest.jsonl")) bring_up_to_date(race);
  } catch (const base::CommandError& error) {
    for (const base::Fault& fault : error.faults()) {
      tell("invar: " + fault.text());
    }
  }
}

std::optional<int> confirm(const fs::path& dir, const ConfirmWords& words) {
  const SpentClock clock;
  check_tuned_directory(dir);
  const analysis::Study race = study_of(dir);
  if (!is_whole(race.health())) {
    throw base::CommandError(
        base::Exit::kIncomplete,
        {{.place = dir.string(),
          .what = "the race is not at its end",
          .remedy = "go on with: invar run --resume -o " + base::shell_quoted(dir.string())}});
  }
  const analysis::TunedCampaign found = analysis::tuned_campaign(race);
  const launch::CheckedArm arm = given_arm(race);
  if (fs::exists(dir / kTableFile)) {
    refuse_edited(dir, race, found, arm);
    // An earlier version did not record what it wrote. From now on it is known.
    if (!written_in(dir)) write_confirmed(dir, race, found);
  }
  bring_up_to_date(dir, race, found, IfMoved::kWriteAnew);
  if (!fs::exists(dir / kTableFile)) {
    throw base::UserError(dir.string(), "nothing can be confirmed: the race came to no verdicts",
                          "invar tune " + base::shell_quoted(dir.string()) + " says why");
  }
  const tuning::DecisionTable& table = found.kept.to_test;
  if (table.empty()) {
    const std::size_t raced = found.races.table.entries().size();
    tell(raced == 0 ? "nothing is to be confirmed: nothing surely beats " + found.races.given() +
                          " in the race"
                    : "nothing is left to be confirmed: of what won the race (" +
                          base::count_text(raced, "entry") +
                          ") a confirmation has surely denied every one");
    return std::nullopt;
  }
  const tuning::Learned learned = learned_in(dir, arm);
  if (make_files(order_of(race, arm, learned, table, dir)).empty()) {
    fmt::print(stderr, "nothing is to be confirmed: no file can say what the table has\n");
    return std::nullopt;
  }

  const std::vector<std::uint32_t> before = analysis::confirmations_in(dir);
  const std::uint32_t number = before.empty() ? 1 : before.back() + 1;
  const fs::path data = analysis::confirmation_dir(dir, number);
  store::check_new_directory(data);
  // Files of their own, so that what is measured stays as it was measured.
  const fs::path tested_dir = analysis::tested_dir(dir, number);
  const TunedFiles tested = make_files(order_of(race, arm, learned, table, tested_dir));
  std::error_code error;
  fs::create_directories(tested_dir, error);
  write_files(tested, shim_for(tested, arm));

  const design::Campaign campaign = design::confirm_campaign(
      {.race = race.campaign(),
       .cells = measured_cells(found),
       .tuned = tuned_settings(race.campaign().arms.front(), tested),
       .table = table,
       .budget_s = words.budget_s,
       .seed = words.seed.value_or((race.campaign().seed + number) & design::kMaxSeed)});
  const double spent_s = clock.seconds();
  driver::Prepared prepared = driver::prepare(campaign, {}, "tune --confirm");
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  driver::spend(prepared, spent_s);
  announce(prepared, data);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, data);
  prepared.engines.clear();  // nothing is measured any more: a shim may be built
  if (const auto status = unfinished_status(data, result)) return status;
  bring_up_to_date(dir);
  return std::nullopt;
}

}  // namespace invar::cli
