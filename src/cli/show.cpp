#include "analysis/show.hpp"

#include <memory>

#include "base/error.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct Words {
  std::string dir = {};
  std::string arms = {};
  std::string by = {};
  std::string runtime = {};
  AnswerWords answer = {};
};

int status_of(const analysis::Show& show) {
  if (show.damaged) return static_cast<int>(base::Exit::kDamaged);
  if (show.measurement_failed) return static_cast<int>(base::Exit::kMeasurementFailed);
  return static_cast<int>(show.incomplete ? base::Exit::kIncomplete : base::Exit::kDone);
}

int run(const Words& words) {
  const AnswerOptions answer = parse_answer_words(words.answer);
  analysis::ShowOptions options;
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  if (!words.by.empty()) options.by = parse_words("--by", words.by);
  if (!words.runtime.empty()) options.runtime = words.runtime;
  const analysis::Show shown = analysis::show(store::read_campaign_dir(words.dir), options);
  print_show(shown, answer.format);
  return status_of(shown);
}

}  // namespace

void add_show(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<Words>();
  CLI::App* command = app.add_subcommand("show", "times per cell and arm, or any other grouping");
  command->add_option("DIR", words->dir, "the campaign's directory")->required();
  command->add_option("--arms", words->arms, "arms to show")->type_name("LABEL,...");
  command
      ->add_option("--by", words->by,
                   "factors to group by: arm, group, launch, round, regime, operation, "
                   "size_bytes, ...")
      ->type_name("FACTOR,...");
  command->add_option("--runtime", words->runtime, "auto, local or global")->type_name("R");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run(*words); }; });
}

}  // namespace invar::cli
