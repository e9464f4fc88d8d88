#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <vector>

#include "analysis/show_as.hpp"
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "report/observations.hpp"
#include "report/osu_output.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

struct ExportOptions {
  std::string dir;
  std::string to;
  std::string output;
};

void write(const store::Data& data, const std::string& to, std::ostream& out) {
  if (to == "csv") {
    report::write_observations_csv(data, out);
  } else {
    report::write_observations_json(data, out);
  }
  out.flush();
}

// Every block to standard output, or each into a file of a new directory. The exit status that the
// data deserve.
base::Exit write_osu(const store::Data& data, const ExportOptions& options) {
  const analysis::ShownAs shown = analysis::show_as(data, {.suites = {"osu"}});
  // The files have no place for what is missing.
  for (const std::string& warning : shown.warnings) {
    fmt::print(stderr, "invar: look at: {}\n", warning);
  }
  for (const analysis::SuiteRow& row : shown.rows) {
    const analysis::SuiteReport& report = row.suites.front();
    if (report::has_osu_numbers(report)) continue;
    fmt::print(stderr, "invar: left out: {}, {}: {}\n", record::cell_text(row.cell), row.arm,
               report.numbers.empty()
                   ? report.missing
                   : "a program of its own prints one number, OSU's print three");
  }
  const base::Exit status = shown.measurement_failed ? base::Exit::kMeasurementFailed
                            : shown.incomplete       ? base::Exit::kIncomplete
                                                     : base::Exit::kDone;
  const std::vector<report::OsuOutput> outputs = report::osu_outputs(shown);
  if (outputs.empty() && status == base::Exit::kDone) {
    throw base::UserError("--to osu", "nothing here that OSU's programs would print",
                          "measure with --presets osu, or export --to csv");
  }
  if (options.output.empty()) {
    for (const report::OsuOutput& output : outputs) {
      std::cout << (outputs.size() > 1 ? "# " + output.name : std::string()) << output.text;
    }
    std::cout.flush();
    if (!std::cout) throw base::UserError("standard output", "cannot be written");
    return status;
  }
  const std::filesystem::path dir = options.output;
  if (std::filesystem::exists(dir)) {
    throw base::UserError(options.output, "exists already", "choose another name, or remove it");
  }
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  bool written = !error;
  for (const report::OsuOutput& output : outputs) {
    std::ofstream file(dir / (output.name + ".txt"), std::ios::binary);
    file << output.text;
    file.close();
    written = written && static_cast<bool>(file);
  }
  if (written) return status;
  std::filesystem::remove_all(dir, error);
  throw base::UserError(options.output, "cannot be written", "look at its directory and the disk");
}

// Beside the file and renamed, so that there is a whole file or none.
void write_file(const store::Data& data, const ExportOptions& options) {
  if (std::filesystem::exists(options.output)) {
    throw base::UserError(options.output, "exists already", "choose another name, or remove it");
  }
  const std::string beside = options.output + ".tmp" + std::to_string(getpid());
  std::ofstream file(beside, std::ios::binary);
  write(data, options.to, file);
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, options.output, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    throw base::UserError(options.output, "cannot be written",
                          "look at its directory and the disk");
  }
}

int run(const ExportOptions& options) {
  const store::Data data = store::read_campaign_dir(options.dir);
  for (const store::DataFault& fault : data.damage) {
    fmt::print(stderr, "invar: damaged and left out: {}: {}\n", fault.place, fault.what);
  }
  base::Exit status = base::Exit::kDone;
  if (options.to == "osu") {
    status = write_osu(data, options);
  } else if (options.output.empty()) {
    write(data, options.to, std::cout);
    // A reader that has seen enough (`| head`) is no failure: SIGPIPE ends us before this.
    if (!std::cout) throw base::UserError("standard output", "cannot be written");
  } else {
    write_file(data, options);
  }
  return static_cast<int>(data.damage.empty() ? status : base::Exit::kDamaged);
}

}  // namespace

void add_export(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "every observation, for other tools");
  command->add_option("DIR", options->dir, "the campaign's directory")->required();
  command
      ->add_option("--to", options->to,
                   "csv, json, or osu: what osu_allreduce and its sisters print with -f")
      ->required()
      ->check(CLI::IsMember({"csv", "json", "osu"}));
  command->add_option("-o,--output", options->output,
                      "a new file (osu: a new directory, one file an operation and arm); standard "
                      "output if left out");
  command->callback([&outcome, options] { outcome.run = [options] { return run(*options); }; });
}

}  // namespace invar::cli
