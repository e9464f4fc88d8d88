#include "analysis/questions/show.hpp"

#include <memory>
#include <utility>

#include "analysis/questions/pictured.hpp"
#include "analysis/steps/steps.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/show_as.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/clocks/clocks_measure.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/terminal.hpp"
#include "design/campaign/presets.hpp"
#include "report/terminal/picture.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct ShowWords {
  std::string dir = {};
  std::string arms = {};
  std::string by = {};
  std::string runtime = {};
  std::string time = {};
  std::string suites = {};
  std::string operations = {};
  std::string sizes = {};
  std::string plot = {};
  bool bandwidth = false;
  AnswerWords answer = {};
};

constexpr std::string_view kAllTimes = "all";

analysis::Study open(const ShowWords& words) {
  analysis::CompareOptions options;
  if (!words.runtime.empty()) options.runtime = words.runtime;
  if (!words.time.empty() && words.time != kAllTimes) options.time = words.time;
  return analysis::Study(store::read_campaign_dir(words.dir), options);
}

// What a table of another shape has no column for.
void refuse_bandwidth(const ShowWords& words, const std::string& why, base::Faults& faults) {
  if (words.bandwidth) faults.add("--bandwidth", why, "leave it out");
}

// --as: what other suites would report.
int run_as(const ShowWords& words, const AnswerOptions& answer) {
  analysis::ShowAsOptions options{.suites = parse_words("--as", words.suites)};
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  base::Faults faults;
  for (const auto& [option, word] : {std::pair{"--by", &words.by},
                                     {"--runtime", &words.runtime},
                                     {"--time", &words.time},
                                     {"--operation", &words.operations},
                                     {"--size", &words.sizes}}) {
    if (!word->empty()) {
      faults.add(option, "a suite has rows and times of its own", "leave it out with --as");
    }
  }
  refuse_bandwidth(words, "a suite has rows and times of its own", faults);
  faults.throw_if_any();
  const analysis::Study study(store::read_campaign_dir(words.dir), {.method = "invar"});
  const analysis::ShownAs shown = analysis::show_as(study, options);
  return finish_with(analysis::answer_of(shown), answer);
}

// --plot: pictures for a terminal. What they cannot show is refused before the data are read.
int run_plot(const ShowWords& words, const AnswerOptions& answer) {
  base::Faults faults;
  if (answer.format != Format::kTable) {
    faults.add("--format", "pictures are text for a terminal",
               "leave it out with --plot; invar export --to r, python or pgfplots makes files");
  }
  if (words.time == kAllTimes) {
    faults.add("--time", "pictures are of one time", "name one");
  }
  if (!words.by.empty()) {
    faults.add("--by", "pictures have a row a cell and arm", "leave it out with --plot");
  }
  refuse_bandwidth(words, "pictures are of times", faults);
  if (!words.suites.empty()) {
    faults.add("--as", "pictures are of our own times", "leave it out with --plot");
  }
  report::Pictures pictures = report::Pictures::kAll;
  if (words.plot == "boxes") {
    pictures = report::Pictures::kBoxes;
  } else if (words.plot == "lines") {
    pictures = report::Pictures::kLines;
  } else if (words.plot != "all") {
    const std::vector<std::string> known{"all", "boxes", "lines"};
    faults.add("--plot", "unknown picture '" + words.plot + "'",
               base::did_you_mean(words.plot, known));
  }
  analysis::PicturedOptions options;
  base::collect(
      faults, [&] { options.cells = analysis::parse_cell_filter(words.operations, words.sizes); });
  if (!words.arms.empty()) {
    base::collect(faults, [&] { options.arms = parse_words("--arms", words.arms); });
  }
  faults.throw_if_any();
  const analysis::Pictured pictured = analysis::pictured(open(words), options);
  print(report::pictures_text(pictured, pictures, terminal_look()));
  return analysis::exit_status(pictured.health);
}

// What an experiment with clocks holds has one shape.
int show_clocks(const ShowWords& words, const AnswerOptions& answer) {
  base::Faults faults;
  for (const auto& [option, word] : {std::pair{"--arms", &words.arms},
                                     {"--by", &words.by},
                                     {"--runtime", &words.runtime},
                                     {"--time", &words.time},
                                     {"--as", &words.suites},
                                     {"--operation", &words.operations},
                                     {"--size", &words.sizes},
                                     {"--plot", &words.plot}}) {
    if (!word->empty()) {
      faults.add(option, words.dir + " holds an experiment with clocks, which has no such choice",
                 "leave it out");
    }
  }
  refuse_bandwidth(words, words.dir + " holds an experiment with clocks", faults);
  faults.throw_if_any();
  return show_clock_dir(words.dir, answer);
}

int run_show(const ShowWords& words) {
  const AnswerOptions answer = parse_answer_words(words.answer);
  if (store::is_clock_dir(words.dir)) return show_clocks(words, answer);
  if (!words.plot.empty()) return run_plot(words, answer);
  if (!words.suites.empty()) return run_as(words, answer);
  analysis::ShowOptions options;
  if (!words.arms.empty()) options.arms = parse_words("--arms", words.arms);
  if (!words.by.empty()) options.by = parse_words("--by", words.by);
  options.cells = analysis::parse_cell_filter(words.operations, words.sizes);
  options.all_times = words.time == kAllTimes;
  options.bandwidth = words.bandwidth;
  const analysis::Study study = open(words);
  analysis::Answer shown = analysis::answer_of(analysis::show(study, options));
  analysis::add_steps(shown, study);
  return finish_with(shown, answer);
}

}  // namespace

void add_show(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<ShowWords>();
  CLI::App* command = app.add_subcommand("show", "times per cell and arm, or any other grouping");
  command->add_option("DIR", words->dir, "the campaign's directory")->required();
  command->add_option("--arms", words->arms, "arms to show")->type_name("LABEL,...");
  command
      ->add_option("--by", words->by,
                   "factors to group by: arm, group, launch, round, regime, operation, "
                   "size_bytes, ...")
      ->type_name("FACTOR,...");
  command->add_option("--operation", words->operations, "cells of these operations only")
      ->type_name("OP,...");
  command->add_option("--size", words->sizes, "cells of these sizes only: 8,1KiB:64KiB")
      ->type_name("SIZE,...");
  command->add_option("--runtime", words->runtime, "auto, local or global")->type_name("R");
  command
      ->add_option("--time", words->time,
                   "one of the times that the operations state (invar ops), or `all`; without it "
                   "the headline")
      ->type_name("NAME");
  command
      ->add_option("--as", words->suites,
                   "what other suites would report of these cells: " +
                       base::join(design::preset_names(), ", "))
      ->type_name("SUITE,...");
  command->add_flag("--bandwidth", words->bandwidth,
                    "also GB/s: the bytes of a call over its time (of collectives the size)");
  command->add_flag("--plot{all}", words->plot,
                    "pictures for a terminal: times over sizes and boxes of the launches; "
                    "--plot=boxes, --plot=lines: one of them");
  add_format_option(*command, words->answer);
  command->callback([&outcome, words] { outcome.run = [words] { return run_show(*words); }; });
}

}  // namespace invar::cli
