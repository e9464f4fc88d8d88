#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/plan_text.hpp"
#include "cli/quick_words.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "design/campaign/presets.hpp"
#include "design/recipes/race_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/libraries/profile_with.hpp"
#include "record/factors.hpp"
#include "record/synchronisation.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct RaceWords {
  std::vector<std::string> arms;
  QuickWords quick{.operation = "bcast,allreduce,allgather,alltoall,reduce,barrier",
                   .size = "8,1KiB,64KiB",
                   .adaptive_sizes = true,
                   .sync = record::Cell().sync,
                   .budget = "60s"};
  std::string hosts;
  std::string hostfile;
  std::string presets;
  std::string against;
  std::string operations;
  std::string output;
  std::string program;
  std::string parse;
  std::string unit;
  bool operation_written = false;
  bool size_written = false;
  bool sequential = false;
  bool fixed = false;
  bool dry_run = false;
  AnswerWords answer;
};

// Throws UserError with everything that is wrong.
design::Campaign campaign_of(const RaceWords& words, const AnswerOptions& how) {
  base::Faults faults;
  design::RaceOrder order{
      .quick = parse_quick_words(words.quick, faults),
      .operations_written = words.operation_written,
      .sizes_written = words.size_written,
      .program = {.command = words.program, .parse = words.parse, .unit = words.unit},
      .hostfile = words.hostfile,
      .sequential = !words.fixed,
      .sequential_written = words.sequential};
  if (how.gate) order.quick.gate = how.gate->margin;
  if (!words.against.empty() && record::find_cell_factor(words.against) == nullptr) {
    faults.add("--against", "'" + words.against + "' is not a factor of cells",
               base::did_you_mean(words.against, record::cell_factor_words()));
  } else {
    order.against = words.against;
  }
  if (!words.presets.empty()) {
    base::collect(faults, [&] {
      order.presets = design::checked_presets(parse_words("--presets", words.presets), "--presets");
    });
  }
  if (!words.hosts.empty()) {
    base::collect(faults, [&] {
      order.hosts = design::parse_hosts(parse_words("--hosts", words.hosts), "--hosts");
    });
  }
  if (!words.operations.empty()) {
    base::collect(
        faults, [&] { order.operations = launch::checked_operations(words.operations).string(); });
  }
  design::Campaign campaign;
  if (auto arms = parse_arms(words.arms, "race", faults)) {
    order.quick.arms = std::move(*arms);
    base::collect(faults, [&] { campaign = design::race_campaign(order); });
  }
  faults.throw_if_any();
  return campaign;
}

// Every revision of a bisection has a directory of its own.
std::string directory_of(const RaceWords& words) {
  if (words.output.empty()) return new_directory_name("race");
  return words.answer.bisect ? free_directory_name(words.output) : words.output;
}

// Everything that can be known before it is measured; the budget aside, which is not an arm's
// fault.
driver::Prepared checked_race(design::Campaign campaign) {
  driver::Prepared prepared = driver::prepare(std::move(campaign), {}, "race");
  driver::refuse_lonely_cells(prepared, "race");
  driver::check_launches(prepared);
  return prepared;
}

// Against itself, because two launches are alive at once.
bool reference_works(design::Campaign campaign) {
  campaign.arms.resize(1);
  campaign.arms.push_back(campaign.arms.front());
  campaign.arms.back().label += "#again";
  try {
    checked_race(std::move(campaign));
    return true;
  } catch (const base::CommandError&) {
    return false;
  }
}

// In a bisection an arm that cannot be started is a revision that cannot be judged, unless it is
// the reference, which is the same in all of them.
driver::Prepared prepared_race(const design::Campaign& campaign, const AnswerOptions& how) {
  try {
    return checked_race(campaign);
  } catch (const base::CommandError& error) {
    if (!how.bisect || !reference_works(campaign)) throw;
    throw base::CommandError(base::Exit::kMeasurementFailed, error.faults());
  }
}

// It was dropped, or all that was tried failed by it before there was time to drop it.
bool lost_reference(const std::string& dir, const driver::Prepared& prepared) {
  const store::Data data = store::read_campaign_dir(dir);
  const std::string& reference = prepared.campaign.arms.front().label;
  const bool dropped = std::ranges::find(data.dropped_arms, reference, &store::DroppedArm::arm) !=
                       data.dropped_arms.end();
  const bool failed = data.groups.empty() && !data.failed_groups.empty() &&
                      std::ranges::all_of(data.failed_groups, [&](const store::GroupOutcome& one) {
                        return one.arm == reference;
                      });
  return dropped || failed;
}

int measure_race(const RaceWords& words, const AnswerOptions& how, const design::Campaign& campaign,
                 const std::string& dir) {
  const driver::Prepared prepared = prepared_race(campaign, how);
  driver::check_budget_for_least(prepared);
  if (words.dry_run) {
    print_plan(prepared, driver::first_plan(prepared), false);
    return 0;
  }
  announce(prepared, dir);
  return with_undecided_exit(how, [&] {
    const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
    if (how.bisect && lost_reference(dir, prepared)) {
      fmt::print(stderr, "invar: '{}', which every revision is compared with, gave no times\n",
                 prepared.campaign.arms.front().label);
      return kBisectStop;
    }
    const int status = answer(dir, result, how);
    if (!words.presets.empty() && how.format == Format::kTable) {
      print(suites_remark(dir, words.presets));
    }
    return status;
  });
}

int run_race(const RaceWords& words) {
  const AnswerOptions how = parse_answer_words(words.answer);
  const std::string dir = directory_of(words);
  store::check_new_directory(dir);
  if (words.dry_run && how.format != Format::kTable) {
    throw base::UserError("--dry-run", "says in words what would be measured",
                          "leave --format out");
  }
  const design::Campaign campaign = campaign_of(words, how);
  if (how.bisect)
    return with_undecided_exit(how, [&] { return measure_race(words, how, campaign, dir); });
  return measure_race(words, how, campaign, dir);
}

}  // namespace

void add_race(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<RaceWords>();
  CLI::App* command = app.add_subcommand("race", "compare MPI libraries or settings: one command");
  command
      ->add_option("ARM", words->arms,
                   "a library of 'invar mpi list', with settings or without: openmpi, "
                   "label=openmpi:KEY=VALUE,KEY=VALUE (mpich:MPIR_CVAR_BCAST_INTRA_ALGORITHM="
                   "binomial); the first is the reference")
      ->required();
  command->add_option("--operation", words->quick.operation, "operations, a,b,c")
      ->capture_default_str();
  command
      ->add_option(
          "--size", words->quick.size,
          "sizes, 8,1KiB:64KiB (a:b is the range by factor 2); adaptive:0:64KiB adds sizes "
          "where times bend or jump, by more than 5% if not written: adaptive:0:64KiB:2%")
      ->capture_default_str();
  command->add_option("--ranks", words->quick.ranks,
                      "numbers of ranks, a,b; one a core if left out");
  command
      ->add_option("--with", words->quick.with,
                   "levels of any other factor of a campaign's [[cells]], FACTOR=LEVEL,LEVEL: "
                   "cache=warm,cold-flush; may be repeated")
      ->type_name("LEVELS")
      ->allow_extra_args(false);
  command
      ->add_option("--against", words->against,
                   "what races inside every arm, which may be one: levels of this factor "
                   "(operation, size, sync, cache, ...) with the first one of them")
      ->type_name("FACTOR");
  command
      ->add_option(
          "--ops", words->operations,
          "folder of own operations (*.cpp and operations.def): every library is raced with "
          "an engine that has them, a profile of its own that stays")
      ->type_name("DIR");
  CLI::Option* hosts = command->add_option(
      "--hosts", words->hosts, "hosts to run on, a,b or a:4,b:4 (with so many ranks on each)");
  command->add_option("--hostfile", words->hostfile, "the same in a file, one host a line")
      ->excludes(hosts);
  command
      ->add_option(
          "--sync", words->quick.sync,
          "how repetitions are synchronised: " + base::join(record::synchronisation_names(), ", "))
      ->capture_default_str();
  command->add_option(
      "--exec", words->program,
      "a program that prints a time, run once for each cell and launch: under each of the "
      "libraries, "
      "or, if one is named, beside our own measurement; {size} {log2size} {bytes} {ranks} "
      "{operation} are filled in");
  command->add_option("--parse", words->parse,
                      "where it prints its time: imb, imb:min, imb:max, osu, or a regular "
                      "expression with one group");
  command->add_option(
      "--unit", words->unit,
      "of what the expression finds: ns, us, ms, s, or of a rate MB/s, GB/s, GiB/s; may "
      "stand behind the group");
  add_oversubscribe_option(*command, words->quick);
  command->add_option("--budget", words->quick.budget, "time for measuring")->capture_default_str();
  command
      ->add_option("--presets", words->presets,
                   "suites that measure the same cells their own way as well, for `invar show DIR "
                   "--as`: " +
                       base::join(design::preset_names(), ", "))
      ->type_name("SUITE,...");
  CLI::Option* fixed = command->add_flag(
      "--fixed", words->fixed,
      "as many launches of everything as the budget allows, instead of looking after 3, 5, 8, 12, "
      "20 and 30 of them and measuring what is decided no more");
  command->add_flag("--sequential", words->sequential, "the contrary of --fixed, as usual")
      ->excludes(fixed);
  command
      ->add_option("--regime", words->quick.regime,
                   "the machine's regime that the verdicts hold for, by its canaries, as "
                   "100ns:300ns; chosen from the canaries if left out")
      ->type_name("LOW:HIGH");
  command
      ->add_option("--alpha", words->quick.alpha, "share of false verdicts allowed, as 0.05 or 5%")
      ->type_name("A");
  command
      ->add_option("--min-effect", words->quick.min_effect,
                   "smallest difference that matters, as 2%")
      ->type_name("P");
  command->add_option("--seed", words->quick.seed, "of the plan; drawn and recorded if left out");
  add_outcome_options(*command, words->answer);
  add_file_options(*command, words->answer);
  add_format_option(*command, words->answer);
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be measured and how long it would take, and measure nothing; "
                    "engines that are missing are built, because they know what they can do");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory; invar-race-DATE if left out");
  command->callback([&outcome, words, command] {
    words->operation_written = command->count("--operation") > 0;
    words->size_written = command->count("--size") > 0;
    words->quick.sync_written = command->count("--sync") > 0;
    outcome.run = [words] { return run_race(*words); };
  });
}

}  // namespace invar::cli
