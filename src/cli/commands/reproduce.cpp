#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include "analysis/reproduce/reproduce_campaigns.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/parse.hpp"
#include "cli/quick_campaign.hpp"
#include "cli/reproduce_run.hpp"
#include "design/campaign/presets.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPresets = "osu,imb,skampi,mpptest";

struct ReproduceWords {
  std::vector<std::string> targets;
  std::string times;
  std::string budget;
  std::string presets;
  std::string output;
  bool resume = false;
  bool cells = false;
  AnswerWords answer;
};

std::vector<std::string> asked_presets(const ReproduceWords& words) {
  if (words.presets.empty()) return {};
  return design::checked_presets(parse_words("--presets", words.presets), "--presets");
}

void refuse(base::Faults& faults, const std::string& value, const char* option, const char* why) {
  if (!value.empty()) faults.add(option, why, "leave it out");
}

// Of a directory that this command made: every repeat that is whole.
int report_made(const fs::path& dir, const ReproduceWords& words, Format format) {
  base::Faults faults;
  refuse(faults, words.presets, "--presets", "the methods were chosen when it was measured");
  faults.throw_if_any();
  const analysis::Reproduced result = reproduced_from(dir);
  print_answer(analysis::answer_of(result, words.cells), format);
  return static_cast<int>(analysis::status_of(result.health));
}

// Campaigns that were measured one by one.
int report_campaigns(const ReproduceWords& words, Format format) {
  base::Faults faults;
  std::vector<std::string> asked;
  collect(faults, [&] { asked = asked_presets(words); });
  std::set<fs::path> seen;
  for (const std::string& target : words.targets) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(target, error);
    if (!error && !seen.insert(path).second) {
      faults.add(target, "is named twice", "a repeat is a campaign of its own");
    }
  }
  faults.throw_if_any();
  const std::vector<std::string> presets = asked.empty() ? design::preset_names() : asked;
  analysis::ReproducedCampaigns campaigns;
  for (const std::string& target : words.targets) {
    collect(faults,
            [&] { campaigns.add_own(analysis::Study(store::read_campaign_dir(target)), presets); });
  }
  faults.throw_if_any();
  analysis::Reproduced result = campaigns.result(asked);
  result.dirs.assign(words.targets.begin(), words.targets.end());
  print_answer(analysis::answer_of(result, words.cells), format);
  return static_cast<int>(analysis::status_of(result.health));
}

ReproduceOrder order_of(const ReproduceWords& words) {
  ReproduceOrder order{.file = words.targets.front(), .presets_written = !words.presets.empty()};
  base::Faults faults;
  if (words.times.empty()) {
    faults.add("--times", "how often is not said", "write --times 10");
  } else {
    collect(faults, [&] {
      order.times = parse_positive("--times", words.times);
      if (order.times < 2) {
        throw base::UserError("--times", "one repeat has no spread", "write 2 or more");
      }
    });
  }
  if (words.budget.empty()) {
    faults.add("--budget", "the time of a method in a repeat is not said", "write --budget 20s");
  } else {
    collect(faults, [&] { order.budget_s = parse_budget_s("--budget", words.budget); });
  }
  collect(faults, [&] {
    order.presets =
        words.presets.empty() ? parse_words("--presets", kDefaultPresets) : asked_presets(words);
  });
  order.dir = words.output.empty() ? new_directory_name("reproduce") : words.output;
  collect(faults, [&] { store::check_new_directory(order.dir); });
  faults.throw_if_any();
  return order;
}

int run_reproduce(const ReproduceWords& words) {
  const Format format = parse_answer_words(words.answer).format;
  const fs::path target(words.targets.front());
  const bool one = words.targets.size() == 1;
  const bool measures = one && !words.resume && !fs::is_directory(target);
  if (!measures) {
    base::Faults faults;
    const char* why = "says what is measured, and these are measured";
    refuse(faults, words.times, "--times", why);
    refuse(faults, words.budget, "--budget", why);
    refuse(faults, words.output, "--output", why);
    if (words.resume && !one) {
      faults.add("--resume", "goes on with one directory", "name the one that reproduce made");
    }
    faults.throw_if_any();
    if (!one) return report_campaigns(words, format);
    if (words.resume) {
      if (const int status = reproduce_resumed(target); status != 0) return status;
    }
    return report_made(target, words, format);
  }
  const ReproduceOrder order = order_of(words);
  if (const int status = reproduce_new(order); status != 0) return status;
  ReproduceWords report = words;
  report.presets.clear();
  return report_made(order.dir, report, format);
}

}  // namespace

void add_reproduce(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<ReproduceWords>();
  CLI::App* command = app.add_subcommand(
      "reproduce",
      "how far apart are the numbers when it is all done again? ours and other suites'");
  command
      ->add_option("TARGET", words->targets,
                   "campaign.toml, to be repeated; a directory that this made; or two finished "
                   "campaigns or more")
      ->required();
  command->add_option("--times", words->times, "how often the campaign is repeated")
      ->type_name("N");
  command
      ->add_option("--budget", words->budget,
                   "time per repeat and method: in all N x methods x TIME, said before it starts")
      ->type_name("TIME");
  command
      ->add_option("--presets", words->presets,
                   std::string("suites, each a method with campaigns of its own; ") +
                       kDefaultPresets +
                       " if left out (of finished campaigns: all that their data give); reprompi "
                       "and pgmpi look at our visits")
      ->type_name("SUITE,...");
  command->add_flag("--resume", words->resume, "go on where measuring stopped, then report");
  command->add_flag("--cells", words->cells, "also a line for every arm, cell and method");
  add_format_option(*command, words->answer);
  command
      ->add_option("-o,--output", words->output,
                   "the directory of all campaigns; invar-reproduce-DATE if left out")
      ->type_name("DIR");
  command->callback([&outcome, words] { outcome.run = [words] { return run_reproduce(*words); }; });
}

}  // namespace invar::cli
