// The page that all ranks of all arms of a launch group share on one host: whose turn it is, when a
// repetition starts, who is alive. Fixed layout: the arms' engines are built by different
// compilers. Nothing here knows MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace invar::group {

constexpr std::size_t kLine = 128;  // two cache lines: adjacent ones are fetched together
constexpr std::uint32_t kFanIn = 8;
constexpr std::uint32_t kClocks = 3;  // time sources, see clock::Source

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// Set in every word that ranks sleep on when somebody gives up: the word has changed then, so that
// nobody falls asleep on it after the wake. Steps and counts are smaller.
constexpr std::uint32_t kGaveUp = 0x80000000U;
inline std::uint32_t value_of(const std::atomic<std::uint32_t>& word) {
  return word.load(std::memory_order_acquire) & ~kGaveUp;
}

// Counter of arrivals on a line of its own.
struct alignas(kLine) Counter {
  std::atomic<std::uint32_t> count;
};

// Agreement on the start of a repetition, written by the last rank to arrive (sync.hpp), or by the
// host's leader when the hosts have agreed (round_time_across.hpp).
struct alignas(kLine) Start {
  std::atomic<std::uint32_t> sequence;  // 1 + number of the agreement; readers spin on it
  std::uint32_t stop;                   // the visit is over
  std::int64_t deadline_ticks;
};

// What the last rank to arrive keeps from repetition to repetition.
struct alignas(kLine) Agreement {
  std::int64_t slack_ticks[kClocks];  // by the clock's number; 0: not measured with it yet
  std::int64_t visit_begin_ticks;
  std::uint32_t attempts;
  std::uint32_t warm_up;  // attempts that were warm-up, known once warm_up_done
  std::uint32_t warm_up_done;
  std::uint32_t valid;
  std::uint32_t late;
  std::uint32_t lost;
};

struct ArmPage {
  alignas(kLine) std::atomic<std::uint32_t> go;      // futex: 1 + the step that this arm may take
  Counter left;                                      // ranks that have left the step; 0 again then
  alignas(kLine) std::atomic<std::uint32_t> handed;  // futex: 1 + the step that all have left
  // For the ranks that a visit is without (turns.hpp).
  alignas(kLine) std::atomic<std::uint32_t> released;  // futex: 1 + the step whose visit is made
  alignas(kLine) std::atomic<std::uint32_t> visitors;  // that have made it; 0 again then
  // How often ranks that waited have called the library so that it makes progress.
  alignas(kLine) std::atomic<std::uint32_t> probes;
  Start start;
  Agreement agreement;
  alignas(kLine) std::atomic<std::uint32_t> gathered;  // 1 + number of the agreement that all of
                                                       // the host's ranks have come to
  alignas(kLine) std::atomic<std::uint32_t> late;      // late_bits() of all ranks
  alignas(kLine) std::atomic<std::uint32_t> failed;    // an MPI call of a rank returned an error
  alignas(kLine) std::atomic<std::uint32_t> ping;
  alignas(kLine) std::atomic<std::uint32_t> pong;
  // For the pair on two sockets, which starts while the other pair may still be at it.
  alignas(kLine) std::atomic<std::uint32_t> across_ping;
  alignas(kLine) std::atomic<std::uint32_t> across_pong;
  // Clock comparison: the partner's ticks of one exchange.
  alignas(kLine) std::atomic<std::int64_t> remote_receive_ticks;
  std::atomic<std::int64_t> remote_send_ticks;
};

// What a rank is at, for those who must say where it was when it died or hung.
enum class Activity : std::uint32_t {
  kStarting,   // everything before its first wait for a turn
  kWaiting,    // for its turn
  kPreparing,  // index: 1 + the cell that it verifies; 0: clocks and files
  kVisiting,   // index: row of the plan
  kLeaving,    // index: row; it has made the visit and waits for the others of its arm
  kWriting,    // records of what was measured
  kFinished,
  kTracking,  // clocks of hosts
};

// In one word, so that it is always read as it was written.
struct Doing {
  Activity activity = Activity::kStarting;
  std::uint32_t index = 0;

  [[nodiscard]] std::uint32_t word() const {
    return (index << 3U) | static_cast<std::uint32_t>(activity);
  }
  static Doing of(std::uint32_t word) { return {static_cast<Activity>(word & 7U), word >> 3U}; }

  bool operator==(const Doing&) const = default;
};

struct RankSlot {
  std::atomic<std::int32_t> pid;
  std::atomic<std::int32_t> cpu;     // that it is bound to; -1: not bound
  std::atomic<std::int32_t> rank;    // in its arm
  std::atomic<std::uint32_t> doing;  // Doing::word(), written outside the timed region
};

struct Header {
  std::atomic<std::uint32_t> layout;  // kLayout once the first process has attached
  std::atomic<std::uint32_t> attached;
  std::atomic<std::uint32_t> arms;  // the shape, for the driver
  std::atomic<std::uint32_t> local_ranks;
  alignas(kLine) std::atomic<std::uint32_t> ready;     // processes that wait for their turn
  alignas(kLine) std::atomic<std::uint32_t> finished;  // futex: processes that are done
  alignas(kLine) std::atomic<std::uint32_t> aborted;   // somebody gave up: nobody waits any longer
  std::atomic<std::int64_t> origin_ticks[kClocks];     // the group's time 0, by the clock's number
};

// A view of the mapped page, for one process.
class Page {
 public:
  struct Shape {
    std::uint32_t arms = 1;
    std::uint32_t local_ranks = 1;
  };
  // Where this process stands in it.
  struct Place {
    std::uint32_t arm = 0;
    std::uint32_t local_rank = 0;
  };

  // Creates or opens the page `/invar-NAME` in shared memory (mode 0600) and unlinks it when all
  // processes are attached. Throws std::runtime_error with the system's reason, which blames the
  // machine.
  static Page attach(const std::string& name, Shape shape, Place place);
  // One of memory that nobody else sees, for a process that shares none: `shape` has one arm of one
  // rank. Throws as attach().
  static Page alone(Shape shape, Place place);
  // The page behind an open descriptor, to be read only: what the driver looks at. Nothing as long
  // as no process is attached.
  static std::optional<Page> look(int descriptor);
  // NAME of a group's page on the host of this identity.
  static std::string name_of(const std::string& group_id, const std::string& host_identity);
  Page(Page&& other) noexcept;
  Page& operator=(Page&&) = delete;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page();

  [[nodiscard]] Header& header() const { return *header_; }
  [[nodiscard]] ArmPage& arm(std::uint32_t arm) const { return arms_[arm]; }
  [[nodiscard]] ArmPage& mine() const { return arms_[place_.arm]; }
  [[nodiscard]] RankSlot& slot(std::uint32_t arm, std::uint32_t local_rank) const {
    return slots_[arm * shape_.local_ranks + local_rank];
  }
  [[nodiscard]] std::span<Counter> arrivals() const {
    return {counters_ + place_.arm * counters_per_arm_, counters_per_arm_};
  }
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] Place place() const { return place_; }
  [[nodiscard]] std::uint32_t processes() const { return shape_.arms * shape_.local_ranks; }

  // Notes what this process is at.
  void note(Doing doing) const {
    slot(place_.arm, place_.local_rank).doing.store(doing.word(), std::memory_order_relaxed);
  }

  // Tells every process of the group on this host to give up.
  void abort() const;

 private:
  Page(void* memory, std::size_t bytes, int lock, Shape shape, Place place);
  static std::size_t bytes_for(Shape shape);

  void* memory_;
  std::size_t bytes_;
  int lock_;  // descriptor of the page, locked as long as somebody uses it (leftovers.hpp)
  Shape shape_;
  Place place_;
  std::size_t counters_per_arm_;
  Header* header_;
  ArmPage* arms_;
  Counter* counters_;
  RankSlot* slots_;
};

// Nodes of the tree of arrival counters for `ranks` ranks, kFanIn children each.
std::size_t arrival_nodes(std::uint32_t ranks);

// One arrival of `local_rank`: true for the last of `ranks`, who finds the counters ready for the
// next round. Nobody may arrive again before the last one has said so (by a release store).
bool arrive(std::span<Counter> counters, std::uint32_t ranks, std::uint32_t local_rank);

// Futex on a word of the page. wait returns at a wake, when the word is not `expected`, at a
// signal, or after `timeout_ns`, if that is not kNoTimeout.
constexpr std::int64_t kNoTimeout = -1;
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake_all(std::atomic<std::uint32_t>& word);

}  // namespace invar::group
