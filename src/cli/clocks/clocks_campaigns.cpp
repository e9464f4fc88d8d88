#include "cli/clocks/clocks_campaigns.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/recipes/start_campaigns.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/process/files.hpp"
#include "record/synchronisation.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct ClockCampaignWords {
  std::string library = {};
  QuickWords quick{.operation = "allreduce", .budget = "90s"};
  std::string runtime = {};
  std::string output = {};
  std::string from = {};
  AnswerWords answer = {};
};

struct CampaignExperiment {
  const char* name;
  const char* source;
  const char* about;
  const char* size;
  const char* sync;
  const char* dither;
  bool compares;  // arms with each other
  design::Question question;
  design::Campaign (*campaign)(const design::QuickOrder&);
};

constexpr CampaignExperiment kExperiments[] = {
    {"local-global", "paper 002, figure 3",
     "local against global run-time of the same repetitions, per synchronisation", "8,1KiB,64KiB",
     "barrier,window,round-time", "1us", false, design::Question::kLocalGlobal,
     design::local_global_campaign},
    {"sync-bias", "docs/clocks.md",
     "two libraries compared under every synchronisation, with and without dither", "8",
     "none,barrier,double-barrier,dissemination,window,round-time", "off,1us", true,
     design::Question::kSyncBias, design::sync_bias_campaign},
};

// Throws UserError with everything that is wrong.
design::Campaign campaign_of(const CampaignExperiment& experiment,
                             const ClockCampaignWords& words) {
  base::Faults faults;
  base::collect(faults, [&] { parse_answer_words(words.answer); });
  design::QuickOrder order = parse_quick_words(words.quick, faults);
  if (!words.runtime.empty() && words.runtime != "local" && words.runtime != "global") {
    faults.add("--runtime", "unknown value '" + words.runtime + "'",
               base::did_you_mean(words.runtime, std::vector<std::string>{"local", "global"}));
  }
  if (!words.output.empty()) {
    base::collect(faults, [&] { store::check_new_directory(words.output); });
  }
  design::Campaign campaign;
  base::collect(faults, [&] {
    if (words.library.empty()) {
      throw base::UserError("--library", "no library is named",
                            "invar mpi list shows those of this machine");
    }
    auto arms = parse_arms(parse_words("--library", words.library), "--library", faults);
    if (!arms) return;
    order.arms = std::move(*arms);
    campaign = experiment.campaign(order);
  });
  faults.throw_if_any();
  return campaign;
}

int ask(const CampaignExperiment& experiment, const ClockCampaignWords& words,
        const std::filesystem::path& dir, bool kept) {
  analysis::CompareOptions options;
  if (!words.runtime.empty()) options.runtime = words.runtime;
  return ask_and_print(analysis::Study(store::read_campaign_dir(dir), options),
                       {.question = experiment.question, .written = true},
                       parse_answer_words(words.answer), kept);
}

int run_experiment(const CampaignExperiment& experiment, const ClockCampaignWords& words) {
  if (!words.from.empty()) {
    // Before the data are read, which takes longer than a wrong word deserves.
    parse_answer_words(words.answer);
    return ask(experiment, words, words.from, true);
  }
  const design::Campaign campaign = campaign_of(experiment, words);
  driver::Prepared prepared = driver::prepare(campaign, {}, experiment.name);
  if (experiment.compares) driver::refuse_lonely_cells(prepared, experiment.name);
  driver::check_budget_for_least(prepared);
  driver::check_launches(prepared);
  // Where the data lie until the command has answered, if nobody wants to keep them.
  std::optional<launch::ScratchDir> scratch;
  if (words.output.empty()) scratch.emplace();
  const bool kept = !scratch;
  const std::filesystem::path dir =
      kept ? std::filesystem::path(words.output) : scratch->path() / "data";
  announce(prepared, kept ? dir : std::filesystem::path());
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  if (result.interrupted && !kept) {
    fmt::print(stderr, "invar: interrupted after {}; nothing is kept without -o\n",
               base::count_text(result.groups_complete, "complete group"));
    return static_cast<int>(base::Exit::kIncomplete);
  }
  if (const auto status = unfinished_status(dir, result)) return *status;
  return ask(experiment, words, dir, kept);
}

void add_options(CLI::App& command, const CampaignExperiment& experiment,
                 ClockCampaignWords& words) {
  const bool several = experiment.compares;
  CLI::Option* from =
      command
          .add_option("--from", words.from, "a campaign measured before: renders it, no measuring")
          ->type_name("DIR");
  const auto measured = [&](CLI::Option* option) { option->excludes(from); };
  measured(command
               .add_option("--library", words.library,
                           several ? "libraries (invar mpi list) or arms as race has them, a,b"
                                   : "a library (invar mpi list), or several by turns, a,b")
               ->type_name("NAME,..."));
  measured(command.add_option("--operation", words.quick.operation, "operations, a,b,c")
               ->capture_default_str()
               ->type_name("OP,..."));
  measured(command.add_option("--size", words.quick.size, "sizes, 8,1KiB:64KiB")
               ->capture_default_str()
               ->type_name("SIZE,..."));
  measured(command.add_option("--ranks", words.quick.ranks, "one a core if left out")
               ->type_name("N,..."));
  measured(
      command
          .add_option("--sync", words.quick.sync, base::join(record::synchronisation_names(), ", "))
          ->capture_default_str()
          ->type_name("SYNC,..."));
  measured(command
               .add_option("--dither", words.quick.dither,
                           "random waits before a synchronisation, times or off")
               ->capture_default_str()
               ->type_name("TIME,..."));
  if (several) {
    command
        .add_option("--runtime", words.runtime,
                    "local or global; if left out global where all rows agree on a start")
        ->type_name("R");
  }
  measured(command.add_option("--budget", words.quick.budget, "time for measuring")
               ->capture_default_str()
               ->type_name("TIME"));
  measured(command.add_option("--seed", words.quick.seed, "of the plan; drawn if left out")
               ->type_name("N"));
  add_format_option(command, words.answer);
  measured(command.add_option("-o,--output", words.output, "keeps the campaign's directory here")
               ->type_name("DIR"));
}

}  // namespace

std::vector<ClockCampaign> clock_campaigns() {
  std::vector<ClockCampaign> all;
  for (const CampaignExperiment& one : kExperiments)
    all.push_back({one.name, one.source, one.about});
  return all;
}

void add_clock_campaigns(CLI::App& clocks, Outcome& outcome) {
  for (const CampaignExperiment& experiment : kExperiments) {
    CLI::App* command = clocks.add_subcommand(experiment.name, experiment.about);
    auto words = std::make_shared<ClockCampaignWords>();
    words->quick.size = experiment.size;
    words->quick.sync = experiment.sync;
    words->quick.dither = experiment.dither;
    add_options(*command, experiment, *words);
    const CampaignExperiment* what = &experiment;
    command->callback([&outcome, words, what] {
      outcome.run = [words, what] { return run_experiment(*what, *words); };
    });
  }
}

}  // namespace invar::cli
