#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

#include "analysis/clocks/clock_experiments.hpp"
#include "analysis/compare/compare.hpp"
#include "analysis/compare/compared_table.hpp"
#include "analysis/network/network_import.hpp"
#include "analysis/page/campaign_page.hpp"
#include "analysis/page/page.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/reproduce/reproduce_directory.hpp"
#include "analysis/study/outcome.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/show_as.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/network/platform_directory.hpp"
#include "cli/problems.hpp"
#include "cli/terminal.hpp"
#include "platform/simgrid_csv.hpp"
#include "report/anonymise/anonymise.hpp"
#include "report/export/clock_rows.hpp"
#include "report/export/figures.hpp"
#include "report/export/observations.hpp"
#include "report/export/osu_output.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"
#include "report/kit/text_table.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"
#include "store/reproduction.hpp"
#include "store/version.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string dir;
  std::string to;
  std::string output;
  std::string method = {};
  std::string alternative = {};
  bool anonymise = false;

  [[nodiscard]] bool figures() const { return report::is_figure_language(to); }
  // What answers are made by, where it is not as the campaign says.
  [[nodiscard]] analysis::CompareOptions compared() const {
    analysis::CompareOptions options;
    if (!method.empty()) options.method = method;
    if (!alternative.empty()) options.alternative = alternative;
    return options;
  }
};

void write_export(const store::Data& data, const std::string& to, std::ostream& out) {
  if (to == "csv") {
    report::write_observations_csv(data, out);
  } else {
    report::write_observations_json(data, out);
  }
  out.flush();
}

// Beside it and renamed, so that there is a whole directory or none.
void write_new_directory(const std::string& name, const std::vector<report::FigureFile>& files) {
  fs::path dir(name);
  if (!dir.has_filename()) dir = dir.parent_path();
  std::error_code error;
  if (fs::exists(dir, error)) {
    throw base::UserError(name, "exists already", "choose another name, or remove it");
  }
  const fs::path beside = dir.string() + ".tmp" + std::to_string(getpid());
  fs::create_directories(beside, error);
  bool written = !error;
  for (const report::FigureFile& file : files) {
    if (!written) break;
    const fs::path path = beside / file.path;
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    out.close();
    written = !error && static_cast<bool>(out);
  }
  if (written) fs::rename(beside, dir, error);
  if (written && !error) return;
  fs::remove_all(beside, error);
  throw base::UserError(name, "cannot be written", "look at its directory and the disk");
}

// Every block to standard output, or each into a file of a new directory. The exit status that the
// data deserve.
base::Exit write_osu(const store::Data& data, const ExportOptions& options) {
  const analysis::ShownAs shown = analysis::show_as(analysis::Study(data, {.method = "invar"}),
                                                    {.suites = {"osu"}, .option = "--to"});
  // The files have no place for what is missing.
  for (const std::string& warning : shown.warnings) {
    tell("invar: look at: " + warning);
  }
  for (const analysis::SuiteRow& row : shown.rows) {
    const analysis::SuiteReport& report = row.suites.front();
    if (report::has_osu_numbers(report)) continue;
    const char* lack = report.benchmark == nullptr
                           ? "a program of its own prints one number, OSU's print three"
                           : "OSU's program prints a rate, and no bytes have none";
    tell("invar: left out: " + record::cell_text(row.cell) + ", " + row.arm + ": " +
         (report.numbers.empty() ? report.missing : lack));
  }
  const base::Exit status = analysis::status_of(shown.health);
  const std::vector<report::OsuOutput> outputs = report::osu_outputs(shown);
  if (outputs.empty() && status == base::Exit::kDone) {
    throw base::UserError("--to osu", "nothing here that OSU's programs would print",
                          "measure with --presets osu, or export --to csv");
  }
  if (options.output.empty()) {
    for (const report::OsuOutput& output : outputs) {
      if (outputs.size() > 1) std::cout << "# " << base::without_controls(output.name);
      const std::vector<std::string_view> lines = base::split(output.text, '\n');
      for (std::size_t i = 0; i < lines.size(); ++i) {
        std::cout << (i > 0 ? "\n" : "") << base::without_controls(lines[i]);
      }
    }
    flush_output();
    return status;
  }
  std::vector<report::FigureFile> files;
  files.reserve(outputs.size());
  for (const report::OsuOutput& output : outputs) {
    files.push_back({.path = output.name + ".txt", .text = output.text});
  }
  write_new_directory(options.output, files);
  return status;
}

// Beside the file and renamed, so that there is a whole file or none.
void write_file(const ExportOptions& options, const std::function<void(std::ostream&)>& write) {
  if (std::filesystem::exists(options.output)) {
    throw base::UserError(options.output, "exists already", "choose another name, or remove it");
  }
  make_parents(options.output);
  const std::string beside = options.output + ".tmp" + std::to_string(getpid());
  std::ofstream file(beside, std::ios::binary);
  write(file);
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, options.output, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    throw base::UserError(options.output, "cannot be written",
                          "look at its directory and the disk");
  }
  // As text, observations take several times what they take in the campaign.
  constexpr double kWorthTelling = 10e6;
  const auto bytes = static_cast<double>(fs::file_size(options.output, error));
  if (!error && bytes >= kWorthTelling) {
    fmt::print(stderr, "{}: {:.0f} MB\n", options.output, bytes / 1e6);
  }
}

// To the file that was asked for, or standard output.
void write_text(const ExportOptions& options, const std::function<void(std::ostream&)>& write) {
  if (!options.output.empty()) {
    write_file(options, write);
    return;
  }
  write(std::cout);
  // A reader that has seen enough (`| head`) is not a failure: SIGPIPE ends us before this.
  flush_output();
}

// What the campaign was made for: of a comparison the headline's rows, of any other question what
// its command prints as CSV. The exit status that the data deserve.
base::Exit write_answers(const store::Data& data, const ExportOptions& options) {
  const analysis::Study study(data, options.compared());
  const design::Question asked = analysis::asked_question(study).question;
  // A method is asked for of what compares.
  if (asked != design::Question::kCompare && options.method.empty() &&
      options.alternative.empty()) {
    const analysis::QuestionRow& row = analysis::row_of(asked);
    analysis::require(row.lacking(study));
    const analysis::Answered answered = row.ask(study, analysis::Detail::kWithoutFigures);
    write_text(options, [&](std::ostream& out) { out << report::answer_csv(answered.answer, {}); });
    std::cerr << report::answer_talk(answered.answer);
    return analysis::status_of(answered.answer.health);
  }
  const analysis::Comparison comparison = analysis::compare(study);
  const std::string text = report::table_csv(analysis::compact_table(comparison));
  write_text(options, [&](std::ostream& out) { out << text; });
  // CSV has no place for what makes an answer doubtful.
  std::cerr << report::answer_talk(analysis::answer_of(comparison));
  return analysis::status_of(comparison.health);
}

base::Exit status_with(const store::Data& data, base::Exit status) {
  return data.damage.empty() ? status : base::Exit::kDamaged;
}

// What is drawn and what is not, where it lies.
void tell_figures(const report::FigureExport& figures, const ExportOptions& options) {
  for (const std::string& left : figures.left_out) {
    fmt::print(stderr, "invar: left out: {}\n", report::printable(left));
  }
  print(fmt::format("{}: {}\n", options.output, base::join(figures.drawn, ", ")));
}

void write_figures(std::vector<report::FigureTable> tables, std::vector<report::LineFigure> lines,
                   const report::FigureContext& context, const analysis::Health& health,
                   const ExportOptions& options) {
  const report::FigureExport figures =
      report::figure_export(std::move(tables), std::move(lines), options.to, context);
  if (figures.drawn.empty()) {
    const base::Exit status = analysis::status_of(health);
    throw base::CommandError(status == base::Exit::kDone ? base::Exit::kMeasurementFailed : status,
                             {{.place = options.dir,
                               .what = "nothing here to draw",
                               .remedy = "'invar verify' says what there is"}});
  }
  write_new_directory(options.output, figures.files);
  tell_figures(figures, options);
}

std::vector<std::string> given_away_texts(std::vector<std::string> texts,
                                          report::Anonymiser* names) {
  if (names == nullptr) return texts;
  for (std::string& text : texts) text = names->apply(text);
  return texts;
}

report::FigureContext context_of(const ExportOptions& options, report::Anonymiser* names) {
  report::FigureContext context{.campaign = analysis::campaign_names({options.dir}).front(),
                                .invar = std::string(store::invar_version())};
  if (names != nullptr) context.campaign = names->apply(context.campaign);
  return context;
}

// Repeats of a campaign: one figure.
int export_reproduction(const ExportOptions& options) {
  analysis::Reproduced reproduced = analysis::reproduced_from(options.dir);
  report::Anonymiser names;
  if (options.anonymise) {
    for (const fs::path& dir : analysis::campaigns_of(options.dir)) {
      names.learn(store::read_campaign_dir(dir));
    }
    names.learn_own();
    names.apply(reproduced.arms);
    reproduced.sentence = names.apply(reproduced.sentence);
  }
  report::Anonymiser* given_away = options.anonymise ? &names : nullptr;
  report::FigureContext context = context_of(options, given_away);
  context.sentence = reproduced.sentence;
  context.state = analysis::to_string(analysis::state_of(reproduced.health));
  context.warnings = given_away_texts(analysis::texts_of(reproduced.warnings), given_away);
  write_figures(report::figure_tables(reproduced), {}, context, reproduced.health, options);
  return analysis::exit_status(reproduced.health);
}

// Raw data, repeats, and experiments with clocks are by no method that one could choose.
void refuse_method(const ExportOptions& options, bool has_arms) {
  if (options.method.empty() && options.alternative.empty()) return;
  if (has_arms && (options.figures() || options.to == "answers")) return;
  throw base::UserError(options.method.empty() ? "--alternative" : "--method",
                        has_arms ? "--to " + options.to + " compares nothing"
                                 : options.dir + " holds no campaign that compares arms",
                        "leave it out");
}

int export_figures(const store::Data& data, const ExportOptions& options,
                   report::Anonymiser* names) {
  report::FigureContext context = context_of(options, names);
  analysis::FigureResolution resolution =
      analysis::figure_resolution(data.arms.size() * data.cells.size());
  resolution.for_papers = true;
  const analysis::CampaignPage page = analysis::campaign_page(
      analysis::Study(data, options.compared()), context.campaign, resolution);
  if (page.found<analysis::Comparison>() == nullptr) refuse_method(options, false);
  context.sentence = names != nullptr ? names->apply(page.sentence) : page.sentence;
  context.state = analysis::to_string(page.state);
  context.problems = given_away_texts(page.problems, names);
  if (const auto* comparison = page.found<analysis::Comparison>()) {
    context.warnings = given_away_texts(analysis::texts_of(comparison->warnings), names);
  } else {
    for (const analysis::AnswerOnPage& one : page.answers) {
      if (one.answer.question != design::to_string(page.asked)) continue;
      context.warnings = given_away_texts(analysis::texts_of(one.answer.warnings), names);
    }
  }
  tell_problems(context.campaign, page.problems, names);
  std::vector<report::LineFigure> lines;
  for (const analysis::AnswerOnPage& one : page.answers) {
    for (report::LineFigure& line : report::line_figures(one.answer)) {
      lines.push_back(std::move(line));
    }
  }
  write_figures(report::figure_tables(page), std::move(lines), context, page.health, options);
  return analysis::exit_status(page.health);
}

// For an answer without a campaign, such as that of an experiment with clocks.
void write_answer_figures(const analysis::Answer& answer, const ExportOptions& options,
                          report::Anonymiser& names) {
  report::Anonymiser* given_away = options.anonymise ? &names : nullptr;
  report::FigureContext context = context_of(options, given_away);
  context.sentence = given_away_texts({answer.sentence}, given_away).front();
  context.state = analysis::to_string(analysis::state_of(answer.health));
  context.warnings = given_away_texts(analysis::texts_of(answer.warnings), given_away);
  write_figures({}, report::line_figures(answer), context, answer.health, options);
}

// An experiment with clocks: its raw rows, or pictures of its answer.
int export_clocks(const ExportOptions& options) {
  if (options.to == "osu" || options.to == "answers" || options.to == "simgrid") {
    throw base::UserError("--to " + options.to,
                          options.dir + " holds an experiment with clocks, which compares no arms",
                          "invar show " + base::shell_quoted(options.dir) +
                              " --format csv has its answer, invar export --to csv its rows");
  }
  const store::ClockData data = store::read_clock_dir(options.dir);
  if (!options.figures()) {
    // Rows have no names of hosts and people.
    const std::string text = options.to == "csv" ? data.rows : report::clock_rows_json(data);
    write_text(options, [&](std::ostream& out) { out << text; });
    for (const store::FailedClockLaunch& failed : data.failed) {
      fmt::print(stderr, "invar: {}\n", report::printable(store::failed_text(failed)));
    }
    return static_cast<int>(data.failed.empty() ? base::Exit::kDone
                                                : base::Exit::kMeasurementFailed);
  }
  const analysis::Answer answer = analysis::clock_answer(data);
  report::Anonymiser names;
  if (options.anonymise) {
    names.learn(data);
    names.learn_own();
  }
  write_answer_figures(answer, options, names);
  return analysis::exit_status(answer.health);
}

// Somebody else's calibration: its rows are its own files.
int export_calibration(const ExportOptions& options) {
  if (!options.figures() && options.to != "answers") {
    throw base::UserError("--to " + options.to,
                          options.dir + " holds a calibration, whose rows are in its own files",
                          "export --to answers, r, python or pgfplots");
  }
  const analysis::Answer answer =
      analysis::answer_of(analysis::network_of_calibration(options.dir));
  if (options.figures()) {
    report::Anonymiser names;
    if (options.anonymise) names.learn_own();
    write_answer_figures(answer, options, names);
  } else {
    write_text(options, [&](std::ostream& out) { out << report::answer_csv(answer, {}); });
    std::cerr << report::answer_talk(answer);
  }
  return analysis::exit_status(answer.health);
}

int run_export(const ExportOptions& options) {
  if (options.figures() && options.output.empty()) {
    throw base::UserError("-o", "a new directory is needed for --to " + options.to,
                          "write -o figures");
  }
  const bool repeats = fs::exists(fs::path(options.dir) / store::kReproduction);
  const bool clocks = !repeats && store::is_clock_dir(options.dir);
  const bool calibration = !repeats && !clocks && platform::is_calibration(options.dir);
  refuse_method(options, !repeats && !clocks && !calibration);
  if (repeats) {
    if (options.figures()) return export_reproduction(options);
    throw base::UserError(
        options.dir, "holds repeats of a campaign, each a campaign of its own",
        "invar export " + (fs::path(options.dir) / "01/invar").string() + " --to " + options.to);
  }
  if (clocks) return export_clocks(options);
  if (calibration) return export_calibration(options);
  store::Data data = store::read_campaign_dir(options.dir);
  report::Anonymiser names;
  if (options.anonymise) {
    names.learn(data);
    names.learn_own();
    names.apply(data);
  }
  if (options.figures()) {
    return export_figures(data, options, options.anonymise ? &names : nullptr);
  }
  for (const store::DataFault& fault : data.damage) {
    tell("invar: damaged and left out: " + fault.place + ": " + fault.what);
  }
  base::Exit status = base::Exit::kDone;
  if (options.to == "osu") {
    status = write_osu(data, options);
  } else if (options.to == "simgrid") {
    status = export_platform(data, options.output, options.anonymise);
  } else if (options.to == "answers") {
    status = write_answers(data, options);
  } else {
    write_text(options, [&](std::ostream& out) { write_export(data, options.to, out); });
  }
  return static_cast<int>(status_with(data, status));
}

}  // namespace

void add_export(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "every observation, for other tools; figures for papers with their data");
  command
      ->add_option("DIR", options->dir,
                   "the campaign's directory, that of 'invar clocks', or a folder "
                   "that SimGrid's platform-calibration left")
      ->required();
  command
      ->add_option(
          "--to", options->to,
          "csv or json: every observation; answers: what the campaign was made for as a "
          "small CSV, of a comparison times, ratios and verdicts; osu: what osu_allreduce "
          "and its sisters print with -f; simgrid: of invar network the platform that SimGrid "
          "reads; r, python "
          "or pgfplots: tidy data and a script a figure")
      ->required()
      ->check(
          CLI::IsMember({"csv", "json", "answers", "osu", "simgrid", "r", "python", "pgfplots"}));
  command->add_option("-o,--output", options->output,
                      "a new file (osu, simgrid: a new directory of several files), and the "
                      "folders on the way to it; standard output if left out. Figures need a new "
                      "directory");
  command
      ->add_option("--method", options->method,
                   "of figures and answers: as 'invar compare --method', not as the campaign says")
      ->type_name("M");
  command
      ->add_option("--alternative", options->alternative,
                   "of these: as 'invar compare --alternative'")
      ->type_name("A");
  command->add_flag("--anonymise", options->anonymise,
                    "names of hosts and users, addresses, folders and the environment replaced");
  command->callback(
      [&outcome, options] { outcome.run = [options] { return run_export(*options); }; });
}

}  // namespace invar::cli
