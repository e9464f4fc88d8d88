#include "ops/schedules/schedule.hpp"

namespace invar::ops {

void Schedule::exchange(int to, const Piece& sent, int from, const Piece& received, Wait wait) {
  steps_.push_back(
      {.to = to, .sent = sent, .from = from, .received = received, .wait = wait, .phase = phase_});
  under_way_ = wait != Wait::kAll;
}

void Schedule::act(Then then, const Piece& operand, const Piece& into) {
  const bool joins =
      !steps_.empty() && steps_.back().then == Then::kNothingMore && steps_.back().phase == phase_;
  if (!joins) steps_.push_back({.wait = Wait::kNone, .phase = phase_});
  Step& step = steps_.back();
  step.then = then;
  step.operand = operand;
  step.into = into;
}

}  // namespace invar::ops
