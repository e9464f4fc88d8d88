#include "analysis/compare/compare.hpp"

#include <memory>

#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "design/campaign/presets.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct CompareWords {
  std::string dir = {};
  std::string dir2 = {};
  std::string arms = {};
  std::string pairs = {};
  std::string method = {};
  std::string alpha = {};
  std::string min_effect = {};
  std::string correction = {};
  std::string runtime = {};
  std::string regime = {};
  std::string against = {};
  bool regimes = false;
  AnswerWords answer = {};
};

std::optional<std::string> given(const std::string& word) {
  return word.empty() ? std::nullopt : std::optional(word);
}

analysis::CompareOptions parse(const CompareWords& words, const AnswerOptions& answer) {
  base::Faults faults;
  analysis::CompareOptions options;
  options.gate = answer.gate;
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  options.all_pairs = words.pairs == "all";
  if (!words.pairs.empty() && !options.all_pairs) {
    faults.add("--pairs", "unknown value '" + words.pairs + "'", "known: all");
  }
  options.method = given(words.method);
  options.correction = given(words.correction);
  options.runtime = given(words.runtime);
  options.against = given(words.against);
  if (!words.dir2.empty() && options.against) {
    faults.add("--against", "levels are compared inside of one campaign",
               "leave --against out, or the second directory");
  }
  base::collect(faults, [&] {
    if (!words.alpha.empty()) options.alpha = parse_alpha(words.alpha);
  });
  base::collect(faults, [&] {
    if (!words.min_effect.empty()) options.min_effect = parse_min_effect(words.min_effect);
  });
  options.regimes = words.regimes;
  base::collect(faults, [&] {
    if (!words.regime.empty()) options.regime = parse_regime(words.regime);
  });
  // Two campaigns are a session each, and nothing tells the arms' difference from the machine's
  // change: no exit status may hang on that.
  const char* const gate = words.answer.bisect ? "--bisect" : "--fail-on";
  if (!words.dir2.empty() && answer.outcome.fail_on_slower) {
    faults.add(gate, "two campaigns of one session each include the machine's change",
               "for a gate race both builds in one group: invar race OLD NEW --fail-on slower");
  }
  if (!words.dir2.empty() && !words.answer.junit.empty()) {
    faults.add("--junit",
               "test cases are cells of arms beside one reference, which two campaigns have not",
               "take one campaign, or --markdown");
  }
  const design::Preset* preset = design::find_preset(words.method);
  if (preset != nullptr && !preset->tests && answer.outcome.fail_on_slower) {
    faults.add(gate, words.method + " has no test that a gate could hang on",
               "use method invar, reprompi or pgmpi");
  }
  faults.throw_if_any();
  return options;
}

int run_compare(const CompareWords& words) {
  const AnswerOptions answer = parse_answer_words(words.answer);
  const analysis::CompareOptions options = parse(words, answer);
  return with_undecided_exit(answer, [&] {
    const analysis::Study study(store::read_campaign_dir(words.dir), options);
    if (words.dir2.empty()) return print_outcome(analysis::compare(study), answer);
    const analysis::Study other(store::read_campaign_dir(words.dir2), options);
    return print_outcome(analysis::compare_campaigns(analysis::Study(study, other)), answer);
  });
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<CompareWords>();
  CLI::App* command = app.add_subcommand("compare", "verdicts against the first arm");
  command->add_option("DIR", words->dir, "the campaign's directory")->required();
  command->add_option("DIR2", words->dir2, "another campaign: arms of both, unpaired");
  command->add_option("--arms", words->arms, "arms to compare, the first one is the reference")
      ->type_name("LABEL,...");
  command->add_option("--pairs", words->pairs, "`all`: every pair of arms")->type_name("all");
  command
      ->add_option("--method", words->method,
                   "invar, or as the user of another suite would: reprompi, pgmpi, osu, imb, ...")
      ->type_name("M");
  command->add_option("--alpha", words->alpha, "share of false verdicts allowed, as 0.05 or 5%")
      ->type_name("A");
  command->add_option("--min-effect", words->min_effect, "smallest difference that matters, as 2%")
      ->type_name("P");
  command->add_option("--correction", words->correction, "bh or holm")->type_name("C");
  command->add_option("--runtime", words->runtime, "auto, local or global")->type_name("R");
  command
      ->add_option("--against", words->against,
                   "levels of this factor inside every arm (operation, size, sync, ...), not arms")
      ->type_name("FACTOR");
  command
      ->add_option("--regime", words->regime,
                   "the machine's regime that the verdicts hold for, by its canaries, as "
                   "100ns:300ns")
      ->type_name("LOW:HIGH");
  command->add_flag("--regimes", words->regimes,
                    "shows the machine's other regimes, and everything together");
  add_outcome_options(*command, words->answer);
  add_file_options(*command, words->answer);
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_compare(*words); }; });
}

}  // namespace invar::cli
