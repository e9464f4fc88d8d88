#include "analysis/compare/compare.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

using Dirs = std::vector<std::string>;

struct CompareWords {
  std::string dir = {};
  std::string dir2 = {};
  std::string arms = {};
  std::string pairs = {};
  std::string method = {};
  std::string alternative = {};
  std::string alpha = {};
  std::string min_effect = {};
  std::string correction = {};
  std::string runtime = {};
  std::string time = {};
  std::string regime = {};
  std::string against = {};
  bool regimes = false;
  bool bandwidth = false;
  AnswerWords answer = {};
};

std::optional<std::string> given(const std::string& word) {
  return word.empty() ? std::nullopt : std::optional(word);
}

// "n1,n2,n3": several campaigns. What names a directory as it stands is one, commas and all.
Dirs parse_dirs(const std::string& option, const std::string& word) {
  std::error_code ignored;
  if (word.find(',') == std::string::npos || std::filesystem::is_directory(word, ignored)) {
    return {word};
  }
  return parse_words(option, word);
}

// The two sides; the second one is empty where it was not named.
struct SideWords {
  Dirs first = {};
  Dirs second = {};

  [[nodiscard]] bool over_sessions() const { return first.size() > 1 || second.size() > 1; }
};

SideWords parse_sides(const CompareWords& words) {
  base::Faults faults;
  SideWords sides;
  base::collect(faults, [&] { sides.first = parse_dirs("DIR", words.dir); });
  base::collect(faults, [&] {
    if (!words.dir2.empty()) sides.second = parse_dirs("DIR2", words.dir2);
  });
  faults.throw_if_any();
  if (sides.first.size() > 1 && sides.second.empty()) {
    throw base::UserError("DIR2",
                          "'" + words.dir + "' is one side of " +
                              std::to_string(sides.first.size()) +
                              " sessions, the other is not there",
                          "name what they are compared with, as in: compare A1,A2,A3 B1,B2,B3");
  }
  return sides;
}

analysis::CompareOptions parse(const CompareWords& words, const SideWords& sides,
                               const AnswerOptions& answer) {
  base::Faults faults;
  analysis::CompareOptions options;
  options.gate = answer.gate;
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  options.all_pairs = words.pairs == "all";
  if (!words.pairs.empty() && !options.all_pairs) {
    faults.add("--pairs", "unknown value '" + words.pairs + "'", "known: all");
  }
  options.method = given(words.method);
  options.alternative = given(words.alternative);
  options.correction = given(words.correction);
  options.runtime = given(words.runtime);
  options.against = given(words.against);
  options.time = given(words.time);
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
  options.bandwidth = words.bandwidth;
  base::collect(faults, [&] {
    if (!words.regime.empty()) options.regime = parse_regime(words.regime);
  });
  options.with_others = !sides.second.empty();
  // Two campaigns are a session each, and nothing tells the arms' difference from the machine's
  // change: no exit status may hang on that.
  const char* const gate = words.answer.bisect ? "--bisect" : "--fail-on";
  const bool two_campaigns = options.with_others && !sides.over_sessions();
  if (two_campaigns && answer.outcome.fail_on_slower) {
    faults.add(gate, "two campaigns of one session each include the machine's change",
               "for a gate race both builds in one group (invar race OLD NEW --fail-on slower), or "
               "name three sessions of each at least (compare A1,A2,A3 B1,B2,B3)");
  }
  if (two_campaigns && !words.answer.junit.empty()) {
    faults.add("--junit",
               "test cases are cells of arms beside one reference, which two campaigns have not",
               "take one campaign, --markdown, or three sessions of each at least");
  }
  const design::Preset* preset = design::find_preset(words.method);
  if (preset != nullptr && !preset->tests && answer.outcome.fail_on_slower) {
    faults.add(gate, words.method + " has no test that a gate could hang on",
               "use method invar, reprompi, pgmpi, wilcoxon, t or ks");
  }
  if (preset != nullptr && !preset->tests && words.runtime == "global") {
    faults.add("--runtime", words.method + " reports local times, whatever a start was agreed by",
               "leave it out, or use method invar, reprompi, pgmpi, wilcoxon, t or ks");
  }
  faults.throw_if_any();
  return options;
}

// Those of the first side first. Every directory that cannot be read is told.
std::vector<analysis::Study> opened(const SideWords& sides,
                                    const analysis::CompareOptions& options) {
  base::Faults faults;
  std::vector<store::Data> all;
  for (const Dirs& side : {sides.first, sides.second}) {
    for (const std::string& dir : side) {
      base::collect(faults, [&] { all.push_back(store::read_campaign_dir(dir)); });
    }
  }
  faults.throw_if_any();
  std::vector<analysis::Study> studies;
  studies.reserve(all.size());
  for (store::Data& data : all) studies.emplace_back(std::move(data), options);
  return studies;
}

int run_compare(const CompareWords& words) {
  const AnswerOptions answer = parse_answer_words(words.answer);
  const SideWords sides = parse_sides(words);
  const analysis::CompareOptions options = parse(words, sides, answer);
  return with_undecided_exit(answer, [&] {
    const std::vector<analysis::Study> studies = opened(sides, options);
    if (sides.second.empty()) {
      return print_outcome(analysis::compare(studies.front()), answer, &studies.front());
    }
    const std::span<const analysis::Study> all(studies);
    const analysis::Study both(all.first(sides.first.size()), all.subspan(sides.first.size()));
    return print_outcome(analysis::compare_campaigns(both), answer);
  });
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<CompareWords>();
  CLI::App* command = app.add_subcommand("compare", "verdicts against the first arm");
  command
      ->add_option("DIR", words->dir,
                   "the campaign's directory; several, with a comma between, are sessions of one "
                   "side")
      ->required();
  command->add_option("DIR2", words->dir2,
                      "another campaign: arms of both, unpaired; or the sessions of the other side "
                      "(A1,A2,A3 B1,B2,B3), of which each is one value");
  command->add_option("--arms", words->arms, "arms to compare, the first one is the reference")
      ->type_name("LABEL,...");
  command->add_option("--pairs", words->pairs, "`all`: every pair of arms")->type_name("all");
  command
      ->add_option("--method", words->method,
                   "invar; a test over launches: wilcoxon, t, ks; or as the user of another suite "
                   "would: reprompi, pgmpi, osu, imb, ...")
      ->type_name("M");
  command
      ->add_option("--alternative", words->alternative,
                   "what the test over launches claims: two-sided, less (the first arm takes less "
                   "time) or greater")
      ->type_name("A");
  command->add_option("--alpha", words->alpha, "share of false verdicts allowed, as 0.05 or 5%")
      ->type_name("A");
  command->add_option("--min-effect", words->min_effect, "smallest difference that matters, as 2%")
      ->type_name("P");
  command->add_option("--correction", words->correction, "bh or holm")->type_name("C");
  command->add_option("--runtime", words->runtime, "auto, local or global")->type_name("R");
  command
      ->add_option("--against", words->against,
                   "levels of this factor inside every arm (operation, size, sync, ...), not arms; "
                   "`time`: the times of every visit")
      ->type_name("FACTOR");
  command
      ->add_option("--time", words->time,
                   "one of the times that the operations state (invar ops), not the headline")
      ->type_name("NAME");
  command
      ->add_option("--regime", words->regime,
                   "the machine's regime that the verdicts hold for, by its canaries, as "
                   "100ns:300ns")
      ->type_name("LOW:HIGH");
  command->add_flag("--regimes", words->regimes,
                    "shows the machine's other regimes, and everything together");
  command->add_flag(
      "--bandwidth", words->bandwidth,
      "also GB/s of both arms: the bytes of a call over its time (of collectives the size)");
  add_outcome_options(*command, words->answer);
  add_file_options(*command, words->answer);
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_compare(*words); }; });
}

}  // namespace invar::cli
