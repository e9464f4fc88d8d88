#include "cli/clocks/clocks_options.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/parse.hpp"

namespace invar::cli {
namespace {

constexpr int kMostRanks = 65536;
constexpr const char* kUsualRanks = "32";

int parse_ranks(const std::string& option, const std::string& text) {
  const std::uint32_t ranks = parse_positive(option, text);
  if (ranks > kMostRanks) {
    throw base::UserError(option, "'" + text + "' is out of range",
                          "at most " + std::to_string(kMostRanks));
  }
  return static_cast<int>(ranks);
}

// They would be one row of every table.
void refuse_twins(const std::vector<clock::Settings>& algorithms) {
  base::Faults faults;
  for (auto one = algorithms.begin(); one != algorithms.end(); ++one) {
    const clock::Settings& settings = *one;
    const bool seen = std::any_of(algorithms.begin(), one, [&](const clock::Settings& other) {
      return settings.does_the_same(other);
    });
    if (!seen) continue;
    faults.add("--algorithms", settings.text() + " is there twice", "name it once");
  }
  faults.throw_if_any();
}

}  // namespace

double parse_seconds(const std::string& option, const std::string& text, bool zero) {
  const base::Parsed<double> parsed = base::parse_duration_s(text);
  if (!parsed.value) throw base::UserError(option, parsed.error, "for example 5s or 500ms");
  if (*parsed.value > 3600 || (*parsed.value <= 0 && !zero)) {
    throw base::UserError(option, "'" + text + "' is out of range", "up to 1h");
  }
  return *parsed.value;
}

double parse_skew(const std::string& option, const std::string& text) {
  const auto skew = base::parse_double(text);
  if (!skew || *skew < 0 || *skew > 1e-3) {
    throw base::UserError(option, "'" + text + "' is not a skew",
                          "a number from 0 to 1e-3, for example 13e-6");
  }
  return *skew;
}

std::vector<clock::Settings> parse_algorithms(const std::string& option, const std::string& text) {
  std::vector<std::string> names = parse_words(option, text);
  if (names == std::vector<std::string>{"all"}) {
    names.clear();
    for (const clock::Algorithm& algorithm : clock::algorithms()) {
      names.emplace_back(algorithm.name);
    }
  }
  std::vector<clock::Settings> algorithms;
  base::Faults faults;
  for (const std::string& name : names) {
    try {
      algorithms.push_back(clock::parse_algorithm(name, option));
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults.add(fault);
    }
  }
  faults.throw_if_any();
  return algorithms;
}

std::vector<clock::Settings> filling(const std::vector<clock::Settings>& algorithms,
                                     const DurationWord& word) {
  std::vector<clock::Settings> all = algorithms;
  bool used = false;
  for (clock::Settings& settings : all) {
    if (!settings.has("duration") || settings.given("duration")) continue;
    settings.set("duration", word.duration_s);
    used = true;
  }
  if (word.given && !used) {
    throw base::UserError(word.option,
                          "none of the algorithms takes it: they have no duration, or one of their "
                          "own",
                          "leave it out");
  }
  refuse_twins(all);
  return all;
}

LinkFacts link_facts(const ClockWords& words, const clocksim::Machine& machine, int ranks) {
  const bool simulated = words.library.empty();
  return {.ranks = ranks,
          .ranks_per_host = machine.ranks_per_host,
          .least_round_trip_s = simulated ? machine.network.least_round_trip_s() : kLeastRoundTripS,
          .round_trip_s = simulated ? machine.network.round_trip_s() : kLeastRoundTripS};
}

void check_durations(const std::vector<clock::Settings>& algorithms, const DurationWord& word,
                     const LinkFacts& link) {
  base::Faults faults;
  for (const clock::Settings& settings : algorithms) {
    const bool own = settings.has("duration") && settings.given("duration");
    const bool points = settings.has("fit-points") && settings.given("fit-points");
    if (!settings.has("duration") || settings["duration"] == 0) continue;
    if (!own && !word.given && !points) continue;
    const int hosts = (link.ranks + link.ranks_per_host - 1) / link.ranks_per_host;
    const double least_s =
        clock::least_duration_s(settings, settings.algorithm().between_leaders ? hosts : link.ranks,
                                points ? link.round_trip_s : link.least_round_trip_s);
    if (settings["duration"] >= least_s) continue;
    faults.add(own ? "--algorithms" : word.option,
               settings.text() + ": its exchanges take " + base::duration_text(least_s * 1e9) +
                   " or more between " +
                   base::count_text(static_cast<std::uint64_t>(link.ranks), "rank"),
               std::string("give a longer duration, fewer exchanges") +
                   (settings.has("fit-points") ? ", or duration=0 for as long as they take" : ""));
  }
  faults.throw_if_any();
}

void check_untracked(const std::vector<clock::Settings>& algorithms) {
  base::Faults faults;
  for (const clock::Settings& settings : algorithms) {
    for (const clock::Parameter& parameter : settings.algorithm().parameters) {
      if (!parameter.tracking || !settings.given(parameter.name)) continue;
      faults.add("--algorithms",
                 std::string(settings.algorithm().name) + "'s " + std::string(parameter.name) +
                     " does nothing before clocks are tracked",
                 "leave it out, or use invar clocks tracking");
    }
  }
  faults.throw_if_any();
}

GivenOptions given_options(const CLI::App& command) {
  GivenOptions given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0) given.insert(option->get_name());
  }
  return given;
}

ClockOptions parse_clock_options(const ClockWords& words) {
  ClockOptions options;
  FaultReader reader;
  reader.read([&] {
    if (words.link != "simulated") {
      throw base::UserError("--link", "'" + words.link + "' is not a link", "known: simulated");
    }
  });
  reader.read(
      [&] { options.machine.network = clocksim::network_named(words.network, "--network"); });
  reader.read([&] {
    if (!words.library.empty() && !words.given.contains("--ranks")) return;
    for (const std::string& word :
         parse_words("--ranks", words.ranks.empty() ? kUsualRanks : words.ranks)) {
      options.ranks.push_back(parse_ranks("--ranks", word));
    }
    if (options.ranks.size() > 1 && !words.several_ranks) {
      throw base::UserError("--ranks", "this experiment has one number of ranks",
                            "name one; invar clocks scaling takes several");
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
    options.machine.network.skew = parse_skew("--virtual-skew", words.virtual_skew);
  });
  reader.read([&] { options.algorithms = parse_algorithms("--algorithms", words.algorithms); });
  reader.done();
  return options;
}

}  // namespace invar::cli
