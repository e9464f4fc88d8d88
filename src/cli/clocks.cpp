// `invar clocks`: how good clock synchronisations are, where the truth is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/clocks_campaigns.hpp"
#include "cli/clocks_tables.hpp"
#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "clocksim/accuracy.hpp"
#include "driver/clock_run.hpp"

namespace invar::cli {
namespace {

struct Words {
  std::string link = "simulated";
  std::string network = "quiet";
  std::string ranks = {};
  std::string ranks_per_host = "1";
  std::string algorithms = "all";
  std::string seeds = "10";
  std::string after = "0s,5s,20s";
  std::string duration = "1s";
  std::string interval = "1s";
  std::string virtual_skew = {};
  std::string library = {};
  std::string clock = "auto";
  std::string format = "text";
};

constexpr int kMostRanks = 65536;
constexpr const char* kUsualRanks = "32";

double parse_seconds(const std::string& option, const std::string& text, bool zero) {
  const base::Parsed<double> parsed = base::parse_duration_s(text);
  if (!parsed.value) throw base::UserError(option, parsed.error, "for example 5s or 500ms");
  if (*parsed.value > 3600 || (*parsed.value <= 0 && !zero)) {
    throw base::UserError(option, "'" + text + "' is out of range", "up to 1h");
  }
  return *parsed.value;
}

int parse_ranks(const std::string& option, const std::string& text) {
  const std::uint32_t ranks = parse_positive(option, text);
  if (ranks > kMostRanks) {
    throw base::UserError(option, "'" + text + "' is out of range",
                          "at most " + std::to_string(kMostRanks));
  }
  return static_cast<int>(ranks);
}

// Collects what is wrong with one option after the other, so that all is said at once.
class Reader {
 public:
  template <typename Body>
  void read(Body body) {
    try {
      body();
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults_.add(fault);
    }
  }
  void done() const { faults_.throw_if_any(); }

 private:
  base::Faults faults_;
};

struct Options {
  clocksim::Machine machine = {};
  std::vector<int> ranks = {};
  std::vector<clock::Settings> algorithms = {};
  std::vector<double> after_s = {};
  double duration_s = 1;
  double interval_s = 1;
  int seeds = 1;
  ClockContext context = {};
  bool csv = false;
};

Options parse(const Words& words) {
  Options options;
  Reader reader;
  reader.read([&] {
    if (words.link != "simulated") {
      throw base::UserError("--link", "'" + words.link + "' is no link", "known: simulated");
    }
  });
  reader.read(
      [&] { options.machine.network = clocksim::network_named(words.network, "--network"); });
  reader.read([&] {
    if (words.ranks.empty() && !words.library.empty()) return;
    for (const std::string& word :
         parse_words("--ranks", words.ranks.empty() ? kUsualRanks : words.ranks)) {
      options.ranks.push_back(parse_ranks("--ranks", word));
    }
    options.machine.ranks = options.ranks.front();
  });
  reader.read([&] {
    options.machine.ranks_per_host = parse_ranks("--ranks-per-host", words.ranks_per_host);
  });
  reader.read([&] { options.seeds = parse_ranks("--seeds", words.seeds); });
  reader.read([&] {
    for (const std::string& word : parse_words("--after", words.after)) {
      options.after_s.push_back(parse_seconds("--after", word, true));
    }
  });
  reader.read([&] { options.duration_s = parse_seconds("--duration", words.duration, false); });
  reader.read([&] { options.interval_s = parse_seconds("--interval", words.interval, false); });
  reader.read([&] {
    if (words.virtual_skew.empty()) return;
    const auto skew = base::parse_double(words.virtual_skew);
    if (!skew || *skew < 0 || *skew > 1e-3) {
      throw base::UserError("--virtual-skew", "'" + words.virtual_skew + "' is no skew",
                            "a number from 0 to 1e-3, for example 13e-6");
    }
    options.machine.network.skew = *skew;
  });
  reader.read([&] {
    std::vector<std::string> names = parse_words("--algorithms", words.algorithms);
    if (names == std::vector<std::string>{"all"}) {
      names.clear();
      for (const clock::Algorithm& algorithm : clock::algorithms()) {
        names.emplace_back(algorithm.name);
      }
    }
    for (const std::string& name : names) {
      options.algorithms.push_back(clock::parse_algorithm(name, "--algorithms"));
    }
  });
  reader.done();
  options.context = {words.link, options.machine.network.name, options.machine.ranks,
                     options.machine.ranks_per_host};
  options.csv = words.format == "csv";
  return options;
}

// The same time for all that can use it, unless the user gave one.
std::vector<clock::Settings> filling(const std::vector<clock::Settings>& algorithms,
                                     double duration_s) {
  std::vector<clock::Settings> all = algorithms;
  for (clock::Settings& settings : all) {
    const clock::Settings defaults(settings.algorithm());
    if (settings.has("duration") && settings["duration"] == defaults["duration"]) {
      settings.set("duration", duration_s);
    }
  }
  return all;
}

int run_list(const Words& words) {
  fmt::print("{}", words.format == "csv" ? clock_lists_csv() : clock_lists_text());
  return 0;
}

// Largest and median error over the ranks of every synchronisation.
std::vector<clocksim::AccuracyRow> rows_of(const driver::ClockErrors& found,
                                           const std::vector<double>& after_s) {
  std::vector<std::string> names;
  std::map<std::string, std::map<std::uint32_t, clocksim::Trial>> trials;
  std::map<std::pair<const clocksim::Trial*, double>, std::vector<double>> errors;
  for (const driver::ClockError& one : found.errors) {
    if (!trials.contains(one.algorithm)) names.push_back(one.algorithm);
    clocksim::Trial& trial = trials[one.algorithm][one.repetition];
    trial.seconds = one.seconds;
    if (one.rank > 0) errors[{&trial, one.after_s}].push_back(std::abs(one.error_ns));
  }
  std::vector<clocksim::AccuracyRow> rows;
  for (const std::string& name : names) {
    std::vector<clocksim::Trial> all;
    for (auto& [repetition, trial] : trials[name]) {
      for (const double after : after_s) {
        const clocksim::Spread spread = clocksim::spread_of(errors.at({&trial, after}));
        trial.worst_ns.push_back(spread.most);
        trial.typical_ns.push_back(spread.median);
      }
      all.push_back(trial);
    }
    for (clocksim::AccuracyRow& row : clocksim::rows_of(name, after_s, all)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// What the errors are known by.
std::string truth_text(const Words& words, const driver::ClockErrors& found) {
  double half_width_ns = 0;
  for (const driver::ClockError& one : found.errors) {
    half_width_ns = std::max(half_width_ns, one.half_width_ns);
  }
  if (half_width_ns > 0) {
    return "errors measured by ping-pongs to within " + base::duration_text(half_width_ns);
  }
  return words.virtual_skew.empty() ? "one real clock, so errors are exact"
                                    : "virtual clocks on one real clock, so errors are exact";
}

int run_library_accuracy(const Words& words) {
  const Options options = parse(words);
  driver::ClockOrder order{.library = words.library};
  order.ranks = words.ranks.empty() ? 0 : static_cast<std::uint32_t>(options.machine.ranks);
  for (const clock::Settings& settings : filling(options.algorithms, options.duration_s)) {
    order.spec.algorithms.push_back(settings.text());
  }
  order.spec.clock = words.clock;
  order.spec.after_s = options.after_s;
  order.spec.repetitions = static_cast<std::uint32_t>(options.seeds);
  if (!words.virtual_skew.empty()) {
    order.spec.virtual_clocks.skew = {options.machine.network.skew};
  }
  const driver::ClockErrors found = driver::run_clocks(order);
  const ClockContext context{found.library, truth_text(words, found), static_cast<int>(found.ranks),
                             1};
  const auto rows = rows_of(found, options.after_s);
  fmt::print("{}", options.csv ? accuracy_csv(rows, context, true) : accuracy_text(rows, context));
  return 0;
}

int run_accuracy(const Words& words) {
  if (!words.library.empty()) return run_library_accuracy(words);
  const Options options = parse(words);
  const auto rows =
      clocksim::accuracy(options.machine, filling(options.algorithms, options.duration_s),
                         options.after_s, options.seeds);
  fmt::print("{}", options.csv ? accuracy_csv(rows, options.context, true)
                               : accuracy_text(rows, options.context));
  return 0;
}

int run_pareto(const Words& words) {
  const Options options = parse(words);
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

int run_scaling(const Words& words) {
  const Options options = parse(words);
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

int run_tracking(const Words& words) {
  const Options options = parse(words);
  const clock::Settings& mesh = options.algorithms.front();
  if (mesh.algorithm().name != "mesh" || options.algorithms.size() != 1) {
    throw base::UserError("--algorithms", "only mesh tracks clocks", "write mesh:parameter=value");
  }
  const clocksim::TrackingTrial trial =
      clocksim::run_tracking(options.machine, mesh, options.duration_s, options.interval_s, 1);
  constexpr std::size_t kRows = 6;
  std::vector<TrackingRow> rows;
  const std::size_t count = std::min(trial.predicted_ns.size(), trial.smoothed_ns.size());
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t begin = i * count / kRows;
    const std::size_t end = (i + 1) * count / kRows;
    if (begin == end) continue;
    const auto part = [&](const std::vector<double>& all) {
      return clocksim::spread_of({all.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all.begin() + static_cast<std::ptrdiff_t>(end)});
    };
    rows.push_back({std::round(static_cast<double>(end)) / 100, part(trial.untracked_ns),
                    part(trial.predicted_ns), part(trial.smoothed_ns)});
  }
  if (rows.empty()) {
    throw base::UserError("--duration", "is shorter than the interval of tracking",
                          "at least --interval");
  }
  fmt::print("{}", options.csv ? tracking_csv(rows, options.context)
                               : tracking_text(rows, options.context));
  return 0;
}

struct Subcommand {
  const char* name;
  const char* about;
  int (*run)(const Words&);
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
    {"tracking", "mesh over time: first model, prediction, smoothed clock", run_tracking, "32",
     "mesh", nullptr, "60s"},
};

void add_options(CLI::App& command, const Subcommand& sub, Words& words) {
  command.add_option("--format", words.format, "text or csv")
      ->check(CLI::IsMember({"text", "csv"}));
  if (sub.ranks == nullptr) return;
  CLI::Option* link = command.add_option("--link", words.link, "simulated")->type_name("LINK");
  CLI::Option* network =
      command.add_option("--network", words.network, "a simulated network (invar clocks list)")
          ->type_name("NAME");
  if (sub.run == run_accuracy) {
    CLI::Option* library =
        command
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
  command.add_option("--ranks-per-host", words.ranks_per_host, "neighbouring ranks with one clock")
      ->type_name("N");
  command.add_option("--algorithms", words.algorithms, "all, or NAME:parameter=value:...,NAME")
      ->type_name("A,...");
  command.add_option("--seeds", words.seeds, "machines to draw; synchronisations of a library")
      ->type_name("N");
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
  if (sub.run == run_tracking) {
    command.add_option("--interval", words.interval, "between two trackings")->type_name("TIME");
  }
}

}  // namespace

void add_clocks(CLI::App& app, Outcome& outcome) {
  CLI::App* clocks =
      app.add_subcommand("clocks", "how good clock synchronisations are, where the truth is known");
  clocks->require_subcommand(1);
  for (const Subcommand& sub : kSubcommands) {
    CLI::App* command = clocks->add_subcommand(sub.name, sub.about);
    auto words = std::make_shared<Words>();
    if (sub.ranks != nullptr) words->ranks = sub.ranks;
    if (sub.algorithms != nullptr) words->algorithms = sub.algorithms;
    if (sub.after != nullptr) words->after = sub.after;
    if (sub.duration != nullptr) words->duration = sub.duration;
    add_options(*command, sub, *words);
    command->callback(
        [&outcome, words, run = sub.run] { outcome.run = [words, run] { return run(*words); }; });
  }
  add_clock_campaigns(*clocks, outcome);
}

}  // namespace invar::cli
