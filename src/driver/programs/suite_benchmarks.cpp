#include "driver/programs/suite_benchmarks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace invar::driver {
namespace {

using Suite = design::ParseRule::Kind;

constexpr double kNsOfAMicrosecond = 1e3;
constexpr std::uint32_t kImbOwnWindow = 256;

constexpr std::array<SuiteBenchmark, 14> kBenchmarks{{
    {.suite = Suite::kImb, .name = "PingPong", .operation = "pingpong"},
    {.suite = Suite::kImb, .name = "PingPongSpecificSource", .operation = "pingpong"},
    {.suite = Suite::kImb, .name = "PingPongAnySource", .operation = "pingpong"},
    // Its Exchange is another thing: every rank with both neighbours on a circle.
    {.suite = Suite::kImb, .name = "PingPing", .operation = "exchange", .printed = Quantity::kTime},
    {.suite = Suite::kImb,
     .name = "PingPingSpecificSource",
     .operation = "exchange",
     .printed = Quantity::kTime},
    {.suite = Suite::kImb,
     .name = "PingPingAnySource",
     .operation = "exchange",
     .printed = Quantity::kTime},
    {.suite = Suite::kImb,
     .name = "Uniband",
     .operation = "stream",
     .printed = Quantity::kMegabytesPerS},
    {.suite = Suite::kImb,
     .name = "Biband",
     .operation = "bistream",
     .printed = Quantity::kMegabytesPerS,
     .both_ways = true},
    {.suite = Suite::kOsu, .name = "Latency Test", .operation = "pingpong"},
    {.suite = Suite::kOsu, .name = "Latency Persistent Test", .operation = "pingpong"},
    {.suite = Suite::kOsu, .name = "Multi-threaded Latency Test", .operation = "pingpong"},
    {.suite = Suite::kOsu, .name = "Multi-process Latency Test", .operation = "pingpong"},
    {.suite = Suite::kOsu,
     .name = "Bandwidth Test",
     .operation = "stream",
     .printed = Quantity::kMegabytesPerS},
    {.suite = Suite::kOsu,
     .name = "Bi-Directional Bandwidth Test",
     .operation = "bistream",
     .printed = Quantity::kMegabytesPerS,
     .both_ways = true},
}};

std::string count_words(std::uint64_t messages, const SuiteBenchmark& benchmark) {
  return (benchmark.both_ways ? "2 x " : "") + std::to_string(messages) + " messages";
}

// Why these messages are not those of a call of the cell; empty: they are.
std::string lack_of_window(const SuiteBenchmark& benchmark, const record::Cell& cell,
                           std::uint32_t window) {
  const bool imb = benchmark.suite == Suite::kImb;
  if (window == 0) {
    return "does not tell how many messages it sent in a row: name " +
           std::string(imb ? "IMB-MPI1 and -window_size" : "osu_bw and -W") +
           " in the command itself";
  }
  // An operation that no engine knows is what the suite makes of it.
  if (cell.pattern.empty()) return {};
  if (window != cell.window) {
    return "sent " + std::to_string(window) + " messages in a row, and the cell has window " +
           std::to_string(cell.window);
  }
  if (imb && cell.ranks > 2 && cell.pattern != "bisection") {
    return "pairs rank r with r + " + std::to_string(cell.ranks / 2) +
           ", which is pattern bisection, and the cell has pattern " + cell.pattern;
  }
  return {};
}

}  // namespace

const SuiteBenchmark* suite_benchmark(Suite suite, std::string_view name) {
  const auto* found = std::ranges::find_if(kBenchmarks, [&](const SuiteBenchmark& one) {
    return one.suite == suite && one.name == name;
  });
  return found == kBenchmarks.end() ? nullptr : found;
}

std::string benchmarks_of_operation(Suite suite, std::string_view operation) {
  std::vector<std::string> names;
  for (const SuiteBenchmark& one : kBenchmarks) {
    if (one.suite == suite && one.operation == operation) names.emplace_back(one.name);
  }
  return base::join(names, " or ");
}

std::string osu_benchmark(std::string_view heading) {
  constexpr std::string_view kSuite = "OSU MPI";
  if (!heading.starts_with(kSuite)) return {};
  // Directly behind it, what the buffers lie on: "-CUDA".
  const std::size_t name = heading.find(' ', kSuite.size());
  if (name == std::string_view::npos) return {};
  const std::size_t version = heading.rfind(" v");
  const std::size_t end =
      version == std::string_view::npos || version < name ? heading.size() : version;
  return std::string(base::trim(heading.substr(name, end - name)));
}

std::optional<std::uint32_t> imb_window(std::string_view output) {
  constexpr std::string_view kCalled = "Calling sequence was:";
  constexpr std::string_view kOption = "-window_size";
  std::size_t at = output.find(kCalled);
  if (at == std::string_view::npos) return std::nullopt;
  at += kCalled.size();
  // Versions before 2019 break the line, and each of its lines begins with "#". The list of message
  // lengths, or what takes its place, follows behind it.
  const std::size_t end = std::min(output.find("essage length", at), output.size());
  std::vector<std::string> words;
  std::string word;
  for (const char c : output.substr(at, end - at)) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#';
    if (!space) word += c;
    if (space && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  const auto option = std::ranges::find(words, kOption);
  if (option == words.end()) return kImbOwnWindow;
  if (option + 1 == words.end()) return 0;
  const std::uint64_t window = base::parse_u64(*(option + 1)).value_or(0);
  return window > UINT32_MAX ? 0 : static_cast<std::uint32_t>(window);
}

Conversion conversion_of(const SuiteBenchmark& benchmark, Quantity quantity,
                         const record::Cell& cell, std::uint32_t window) {
  if (quantity == Quantity::kTime) return {.unit_ns = kNsOfAMicrosecond};
  if (quantity == Quantity::kHalfRoundTrip) {
    return {.unit_ns = 2 * kNsOfAMicrosecond, .words = "half a round trip, times 2"};
  }
  if (std::string lack = lack_of_window(benchmark, cell, window); !lack.empty()) {
    return {.complaint = std::move(lack)};
  }
  const std::uint64_t pairs = benchmark.suite == Suite::kImb ? cell.ranks / 2 : 1;
  const auto messages =
      static_cast<double>(std::uint64_t{window} * pairs * (benchmark.both_ways ? 2 : 1));
  const std::string of_pairs = pairs > 1 ? " of " + std::to_string(pairs) + " pairs" : "";
  if (quantity == Quantity::kMessagesPerS) {
    return {
        .unit_ns = messages * 1e9,
        .inverse = true,
        .words = "Msg/sec: a call is " + count_words(window, benchmark) + of_pairs + " over it"};
  }
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  if (size_bytes == 0) {
    return {.complaint = "printed a rate of no bytes, of which no time follows"};
  }
  return {.unit_ns = messages * static_cast<double>(size_bytes) * 1e3,
          .inverse = true,
          .words = "MB/s of 10^6 bytes: a call is " + count_words(window, benchmark) + of_pairs +
                   " of " + std::to_string(size_bytes) + " bytes over it"};
}

}  // namespace invar::driver
