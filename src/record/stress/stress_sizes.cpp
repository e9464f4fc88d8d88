#include "record/stress/stress_sizes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "record/stress/stress_order.hpp"

namespace invar::record {
namespace {

constexpr std::uint64_t kLargestUsualBytes = std::uint64_t{4} << 20U;
constexpr double kLargeTimeShare = 2.0 / 3;
constexpr double kBytesOfOverhead = 2048;

// Sizes above 2^(k-1) up to 2^k are octave k: one byte more than a power of two belongs to what is
// beyond it.
int octave_of(std::uint32_t size_bytes) {
  return static_cast<int>(std::bit_width(size_bytes - std::min(size_bytes, 1U)));
}

}  // namespace

std::vector<std::uint32_t> sizes_beside(std::span<const std::uint64_t> sizes_bytes) {
  std::vector<std::uint32_t> all;
  for (const std::uint64_t size : sizes_bytes) {
    for (const std::uint64_t one : {size - std::min<std::uint64_t>(size, 1), size, size + 1}) {
      if (one <= kMostStressBytes) all.push_back(static_cast<std::uint32_t>(one));
    }
  }
  return united_sizes(std::move(all), {});
}

std::vector<std::uint32_t> usual_stress_sizes() {
  std::vector<std::uint64_t> powers;
  for (std::uint64_t power = 1; power <= kLargestUsualBytes; power *= 2) powers.push_back(power);
  return sizes_beside(powers);
}

std::vector<std::uint32_t> united_sizes(std::vector<std::uint32_t> some,
                                        std::span<const std::uint32_t> others) {
  some.insert(some.end(), others.begin(), others.end());
  std::ranges::sort(some);
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

StressSizes::StressSizes(std::span<const std::uint32_t> sizes_bytes)
    : sizes_(sizes_bytes.begin(), sizes_bytes.end()) {
  struct Octave {
    double sizes = 0;
    double weight = 0;  // of its time
  };
  std::map<int, Octave> octaves;
  double small_weights = 0;
  double large_weights = 0;
  for (const std::uint32_t size : sizes_) {
    Octave& octave = octaves[octave_of(size)];
    octave.sizes += 1;
    if (octave.weight > 0) continue;
    const bool large = size > kLargeStressBytes;
    octave.weight = large ? 1 / std::sqrt(std::ldexp(1.0, octave_of(size))) : 1;
    (large ? large_weights : small_weights) += octave.weight;
  }
  double sum = 0;
  for (const std::uint32_t size : sizes_) {
    const Octave& octave = octaves[octave_of(size)];
    const bool large = size > kLargeStressBytes;
    const bool alone = small_weights == 0 || large_weights == 0;
    const double side = alone ? 1 : large ? kLargeTimeShare : 1 - kLargeTimeShare;
    const double time_share =
        side * octave.weight / (large ? large_weights : small_weights) / octave.sizes;
    sum += time_share / (kBytesOfOverhead + size);
    up_to_.push_back(sum);
  }
  for (double& share : up_to_) share /= sum;
}

std::uint32_t StressSizes::draw(double uniform) const {
  const auto found = std::ranges::upper_bound(up_to_, uniform);
  const auto index = std::min<std::ptrdiff_t>(found - up_to_.begin(),
                                              static_cast<std::ptrdiff_t>(sizes_.size()) - 1);
  return sizes_[static_cast<std::size_t>(index)];
}

double StressSizes::share_of(std::size_t index) const {
  return up_to_[index] - (index == 0 ? 0 : up_to_[index - 1]);
}

}  // namespace invar::record
