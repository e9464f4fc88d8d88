// `invar stress`: does a library deliver every byte that was sent?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/steps/steps.hpp"
#include "analysis/stress/stressed.hpp"
#include "analysis/study/study.hpp"
#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/parse.hpp"
#include "cli/quick_words.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/hosts.hpp"
#include "driver/clock_places.hpp"
#include "driver/run/interrupt.hpp"
#include "host/facts.hpp"
#include "launch/process/files.hpp"
#include "launch/start/arms.hpp"
#include "launch/start/launcher.hpp"
#include "launch/stress/stress_launch.hpp"
#include "launch/systems/system.hpp"
#include "record/stress/stress_order.hpp"
#include "record/stress/stress_sizes.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

struct StressWords {
  std::vector<std::string> arms = {};
  std::string time = "60s";
  std::string ranks = {};  // empty: one a core
  std::string size = {};   // empty: the usual ones, and those beside the library's limits
  std::string kind = {};   // empty: all
  std::string steps = {};
  std::string seed = {};  // empty: drawn from the time
  std::string message = {};
  std::string patience = "30s";
  std::string hosts = {};
  std::string hostfile = {};
  std::string output = {};
  AnswerWords answer = {};
};

// What was asked for, as far as no library has to be known.
struct AskedStress {
  AnswerOptions how = {};
  std::vector<design::Arm> arms = {};
  record::StressOrder order = {};
  std::optional<std::uint32_t> ranks = {};
  std::vector<design::Host> hosts = {};
  bool sizes_written = false;
  std::vector<std::uint64_t> steps_bytes = {};
  std::vector<analysis::Warning> warnings = {};
};

double seconds_of(const std::string& option, const std::string& text) {
  const base::Parsed<double> seconds = base::parse_duration_s(text);
  if (!seconds.value) throw base::UserError(option, seconds.error);
  if (!(*seconds.value > 0)) throw base::UserError(option, "it is 0", "give it some time");
  return *seconds.value;
}

std::uint64_t stress_seed(const std::string& text) {
  if (text.empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) &
           design::kMaxSeed;
  }
  const base::Parsed<std::uint64_t> seed = base::parse_count(text);
  if (!seed.value) throw base::UserError("--seed", seed.error);
  if (*seed.value > design::kMaxSeed) {
    throw base::UserError("--seed", "'" + text + "' is too large",
                          "the largest is " + std::to_string(design::kMaxSeed));
  }
  return *seed.value;
}

std::vector<std::string> all_stress_kinds() {
  const auto names = record::stress_kind_names();
  return {names.begin(), names.end()};
}

std::vector<std::string> kinds_of(const std::string& text) {
  std::vector<std::string> known = all_stress_kinds();
  if (text.empty()) return known;
  std::vector<std::string> kinds;
  base::Faults faults;
  for (const std::string& word : parse_words("--kind", text)) {
    if (std::ranges::find(known, word) == known.end()) {
      faults.add("--kind", "there is no kind '" + word + "'", base::did_you_mean(word, known));
    } else if (std::ranges::find(kinds, word) != kinds.end()) {
      faults.add("--kind", "'" + word + "' is named twice", "name every kind once");
    }
    kinds.push_back(word);
  }
  faults.throw_if_any();
  return kinds;
}

std::vector<std::uint32_t> sizes_of(const std::string& text) {
  std::vector<std::uint32_t> sizes;
  for (const std::uint64_t size : design::parse_size_list(text, "--size")) {
    if (size > record::kMostStressBytes) {
      throw base::UserError("--size",
                            base::size_text(size) + " is more than one message takes here",
                            base::size_text(record::kMostStressBytes) + " at most");
    }
    sizes.push_back(static_cast<std::uint32_t>(size));
  }
  return record::united_sizes(std::move(sizes), {});
}

std::vector<design::Host> hosts_named(const StressWords& words) {
  if (!words.hosts.empty()) {
    return design::parse_hosts(parse_words("--hosts", words.hosts), "--hosts");
  }
  if (words.hostfile.empty()) return {};
  const auto text = base::read_file(words.hostfile);
  if (!text) {
    throw base::UserError("--hostfile", "'" + words.hostfile + "' cannot be read",
                          "name a file with one host a line");
  }
  return design::read_hostfile(*text, words.hostfile);
}

// Sizes on both sides of the steps that a campaign shows.
void take_steps(const std::string& dir, AskedStress& asked) {
  if (dir.empty()) return;
  const analysis::Study study(store::read_campaign_dir(dir));
  const analysis::Steps found = analysis::find_steps(study);
  for (const analysis::Step& step : found.steps) {
    asked.steps_bytes.push_back(step.low_bytes);
    asked.steps_bytes.push_back(step.high_bytes);
  }
  if (asked.steps_bytes.empty()) {
    const std::string why =
        found.not_judged.empty() ? std::string() : " (" + found.not_judged + ")";
    asked.warnings.emplace_back("--steps: no step was found in " + dir + why +
                                ", so its sizes are those without it");
  }
}

// The number of a message says which one it is only together with all that its data follow from.
void check_message(const StressWords& words, const std::vector<std::string>& kinds,
                   base::Faults& faults) {
  if (words.message.empty()) return;
  if (words.seed.empty()) {
    faults.add("--message", "a message of another seed has other data",
               "write the --seed of the run that told its number");
  }
  if (kinds.size() > 1) {
    faults.add("--message", "each kind has numbers of its own",
               "write the --kind that it is of: " + base::join(kinds, ", "));
  }
}

// Throws UserError with everything that is wrong.
AskedStress asked_stress(const StressWords& words) {
  base::Faults faults;
  AskedStress asked;
  using base::collect;
  collect(faults, [&] { asked.how = parse_answer_words(words.answer); });
  collect(faults, [&] { asked.order.seconds = seconds_of("--time", words.time); });
  collect(faults, [&] {
    if (!words.ranks.empty()) asked.ranks = parse_positive("--ranks", words.ranks);
  });
  collect(faults, [&] {
    if (!words.size.empty()) asked.order.sizes = sizes_of(words.size);
  });
  asked.sizes_written = !words.size.empty();
  collect(faults, [&] { asked.order.kinds = kinds_of(words.kind); });
  collect(faults, [&] { asked.order.seed = stress_seed(words.seed); });
  collect(faults, [&] {
    if (words.message.empty()) return;
    const base::Parsed<std::uint64_t> number = base::parse_count(words.message);
    if (!number.value) throw base::UserError("--message", number.error);
    asked.order.repeats = true;
    asked.order.message = *number.value;
  });
  check_message(words, asked.order.kinds, faults);
  collect(faults, [&] { asked.order.patience_s = seconds_of("--patience", words.patience); });
  collect(faults, [&] { asked.hosts = hosts_named(words); });
  collect(faults, [&] {
    if (!words.output.empty()) store::check_new_directory(words.output);
  });
  if (auto arms = parse_arms(words.arms, "stress", faults)) {
    asked.arms = std::move(*arms);
    collect(faults, [&] { design::label_arms(asked.arms, "stress"); });
  }
  collect(faults, [&] { take_steps(words.steps, asked); });
  faults.throw_if_any();
  return asked;
}

// The options of the sizes, as they were written.
std::string size_words(const StressWords& words) {
  std::vector<std::string> options;
  if (!words.size.empty()) options.push_back("--size " + base::shell_quoted(words.size));
  if (!words.steps.empty()) options.push_back("--steps " + base::shell_quoted(words.steps));
  return base::join(options, " ");
}

// How many ranks, and on which hosts. Throws UserError.
driver::ClockPlace place_of_ranks(AskedStress& asked, std::size_t cores) {
  const bool named = !asked.hosts.empty();
  if (!named) asked.hosts = launch::job_hosts();
  for (design::Host& host : asked.hosts) {
    if (host.slots == 0) host.slots = static_cast<std::uint32_t>(cores);
  }
  const std::uint32_t ranks =
      asked.ranks.value_or(std::max(2U, driver::usual_ranks(asked.hosts, cores)));
  if (ranks < 2) {
    throw base::UserError("--ranks", "one rank has nobody to send to", "name two ranks at least");
  }
  return driver::place_of(ranks, asked.hosts, cores, false);
}

// The sizes of an arm.
std::vector<std::uint32_t> sizes_for(const AskedStress& asked, const launch::CheckedArm& arm) {
  std::vector<std::uint32_t> sizes = asked.order.sizes;
  if (!asked.sizes_written) {
    sizes = record::usual_stress_sizes();
    const std::vector<std::uint64_t> limits =
        launch::limits_of(arm.profile, arm.environment, sizes.back());
    sizes = record::united_sizes(std::move(sizes), record::sizes_beside(limits));
  }
  return record::united_sizes(std::move(sizes), record::sizes_beside(asked.steps_bytes));
}

void check_memory_of(const record::StressOrder& order, std::uint32_t ranks_here) {
  const std::optional<std::uint64_t> free_bytes = host::available_memory_bytes();
  const std::uint64_t needed = record::stress_memory_bytes(order) * ranks_here;
  if (!free_bytes || needed <= *free_bytes) return;
  const auto gib = [](std::uint64_t bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1ULL << 30U));
  };
  throw base::UserError("--size",
                        "messages of up to " + base::size_text(order.sizes.back()) +
                            " need about " + gib(needed) + " of buffers here, " + gib(*free_bytes) +
                            " are free",
                        "take smaller sizes or fewer ranks");
}

// On a terminal the last line tells how far an arm is, else there is a line an arm.
class StressTelling {
 public:
  StressTelling(const std::string& title, double seconds)
      : title_(title), seconds_(seconds), terminal_(isatty(STDERR_FILENO) != 0) {
    if (!terminal_) fmt::print(stderr, "{}, {}\n", title_, base::span_text(seconds_));
  }
  StressTelling(const StressTelling&) = delete;
  StressTelling& operator=(const StressTelling&) = delete;
  ~StressTelling() {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(const record::StressCounts& counts) {
    if (!terminal_ || counts.seconds == shown_s_) return;
    shown_s_ = counts.seconds;
    fmt::print(stderr, "\r\x1b[K{}: {} of {}, {} messages, {} of them above 64 KiB, {} collectives",
               title_, base::span_text(counts.seconds), base::span_text(seconds_), counts.messages,
               counts.large_messages, counts.collectives);
    std::fflush(stderr);
  }

 private:
  std::string title_;
  double seconds_;
  bool terminal_;
  double shown_s_ = -1;
};

analysis::StressedArm stressed_arm(const design::Arm& arm, const launch::CheckedArm& checked,
                                   const record::StressOrder& order,
                                   const driver::ClockPlace& place, const fs::path& kept) {
  const launch::StressPlace where{
      .profile = checked.profile, .environment = checked.environment, .hosts = place.hosts};
  analysis::StressedArm result{
      .label = arm.label,
      .library = checked.profile.name + " " + checked.profile.short_version,
      .written = design::arm_text(arm),
      .sizes_bytes = order.sizes};
  StressTelling telling(result.label == checked.profile.name
                            ? result.library
                            : result.label + " (" + result.library + ")",
                        order.seconds);
  const auto look = [&](const record::StressCounts& counts) {
    telling.show(counts);
    return driver::interrupted();
  };
  std::optional<launch::StressDir> scratch;
  if (kept.empty()) scratch.emplace(where);
  launch::StressOutcome outcome =
      launch::run_stress(where, scratch ? scratch->path() : kept, order, look);
  result.counts = outcome.counts;
  result.faults = std::move(outcome.faults);
  result.interrupted = outcome.interrupted;
  result.lingered = outcome.lingered;
  return result;
}

int run_stress_command(const StressWords& words) {
  AskedStress asked = asked_stress(words);
  const bool named = !asked.hosts.empty();
  const std::size_t cores = launch::core_cpus().size();
  const driver::ClockPlace place = place_of_ranks(asked, cores);
  const auto hosts = std::max(1U, static_cast<std::uint32_t>(place.hosts.size()));
  asked.order.ranks = place.ranks;
  asked.order.oversubscribe = place.hosts.empty() && place.ranks > cores;
  const std::vector<launch::CheckedArm> arms = launch::check_arms(asked.arms);
  std::vector<record::StressOrder> orders;
  for (const launch::CheckedArm& arm : arms) {
    launch::check_start(arm.profile, {.ranks = place.ranks, .hosts = place.hosts}, named);
    orders.push_back(asked.order);
    orders.back().sizes = sizes_for(asked, arm);
    check_memory_of(orders.back(), place.ranks / hosts);
  }
  analysis::Stressed stressed{.seed = asked.order.seed,
                              .seconds = asked.order.seconds,
                              .ranks = place.ranks,
                              .hosts = hosts,
                              .kinds = asked.order.kinds,
                              .warnings = asked.warnings};
  if (!words.hosts.empty()) stressed.place_words = "--hosts " + base::shell_quoted(words.hosts);
  if (!words.hostfile.empty()) {
    stressed.place_words = "--hostfile " + base::shell_quoted(words.hostfile);
  }
  stressed.size_words = size_words(words);
  const driver::InterruptGuard guard;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (driver::interrupted()) {
      stressed.arms.push_back({.label = asked.arms[i].label, .interrupted = true});
      continue;
    }
    fs::path kept;
    if (!words.output.empty()) {
      kept = fs::absolute(words.output) / (std::to_string(i + 1) + "-" + asked.arms[i].label);
      launch::make_directories(kept);
      stressed.dir = words.output;
    }
    stressed.arms.push_back(stressed_arm(asked.arms[i], arms[i], orders[i], place, kept));
  }
  return finish_with(analysis::answer_of(stressed), asked.how, "faults");
}

}  // namespace

void add_stress(CLI::App& app, Outcome& outcome) {
  auto words = std::make_shared<StressWords>();
  CLI::App* command = app.add_subcommand(
      "stress", "does a library deliver every byte? all sizes, pairs and collectives");
  command
      ->add_option("ARM", words->arms,
                   "a library of 'invar mpi list', with settings or without; one after the other")
      ->required();
  const auto add = [&](const char* name, std::string& text, const char* about, const char* type) {
    return command->add_option(name, text, about)->capture_default_str()->type_name(type);
  };
  add("--time", words->time, "for each of them; it ends earlier with the first fault", "TIME");
  add("--ranks", words->ranks, "number of ranks; one a core if left out", "N");
  add("--kind", words->kind,
      "p2p: in pairs, by turns everybody with everybody; all-pairs: everybody at once; "
      "collectives; all three if left out",
      "KIND,...");
  add("--size", words->size,
      "sizes, 8,1KiB:64KiB; if left out every power of two up to 4 MiB, one byte beside each, and "
      "those where the library changes its ways, as its variables tell",
      "SIZE,...");
  add("--steps", words->steps,
      "a campaign over sizes: sizes around every step of its times as well", "DIR");
  add("--seed", words->seed, "of data, sizes and calls; drawn and told if left out", "N");
  add("--message", words->message,
      "the message of this number and those around it over and over again, with --seed, --kind, "
      "--ranks and the sizes of the run that told it",
      "N");
  add("--patience", words->patience, "what takes longer is lost", "TIME");
  CLI::Option* hosts =
      add("--hosts", words->hosts, "hosts to run on, a,b or a:4,b:4 (with so many ranks on each)",
          "HOST,...");
  add("--hostfile", words->hostfile, "the same in a file, one host a line", "FILE")
      ->excludes(hosts);
  command->add_option("-o,--output", words->output,
                      "a directory for orders, faults and what the libraries said; not kept if "
                      "left out");
  add_format_option(*command, words->answer);
  command->callback(
      [&outcome, words] { outcome.run = [words] { return run_stress_command(*words); }; });
}

}  // namespace invar::cli
