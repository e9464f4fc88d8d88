#include "driver/blame.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "record/launch_spec.hpp"

namespace invar::driver {
namespace {

constexpr std::string_view kEngine = "invar-engine: ";

// What a launch says of its own end.
struct Words {
  std::string own = {};      // the engine's reason
  std::string noticed = {};  // the engine: another process is gone; who, if it knows
  std::optional<std::size_t> missing_arm = {};
  std::string launcher = {};  // last line that is neither
};

Words words_of(const LaunchEnd& launch) {
  Words words;
  for (const std::string_view raw : base::split(launch.err, '\n')) {
    const std::string_view line = base::trim(raw);
    if (!line.starts_with(kEngine)) {
      if (line.find_first_not_of("-=* ") != std::string_view::npos) words.launcher = line;
      continue;
    }
    const std::string said(line.substr(kEngine.size()));
    const std::size_t lost = said.find(record::kGroupLost);
    if (lost == std::string::npos) {
      if (words.own.empty()) words.own = said;
      continue;
    }
    const std::string_view named = std::string_view(said).substr(lost + record::kGroupLost.size());
    const auto arm = named.starts_with("arm ")
                         ? base::parse_u64(named.substr(4, named.find(',') - 4))
                         : std::nullopt;
    // A line that names somebody is worth more than one that does not, the first more than later
    // ones.
    if (words.noticed.empty() || (arm && !words.missing_arm)) words.noticed = said;
    if (arm && !words.missing_arm) words.missing_arm = *arm;
  }
  return words;
}

// A launcher reports a killed rank as 128 + 9 (the shell's way), Hydra (MPICH) as 9; the engine
// ends with neither.
std::string ended_text(int status) {
  constexpr int kKilled = 9;
  if (status == kKilled || status == 128 + kKilled) {
    return "was killed by signal 9 (out of memory? see dmesg)";
  }
  return "ended with " + (status > 128 ? "signal " + std::to_string(status - 128)
                                       : "exit status " + std::to_string(status));
}

Cause cause_of(const LaunchEnd& launch, const std::string& words) {
  const std::string how = launch.status ? ended_text(*launch.status) : std::string("lost a rank");
  return {.arm = launch.label,
          .reason = "'" + launch.label + "' " + how + (words.empty() ? "" : ": " + words)};
}

}  // namespace

Cause find_cause(std::span<const LaunchEnd> launches) {
  std::optional<std::size_t> missing;
  std::string noticed;
  for (const LaunchEnd& launch : launches) {
    const Words words = words_of(launch);
    if (!words.own.empty()) return cause_of(launch, words.own);
    if (words.missing_arm && *words.missing_arm < launches.size() && !missing) {
      missing = *words.missing_arm;
      noticed = words.noticed;
    }
  }
  if (missing) return cause_of(launches[*missing], noticed);
  // Nobody misses a rank: a launch that failed without a word of its engine comes before those
  // that only say that another one gave up.
  const auto failed = [](const LaunchEnd& launch) { return launch.status.value_or(0) != 0; };
  auto cause = std::find_if(launches.begin(), launches.end(), [&](const LaunchEnd& launch) {
    return failed(launch) && words_of(launch).noticed.empty();
  });
  if (cause == launches.end()) cause = std::find_if(launches.begin(), launches.end(), failed);
  const Words words = words_of(*cause);
  return cause_of(*cause, words.noticed.empty() ? words.launcher : words.noticed);
}

}  // namespace invar::driver
