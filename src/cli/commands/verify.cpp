// `invar verify DIR`: whether every byte is as it was written.
#include <memory>
#include <utility>

#include "analysis/directory/verified.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "design/campaign/campaign.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct VerifyWords {
  std::string dir = {};
  AnswerWords answer = {};
};

int run_verify(const VerifyWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
  const std::string& dir = words.dir;
  const bool clocks = store::is_clock_dir(dir);
  analysis::Verified verified{.dir = dir, .clocks = clocks};
  verified.found = clocks ? store::verify_clock_dir(dir)
                          : store::verify_campaign_dir(dir, [&](const std::string& toml) {
                              return design::written_by_newer(toml, dir + "/campaign.toml");
                            });
  // Whoever edited a file undoes that: nothing goes on with it.
  const base::Exit status = verified.found.status();
  if (status == base::Exit::kDamaged || status == base::Exit::kIncomplete) {
    verified.remedy =
        clocks ? store::clock_remedy(dir) : "invar run --resume -o " + base::shell_quoted(dir);
  }
  print_answer(analysis::answer_of(verified), options);
  return static_cast<int>(status);
}

}  // namespace

void add_verify(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<VerifyWords>();
  CLI::App* command =
      app.add_subcommand("verify", "check every byte of a campaign or an experiment");
  command->add_option("DIR", words->dir, "its directory")->required();
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_verify(*words); }; });
}

}  // namespace invar::cli
