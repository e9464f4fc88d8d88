#include "platform/platform_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "platform/simgrid_platform.hpp"

namespace invar::platform {
namespace {

struct ModelOperation {
  std::string_view name;
  std::vector<Line> PlatformModel::*lines;
  bool above_0;  // else 0 will do
};

constexpr std::array<ModelOperation, 4> kModelOperations{{
    {"half round trip", &PlatformModel::half_round_trip, true},
    {"MPI_Send", &PlatformModel::send, false},
    {"MPI_Isend", &PlatformModel::isend, false},
    {"MPI_Recv", &PlatformModel::receive, false},
}};

// Factors are looked up 16 bytes higher, and that has to fit, too.
constexpr double kMostFromBytes = static_cast<double>(kMostBytes - kEnvelopeBytes);

std::string model_number(double value) { return base::shortest_text(value); }

bool model_positive(double value) { return std::isfinite(value) && value > 0; }

// Collects what is wrong with one model, `name` in front of every place.
class ModelFaults {
 public:
  explicit ModelFaults(std::string_view name) : prefix_(name.empty() ? "" : std::string(name)) {}

  void add(std::string_view place, std::string what, std::string remedy = {}) {
    const std::string separator = prefix_.empty() ? "" : ", ";
    faults_.add(prefix_ + separator + std::string(place), std::move(what), std::move(remedy));
  }
  void positive_number(std::string_view place, double value, std::string_view unit) {
    if (model_positive(value)) return;
    add(place, model_number(value) + " is not a " + std::string(unit),
        "give a finite number above 0");
  }
  void throw_if_any() const { faults_.throw_if_any(); }

 private:
  std::string prefix_;
  base::Faults faults_ = {};
};

void check_noise(const Line& line, const std::string& place, ModelFaults& faults) {
  if (line.noise.empty()) return;
  double shares = 0;
  for (const NoisePart& part : line.noise) {
    shares += part.share;
    if (!model_positive(part.share) || !model_positive(part.factor) ||
        !std::isfinite(part.log_sd) || part.log_sd < 0) {
      faults.add(place,
                 "a part of its noise has share " + model_number(part.share) + ", factor " +
                     model_number(part.factor) + ", spread " + model_number(part.log_sd),
                 "share and factor are above 0, the spread of the logarithm is 0 or more");
    }
  }
  constexpr double kRounding = 1e-6;
  if (!(std::abs(shares - 1) <= kRounding)) {
    faults.add(place, "the shares of its noise make " + model_number(shares),
               "together they are 1");
  }
}

// False: nothing that compares this break with others makes sense.
bool check_break(double from_bytes, const std::string& place, ModelFaults& faults) {
  if (!std::isfinite(from_bytes) || from_bytes != std::floor(from_bytes)) {
    faults.add(place, "begins behind " + model_number(from_bytes) + " bytes",
               "give the last size before the break, a whole number");
  } else if (from_bytes < 0 || from_bytes > kMostFromBytes) {
    faults.add(place, "begins behind " + model_number(from_bytes) + " bytes",
               "SimGrid reads breaks from 0 to " + model_number(kMostFromBytes) + " bytes");
  } else {
    return true;
  }
  return false;
}

// A line is nowhere below 0 if it is not at its ends.
void check_ends(const Line& line, double last, bool above_0, const std::string& place,
                ModelFaults& faults) {
  const double first = line.from_bytes == 0 ? 0 : line.from_bytes + 1;
  for (const double size : {first, last}) {
    const double value = line.intercept_ns + line.slope_ns * size;
    if (above_0 ? value > 0 : value >= 0) continue;
    faults.add(place, "is " + model_number(value) + " ns at " + model_number(size) + " bytes",
               above_0 ? "a round trip takes time at every size of its piece"
                       : "SimGrid takes a negative overhead for none without a word");
    return;
  }
}

void check_lines(const std::vector<Line>& lines, const ModelOperation& operation,
                 ModelFaults& faults) {
  if (lines.empty()) {
    faults.add(operation.name, "has no piece", "measure it: nothing is guessed in its place");
    return;
  }
  bool in_order = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const std::string place = std::string(operation.name) + ", piece " + std::to_string(i + 1);
    if (!check_break(line.from_bytes, place, faults)) {
      in_order = false;
    } else if (i == 0 && line.from_bytes != 0) {
      faults.add(place, "begins behind " + model_number(line.from_bytes) + " bytes",
                 "the first piece begins at 0");
    } else if (i > 0 && !(line.from_bytes > lines[i - 1].from_bytes)) {
      in_order = false;
      faults.add(place,
                 "begins behind " + model_number(line.from_bytes) +
                     " bytes, the piece before it behind " + model_number(lines[i - 1].from_bytes),
                 "order pieces by size");
    }
    if (!std::isfinite(line.intercept_ns) || !std::isfinite(line.slope_ns)) {
      in_order = false;
      faults.add(place,
                 "is " + model_number(line.intercept_ns) + " ns + " + model_number(line.slope_ns) +
                     " ns a byte",
                 "give finite numbers");
    }
    check_noise(line, place, faults);
  }
  if (!in_order) return;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double last =
        i + 1 < lines.size() ? lines[i + 1].from_bytes : static_cast<double>(kMostBytes);
    check_ends(lines[i], last, operation.above_0,
               std::string(operation.name) + ", piece " + std::to_string(i + 1), faults);
  }
}

void check_thresholds(const PlatformModel& model, ModelFaults& faults) {
  const std::string below = "SimGrid reads thresholds up to " + std::to_string(kMostBytes);
  if (model.detached_bytes.value_or(0) > kMostBytes) {
    faults.add("detached", std::to_string(*model.detached_bytes) + " bytes", below);
  }
  if (model.async_bytes.value_or(0) > kMostBytes) {
    faults.add("async", std::to_string(*model.async_bytes) + " bytes", below);
  }
  if (model.async_bytes && model.detached_bytes && *model.async_bytes > *model.detached_bytes) {
    faults.add(
        "async",
        std::to_string(*model.async_bytes) + " bytes is above detached, " +
            std::to_string(*model.detached_bytes) + ": smpirun aborts",
        "a message whose sender waits for its receiver is not an asynchronous one: look at the "
        "measured thresholds");
  }
}

void check_interruptions(const Interruptions& interruptions, ModelFaults& faults) {
  const bool share = interruptions.share >= 0 && interruptions.share <= 1;
  const bool none = interruptions.share == 0 && interruptions.duration_ns == 0;
  if (share && (none || model_positive(interruptions.duration_ns))) return;
  faults.add("interruptions",
             "share " + model_number(interruptions.share) + " of " +
                 model_number(interruptions.duration_ns) + " ns",
             "the share is 0 to 1, the time above 0");
}

// Two digits of a share above 0, in percent.
std::string share_text(double share) {
  constexpr double kPercentOf = 100;
  const double percent = share * kPercentOf;
  const double step = std::pow(10.0, std::floor(std::log10(percent)) - 1);
  return base::shortest_text(std::round(percent / step) * step) + " %";
}

constexpr std::array<std::string_view, 5> kModelSelectors{"", "ompi", "mpich", "mvapich2", "impi"};

}  // namespace

const Line& line_at(const std::vector<Line>& lines, std::uint64_t size_bytes) {
  const auto behind = std::find_if(std::next(lines.begin()), lines.end(), [&](const Line& line) {
    return static_cast<double>(size_bytes) <= line.from_bytes;
  });
  return *std::prev(behind);
}

double line_ns(const std::vector<Line>& lines, std::uint64_t size_bytes) {
  const Line& line = line_at(lines, size_bytes);
  return line.intercept_ns + line.slope_ns * static_cast<double>(size_bytes);
}

void check_model(const PlatformModel& model, std::string_view name) {
  ModelFaults faults(name);
  for (const ModelOperation& operation : kModelOperations) {
    check_lines(model.*operation.lines, operation, faults);
  }
  check_interruptions(model.interruptions, faults);
  check_thresholds(model, faults);
  faults.positive_number("latency", model.latency_ns, "time in ns");
  faults.positive_number("bandwidth of a pair", model.pair_bandwidth_gb_s, "bandwidth in GB/s");
  if (model.shared_bandwidth_gb_s) {
    faults.positive_number("bandwidth of several pairs", *model.shared_bandwidth_gb_s,
                           "bandwidth in GB/s");
  }
  // With 0 a program that waits by looking at the clock never ends.
  if (model.wtime_ns) faults.positive_number("MPI_Wtime", *model.wtime_ns, "time in ns");
  if (model.test_ns) faults.positive_number("MPI_Test", *model.test_ns, "time in ns");
  if (model.iprobe_ns) faults.positive_number("MPI_Iprobe", *model.iprobe_ns, "time in ns");
  if (std::ranges::find(kModelSelectors, model.selector) == kModelSelectors.end()) {
    faults.add("selector", "'" + base::without_controls(model.selector) + "' is none",
               "known: ompi, mpich, mvapich2, impi");
  }
  faults.throw_if_any();
}

double interrupted_share(const PlatformModel& model, std::uint64_t size_bytes) {
  const double more_ns = model.interruptions.share * model.interruptions.duration_ns;
  return more_ns > 0 ? more_ns / (line_ns(model.half_round_trip, size_bytes) + more_ns) : 0;
}

std::string interruptions_warning(const PlatformModel& model) {
  constexpr double kMuch = 0.05;
  std::uint64_t last = 0;
  double most = 0;
  for (std::uint64_t size = 1; size <= kMostBytes; size *= 2) {
    const double share = interrupted_share(model, size);
    if (share > kMuch) last = size;
    most = std::max(most, share);
  }
  if (last == 0) return {};
  return "interruptions (" + share_text(model.interruptions.share) + " of messages take " +
         base::duration_text(model.interruptions.duration_ns) + " longer) are up to " +
         share_text(most) + " of messages' mean time, and more than 5 % up to " +
         base::size_text(last) +
         ": lines are of medians, and only the C++ platform has what interrupts";
}

std::vector<std::string> unmeasured(const PlatformModel& model) {
  std::vector<std::string> sentences;
  const auto say = [&](bool is_missing, const char* sentence) {
    if (is_missing) sentences.emplace_back(sentence);
  };
  say(!model.shared_bandwidth_gb_s,
      "what several pairs reach together was not measured: they share what one pair reaches");
  say(!model.detached_bytes,
      "no size was seen whose MPI_Send waits for a late receiver: in the platform none does");
  say(!model.async_bytes && !model.detached_bytes,
      "no size was seen whose late receive contains the transfer: in the platform none does");
  say(!model.async_bytes && model.detached_bytes,
      "no size was seen whose late receive contains the transfer: in the platform those do whose "
      "MPI_Send waits");
  say(!model.wtime_ns, "MPI_Wtime was not measured: SimGrid takes 10 ns for a call");
  say(!model.test_ns,
      "MPI_Test was not measured: SimGrid takes 100 us for a call, and more for "
      "each one that finds nothing");
  say(!model.iprobe_ns,
      "MPI_Iprobe was not measured: SimGrid takes 100 us for a call, and more "
      "for each one that finds nothing");
  say(model.selector.empty(),
      "no library's choice of collective algorithms is known to SimGrid: "
      "its own are taken");
  return sentences;
}

}  // namespace invar::platform
