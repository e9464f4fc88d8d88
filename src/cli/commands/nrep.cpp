#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/repetitions/nrep.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/recipes/nrep_campaign.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/run/run.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

// An option of a new measurement, which one that is there already does not take.
struct MeasuringOption {
  std::string name;
  CLI::Option* option;
};

struct NrepWords {
  std::string target;  // an arm, or the directory of a campaign
  QuickWords quick{.operation = "allreduce",
                   .size = "8,1KiB,64KiB",
                   .sync = record::Cell().sync,
                   .budget = "5m"};
  std::string launches = std::to_string(design::kNrepLaunches);
  std::string output;
  // By rule_keys(): what is said of the rule; empty: nothing.
  std::vector<std::pair<std::string, std::string>> rule;
  std::string figure;
  AnswerWords answer;
  std::vector<MeasuringOption> measuring;
};

// "--method": methods are what predicts.
std::string option_of(const std::string& key) { return key == "predict" ? "--method" : "--" + key; }

void add_complaints(const std::vector<design::RuleComplaint>& complaints, base::Faults& faults) {
  for (const design::RuleComplaint& complaint : complaints) {
    faults.add(option_of(complaint.key), complaint.what, complaint.remedy);
  }
}

// Puts what is said on top of `rule`. False: something cannot be read, and is added to the faults.
bool read_rule(const NrepWords& words, design::RepetitionRule& rule, base::Faults& faults) {
  bool all_read = true;
  for (const auto& [key, text] : words.rule) {
    if (text.empty()) continue;
    const std::vector<design::RuleComplaint> complaints = design::read_rule_key(key, text, rule);
    all_read = all_read && complaints.empty();
    add_complaints(complaints, faults);
  }
  return all_read;
}

// `rule` with what is said on top of it. Everything that is wrong is added to the faults.
design::RepetitionRule rule_with(const NrepWords& words, design::RepetitionRule rule,
                                 base::Faults& faults) {
  if (read_rule(words, rule, faults)) add_complaints(design::rule_conflicts(rule), faults);
  return rule;
}

void check_figure(const NrepWords& words, base::Faults& faults) {
  if (words.figure.empty()) return;
  const std::vector<std::string> known{"running", "launches"};
  if (std::ranges::find(known, words.figure) == known.end()) {
    faults.add("--figure", "unknown figure '" + words.figure + "'",
               base::did_you_mean(words.figure, known));
  } else if (words.answer.format != "csv") {
    faults.add("--figure", "a figure's data are written as CSV",
               "add --format csv; --format json has all figures");
  }
}

int analyse_nrep(const NrepWords& words) {
  base::Faults faults;
  std::optional<AnswerOptions> options;
  base::collect(faults, [&] { options = parse_answer_words(words.answer); });
  check_figure(words, faults);
  for (const MeasuringOption& measuring : words.measuring) {
    if (measuring.option->count() == 0) continue;
    faults.add(measuring.name, words.target + " is measured already",
               "leave it out, or name a library");
  }
  // Whether keys fit together depends on the campaign's, which is read below.
  design::RepetitionRule unused = design::usual_rule();
  (void)read_rule(words, unused, faults);
  faults.throw_if_any();
  const analysis::Study study(store::read_campaign_dir(words.target));
  const design::RepetitionRule rule = rule_with(words, analysis::repetition_rule_of(study), faults);
  faults.throw_if_any();
  return finish_with(analysis::answer_of(analysis::nrep(study, rule)), *options, words.figure);
}

int run_nrep(const NrepWords& words) {
  if (names_campaign(words.target)) return analyse_nrep(words);
  base::Faults faults;
  design::NrepOrder order{.quick = parse_quick_words(words.quick, faults),
                          .rule = rule_with(words, design::usual_rule(), faults)};
  std::optional<AnswerOptions> options;
  base::collect(faults, [&] { options = parse_answer_words(words.answer); });
  check_figure(words, faults);
  base::collect(faults, [&] { order.launches = parse_positive("--launches", words.launches); });
  if (!words.output.empty()) {
    base::collect(faults, [&] { store::check_new_directory(words.output); });
  }
  if (auto arms = parse_arms({words.target}, "nrep", faults)) order.quick.arms = std::move(*arms);
  faults.throw_if_any();
  const std::filesystem::path dir =
      words.output.empty() ? new_directory_name("nrep") : words.output;
  store::check_new_directory(dir);
  driver::Prepared prepared = driver::prepare(design::nrep_campaign(order), {}, "nrep");
  driver::check_launches(prepared);
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  if (const auto status = unfinished_status(dir, result)) return *status;
  const analysis::Study study(store::read_campaign_dir(dir));
  return finish_with(analysis::answer_of(analysis::nrep(study)), *options, words.figure);
}

std::string usual_of(const design::RepetitionMethodInfo& info) {
  const design::RepetitionLimit limit = design::usual_rule().limit(info.method);
  return base::shortest_text(limit.threshold) +
         (limit.window > 0 ? ":" + std::to_string(limit.window) : "");
}

}  // namespace

void add_nrep(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<NrepWords>();
  for (const std::string& key : design::rule_keys()) words->rule.emplace_back(key, "");
  CLI::App* command =
      app.add_subcommand("nrep", "how many repetitions of a launch are enough: predicts NREP");
  command
      ->add_option("TARGET", words->target,
                   "an arm, as race has them, to be measured; or the directory of a campaign")
      ->required();
  const auto measure = [&](const char* name, std::string& text, const char* about,
                           const char* type) {
    CLI::Option* option = command->add_option(name, text, about)->type_name(type);
    if (!text.empty()) option->capture_default_str();
    words->measuring.push_back({"--" + option->get_lnames().front(), option});
  };
  measure("--operation", words->quick.operation, "operations, a,b,c", "OP,...");
  measure("--size", words->quick.size, "sizes, 8,1KiB:64KiB", "SIZE,...");
  measure("--ranks", words->quick.ranks, "one a core if left out", "N,...");
  measure("--sync", words->quick.sync, "how repetitions are synchronised", "SYNC");
  measure("--launches", words->launches, "predictions, of which the largest counts", "N");
  measure("--budget", words->quick.budget, "time for measuring", "TIME");
  measure("--seed", words->quick.seed, "of the plan; drawn and recorded if left out", "N");
  measure("-o,--output", words->output, "the campaign's directory; invar-nrep-DATE if left out",
          "DIR");
  for (auto& [key, text] : words->rule) {
    std::string about;
    std::string type;
    if (key == "predict") {
      about =
          "what must be small, all at once: rse, cov-mean, cov-median, invar; invar if left out";
      type = "METHOD,...";
    } else if (key == "range") {
      about = "least, most, step; 20:1000:10 if left out";
      type = "MIN:MAX:STEP";
    } else {
      const auto methods = design::repetition_methods();
      const auto info = std::ranges::find(methods, key, &design::RepetitionMethodInfo::key);
      about = "below this: " + std::string(info->words) + "; " + usual_of(*info) + " if left out";
      type = info->window > 0 ? "SHARE:WINDOW" : "SHARE";
    }
    command->add_option(option_of(key), text, about)->type_name(type);
  }
  command
      ->add_option("--figure", words->figure,
                   "with --format csv the data of a figure: running, launches")
      ->type_name("FIGURE");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_nrep(*words); }; });
}

}  // namespace invar::cli
