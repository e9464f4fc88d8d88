// `invar mpi`: the MPI libraries of this machine.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/install.hpp"
#include "launch/libraries/profile.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/shim.hpp"
#include "launch/process/command.hpp"
#include "launch/process/files.hpp"
#include "launch/start/launcher.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct MpiOptions {
  std::string name = {};
  std::string format = "table";
  std::string mpicxx = {};
  std::string mpirun = {};
  std::vector<std::string> environment = {};
  std::string launch_template = {};
  std::string cxxflags = {};
  bool abi = false;
  std::string library = {};
  std::string version = {};
  std::string operations = {};
  std::string output = {};
  std::uint32_t ranks = 2;
  bool oversubscribe = false;
  double limit_s = 300;
  std::vector<std::string> command = {};
};

std::vector<std::pair<std::string, std::string>> pairs(const std::vector<std::string>& texts) {
  base::Faults faults;
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      faults.add("--env", "'" + text + "' is no KEY=VALUE");
    } else {
      result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  faults.throw_if_any();
  return result;
}

std::string state_of(const launch::ProfileState& one) {
  if (one.problem.empty() && !one.profile.engine_of.empty()) {
    return "ready, that of " + one.profile.engine_of;
  }
  if (one.problem.empty()) return "ready";
  return "does not work";
}

// What a profile was added with: profiles of one library differ in that.
void print_options(const std::vector<launch::ProfileState>& all) {
  bool first = true;
  for (const launch::ProfileState& one : all) {
    const bool launcher_tells = std::any_of(all.begin(), all.end(), [&](const auto& other) {
      return other.profile.mpicxx == one.profile.mpicxx &&
             other.profile.mpirun != one.profile.mpirun && !one.profile.mpirun.empty() &&
             !other.profile.mpirun.empty();
    });
    const std::string text =
        (launcher_tells ? " --mpirun " + base::shell_quoted(one.profile.mpirun) : "") +
        launch::added_with(one.profile);
    if (text.empty()) continue;
    print(fmt::format("{}  {}:{}\n", first ? "\n" : "", one.profile.name, text));
    first = false;
  }
}

int list(const std::string& format) {
  const std::vector<launch::ProfileState> all = launch::list_profiles();
  std::size_t ready = 0;
  std::size_t measurable = 0;
  for (const launch::ProfileState& one : all) {
    // A simulator is not a machine, and what is built in for where there is no library is not a
    // library.
    const launch::LibraryKind& kind = launch::kind_of(one.profile.family);
    if (kind.simulates || kind.alone) continue;
    ++measurable;
    ready += one.problem.empty() ? 1U : 0U;
  }
  // A script that prepares a machine must not take "none works" for success.
  const auto status =
      static_cast<int>(ready == 0 ? base::Exit::kMeasurementFailed : base::Exit::kDone);
  if (format == "json") {
    OrderedJson json = {{"schema", 1}, {"profiles", OrderedJson::array()}};
    for (const launch::ProfileState& one : all) {
      const launch::Profile& profile = one.profile;
      OrderedJson environment = OrderedJson::object();
      for (const auto& [name, value] : profile.environment) environment[name] = value;
      json["profiles"].push_back({{"name", profile.name},
                                  {"version", profile.version},
                                  {"short_version", profile.short_version},
                                  {"standard", profile.standard},
                                  {"compiler", profile.compiler},
                                  {"mpicxx", profile.mpicxx},
                                  {"mpirun", profile.mpirun},
                                  {"detected", profile.detected},
                                  {"simulates", launch::kind_of(profile.family).simulates},
                                  {"alone", launch::kind_of(profile.family).alone},
                                  {"engine", profile.engine.string()},
                                  {"engine_of", profile.engine_of},
                                  {"cxxflags", profile.cxxflags},
                                  {"mpirun", profile.mpirun},
                                  {"launch_template", profile.launch_template},
                                  {"environment", environment},
                                  {"operations_dir", profile.operations_dir.string()},
                                  {"wheel", profile.wheel},
                                  {"state", state_of(one)},
                                  {"problem", one.problem}});
    }
    print(fmt::format("{}\n", json.dump(1, ' ', false, OrderedJson::error_handler_t::replace)));
    return status;
  }
  if (measurable == 0) {
    print(fmt::format("No MPI library was found on this machine.\n\n"));
    print(fmt::format(
        "  apt-get install -y openmpi-bin libopenmpi-dev mpich libmpich-dev\n"
        "  or one that is elsewhere: invar mpi add NAME --mpicxx WRAPPER --mpirun LAUNCHER\n"));
    if (all.empty()) return status;
    print(fmt::format("\n"));
  } else {
    print(fmt::format("{} of {} {} ready to be measured.\n\n",
                      ready == 0 ? "None" : std::to_string(ready),
                      base::count_text(measurable, "MPI library"), ready > 1 ? "are" : "is"));
  }
  report::TextTable table;
  for (const char* header : {"name", "version", "MPI", "compiler", "wrapper", "engine"}) {
    table.add_column(header, report::Align::kLeft);
  }
  for (const launch::ProfileState& one : all) {
    const launch::Profile& profile = one.profile;
    const std::string version = profile.version.substr(0, profile.version.find(','));
    table.add_row({profile.name, version.empty() ? profile.short_version : version,
                   profile.standard, profile.compiler, profile.mpicxx, state_of(one)});
  }
  print(fmt::format("{}", table.text()));
  print_options(all);
  for (const launch::ProfileState& one : all) {
    if (one.problem.empty()) continue;
    print(fmt::format("\n{} does not work ('invar mpi show {}' tries again):\n  {}\n",
                      one.profile.name, one.profile.name, one.problem));
  }
  return status;
}

int show_profile(const MpiOptions& options) {
  const launch::Profile profile = launch::find_profile(options.name);
  if (options.format == "json") {
    print(fmt::format("{}\n", launch::profile_json(profile)));
    return 0;
  }
  print(fmt::format("{} is {} (MPI {}).\n\n", profile.name, profile.version, profile.standard));
  print(fmt::format("  wrapper         {}\n", profile.mpicxx));
  print(fmt::format("  compiler        {}\n", profile.compiler));
  print(fmt::format("  flags           {}\n", profile.compiler_flags));
  print(fmt::format("  launcher        {}\n",
                    profile.launch_template.empty() ? profile.mpirun : profile.launch_template));
  launch::StartOptions two;
  two.arguments = {"..."};
  if (launch::kind_of(profile.family).alone) two.ranks = 1;
  print(fmt::format("  starts as       {}\n",
                    launch::command_text(launch::launch_command(profile, two))));
  print(fmt::format("  engine          {}{}\n", profile.engine.string(),
                    profile.engine_of.empty() ? "" : " (of " + profile.engine_of + ")"));
  print(fmt::format("  two-rank start  {:.2f} s\n", profile.startup_s));
  print(fmt::format("  found           {}\n", profile.detected        ? "on this machine"
                                              : profile.wheel.empty() ? "added by hand"
                                                                      : "PyPI, " + profile.wheel));
  for (const auto& [name, value] : profile.environment) {
    print(fmt::format("  environment     {}={}\n", name, value));
  }
  if (!profile.operations_dir.empty()) {
    print(fmt::format("  own operations  {}\n", profile.operations_dir.string()));
  }
  std::size_t can = 0;
  for (const record::OperationInfo& info : profile.operations)
    can += info.missing.empty() ? 1U : 0U;
  print(fmt::format("  operations      {} of {}\n", can, profile.operations.size()));
  for (const record::OperationInfo& info : profile.operations) {
    if (!info.missing.empty()) print(fmt::format("    lacks {}: {}\n", info.name, info.missing));
  }
  print(fmt::format("\n  libraries that it maps (CRC-32C-bytes)\n"));
  for (const auto& [path, checksum] : profile.checksums)
    print(fmt::format("    {}  {}\n", checksum, path));
  print(fmt::format("\n  {} control variables that an arm may set (name, type, value; items)\n",
                    profile.variables.size()));
  const launch::LibraryKind& kind = launch::kind_of(profile.family);
  const std::string beginning(kind.named_without ? kind.variables : "");
  for (const launch::ControlVariable& variable : profile.variables) {
    print(fmt::format("    {}{} {} {}{}\n", beginning, variable.name, variable.type, variable.value,
                      variable.items.empty() ? "" : "; " + base::join(variable.items, ", ")));
  }
  return 0;
}

int add(const MpiOptions& options) {
  const launch::Profile profile = launch::add_profile({.name = options.name,
                                                       .mpicxx = options.mpicxx,
                                                       .mpirun = options.mpirun,
                                                       .environment = pairs(options.environment),
                                                       .launch_template = options.launch_template,
                                                       .cxxflags = options.cxxflags,
                                                       .abi = options.abi,
                                                       .operations_dir = options.operations});
  print(fmt::format("{} is ready: {} (MPI {}), two ranks start in {:.2f} s.\n", profile.name,
                    profile.version, profile.standard, profile.startup_s));
  return 0;
}

int install(const MpiOptions& options) {
  const launch::Installed installed = launch::install_profile({.library = options.library,
                                                               .version = options.version,
                                                               .cxxflags = options.cxxflags,
                                                               .abi = options.abi});
  const launch::Profile& profile = installed.profile;
  if (installed.was_there) {
    print(fmt::format("{} is there already: {} (MPI {}).\n", profile.name, profile.version,
                      profile.standard));
    return 0;
  }
  print(fmt::format("{} is ready: {} (MPI {}), two ranks start in {:.2f} s, {} MB on disk.\n",
                    profile.name, profile.version, profile.standard, profile.startup_s,
                    (installed.size_bytes + 500'000) / 1'000'000));
  return 0;
}

int build_shim(const MpiOptions& options) {
  std::filesystem::path shim = launch::build_shim(launch::find_profile(options.name));
  if (!options.output.empty()) {
    const std::filesystem::path copy = std::filesystem::absolute(options.output);
    const std::optional<std::string> library = base::read_file(shim.string());
    if (!library) throw base::UserError(shim.string(), "cannot be read");
    replace_file(copy, *library);
    shim = copy;
  }
  print(fmt::format("The shim for programs of {} is {}.\n\n", options.name, shim.string()));
  print(
      fmt::format("  under it, with a table that 'invar tune' wrote: LD_PRELOAD={} "
                  "INVAR_TUNED_TABLE=$PWD/table.csv mpirun ...\n"
                  "  what it replaced: INVAR_TUNED_REPORT=1\n",
                  base::shell_quoted(shim.string())));
  return 0;
}

void print_file(const std::filesystem::path& path, std::FILE* to) {
  const std::string text = base::read_file(path.string()).value_or("");
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

// Runs the engine (or another program) as a launch would: for tests, and to see what goes wrong.
int run_mpi(const MpiOptions& options) {
  launch::Profile profile = launch::find_profile(options.name);
  const launch::ScratchDir scratch;
  launch::StartOptions start;
  start.ranks = options.ranks;
  start.oversubscribe = options.oversubscribe;
  start.environment = pairs(options.environment);
  start.dir = scratch.path();
  start.arguments = options.command;
  if (!start.arguments.empty() && !start.arguments.front().starts_with("-")) {
    profile.engine = start.arguments.front();
    start.arguments.erase(start.arguments.begin());
  }
  launch::Process process = launch::start(profile, start);
  const std::optional<int> status =
      process.wait(std::chrono::milliseconds(static_cast<std::int64_t>(options.limit_s * 1000)));
  if (!status) process.kill();
  print_file(scratch.path() / "stdout", stdout);
  print_file(scratch.path() / "stderr", stderr);
  if (!status) {
    throw base::CommandError(
        base::Exit::kMeasurementFailed,
        {base::Fault{.place = "mpi run",
                     .what = fmt::format("it did not end within {} s", options.limit_s),
                     .remedy = "--limit sets another one"}});
  }
  return *status;
}

}  // namespace

void add_mpi(CLI::App& app, Outcome& outcome) {
  const auto options = std::make_shared<MpiOptions>();
  CLI::App* mpi = app.add_subcommand("mpi", "MPI libraries that can be measured");
  mpi->require_subcommand(1);

  CLI::App* list_command = mpi->add_subcommand("list", "those found on this machine or added");
  list_command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  list_command->callback(
      [options, &outcome] { outcome.run = [options] { return list(options->format); }; });

  CLI::App* show_command = mpi->add_subcommand("show", "everything about one, with its variables");
  show_command->add_option("NAME", options->name, "as 'mpi list' prints it")->required();
  show_command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  show_command->callback(
      [options, &outcome] { outcome.run = [options] { return show_profile(*options); }; });

  CLI::App* add_command = mpi->add_subcommand("add", "a library by its wrapper and launcher");
  add_command->add_option("NAME", options->name, "what to call it")->required();
  add_command->add_option("--mpicxx", options->mpicxx, "its C++ compiler wrapper");
  add_command->add_option("--mpirun", options->mpirun, "its launcher (mpirun, mpiexec)");
  add_command->add_option(
      "--launch", options->launch_template,
      "command line of a launch, with {ranks} {hosts} {hostfile} {ppn} {env} {program} {args}");
  add_command
      ->add_option("--env", options->environment, "KEY=VALUE, set when building and launching")
      ->allow_extra_args(false);
  add_command->add_option("--ops", options->operations,
                          "folder of own operations: *.cpp and operations.def");
  add_command->callback([options, &outcome] { outcome.run = [options] { return add(*options); }; });

  add_command->add_option("--cxxflags", options->cxxflags,
                          "compiler flags of this profile's engine, behind Invar's own");
  add_command->add_flag("--abi", options->abi,
                        "engine for the MPI-5 ABI; without --mpicxx: shares the one that is there");

  CLI::App* install_command =
      mpi->add_subcommand("install", "a library from PyPI, with its engine");
  install_command
      ->add_option("LIBRARY", options->library, base::join(launch::installable_libraries(), " or "))
      ->required();
  install_command->add_option("VERSION", options->version, "5.0.10, ...; else the newest");
  install_command->add_option("--cxxflags", options->cxxflags,
                              "compiler flags of this profile's engine, behind Invar's own");
  install_command->add_flag("--abi", options->abi,
                            "also a profile NAME-abi, whose engine is built for the MPI-5 ABI");
  install_command->callback(
      [options, &outcome] { outcome.run = [options] { return install(*options); }; });

  CLI::App* remove_command =
      mpi->add_subcommand("remove", "forgets one, its engine, and what 'install' downloaded");
  remove_command->add_option("NAME", options->name, "as 'mpi list' prints it")->required();
  remove_command->callback([options, &outcome] {
    outcome.run = [options] {
      launch::remove_profile(options->name);
      print(fmt::format("{} is removed.\n", options->name));
      return 0;
    };
  });

  CLI::App* shim_command = mpi->add_subcommand(
      "shim", "builds the library that replaces collectives in programs, by a table of 'tune'");
  shim_command->add_option("NAME", options->name, "as 'mpi list' prints it")->required();
  shim_command->add_option("-o", options->output, "a copy of it, FILE");
  shim_command->callback(
      [options, &outcome] { outcome.run = [options] { return build_shim(*options); }; });

  CLI::App* run_command = mpi->add_subcommand(
      "run", "starts the engine, or another program, as a launch would: mpi run NAME -- --check");
  run_command->add_option("NAME", options->name, "as 'mpi list' prints it")->required();
  run_command->add_option("--ranks", options->ranks, "number of processes")
      ->check(CLI::Range(1, 100000));
  run_command->add_flag("--oversubscribe", options->oversubscribe, "more ranks than cores");
  run_command->add_option("--env", options->environment, "KEY=VALUE for the ranks")
      ->allow_extra_args(false);
  run_command->add_option("--limit", options->limit_s, "seconds after which it is ended")
      ->check(CLI::PositiveNumber);
  run_command->add_option("command", options->command, "PROGRAM and arguments, or the engine's");
  run_command->callback(
      [options, &outcome] { outcome.run = [options] { return run_mpi(*options); }; });
}

}  // namespace invar::cli
