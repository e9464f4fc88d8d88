#include "clock/algorithm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::clock {
namespace {

const std::array<Algorithm, 8>& table() {
  static const std::array<Algorithm, 8> all{kSkampi, kNetgauge, kJk,    kHca,
                                            kHca2,   kHca3,     kH2hca, kMesh};
  return all;
}

// Reads back as the same number: it is how an engine is told. Without an exponent where that can
// be.
std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return base::parse_double(text) == value ? text : base::shortest_text(value);
}

std::string tuple_text(std::string_view name, double value) {
  return std::string(name) + "=" + number_text(value);
}

// What was given and does nothing.
void check_needs(const Settings& settings, const std::string& place, base::Faults& faults) {
  for (const Parameter& parameter : settings.algorithm().parameters) {
    if (parameter.needs.empty() || !settings.given(parameter.name) || settings.on(parameter.needs))
      continue;
    faults.add(place,
               std::string(settings.algorithm().name) + "'s " + std::string(parameter.name) +
                   " does nothing while " + tuple_text(parameter.needs, 0),
               "give " + std::string(parameter.needs) + " too, or leave it out");
  }
}

// Between leaders where the algorithm says so; their ranks get what their leader has.
template <typename Result>
void run_between(Link& link, const Settings& settings,
                 void (*run)(Link&, const Settings&, PerRank<Result>&), PerRank<Result>& results) {
  static_assert(std::is_trivially_copyable_v<Result>);
  const std::unique_ptr<Link> leaders =
      settings.algorithm().between_leaders ? link.leaders() : nullptr;
  if (!leaders) {
    run(link, settings, results);
    return;
  }
  PerRank<Result> theirs(*leaders);
  // A process without a leader takes no part.
  if (leaders->first() < leaders->last()) run(*leaders, settings, theirs);
  link.spread(theirs.data(), results.data(), sizeof(Result));
}

}  // namespace

std::span<const Algorithm> algorithms() { return table(); }

const Algorithm& algorithm_named(std::string_view name, const std::string& place) {
  std::vector<std::string> known;
  for (const Algorithm& algorithm : table()) {
    if (algorithm.name == name) return algorithm;
    known.emplace_back(algorithm.name);
  }
  throw base::UserError(place, "no clock synchronisation is called '" + std::string(name) + "'",
                        base::did_you_mean(name, known));
}

Settings::Settings(const Algorithm& algorithm) : algorithm_(&algorithm) {
  for (const Parameter& parameter : algorithm.parameters) values_.push_back(parameter.value);
  given_.assign(values_.size(), false);
}

std::size_t Settings::place_of(std::string_view name) const {
  const auto& all = algorithm_->parameters;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
  return static_cast<std::size_t>(found - all.begin());
}

bool Settings::has(std::string_view name) const { return place_of(name) < values_.size(); }

bool Settings::given(std::string_view name) const { return given_.at(place_of(name)); }

bool Settings::given() const { return std::ranges::find(given_, true) != given_.end(); }

void Settings::give(std::string_view name, double value) {
  set(name, value);
  if (given(name)) {
    throw base::UserError(std::string(algorithm_->name), std::string(name) + " is given twice",
                          "give it once");
  }
  given_[place_of(name)] = true;
}

double Settings::operator[](std::string_view name) const { return values_.at(place_of(name)); }

void Settings::set(std::string_view name, double value) {
  const std::size_t place = place_of(name);
  const std::string algorithm(algorithm_->name);
  if (place == values_.size()) {
    std::vector<std::string> known;
    for (const Parameter& parameter : algorithm_->parameters) known.emplace_back(parameter.name);
    throw base::UserError(algorithm, "has no parameter '" + std::string(name) + "'",
                          base::did_you_mean(name, known));
  }
  const Parameter& parameter = algorithm_->parameters[place];
  if (!(value >= parameter.least && value <= parameter.most)) {
    throw base::UserError(algorithm, std::string(name) + " is " + number_text(value),
                          "it must lie between " + number_text(parameter.least) + " and " +
                              number_text(parameter.most));
  }
  if (parameter.values == Values::kWhole && value != std::floor(value)) {
    throw base::UserError(algorithm, std::string(name) + " is " + number_text(value),
                          "it must be a whole number");
  }
  values_[place] = value;
}

bool Settings::does_the_same(const Settings& other) const {
  return algorithm_ == other.algorithm_ && values_ == other.values_;
}

std::string Settings::text() const {
  std::string text(algorithm_->name);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Parameter& parameter = algorithm_->parameters[i];
    if (values_[i] == parameter.value && !given_[i]) continue;
    text += ":" + tuple_text(parameter.name, values_[i]);
  }
  return text;
}

Settings parse_algorithm(std::string_view text, const std::string& place) {
  const std::vector<std::string_view> parts = base::split(text, ':');
  Settings settings(algorithm_named(parts[0], place));
  base::Faults faults;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const auto value = base::parse_double(
        equals == std::string_view::npos ? std::string_view() : parts[i].substr(equals + 1));
    if (!value) {
      faults.add(place, "'" + std::string(parts[i]) + "' is not a parameter with a number",
                 "write name=number, for example fit-points=500");
      continue;
    }
    try {
      settings.give(parts[i].substr(0, equals), *value);
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) faults.add(fault);
    }
  }
  check_needs(settings, place, faults);
  faults.throw_if_any();
  return settings;
}

double least_duration_s(const Settings& settings, int ranks, double round_trip_s) {
  if (!settings.has("duration") || ranks < 2) return 0;
  const Algorithm& algorithm = settings.algorithm();
  const int doublings = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  if (settings.has("burst")) {
    const int partners =
        std::min(ranks - 1, settings.on("matchings") ? settings.count("matchings") : 2 * doublings);
    return settings["cycles"] * partners * settings["burst"] * round_trip_s;
  }
  const double points = settings.given("fit-points") ? settings["fit-points"] : 2;
  // By bounds a series may end early.
  const double exchanges = settings.on("offset-by-bounds")
                               ? std::min(settings["least-exchanges"], settings["exchanges"])
                               : settings["exchanges"];
  const int series = algorithm.one_after_the_other ? ranks - 1 : doublings;
  return points * exchanges * series * round_trip_s;
}

double longest_s(const Settings& settings, int ranks, double round_trip_s) {
  if (ranks < 2) return 0;
  if (settings.has("duration") && settings["duration"] > 0) return settings["duration"];
  const int others = ranks - 1;
  const int rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(others)));
  const auto number = [&](std::string_view name) {
    return settings.has(name) ? settings[name] : 1;
  };
  const double series = settings.algorithm().one_after_the_other ? others : rounds;
  double trips = number("fit-points") * number("exchanges") * series;
  // hca's are against rank 0, one after the other; others take less.
  if (settings.has("intercept-exchanges")) trips += settings["intercept-exchanges"] * others;
  return trips * round_trip_s;
}

UsualCost usual_cost(const Settings& settings, int ranks, double round_trip_s) {
  UsualCost cost{.first_s = longest_s(settings, ranks, round_trip_s)};
  if (ranks < 2 || settings.algorithm().name != kMesh.name) return cost;
  const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  // Sums over all ranks: about ten steps of conjugate gradients a pass, two sums each.
  const double pass_s = 10 * 2 * levels * round_trip_s;
  const double asked = settings["matchings"];
  const double partners = std::min<double>(ranks - 1, asked > 0 ? asked : 2 * levels);
  const double cycle_s = partners * settings["burst"] * round_trip_s;
  constexpr double kFirstPasses = 7;
  cost.first_s = std::max(cost.first_s, settings["cycles"] * cycle_s) + kFirstPasses * pass_s;
  // Two cycles, or up to twenty in 2 ms.
  constexpr double kLookPasses = 2;
  cost.look_s = std::clamp(2e-3, 2 * cycle_s, 20 * cycle_s) + kLookPasses * pass_s;
  return cost;
}

Synchronised synchronise(Link& link, const Settings& settings) {
  const Algorithm& algorithm = settings.algorithm();
  Synchronised result{.models = PerRank<Model>(link), .stated = {}};
  link.barrier();
  if (algorithm.run_stating == nullptr) {
    run_between(link, settings, algorithm.run, result.models);
    return result;
  }
  result.stated.emplace(link);
  run_between(link, settings, algorithm.run_stating, *result.stated);
  for (int rank = link.first(); rank < link.last(); ++rank) {
    result.models[rank] = (*result.stated)[rank].state.model;
  }
  return result;
}

}  // namespace invar::clock
