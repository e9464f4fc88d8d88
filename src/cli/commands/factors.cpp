#include "analysis/factors/factors.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "design/recipes/factors_campaign.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct FactorsWords {
  std::string target;  // a campaign or its directory
  std::string output;
  std::string budget;
  std::string launches;
  std::string figure;
  AnswerWords answer;
};

int analyse(const std::filesystem::path& dir, const FactorsWords& words,
            const AnswerOptions& options) {
  const analysis::Study study(store::read_campaign_dir(dir));
  const analysis::Factors factors = analysis::factors(study);
  return finish_with(analysis::answer_of(factors), options, words.figure);
}

void check_words(const FactorsWords& words, Format format, bool finished) {
  base::Faults faults;
  if (!words.figure.empty()) {
    const std::vector<std::string> known{"launches", "histograms", "quantiles"};
    if (std::ranges::find(known, words.figure) == known.end()) {
      faults.add("--figure", "unknown figure '" + words.figure + "'",
                 base::did_you_mean(words.figure, known));
    } else if (format != Format::kCsv) {
      faults.add("--figure", "a figure's data are written as CSV",
                 "add --format csv; --format json has all figures");
    }
  }
  const auto refuse = [&](const std::string& value, const char* option) {
    if (finished && !value.empty()) {
      faults.add(option, words.target + " is measured already",
                 "leave it out, or name a campaign.toml");
    }
  };
  refuse(words.output, "--output");
  refuse(words.budget, "--budget");
  refuse(words.launches, "--launches");
  faults.throw_if_any();
}

int run_factors(const FactorsWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  const bool finished = std::filesystem::is_directory(words.target);
  check_words(words, options.format, finished);
  if (finished) return analyse(words.target, words, options);
  driver::Overrides overrides;
  if (!words.budget.empty()) overrides.budget_s = parse_budget_s("--budget", words.budget);
  if (!words.launches.empty()) overrides.launches = parse_positive("--launches", words.launches);
  const std::filesystem::path dir =
      words.output.empty() ? new_directory_name("factors") : words.output;
  store::check_new_directory(dir);
  const CampaignFile file = read_campaign_file(words.target);
  if (file.plan) {
    throw base::UserError(words.target, "is a plan",
                          "measure it with 'invar run', then 'invar factors DIR'");
  }
  driver::Prepared prepared =
      driver::prepare(design::factors_campaign(file.campaign, words.target), overrides, file.place);
  driver::check_launches(prepared);
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  if (const auto status = unfinished_status(dir, result)) return *status;
  return analyse(dir, words, options);
}

}  // namespace

void add_factors(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<FactorsWords>();
  CLI::App* command =
      app.add_subcommand("factors", "which factors of a campaign matter, and how much");
  command
      ->add_option("TARGET", words->target,
                   "campaign.toml, to be measured first, or the directory of one that is")
      ->required();
  command->add_option("-o,--output", words->output,
                      "the campaign's directory; invar-factors-DATE if left out");
  command->add_option("--budget", words->budget, "time for measuring, as in 2m");
  command->add_option("--launches", words->launches, "number of launch groups");
  command
      ->add_option("--figure", words->figure,
                   "with --format csv the data of a figure: launches, histograms, quantiles")
      ->type_name("FIGURE");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_factors(*words); }; });
}

}  // namespace invar::cli
