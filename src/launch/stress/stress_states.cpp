#include "launch/stress/stress_states.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using record::StressActivity;
using record::StressDoing;
using record::StressFault;

constexpr std::size_t kMostActivitiesTold = 4;
constexpr const char* kCalledExit = " called exit()";

// Those that may have ended the launch.
struct Suspects {
  std::vector<std::uint32_t> ranks = {};
  std::string what = {};  // "rank 1 was ended by signal 6 (Aborted)"
};

const StressActivity* known_state(const StressStates& states, std::uint32_t rank) {
  return states[rank] ? &*states[rank] : nullptr;
}

// Ranks whose state is known and as asked for.
template <typename Is>
std::vector<std::uint32_t> ranks_that(const StressStates& states, Is is) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < states.size(); ++rank) {
    if (states[rank] && is(*states[rank])) ranks.push_back(rank);
  }
  return ranks;
}

std::string rank_text(std::uint32_t rank) { return "rank " + std::to_string(rank); }

std::string who_text(std::span<const std::uint32_t> ranks) {
  return ranks.size() == 1 ? rank_text(ranks.front()) : base::count_text(ranks.size(), "rank");
}

bool same_call(const StressActivity& one, const StressActivity& other) {
  return one.at_something() && other.at_something() && one.kind == other.kind &&
         one.message == other.message;
}

// The first one that has left word, by a signal or by exit(). Where a collective ends several
// ranks, nobody is the first.
std::optional<Suspects> by_own_word(const StressStates& states, bool by_signal) {
  Suspects found{.ranks = ranks_that(states, [&](const StressActivity& activity) {
                   return activity.death && (activity.death->signal != 0) == by_signal;
                 })};
  if (found.ranks.empty()) return std::nullopt;
  const std::uint32_t first = *std::ranges::min_element(
      found.ranks, {}, [&](std::uint32_t rank) { return states[rank]->death->time_ns; });
  const StressActivity& of_first = *states[first];
  std::erase_if(found.ranks, [&](std::uint32_t rank) {
    const bool together = of_first.doing == StressDoing::kCollective &&
                          states[rank]->doing == StressDoing::kCollective &&
                          states[rank]->death->signal == of_first.death->signal &&
                          same_call(*states[rank], of_first);
    return rank != first && !together;
  });
  found.what = who_text(found.ranks);
  if (!by_signal) {
    found.what += kCalledExit;
  } else {
    const int signal = of_first.death->signal;
    found.what += (found.ranks.size() == 1 ? " was ended by signal " : " were ended by signal ") +
                  std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return found;
}

// Whether it says "pid 1234", with any of " =:" in between.
bool names_process(std::string_view said, std::int64_t pid) {
  constexpr std::string_view kPid = "pid";
  const std::string number = std::to_string(pid);
  for (std::size_t at = said.find(kPid); at != std::string_view::npos; at = said.find(kPid)) {
    said.remove_prefix(at + kPid.size());
    const std::size_t begin = std::min(said.find_first_not_of(" =:"), said.size());
    std::string_view behind = said.substr(begin);
    if (begin == 0 || !behind.starts_with(number)) continue;
    behind.remove_prefix(number.size());
    if (behind.empty() || behind.front() < '0' || behind.front() > '9') return true;
  }
  return false;
}

// Open MPI may have no number of a process, but "process rank 1 with PID 0".
bool names_rank(std::string_view said, std::uint32_t rank) {
  return said.find("process rank " + std::to_string(rank) + " with pid") != std::string_view::npos;
}

// The one that the launcher was missing first. Where it names several it tells of what came of it.
std::optional<Suspects> by_launcher(const StressStates& states, std::string said) {
  for (char& c : said) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  Suspects found;
  for (std::uint32_t rank = 0; rank < states.size(); ++rank) {
    const StressActivity* const activity = known_state(states, rank);
    if (names_rank(said, rank) || (activity != nullptr && names_process(said, activity->pid))) {
      found.ranks.push_back(rank);
    }
  }
  if (found.ranks.size() != 1) return std::nullopt;
  const StressActivity* const activity = known_state(states, found.ranks.front());
  found.what =
      who_text(found.ranks) + (activity != nullptr && activity->death ? kCalledExit : " died");
  return found;
}

// `ranks` all are at something. If exactly one of them is posting a receive it is this one, which
// waits for nobody. Else it is those at the lowest message, for which the others wait.
std::vector<std::uint32_t> furthest_behind(const StressStates& states,
                                           std::vector<std::uint32_t> ranks) {
  std::vector<std::uint32_t> posting = ranks;
  std::erase_if(posting,
                [&](std::uint32_t rank) { return states[rank]->doing != StressDoing::kPosting; });
  if (posting.size() == 1) return posting;
  std::uint64_t least = states[ranks.front()]->message;
  for (const std::uint32_t rank : ranks) least = std::min(least, states[rank]->message);
  std::erase_if(ranks, [&](std::uint32_t rank) { return states[rank]->message != least; });
  return ranks;
}

// Those that the others wait for, as far as it looks. Only where all are known: else it may be any
// other one.
std::optional<Suspects> by_place(const StressStates& states) {
  if (!std::ranges::all_of(states, [](const auto& state) { return state.has_value(); })) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> ranks = ranks_that(states, [](const StressActivity& activity) {
    return activity.at_something() && activity.doing != StressDoing::kComparing;
  });
  if (ranks.empty()) ranks = ranks_that(states, std::mem_fn(&StressActivity::at_something));
  if (ranks.empty()) {
    ranks = ranks_that(states, [](const StressActivity& activity) {
      return activity.doing == StressDoing::kAgreeing;
    });
  } else {
    ranks = furthest_behind(states, std::move(ranks));
  }
  if (ranks.empty()) return std::nullopt;
  std::string what = ranks.size() == 1 ? "most likely " + who_text(ranks) + " died" : "a rank died";
  return Suspects{.ranks = std::move(ranks), .what = std::move(what)};
}

// "receiving message 17 from rank 1 (send -> irecv, 8 B)".
std::string activity_text(const StressActivity& activity) {
  const std::string number = std::to_string(activity.message);
  const std::string words =
      " (" + activity.operation + ", " + std::to_string(activity.size_bytes) + " B)";
  const std::string from = " from rank " + std::to_string(activity.from);
  switch (activity.doing) {
    case StressDoing::kResting:
      break;
    case StressDoing::kSending:
      return "sending message " + number + " to rank " + std::to_string(activity.to) + words;
    case StressDoing::kReceiving:
      return "receiving message " + number + from + words;
    case StressDoing::kPosting:
      return "posting the receive of message " + number + from + words;
    case StressDoing::kCollective:
      return "in collective " + number + words;
    case StressDoing::kComparing:
      return "outside of the call of collective " + number + words;
    case StressDoing::kAgreeing:
      return "waiting for the others between two parts";
  }
  return "at no message";
}

// What all ranks but `told` are at.
std::string activities_text(const StressStates& states, std::optional<std::uint32_t> told) {
  base::ByReason doings;
  for (std::uint32_t rank = 0; rank < states.size(); ++rank) {
    if (rank == told || !states[rank]) continue;
    doings.add(activity_text(*states[rank]), rank_text(rank));
  }
  return base::first_items(doings.texts(), kMostActivitiesTold, "; ");
}

bool has_no_word(const StressStates& states, std::uint32_t rank) {
  const StressActivity* const activity = known_state(states, rank);
  return activity == nullptr || !activity->death;
}

bool only_aborted(const StressStates& states, const Suspects& suspects) {
  return std::ranges::all_of(suspects.ranks, [&](std::uint32_t rank) {
    return states[rank] && states[rank]->death && states[rank]->death->signal == SIGABRT;
  });
}

// What all of these have in common.
void put_common(const StressStates& states, std::span<const std::uint32_t> ranks,
                StressFault& fault) {
  const StressActivity* const first = known_state(states, ranks.front());
  if (first == nullptr || !first->at_something()) return;
  StressFault common;
  put_activity(*first, common);
  for (const std::uint32_t rank : ranks.subspan(1)) {
    StressFault other;
    put_activity(*states[rank], other);
    if (!states[rank]->at_something() || other.kind != common.kind) return;
    const auto keep = [](auto& mine, const auto& theirs) {
      if (mine != theirs) mine = {};
    };
    // All else is of a message.
    if (other.message != common.message) other = {.kind = other.kind};
    if (!other.message) common = {.kind = common.kind};
    keep(common.operation, other.operation);
    keep(common.pattern, other.pattern);
    keep(common.size_bytes, other.size_bytes);
    keep(common.from, other.from);
    keep(common.to, other.to);
  }
  fault.kind = common.kind;
  fault.operation = common.operation;
  fault.pattern = common.pattern;
  fault.size_bytes = common.size_bytes;
  fault.message = common.message;
  if (!common.from || !common.to) common.from = common.to = {};
  fault.from = common.from;
  fault.to = common.to;
}

// Where it was, if a message's number does not say it.
std::string_view place_text(const StressActivity& activity) {
  switch (activity.doing) {
    case StressDoing::kResting:
      return " at no message";
    case StressDoing::kAgreeing:
      return " while ranks agreed what comes next";
    case StressDoing::kComparing:
      return " outside of the call";
    default:
      return "";
  }
}

void put_suspects(const Suspects& suspects, const StressStates& states, StressFault& fault) {
  put_common(states, suspects.ranks, fault);
  const StressActivity* const first = known_state(states, suspects.ranks.front());
  std::optional<std::uint32_t> one;
  if (suspects.ranks.size() == 1) one = suspects.ranks.front();
  fault.rank = one;
  std::vector<std::string> more{activities_text(states, one), std::move(fault.what)};
  std::erase(more, "");
  fault.more = base::join(more, "; ");
  fault.what = suspects.what;
  if (first != nullptr) fault.what += place_text(*first);
}

}  // namespace

StressStates read_stress_states(const fs::path& dir, std::uint32_t ranks) {
  StressStates states(ranks);
  std::uint64_t latest = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto bytes = base::read_file((dir / record::stress_state_file(rank)).string());
    if (bytes) states[rank] = record::read_stress_activity(*bytes);
    if (states[rank]) latest = std::max(latest, states[rank]->part);
  }
  for (auto& state : states) {
    if (state && state->part + 1 < latest) state.reset();
  }
  return states;
}

void remove_stress_states(const fs::path& dir, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::error_code ignored;
    fs::remove(dir / record::stress_state_file(rank), ignored);
  }
}

void tell_activities(StressFault& fault, const StressStates& states, std::string_view said) {
  namespace fault_words = record::stress_fault;
  const bool crash = fault.fault == fault_words::kCrash;
  if (!crash && fault.fault != fault_words::kHang) return;
  const auto told = ranks_that(states, [](const StressActivity& activity) {
    return activity.doing != StressDoing::kResting || activity.death;
  });
  if (told.empty()) return;
  std::optional<Suspects> suspects;
  if (crash) {
    suspects = by_own_word(states, true);
    // Who is killed has no word; that the others abort for want of it comes of that.
    std::optional<Suspects> missed = by_launcher(states, std::string(said));
    if (!suspects ||
        (missed && only_aborted(states, *suspects) && has_no_word(states, missed->ranks.front()))) {
      suspects = std::move(missed);
    }
    if (!suspects) suspects = by_own_word(states, false);
    if (!suspects) suspects = by_place(states);
  }
  if (suspects) {
    put_suspects(*suspects, states, fault);
    return;
  }
  fault.more = activities_text(states, {});
}

}  // namespace invar::launch
