#include "cli/answer.hpp"

#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

#include "analysis/steps/steps.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "report/export/junit.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
void print(const std::string& text) {
  std::cout << text;
  flush_output();
}

void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw base::CommandError(base::Exit::kMeasurementFailed,
                             {{.place = "stdout", .what = "cannot be written"}});
  }
}

void add_format_option(CLI::App& command, AnswerWords& words) {
  command.add_option("--format", words.format, "table, csv, json or markdown")->type_name("F");
  add_verbose_option(command, words);
}

void add_verbose_option(CLI::App& command, AnswerWords& words) {
  command.add_flag("--verbose", words.verbose, "all rows and all remarks, longer than a screen");
}

void add_outcome_options(CLI::App& command, AnswerWords& words) {
  command
      .add_option(
          "--fail-on", words.fail_on,
          "exit with 1 if an arm is `slower` than the first one; `slower:5%`: if it is slower "
          "by more than that, which then is the question")
      ->type_name("slower[:P]");
  command
      .add_option("--undecided-exit", words.undecided_exit,
                  "exit status where a cell is undecided, failed or damaged (git bisect: 125)")
      ->type_name("N");
  command.add_flag("--bisect", words.bisect,
                   "exit statuses for git bisect run: 0 good, 1 slower (or as --fail-on says), 125 "
                   "this revision cannot be judged, 128 no revision could be");
}

void add_file_options(CLI::App& command, AnswerWords& words) {
  command
      .add_option("--junit", words.junit,
                  "also writes a test case a cell, as JUnit's XML; with --fail-on cells can fail")
      ->type_name("FILE");
  command
      .add_option("--markdown", words.markdown,
                  "also writes the answer for a pull request; "
                  "folders on the way to either are made")
      ->type_name("FILE");
}

namespace {

// A file that cannot be written is told before anything is measured.
std::filesystem::path checked_file(const std::string& option, const std::string& word,
                                   base::Faults& faults) {
  std::filesystem::path path(word);
  std::error_code ignored;
  if (word.empty()) return path;
  if (std::filesystem::is_directory(path, ignored)) {
    faults.add(option, "'" + word + "' is a directory", "name a file");
  } else if (const std::string problem = write_problem(path); !problem.empty()) {
    faults.add(option, problem, "name a file elsewhere");
  }
  return path;
}

void write_files(const analysis::Answer& answer, const analysis::Comparison* comparison,
                 const AnswerOptions& options) {
  if (!options.markdown.empty()) {
    replace_file(options.markdown,
                 report::reporter(Format::kMarkdown).print(answer, {}, options.verbose).out);
  }
  if (options.junit.empty()) return;
  if (comparison == nullptr) {
    throw base::UserError("--junit", "no two arms were compared in this campaign",
                          "leave it out, or ask 'invar compare'");
  }
  replace_file(options.junit,
               report::junit_xml("invar", analysis::test_cases(*comparison, options.outcome)));
}

}  // namespace

AnswerOptions parse_answer_words(const AnswerWords& words) {
  base::Faults faults;
  AnswerOptions options;
  options.verbose = words.verbose;
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
  if (!words.fail_on.empty()) {
    if (const auto complaint = design::read_gate(words.fail_on, options.gate.emplace())) {
      faults.add("--fail-on", complaint->what, complaint->remedy);
    }
    options.outcome.fail_on_slower = true;
  }
  if (!words.undecided_exit.empty()) {
    const auto status = base::parse_u64(words.undecided_exit);
    if (!status || *status > 255) {
      faults.add("--undecided-exit", "'" + words.undecided_exit + "' is not an exit status",
                 "write a number from 0 to 255");
    } else {
      options.outcome.undecided_exit = static_cast<int>(*status);
    }
  }
  if (words.bisect) {
    if (!words.undecided_exit.empty()) {
      faults.add("--bisect", "what is undecided then has the exit status 125",
                 "leave --undecided-exit out");
    }
    options.bisect = true;
    options.outcome = {.fail_on_slower = true, .undecided_exit = kBisectSkip};
  }
  options.junit = checked_file("--junit", words.junit, faults);
  options.markdown = checked_file("--markdown", words.markdown, faults);
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

void print_answer(const analysis::Answer& answer, const AnswerOptions& options,
                  std::string_view table) {
  const report::Printed printed =
      report::reporter(options.format).print(answer, table, options.verbose);
  print(printed.out);
  std::cerr << printed.talk;
}

int outcome_of(const analysis::Comparison& comparison, const AnswerOptions& options) {
  if (analysis::is_gate(comparison, options.outcome)) {
    std::cerr << report::printable(analysis::gate_text(comparison, options.outcome)) << "\n";
  }
  return analysis::outcome_status(comparison, options.outcome);
}

int print_outcome(const analysis::Comparison& comparison, const AnswerOptions& options,
                  const analysis::Study* study) {
  analysis::Answer answer = analysis::answer_of(comparison);
  if (study != nullptr) analysis::add_steps(answer, *study);
  print_answer(answer, options);
  // The gate's line first: a file that cannot be written must not hide it.
  const int status = outcome_of(comparison, options);
  write_files(answer, &comparison, options);
  return status;
}

int finish_with(const analysis::Answer& answer, const AnswerOptions& options,
                std::string_view table) {
  print_answer(answer, options, table);
  write_files(answer, nullptr, options);
  return analysis::exit_status(answer.health, {}, options.outcome);
}

int ask_and_print(const analysis::Study& study, const analysis::AskedQuestion& asked,
                  const AnswerOptions& options, bool kept) {
  const analysis::QuestionRow& row = analysis::row_of(asked.question);
  analysis::require(row.lacking(study));
  analysis::Answered answered = row.ask(study, analysis::Detail::kAll);
  if (!kept) answered.answer.next.clear();
  if (auto remark = analysis::remark_on(asked)) {
    answered.answer.warnings.push_back(std::move(*remark));
  }
  const auto* comparison = answered.as<analysis::Comparison>();
  if (comparison == nullptr) return finish_with(answered.answer, options);
  print_answer(answered.answer, options);
  const int status = outcome_of(*comparison, options);
  write_files(answered.answer, comparison, options);
  return status;
}

}  // namespace invar::cli
