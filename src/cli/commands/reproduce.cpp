#include "cli/commands/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include "analysis/reproduce/reproduce_campaigns.hpp"
#include "analysis/reproduce/reproduce_directory.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/measure.hpp"
#include "cli/parse.hpp"
#include "design/campaign/presets.hpp"
#include "driver/repeat/repeat.hpp"
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

// Reports every whole repeat of a directory that this command made.
int report_made(const fs::path& dir, const ReproduceWords& words, const AnswerOptions& options) {
  base::Faults faults;
  refuse(faults, words.presets, "--presets", "the methods were chosen when it was measured");
  faults.throw_if_any();
  const analysis::Reproduced result = analysis::reproduced_from(dir);
  return finish_with(analysis::answer_of(result, words.cells), options);
}

// Campaigns that were measured one by one.
int report_campaigns(const ReproduceWords& words, const AnswerOptions& options) {
  base::Faults faults;
  std::vector<std::string> asked;
  base::collect(faults, [&] { asked = asked_presets(words); });
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
    base::collect(faults, [&] {
      campaigns.add_own(analysis::Study(store::read_campaign_dir(target)), presets);
    });
  }
  faults.throw_if_any();
  analysis::Reproduced result = campaigns.result(asked);
  result.dirs.assign(words.targets.begin(), words.targets.end());
  return finish_with(analysis::answer_of(result, words.cells), options);
}

driver::RepeatOrder order_of(const ReproduceWords& words, const fs::path& dir) {
  driver::RepeatOrder order{.presets_written = !words.presets.empty()};
  base::Faults faults;
  if (words.times.empty()) {
    faults.add("--times", "how often is not said", "write --times 10");
  } else {
    base::collect(faults, [&] {
      order.times = parse_positive("--times", words.times);
      if (order.times < 2) {
        throw base::UserError("--times", "one repeat has no spread", "write 2 or more");
      }
    });
  }
  if (words.budget.empty()) {
    faults.add("--budget", "the time of a method in a repeat is not said", "write --budget 20s");
  } else {
    base::collect(faults, [&] { order.budget_s = parse_budget_s("--budget", words.budget); });
  }
  base::collect(faults, [&] {
    order.presets =
        words.presets.empty() ? parse_words("--presets", kDefaultPresets) : asked_presets(words);
  });
  base::collect(faults, [&] { store::check_new_directory(dir); });
  faults.throw_if_any();
  CampaignFile file = read_campaign_file(words.targets.front());
  if (file.plan) {
    throw base::UserError(file.plan_place, "is a plan, which has one seed and one order",
                          "name the campaign.toml beside it");
  }
  order.campaign = std::move(file.campaign);
  order.place = std::move(file.place);
  return order;
}

// What takes how long, on stderr.
void announce_repeats(const store::Reproduction& plan) {
  const double total_s =
      plan.budget_s * static_cast<double>(plan.methods.size() * plan.repeats.size());
  fmt::print(stderr, "{} of {} ({}), {} each: about {} in all\n",
             base::count_text(plan.repeats.size(), "repeat"),
             base::count_text(plan.methods.size(), "method"), base::join(plan.methods, ", "),
             base::span_text(plan.budget_s), base::span_text(total_s));
  if (!plan.computed.empty()) {
    fmt::print(stderr, "from invar's visits, without time of their own: {}\n",
               base::join(plan.computed, ", "));
  }
}

// The report of what was measured in `dir`, if measuring came to its end.
int report_after(driver::RepeatEnd end, const fs::path& dir, const ReproduceWords& words,
                 const AnswerOptions& options) {
  switch (end) {
    case driver::RepeatEnd::kInterrupted:
      return static_cast<int>(base::Exit::kIncomplete);
    case driver::RepeatEnd::kStopped:
      return static_cast<int>(base::Exit::kMeasurementFailed);
    case driver::RepeatEnd::kWhole:
      break;
  }
  return report_made(dir, words, options);
}

int run_reproduce(const ReproduceWords& words) {
  const AnswerOptions options = parse_answer_words(words.answer);
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
    if (!one) return report_campaigns(words, options);
    if (words.resume) return report_after(driver::repeat_resumed(target), target, words, options);
    return report_made(target, words, options);
  }
  const fs::path dir = words.output.empty() ? new_directory_name("reproduce") : words.output;
  const driver::Repeats repeats = driver::prepare_repeats(order_of(words, dir));
  announce(repeats.own(), dir);
  announce_repeats(repeats.plan);
  ReproduceWords report = words;
  report.presets.clear();
  return report_after(driver::repeat_new(repeats, dir), dir, report, options);
}

}  // namespace

int resume_repeats(const fs::path& dir, const AnswerOptions& options) {
  return report_after(driver::repeat_resumed(dir), dir, {}, options);
}

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
