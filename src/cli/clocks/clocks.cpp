// `invar clocks`: how good clocks and their synchronisations are.
#include <algorithm>
#include <memory>

#include "analysis/clocks/clock_experiments.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/clocks/clocks_campaigns.hpp"
#include "cli/clocks/clocks_launch.hpp"
#include "cli/clocks/clocks_library.hpp"
#include "cli/clocks/clocks_lists.hpp"
#include "cli/clocks/clocks_options.hpp"
#include "cli/commands.hpp"
#include "clocksim/accuracy.hpp"

namespace invar::cli {
namespace {

struct LiveWords : ClockWords {
  LaunchWords launch = {};
};

// Head and orders of an experiment on a simulated network; `ranks`: all of them.
ClockJob simulated(const ClockOptions& options, std::vector<std::uint32_t> ranks) {
  ClockJob job{
      .head = {.network = options.machine.network.name,
               .ranks = std::move(ranks),
               .ranks_per_host = static_cast<std::uint32_t>(options.machine.ranks_per_host)}};
  for (const clock::Settings& settings : options.algorithms) {
    job.spec.algorithms.push_back(settings.text());
  }
  job.spec.after_s = options.after_s;
  job.spec.repetitions = static_cast<std::uint32_t>(options.seeds);
  job.spec.duration_s = options.duration_s;
  job.spec.interval_s = options.interval_s;
  return job;
}

std::uint32_t ranks_of(const ClockOptions& options) {
  return static_cast<std::uint32_t>(options.machine.ranks);
}

// Rows of one algorithm, seeds 1, 2, ...
std::string trial_rows(int ranks, const std::string& algorithm, const std::vector<double>& after_s,
                       const std::vector<clocksim::Trial>& trials) {
  std::string csv;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t k = 0; k < after_s.size(); ++k) {
      csv += std::to_string(ranks) + ',' + base::csv_field(algorithm) + ',' +
             std::to_string(i + 1) + ',' + base::shortest_text(after_s[k]) + ',' +
             base::shortest_text(trials[i].seconds) + ',' +
             base::shortest_text(trials[i].worst_ns[k]) + ',' +
             base::shortest_text(trials[i].typical_ns[k]) + ',' +
             (trials[i].covered.empty() ? "" : base::shortest_text(trials[i].covered[k])) + '\n';
    }
  }
  return csv;
}

std::string trial_rows(const clocksim::Machine& machine,
                       const std::vector<clock::Settings>& algorithms,
                       const std::vector<double>& after_s, int seeds) {
  const auto trials = clocksim::trials(machine, algorithms, after_s, seeds);
  std::string csv;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    csv += trial_rows(machine.ranks, algorithms[i].text(), after_s, trials[i]);
  }
  return csv;
}

ClockJob live_job(const LiveWords& words, const ClockOptions& options, const char* experiment) {
  driver::ClockOrder order{.library = words.library};
  FaultReader reader;
  LaunchWords launch = words.launch;
  launch.ranks = words.given.contains("--ranks") ? words.ranks : "";
  launch.several_ranks = words.several_ranks;
  read_launch_words(launch, reader, order);
  order.spec.experiment = experiment;
  order.spec.clock = words.clock;
  order.spec.after_s = options.after_s;
  order.spec.repetitions = static_cast<std::uint32_t>(options.seeds);
  order.spec.duration_s = options.duration_s;
  order.spec.interval_s = options.interval_s;
  for (const clock::Settings& settings : options.algorithms) {
    order.spec.algorithms.push_back(settings.text());
  }
  if (!words.virtual_skew.empty()) {
    order.spec.virtual_clocks.skew = {options.machine.network.skew};
    reader.read([&] { check_virtual_hosts(order); });
  }
  reader.done();
  order.over_ranks = words.several_ranks;
  return library_job(order);
}

bool tracks(const ClockOptions& options) {
  return std::ranges::any_of(options.algorithms, [](const clock::Settings& settings) {
    return settings.algorithm().name == "mesh";
  });
}

// The command's duration for all that can use it; whatever time a user named must be enough.
void fill_durations(const LiveWords& words, ClockOptions& options) {
  const DurationWord word{.option = "--duration",
                          .duration_s = options.duration_s,
                          .given = words.given.contains("--duration")};
  options.algorithms = filling(options.algorithms, word);
  int most = std::max(2, options.machine.ranks);
  for (const int ranks : options.ranks) most = std::max(most, ranks);
  check_durations(options.algorithms, word, link_facts(words, options.machine, most));
}

ClockJob accuracy_job(const LiveWords& words) {
  ClockOptions options = parse_clock_options(words);
  FaultReader reader;
  reader.read([&] { fill_durations(words, options); });
  reader.read([&] {
    if (words.library.empty()) check_untracked(options.algorithms);
  });
  reader.read([&] {
    if (words.given.contains("--interval") && !tracks(options)) {
      throw base::UserError("--interval", "only mesh is tracked",
                            "add mesh to --algorithms, or leave it out");
    }
  });
  reader.done();
  if (!words.library.empty()) return live_job(words, options, "accuracy");
  ClockJob job = simulated(options, {ranks_of(options)});
  job.measure = all_at_once([options] {
    return record::raw_header(record::kRawTrials) +
           trial_rows(options.machine, options.algorithms, options.after_s, options.seeds);
  });
  return job;
}

// What a user chose is done as it is; an algorithm alone means all choices worth a look.
std::vector<clock::Settings> swept(const std::vector<clock::Settings>& algorithms) {
  std::vector<clock::Settings> all;
  for (const clock::Settings& settings : algorithms) {
    if (settings.given()) {
      all.push_back(settings);
      continue;
    }
    for (clock::Settings& one : clocksim::sweep_of(settings.algorithm())) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

ClockJob pareto_job(const LiveWords& words) {
  ClockOptions options = parse_clock_options(words);
  if (options.after_s.size() > 1) {
    throw base::UserError("--after", "the settings are compared at one time", "name one");
  }
  FaultReader reader;
  reader.read([&] { check_untracked(options.algorithms); });
  reader.read([&] {
    check_durations(options.algorithms, {.option = "--algorithms"},
                    link_facts(words, options.machine, std::max(2, options.machine.ranks)));
  });
  reader.done();
  if (!words.library.empty()) {
    options.algorithms = swept(options.algorithms);
    return live_job(words, options, "pareto");
  }
  ClockJob job = simulated(options, {ranks_of(options)});
  job.measure = all_at_once([options] {
    return record::raw_header(record::kRawTrials) +
           trial_rows(options.machine.ranks, std::string(record::kNoAlgorithm), {0},
                      clocksim::barrier_trials(options.machine, options.seeds)) +
           trial_rows(options.machine, swept(options.algorithms), {options.after_s.front()},
                      options.seeds);
  });
  return job;
}

ClockJob scaling_job(const LiveWords& words) {
  ClockOptions options = parse_clock_options(words);
  FaultReader reader;
  reader.read([&] { fill_durations(words, options); });
  reader.read([&] { check_untracked(options.algorithms); });
  reader.done();
  options.after_s = {0};
  if (!words.library.empty()) return live_job(words, options, "scaling");
  ClockJob job = simulated(options, {options.ranks.begin(), options.ranks.end()});
  job.measure = all_at_once([options] {
    std::string csv = record::raw_header(record::kRawTrials);
    for (const int ranks : options.ranks) {
      clocksim::Machine machine = options.machine;
      machine.ranks = ranks;
      csv += trial_rows(machine, options.algorithms, {0}, options.seeds);
    }
    return csv;
  });
  return job;
}

// Every 10 ms, as long as all three are known.
std::string tracking_rows(const ClockOptions& options) {
  constexpr double kStepS = 0.01;
  std::string csv = record::raw_header(record::kRawTrackingTrials);
  const std::vector<clocksim::TrackingTrial> trials =
      clocksim::tracking(options.machine, options.algorithms.front(), options.duration_s,
                         options.interval_s, options.seeds);
  for (std::size_t seed = 0; seed < trials.size(); ++seed) {
    const clocksim::TrackingTrial& trial = trials[seed];
    const std::size_t count = std::min(trial.predicted_ns.size(), trial.smoothed_ns.size());
    for (std::size_t i = 0; i < count; ++i) {
      csv += std::to_string(seed + 1) + ',' + base::shortest_text(kStepS * static_cast<double>(i)) +
             ',' + base::shortest_text(trial.untracked_ns[i]) + ',' +
             base::shortest_text(trial.predicted_ns[i]) + ',' +
             base::shortest_text(trial.smoothed_ns[i]) + '\n';
    }
  }
  return csv;
}

ClockJob tracking_job(const LiveWords& words) {
  const ClockOptions options = parse_clock_options(words);
  if (options.algorithms.front().algorithm().name != "mesh" || options.algorithms.size() != 1) {
    throw base::UserError("--algorithms", "only mesh tracks clocks", "write mesh:parameter=value");
  }
  if (options.duration_s < options.interval_s) {
    throw base::UserError("--duration", "is shorter than the interval of tracking",
                          "at least --interval");
  }
  check_durations(options.algorithms, {.option = "--algorithms"},
                  link_facts(words, options.machine, std::max(2, options.machine.ranks)));
  if (!words.library.empty()) return live_job(words, options, "tracking");
  ClockJob job = simulated(options, {ranks_of(options)});
  job.measure = all_at_once([options] { return tracking_rows(options); });
  return job;
}

// Their words are in the table of experiments.
struct Subcommand {
  const char* name;
  ClockJob (*prepare)(const LiveWords&);
  const char *ranks, *algorithms, *after, *duration;  // defaults; nullptr: no such option
  bool tracks = false;                                // mesh, once it is synchronised
};

constexpr Subcommand kSubcommands[] = {
    {"accuracy", accuracy_job, "", "all", "0s,5s,20s", "1s", true},
    {"pareto", pareto_job, "32", "all", "5s", nullptr},
    {"scaling", scaling_job, "2,4,8,16,32,64,128,256,512", "all", nullptr, "500ms"},
    {"tracking", tracking_job, "", "mesh", nullptr, "60s", true},
};

void add_options(CLI::App& command, const Subcommand& sub, LiveWords& words) {
  const bool of_library = !analysis::find_clock_experiment(sub.name)->live.empty();
  const bool tracking = sub.prepare == tracking_job;
  CLI::Option* link = command.add_option("--link", words.link, "simulated")->type_name("LINK");
  CLI::Option* network =
      command.add_option("--network", words.network, "a simulated network (invar clocks list)")
          ->type_name("NAME");
  CLI::Option* library = nullptr;
  if (of_library) {
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
    add_launch_options(command, words.launch, library, true);
  }
  command
      .add_option("--ranks", words.ranks,
                  std::string("ranks") + (sub.prepare == scaling_job ? ", several" : ""))
      ->type_name("N");
  if (!tracking) {
    CLI::Option* together = command
                                .add_option("--ranks-per-host", words.ranks_per_host,
                                            "neighbouring ranks with one clock")
                                ->type_name("N");
    if (library != nullptr) together->excludes(library);
  }
  command.add_option("--algorithms", words.algorithms, "all, or NAME:parameter=value:...,NAME")
      ->type_name("A,...");
  CLI::Option* seeds = command
                           .add_option("--seeds", words.seeds,
                                       tracking ? "machines to draw"
                                                : "machines to draw; synchronisations of a library")
                           ->type_name("N");
  if (tracking) seeds->excludes(library);
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
  if (sub.tracks) {
    CLI::Option* interval =
        command.add_option("--interval", words.interval, "between two trackings of mesh")
            ->type_name("TIME");
    if (!tracking) interval->needs(library);
  }
}

void add_list(CLI::App& clocks, Outcome& outcome) {
  CLI::App* command = clocks.add_subcommand(
      "list", "experiments, algorithms with their parameters, simulated networks");
  auto format = std::make_shared<std::string>("table");
  command->add_option("--format", *format, "table or csv")
      ->check(CLI::IsMember({"table", "text", "csv"}));
  command->callback([&outcome, format] {
    outcome.run = [format] {
      print(*format == "csv" ? clock_lists_csv() : clock_lists_text());
      return 0;
    };
  });
}

}  // namespace

void add_clocks(CLI::App& app, Outcome& outcome) {
  CLI::App* clocks = app.add_subcommand(
      "clocks", "how good clocks, their synchronisations, and common starts by them are");
  clocks->require_subcommand(1);
  add_list(*clocks, outcome);
  for (const Subcommand& sub : kSubcommands) {
    CLI::App* command = clocks->add_subcommand(
        sub.name, std::string(analysis::find_clock_experiment(sub.name)->about));
    auto words = std::make_shared<LiveWords>();
    words->ranks = sub.ranks;
    words->algorithms = sub.algorithms;
    if (sub.after != nullptr) words->after = sub.after;
    if (sub.duration != nullptr) words->duration = sub.duration;
    add_options(*command, sub, *words);
    add_measure_options(*command, words->measure);
    words->several_ranks = sub.prepare == scaling_job;
    command->callback([&outcome, words, command, what = &sub] {
      words->measure.command = command_text(*command);
      words->given = given_options(*command);
      outcome.run = [words, what] {
        return run_clock_job(what->name, words->measure, [&] { return what->prepare(*words); });
      };
    });
  }
  add_library_clocks(*clocks, outcome);
  add_clock_campaigns(*clocks, outcome);
}

}  // namespace invar::cli
