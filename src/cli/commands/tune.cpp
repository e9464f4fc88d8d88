// `invar tune`: races what a library can be made to run, writes what wins as its own tuning file,
// and confirms the file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/questions/questions.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/plan_text.hpp"
#include "cli/quick_words.hpp"
#include "cli/tuning/spent_clock.hpp"
#include "cli/tuning/tune_order.hpp"
#include "cli/tuning/tuned_directory.hpp"
#include "cli/tuning/violated.hpp"
#include "design/recipes/tune_budget.hpp"
#include "design/recipes/tune_campaign.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "launch/start/arms.hpp"
#include "launch/start/launcher.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTuneSizes = "8,32,128,512,2KiB,8KiB,32KiB,128KiB,1MiB";
constexpr const char* kAllCells = "all";
constexpr const char* kViolatedCells = "violated";
// Factors that say what is raced.
constexpr const char* kRacedFactors[] = {"algorithm", "segment"};

struct TuneWords {
  std::string target = {};  // an arm, or the directory of a campaign that raced
  QuickWords quick{
      .operation = "all", .size = kTuneSizes, .sync = record::Cell().sync, .budget = "5m"};
  std::string cells = kViolatedCells;
  std::string output = {};
  bool confirm = false;
  bool dry_run = false;
  std::vector<std::string> racing = {};  // options that were written and are of no use without
  AnswerWords answer = {};
};

void check_cells(const std::string& cells) {
  const std::vector<std::string> known{kViolatedCells, kAllCells};
  if (std::ranges::find(known, cells) != known.end()) return;
  throw base::UserError("--cells", "unknown value '" + cells + "'",
                        base::did_you_mean(cells, known));
}

void refuse_raced_factors(const design::QuickOrder& order, base::Faults& faults) {
  for (const char* key : kRacedFactors) {
    if (!order.cell_levels.contains(key)) continue;
    faults.add("--with", "'" + std::string(key) + "' is what a race finds out", "leave it out");
  }
}

// What can be told without any library. Throws UserError with everything that is wrong.
design::TuneOrder tune_order(const TuneWords& words) {
  base::Faults faults;
  design::TuneOrder order;
  order.quick = parse_quick_words(words.quick, faults);
  refuse_raced_factors(order.quick, faults);
  if (auto arms = parse_arms({words.target}, "tune", faults)) {
    order.quick.arms = std::move(*arms);
    base::collect(faults, [&] { design::label_arms(order.quick.arms, "tune"); });
  }
  base::collect(faults, [&] { check_cells(words.cells); });
  faults.throw_if_any();
  const auto ranks = order.quick.cell_levels.find("ranks");
  if (ranks == order.quick.cell_levels.end()) {
    order.ranks = {static_cast<std::uint32_t>(launch::core_cpus().size())};
    return order;
  }
  for (const std::string& level : ranks->second) {
    order.ranks.push_back(static_cast<std::uint32_t>(base::parse_u64(level).value_or(0)));
  }
  // Each number has races of its own.
  order.quick.cell_levels.erase(ranks);
  return order;
}

int show_tuned(const fs::path& dir, const AnswerOptions& options) {
  const analysis::Study study(store::read_campaign_dir(dir));
  return ask_and_print(study, {.question = design::Question::kTune, .written = true}, options);
}

int race(const TuneWords& words, const AnswerOptions& options) {
  const SpentClock clock;
  design::TuneOrder order = tune_order(words);
  std::string dir = words.output.empty() ? new_directory_name("tune") : words.output;
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();  // what stands beside has the name
  const fs::path guidelines_dir = guidelines_directory(dir);
  store::check_new_directory(dir);
  if (words.cells == kViolatedCells) check_guidelines_directory(guidelines_dir);

  const launch::CheckedArm arm = launch::check_arms(std::span(order.quick.arms.data(), 1)).front();
  order.quick.operations = operations_to_tune(arm, order.quick.operations);
  order.library = tuned_library(arm, order.quick.operations);
  // Both are a part of the budget, which is a limit.
  double spent_s = design::kept_for_asking_s(order.quick.budget_s, order.quick.operations.size());
  if (words.cells == kViolatedCells && !words.dry_run) {
    // What a race would refuse is refused before anything is measured.
    static_cast<void>(design::tune_campaign(order));
    const ViolatedCells violated = violated_cells(order, arm, guidelines_dir, clock.seconds());
    if (violated.unfinished) return *violated.unfinished;
    if (violated.cells.empty()) {
      fmt::print(stderr, "{}\n", nothing_to_race_text(violated, order.quick.budget_s));
      const analysis::Study study(store::read_campaign_dir(guidelines_dir));
      return ask_and_print(study, analysis::asked_question(study), options);
    }
    order.cells = violated.cells;
    order.quick.budget_s = design::left_for_race_s(order.quick.budget_s, violated.spent_s);
  } else {
    spent_s += clock.seconds();
  }
  driver::Prepared prepared = driver::prepare(design::tune_campaign(order), {}, "tune");
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  driver::spend(prepared, spent_s);
  if (words.dry_run) {
    print_plan(prepared, driver::first_plan(prepared), false);
    return 0;
  }
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  prepared.engines.clear();  // nothing is measured any more: a shim may be built
  if (const auto status = unfinished_status(dir, result)) return *status;
  bring_up_to_date(dir);
  return show_tuned(dir, options);
}

int confirm_directory(const TuneWords& words, const AnswerOptions& options) {
  base::Faults faults;
  ConfirmWords asked;
  base::collect(faults, [&] { asked.budget_s = parse_budget_s("--budget", words.quick.budget); });
  if (!words.quick.seed.empty()) {
    asked.seed = parse_quick_words(words.quick, faults).seed;
  }
  faults.throw_if_any();
  if (const auto status = confirm(words.target, asked)) return *status;
  return show_tuned(words.target, options);
}

// Options that say what to measure, where all is measured. A confirmation has a budget and a seed.
void refuse_racing_words(const TuneWords& words) {
  base::Faults faults;
  for (const std::string& option : words.racing) {
    const bool of_confirmation = option == "--budget" || option == "--seed";
    if (words.confirm && of_confirmation) continue;
    faults.add(option, words.target + " is measured already", "leave it out, or name a library");
  }
  faults.throw_if_any();
}

// What --confirm takes is a directory, however it is named.
void refuse_no_directory(const TuneWords& words) {
  if (!words.confirm || names_campaign(words.target)) return;
  std::error_code unseen;
  const bool there = fs::exists(words.target, unseen);
  throw base::UserError("--confirm",
                        there ? "'" + words.target + "' is not a directory of invar tune"
                              : "no such directory '" + words.target + "'",
                        "'invar tune ARM -o DIR' makes one, which --confirm takes");
}

int run_tune(const TuneWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  refuse_no_directory(words);
  if (!words.confirm && !names_campaign(words.target)) return race(words, options);
  refuse_racing_words(words);
  check_tuned_directory(words.target);
  if (words.confirm) return confirm_directory(words, options);
  bring_up_to_date(words.target);
  return show_tuned(words.target, options);
}

}  // namespace

void add_tune(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<TuneWords>();
  CLI::App* command = app.add_subcommand(
      "tune",
      "what a library should run instead, as a tuning file of its own, and what that gains");
  command
      ->add_option("ARM", words->target,
                   "a library of 'invar mpi list', with settings or without; or the directory of a "
                   "campaign that raced its algorithms")
      ->required();
  const auto add = [&](const char* name, std::string& text, const char* about, const char* type) {
    command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  command->add_flag(
      "--confirm", words->confirm,
      "measure what the file of the directory gains, in launches of its own, and keep "
      "of it what surely does");
  add("--operation", words->quick.operation, "all that the library can be told about, or a,b",
      "OP,...");
  add("--size", words->quick.size, "sizes, 8,1KiB:64KiB; between two winners others are measured",
      "SIZE,...");
  add("--ranks", words->quick.ranks, "numbers of ranks, a,b; one a core if left out", "N,...");
  add("--cells", words->cells,
      "all; or violated: those that break a guideline, which is measured first, with a quarter of "
      "the budget or more, and those of sizes in between",
      "WHICH");
  command
      ->add_option("--with", words->quick.with,
                   "a level of any other factor of a campaign's [[cells]], FACTOR=LEVEL; may be "
                   "repeated")
      ->type_name("LEVEL")
      ->allow_extra_args(false);
  add("--sync", words->quick.sync, "how repetitions are synchronised", "SYNC");
  add("--budget", words->quick.budget, "time for measuring", "TIME");
  add("--alpha", words->quick.alpha, "share of false verdicts allowed, as 0.05 or 5%", "A");
  add("--min-effect", words->quick.min_effect, "gains below this do not matter, 2% if left out",
      "SHARE");
  add("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  command->add_flag("--dry-run", words->dry_run,
                    "say what would be raced, all cells, and how long it would take");
  command->add_option("-o,--output", words->output,
                      "the campaign's directory, and that of the files; invar-tune-DATE if left "
                      "out");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words, command] {
    for (const char* option :
         {"--operation", "--size", "--ranks", "--cells", "--with", "--sync", "--budget", "--alpha",
          "--min-effect", "--seed", "--dry-run", "--output"}) {
      if (command->count(option) > 0) words->racing.emplace_back(option);
    }
    outcome.run = [words] { return run_tune(*words); };
  });
}

}  // namespace invar::cli
