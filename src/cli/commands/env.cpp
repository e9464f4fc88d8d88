// `invar env DIR [DIR2]`: what a campaign, or an experiment with clocks, was measured on; with two
// campaigns, what differs.
#include <initializer_list>
#include <memory>
#include <utility>

#include "analysis/metadata/environment.hpp"
#include "analysis/page/page.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "report/anonymise/anonymise.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct EnvWords {
  std::string first = {};
  std::string second = {};
  bool all = false;
  bool anonymise = false;
  AnswerWords answer = {};
};

// The names of what is given away; null: nothing is replaced.
std::unique_ptr<report::Anonymiser> names_of(const EnvWords& words,
                                             std::initializer_list<const store::Data*> campaigns) {
  if (!words.anonymise) return nullptr;
  auto names = std::make_unique<report::Anonymiser>();
  for (const store::Data* data : campaigns) names->learn(*data);
  names->learn_own();
  return names;
}

std::string given_away(std::string text, report::Anonymiser* names) {
  return names == nullptr ? std::move(text) : names->apply(text);
}

// Given away it is the campaign's name alone: folders tell who measured.
std::string dir_text(const std::string& dir, report::Anonymiser* names) {
  return names == nullptr ? dir : names->apply(analysis::campaign_names({dir}).front());
}

// Groups with damage are left out, as everywhere.
analysis::Metadata read(const store::Data& data, report::Anonymiser* names,
                        std::vector<analysis::Warning>& warnings, analysis::Health& health) {
  for (const store::DataFault& fault : data.damage) {
    warnings.emplace_back(
        given_away("damaged and left out: " + fault.place + ": " + fault.what, names),
        analysis::Gravity::kDoubt);
  }
  health += analysis::health_of(data, {});  // visits are not looked at
  analysis::Metadata metadata = analysis::read_metadata(data);
  if (names != nullptr) names->apply(metadata);
  for (const std::string& path : metadata.unreadable) {
    warnings.emplace_back(path + " cannot be read");
  }
  return metadata;
}

// What was asked by this campaign, and how that is known.
analysis::EnvironmentFact question_fact(const store::Data& data, report::Anonymiser* names) {
  std::string value;
  try {
    const analysis::AskedQuestion asked = analysis::asked_question(analysis::Study(data));
    value = std::string(design::to_string(asked.question)) + " (" + asked.how + ")";
  } catch (const base::UserError& error) {
    value = std::string("(unknown: ") + error.what() + ")";
  }
  return {"campaign", "question", given_away(std::move(value), names)};
}

// What was recorded is whole however far the campaign got: only damage is in the exit status.
int damage_status(const analysis::Health& health) {
  return static_cast<int>(health.damaged > 0 ? base::Exit::kDamaged : base::Exit::kDone);
}

int show_environment(const EnvWords& words, const AnswerOptions& options) {
  const store::Data data = store::read_campaign_dir(words.first);
  const auto names = names_of(words, {&data});
  analysis::Environment environment{
      .dir = dir_text(words.first, names.get()), .arms = data.arms.size(), .all = words.all};
  analysis::Metadata metadata = read(data, names.get(), environment.warnings, environment.health);
  environment.facts = analysis::environment_of(metadata, words.all);
  environment.facts.insert(environment.facts.begin(), question_fact(data, names.get()));
  environment.scope = std::move(metadata.scope);
  environment.sessions = std::move(metadata.sessions);
  environment.launches = metadata.launches;
  finish_with(analysis::answer_of(environment), options);
  return damage_status(environment.health);
}

int show_clock_environment(const EnvWords& words, const AnswerOptions& options) {
  const store::ClockData data = store::read_clock_dir(words.first);
  analysis::Environment environment{.dir = words.first,
                                    .experiment = data.head.experiment,
                                    .facts = analysis::environment_of(data),
                                    .all = words.all};
  if (words.anonymise) {
    report::Anonymiser names;
    names.learn(data);
    names.learn_own();
    for (analysis::EnvironmentFact& fact : environment.facts) {
      fact.value = names.fact(fact.name, fact.value);
    }
    environment.dir = dir_text(words.first, &names);
  }
  return finish_with(analysis::answer_of(environment), options);
}

int compare(const EnvWords& words, const AnswerOptions& options) {
  const store::Data first = store::read_campaign_dir(words.first);
  const store::Data second = store::read_campaign_dir(words.second);
  const auto names = names_of(words, {&first, &second});
  analysis::EnvironmentDifferences found{.first = dir_text(words.first, names.get()),
                                         .second = dir_text(words.second, names.get()),
                                         .all = words.all};
  const analysis::Metadata of_first = read(first, names.get(), found.warnings, found.health);
  found.differences =
      analysis::compare_metadata(of_first, read(second, names.get(), found.warnings, found.health));
  finish_with(analysis::answer_of(found), options);
  return damage_status(found.health);
}

int run_env(const EnvWords& words) {
  AnswerOptions options = parse_answer_words(words.answer);
  // A page is read from its beginning to its end, however long it is.
  options.verbose = true;
  if (!words.second.empty()) return compare(words, options);
  return store::is_clock_dir(words.first) ? show_clock_environment(words, options)
                                          : show_environment(words, options);
}

}  // namespace

void add_env(CLI::App& app, Outcome& outcome) {
  const auto words = std::make_shared<EnvWords>();
  CLI::App* command =
      app.add_subcommand("env", "what a campaign was measured on; with two, what differs");
  command
      ->add_option("DIR", words->first,
                   "a directory of a campaign, or of an experiment with clocks")
      ->required();
  command->add_option("DIR2", words->second, "another campaign's");
  command->add_option("--format", words->answer.format, "table, csv, json or markdown")
      ->type_name("F");
  command->add_flag("--all", words->all, "everything that is recorded");
  command->add_flag("--anonymise", words->anonymise,
                    "names of hosts and users, addresses, folders and the environment replaced");
  command->callback([words, &outcome] { outcome.run = [words] { return run_env(*words); }; });
}

}  // namespace invar::cli
