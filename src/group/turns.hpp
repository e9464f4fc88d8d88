// Whose turn it is. Arms that cannot share a process run on the same cores and alternate: all ranks
// of the arms that are not on turn sleep in a futex. The turn is handed on by the last local rank
// to leave a step; nothing travels between the arms.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "group/page.hpp"
#include "group/steps.hpp"
#include "record/plan.hpp"

namespace invar::group {

// The group cannot go on: a partner died or gave up.
class GroupLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// After how long without a sign of any rank of the host a sleeper takes those on turn for hung.
struct TurnLimits {
  std::int64_t visit_ns = 0;
  std::int64_t start_ns = 0;  // before the first turn
};

class Turns {
 public:
  // `steps` and `plan` (whose rows they name; for messages) must outlive this. `progress` is called
  // by a sleeper that has waited longer than the limit of a visit (MPI_Iprobe: a library may need a
  // call to make progress).
  Turns(const Page& page, std::span<const Step> steps, TurnLimits limits,
        std::function<void()> progress, const record::Plan* plan = nullptr);

  // Waits until every process of the group on this host waits, so that start-ups do not disturb the
  // first visit. Called once by every rank. Throws GroupLost.
  void start();

  // Waits for the next step of this process's arm. Null: no more steps. Throws GroupLost, also when
  // no rank of the host has come further for longer than the limit.
  const Step* next();

  // This rank has left the step (after the arm's barrier): the last local one hands on.
  void done();

  // Waits until every process of the group is here: nobody finalizes MPI, with all the traffic that
  // this makes, while another one measures. Throws GroupLost.
  void finish();

  // Throws GroupLost if a partner or the launcher is gone, or somebody gave up.
  void check_partners(const char* waiting_for) const;

  // CPU time that this process used while it slept, since the last call (progress threads).
  std::uint64_t take_slept_cpu_ns();

 private:
  template <typename Arrived>
  void sleep(std::atomic<std::uint32_t>& word, Arrived arrived, const char* waiting_for);
  void wake(std::size_t step) const;
  void check_holder(const char* waiting_for);
  [[nodiscard]] const record::Plan& plan() const;

  const Page& page_;
  std::span<const Step> steps_;
  TurnLimits limits_;
  std::function<void()> progress_;
  const record::Plan* plan_;
  std::size_t position_ = 0;  // of this arm's current step, or the first one not taken yet
  std::uint64_t slept_cpu_ns_ = 0;
  std::uint64_t last_seen_ = 0;     // fingerprint of the page
  std::int64_t standstill_ns_ = 0;  // for how long it has been the same
  int parent_;
};

}  // namespace invar::group
