#include "cli/clocks/clocks_measure.hpp"

#include <iostream>
#include <optional>
#include <utility>

#include "analysis/clocks/clock_experiments.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "host/facts.hpp"
#include "host/identity.hpp"
#include "report/kit/text_table.hpp"
#include "store/campaign_dir.hpp"

namespace invar::cli {
namespace {

// As the default was called before.
AnswerWords with_old_names(AnswerWords words) {
  if (words.format == "text") words.format = "table";
  return words;
}

int print_clock_answer(const analysis::Answer& answer, const AnswerOptions& options) {
  print_answer(answer, options);
  return static_cast<int>(analysis::status_of(answer.health));
}

// What somebody has to know who repeats it. The head may have facts of a library already.
void add_machine(std::map<std::string, std::string>& machine) {
  const host::Facts facts = host::read_facts();
  for (const auto& [name, text] : {std::pair("processor.model", &facts.processor.model),
                                   {"kernel.release", &facts.kernel.release},
                                   {"kernel.distribution", &facts.kernel.distribution},
                                   {"hypervisor", &facts.identity.hypervisor}}) {
    if (*text) machine.emplace(name, **text);
  }
}

// Meanwhile: whoever waits sees it at once.
void tell_meanwhile(const std::string& text) {
  std::cerr << report::printable("invar: " + text) << std::endl;
}

// The rows of an engine of ours: what is wrong with them is not a fault of the user's.
analysis::Answer answer_of_our_rows(const store::ClockData& data) {
  try {
    return analysis::clock_answer(data);
  } catch (const base::CommandError& error) {
    throw base::CommandError(base::Exit::kMeasurementFailed, error.faults());
  }
}

}  // namespace

void add_measure_options(CLI::App& command, MeasureWords& words) {
  CLI::Option* from =
      command
          .add_option("--from", words.from, "an experiment kept before: renders it, no measuring")
          ->type_name("DIR");
  for (CLI::Option* option : command.get_options()) {
    if (option != from && option != command.get_help_ptr()) option->excludes(from);
  }
  add_format_option(command, words.answer);
  command.add_option("-o,--output", words.output, "keeps the raw rows here, sealed")
      ->type_name("DIR")
      ->excludes(from);
}

ClockMeasurement all_at_once(std::function<std::string()> rows) {
  return [rows = std::move(rows)](const driver::ClockListener& listener) {
    listener.add(rows());
    return std::vector<store::FailedClockLaunch>();
  };
}

std::string command_text(const CLI::App& command) {
  std::string text = "invar clocks " + command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--output" || name == "--format") continue;
    text += " " + name;
    for (const std::string& word : option->results()) text += " " + base::shell_quoted(word);
  }
  return text;
}

int run_clock_job(const std::string& experiment, const MeasureWords& words,
                  const std::function<ClockJob()>& prepare) {
  AnswerOptions options;
  std::optional<ClockJob> job;
  base::Faults faults;
  base::collect(faults, [&] { options = parse_answer_words(with_old_names(words.answer)); });
  if (words.from.empty()) {
    if (!words.output.empty())
      base::collect(faults, [&] { store::check_new_directory(words.output); });
    base::collect(faults, [&] { job = prepare(); });
  }
  faults.throw_if_any();
  if (!job) {
    const store::ClockData data = store::read_clock_dir(words.from);
    if (data.head.experiment != experiment) {
      throw base::UserError(
          words.from, "holds '" + data.head.experiment + "', not '" + experiment + "'",
          "invar clocks " + data.head.experiment + " --from " + base::shell_quoted(words.from));
    }
    return print_clock_answer(analysis::clock_answer(data), options);
  }
  store::ClockData data{.head = std::move(job->head), .spec = record::clock_spec_text(job->spec)};
  data.head.experiment = experiment;
  data.head.host = host::host_name();
  data.head.command = words.command;
  add_machine(data.head.machine);
  std::optional<store::ClockDir> dir;
  if (!words.output.empty()) {
    dir.emplace(store::ClockDir::create(words.output, data.head, data.spec));
  }
  data.failed = job->measure({.add =
                                  [&](const std::string& rows) {
                                    data.rows += rows;
                                    if (dir) dir->add(rows);
                                  },
                              .warn = tell_meanwhile});
  data.dir = words.output;
  // Before anything is made of them.
  if (dir) dir->seal(data.failed);
  const analysis::Answer answer = answer_of_our_rows(data);
  for (const store::FailedClockLaunch& failed : data.failed)
    tell_meanwhile(store::failed_text(failed));
  return print_clock_answer(answer, options);
}

int show_clock_dir(const std::string& dir, const AnswerOptions& options) {
  return print_clock_answer(analysis::clock_answer(store::read_clock_dir(dir)), options);
}

}  // namespace invar::cli
