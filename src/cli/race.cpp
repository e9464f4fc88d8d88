#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_campaign.hpp"
#include "design/campaign.hpp"
#include "design/hosts.hpp"
#include "design/levels.hpp"
#include "driver/checks.hpp"
#include "driver/looks.hpp"
#include "driver/prepare.hpp"
#include "driver/run.hpp"
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
  std::string sync = "round-time";
  std::string budget = "60s";
  std::string seed;
  std::string output;
  bool sequential = false;
  AnswerWords answer;
};

design::Campaign campaign_of(const RaceOptions& options) {
  design::Campaign campaign{.name = "race", .launches = kQuickLaunches};
  design::CellsBlock cells;
  if (options.sequential) {
    campaign.stopping = design::Stopping::kLooks;
    campaign.launches = design::kLookLaunches;
  }
  base::Faults faults;
  collect(faults, [&] { campaign.seed = seed_of("--seed", options.seed); });
  collect(faults, [&] { cells.operations = parse_words("--operation", options.operation); });
  collect(faults, [&] { cells.sizes_bytes = design::parse_size_list(options.size, "--size"); });
  collect(faults, [&] {
    if (!options.ranks.empty()) take_levels("ranks", "--ranks", options.ranks, cells.levels);
  });
  collect(faults, [&] { take_levels("sync", "--sync", options.sync, campaign.engine.levels); });
  collect(faults, [&] { campaign.budget_s = parse_budget_s("--budget", options.budget); });
  if (!options.hosts.empty()) {
    collect(faults, [&] {
      campaign.engine.hosts = design::parse_hosts(parse_words("--hosts", options.hosts), "--hosts");
    });
  }
  campaign.engine.hostfile = options.hostfile;
  for (const std::string& arm : options.arms) {
    collect(faults, [&] { campaign.arms.push_back(design::parse_arm(arm, "race")); });
  }
  faults.throw_if_any();
  design::label_arms(campaign.arms, "race");
  if (campaign.arms.size() < 2) {
    throw base::UserError("race", "one arm has nobody to race against",
                          "name two or more; the same one twice is an A/A test");
  }
  const auto count = static_cast<std::uint32_t>(
      std::max<std::size_t>(1, cells.operations.size() * cells.sizes_bytes.size()));
  campaign.rounds = quick_rounds(count);
  campaign.cells.push_back(std::move(cells));
  return campaign;
}

int run(const RaceOptions& options) {
  const AnswerOptions how = parse_answer_words(options.answer);
  const std::string dir = options.output.empty() ? new_directory_name("race") : options.output;
  store::check_new_directory(dir);
  const driver::Prepared prepared = driver::prepare(campaign_of(options), {}, "race");
  refuse_lonely_cells(prepared, "race");
  driver::check_budget_for_a_look(prepared);
  driver::check_launches(prepared);
  announce(prepared, dir);
  return with_undecided_exit(
      how, [&] { return answer(dir, driver::run_new(prepared, std::nullopt, dir), how); });
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
      ->add_option("--sync", options->sync,
                   "how repetitions are synchronised: round-time, window, barrier, dissemination, "
                   "double-barrier, none")
      ->capture_default_str();
  command->add_option("--budget", options->budget, "time for measuring")->capture_default_str();
  command->add_flag("--sequential", options->sequential,
                    "look after 3, 5, 8, 12, 20 and 30 launches, and measure what is decided no "
                    "more");
  command->add_option("--seed", options->seed, "of the plan; drawn and recorded if left out");
  add_outcome_options(*command, options->answer);
  add_format_option(*command, options->answer);
  command->add_option("-o,--output", options->output,
                      "the campaign's directory; invar-race-DATE if left out");
  command->callback([&outcome, options] { outcome.run = [options] { return run(*options); }; });
}

}  // namespace invar::cli
