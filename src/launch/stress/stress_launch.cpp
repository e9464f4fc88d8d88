#include "launch/stress/stress_launch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/json_whole.hpp"
#include "base/text.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/start/launcher.hpp"
#include "launch/stress/stress_states.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using StressJson = nlohmann::json;
using LaunchClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStressLook{20};
// Beyond the ranks' own patience: they say more than we can. Between two lines of progress a rank
// may wait so many times, each time for less than its patience: until a message has left, for one,
// and for the other ranks, which may have waited as well. Starting takes a while, too.
constexpr int kWaitsInALine = 4;
constexpr std::chrono::seconds kBeyondPatience{60};
// MPICH 4.0 over UCX and TCP may not return from MPI_Finalize.
constexpr std::chrono::duration<double> kStressEndGrace{10};

std::string file_text(const fs::path& dir, std::string_view name) {
  return base::read_file((dir / name).string()).value_or("");
}

// What launcher and library said.
std::string all_words(const fs::path& dir) {
  return file_text(dir, "stderr") + file_text(dir, "stdout");
}

// What it said last: a library's own words are in there.
std::string words_at_end(const fs::path& dir) {
  constexpr std::size_t kLongestWords = 400;
  const std::string said = all_words(dir);
  const std::string_view trimmed = base::trim(said);
  return std::string(trimmed.substr(trimmed.size() - std::min(kLongestWords, trimmed.size())));
}

template <std::integral Integer>
std::optional<Integer> optional_whole(const StressJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return base::whole<Integer>(*found);
}

record::StressFault fault_of(const StressJson& json) {
  return {.fault = json.at("fault").get<std::string>(),
          .kind = json.at("kind").get<std::string>(),
          .operation = json.at("operation").get<std::string>(),
          .pattern = json.at("pattern").get<std::string>(),
          .what = json.at("what").get<std::string>(),
          .more = json.at("more").get<std::string>(),
          .size_bytes = optional_whole<std::uint64_t>(json, "size_bytes"),
          .message = optional_whole<std::uint64_t>(json, "message"),
          .from = optional_whole<std::uint32_t>(json, "from"),
          .to = optional_whole<std::uint32_t>(json, "to"),
          .rank = optional_whole<std::uint32_t>(json, "rank"),
          .offset_bytes = optional_whole<std::int64_t>(json, "offset_bytes"),
          .expected = json.at("expected").get<std::string>(),
          .found = json.at("found").get<std::string>()};
}

record::StressCounts counts_of(const StressJson& json) {
  return {.seconds = json.at("seconds").get<double>(),
          .messages = base::whole<std::uint64_t>(json.at("messages")),
          .large_messages = base::whole<std::uint64_t>(json.at("large_messages")),
          .bytes = base::whole<std::uint64_t>(json.at("bytes")),
          .collectives = base::whole<std::uint64_t>(json.at("collectives")),
          .ended = json.at("ended").get<bool>()};
}

// Whole lines that are what `read` makes of them.
template <typename Read>
void for_each_line(std::string_view text, Read read) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const StressJson json = StressJson::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    if (!json.is_object()) continue;
    try {
      read(json);
    } catch (const StressJson::exception&) {
      continue;
    }
  }
}

// How a launch came to its end.
struct StressEnd {
  std::optional<int> status = {};  // none: it was ended
  bool hung = false;
  bool lingered = false;  // it had done everything, and did not end by itself
  bool interrupted = false;
};

StressEnd watch_stress(Process& process, const fs::path& dir, const record::StressOrder& order,
                       const StressLook& look) {
  const std::chrono::duration<double> patience =
      kBeyondPatience + kWaitsInALine * std::chrono::duration<double>(order.patience_s);
  std::uintmax_t reached = 0;
  auto moved = LaunchClock::now();
  record::StressCounts counts;
  for (;;) {
    if (const std::optional<int> status = process.wait(kStressLook)) return {.status = status};
    const auto now = LaunchClock::now();
    std::error_code error;
    const std::uintmax_t size = fs::file_size(dir / record::kStressProgressFile, error);
    if (!error && size != reached) {
      reached = size;
      moved = now;
      counts = read_stress_counts(file_text(dir, record::kStressProgressFile));
    }
    if (look(counts)) {
      process.kill();
      return {.interrupted = true};
    }
    if (now - moved <= (counts.ended ? kStressEndGrace : patience)) continue;
    process.kill();
    return {.hung = !counts.ended, .lingered = counts.ended};
  }
}

// What the launch as a whole did wrong, as a fault; none: nothing.
std::optional<record::StressFault> fault_of_launch(const StressEnd& end, const fs::path& dir,
                                                   const record::StressCounts& counts,
                                                   double asked_s) {
  if (end.hung) {
    return record::StressFault{
        .fault = std::string(record::stress_fault::kHang),
        .what = "nothing came from the launch any more, after " +
                base::shortest_text(static_cast<double>(static_cast<int>(counts.seconds))) + " s"};
  }
  if (!end.status || *end.status == 0) {
    // It left without a word that it was at the end.
    const bool silent = end.status && !counts.ended;
    if (!silent) return fault_of_early_end(counts, asked_s);
    return record::StressFault{.fault = std::string(record::stress_fault::kCrash),
                               .what = "the launch ended before its time"};
  }
  const std::string words = words_at_end(dir);
  return record::StressFault{
      .fault = std::string(record::stress_fault::kCrash),
      .what = "exit status " + std::to_string(*end.status) + (words.empty() ? "" : ": " + words)};
}

}  // namespace

StressDir::StressDir(const StressPlace& place)
    : elsewhere_(!place.hosts.empty() || !place.profile.launch_template.empty()) {
  path_ = elsewhere_ ? place.profile.engine.parent_path() / scratch_.path().filename()
                     : scratch_.path();
  if (elsewhere_) make_directories(path_);
}

StressDir::~StressDir() {
  std::error_code ignored;
  if (elsewhere_) fs::remove_all(path_, ignored);
}

record::StressCounts read_stress_counts(std::string_view text) {
  // From the end: in a long run it is asked for once a second.
  record::StressCounts last;
  bool found = false;
  std::size_t end = text.rfind('\n');
  while (!found && end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    for_each_line(text.substr(begin, end + 1 - begin), [&](const StressJson& json) {
      last = counts_of(json);
      found = true;
    });
    end = before;
  }
  return last;
}

std::vector<record::StressFault> read_stress_faults(std::string_view text) {
  std::vector<record::StressFault> faults;
  for_each_line(text, [&](const StressJson& json) { faults.push_back(fault_of(json)); });
  return faults;
}

std::optional<record::StressFault> fault_of_early_end(const record::StressCounts& counts,
                                                      double asked_s) {
  if (!counts.ended || counts.seconds >= asked_s) return std::nullopt;
  return record::StressFault{
      .fault = std::string(record::stress_fault::kAgreement),
      .what = "the ranks ended after " + base::shortest_text(std::round(10 * counts.seconds) / 10) +
              " of " + base::shortest_text(asked_s) +
              " s because of a fault that none of them has found: a message by which they agree "
              "was wrong"};
}

void sort_stress_faults(std::vector<record::StressFault>& faults) {
  namespace fault_words = record::stress_fault;
  const auto place = [](const record::StressFault& fault) {
    const bool hang = fault.fault == fault_words::kHang;
    // Who waits for a message knows more than who waits for the others.
    return std::tuple(hang                                 ? (fault.message ? 1 : 2)
                      : fault.fault == fault_words::kCrash ? 3
                                                           : 0,
                      fault.message.value_or(0), fault.rank.value_or(0));
  };
  std::ranges::stable_sort(faults, {}, place);
}

StressOutcome run_stress(const StressPlace& place, const fs::path& dir,
                         const record::StressOrder& order, const StressLook& look) {
  const EngineUse use(place.profile.engine);
  write_atomically(dir / record::kStressFile, record::stress_order_text(order));
  StartOptions options;
  options.ranks = order.ranks;
  options.hosts = place.hosts;
  options.oversubscribe = order.oversubscribe;
  options.environment = place.environment;
  options.arguments = {"--stress", dir.string()};
  options.dir = dir;
  Process process = start(place.profile, options);
  const StressEnd end = watch_stress(process, dir, order, look);
  StressOutcome outcome{.counts = read_stress_counts(file_text(dir, record::kStressProgressFile)),
                        .interrupted = end.interrupted,
                        .lingered = end.lingered};
  for (std::uint32_t rank = 0; rank < order.ranks; ++rank) {
    const std::vector<record::StressFault> found =
        read_stress_faults(file_text(dir, record::stress_faults_file(rank)));
    outcome.faults.insert(outcome.faults.end(), found.begin(), found.end());
  }
  if (!end.interrupted) {
    // Where ranks have said what is wrong, how the launch ended follows from that.
    auto of_launch = fault_of_launch(end, dir, outcome.counts, order.seconds);
    if (of_launch && outcome.faults.empty()) {
      tell_activities(*of_launch, read_stress_states(dir, order.ranks), all_words(dir));
      outcome.faults.push_back(std::move(*of_launch));
    }
  }
  // Nobody can read these without us.
  remove_stress_states(dir, order.ranks);
  sort_stress_faults(outcome.faults);
  std::string all;
  for (const record::StressFault& fault : outcome.faults) {
    all += record::stress_fault_json(fault) + '\n';
  }
  write_atomically(dir / kAllStressFaults, all);
  return outcome;
}

}  // namespace invar::launch
