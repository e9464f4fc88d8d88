// A network's model against what is known:
//   bench_network machines wire|shared FIRST LAST BURST_EVERY [RESAMPLES]
//   bench_network imported FOLDER [OWN_BREAKS]
// `machines`: simulated ones (network_machine.hpp), a seed each. Words, then numbers, a line:
//   parameter MODEL NAME...  identified, of these inside, median half-width over the truth, median
//                         error with its sign, on its bound, of these with a value by subtraction
//                         below 0, not identified
//   machine seed-N         identified parameters, of these inside
//   breaks SERIES         machines, with the right number of pieces, with more, of the right ones'
//                         breaks, of these inside, median ratio of the interval's ends
//   threshold NAME        machines, bounded on both sides, inside
//   held-out MODEL SERIES sizes, median error, 95th percentile
//   detector NAME OF      breaks that there are, found within 10 %, breaks that are none
//   seconds               of the processor for a model
// `imported`: SimGrid's calibration (with the file's breaks, or ours): held-out lines as above,
// then
//   simulated exact|usual: sizes held out, median and 95th percentile of errors of half round trips
//   as a simulator would have them by our inversion and by the usual formulas
#include "network_machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "analysis/network/network_import.hpp"
#include "analysis/network/network_model.hpp"
#include "analysis/network/network_platform.hpp"
#include "base/error.hpp"
#include "platform/inversion.hpp"
#include "platform/predicted.hpp"
#include "platform/usual_formulas.hpp"

namespace {

using namespace invar;
using analysis::SeriesKind;

constexpr double kNear = 1.1;  // a detector's break that is this near counts as found
constexpr double kMostError = 0.95;

double median_of(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

double quantile_of(const std::vector<double>& values, double p) {
  return values.empty() ? 0 : stats::quantile(values, p);
}

// What a parameter is at the middle of its sizes; none: of such a one nothing was planted.
std::optional<double> truth_of(const simulated::NetworkMachine& machine,
                               const analysis::Parameter& parameter) {
  const auto& [from, to] = parameter.sizes;
  const auto middle = static_cast<std::uint64_t>(std::llround(
      std::sqrt(static_cast<double>(std::max<std::uint64_t>(from, 1)) * static_cast<double>(to))));
  const simulated::Protocol& one = machine.at(std::clamp(middle, from, to));
  const bool lacks_receive = middle >= machine.async_bytes;
  const bool lacks_send = middle >= machine.detached_bytes;
  // Where an overhead is not told from the rest, the rest has it: constant and bytes.
  const double receive = one.receive.constant_ns + one.receive.byte_ns;
  const double send = one.send.constant_ns + one.send.byte_ns;
  const std::string& name = parameter.name;
  if (parameter.model == "PLogP") return machine.half_ns(from) - machine.gap_ns(from);
  if (name == "o") return (one.send.at(from) + one.receive.at(from)) / 2;
  if (name == "g" && parameter.model == "LogP") return machine.at(from).gap_ns;
  if (name == "L") return lacks_receive ? std::nullopt : std::optional(one.latency_ns);
  if (name == "L + o_r") return one.latency_ns + receive;
  if (name == "o_s + L + o_r") return send + one.latency_ns + receive;
  if (name == "G") {
    return one.byte_ns + (lacks_receive ? one.receive.byte_ns : 0) +
           (lacks_send ? one.send.byte_ns : 0);
  }
  if (name == "o_s") return one.send.constant_ns;
  if (name == "o_s per byte") return one.send.byte_ns;
  if (name == "o_r") return one.receive.constant_ns;
  if (name == "o_r per byte") return one.receive.byte_ns;
  if (name == "g") return one.gap_ns;
  if (name == "G of trains") return one.gap_byte_ns;
  return std::nullopt;
}

struct ParameterCount {
  std::size_t identified = 0;
  std::size_t inside = 0;
  std::size_t on_bound = 0;
  std::size_t told_below = 0;
  std::size_t not_identified = 0;
  std::vector<double> widths = {};
  std::vector<double> errors = {};
};

struct BreakCount {
  std::size_t machines = 0;
  std::size_t right = 0;
  std::size_t more = 0;
  std::size_t breaks = 0;
  std::size_t inside = 0;
  std::vector<double> ratios = {};
};

struct MachineCount {
  std::size_t identified = 0;
  std::size_t inside = 0;
};

struct ThresholdCount {
  std::size_t machines = 0;
  std::size_t bounded = 0;
  std::size_t inside = 0;
};

struct DetectorCount {
  std::size_t breaks = 0;
  std::size_t found = 0;
  std::size_t wrong = 0;
};

class Judge {
 public:
  explicit Judge(bool told) : told_(told) {}

  void add(const simulated::NetworkMachine& machine, const analysis::NetworkModel& model,
           std::uint64_t seed) {
    seed_ = seed;
    of_machine_ = {};
    for (const analysis::Parameter& one : model.joint.parameters) add(machine, one);
    by_machine_.emplace_back(seed, of_machine_);
    for (const SeriesKind kind : {SeriesKind::kRoundTrip, SeriesKind::kSend, SeriesKind::kIsend,
                                  SeriesKind::kLateReceive, SeriesKind::kGap}) {
      if (const analysis::ModelSeries* series = model.find(kind)) add(machine, *series);
    }
    add("detached", model.detached, machine.detached_bytes);
    add("async", model.async, machine.async_bytes);
    for (const analysis::HeldOutSize& one : model.held_out.sizes) {
      errors_[{one.model, one.key.kind}].push_back(one.error());
    }
    for (const analysis::DetectorRun& run : model.detectors) add(machine, run);
  }

  void print() const {
    for (const auto& [name, one] : parameters_) {
      std::printf("parameter %s %zu %zu %.4f %+.4f %zu %zu %zu\n", name.c_str(), one.identified,
                  one.inside, median_of(one.widths), median_of(one.errors), one.on_bound,
                  one.told_below, one.not_identified);
    }
    for (const auto& [seed, one] : by_machine_) {
      std::printf("machine seed-%llu %zu %zu\n", static_cast<unsigned long long>(seed),
                  one.identified, one.inside);
    }
    for (const auto& [kind, one] : breaks_) {
      std::printf("breaks %s %zu %zu %zu %zu %zu %.3f\n",
                  std::string(analysis::info_of(kind).name).c_str(), one.machines, one.right,
                  one.more, one.breaks, one.inside, median_of(one.ratios));
    }
    for (const auto& [name, one] : thresholds_) {
      std::printf("threshold %s %zu %zu %zu\n", name.c_str(), one.machines, one.bounded,
                  one.inside);
    }
    for (const auto& [of, errors] : errors_) {
      std::printf("held-out %s %s %zu %.4f %.4f\n", of.first.c_str(),
                  std::string(analysis::info_of(of.second).name).c_str(), errors.size(),
                  median_of(errors), quantile_of(errors, kMostError));
    }
    for (const auto& [name, one] : detectors_) {
      std::printf("detector %s %zu %zu %zu\n", name.c_str(), one.breaks, one.found, one.wrong);
    }
  }

 private:
  void add(const simulated::NetworkMachine& machine, const analysis::Parameter& one) {
    ParameterCount& count = parameters_[one.model + " " + one.name];
    if (one.state == analysis::ParameterState::kNotIdentified) {
      ++count.not_identified;
      tell(one, "not identified: " + one.why);
      return;
    }
    if (one.state == analysis::ParameterState::kOnBound) {
      ++count.on_bound;
      if (one.by_subtraction && *one.by_subtraction < 0) ++count.told_below;
      tell(one, "on its bound: " + one.why);
      return;
    }
    const std::optional<double> truth = truth_of(machine, one);
    const auto& interval = one.estimate.value().interval.value();
    ++count.identified;
    ++of_machine_.identified;
    const bool inside = truth && interval.low <= *truth && *truth <= interval.high;
    if (inside) {
      ++count.inside;
      ++of_machine_.inside;
    }
    if (truth) {
      count.widths.push_back((interval.high - interval.low) / 2 / std::abs(*truth));
      count.errors.push_back(one.estimate->value / *truth - 1);
    }
    if (!inside) {
      tell(one, "is " + std::to_string(truth.value_or(-1)) + ", told " +
                    std::to_string(one.estimate->value) + " [" + std::to_string(interval.low) +
                    ", " + std::to_string(interval.high) + "]");
    }
  }

  void tell(const analysis::Parameter& one, const std::string& what) const {
    if (!told_) return;
    std::fprintf(stderr, "seed %llu %s %s %llu-%llu: %s\n", static_cast<unsigned long long>(seed_),
                 one.model.c_str(), one.name.c_str(),
                 static_cast<unsigned long long>(one.sizes.from_bytes),
                 static_cast<unsigned long long>(one.sizes.to_bytes), what.c_str());
  }

  // First sizes of what follows a break.
  static std::set<std::uint64_t> breaks_of(const simulated::NetworkMachine& machine,
                                           SeriesKind kind) {
    std::set<std::uint64_t> breaks;
    for (const simulated::Protocol& one : std::span(machine.protocols).subspan(1)) {
      breaks.insert(one.from_bytes);
    }
    if (kind == SeriesKind::kLateReceive) breaks.insert(machine.async_bytes);
    return breaks;
  }

  void add(const simulated::NetworkMachine& machine, const analysis::ModelSeries& series) {
    BreakCount& count = breaks_[series.key.kind];
    const std::set<std::uint64_t> planted = breaks_of(machine, series.key.kind);
    ++count.machines;
    if (series.breaks.size() > planted.size()) ++count.more;
    if (told_ && series.breaks.size() != planted.size()) {
      std::fprintf(stderr, "seed %llu %s: planted", static_cast<unsigned long long>(seed_),
                   std::string(analysis::info_of(series.key.kind).name).c_str());
      for (const std::uint64_t one : planted) {
        std::fprintf(stderr, " %llu", static_cast<unsigned long long>(one));
      }
      std::fputs(", found", stderr);
      for (const analysis::ModelBreak& one : series.breaks) {
        std::fprintf(stderr, " %llu-%llu (%.0f ns)",
                     static_cast<unsigned long long>(one.last_bytes),
                     static_cast<unsigned long long>(one.first_bytes), one.jump_ns);
      }
      std::fputs("\n", stderr);
    }
    if (series.breaks.size() != planted.size()) return;
    ++count.right;
    std::size_t i = 0;
    for (const std::uint64_t truth : planted) {
      const stats::Interval& place = series.breaks[i++].interval_bytes.value();
      const auto first = static_cast<double>(truth);
      ++count.breaks;
      if (place.low < first && first <= place.high) ++count.inside;
      count.ratios.push_back(place.high / std::max(place.low, 1.0));
    }
  }

  void add(const std::string& name, const analysis::Threshold& found, std::uint64_t truth) {
    ThresholdCount& count = thresholds_[name];
    ++count.machines;
    const auto first = static_cast<double>(truth);
    if (found.interval_bytes) {
      ++count.bounded;
      const stats::Interval& place = *found.interval_bytes;
      if (place.low < first && first <= place.high) {
        ++count.inside;
        return;
      }
    }
    if (!told_) return;
    std::fprintf(stderr, "seed %llu threshold %s: is %llu, told %llu-%llu %s\n",
                 static_cast<unsigned long long>(seed_), name.c_str(),
                 static_cast<unsigned long long>(truth),
                 static_cast<unsigned long long>(found.last_bytes.value_or(0)),
                 static_cast<unsigned long long>(found.first_bytes.value_or(0)), found.why.c_str());
  }

  void add(const simulated::NetworkMachine& machine, const analysis::DetectorRun& run) {
    DetectorCount& count = detectors_[run.detector + " " + run.of];
    std::vector<double> truths;
    for (const std::uint64_t one : breaks_of(machine, SeriesKind::kGap)) {
      truths.push_back(static_cast<double>(one));
    }
    std::vector<double> changes;
    for (const analysis::ByteRange& one : run.changes) {
      changes.push_back(std::sqrt(std::max(static_cast<double>(one.from_bytes), 1.0) *
                                  static_cast<double>(one.to_bytes)));
    }
    const auto near = [](double a, double b) { return a < kNear * b && b < kNear * a; };
    count.breaks += truths.size();
    for (const double truth : truths) {
      if (std::ranges::any_of(changes, [&](double one) { return near(one, truth); })) ++count.found;
    }
    for (const double change : changes) {
      if (std::ranges::none_of(truths, [&](double one) { return near(change, one); }))
        ++count.wrong;
    }
  }

  bool told_;
  std::uint64_t seed_ = 0;
  std::map<std::string, ParameterCount> parameters_ = {};
  // All its parameters: they have the luck of the same launch groups in common.
  std::vector<std::pair<std::uint64_t, MachineCount>> by_machine_ = {};
  MachineCount of_machine_ = {};
  std::map<SeriesKind, BreakCount> breaks_ = {};
  std::map<std::string, ThresholdCount> thresholds_ = {};
  std::map<std::pair<std::string, SeriesKind>, std::vector<double>> errors_ = {};
  std::map<std::string, DetectorCount> detectors_ = {};
};

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

int judge_machines(const std::vector<const char*>& words) {
  const auto kind = std::string_view(words[0]) == "shared" ? simulated::MachineKind::kSharedMemory
                                                           : simulated::MachineKind::kWire;
  const std::uint64_t first = number(words[1]);
  const std::uint64_t last = number(words[2]);
  const simulated::CampaignNoise noise{.burst_every = static_cast<std::uint32_t>(number(words[3]))};
  analysis::ModelOptions options;
  if (words.size() > 4) options.resamples = number(words[4]);
  Judge judge(std::getenv("INVAR_BENCH_TOLD") != nullptr);
  double seconds = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    base::Random random = base::Random::of({seed, 7});
    const simulated::NetworkMachine machine = simulated::MachineDrawer(kind, random).draw();
    const analysis::NetworkData data = simulated::SimulatedCampaign(machine, noise, seed).measure();
    options.seed = seed;
    const std::clock_t begin = std::clock();
    const analysis::NetworkModel model = analysis::network_model(data, options);
    seconds += static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
    judge.add(machine, model, seed);
  }
  judge.print();
  std::printf("seconds %.3f\n", seconds / static_cast<double>(last - first + 1));
  return 0;
}

// Pieces of late receives as the usual formulas see them: also those with the transfer inside.
std::vector<platform::Line> all_receives(const analysis::NetworkModel& model) {
  std::vector<platform::Line> lines;
  const analysis::ModelSeries* series = model.find(SeriesKind::kLateReceive);
  for (const analysis::ModelPiece& piece : series->pieces) {
    if (model.detached.beyond(piece.sizes.from_bytes)) break;
    const double from = lines.empty() ? 0 : static_cast<double>(piece.sizes.from_bytes - 1);
    lines.push_back({.from_bytes = from,
                     .intercept_ns = piece.intercept_ns.value,
                     .slope_ns = piece.slope_ns.value});
  }
  return lines;
}

int judge_import(const std::string& folder, bool own_breaks) {
  const platform::Calibration calibration = platform::read_calibration(folder);
  analysis::NetworkData data = analysis::network_data(calibration);
  analysis::ModelOptions options;
  analysis::take_breaks(calibration, data, options);
  if (own_breaks) options.breaks_bytes.clear();
  const analysis::NetworkModel model = analysis::network_model(data, options);
  for (const analysis::HeldOutError& one : model.held_out.errors) {
    std::printf("held-out %s %s %zu %.4f %.4f\n", one.model.c_str(),
                std::string(analysis::info_of(one.key.kind).name).c_str(), one.sizes, one.median,
                one.most);
  }
  for (const analysis::ModelSeries& one : model.series) {
    std::printf("pieces %s %zu", std::string(analysis::info_of(one.key.kind).name).c_str(),
                one.pieces.size());
    for (const analysis::ModelBreak& at : one.breaks) {
      std::printf(" %llu-%llu", static_cast<unsigned long long>(at.last_bytes),
                  static_cast<unsigned long long>(at.first_bytes));
    }
    std::printf("\n");
  }
  platform::PlatformModel lines = analysis::platform_model(model, data, {.noise = false});
  const platform::SimgridPlatform exact = platform::invert(lines).platform;
  lines.receive = all_receives(model);
  const platform::SimgridPlatform usual = platform::usual_formulas(lines);
  for (const auto& [name, simulated] : {std::pair("exact", &exact), {"usual", &usual}}) {
    std::vector<double> errors;
    std::size_t none = 0;
    for (const analysis::SeriesPoint& point : model.find(SeriesKind::kRoundTrip)->points) {
      if (!point.held_out) continue;
      const auto time_s = platform::predicted_half_round_trip_s(*simulated, point.size_bytes);
      if (!time_s) {
        ++none;
        continue;
      }
      errors.push_back(std::abs(*time_s * 1e9 / point.mean_ns - 1));
    }
    std::printf("simulated %s %zu %.4f %.4f %zu\n", name, errors.size(), median_of(errors),
                quantile_of(errors, kMostError), none);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<const char*> words(argv + 1, argv + argc);
  try {
    const std::string_view what = words.empty() ? "" : words.front();
    if (what == "machines" && (words.size() == 5 || words.size() == 6)) {
      return judge_machines({words.begin() + 1, words.end()});
    }
    if (what == "imported" && (words.size() == 2 || words.size() == 3)) {
      return judge_import(words[1], words.size() == 3);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_network: %s\n", error.what());
    return 1;
  }
  std::fputs(
      "usage: bench_network machines wire|shared FIRST LAST BURST_EVERY [RESAMPLES]\n"
      "       bench_network imported FOLDER [OWN_BREAKS]\n",
      stderr);
  return 2;
}
