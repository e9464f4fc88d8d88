// The driver's look at the page that the ranks of a group share on this host (group/page.hpp): who
// is there, what each is at, whether anything moves. It only reads, so it costs the ranks nothing
// but a cache line now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "group/partners.hpp"
#include "group/stillness.hpp"

namespace invar::driver {

// The time of a clock that never goes back.
std::int64_t steady_ns();

class GroupPage {
 public:
  // Makes the page before any rank does, so that it stays in sight when the last rank to come takes
  // its name away. Where that fails (no /dev/shm) it shows nothing, and nothing else is lost:
  // problem() says why.
  explicit GroupPage(const std::string& group_id);
  GroupPage(const GroupPage&) = delete;
  GroupPage& operator=(const GroupPage&) = delete;
  ~GroupPage();  // the name is gone then, whatever became of the ranks

  // Why there is no page; empty: there is one.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Every rank of this host; empty as long as none is attached.
  [[nodiscard]] std::vector<group::RankSeen> ranks() const;

  // Returns when a rank ends, a child of this process ends (`children`: a signalfd of SIGCHLD), a
  // signal interrupts, or a quarter of a second has passed: the driver must not wake up on the
  // cores that the ranks use.
  void wait(int children);
  // The rank that was the first to be gone before its launch's end; rank -1: one of several of that
  // arm, of which some were gone before they were watched. The launcher ends the others a moment
  // later, and does not always say who was first.
  [[nodiscard]] const std::optional<group::RankSeen>& first_gone() const { return first_gone_; }

  // For how long no rank has come further, as far as this was asked for before.
  struct Standstill {
    bool seen = false;  // ranks are on this page
    std::int64_t still_ns = 0;
    bool starting = false;    // nobody has had a turn yet
    bool takes_long = false;  // it starts, or group::prepares_or_writes(): no limit of a visit
    bool finished = false;    // all visits are made
    std::uint32_t arm = 0;    // whose turn it is
  };
  Standstill standstill();
  // It was nobody's fault: it counts from now on again.
  void forgive() { stillness_.forgive(); }

  // How many steps of the group (group/steps.hpp) were made; 0 as long as it starts.
  [[nodiscard]] std::uint32_t steps_made() const;

 private:
  void open_ranks(std::vector<group::RankSeen>& gone);
  void note_first(std::vector<group::RankSeen> gone, bool in_order);

  std::string name_;
  int descriptor_;
  std::string problem_ = {};
  std::vector<int> watched_ = {};  // descriptors of the ranks' processes; -1: not yet, or ended
  // An epoll of them: it tells ends in their order, also to a driver that comes too late to see one
  // after the other.
  int ends_;
  std::size_t opened_ = 0;
  bool unwatchable_ = false;  // this kernel or sandbox has no pidfd_open
  std::optional<group::RankSeen> first_gone_ = {};
  group::Stillness stillness_ = {};
};

// "1a2b3c4d-4711-": how the ids of all groups of this driver begin.
std::string group_id_start(const std::filesystem::path& campaign_dir);

// Pages of drivers of this campaign that were killed. To be called under the directory's lock.
void remove_stale_pages(const std::filesystem::path& campaign_dir);

}  // namespace invar::driver
