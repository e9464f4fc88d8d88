#include "cli/clocks/clocks_library.hpp"

#include <algorithm>
#include <memory>

#include "analysis/clocks/clock_experiments.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/clocks/clocks_launch.hpp"
#include "cli/parse.hpp"
#include "launch/libraries/profile.hpp"

namespace invar::cli {
namespace {

struct LibraryWords {
  std::string library = {};
  LaunchWords launch = {};
  std::string clock = "auto";
  std::string duration = {};
  std::string interval = "1s";
  std::string virtual_skew = {};
  std::string algorithms = "all";
  std::string sync_duration = "1s";
  std::string operation = "allreduce";
  std::string size = "8";
  std::string repetitions = {};
  std::string bins = "20";
  std::string window = "adaptive";
  GivenOptions given = {};
  MeasureWords measure = {};
};

driver::ClockOrder order_of(const LibraryWords& words, const char* experiment,
                            FaultReader& reader) {
  driver::ClockOrder order{.library = words.library};
  order.spec.experiment = experiment;
  order.spec.clock = words.clock;
  reader.read([&] {
    if (words.library.empty()) {
      throw base::UserError("--library", "no library is named",
                            "invar mpi list shows those of this machine");
    }
  });
  read_launch_words(words.launch, reader, order);
  reader.read([&] {
    if (!words.repetitions.empty()) {
      order.spec.repetitions = parse_positive("--repetitions", words.repetitions);
    }
  });
  reader.read([&] {
    if (words.duration.empty()) return;
    order.spec.duration_s = parse_seconds("--duration", words.duration, false);
  });
  reader.read([&] { order.spec.interval_s = parse_seconds("--interval", words.interval, false); });
  reader.read([&] {
    if (words.virtual_skew.empty()) return;
    order.spec.virtual_clocks.skew = {parse_skew("--virtual-skew", words.virtual_skew)};
    check_virtual_hosts(order);
  });
  return order;
}

// For experiments that check nothing but what all of them do.
ClockJob plain_job(const LibraryWords& words, const char* experiment) {
  FaultReader reader;
  const driver::ClockOrder order = order_of(words, experiment, reader);
  reader.done();
  return library_job(order);
}

ClockJob drift_job(const LibraryWords& words, const char* experiment) {
  FaultReader reader;
  const driver::ClockOrder order = order_of(words, experiment, reader);
  reader.read([&] {
    if (order.spec.duration_s < order.spec.interval_s) {
      throw base::UserError("--duration", "is shorter than the interval of the points",
                            "at least --interval, two points make a line");
    }
  });
  reader.done();
  // A template of the user's may put the ranks on several hosts. That these are one machine only
  // their ranks can find out.
  if (words.virtual_skew.empty() && order.hosts.size() < 2 &&
      launch::find_profile(words.library).launch_template.empty()) {
    const std::string where = order.hosts.empty() ? "this host" : order.hosts.front().name;
    throw base::UserError(
        "--virtual-skew", "all ranks are on " + where + " and read one clock, which cannot drift",
        "make clocks that do, --virtual-skew 13e-6, or 0 to see what the measurement alone does; "
        "ranks on several hosts: --hosts a,b, or invar mpi add NAME --launch TEMPLATE");
  }
  return library_job(order);
}

// Before ranks are started for nothing. Returns if it has a size.
bool check_operation(const std::string& library, const std::string& operation,
                     std::uint64_t size_bytes) {
  const launch::Profile profile = launch::find_profile(library);
  std::vector<std::string> names;
  for (const record::OperationInfo& info : profile.operations) {
    if (!info.missing.empty()) continue;
    if (info.name != operation) {
      names.push_back(info.name);
      continue;
    }
    // The size must fit the usual datatype, which is the one that is measured.
    if (info.sized && !info.datatypes.empty()) {
      const record::DatatypeInfo& type = info.datatypes.front();
      if (size_bytes % type.size_bytes != 0) {
        throw base::UserError(
            "--size",
            base::size_text(size_bytes) + " is not a multiple of " + operation + "'s datatype " +
                type.name + ", " + base::size_text(type.size_bytes),
            "take " + base::size_text((size_bytes / type.size_bytes + 1) * type.size_bytes));
      }
    }
    return info.sized;
  }
  throw base::UserError("--operation", profile.name + " has no operation '" + operation + "'",
                        base::did_you_mean(operation, names));
}

// "adaptive", a length, or several of these side by side; 0: adaptive.
std::vector<double> parse_windows(const std::string& text) {
  constexpr double kLeastS = 1e-6;
  constexpr double kMostS = 1;
  std::vector<double> windows;
  for (const std::string& word : parse_words("--window", text)) {
    double window_s = 0;
    if (word != "adaptive") {
      window_s = parse_seconds("--window", word, false);
      if (window_s < kLeastS || window_s > kMostS) {
        throw base::UserError("--window", "'" + word + "' is out of range",
                              "from 1us to 1s, or adaptive");
      }
    }
    if (std::ranges::find(windows, window_s) != windows.end()) {
      throw base::UserError("--window", word + " is there twice", "name it once");
    }
    windows.push_back(window_s);
  }
  return windows;
}

// Windows that have one length take their time, whatever the calls take.
void check_time_for_windows(const record::ClockSpec& spec, bool tracks) {
  double windows_s = 0;
  for (const double window_s : spec.windows_s) windows_s += window_s;
  const auto series = static_cast<double>(spec.algorithms.size() + (tracks ? 1 : 0));
  const std::uint32_t warm_ups = spec.bins * record::kWarmUpsOfABin;
  const double needed_s = series * windows_s * (spec.repetitions + warm_ups);
  if (needed_s <= spec.duration_s) return;
  throw base::UserError(
      "--window",
      base::count_text(spec.repetitions, "repetition") + " and " + std::to_string(warm_ups) +
          " before their bins in windows of " + base::duration_text(windows_s * 1e9) + " take " +
          base::duration_text(needed_s * 1e9) + " for all algorithms, and --duration is " +
          base::duration_text(spec.duration_s * 1e9),
      "a longer --duration, shorter windows, fewer repetitions or algorithms");
}

// That take part; more, where this machine has more cores.
std::uint32_t least_ranks(const driver::ClockOrder& order) {
  return order.ranks.empty()
             ? static_cast<std::uint32_t>(std::max<std::size_t>(2, order.hosts.size()))
             : std::max(2U, order.ranks.front());
}

ClockJob runtime_job(const LibraryWords& words, const char* experiment) {
  constexpr double kUsualSkew = 13e-6;
  constexpr std::uint32_t kMostBins = 10'000;
  constexpr std::uint64_t kMostBytes = 1U << 26U;
  FaultReader reader;
  driver::ClockOrder order = order_of(words, experiment, reader);
  record::ClockSpec& spec = order.spec;
  bool tracks = false;
  reader.read([&] {
    const DurationWord word{
        .option = "--sync-duration",
        .duration_s = parse_seconds("--sync-duration", words.sync_duration, false),
        .given = words.given.contains("--sync-duration")};
    const std::vector<clock::Settings> algorithms =
        filling(parse_algorithms("--algorithms", words.algorithms), word);
    check_durations(algorithms, word,
                    {.ranks = static_cast<int>(least_ranks(order)),
                     .least_round_trip_s = kLeastRoundTripS,
                     .round_trip_s = kLeastRoundTripS});
    for (const clock::Settings& settings : algorithms) {
      spec.algorithms.push_back(settings.text());
      tracks = tracks || settings.algorithm().name == "mesh";
    }
  });
  reader.read([&] { spec.windows_s = parse_windows(words.window); });
  reader.read([&] {
    spec.bins = parse_positive("--bins", words.bins);
    if (spec.bins > kMostBins || spec.bins > spec.repetitions) {
      throw base::UserError(
          "--bins", "there are " + words.bins + " for " + words.repetitions + " repetitions",
          "at most one a repetition, and at most 10000");
    }
  });
  reader.read([&] {
    const base::Parsed<std::uint64_t> size = base::parse_size_bytes(words.size);
    if (!size.value) throw base::UserError("--size", size.error);
    if (*size.value > kMostBytes) {
      throw base::UserError("--size", words.size + " is more than an experiment with clocks takes",
                            "at most " + base::size_text(kMostBytes));
    }
    spec.size_bytes = *size.value;
  });
  spec.operation = words.operation;
  reader.done();
  check_time_for_windows(spec, tracks);
  if (!check_operation(words.library, words.operation, spec.size_bytes)) spec.size_bytes = 0;
  if (words.virtual_skew.empty()) {
    spec.virtual_clocks.skew = {kUsualSkew};
    spec.virtual_where_possible = true;
  }
  return library_job(order);
}

// Their words are in the table of experiments.
struct LibraryExperiment {
  const char* name;
  ClockJob (*prepare)(const LibraryWords&, const char* experiment);
  const char *duration, *repetitions;  // defaults; nullptr: no such option
  const char* repetitions_are;
  bool over_time;  // clocks run apart meanwhile
};

// Clocks that are read say nothing of a launch: one is enough.
constexpr const char* kReads = "reads that must not go back, of every clock and rank";

constexpr LibraryExperiment kLibraryExperiments[] = {
    {"resolution", plain_job, nullptr, "1000000", kReads, false},
    {"drift", drift_job, "20s", nullptr, nullptr, true},
    {"barriers", plain_job, "2s", "2000", "of each kind of barrier", false},
    {"runtime-over-time", runtime_job, "10s", "4000",
     "of the operation, under each synchronisation", true},
};

void add_options(CLI::App& command, const LibraryExperiment& experiment, LibraryWords& words) {
  command.add_option("--library", words.library, "an MPI library (invar mpi list)")
      ->type_name("NAME");
  command
      .add_option("--ranks", words.launch.ranks,
                  "default: one a core; with hosts what --hosts says, else one a host")
      ->type_name("N");
  add_launch_options(command, words.launch, nullptr, experiment.repetitions_are != kReads);
  if (experiment.duration != nullptr) {
    command.add_option("--clock", words.clock, "of the ranks: auto, tsc, monotonic-raw, mpi-wtime")
        ->type_name("NAME")
        ->check(CLI::IsMember({"auto", "tsc", "monotonic-raw", "mpi-wtime"}));
  }
  if (experiment.duration != nullptr) {
    words.duration = experiment.duration;
    command.add_option("--duration", words.duration, "over which the measurement is spread")
        ->type_name("TIME");
  }
  if (experiment.repetitions != nullptr) {
    words.repetitions = experiment.repetitions;
    command.add_option("--repetitions", words.repetitions, experiment.repetitions_are)
        ->type_name("N");
  }
  if (experiment.prepare == drift_job) {
    command.add_option("--interval", words.interval, "between two points")->type_name("TIME");
  }
  if (experiment.over_time) {
    command
        .add_option("--virtual-skew", words.virtual_skew,
                    experiment.prepare == runtime_job
                        ? "every rank's clock against rank 0's; on one host 13e-6, if not said"
                        : "every rank's clock against rank 0's, on one host")
        ->type_name("S");
  }
  if (experiment.prepare != runtime_job) return;
  command.add_option("--algorithms", words.algorithms, "all, or NAME:parameter=value:...,NAME")
      ->type_name("A,...");
  command.add_option("--sync-duration", words.sync_duration, "that each synchronisation takes")
      ->type_name("TIME");
  command.add_option("--operation", words.operation, "what is timed (invar ops)")
      ->type_name("NAME");
  command.add_option("--size", words.size, "of its messages, in bytes")->type_name("SIZE");
  command
      .add_option("--window", words.window,
                  "length of all windows, or adaptive; several are measured side by side, as "
                  "1ms,adaptive")
      ->type_name("TIME,...");
  command.add_option("--bins", words.bins, "of equal numbers of repetitions")->type_name("N");
}

// What somebody has to know who repeats it with this library.
std::map<std::string, std::string> facts_of_library(const std::string& name) {
  const launch::Profile profile = launch::find_profile(name);
  std::map<std::string, std::string> facts{{"library.says", profile.version},
                                           {"library.compiler", profile.compiler},
                                           {"library.compiler_flags", profile.compiler_flags}};
  if (!profile.configured.empty()) facts.emplace("library.configured", profile.configured);
  return facts;
}

}  // namespace

ClockJob library_job(const driver::ClockOrder& order) {
  if (order.spec.virtual_clocks.any() && !order.spec.virtual_where_possible &&
      order.spec.clock == "mpi-wtime") {
    throw base::UserError("--virtual-skew", "MPI_Wtime need not have one origin for all ranks",
                          "--clock tsc or monotonic-raw, or no virtual skew");
  }
  const driver::ClockRun run = driver::prepare_clocks(order);
  return {.head = {.library = run.library,
                   .library_version = run.library_version,
                   .ranks = run.ranks(),
                   .ranks_per_host = run.ranks_per_host,
                   .hosts = run.hosts,
                   .machine = facts_of_library(run.library)},
          .spec = run.spec,
          .measure = [run](const driver::ClockListener& listener) {
            return driver::run_clocks(run, listener);
          }};
}

void add_library_clocks(CLI::App& clocks, Outcome& outcome) {
  for (const LibraryExperiment& experiment : kLibraryExperiments) {
    CLI::App* command = clocks.add_subcommand(
        experiment.name, std::string(analysis::find_clock_experiment(experiment.name)->about));
    auto words = std::make_shared<LibraryWords>();
    add_options(*command, experiment, *words);
    add_measure_options(*command, words->measure);
    command->callback([&outcome, words, command, what = &experiment] {
      words->measure.command = command_text(*command);
      words->given = given_options(*command);
      outcome.run = [words, what] {
        return run_clock_job(what->name, words->measure,
                             [&] { return what->prepare(*words, what->name); });
      };
    });
  }
}

}  // namespace invar::cli
