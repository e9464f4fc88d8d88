#include "clock/model.hpp"

#include <cmath>

namespace invar::clock {
namespace {

std::int64_t times(double factor, std::int64_t span_ps) {
  return std::llround(factor * static_cast<double>(span_ps));
}

}  // namespace

std::int64_t Model::difference_ps(std::int64_t local_ps) const {
  return offset_ps + times(skew, local_ps - at_ps);
}

std::int64_t Model::to_local_ps(std::int64_t reference_ps) const {
  // reference = local - offset - skew (local - at)  <=>  local - at = (reference - r0)/(1 - skew);
  // written as a correction to the span, which keeps picoseconds over hours.
  const std::int64_t span_ps = reference_ps - (at_ps - offset_ps);
  return at_ps + span_ps + times(skew / (1 - skew), span_ps);
}

Model Model::moved_to(std::int64_t local_ps) const {
  return {local_ps, difference_ps(local_ps), skew};
}

Model merge(const Model& to_middle, const Model& middle_to_reference) {
  const std::int64_t middle_ps = to_middle.to_reference_ps(to_middle.at_ps);
  return {.at_ps = to_middle.at_ps,
          .offset_ps = to_middle.offset_ps + middle_to_reference.difference_ps(middle_ps),
          .skew = to_middle.skew + middle_to_reference.skew -
                  to_middle.skew * middle_to_reference.skew};
}

}  // namespace invar::clock
