// Whose turn it is. Arms that cannot share a process run on the same cores and alternate: all ranks
// of the arms that are not on turn sleep in a futex. The turn is handed on by the last local rank
// to leave a step; nothing travels between the arms.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "engine/page.hpp"
#include "engine/steps.hpp"

namespace invar::engine {

// The group cannot go on: a partner died or gave up.
class GroupLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Turns {
 public:
  // `steps` must outlive this. `progress` is called by a sleeper that has waited longer than
  // `limit_ns` (MPI_Iprobe: a library may need a call to make progress).
  Turns(const Page& page, std::span<const Step> steps, std::int64_t limit_ns,
        std::function<void()> progress);

  // Waits until every process of the group on this host waits, so that start-ups do not disturb the
  // first visit. Called once by every rank. Throws GroupLost.
  void start();

  // Waits for the next step of this process's arm. Null: no more steps. Throws GroupLost, also when
  // one arm has held its turn for longer than the limit (ten times that for a prepare step, which
  // verifies every cell).
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

  const Page& page_;
  std::span<const Step> steps_;
  std::int64_t limit_ns_;
  std::function<void()> progress_;
  std::size_t position_ = 0;  // of this arm's current step, or the first one not taken yet
  std::uint64_t slept_cpu_ns_ = 0;
  std::uint32_t last_go_ = 0;    // the latest step that somebody was given
  std::int64_t same_go_ns_ = 0;  // for how long it has been the latest
  int parent_;
};

}  // namespace invar::engine
