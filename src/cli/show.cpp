#include "analysis/show.hpp"

#include <memory>
#include <utility>

#include "analysis/show_as.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "design/presets.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct Words {
  std::string dir = {};
  std::string arms = {};
  std::string by = {};
  std::string runtime = {};
  std::string suites = {};
  AnswerWords answer = {};
};

template <typename Shown>
int status_of(const Shown& show) {
  if (show.damaged) return static_cast<int>(base::Exit::kDamaged);
  if (show.measurement_failed) return static_cast<int>(base::Exit::kMeasurementFailed);
  return static_cast<int>(show.incomplete ? base::Exit::kIncomplete : base::Exit::kDone);
}

// --as: what other suites would report.
int run_as(const Words& words, const AnswerOptions& answer) {
  analysis::ShowAsOptions options{.suites = parse_words("--as", words.suites)};
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  base::Faults faults;
  for (const auto& [option, word] : {std::pair{"--by", &words.by}, {"--runtime", &words.runtime}}) {
    if (!word->empty()) {
      faults.add(option, "a suite has rows and times of its own", "leave it out with --as");
    }
  }
  faults.throw_if_any();
  const analysis::ShownAs shown = analysis::show_as(store::read_campaign_dir(words.dir), options);
  print_show_as(shown, answer.format);
  return status_of(shown);
}

int run(const Words& words) {
  const AnswerOptions answer = parse_answer_words(words.answer);
  if (!words.suites.empty()) return run_as(words, answer);
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
  command
      ->add_option("--as", words->suites,
                   "what other suites would report of these cells: " +
                       base::join(design::preset_names(), ", "))
      ->type_name("SUITE,...");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run(*words); }; });
}

}  // namespace invar::cli
