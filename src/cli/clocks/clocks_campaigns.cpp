#include "cli/clocks/clocks_campaigns.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct ClockCampaignWords {
  std::string library = {};
  std::string operation = "allreduce";
  std::string size = {};
  std::string ranks = {};
  std::string sync = {};
  std::string dither = {};
  std::string runtime = {};
  std::string budget = "90s";
  std::string seed = {};
  std::string output = {};
  std::string from = {};
  AnswerWords answer = {};
};

struct CampaignExperiment {
  const char* name;
  const char* about;
  const char* size;
  const char* sync;
  const char* dither;
  std::size_t arms;  // at least
  // Enough that a test of modes finds one that has a tenth of a visit's repetitions.
  std::uint32_t repetitions;
  design::Question question;
};

constexpr CampaignExperiment kExperiments[] = {
    {"local-global", "local against global run-time of the same repetitions, per synchronisation",
     "8,1KiB,64KiB", "barrier,window,round-time", "1us", 1, 50, design::Question::kLocalGlobal},
    {"sync-bias", "two libraries compared under every synchronisation, with and without dither",
     "8", "none,barrier,double-barrier,dissemination,window,round-time", "off,1us", 2, 100,
     design::Question::kSyncBias},
};

// Throws UserError with everything that is wrong.
design::Campaign campaign_of(const CampaignExperiment& experiment,
                             const ClockCampaignWords& words) {
  const std::string place = experiment.name;
  design::Campaign campaign{.name = place, .launches = kQuickLaunches};
  campaign.analysis.question = experiment.question;
  campaign.repetitions = experiment.repetitions;
  design::CellsBlock cells;
  base::Faults faults;
  collect(faults, [&] { parse_answer_words(words.answer); });
  collect(faults, [&] { campaign.seed = seed_of("--seed", words.seed); });
  collect(faults, [&] { cells.operations = parse_words("--operation", words.operation); });
  collect(faults, [&] { cells.sizes_bytes = design::parse_size_list(words.size, "--size"); });
  collect(faults, [&] {
    if (!words.ranks.empty()) take_levels("ranks", "--ranks", words.ranks, cells.levels);
  });
  collect(faults, [&] { take_levels("sync", "--sync", words.sync, campaign.engine.levels); });
  collect(faults, [&] { take_levels("dither", "--dither", words.dither, campaign.engine.levels); });
  collect(faults, [&] { campaign.budget_s = parse_budget_s("--budget", words.budget); });
  if (!words.runtime.empty() && words.runtime != "local" && words.runtime != "global") {
    faults.add("--runtime", "unknown value '" + words.runtime + "'",
               base::did_you_mean(words.runtime, std::vector<std::string>{"local", "global"}));
  }
  if (!words.output.empty()) collect(faults, [&] { store::check_new_directory(words.output); });
  if (words.library.empty()) {
    faults.add("--library", "no library is named", "invar mpi list shows those of this machine");
  } else {
    collect(faults, [&] {
      for (const std::string& arm : parse_words("--library", words.library)) {
        campaign.arms.push_back(design::parse_arm(arm, "--library"));
      }
      design::label_arms(campaign.arms, "--library");
      if (campaign.arms.size() < experiment.arms) {
        throw base::UserError("--library", "one library has nobody to be compared with",
                              "name two or more; the same one twice is an A/A test");
      }
    });
  }
  faults.throw_if_any();
  campaign.rounds = quick_rounds(
      cells.operations.size() * std::max<std::size_t>(1, cells.sizes_bytes.size()) *
      campaign.engine.levels.at("sync").size() * campaign.engine.levels.at("dither").size());
  campaign.cells.push_back(std::move(cells));
  return campaign;
}

// Where the data lie, until the command has answered if nobody wants to keep them.
class Place {
 public:
  explicit Place(const std::string& output) : dir_(output) {
    if (!output.empty()) return;
    std::string name = (std::filesystem::temp_directory_path() / "invar-clocks-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw base::CommandError(base::Exit::kMeasurementFailed,
                               {{.place = name,
                                 .what = std::string("cannot be made: ") + std::strerror(errno),
                                 .remedy = "name a directory with -o, or set TMPDIR"}});
    }
    temporary_ = name;
    dir_ = temporary_ / "data";
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    std::error_code ignored;
    if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& dir() const { return dir_; }
  [[nodiscard]] bool kept() const { return temporary_.empty(); }

 private:
  std::filesystem::path dir_;
  std::filesystem::path temporary_ = {};
};

int ask(const CampaignExperiment& experiment, const ClockCampaignWords& words,
        const std::filesystem::path& dir, bool kept) {
  analysis::CompareOptions options;
  if (!words.runtime.empty()) options.runtime = words.runtime;
  return ask_and_print(analysis::Study(store::read_campaign_dir(dir), options), experiment.question,
                       parse_answer_words(words.answer), kept);
}

int run_experiment(const CampaignExperiment& experiment, const ClockCampaignWords& words) {
  if (!words.from.empty()) {
    // Before the data are read, which takes longer than a wrong word deserves.
    parse_answer_words(words.answer);
    return ask(experiment, words, words.from, true);
  }
  const design::Campaign campaign = campaign_of(experiment, words);
  const driver::Prepared prepared = driver::prepare(campaign, {}, experiment.name);
  if (experiment.arms > 1) refuse_lonely_cells(prepared, experiment.name);
  driver::check_budget_for_least(prepared);
  driver::check_launches(prepared);
  const Place place(words.output);
  announce(prepared, place.kept() ? place.dir() : std::filesystem::path());
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, place.dir());
  if (result.interrupted && !place.kept()) {
    fmt::print(stderr, "invar: interrupted after {}; nothing is kept without -o\n",
               base::count_text(result.groups_complete, "complete group"));
    return static_cast<int>(base::Exit::kIncomplete);
  }
  if (const auto status = unfinished_status(place.dir(), result)) return *status;
  return ask(experiment, words, place.dir(), place.kept());
}

void add_options(CLI::App& command, const CampaignExperiment& experiment,
                 ClockCampaignWords& words) {
  const bool several = experiment.arms > 1;
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
  measured(command.add_option("--operation", words.operation, "operations, a,b,c")
               ->capture_default_str()
               ->type_name("OP,..."));
  measured(command.add_option("--size", words.size, "sizes, 8,1KiB:64KiB")
               ->capture_default_str()
               ->type_name("SIZE,..."));
  measured(
      command.add_option("--ranks", words.ranks, "one a core if left out")->type_name("N,..."));
  measured(command
               .add_option("--sync", words.sync,
                           "none, barrier, double-barrier, dissemination, window, round-time")
               ->capture_default_str()
               ->type_name("SYNC,..."));
  measured(command
               .add_option("--dither", words.dither,
                           "random waits before a synchronisation, times or off")
               ->capture_default_str()
               ->type_name("TIME,..."));
  if (several) {
    command
        .add_option("--runtime", words.runtime,
                    "local or global; if left out global where all rows agree on a start")
        ->type_name("R");
  }
  measured(command.add_option("--budget", words.budget, "time for measuring")
               ->capture_default_str()
               ->type_name("TIME"));
  measured(
      command.add_option("--seed", words.seed, "of the plan; drawn if left out")->type_name("N"));
  add_format_option(command, words.answer);
  measured(command.add_option("-o,--output", words.output, "keeps the campaign's directory here")
               ->type_name("DIR"));
}

}  // namespace

void add_clock_campaigns(CLI::App& clocks, Outcome& outcome) {
  for (const CampaignExperiment& experiment : kExperiments) {
    CLI::App* command = clocks.add_subcommand(experiment.name, experiment.about);
    auto words = std::make_shared<ClockCampaignWords>();
    words->size = experiment.size;
    words->sync = experiment.sync;
    words->dither = experiment.dither;
    add_options(*command, experiment, *words);
    const CampaignExperiment* what = &experiment;
    command->callback([&outcome, words, what] {
      outcome.run = [words, what] { return run_experiment(*what, *words); };
    });
  }
}

}  // namespace invar::cli
