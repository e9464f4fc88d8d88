#include "engine/stress/stress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/crc32c.hpp"
#include "engine/stress/stress_death.hpp"
#include "engine/stress/stress_found.hpp"
#include "engine/stress/stress_watch.hpp"
#include "ops/call/agree.hpp"
#include "ops/stress/stress_collectives.hpp"
#include "ops/stress/stress_messages.hpp"
#include "ops/stress/stress_plan.hpp"
#include "record/record_file.hpp"
#include "record/stress/stress_fault.hpp"
#include "record/stress/stress_sizes.hpp"
#include "record/stress/stress_state.hpp"

namespace invar::engine {
namespace {

using record::StressKind;
using StressClock = std::chrono::steady_clock;

// How time is shared out: collectives have a fifth of it, where all kinds are asked for.
constexpr double kTimeOfMessages = 2;
constexpr double kTimeOfCollectives = 1;
// Ranks agree between parts of about this length. The first one is a single message: of the largest
// sizes a few take longer than somebody who has no partner may wait for the others.
constexpr double kPartS = 0.05;
constexpr std::uint64_t kFirstPart = 1;
constexpr std::uint64_t kLongestPart = ops::kMessagesOfAMatching;
// Messages on either side of the one that is repeated: what came before it may be the reason.
constexpr std::uint64_t kRepeatedBeside = 8;
constexpr double kProgressS = 1;

double seconds_since(StressClock::time_point begin) {
  return std::chrono::duration<double>(StressClock::now() - begin).count();
}

// What comes next; rank 0 says it.
struct StressPart {
  std::uint32_t goes_on = 0;
  std::uint32_t kind = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t number = 0;  // of the part: an old one that comes again is noticed
  std::uint32_t crc = 0;     // of all before it
  std::uint32_t unused = 0;

  [[nodiscard]] std::uint32_t right_crc() const {
    StressPart plain = *this;
    plain.crc = 0;
    return base::crc32c(std::as_bytes(std::span(&plain, 1)));
  }
};

// The numbers of one kind, and how long they take.
class StressNumbers {
 public:
  StressNumbers(StressKind kind, const record::StressOrder& order)
      : kind_(kind),
        weight_(kind == StressKind::kCollectives ? kTimeOfCollectives : kTimeOfMessages) {
    if (!order.repeats) return;
    first_ = order.message - std::min(order.message, kRepeatedBeside);
    end_ = order.message + kRepeatedBeside + 1;
    next_ = first_;
  }

  [[nodiscard]] StressKind kind() const { return kind_; }
  [[nodiscard]] double weighted_seconds() const { return seconds_ / weight_; }

  StressPart take() {
    if (end_ && next_ >= *end_) next_ = first_;
    std::uint64_t count = part_;
    if (end_) count = std::min(count, *end_ - next_);
    if (kind_ == StressKind::kPairs) {
      // Partners change behind it.
      const std::uint64_t left = ops::kMessagesOfAMatching - next_ % ops::kMessagesOfAMatching;
      count = std::min(count, left);
    }
    const StressPart part{
        .goes_on = 1, .kind = static_cast<std::uint32_t>(kind_), .first = next_, .count = count};
    next_ += count;
    return part;
  }

  void took(double seconds) {
    seconds_ += seconds;
    if (seconds < kPartS / 2) part_ = std::min(2 * part_, kLongestPart);
    if (seconds > 2 * kPartS) part_ = std::max<std::uint64_t>(part_ / 2, 1);
  }

 private:
  StressKind kind_;
  double weight_;
  double seconds_ = 0;
  std::uint64_t part_ = kFirstPart;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;
  std::optional<std::uint64_t> end_ = {};  // of what is repeated
};

// What rank 0 alone does: says what comes next, counts, and writes how far it is.
class StressLeader {
 public:
  StressLeader(const record::StressOrder& order, const std::string& path)
      : order_(order), file_(path), begin_(StressClock::now()), written_(begin_) {
    for (const std::string& name : order.kinds) {
      numbers_.emplace_back(*record::parse_stress_kind(name), order);
    }
  }

  // `found`: somebody has found a fault.
  StressPart next(bool found) {
    const double seconds = seconds_since(begin_);
    if (current_ != nullptr) current_->took(seconds_since(part_begin_));
    counts_.seconds = seconds;
    counts_.ended = found || seconds >= order_.seconds;
    if (counts_.ended || seconds_since(written_) >= kProgressS) {
      const std::string line = record::stress_counts_json(counts_) + '\n';
      file_.append(line.data(), line.size());
      written_ = StressClock::now();
    }
    if (counts_.ended) {
      file_.sync();
      return {};
    }
    current_ = &*std::ranges::min_element(numbers_, {}, &StressNumbers::weighted_seconds);
    part_begin_ = StressClock::now();
    return current_->take();
  }

  void count_messages(const ops::StressPlan& plan, StressKind kind, const StressPart& part) {
    const std::uint64_t each = plan.messages_of(kind);
    for (std::uint64_t number = part.first; number < part.first + part.count; ++number) {
      const std::uint64_t bytes = plan.message(kind, number).size_bytes;
      counts_.messages += each;
      counts_.bytes += each * bytes;
      if (bytes > record::kLargeStressBytes) counts_.large_messages += each;
    }
  }
  void count_collective() { ++counts_.collectives; }

 private:
  const record::StressOrder& order_;
  record::RecordFile file_;
  StressClock::time_point begin_;
  StressClock::time_point written_;
  StressClock::time_point part_begin_ = {};
  std::vector<StressNumbers> numbers_ = {};
  StressNumbers* current_ = nullptr;
  record::StressCounts counts_ = {};
};

// A duplicate for what ranks say to each other beside what is looked at.
class StressControl {
 public:
  explicit StressControl(MPI_Comm world) { MPI_Comm_dup(world, &comm_); }
  StressControl(const StressControl&) = delete;
  StressControl& operator=(const StressControl&) = delete;
  ~StressControl() {
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The part as rank 0 has said it. A library that spoils messages may spoil this one.
StressPart heard_part(MPI_Comm comm, StressPart part, std::uint64_t number, int rank,
                      StressFound& found) {
  part.number = number;
  part.crc = part.right_crc();
  ops::send_down_tree(comm, 0, std::as_writable_bytes(std::span(&part, 1)));
  if (part.number == number && part.crc == part.right_crc()) return part;
  record::StressFault fault{.fault = std::string(record::stress_fault::kAgreement),
                            .operation = "send -> recv",
                            .what = "a message of " + std::to_string(sizeof part) +
                                    " bytes, by which ranks agree what comes next, is wrong",
                            .size_bytes = sizeof part,
                            .to = static_cast<std::uint32_t>(rank),
                            .rank = static_cast<std::uint32_t>(rank)};
  found.add(fault);
  throw std::runtime_error(fault.what);
}

// Once for all ranks. The run goes on all the same.
void tell_lacking(MPI_Comm comm, const record::StressState& state, int rank) {
  const ops::Outcome outcome = ops::agree({.comm = comm}, state.lacking());
  if (outcome.passed() || rank != 0) return;
  std::fprintf(stderr, "invar-engine: if a rank is ended, nobody will know what it was doing: %s\n",
               outcome.text().c_str());
}

bool asks_for(const record::StressOrder& order, bool collectives) {
  return std::ranges::any_of(order.kinds, [&](const std::string& name) {
    return (record::parse_stress_kind(name) == StressKind::kCollectives) == collectives;
  });
}

}  // namespace

void run_stress(MPI_Comm world, const std::string& dir, const record::StressOrder& order) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  if (order.ranks != static_cast<std::uint32_t>(ranks)) {
    throw std::runtime_error("the order is for " + std::to_string(order.ranks) +
                             " ranks, and there are " + std::to_string(ranks));
  }
  const StressControl control(world);
  const ops::StressPlan plan(order);
  record::StressState state(dir + "/" +
                            record::stress_state_file(static_cast<std::uint32_t>(rank)));
  const StressDeath death(state);
  StressFound found(dir + "/" + record::stress_faults_file(static_cast<std::uint32_t>(rank)));
  const auto tell = [&](const record::StressFault& fault) { found.add(fault); };
  std::optional<ops::StressMessages> messages;
  std::optional<ops::StressCollectives> collectives;
  if (asks_for(order, false)) messages.emplace(world, order, plan, state, tell);
  if (asks_for(order, true)) collectives.emplace(world, control.get(), order, plan, state, tell);
  std::unique_ptr<StressLeader> leader;
  if (rank == 0) {
    leader =
        std::make_unique<StressLeader>(order, dir + "/" + std::string(record::kStressProgressFile));
  }
  const StressWatch watch(state, found, rank, order.patience_s);
  state.agrees(0);
  tell_lacking(control.get(), state, rank);
  for (std::uint64_t number = 0;; ++number) {
    state.agrees(number + 1);
    // Nobody begins before all have ended, whatever was found.
    const bool right =
        ops::agree({.comm = control.get()}, found.count() > 0 ? "a fault" : "").passed();
    const StressPart part = heard_part(control.get(), leader ? leader->next(!right) : StressPart{},
                                       number, rank, found);
    if (part.goes_on == 0) break;
    const auto kind = static_cast<StressKind>(part.kind);
    if (kind != StressKind::kCollectives) {
      messages->exchange(kind, part.first, part.count);
      if (leader) leader->count_messages(plan, kind, part);
      continue;
    }
    for (std::uint64_t check = part.first; check < part.first + part.count; ++check) {
      using Checked = ops::StressCollectives::Checked;
      const Checked checked = collectives->check(check);
      if (leader && checked != Checked::kNone) leader->count_collective();
      if (checked == Checked::kWrong) break;
    }
  }
  state.rests();
}

}  // namespace invar::engine
