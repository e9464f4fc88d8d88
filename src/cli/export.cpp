#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "report/observations.hpp"
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
  if (options.output.empty()) {
    write(data, options.to, std::cout);
    // A reader that has seen enough (`| head`) is no failure: SIGPIPE ends us before this.
    if (!std::cout) throw base::UserError("standard output", "cannot be written");
  } else {
    write_file(data, options);
  }
  return static_cast<int>(data.damage.empty() ? base::Exit::kDone : base::Exit::kDamaged);
}

}  // namespace

void add_export(CLI::App& app, Outcome& outcome) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "every observation, for other tools");
  command->add_option("DIR", options->dir, "the campaign's directory")->required();
  command->add_option("--to", options->to, "csv or json")
      ->required()
      ->check(CLI::IsMember({"csv", "json"}));
  command->add_option("-o,--output", options->output, "a new file; standard output if left out");
  command->callback([&outcome, options] { outcome.run = [options] { return run(*options); }; });
}

}  // namespace invar::cli
