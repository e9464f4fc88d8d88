#include "cli/answer.hpp"

#include <iostream>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
namespace {

void forget_directories(analysis::Answered& answered) {
  std::visit(
      [](auto& answer) {
        if constexpr (requires { answer.dir; }) {
          answer.dir.clear();
        } else if constexpr (requires { answer.dirs; }) {
          answer.dirs.clear();
        } else {
          answer.comparison.dirs.clear();
        }
      },
      answered);
}

}  // namespace

void print(const std::string& text) {
  std::cout << text;
  flush_output();
}

void flush_output() {
  std::cout.flush();
  if (!std::cout) {
    throw base::CommandError(base::Exit::kMeasurementFailed,
                             {{.place = "stdout", .what = "cannot be written"}});
  }
}

void add_format_option(CLI::App& command, AnswerWords& words) {
  command.add_option("--format", words.format, "table, csv or json")->type_name("F");
}

void add_outcome_options(CLI::App& command, AnswerWords& words) {
  command
      .add_option("--fail-on", words.fail_on,
                  "exit with 1 if an arm is `slower` than the first one")
      ->type_name("slower");
  command
      .add_option("--undecided-exit", words.undecided_exit,
                  "exit status where a cell is undecided, failed or damaged (git bisect: 125)")
      ->type_name("N");
}

AnswerOptions parse_answer_words(const AnswerWords& words) {
  base::Faults faults;
  AnswerOptions options;
  std::vector<std::string> formats;
  bool known_format = false;
  for (const report::Reporter& reporter : report::reporters()) {
    formats.emplace_back(reporter.name);
    if (reporter.name != words.format) continue;
    options.format = reporter.format;
    known_format = true;
  }
  if (!known_format) {
    faults.add("--format", "unknown format '" + words.format + "'",
               base::did_you_mean(words.format, formats));
  }
  if (words.fail_on == "slower") {
    options.outcome.fail_on_slower = true;
  } else if (!words.fail_on.empty()) {
    const std::vector<std::string> known{"slower"};
    faults.add("--fail-on", "unknown reason '" + words.fail_on + "'",
               base::did_you_mean(words.fail_on, known));
  }
  if (!words.undecided_exit.empty()) {
    const auto status = base::parse_u64(words.undecided_exit);
    if (!status || *status > 255) {
      faults.add("--undecided-exit", "'" + words.undecided_exit + "' is no exit status",
                 "write a number from 0 to 255");
    } else {
      options.outcome.undecided_exit = static_cast<int>(*status);
    }
  }
  faults.throw_if_any();
  return options;
}

int with_undecided_exit(const AnswerOptions& options, const std::function<int()>& run) {
  const auto replaced = [&](int status) {
    const bool undecided = status == static_cast<int>(base::Exit::kMeasurementFailed) ||
                           status == static_cast<int>(base::Exit::kIncomplete) ||
                           status == static_cast<int>(base::Exit::kDamaged);
    return undecided ? options.outcome.undecided_exit.value_or(status) : status;
  };
  try {
    return replaced(run());
  } catch (const base::CommandError& error) {
    const auto status = static_cast<int>(error.status());
    if (replaced(status) == status) throw;
    for (const base::Fault& fault : error.faults()) {
      std::fputs(("invar: " + fault.text() + "\n").c_str(), stderr);
    }
    return replaced(status);
  }
}

void print_answer(const analysis::Answer& answer, Format format, std::string_view table) {
  const report::Printed printed = report::reporter(format).print(answer, table);
  print(printed.out);
  std::cerr << printed.talk;
}

int print_outcome(const analysis::Comparison& comparison, const AnswerOptions& options) {
  print_answer(analysis::answer_of(comparison), options.format);
  if (options.outcome.fail_on_slower) {
    std::cerr << report::printable(analysis::gate_text(comparison, options.outcome)) << "\n";
  }
  return analysis::outcome_status(comparison, options.outcome);
}

int print_answered(const analysis::Answered& answered, const AnswerOptions& options) {
  if (const auto* comparison = std::get_if<analysis::Comparison>(&answered)) {
    return print_outcome(*comparison, options);
  }
  print_answer(analysis::answer_of(answered), options.format);
  return analysis::exit_status(analysis::health_of(answered), {}, options.outcome);
}

int ask_and_print(const analysis::Study& study, design::Question question,
                  const AnswerOptions& options, bool kept) {
  const analysis::QuestionRow& row = analysis::row_of(question);
  analysis::require(row.lacking(study));
  analysis::Answered answered = row.ask(study, analysis::Detail::kAll);
  if (!kept) forget_directories(answered);
  return print_answered(answered, options);
}

}  // namespace invar::cli
