#include "platform/platform_source.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/collect.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "platform/platform_source_text.hpp"
#include "platform/simgrid_xml.hpp"

namespace invar::platform {
namespace {

constexpr double kSourceNsPerS = 1e9;

// As a double in C++: "1" would do, "1.0" says what it is.
std::string source_number(double value) {
  const std::string text = base::shortest_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// The share of times that are at most this one over the line; the parts have a share in all.
double share_below(const std::vector<NoisePart>& parts, double logarithm) {
  double below = 0;
  double all = 0;
  for (const NoisePart& part : parts) {
    const double above_ln = logarithm - std::log(part.factor);
    const double share = part.log_sd > 0 ? std::erfc(-above_ln / (part.log_sd * std::sqrt(2.0))) / 2
                                         : (above_ln >= 0 ? 1.0 : 0.0);
    below += part.share * share;
    all += part.share;
  }
  return below / all;
}

// Lines are of medians: the bulk of times stays at them, however long the few others are.
double median_of(const std::vector<NoisePart>& parts) {
  double low = std::log(parts.front().factor);
  double high = low;
  // A part's median is its factor, and so the mixture's is between the least and the most of them.
  for (const NoisePart& part : parts) {
    low = std::min(low, std::log(part.factor));
    high = std::max(high, std::log(part.factor));
  }
  constexpr double kHalf = 0.5;
  if (share_below(parts, low) >= kHalf) return std::exp(low);
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (share_below(parts, middle) >= kHalf ? high : low) = middle;
  }
  return std::exp(high);
}

std::string noise_text(const std::vector<NoisePart>& parts) {
  if (parts.empty()) return "{}";
  const double median = median_of(parts);
  std::string text;
  for (const NoisePart& part : parts) {
    text += (text.empty() ? "{{" : ", {") + source_number(part.share) + ", " +
            source_number(part.factor / median) + ", " + source_number(part.log_sd) + '}';
  }
  return text + '}';
}

std::string piece_text(const Line& line) {
  return "        {" + source_number(line.from_bytes) + ", " +
         source_number(line.intercept_ns / kSourceNsPerS) + ", " +
         source_number(line.slope_ns / kSourceNsPerS) + ", " + noise_text(line.noise) + "},\n";
}

std::string segments_text(const char* comment, const std::vector<InvertedSegment>& segments,
                          Line InvertedSegment::*line) {
  std::string text = std::string("    // ") + comment + "\n    {\n";
  for (const InvertedSegment& segment : segments) text += piece_text(segment.*line);
  return text + "    },\n";
}

std::string pairs_text(const char* name, const PlatformModel& model, const Inversion& inversion) {
  const SimgridPlatform& platform = inversion.platform;
  std::string isend;
  for (const Line& line : model.isend) isend += piece_text(line);
  return std::string("\nconst Pairs ") + name + "{\n    " + source_number(platform.latency_s) +
         ", " + source_number(platform.pair_bandwidth_bps) + ", " +
         source_number(platform.shared_bandwidth_bps) + ",\n    " +
         source_number(model.interruptions.share) + ", " +
         source_number(model.interruptions.duration_ns / kSourceNsPerS) + ",\n" +
         segments_text("MPI_Send", inversion.segments, &InvertedSegment::send) +
         "    // MPI_Isend\n    {\n" + isend + "    },\n" +
         segments_text("MPI_Recv", inversion.segments, &InvertedSegment::receive) +
         segments_text("the wire", inversion.segments, &InvertedSegment::wire) + "};\n";
}

// What a file would have as properties.
std::string options_text(const SimgridPlatform& platform) {
  std::string text = "\n// What the command line says counts.\nvoid set_options() {\n";
  const auto add = [&](const char* name, const std::string& value) {
    text += std::string("  set_default(\"") + name + "\", " + value + ");\n";
  };
  add("smpi/async-small-thresh", std::to_string(platform.async_bytes));
  add("smpi/send-is-detached-thresh", std::to_string(platform.detached_bytes));
  if (platform.wtime_s) add("smpi/wtime", source_number(*platform.wtime_s));
  if (platform.test_s) add("smpi/test", source_number(*platform.test_s));
  if (platform.iprobe_s) add("smpi/iprobe", source_number(*platform.iprobe_s));
  if (platform.test_s || platform.iprobe_s) add("smpi/grow-injected-times", "false");
  if (!platform.selector.empty()) {
    add("smpi/coll-selector", "std::string(\"" + platform.selector + "\")");
  }
  add("network/TCP-gamma", "1e12");
  add("network/crosstraffic", "false");
  add("surf/precision", "1e-12");
  return text + "}\n";
}

std::string bytes_text(const std::optional<std::uint64_t>& threshold) {
  return threshold ? std::to_string(*threshold) + " B" : std::string("none");
}

// What one model lacks the other one may have: SimGrid has a single value.
void take_missing(PlatformModel& model, const PlatformModel& other) {
  if (!model.wtime_ns) model.wtime_ns = other.wtime_ns;
  if (!model.test_ns) model.test_ns = other.test_ns;
  if (!model.iprobe_ns) model.iprobe_ns = other.iprobe_ns;
  if (model.selector.empty()) model.selector = other.selector;
}

void check_order(const SourceOrder& order) {
  base::Faults faults;
  base::collect(faults, [&] { check_model(order.inside_host, "inside a host"); });
  base::collect(faults, [&] { check_model(order.between_hosts, "between hosts"); });
  constexpr std::uint32_t kMostOfAKind = 1U << 20U;
  const auto check_count = [&](const char* name, std::uint32_t count) {
    if (count >= 1 && count <= kMostOfAKind) return;
    faults.add(name, std::to_string(count) + " is none",
               "give 1 to " + std::to_string(kMostOfAKind));
  };
  check_count("hosts", order.hosts);
  check_count("cores of a host", order.cores);
  faults.throw_if_any();
}

std::string head_text(const SourceOrder& order, std::span<const std::string> comments) {
  std::string text;
  for (const std::string& comment : comments) {
    // A backslash at the end of a comment would take the next line into it.
    std::string line = base::without_controls(comment);
    while (line.ends_with('\\')) line.pop_back();
    text += "// " + line + '\n';
  }
  const std::string library = "lib" + order.stem + ".so";
  const std::string source = order.stem + ".cpp";
  const std::uint64_t ranks = std::uint64_t{order.hosts} * order.cores;
  return text + "// g++ -std=c++17 -O2 -fPIC -shared -o " + library + ' ' + source +
         " -lsimgrid\n// smpirun -np " + std::to_string(ranks) + " -platform ./" + library +
         " -hostfile " + source + ".hosts " + kRunOptions + " PROGRAM\n";
}

}  // namespace

PlatformSource platform_source(const SourceOrder& order, std::span<const std::string> comments) {
  check_order(order);
  PlatformSource source;
  PlatformModel between_model = order.between_hosts;
  take_missing(between_model, order.inside_host);
  PlatformModel inside_model = order.inside_host;
  if (inside_model.detached_bytes != between_model.detached_bytes ||
      inside_model.async_bytes != between_model.async_bytes) {
    source.cautions.push_back(
        "SimGrid has one pair of thresholds: inside a host detached is taken for " +
        bytes_text(between_model.detached_bytes) +
        " (measured: " + bytes_text(inside_model.detached_bytes) + ") and async for " +
        bytes_text(between_model.async_bytes) + " (measured: " +
        bytes_text(inside_model.async_bytes) + "); round trips are as measured all the same");
    inside_model.detached_bytes = between_model.detached_bytes;
    inside_model.async_bytes = between_model.async_bytes;
  }
  Inversion between = invert(between_model);
  Inversion inside = invert(inside_model);
  source.text = head_text(order, comments);
  source.text += kSourceTypes;
  source.text += "\nconstexpr int kHosts = " + std::to_string(order.hosts) +
                 ";\nconstexpr int kCores = " + std::to_string(order.cores) +
                 ";\nconstexpr unsigned long long kSeed = " + std::to_string(order.seed) +
                 "ULL;\n// Smaller messages are sent whether or not somebody receives them.\n"
                 "constexpr double kDetached = " +
                 source_number(static_cast<double>(between.platform.detached_bytes)) + ";\n";
  source.text += pairs_text("kInsideHost", inside_model, inside);
  source.text += pairs_text("kBetweenHosts", between_model, between);
  source.text += options_text(between.platform);
  source.text += kSourceFunctions;
  source.inside_clippings = std::move(inside.clippings);
  source.between_clippings = std::move(between.clippings);
  return source;
}

}  // namespace invar::platform
