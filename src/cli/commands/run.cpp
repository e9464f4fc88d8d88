#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/commands/reproduce.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/reproduction.hpp"

namespace invar::cli {
namespace {

struct RunOptions {
  std::string file;
  std::string output;
  bool resume = false;
  std::string budget;
  std::string launches;
  std::string arms;
  std::string regime;
  AnswerWords answer;
};

driver::Overrides overrides_of(const RunOptions& options) {
  driver::Overrides overrides;
  if (!options.budget.empty()) overrides.budget_s = parse_budget_s("--budget", options.budget);
  if (!options.launches.empty()) {
    overrides.launches = parse_positive("--launches", options.launches);
  }
  if (!options.arms.empty()) overrides.arms = parse_words("--arms", options.arms);
  if (!options.regime.empty()) overrides.regime = parse_regime(options.regime);
  return overrides;
}

int resume(const RunOptions& options, const AnswerOptions& how) {
  base::Faults faults;
  const auto refuse = [&](const std::string& value, const char* name) {
    if (!value.empty()) {
      faults.add("run --resume", std::string(name) + " cannot be given",
                 "it follows the plan that was sealed; begin a new campaign to change it");
    }
  };
  refuse(options.file, "FILE");
  refuse(options.budget, "--budget");
  refuse(options.launches, "--launches");
  refuse(options.arms, "--arms");
  refuse(options.regime, "--regime");
  const bool repeats = store::holds_repeats(options.output);
  if (repeats && !how.junit.empty()) {
    faults.add("--junit",
               "a test case is a comparison of arms, and " + options.output + " holds repeats",
               "leave it out");
  }
  faults.throw_if_any();
  if (repeats) return resume_repeats(options.output, how);
  const driver::RunResult result = driver::run_resumed(options.output);
  return answer(options.output, result, how);
}

// The groups of a plan that was edited by hand are all there are, also after a resume: the campaign
// that is stored beside it says so.
void keep_as_planned(CampaignFile& file) {
  if (file.campaign.stopping == design::Stopping::kLooks) {
    throw base::UserError(
        file.plan_place,
        "a plan that is given is all that is measured, and its campaign says "
        "stopping = \"looks\"",
        "write stopping = \"fixed\" into the campaign.toml beside it, or run that");
  }
  std::set<std::uint32_t> groups;
  for (const record::PlanRow& row : file.plan->rows) groups.insert(row.group);
  if (groups.empty()) throw base::UserError(file.plan_place, "the plan has no visits");
  const auto count = static_cast<std::uint32_t>(groups.size());
  file.campaign.launches = {.min = count, .max = count};
  file.campaign.budget_s.reset();
}

int run_campaign_file(const RunOptions& options) {
  const AnswerOptions how = parse_answer_words(options.answer);
  base::Faults faults;
  if (options.output.empty()) {
    faults.add("run", "--output is missing",
               options.resume ? "name the campaign's directory: -o DIR"
                              : "name a new directory for the campaign: -o DIR");
  }
  if (options.resume) {
    faults.throw_if_any();
    return resume(options, how);
  }
  driver::Overrides overrides;
  CampaignFile file;
  base::collect(faults, [&] { overrides = overrides_of(options); });
  if (options.file.empty()) {
    faults.add("run", "FILE is missing",
               "name a campaign.toml ('invar init' writes one), or use --resume");
  } else {
    base::collect(faults, [&] { file = read_campaign_file(options.file); });
  }
  const std::filesystem::path dir(options.output);
  if (!options.output.empty()) base::collect(faults, [&] { store::check_new_directory(dir); });
  faults.throw_if_any();
  if (file.plan && (overrides.budget_s || overrides.launches || !overrides.arms.empty())) {
    throw base::UserError("run", "an edited plan says itself what is measured",
                          "leave out --budget, --launches and --arms");
  }
  if (!how.junit.empty() && file.campaign.analysis.question != design::Question::kCompare) {
    throw base::UserError(
        "--junit",
        "a test case is a comparison of arms, which '" + file.place + "' does not ask for",
        "leave it out");
  }
  if (file.plan) keep_as_planned(file);
  driver::Prepared prepared = driver::prepare(file.campaign, overrides, file.place);
  if (file.plan) design::check_plan(*file.plan, prepared.campaign, prepared.cells, file.plan_place);
  if (!file.plan) driver::check_budget_for_a_look(prepared);
  driver::check_launches(prepared);
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, file.plan, dir);
  prepared.engines.clear();  // nothing is measured any more: a race's shim may be built
  return answer(dir, result, how);
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "measure a campaign, or go on with one (--resume)");
  command->add_option("FILE", options->file, "campaign.toml, or an edited plan.csv");
  command->add_option("-o,--output", options->output, "the campaign's directory");
  command->add_flag("--resume", options->resume, "go on where a campaign stopped");
  command->add_option("--budget", options->budget, "time for measuring, as in 2m");
  command->add_option("--launches", options->launches, "number of launch groups");
  command->add_option("--arms", options->arms, "only these arms; the first is the reference");
  command
      ->add_option("--regime", options->regime,
                   "the machine's regime that the verdicts hold for, by its canaries, as "
                   "100ns:300ns")
      ->type_name("LOW:HIGH");
  add_verbose_option(*command, options->answer);
  add_file_options(*command, options->answer);
  command->callback(
      [&outcome, options] { outcome.run = [options] { return run_campaign_file(*options); }; });
}

}  // namespace invar::cli
