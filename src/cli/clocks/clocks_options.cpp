#include "cli/clocks/clocks_options.hpp"

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
    throw base::UserError(option, "'" + text + "' is no skew",
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

ClockOptions parse_clock_options(const ClockWords& words) {
  ClockOptions options;
  FaultReader reader;
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
    options.machine.network.skew = parse_skew("--virtual-skew", words.virtual_skew);
  });
  reader.read([&] { options.algorithms = parse_algorithms("--algorithms", words.algorithms); });
  reader.done();
  return options;
}

}  // namespace invar::cli
