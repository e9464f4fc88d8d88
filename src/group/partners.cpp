#include "group/partners.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "record/cell.hpp"

namespace invar::group {

std::string doing_text(Doing doing, const record::Plan& plan) {
  const auto cell = [&](std::uint32_t id) {
    return id < plan.cells.size() ? record::cell_text(plan.cells[id]) : std::string("a cell");
  };
  const auto visited = [&] {
    return doing.index < plan.rows.size() ? cell(plan.rows[doing.index].cell)
                                          : std::string("a visit");
  };
  switch (doing.activity) {
    case Activity::kStarting:
      return "while it started";
    case Activity::kWaiting:
      return "while it waited for its turn";
    case Activity::kPreparing:
      return doing.index == 0 ? std::string("while it prepared")
                              : "while " + cell(doing.index - 1) + " was verified";
    case Activity::kVisiting:
      return "in " + visited();
    case Activity::kLeaving:
      return "after " + visited();
    case Activity::kWriting:
      return "while records were written";
    case Activity::kTracking:
      return "while clocks were synchronised";
    case Activity::kFinished:
      return "at the launch's end";
  }
  return "at an unknown place";
}

std::optional<std::uint32_t> cell_at(Doing doing, const record::Plan& plan) {
  switch (doing.activity) {
    case Activity::kPreparing:
      if (doing.index == 0 || doing.index > plan.cells.size()) return std::nullopt;
      return doing.index - 1;
    case Activity::kVisiting:
    case Activity::kLeaving:
      if (doing.index >= plan.rows.size()) return std::nullopt;
      return plan.rows[doing.index].cell;
    default:
      return std::nullopt;
  }
}

ProcessState process_state(std::int32_t pid) {
  const auto stat = base::read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return ProcessState::kGone;
  const std::size_t end = stat->rfind(')');  // a name may have any character
  const char state = end == std::string::npos || end + 2 >= stat->size() ? 'R' : (*stat)[end + 2];
  if (state == 'Z' || state == 'X' || state == 'x') return ProcessState::kGone;
  if (state == 'T' || state == 't') return ProcessState::kStopped;
  return state == 'S' || state == 'D' ? ProcessState::kAsleep : ProcessState::kAlive;
}

std::vector<RankSeen> look_around(const Page& page) {
  std::vector<RankSeen> ranks;
  for (std::uint32_t arm = 0; arm < page.shape().arms; ++arm) {
    for (std::uint32_t i = 0; i < page.shape().local_ranks; ++i) {
      const RankSlot& slot = page.slot(arm, i);
      const std::int32_t pid = slot.pid.load();
      ranks.push_back({.arm = arm,
                       .local_rank = i,
                       .rank = pid == 0 ? static_cast<std::int32_t>(i) : slot.rank.load(),
                       .pid = pid,
                       .doing = Doing::of(slot.doing.load()),
                       .state = pid == 0 ? ProcessState::kAlive : process_state(pid)});
    }
  }
  return ranks;
}

std::vector<RankSeen> suspects(const std::vector<RankSeen>& ranks, std::uint32_t on_turn,
                               bool starting) {
  std::vector<RankSeen> chosen;
  const auto choose = [&](auto wanted) {
    if (!chosen.empty()) return;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(chosen), wanted);
  };
  const auto halted = [&](const RankSeen& rank) {
    return rank.state == ProcessState::kStopped || rank.state == ProcessState::kGone;
  };
  const auto mine = [&](const RankSeen& rank) { return starting || rank.arm == on_turn; };
  const auto behind = [](const RankSeen& rank) {
    return rank.doing.activity == Activity::kStarting ||
           rank.doing.activity == Activity::kPreparing ||
           rank.doing.activity == Activity::kVisiting ||
           rank.doing.activity == Activity::kWriting || rank.doing.activity == Activity::kTracking;
  };
  choose([&](const RankSeen& rank) { return mine(rank) && halted(rank); });
  choose([&](const RankSeen& rank) {
    return mine(rank) && (starting ? rank.doing.activity == Activity::kStarting : behind(rank));
  });
  // An arm that has had its last turn writes what is left while others have theirs.
  choose([&](const RankSeen& rank) { return !starting && behind(rank); });
  choose([&](const RankSeen& rank) { return rank.arm == on_turn; });
  // One arm is blamed, the first that keeps the others waiting.
  std::erase_if(chosen, [arm = chosen.empty() ? 0 : chosen.front().arm](const RankSeen& rank) {
    return rank.arm != arm;
  });
  return chosen;
}

std::string suspects_text(const std::vector<RankSeen>& suspects, const record::Plan& plan) {
  std::string text;
  for (const RankSeen& rank : suspects) {
    text += text.empty() ? "" : "; ";
    text += "rank " + std::to_string(rank.rank);
    if (rank.pid == 0) {
      text += " has not come";
      continue;
    }
    text += " (pid " + std::to_string(rank.pid) +
            (rank.state == ProcessState::kStopped  ? ", stopped"
             : rank.state == ProcessState::kGone   ? ", gone"
             : rank.state == ProcessState::kAsleep ? ", asleep"
                                                   : "") +
            ") " + doing_text(rank.doing, plan);
  }
  return text;
}

bool prepares_or_writes(const Page& page) {
  const auto takes_long = [](Doing doing) {
    return doing.activity == Activity::kWriting || doing == Doing{Activity::kPreparing};
  };
  for (std::uint32_t arm = 0; arm < page.shape().arms; ++arm) {
    for (std::uint32_t i = 0; i < page.shape().local_ranks; ++i) {
      if (takes_long(Doing::of(page.slot(arm, i).doing.load()))) return true;
    }
  }
  return false;
}

std::uint64_t fingerprint(const Page& page) {
  std::uint64_t value = page.header().attached.load();
  const auto mix = [&](std::uint64_t word) { value = (value ^ word) * 0x100000001b3U; };
  mix(page.header().ready.load());
  mix(page.header().finished.load());
  for (std::uint32_t arm = 0; arm < page.shape().arms; ++arm) {
    mix(page.arm(arm).go.load());
    for (std::uint32_t i = 0; i < page.shape().local_ranks; ++i) {
      mix(page.slot(arm, i).doing.load());
    }
  }
  return value;
}

}  // namespace invar::group
