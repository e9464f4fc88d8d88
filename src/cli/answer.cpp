#include "cli/answer.hpp"

#include <array>
#include <iostream>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/answers/comparison.hpp"
#include "report/answers/factors.hpp"
#include "report/answers/reproduce.hpp"
#include "report/answers/show.hpp"
#include "report/answers/show_as.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
namespace {

void talk(const std::string& sentence, std::span<const std::string> warnings) {
  std::cerr << report::wrapped("", sentence);
  for (const std::string& warning : warnings) std::cerr << report::wrapped("  look at: ", warning);
}

}  // namespace

void print(const std::string& text) {
  std::cout << text << std::flush;
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
  const std::vector<std::string> formats{"table", "csv", "json"};
  if (words.format == "csv") {
    options.format = Format::kCsv;
  } else if (words.format == "json") {
    options.format = Format::kJson;
  } else if (words.format != "table") {
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

void print_comparison(const analysis::Comparison& comparison, Format format) {
  switch (format) {
    case Format::kTable:
      return print(report::comparison_table(comparison));
    case Format::kCsv:
      print(report::comparison_csv(comparison));
      return talk(comparison.sentence, comparison.warnings);
    case Format::kJson:
      return print(report::comparison_json(comparison));
  }
}

int print_outcome(const analysis::Comparison& comparison, const AnswerOptions& options) {
  print_comparison(comparison, options.format);
  if (options.outcome.fail_on_slower) {
    std::cerr << report::printable(analysis::gate_text(comparison, options.outcome)) << "\n";
  }
  return analysis::outcome_status(comparison, options.outcome);
}

void print_factors(const analysis::Factors& factors, Format format, const std::string& figure) {
  switch (format) {
    case Format::kTable:
      return print(report::factors_table(factors));
    case Format::kCsv:
      print(figure.empty() ? report::factors_csv(factors)
                           : report::factor_figure_csv(factors, figure));
      return talk(factors.sentence, factors.warnings);
    case Format::kJson:
      return print(report::factors_json(factors));
  }
}

void print_reproduced(const analysis::Reproduced& result, Format format, bool cells) {
  switch (format) {
    case Format::kTable:
      return print(report::reproduce_table(result, cells));
    case Format::kCsv:
      print(report::reproduce_csv(result));
      return talk(result.sentence, result.warnings);
    case Format::kJson:
      return print(report::reproduce_json(result));
  }
}

void print_show(const analysis::Show& show, Format format) {
  switch (format) {
    case Format::kTable:
      return print(report::show_table(show));
    case Format::kCsv:
      print(report::show_csv(show));
      return talk(show.sentence, show.warnings);
    case Format::kJson:
      return print(report::show_json(show));
  }
}

void print_show_as(const analysis::ShownAs& shown, Format format) {
  switch (format) {
    case Format::kTable:
      return print(report::show_as_table(shown));
    case Format::kCsv:
      print(report::show_as_csv(shown));
      talk(shown.sentence, {});
      for (const std::string& reason : shown.reasons)
        std::cerr << report::wrapped("  why: ", reason);
      for (const std::string& warning : shown.warnings) {
        std::cerr << report::wrapped("  look at: ", warning);
      }
      return;
    case Format::kJson:
      return print(report::show_as_json(shown));
  }
}

}  // namespace invar::cli
