// mesh's clocks over an experiment: synchronised once, then tracked in idle gaps, smoothed at the
// end. What a campaign's clocks do, with the cost of it.
#pragma once

#include <cstdint>
#include <string>

#include "clock/mesh/mesh.hpp"
#include "engine/experiments/clock_setting.hpp"

namespace invar::engine {

class TrackedMesh {
 public:
  // Collective: synchronises.
  TrackedMesh(ClockSetting& setting, const clock::Settings& settings)
      : setting_(setting), mesh_(setting.link(), settings), name_(settings.text()) {
    mesh_.synchronise();
    model_ = mesh_.tracker(setting_.rank()).state().model;
  }
  TrackedMesh(const TrackedMesh&) = delete;
  TrackedMesh& operator=(const TrackedMesh&) = delete;

  // Collective.
  void track() {
    // Ranks that come early have nothing else to do: only what comes after is tracking's.
    MPI_Barrier(setting_.world());
    const std::int64_t begin_ps = setting_.clock().real_ps();
    mesh_.track();
    busy_ps_ += setting_.clock().real_ps() - begin_ps;
    model_ = mesh_.tracker(setting_.rank()).state().model;
  }

  // "mesh:duration=1"
  [[nodiscard]] const std::string& name() const { return name_; }
  // What is known now: extrapolated from the last tracking. The same object always.
  [[nodiscard]] const clock::Model& model() const { return model_; }
  // The same with what it says of its error.
  [[nodiscard]] clock::StatedClock stated() const {
    return mesh_.tracker(setting_.rank()).stated();
  }
  // From the first synchronisation to the last tracking.
  [[nodiscard]] clock::SmoothedClock smoothed() const {
    const clock::Tracker& tracker = mesh_.tracker(setting_.rank());
    return {tracker.epochs(), tracker.rules()};
  }
  // The time that this rank spent in all trackings.
  [[nodiscard]] double busy_s() const { return static_cast<double>(busy_ps_) * 1e-12; }

 private:
  ClockSetting& setting_;
  clock::Mesh mesh_;
  std::string name_;
  clock::Model model_ = {};
  std::int64_t busy_ps_ = 0;
};

// A clock policy (sync.hpp): rank 0's time in picoseconds, as a model has it. Both outlive it.
struct ModelClock {
  const LinkClock* clock = nullptr;
  const clock::Model* model = nullptr;
  [[nodiscard]] std::int64_t now() const { return model->to_reference_ps(clock->now_ps()); }
};

}  // namespace invar::engine
