#include "driver/run/group_page.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "base/crc32c.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "host/identity.hpp"

namespace invar::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedMemory = "/dev/shm";
constexpr long kPidfdOpen = 434;  // on every architecture; older headers do not have its name

std::string directory_part(const fs::path& campaign_dir) {
  return base::crc_text(base::crc32c(base::absolute_name(campaign_dir).string())) + "-";
}

}  // namespace

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

GroupPage::GroupPage(const std::string& group_id)
    : name_("/invar-" + group::Page::name_of(group_id, host::host_identity())),
      descriptor_(shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)),
      ends_(epoll_create1(EPOLL_CLOEXEC)) {
  if (ends_ < 0) unwatchable_ = true;
  if (descriptor_ < 0) {
    problem_ = std::string(kSharedMemory) + ": " + std::strerror(errno);
    return;
  }
  // Not a leftover, however long the ranks take to come (group/leftovers.hpp).
  flock(descriptor_, LOCK_SH);
}

GroupPage::~GroupPage() {
  for (const int rank : watched_) {
    if (rank >= 0) close(rank);
  }
  if (ends_ >= 0) close(ends_);
  if (descriptor_ < 0) return;
  close(descriptor_);
  shm_unlink(name_.c_str());
}

std::vector<group::RankSeen> GroupPage::ranks() const {
  const std::optional<group::Page> page =
      descriptor_ < 0 ? std::nullopt : group::Page::look(descriptor_);
  return page ? group::look_around(*page) : std::vector<group::RankSeen>();
}

// Until all are there; where the kernel has no pidfd_open (before 5.3) nothing is watched.
void GroupPage::open_ranks(std::vector<group::RankSeen>& gone) {
  const std::vector<group::RankSeen> all = ranks();
  if (all.empty() || opened_ == all.size()) return;
  watched_.resize(all.size(), -1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (watched_[i] >= 0 || all[i].pid <= 0) continue;
    watched_[i] = static_cast<int>(syscall(kPidfdOpen, all[i].pid, 0));
    if (watched_[i] >= 0) {
      ++opened_;
      // One that ended before is not asked after: epoll would tell those in the order of ranks.
      pollfd over{watched_[i], POLLIN, 0};
      epoll_event end{.events = EPOLLIN, .data = {.u64 = i}};
      if (poll(&over, 1, 0) > 0) {
        gone.push_back(all[i]);
      } else if (epoll_ctl(ends_, EPOLL_CTL_ADD, watched_[i], &end) != 0) {
        unwatchable_ = true;
      }
    } else if (errno == ESRCH) {
      gone.push_back(all[i]);
    } else {
      unwatchable_ = true;
      return;
    }
  }
}

void GroupPage::wait(int children) {
  std::vector<group::RankSeen> gone;
  if (!first_gone_ && !unwatchable_) open_ranks(gone);
  // While the group starts nobody measures, and a rank may come and go.
  const bool starting = !unwatchable_ && (watched_.empty() || opened_ < watched_.size());
  const int timeout_ms = starting ? 20 : 250;
  std::array<pollfd, 2> files{{{children, POLLIN, 0}, {ends_, POLLIN, 0}}};
  const int ready = poll(files.data(), files.size(), timeout_ms);
  if (ready > 0 && files[0].revents != 0) {
    signalfd_siginfo ended{};
    while (read(children, &ended, sizeof ended) > 0) {
    }
  }
  const auto finished = [](const group::RankSeen& rank) {
    return rank.doing.activity == group::Activity::kFinished;
  };
  std::erase_if(gone, finished);
  const std::size_t unseen = gone.size();
  if (ready > 0 && files[1].revents != 0) {
    const std::vector<group::RankSeen> all = ranks();
    std::vector<epoll_event> ends(watched_.size());
    const int ended = epoll_wait(ends_, ends.data(), static_cast<int>(ends.size()), 0);
    for (int i = 0; i < ended; ++i) {
      const std::size_t rank = ends[static_cast<std::size_t>(i)].data.u64;
      close(std::exchange(watched_.at(rank), -1));
      gone.push_back(all.at(rank));
    }
  }
  std::erase_if(gone, finished);
  note_first(std::move(gone), unseen == 0);
}

void GroupPage::note_first(std::vector<group::RankSeen> gone, bool in_order) {
  if (first_gone_ || gone.empty()) return;
  if (in_order || gone.size() == 1) {
    first_gone_ = gone.front();
    return;
  }
  // Those that waited gave up because of one that did not.
  const auto at_work = [](const group::RankSeen& rank) {
    return rank.doing.activity != group::Activity::kWaiting;
  };
  if (std::any_of(gone.begin(), gone.end(), at_work)) {
    std::erase_if(gone, [&](const group::RankSeen& rank) { return !at_work(rank); });
  }
  first_gone_ = gone.front();
  const bool several = std::count_if(gone.begin(), gone.end(), [&](const auto& rank) {
                         return rank.arm == first_gone_->arm;
                       }) > 1;
  if (several) first_gone_->rank = -1;
}

GroupPage::Standstill GroupPage::standstill() {
  const std::int64_t now_ns = steady_ns();
  const std::optional<group::Page> page =
      descriptor_ < 0 ? std::nullopt : group::Page::look(descriptor_);
  if (!page) {
    stillness_.look(0, now_ns);
    stillness_.forgive();
    return {};
  }
  Standstill result{.seen = true,
                    .still_ns = stillness_.look(group::fingerprint(*page), now_ns),
                    .starting = true,
                    .finished = group::value_of(page->header().finished) >= page->processes()};
  std::uint32_t latest = 0;
  for (std::uint32_t arm = 0; arm < page->shape().arms; ++arm) {
    const std::uint32_t go = group::value_of(page->arm(arm).go);
    if (go <= latest) continue;
    latest = go;
    result.starting = false;
    result.arm = arm;
  }
  result.takes_long = result.starting || group::prepares_or_writes(*page);
  return result;
}

std::uint32_t GroupPage::steps_made() const {
  const std::optional<group::Page> page =
      descriptor_ < 0 ? std::nullopt : group::Page::look(descriptor_);
  std::uint32_t on_turn = 0;  // 1 + the step
  for (std::uint32_t arm = 0; page && arm < page->shape().arms; ++arm) {
    on_turn = std::max(on_turn, group::value_of(page->arm(arm).go));
  }
  return on_turn > 0 ? on_turn - 1 : 0;
}

// Containers that share /dev/shm have the same pids and the same paths.
std::string group_id_start(const fs::path& campaign_dir) {
  static const std::string own = [] {
    std::random_device random;
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
    return std::string(text.data());
  }();
  return directory_part(campaign_dir) + std::to_string(getpid()) + "-" + own + "-";
}

void remove_stale_pages(const fs::path& campaign_dir) {
  const std::string start = "invar-" + directory_part(campaign_dir);
  std::vector<fs::path> stale;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kSharedMemory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(start)) continue;
    const std::string_view rest = std::string_view(name).substr(start.size());
    const auto pid = base::parse_u64(rest.substr(0, rest.find('-')));
    // Another directory may have the same checksum. What has our own pid is of a driver before us,
    // which had it before the machine or the container was started again.
    const bool other = pid && *pid != static_cast<std::uint64_t>(getpid());
    const bool alive = other && (::kill(static_cast<pid_t>(*pid), 0) == 0 || errno != ESRCH);
    if (!alive) stale.push_back(entry.path());
  }
  for (const fs::path& page : stale) {
    // A pid that is gone here may live in another container: what is in use is locked.
    const int descriptor = ::open(page.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove(page, ignored);
    close(descriptor);
  }
}

}  // namespace invar::driver
