#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_campaign.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "design/campaign/presets.hpp"
#include "design/campaign/program.hpp"
#include "design/factors/levels.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "record/synchronisation.hpp"
#include "store/campaign_dir.hpp"

namespace invar::cli {
namespace {

struct RaceOptions {
  std::vector<std::string> arms;
  std::string operation = "bcast,allreduce,allgather,alltoall,reduce,barrier";
  std::string size = "8,1KiB,64KiB";
  std::string ranks;
  std::string hosts;
  std::string hostfile;
  std::string sync = record::Cell().sync;
  std::string budget = "60s";
  std::string presets;
  std::string seed;
  std::string output;
  std::string program;
  std::string parse;
  std::string unit;
  bool operation_written = false;
  bool size_written = false;
  bool sequential = false;
  AnswerWords answer;
};

// With --exec the program is what is compared: under each of the libraries, or, if one is named,
// with our own measurement of the same operation in it.
void add_program(const RaceOptions& options, design::Campaign& campaign, base::Faults& faults) {
  const design::Program program{
      .command = options.program, .parse = options.parse, .unit = options.unit};
  if (options.program.empty()) {
    if (!options.parse.empty() || !options.unit.empty()) {
      faults.add(options.parse.empty() ? "--unit" : "--parse", "says how a program is read",
                 "name the program: --exec 'IMB-MPI1 Allreduce'");
    }
    return;
  }
  if (const auto complaint = design::command_complaint(options.program)) {
    faults.add("--exec", complaint->what, complaint->remedy);
  }
  if (options.parse.empty()) {
    faults.add("--parse", "it is missing",
               "say where the program prints its time: imb, osu, or a regular expression with one "
               "group, as in 'time: ([0-9.]+) ms'");
  } else if (const auto complaint = design::parse_rule_complaint(program)) {
    faults.add("--parse", complaint->what, complaint->remedy);
  }
  campaign.engine.pairing = "launches";
  if (campaign.arms.size() == 1) {
    if (!options.operation_written) {
      faults.add("--operation",
                 "with one library its program is compared with our own measurement, of which "
                 "operation is not said",
                 "write --operation, or name two libraries: then only the program is measured");
    }
    design::Arm arm = campaign.arms.front();
    if (!arm.label.empty()) arm.label += '+' + design::program_name(options.program);
    arm.program = program;
    campaign.arms.push_back(std::move(arm));
  } else {
    for (design::Arm& arm : campaign.arms) arm.program = program;
  }
}

// What a program is called and at which sizes it is run, where that is not written.
void take_defaults(RaceOptions& options, design::CellsBlock& cells) {
  if (options.program.empty()) return;
  if (!options.operation_written) options.operation = "application";
  const bool sized = design::takes(options.program, "size") ||
                     design::takes(options.program, "log2size") || options.operation_written;
  if (!options.size_written && !sized) cells.sizes_bytes.clear();
}

design::Campaign campaign_of(RaceOptions options) {
  design::Campaign campaign{.name = "race", .launches = kQuickLaunches};
  design::CellsBlock cells;
  if (options.sequential) {
    campaign.stopping = design::Stopping::kLooks;
    campaign.launches = design::kLookLaunches;
  }
  campaign.analysis.question = design::Question::kCompare;
  base::Faults faults;
  collect(faults, [&] { campaign.seed = seed_of("--seed", options.seed); });
  collect(faults, [&] { cells.sizes_bytes = design::parse_size_list(options.size, "--size"); });
  take_defaults(options, cells);
  collect(faults, [&] { cells.operations = parse_words("--operation", options.operation); });
  collect(faults, [&] {
    if (!options.ranks.empty()) take_levels("ranks", "--ranks", options.ranks, cells.levels);
  });
  collect(faults, [&] { take_levels("sync", "--sync", options.sync, campaign.engine.levels); });
  collect(faults, [&] { campaign.budget_s = parse_budget_s("--budget", options.budget); });
  if (!options.presets.empty()) {
    collect(faults, [&] {
      campaign.analysis.presets =
          design::checked_presets(parse_words("--presets", options.presets), "--presets");
    });
  }
  if (!options.hosts.empty()) {
    collect(faults, [&] {
      campaign.engine.hosts = design::parse_hosts(parse_words("--hosts", options.hosts), "--hosts");
    });
  }
  campaign.engine.hostfile = options.hostfile;
  for (const std::string& arm : options.arms) {
    collect(faults, [&] { campaign.arms.push_back(design::parse_arm(arm, "race")); });
  }
  add_program(options, campaign, faults);
  faults.throw_if_any();
  design::label_arms(campaign.arms, "race");
  if (campaign.arms.size() < 2) {
    throw base::UserError("race", "one arm has nobody to race against",
                          "name two or more; the same one twice is an A/A test");
  }
  const auto count = static_cast<std::uint32_t>(
      std::max<std::size_t>(1, cells.operations.size() * cells.sizes_bytes.size()) *
      (1 + design::schemes_of(campaign.analysis.presets).size()));
  campaign.rounds = quick_rounds(count);
  campaign.cells.push_back(std::move(cells));
  return campaign;
}

int run_race(const RaceOptions& options) {
  const AnswerOptions how = parse_answer_words(options.answer);
  const std::string dir = options.output.empty() ? new_directory_name("race") : options.output;
  store::check_new_directory(dir);
  const driver::Prepared prepared = driver::prepare(campaign_of(options), {}, "race");
  refuse_lonely_cells(prepared, "race");
  driver::check_budget_for_least(prepared);
  driver::check_launches(prepared);
  announce(prepared, dir);
  return with_undecided_exit(how, [&] {
    const int status = answer(dir, driver::run_new(prepared, std::nullopt, dir), how);
    if (!options.presets.empty() && how.format == Format::kTable) {
      fmt::print("  what the suites would report: invar show {} --as {}\n", base::shell_quoted(dir),
                 options.presets);
    }
    return status;
  });
}

}  // namespace

void add_race(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<RaceOptions>();
  CLI::App* command = app.add_subcommand("race", "compare MPI libraries or settings: one command");
  command
      ->add_option("ARM", options->arms,
                   "a library of 'invar mpi list', with settings or without: openmpi, "
                   "label=openmpi:KEY=VALUE,KEY=VALUE (mpich:MPIR_CVAR_BCAST_INTRA_ALGORITHM="
                   "binomial); the first is the reference")
      ->required();
  command->add_option("--operation", options->operation, "operations, a,b,c")
      ->capture_default_str();
  command->add_option("--size", options->size, "sizes, 8,1KiB:64KiB (a:b is the range by factor 2)")
      ->capture_default_str();
  command->add_option("--ranks", options->ranks, "numbers of ranks, a,b; one a core if left out");
  CLI::Option* hosts = command->add_option(
      "--hosts", options->hosts, "hosts to run on, a,b or a:4,b:4 (with so many ranks on each)");
  command->add_option("--hostfile", options->hostfile, "the same in a file, one host a line")
      ->excludes(hosts);
  command
      ->add_option(
          "--sync", options->sync,
          "how repetitions are synchronised: " + base::join(record::synchronisation_names(), ", "))
      ->capture_default_str();
  command->add_option(
      "--exec", options->program,
      "a program that prints a time, run once for each cell and launch: under each of the "
      "libraries, "
      "or, if one is named, beside our own measurement; {size} {log2size} {ranks} {operation} are "
      "filled in");
  command->add_option("--parse", options->parse,
                      "where it prints its time: imb, imb:min, imb:max, osu, or a regular "
                      "expression with one group");
  command->add_option("--unit", options->unit,
                      "of what the expression finds: ns, us, ms, s; may stand behind the group");
  command->add_option("--budget", options->budget, "time for measuring")->capture_default_str();
  command
      ->add_option("--presets", options->presets,
                   "suites that measure the same cells their own way as well, for `invar show DIR "
                   "--as`: " +
                       base::join(design::preset_names(), ", "))
      ->type_name("SUITE,...");
  command->add_flag("--sequential", options->sequential,
                    "look after 3, 5, 8, 12, 20 and 30 launches, and measure what is decided no "
                    "more");
  command->add_option("--seed", options->seed, "of the plan; drawn and recorded if left out");
  add_outcome_options(*command, options->answer);
  add_format_option(*command, options->answer);
  command->add_option("-o,--output", options->output,
                      "the campaign's directory; invar-race-DATE if left out");
  command->callback([&outcome, options, command] {
    options->operation_written = command->count("--operation") > 0;
    options->size_written = command->count("--size") > 0;
    outcome.run = [options] { return run_race(*options); };
  });
}

}  // namespace invar::cli
