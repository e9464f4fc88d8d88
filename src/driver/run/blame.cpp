#include "driver/run/blame.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "base/units.hpp"
#include "record/launch_spec.hpp"

namespace invar::driver {
namespace {

constexpr std::string_view kEngine = "invar-engine: ";
constexpr std::string_view kExitString = "TERMINATED WITH THE EXIT STRING: ";
// SimGrid says why it ends, and then more: backtraces, its own command line.
constexpr std::string_view kCritical = "/CRITICAL] ";

// Where a rank left quietly that is all there is to say; where it was killed as well, half of it.
constexpr std::string_view kOfAnother =
    "its launcher tells only of another rank, killed by signal 9 (a launcher ends the others so, "
    "the system where memory runs out: see dmesg)";

// What a launch says of its own end.
struct BlameWords {
  std::string own = {};      // the engine's reason
  std::string noticed = {};  // the engine: another process is gone; who, if it knows
  std::optional<std::size_t> missing_arm = {};
  std::optional<std::size_t> missing_rank = {};
  std::string launcher = {};  // last line that is neither
};

// The number behind the first `word` of a line.
std::optional<std::size_t> number_after(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + word.size());
  const auto number = base::parse_u64(rest.substr(0, rest.find_first_not_of("0123456789")));
  return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

BlameWords words_of(const LaunchEnd& launch) {
  BlameWords words;
  std::string exit_string;
  std::string critical;
  for (const std::string_view raw : base::split(launch.err, '\n')) {
    const std::string_view line = base::trim(raw);
    if (!line.starts_with(kEngine)) {
      const std::size_t how = line.find(kExitString);
      const std::size_t why = line.find(kCritical);
      if (how != std::string_view::npos) {
        exit_string = line.substr(how + kExitString.size());
      } else if (why != std::string_view::npos) {
        if (critical.empty()) critical = line.substr(why + kCritical.size());
      } else if (line.find_first_not_of("-=* ") != std::string_view::npos) {
        words.launcher = line;
      }
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
    if (arm && !words.missing_arm) {
      words.missing_arm = *arm;
      words.missing_rank = number_after(named, "rank ");
    }
  }
  // MPICH says more after it, of where to ask.
  if (!exit_string.empty()) words.launcher = exit_string;
  if (!critical.empty()) words.launcher = critical;
  return words;
}

// A launcher reports a killed rank as 128 + 9 (the shell's way), Hydra (MPICH) as 9; the engine
// ends with neither.
bool was_killed(std::optional<int> status) {
  constexpr int kKilled = 9;
  return status == kKilled || status == 128 + kKilled;
}

// The rank that a launcher names in its last words: Open MPI and MPICH tell the pid of one that a
// signal ended ("with PID 4711", "PID 4711 RUNNING AT"), Open MPI the rank of one that left ("rank
// 1", "Process name: [[52312,1],1]").
std::optional<std::size_t> named_rank(const LaunchEnd& launch) {
  const auto with_pid = [&](std::size_t pid) -> std::optional<std::size_t> {
    for (const RankEnd& rank : launch.ranks) {
      if (rank.pid > 0 && static_cast<std::size_t>(rank.pid) == pid) {
        return static_cast<std::size_t>(rank.rank);
      }
    }
    return std::nullopt;
  };
  // Hydra may show a rank that it has killed itself, because another one had died: that one's
  // status is the launcher's.
  const auto exit_code = number_after(launch.err, "EXIT CODE: ");
  const bool killed_after_another = exit_code == 9U && launch.status != 9;
  for (const std::string_view line : base::split(launch.err, '\n')) {
    if (base::trim(line).starts_with(kEngine)) continue;
    if (const auto pid = number_after(line, "PID "); pid && !killed_after_another) {
      if (const auto rank = with_pid(*pid)) return rank;
    }
    if (line.find("Process name: [[") != std::string_view::npos) {
      if (const auto rank = number_after(line, "],")) return rank;
    }
    if (line.find("process rank ") != std::string_view::npos ||
        line.find("noticed that process") != std::string_view::npos) {
      if (const auto rank = number_after(line, "rank ")) return rank;
    }
  }
  return std::nullopt;
}

// " (rank 1 on node3, in allreduce, 1 KiB, 2 ranks)". Where nobody knows which rank it was: where
// all of them were, if that was one place.
std::string blamed_place(const LaunchEnd& launch, std::optional<std::size_t> rank,
                         const std::string& host) {
  const auto at = std::find_if(launch.ranks.begin(), launch.ranks.end(), [&](const RankEnd& end) {
    return rank && end.rank == static_cast<int>(*rank);
  });
  if (at != launch.ranks.end()) {
    return " (rank " + std::to_string(*rank) + " on " + host + ", " + at->where + ")";
  }
  if (rank) return " (rank " + std::to_string(*rank) + ")";
  const bool one_place =
      !launch.ranks.empty() &&
      std::all_of(launch.ranks.begin(), launch.ranks.end(),
                  [&](const auto& end) { return end.where == launch.ranks.front().where; });
  return one_place ? " (on " + host + ", " + launch.ranks.front().where + ")" : "";
}

// The cell that it was at; where nobody knows which rank it was, the one that all of them were at.
std::optional<std::uint32_t> blamed_cell(const LaunchEnd& launch, std::optional<std::size_t> rank) {
  for (const RankEnd& end : launch.ranks) {
    if (rank && end.rank == static_cast<int>(*rank)) return end.cell;
  }
  if (rank || launch.ranks.empty()) return std::nullopt;
  const std::optional<std::uint32_t> cell = launch.ranks.front().cell;
  const bool one =
      std::ranges::all_of(launch.ranks, [&](const RankEnd& end) { return end.cell == cell; });
  return one ? cell : std::nullopt;
}

// `status`: none where it says nothing of that rank.
Cause cause_of(const LaunchEnd& launch, const std::string& words, const std::string& place,
               std::optional<std::size_t> rank, std::optional<int> status) {
  const std::string how = status ? ended_text(*status) : std::string("lost a rank");
  return {.arm = launch.label,
          .reason = "'" + launch.label + "' " + how + place + (words.empty() ? "" : ": " + words),
          .cell = blamed_cell(launch, rank)};
}

// Words of an engine that say that the machine is to blame, after "rank 0 on node3: ".
std::optional<Cause> machine_cause(const std::string& own) {
  const std::size_t at = own.find(record::kMachine);
  if (at == std::string::npos) return std::nullopt;
  return Cause{.reason = own.substr(0, at) + own.substr(at + record::kMachine.size()),
               .machine = true,
               .unwritable = own.find(record::kCannotWrite) != std::string::npos};
}

}  // namespace

std::string ended_text(int status) {
  if (was_killed(status)) {
    return "was killed by signal 9 (out of memory? see dmesg)";
  }
  constexpr int kLastSignal = 64;
  const bool signal = status > 128 && status <= 128 + kLastSignal;
  return "ended with " + (signal ? "signal " + std::to_string(status - 128)
                                 : "exit status " + std::to_string(status));
}

std::string scarce_text(const host::SharedMemory& shared) {
  // Two ranks of MPICH or Open MPI take less, and so it is not the reason where there is more.
  constexpr std::uint64_t kScarce = std::uint64_t{16} << 20U;
  if (!shared.bytes || !shared.free_bytes || *shared.free_bytes >= kScarce) return {};
  return "; " + base::size_text(*shared.free_bytes) + " of " + base::size_text(*shared.bytes) +
         " are free in /dev/shm, where libraries keep what their ranks share";
}

Cause find_cause(std::span<const LaunchEnd> launches, const std::string& host,
                 const std::optional<FirstGone>& first_gone) {
  std::optional<std::size_t> missing;
  std::optional<std::size_t> missing_rank;
  std::string noticed;
  for (const LaunchEnd& launch : launches) {
    const BlameWords words = words_of(launch);
    if (auto machine = machine_cause(words.own)) return *machine;
    if (!words.own.empty()) {
      return cause_of(launch, words.own, "", std::nullopt, launch.status);
    }
    if (words.missing_arm && *words.missing_arm < launches.size() && !missing) {
      missing = *words.missing_arm;
      missing_rank = words.missing_rank;
      noticed = words.noticed;
    }
  }
  if (first_gone && first_gone->launch < launches.size()) {
    const LaunchEnd& lost = launches[first_gone->launch];
    const std::optional<std::size_t> named = named_rank(lost);
    std::optional<std::size_t> rank = named;
    if (first_gone->rank >= 0 && (!named || was_killed(lost.status))) {
      rank = static_cast<std::size_t>(first_gone->rank);
    }
    // Hydra knows nothing of a rank that left with exit status 0: status and words are then those
    // of one that it has killed afterwards.
    const bool of_another = named && *named != *rank;
    return cause_of(lost, of_another ? std::string(kOfAnother) : words_of(lost).launcher,
                    blamed_place(lost, rank, host), rank, of_another ? std::nullopt : lost.status);
  }
  if (missing) {
    const LaunchEnd& lost = launches[*missing];
    const auto named = named_rank(lost);
    const auto rank = named ? named : missing_rank;
    return cause_of(lost, noticed, blamed_place(lost, rank, host), rank, lost.status);
  }
  // Nobody misses a rank: a launch that failed without a word of its engine comes before those
  // that only say that another one gave up.
  const auto failed = [](const LaunchEnd& launch) { return launch.status.value_or(0) != 0; };
  auto cause = std::find_if(launches.begin(), launches.end(), [&](const LaunchEnd& launch) {
    return failed(launch) && words_of(launch).noticed.empty();
  });
  if (cause == launches.end()) cause = std::find_if(launches.begin(), launches.end(), failed);
  const BlameWords words = words_of(*cause);
  const std::optional<std::size_t> rank = named_rank(*cause);
  return cause_of(*cause, words.noticed.empty() ? words.launcher : words.noticed,
                  blamed_place(*cause, rank, host), rank, cause->status);
}

}  // namespace invar::driver
