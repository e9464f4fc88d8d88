// `invar clocks`: how good clocks and their synchronisations are.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "cli/clocks/clocks_campaigns.hpp"
#include "cli/clocks/clocks_library.hpp"
#include "cli/clocks/clocks_options.hpp"
#include "cli/clocks/clocks_tables.hpp"
#include "cli/commands.hpp"
#include "clocksim/accuracy.hpp"

namespace invar::cli {
namespace {

int run_list(const ClockWords& words) {
  fmt::print("{}", words.format == "csv" ? clock_lists_csv() : clock_lists_text());
  return 0;
}

int run_accuracy(const ClockWords& words) {
  if (!words.library.empty()) return run_library_accuracy(words);
  const ClockOptions options = parse_clock_options(words);
  const auto rows =
      clocksim::accuracy(options.machine, filling(options.algorithms, options.duration_s),
                         options.after_s, options.seeds);
  fmt::print("{}", options.csv ? accuracy_csv(rows, options.context, true)
                               : accuracy_text(rows, options.context));
  return 0;
}

int run_pareto(const ClockWords& words) {
  const ClockOptions options = parse_clock_options(words);
  std::vector<std::string> names;
  for (const clock::Settings& settings : options.algorithms) {
    names.emplace_back(settings.algorithm().name);
  }
  const double after_s = options.after_s.front();
  const auto rows = clocksim::pareto(options.machine, names, after_s, options.seeds);
  fmt::print("{}", options.csv ? pareto_csv(rows, options.context)
                               : pareto_text(rows, options.context, after_s));
  return 0;
}

int run_scaling(const ClockWords& words) {
  const ClockOptions options = parse_clock_options(words);
  std::vector<ScalingRow> rows;
  bool header = true;
  for (const int ranks : options.ranks) {
    clocksim::Machine machine = options.machine;
    machine.ranks = ranks;
    ClockContext context = options.context;
    context.ranks = ranks;
    const auto here = clocksim::accuracy(machine, filling(options.algorithms, options.duration_s),
                                         {0}, options.seeds);
    if (options.csv) fmt::print("{}", accuracy_csv(here, context, header));
    header = false;
    for (const clocksim::AccuracyRow& row : here) rows.push_back({ranks, row});
  }
  if (!options.csv) fmt::print("{}", scaling_text(rows, options.context));
  return 0;
}

int run_tracking(const ClockWords& words) {
  const ClockOptions options = parse_clock_options(words);
  const clock::Settings& mesh = options.algorithms.front();
  if (mesh.algorithm().name != "mesh" || options.algorithms.size() != 1) {
    throw base::UserError("--algorithms", "only mesh tracks clocks", "write mesh:parameter=value");
  }
  if (options.duration_s < options.interval_s) {
    throw base::UserError("--duration", "is shorter than the interval of tracking",
                          "at least --interval");
  }
  if (!words.library.empty()) return run_library_tracking(words);
  std::vector<TrackingErrors> machines;
  for (clocksim::TrackingTrial& trial : clocksim::tracking(
           options.machine, mesh, options.duration_s, options.interval_s, options.seeds)) {
    machines.push_back({0.01, std::move(trial.untracked_ns), std::move(trial.predicted_ns),
                        std::move(trial.smoothed_ns)});
  }
  const auto rows = tracking_rows(machines);
  fmt::print("{}", options.csv ? tracking_csv(rows, options.context, std::nullopt)
                               : tracking_text(rows, options.context));
  return 0;
}

struct Subcommand {
  const char* name;
  const char* about;
  int (*run)(const ClockWords&);
  const char *ranks, *algorithms, *after, *duration;  // defaults; nullptr: no such option
};

constexpr Subcommand kSubcommands[] = {
    {"list", "experiments, algorithms with their parameters, simulated networks", run_list, nullptr,
     nullptr, nullptr, nullptr},
    {"accuracy", "error of every algorithm after its end, all with the same time", run_accuracy, "",
     "all", "0s,5s,20s", "1s"},
    {"pareto", "error against the time that a synchronisation takes, over parameters", run_pareto,
     "32", "all", "5s", nullptr},
    {"scaling", "error and time over the number of ranks", run_scaling,
     "2,4,8,16,32,64,128,256,512", "all", nullptr, "500ms"},
    {"tracking", "mesh over time: first model, prediction, smoothed clock", run_tracking, "",
     "mesh", nullptr, "60s"},
};

void add_options(CLI::App& command, const Subcommand& sub, ClockWords& words) {
  command.add_option("--format", words.format, "text or csv")
      ->check(CLI::IsMember({"text", "csv"}));
  if (sub.ranks == nullptr) return;
  CLI::Option* link = command.add_option("--link", words.link, "simulated")->type_name("LINK");
  CLI::Option* network =
      command.add_option("--network", words.network, "a simulated network (invar clocks list)")
          ->type_name("NAME");
  CLI::Option* library = nullptr;
  if (sub.run == run_accuracy || sub.run == run_tracking) {
    library = command
                  .add_option("--library", words.library,
                              "an MPI library (invar mpi list) instead of a simulated link")
                  ->type_name("NAME")
                  ->excludes(link)
                  ->excludes(network);
    command.add_option("--clock", words.clock, "of the ranks: auto, tsc, monotonic-raw, mpi-wtime")
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "tsc", "monotonic-raw", "mpi-wtime"}))
        ->needs(library);
  }
  command
      .add_option("--ranks", words.ranks,
                  std::string("ranks") + (sub.run == run_scaling ? ", several" : ""))
      ->type_name("N");
  if (sub.run != run_tracking) {
    command
        .add_option("--ranks-per-host", words.ranks_per_host, "neighbouring ranks with one clock")
        ->type_name("N");
  }
  command.add_option("--algorithms", words.algorithms, "all, or NAME:parameter=value:...,NAME")
      ->type_name("A,...");
  CLI::Option* seeds =
      command
          .add_option("--seeds", words.seeds,
                      sub.run == run_tracking ? "machines to draw"
                                              : "machines to draw; synchronisations of a library")
          ->type_name("N");
  if (sub.run == run_tracking) seeds->excludes(library);
  command
      .add_option("--virtual-skew", words.virtual_skew,
                  "clocks' skews are within +- this; with a library: each rank's against rank 0")
      ->type_name("S");
  if (sub.after != nullptr) {
    command.add_option("--after", words.after, "time after the synchronisation's end")
        ->type_name("TIME,...");
  }
  if (sub.duration != nullptr) {
    command
        .add_option("--duration", words.duration, "time that a synchronisation (tracking) takes")
        ->type_name("TIME");
  }
  if (sub.run == run_tracking || sub.run == run_accuracy) {
    command.add_option("--interval", words.interval, "between two trackings of mesh")
        ->type_name("TIME");
  }
}

}  // namespace

void add_clocks(CLI::App& app, Outcome& outcome) {
  CLI::App* clocks = app.add_subcommand(
      "clocks", "how good clocks, their synchronisations, and common starts by them are");
  clocks->require_subcommand(1);
  for (const Subcommand& sub : kSubcommands) {
    CLI::App* command = clocks->add_subcommand(sub.name, sub.about);
    auto words = std::make_shared<ClockWords>();
    if (sub.ranks != nullptr) words->ranks = sub.ranks;
    if (sub.algorithms != nullptr) words->algorithms = sub.algorithms;
    if (sub.after != nullptr) words->after = sub.after;
    if (sub.duration != nullptr) words->duration = sub.duration;
    add_options(*command, sub, *words);
    command->callback(
        [&outcome, words, run = sub.run] { outcome.run = [words, run] { return run(*words); }; });
  }
  add_library_clocks(*clocks, outcome);
  add_clock_campaigns(*clocks, outcome);
}

}  // namespace invar::cli
