#include "cli/answer.hpp"

#include <array>
#include <iostream>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "report/answers/comparison.hpp"
#include "report/answers/factors.hpp"
#include "report/answers/local_global.hpp"
#include "report/answers/reproduce.hpp"
#include "report/answers/self_test.hpp"
#include "report/answers/show.hpp"
#include "report/answers/show_as.hpp"
#include "report/answers/sync_bias.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
namespace {

void talk(const std::string& sentence, std::span<const std::string> warnings) {
  std::cerr << report::wrapped("", sentence);
  for (const std::string& warning : warnings) std::cerr << report::wrapped("  look at: ", warning);
}

// CSV has no room for the sentence and the warnings: they go to stderr.
void print_rendered(const std::string& text, Format format, const std::string& sentence,
                    const std::vector<std::string>& warnings) {
  print(text);
  if (format != Format::kCsv) return;
  for (const std::string& warning : warnings) std::cerr << report::wrapped("  look at: ", warning);
  std::cerr << report::wrapped("", sentence);
}

// Prints what is no comparison.
struct AnswerPrinter {
  Format format;

  void operator()(const analysis::Comparison& comparison) const {
    print_comparison(comparison, format);
  }
  void operator()(const analysis::Factors& factors) const { print_factors(factors, format, ""); }
  void operator()(const analysis::Show& show) const { print_show(show, format); }
  void operator()(const analysis::SelfTest& result) const {
    print_rendered(format == Format::kTable ? report::self_test_table(result)
                   : format == Format::kCsv ? report::self_test_csv(result)
                                            : report::self_test_json(result),
                   format, result.sentence, result.warnings);
  }
  void operator()(const analysis::LocalGlobal& answer) const {
    print_rendered(format == Format::kTable ? report::local_global_table(answer)
                   : format == Format::kCsv ? report::local_global_csv(answer)
                                            : report::local_global_json(answer),
                   format, answer.sentence, answer.warnings);
  }
  void operator()(const analysis::SyncBias& bias) const {
    print_rendered(format == Format::kTable ? report::sync_bias_table(bias)
                   : format == Format::kCsv ? report::sync_bias_csv(bias)
                                            : report::sync_bias_json(bias),
                   format, bias.sentence, bias.comparison.warnings);
  }
};

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

int print_answered(const analysis::Answered& answered, const AnswerOptions& options) {
  if (const auto* comparison = std::get_if<analysis::Comparison>(&answered)) {
    return print_outcome(*comparison, options);
  }
  std::visit(AnswerPrinter{options.format}, answered);
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
