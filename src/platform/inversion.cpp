#include "platform/inversion.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::platform {
namespace {

// Divided by, so that 800 ns are 8e-07 s and nothing beside it.
constexpr double kNsPerS = 1e9;
constexpr double kEnvelope = static_cast<double>(kEnvelopeBytes);
// The last size before the last break that there can be.
constexpr std::uint64_t kMostBreak = kMostBytes - kEnvelopeBytes;
// The largest bandwidth factor: a message of 2^31 bytes then takes 2 us at 1 GB/s, next to nothing.
constexpr double kMostFactor = 1e6;

struct WireLine {
  double intercept = 0;  // ns
  double slope = 0;      // ns a byte
  [[nodiscard]] double at(double size) const { return intercept + slope * size; }
};

WireLine operator-(const WireLine& a, const WireLine& b) {
  return {a.intercept - b.intercept, a.slope - b.slope};
}

WireLine straight(const Line& line) { return {line.intercept_ns, line.slope_ns}; }

// Through what it is at both ends; a segment of one size gets it as a constant.
WireLine through(double first, double at_first, double last, double at_last) {
  if (last <= first) return {at_first, 0};
  const double slope = (at_last - at_first) / (last - first);
  return {at_first - slope * first, slope};
}

std::vector<InvertedSegment> refined(const PlatformModel& model, std::uint64_t detached) {
  std::set<std::uint64_t> breaks{0};
  for (const std::vector<Line>* lines : {&model.half_round_trip, &model.send, &model.receive}) {
    for (const Line& line : *lines) breaks.insert(static_cast<std::uint64_t>(line.from_bytes));
  }
  if (detached > 0 && detached - 1 <= kMostBreak) breaks.insert(detached - 1);
  std::vector<InvertedSegment> segments;
  for (auto at = breaks.begin(); at != breaks.end(); ++at) {
    const auto next = std::next(at);
    InvertedSegment segment{.first_bytes = *at == 0 ? 0 : *at + 1,
                            .last_bytes = next == breaks.end() ? kMostBytes : *next,
                            .send = line_at(model.send, *at + 1),
                            .receive = line_at(model.receive, *at + 1),
                            .wire = line_at(model.half_round_trip, *at + 1)};
    for (Line* line : {&segment.send, &segment.receive, &segment.wire}) {
      line->from_bytes = static_cast<double>(*at);
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

void set_straight(Line& line, const WireLine& straight) {
  line.intercept_ns = straight.intercept;
  line.slope_ns = straight.slope;
}

// The wire takes at least next to nothing a byte, and no negative time before the first one.
WireLine possible(const WireLine& wire, double least_slope) {
  const double slope = std::max(wire.slope, least_slope);
  return {std::max(wire.intercept, kEnvelope * slope), slope};
}

// Takes as much of `excess` from a line as leaves it 0 or more at both ends; the rest stays in
// `excess`. The largest amount taken.
double take_from(WireLine& line, WireLine& excess, double first, double last) {
  const double taken_first =
      std::min(std::max(excess.at(first), 0.0), std::max(line.at(first), 0.0));
  const double taken_last = std::min(std::max(excess.at(last), 0.0), std::max(line.at(last), 0.0));
  excess = excess - through(first, taken_first, last, taken_last);
  line = through(first, line.at(first) - taken_first, last, line.at(last) - taken_last);
  return std::max(taken_first, taken_last);
}

class Inverter {
 public:
  explicit Inverter(const PlatformModel& model) : model_(model) {
    SimgridPlatform& platform = inversion_.platform;
    platform.detached_bytes = model.detached_bytes.value_or(kMostBytes);
    // Overheads cannot tell a message of 0 bytes from one of 1.
    if (platform.detached_bytes == 1) platform.detached_bytes = 0;
    platform.async_bytes =
        std::min(model.async_bytes.value_or(kMostBytes), platform.detached_bytes);
    platform.latency_s = model.latency_ns / kNsPerS;
    platform.pair_bandwidth_bps = model.pair_bandwidth_gb_s * kNsPerS;
    platform.shared_bandwidth_bps =
        model.shared_bandwidth_gb_s.value_or(model.pair_bandwidth_gb_s) * kNsPerS;
    platform.pairs_are = model.pairs_are;
    const auto seconds = [](const std::optional<double>& time_ns) {
      return time_ns ? std::optional<double>(*time_ns / kNsPerS) : std::nullopt;
    };
    platform.wtime_s = seconds(model.wtime_ns);
    platform.test_s = seconds(model.test_ns);
    platform.iprobe_s = seconds(model.iprobe_ns);
    platform.selector = model.selector;
    bandwidth_per_ns_ = flow_bandwidth_bps(platform) / kNsPerS;
  }

  Inversion run() {
    SimgridPlatform& platform = inversion_.platform;
    inversion_.segments = refined(model_, platform.detached_bytes);
    for (InvertedSegment& segment : inversion_.segments) {
      // All of a segment's sizes are on one side of a threshold that divides sizes at all.
      split(segment, segment.first_bytes < platform.detached_bytes);
      const auto above = static_cast<std::uint64_t>(segment.wire.from_bytes);
      add_overhead(platform.send, above, segment.send);
      add_overhead(platform.receive, above, segment.receive);
      // The first factors hold from the smallest message on.
      const std::uint64_t boundary = above == 0 ? 0 : above + kEnvelopeBytes;
      const double latency = segment.wire.intercept_ns - kEnvelope * segment.wire.slope_ns;
      add_factor(platform.latency_factor, boundary, std::max(latency, 0.0) / model_.latency_ns);
      add_factor(platform.bandwidth_factor, boundary,
                 1 / (bandwidth_per_ns_ * segment.wire.slope_ns));
    }
    for (const Line& line : model_.isend) {
      add_overhead(platform.isend, static_cast<std::uint64_t>(line.from_bytes), line);
    }
    return std::move(inversion_);
  }

 private:
  // Takes a half round trip apart, which is what `wire` still is. Detached: both overheads are
  // paid, and the wire has what is left. Otherwise neither is paid: sender and receiver are there
  // from start to end.
  void split(InvertedSegment& segment, bool is_detached) {
    const WireLine half = straight(segment.wire);
    WireLine send = straight(segment.send);
    WireLine receive = straight(segment.receive);
    const WireLine left = is_detached ? half - send - receive : half;
    const WireLine wire = possible(left, 1 / (bandwidth_per_ns_ * kMostFactor));
    set_straight(segment.wire, wire);
    WireLine excess = wire - left;
    if (excess.intercept == 0 && excess.slope == 0) return;
    Clipping clipping{.first_bytes = segment.first_bytes,
                      .last_bytes = segment.last_bytes,
                      .latency = left.intercept < kEnvelope * wire.slope,
                      .bandwidth = left.slope < wire.slope};
    if (is_detached) {
      const auto first = static_cast<double>(segment.first_bytes);
      const auto last = static_cast<double>(segment.last_bytes);
      clipping.receive_ns = take_from(receive, excess, first, last);
      clipping.send_ns = take_from(send, excess, first, last);
      set_straight(segment.receive, receive);
      set_straight(segment.send, send);
    }
    tell(clipping, half, excess);
  }

  void tell(Clipping clipping, const WireLine& half, const WireLine& excess) {
    // Below that it is the rounding of what was taken.
    constexpr double kRounding = 1e-12;
    for (const std::uint64_t size : {clipping.first_bytes, clipping.last_bytes}) {
      const auto at = static_cast<double>(size);
      const double share = excess.at(at) / half.at(at);
      if (share > std::max(clipping.too_long, kRounding)) clipping.too_long = share;
    }
    inversion_.clippings.push_back(clipping);
  }

  static void add_overhead(std::vector<OverheadSection>& sections, std::uint64_t above,
                           const Line& line) {
    const OverheadSection section{.above_bytes = above,
                                  .intercept_s = line.intercept_ns / kNsPerS,
                                  .slope_s = line.slope_ns / kNsPerS};
    const bool is_same = !sections.empty() && sections.back().intercept_s == section.intercept_s &&
                         sections.back().slope_s == section.slope_s;
    if (!is_same) sections.push_back(section);
  }

  static void add_factor(std::vector<FactorSection>& sections, std::uint64_t above, double factor) {
    if (!sections.empty() && sections.back().factor == factor) return;
    sections.push_back({.above_bytes = above, .factor = factor});
  }

  const PlatformModel& model_;
  double bandwidth_per_ns_ = 0;
  Inversion inversion_ = {};
};

}  // namespace

double flow_bandwidth_bps(const SimgridPlatform& platform) {
  return std::min(platform.pair_bandwidth_bps, platform.shared_bandwidth_bps);
}

Inversion invert(const PlatformModel& model) {
  check_model(model);
  return Inverter(model).run();
}

// Less would be written as 0.000 ns: it is rounding, and not told.
constexpr double kLeastToldNs = 0.0005;
// Less of half a round trip no measurement shows.
constexpr double kLeastToldShare = 1e-4;

std::string clipping_text(const Clipping& clipping) {
  std::string text = base::size_text(clipping.first_bytes);
  if (clipping.last_bytes == kMostBytes) {
    text += " and more";
  } else if (clipping.last_bytes != clipping.first_bytes) {
    text += " to " + base::size_text(clipping.last_bytes);
  }
  text += ": ";
  if (clipping.bandwidth) {
    text += "nothing is left that a byte takes on the wire";
  } else {
    text += "less than nothing is left before the first byte on the wire";
  }
  std::vector<std::string> changes;
  if (clipping.receive_ns >= kLeastToldNs) {
    changes.push_back("MPI_Recv's overhead is up to " + base::duration_text(clipping.receive_ns) +
                      " smaller");
  }
  if (clipping.send_ns >= kLeastToldNs) {
    changes.push_back("MPI_Send's is up to " + base::duration_text(clipping.send_ns) + " smaller");
  }
  constexpr double kPercent = 100;
  if (clipping.too_long >= kLeastToldShare) {
    // Two digits of it. Divided by a power of ten, so that 0.039 has no more digits than these.
    const double percent = clipping.too_long * kPercent;
    const double parts = std::pow(10.0, 1 - std::floor(std::log10(percent)));
    changes.push_back("the half round trip is up to " +
                      base::shortest_text(std::round(percent * parts) / parts) + " % too long");
  }
  if (changes.empty()) changes.emplace_back("nothing else changes");
  return text + "; " + base::join(changes, ", ");
}

}  // namespace invar::platform
