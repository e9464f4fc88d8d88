// Whose turn it is. Arms that cannot share a process run on the same cores and alternate: all ranks
// of the arms that are not on turn sleep in a futex. The turn is handed on by the last local rank
// to leave a step; nothing travels between the arms.
//
// Sleepers have no timer, so that nothing of theirs happens on the cores that measure: the lowest
// rank of every arm on a host watches for all of them, and wakes them if the group is lost. Ranks
// of the arm on turn that wait longer than a millisecond call their library now and then, if they
// may: a message of theirs may need it before it arrives.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "group/page.hpp"
#include "group/steps.hpp"
#include "group/stillness.hpp"
#include "record/plan.hpp"

namespace invar::group {

// The group cannot go on: a partner died or gave up.
class GroupLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The launch's limits (LaunchSpec): for how long nothing may move on the host. A watcher has
// patience_ns() of them.
struct TurnLimits {
  std::int64_t visit_ns = 0;
  std::int64_t start_ns = 0;  // before the first turn, and of what prepares_or_writes() says
};

// Which ranks of the arm on turn make progress while they wait.
enum class Callers : std::uint8_t {
  kBystanders,  // those that a visit is without
  kAll,
};

class Turns {
 public:
  // `steps` and `plan` (whose rows they name; for messages) must outlive this. `progress` is called
  // by ranks of the arm on turn that have waited for a millisecond, and then again and again
  // (MPI_Iprobe: a library may need a call to make progress), or by `callers` of them. Empty:
  // never.
  Turns(const Page& page, std::span<const Step> steps, TurnLimits limits,
        std::function<void()> progress, const record::Plan* plan = nullptr,
        Callers callers = Callers::kAll);

  // All that waits throws GroupLost: on the rank that watches when partners are gone, or when no
  // rank of the host has come further for longer than the limit; on the others when it has told
  // them.

  // Waits until every process of the group on this host waits, so that start-ups do not disturb the
  // first visit. Called once by every rank. Throws GroupLost.
  void start();

  // Waits for the next step of this process's arm. Null: no more steps. Throws GroupLost.
  const Step* next();

  // By a member of the visit under way that has made it, where other ranks of its host stand by:
  // the last of `local_members` wakes these.
  void visit_over(std::uint32_t local_members);

  // By a rank of a host with members that the visit under way is without: waits until they have
  // made it. Throws GroupLost.
  void stand_by();

  // The same for one that does something meanwhile, and asks again and again whether they have made
  // it. It makes progress and looks after the group as one that sleeps. Throws GroupLost.
  bool visit_is_over();

  // This rank has left the step (after the arm's barrier). Returns when all local ones have: the
  // last one hands on. Throws GroupLost.
  void done();

  // Waits until every process of the group is here: nobody finalizes MPI, with all the traffic that
  // this makes, while another one measures. Throws GroupLost.
  void finish();

  // Throws GroupLost if the launcher is gone, or somebody gave up, or one is gone of those that
  // this rank looks after: the ranks here of its own arm and of the arm on turn (before the first
  // turn: all), and the watcher of every arm.
  void check_partners(const char* waiting_for) const;

  // For waits of a rank on turn that spins: it says that one may begin,
  void expect_to_wait() { waiting_since_ns_ = 0; }
  // and then, thousands of times a second, that it still waits. Makes progress after a millisecond,
  // and looks after the partners every second. Throws GroupLost.
  void still_waiting(const char* waiting_for);

  // This rank called its library because it waited: members of the visit on this host see it.
  void note_probe();
  // How often ranks of this arm on this host have done so.
  [[nodiscard]] std::uint32_t probes() const {
    return page_.mine().probes.load(std::memory_order_relaxed);
  }
  // How often this rank has.
  [[nodiscard]] std::uint64_t own_probes() const { return own_probes_; }

  // CPU time that this process used while other arms had the turn, since the last call (progress
  // threads).
  std::uint64_t take_slept_cpu_ns();

 private:
  // Whose turn it is while this rank sleeps, and on its own whether a visit is made without it.
  enum class Turn : std::uint8_t { kOwn, kOwnWithoutIt, kOfOthers };

  // Not `sleep`: SimGrid's compiler makes a macro of that word.
  template <typename Arrived>
  void sleep_until(std::atomic<std::uint32_t>& word, Arrived arrived, const char* waiting_for,
                   Turn turn);
  void wake(std::size_t step) const;
  void check_holder(const char* waiting_for);
  template <typename Arrived>
  bool come_before_loss(Arrived arrived, const char* waiting_for);
  void make_progress();
  // 1 + the latest step that an arm was told to take; 0: none yet.
  [[nodiscard]] std::uint32_t latest_go() const;
  // It calls its library when it has waited for a millisecond.
  [[nodiscard]] bool makes_progress(Turn turn) const {
    if (!progress_ || turn == Turn::kOfOthers) return false;
    return turn == Turn::kOwnWithoutIt || callers_ == Callers::kAll;
  }
  // It looks after the others while it sleeps.
  [[nodiscard]] bool watches() const { return page_.place().local_rank == 0; }
  [[nodiscard]] const record::Plan& plan() const;

  const Page& page_;
  std::span<const Step> steps_;
  TurnLimits limits_;
  std::function<void()> progress_;
  Callers callers_;
  const record::Plan* plan_;
  std::size_t position_ = 0;  // of this arm's current step, or the first one not taken yet
  std::uint64_t slept_cpu_ns_ = 0;
  Stillness stillness_ = {};
  std::int64_t waiting_since_ns_ = 0;  // 0: it has not been seen to wait
  std::int64_t looked_after_ns_ = 0;
  // The visit during which this rank does something else.
  struct Meanwhile {
    std::uint32_t step = 0;  // 1 + its number; 0: none yet
    std::int64_t probed_ns = 0;
    std::int64_t watched_ns = 0;
  };
  Meanwhile meanwhile_ = {};
  std::uint64_t own_probes_ = 0;
  int parent_;
};

}  // namespace invar::group
