#include "group/page.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/crc32c.hpp"
#include "record/launch_spec.hpp"

namespace invar::group {
namespace {

constexpr std::uint32_t kLayout = 0x494e5605;  // "INV", version 5

static_assert(std::is_standard_layout_v<ArmPage> && std::is_standard_layout_v<Header>);
static_assert(sizeof(RankSlot) == 16 && sizeof(Counter) == kLine);

// No library is to blame where a system has no shared memory, or gives us none.
std::runtime_error system_failure(const std::string& what) {
  return std::runtime_error(std::string(record::kMachine) + what + ": " + std::strerror(errno));
}

}  // namespace

std::size_t arrival_nodes(std::uint32_t ranks) {
  std::size_t nodes = 0;
  std::uint32_t width = std::max(ranks, 1U);
  do {
    width = (width + kFanIn - 1) / kFanIn;
    nodes += width;
  } while (width > 1);
  return nodes;
}

bool arrive(std::span<Counter> counters, std::uint32_t ranks, std::uint32_t local_rank) {
  std::size_t level = 0;  // first node of the level
  std::uint32_t width = ranks;
  std::uint32_t position = local_rank;
  while (true) {
    const std::uint32_t node = position / kFanIn;
    const std::uint32_t children = std::min(kFanIn, width - node * kFanIn);
    // acq_rel: the last one sees everything that the others wrote before they arrived.
    std::atomic<std::uint32_t>& count = counters[level + node].count;
    if (count.fetch_add(1, std::memory_order_acq_rel) + 1 != children) return false;
    // Nobody arrives again before the last one has released them all.
    count.store(0, std::memory_order_relaxed);
    const std::uint32_t nodes = (width + kFanIn - 1) / kFanIn;
    if (nodes == 1) return true;
    level += nodes;
    width = nodes;
    position = node;
  }
}

std::size_t Page::bytes_for(Shape shape) {
  return sizeof(Header) + shape.arms * sizeof(ArmPage) +
         shape.arms * arrival_nodes(shape.local_ranks) * sizeof(Counter) +
         std::size_t{shape.arms} * shape.local_ranks * sizeof(RankSlot) + 4 * kLine;
}

Page::Page(void* memory, std::size_t bytes, int lock, Shape shape, Place place)
    : memory_(memory),
      bytes_(bytes),
      lock_(lock),
      shape_(shape),
      place_(place),
      counters_per_arm_(arrival_nodes(shape.local_ranks)) {
  // Fresh shared memory is all zeros, which is every member's initial value; the objects are
  // created by whoever maps first and only viewed here.
  auto* bytes_at = static_cast<std::byte*>(memory);
  const auto take = [&](std::size_t size) {
    std::byte* begin = bytes_at;
    bytes_at += (size + kLine - 1) / kLine * kLine;
    return begin;
  };
  header_ = std::launder(reinterpret_cast<Header*>(take(sizeof(Header))));
  arms_ = std::launder(reinterpret_cast<ArmPage*>(take(shape.arms * sizeof(ArmPage))));
  counters_ = std::launder(
      reinterpret_cast<Counter*>(take(shape.arms * counters_per_arm_ * sizeof(Counter))));
  slots_ = std::launder(reinterpret_cast<RankSlot*>(
      take(std::size_t{shape.arms} * shape.local_ranks * sizeof(RankSlot))));
}

namespace {

void make_room(int descriptor, const std::string& path, std::size_t bytes, Page::Shape shape) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw system_failure("shared page " + path);
  // Its name is nobody else's; who makes it all the same would see and steer these ranks.
  if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    throw std::runtime_error(std::string(record::kMachine) + "shared page " + path +
                             " was made by another user, or can be read by others");
  }
  // The same size from everyone: growing keeps what is there, and shrinking would take it away.
  if (status.st_size != 0 && status.st_size != static_cast<off_t>(bytes)) {
    throw std::runtime_error("shared page " + path + " is of another launch group: it has " +
                             std::to_string(status.st_size) + " bytes, not " +
                             std::to_string(bytes) + " for " + std::to_string(shape.arms) +
                             " arms of " + std::to_string(shape.local_ranks) + " ranks");
  }
  // Now: where there is no room the first write would end the rank by a signal, and the library
  // would be blamed.
  const int error = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  if (error != 0) {
    throw std::runtime_error(std::string(record::kMachine) + "shared memory (/dev/shm) has no " +
                             std::to_string(bytes) + " bytes for a page: " + std::strerror(error));
  }
}

}  // namespace

Page Page::attach(const std::string& name, Shape shape, Place place) {
  const std::string path = "/invar-" + name;
  const std::size_t bytes = bytes_for(shape);
  const int descriptor = shm_open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) throw system_failure("shared page " + path + " (/dev/shm)");
  flock(descriptor, LOCK_SH);
  try {
    make_room(descriptor, path, bytes, shape);
  } catch (...) {
    close(descriptor);
    throw;
  }
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    const auto failure = system_failure("mapping the shared page " + path);
    close(descriptor);
    throw failure;
  }
  Page page(memory, bytes, descriptor, shape, place);
  std::uint32_t no_layout = 0;
  if (!page.header().layout.compare_exchange_strong(no_layout, kLayout) && no_layout != kLayout) {
    throw std::runtime_error("shared page " + path + " has another layout: build all engines anew");
  }
  page.header().arms.store(shape.arms);
  page.header().local_ranks.store(shape.local_ranks);
  page.slot(place.arm, place.local_rank).pid.store(getpid());
  if (page.header().attached.fetch_add(1) + 1 == page.processes()) shm_unlink(path.c_str());
  return page;
}

// No process number: nobody is to look whether this one is alive.
Page Page::alone(Shape shape, Place place) {
  if (shape.arms != 1 || shape.local_ranks != 1) {
    throw std::logic_error("a page of one process has one arm of one rank");
  }
  const std::size_t bytes = bytes_for(shape);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw system_failure("memory for a page");
  Page page(memory, bytes, -1, shape, place);
  page.header().layout.store(kLayout);
  page.header().arms.store(shape.arms);
  page.header().local_ranks.store(shape.local_ranks);
  page.header().attached.store(1);
  return page;
}

std::optional<Page> Page::look(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(Header))) {
    return std::nullopt;
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  const Page header(memory, bytes, -1, {}, {});
  const Shape shape{.arms = header.header().arms.load(),
                    .local_ranks = header.header().local_ranks.load()};
  if (header.header().attached.load() == 0 || header.header().layout.load() != kLayout ||
      bytes_for(shape) != bytes) {
    return std::nullopt;  // `header` unmaps it
  }
  void* again = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (again == MAP_FAILED) return std::nullopt;
  return Page(again, bytes, -1, shape, {});
}

std::string Page::name_of(const std::string& group_id, const std::string& host_identity) {
  return group_id + "-" + base::crc_text(base::crc32c(host_identity));
}

Page::Page(Page&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      lock_(std::exchange(other.lock_, -1)),
      shape_(other.shape_),
      place_(other.place_),
      counters_per_arm_(other.counters_per_arm_),
      header_(other.header_),
      arms_(other.arms_),
      counters_(other.counters_),
      slots_(other.slots_) {}

Page::~Page() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (lock_ >= 0) close(lock_);
}

void Page::abort() const {
  header_->aborted.store(1);
  const auto wake = [](std::atomic<std::uint32_t>& word) {
    word.fetch_or(kGaveUp);
    futex_wake_all(word);
  };
  for (std::uint32_t arm = 0; arm < shape_.arms; ++arm) {
    wake(arms_[arm].go);
    wake(arms_[arm].handed);
    wake(arms_[arm].released);
  }
  wake(header_->finished);
}

// The kernel wants a plain word; a lock-free atomic of 32 bits is one.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, expected,
          timeout_ns == kNoTimeout ? nullptr : &timeout, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr,
          0);
}

}  // namespace invar::group
