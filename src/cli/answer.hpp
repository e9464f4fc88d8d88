// What every subcommand that ends with a comparison shares: options of the outcome, and printing.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/study/outcome.hpp"
#include "design/campaign/gate.hpp"
#include "report/kit/reporters.hpp"

namespace invar::cli {

using report::Format;

// --format, --fail-on, --undecided-exit, --bisect, --junit, --markdown, as words.
struct AnswerWords {
  std::string format = "table";
  bool verbose = false;
  std::string junit = {};
  std::string markdown = {};
  std::string fail_on = {};
  std::string undecided_exit = {};
  bool bisect = false;
};

// Registers --format and --verbose; the others with add_outcome_options and add_file_options.
// `words` must outlive the command.
void add_format_option(CLI::App& command, AnswerWords& words);
void add_verbose_option(CLI::App& command, AnswerWords& words);
void add_outcome_options(CLI::App& command, AnswerWords& words);
void add_file_options(CLI::App& command, AnswerWords& words);

struct AnswerOptions {
  Format format = Format::kTable;
  bool verbose = false;                   // people see all rows and all remarks
  std::optional<design::Gate> gate = {};  // of --fail-on
  analysis::OutcomeOptions outcome = {};
  // Exit statuses as `git bisect run` takes them; `outcome` follows.
  bool bisect = false;
  // Files that get the answer as well; empty: none.
  std::filesystem::path junit = {};
  std::filesystem::path markdown = {};
};

// Throws UserError with every word that is unknown or out of range. To be called before anything
// is measured.
AnswerOptions parse_answer_words(const AnswerWords& words);

// `git bisect run` skips a revision that cannot be judged, and stops where no revision could be.
inline constexpr int kBisectSkip = 125;
inline constexpr int kBisectStop = 128;

// Runs what measures or compares. A status of 3, 4 or 5, returned or thrown, becomes that of
// --undecided-exit if it was given: a `git bisect run` must not take a crash for a slow revision.
int with_undecided_exit(const AnswerOptions& options, const std::function<int()>& run);

// To stdout. Throws CommandError if that cannot be written.
void print(const std::string& text);
// What was written to std::cout or stdout piece by piece has arrived. Throws as print(). Every
// command ends with it (parse.cpp).
void flush_output();

// The answer to stdout, and to stderr what the format has no room for. `table`: the id of the one
// that --format csv prints; empty: the first. Throws CommandError if stdout cannot be written.
void print_answer(const analysis::Answer& answer, const AnswerOptions& options,
                  std::string_view table = {});

// Prints an answer that compares no arms, writes the files that were asked for, and returns the
// exit status that its health has. Throws as print_answer().
int finish_with(const analysis::Answer& answer, const AnswerOptions& options,
                std::string_view table = {});

// The exit status of a comparison, with --fail-on, or where the campaign is a gate, what that found
// on stderr.
int outcome_of(const analysis::Comparison& comparison, const AnswerOptions& options);
// After the comparison itself. `study`: of one campaign, whose steps are told where it chose sizes;
// null: there is no such one.
int print_outcome(const analysis::Comparison& comparison, const AnswerOptions& options,
                  const analysis::Study* study = nullptr);
// Asks one question of a study, and prints the answer. Returns the exit status; throws CommandError
// where something is lacking. `kept`: false where the data will not be kept, so that the answer
// names no directory.
int ask_and_print(const analysis::Study& study, const analysis::AskedQuestion& asked,
                  const AnswerOptions& options, bool kept = true);

}  // namespace invar::cli
