// `invar status DIR`: how far a campaign or an experiment is, also while it runs.
#include <memory>

#include "analysis/directory/progress.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "store/clock_dir.hpp"

namespace invar::cli {
namespace {

struct StatusWords {
  std::string dir = {};
  AnswerWords answer = {};
};

// A campaign at which somebody is at work is as it should be, and one that has lost launch groups
// has ended all the same: the exit status is not that of an answer about its data.
template <typename Progress>
int print_progress(const Progress& progress, const AnswerOptions& options) {
  print_answer(analysis::answer_of(progress), options);
  return static_cast<int>(progress.status());
}

int run_status(const StatusWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  if (store::is_clock_dir(words.dir)) {
    return print_progress(analysis::clock_progress_of(words.dir), options);
  }
  return print_progress(analysis::progress_of(words.dir), options);
}

}  // namespace

void add_status(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<StatusWords>();
  CLI::App* command = app.add_subcommand("status", "how far a campaign is, also while it runs");
  command->add_option("DIR", words->dir, "the campaign's directory")->required();
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_status(*words); }; });
}

}  // namespace invar::cli
