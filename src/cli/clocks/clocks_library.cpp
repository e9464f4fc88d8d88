#include "cli/clocks/clocks_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/parse.hpp"
#include "driver/clock_run.hpp"
#include "launch/libraries/profile.hpp"
#include "report/clocks/clock_tables.hpp"

namespace invar::cli {
namespace {

struct LibraryWords {
  std::string library = {};
  std::string ranks = {};
  std::string clock = "auto";
  std::string format = "text";
  std::string duration = {};
  std::string interval = "1s";
  std::string virtual_skew = {};
  std::string algorithms = "all";
  std::string sync_duration = "1s";
  std::string operation = "allreduce";
  std::string size = "8";
  std::string repetitions = {};
  std::string bins = "20";

  [[nodiscard]] bool csv() const { return format == "csv"; }
};

driver::ClockOrder order_of(const LibraryWords& words, const char* experiment,
                            FaultReader& reader) {
  driver::ClockOrder order{.library = words.library};
  order.spec.experiment = experiment;
  order.spec.clock = words.clock;
  reader.read([&] {
    if (!words.ranks.empty()) order.ranks = parse_positive("--ranks", words.ranks);
  });
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
  });
  return order;
}

report::ClockRunContext context_of(const driver::ClockRun& run, double virtual_skew) {
  return {.library = run.library, .ranks = run.ranks, .virtual_skew = virtual_skew};
}

double skew_of(const record::ClockSpec& spec) {
  return spec.virtual_clocks.skew.empty() ? 0 : spec.virtual_clocks.skew.front();
}

// Of experiments that check nothing but what all of them do.
driver::ClockRun run_without_more(const LibraryWords& words, const char* experiment) {
  FaultReader reader;
  const driver::ClockOrder order = order_of(words, experiment, reader);
  reader.done();
  return driver::run_clocks(order);
}

int run_resolution(const LibraryWords& words) {
  const driver::ClockRun run = run_without_more(words, "resolution");
  const auto rows = analysis::read_clock_resolution(run.csv);
  const auto context = context_of(run, 0);
  fmt::print("{}", words.csv() ? report::resolution_csv(rows, context)
                               : report::resolution_text(rows, context));
  return 0;
}

int run_drift(const LibraryWords& words) {
  FaultReader reader;
  const driver::ClockOrder order = order_of(words, "drift", reader);
  reader.read([&] {
    if (order.spec.duration_s < order.spec.interval_s) {
      throw base::UserError("--duration", "is shorter than the interval of the points",
                            "at least --interval, two points make a line");
    }
  });
  reader.done();
  const driver::ClockRun run = driver::run_clocks(order);
  const auto points = analysis::read_drift(run.csv);
  const auto context = context_of(run, skew_of(order.spec));
  fmt::print("{}", words.csv() ? report::drift_csv(points, context)
                               : report::drift_text(analysis::drift_rows(points), context));
  return 0;
}

int run_barriers(const LibraryWords& words) {
  const driver::ClockRun run = run_without_more(words, "barriers");
  const auto barriers = analysis::read_barriers(run.csv);
  const auto context = context_of(run, 0);
  fmt::print("{}", words.csv() ? report::barriers_csv(barriers, context)
                               : report::barriers_text(barriers, context));
  return 0;
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
    // Of its usual datatype, which is the one that is measured.
    if (info.sized && !info.datatypes.empty()) {
      const record::DatatypeInfo& type = info.datatypes.front();
      if (size_bytes % type.size_bytes != 0) {
        throw base::UserError(
            "--size",
            base::size_text(size_bytes) + " is no multiple of " + operation + "'s datatype " +
                type.name + ", " + base::size_text(type.size_bytes),
            "take " + base::size_text((size_bytes / type.size_bytes + 1) * type.size_bytes));
      }
    }
    return info.sized;
  }
  throw base::UserError("--operation", profile.name + " has no operation '" + operation + "'",
                        base::did_you_mean(operation, names));
}

int run_runtime(const LibraryWords& words) {
  constexpr double kUsualSkew = 13e-6;
  constexpr std::uint32_t kMostBins = 10'000;
  constexpr std::uint64_t kMostBytes = 1U << 26U;
  FaultReader reader;
  driver::ClockOrder order = order_of(words, "runtime-over-time", reader);
  record::ClockSpec& spec = order.spec;
  reader.read([&] {
    const double duration_s = parse_seconds("--sync-duration", words.sync_duration, false);
    for (const clock::Settings& settings :
         filling(parse_algorithms("--algorithms", words.algorithms), duration_s)) {
      spec.algorithms.push_back(settings.text());
    }
  });
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
  const bool sized = check_operation(words.library, words.operation, spec.size_bytes);
  if (words.virtual_skew.empty()) {
    spec.virtual_clocks.skew = {kUsualSkew};
    spec.virtual_where_possible = true;
  }
  const driver::ClockRun run = driver::run_clocks(order);
  const auto series = analysis::read_run_times(run.csv);
  const bool one_clock = std::any_of(series.begin(), series.end(), [](const auto& one) {
    return std::any_of(one.bins.begin(), one.bins.end(),
                       [](const auto& bin) { return bin && bin->true_ns; });
  });
  const auto context = context_of(run, one_clock ? skew_of(spec) : 0);
  const std::string operation =
      words.operation + (sized ? ", " + base::size_text(spec.size_bytes) : "");
  fmt::print("{}", words.csv() ? report::run_time_csv(series, context, operation)
                               : report::run_time_text(series, context, operation));
  return 0;
}

struct LibraryExperiment {
  const char* name;
  const char* about;
  int (*run)(const LibraryWords&);
  const char *duration, *repetitions;  // defaults; nullptr: no such option
  const char* repetitions_are;
};

constexpr LibraryExperiment kLibraryExperiments[] = {
    {"resolution", "cost, resolution, steps back and rate of every clock", run_resolution, nullptr,
     "1000000", "reads that must not go back, of every clock and rank"},
    {"drift", "clocks against rank 0's over time, with lines through them", run_drift, "20s",
     nullptr, nullptr},
    {"barriers", "how far apart ranks leave barriers that they enter together", run_barriers, "2s",
     "2000", "of each kind of barrier"},
    {"runtime-over-time", "an operation's run-time over time, under every synchronisation",
     run_runtime, "10s", "4000", "of the operation, under each synchronisation"},
};

void add_options(CLI::App& command, const LibraryExperiment& experiment, LibraryWords& words) {
  command.add_option("--library", words.library, "an MPI library (invar mpi list)")
      ->type_name("NAME")
      ->required();
  command.add_option("--ranks", words.ranks, "default: one a core")->type_name("N");
  command.add_option("--format", words.format, "text or csv")
      ->check(CLI::IsMember({"text", "csv"}));
  if (experiment.run != run_resolution) {
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
  if (experiment.run == run_drift) {
    command.add_option("--interval", words.interval, "between two points")->type_name("TIME");
  }
  if (experiment.run == run_drift || experiment.run == run_runtime) {
    command
        .add_option("--virtual-skew", words.virtual_skew,
                    experiment.run == run_runtime
                        ? "every rank's clock against rank 0's; on one host 13e-6, if not said"
                        : "every rank's clock against rank 0's, on one host")
        ->type_name("S");
  }
  if (experiment.run != run_runtime) return;
  command.add_option("--algorithms", words.algorithms, "all, or NAME:parameter=value:...,NAME")
      ->type_name("A,...");
  command.add_option("--sync-duration", words.sync_duration, "that each synchronisation takes")
      ->type_name("TIME");
  command.add_option("--operation", words.operation, "what is timed (invar ops)")
      ->type_name("NAME");
  command.add_option("--size", words.size, "of its messages, in bytes")->type_name("SIZE");
  command.add_option("--bins", words.bins, "of equal numbers of repetitions")->type_name("N");
}

}  // namespace

void add_library_clocks(CLI::App& clocks, Outcome& outcome) {
  for (const LibraryExperiment& experiment : kLibraryExperiments) {
    CLI::App* command = clocks.add_subcommand(experiment.name, experiment.about);
    auto words = std::make_shared<LibraryWords>();
    add_options(*command, experiment, *words);
    command->callback([&outcome, words, run = experiment.run] {
      outcome.run = [words, run] { return run(*words); };
    });
  }
}

}  // namespace invar::cli
