#include "record/operation/distribution.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"

namespace invar::record {
namespace {

constexpr std::string_view kRandomPrefix = "random:";
// A stream of its own: the seed of a campaign draws other numbers.
constexpr std::uint64_t kWeightStream = 0x776569676874;  // "weight"

constexpr std::array<std::pair<std::string_view, DistributionPattern>, 4> kDistributionPatterns{
    {{"regular", DistributionPattern::kRegular},
     {"linear", DistributionPattern::kLinear},
     {"half-zero", DistributionPattern::kHalfZero},
     {"one-big", DistributionPattern::kOneBig}}};

}  // namespace

std::optional<Distribution> parse_distribution(std::string_view text) {
  for (const auto& [name, pattern] : kDistributionPatterns) {
    if (text == name) return Distribution{.pattern = pattern};
  }
  if (!text.starts_with(kRandomPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kRandomPrefix.size());
  const auto seed = base::parse_u64(digits);
  if (!seed || std::to_string(*seed) != digits) return std::nullopt;
  return Distribution{.pattern = DistributionPattern::kRandom, .seed = *seed};
}

LevelText distribution_level(std::string_view written) {
  if (parse_distribution(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no distribution",
          .remedy =
              "write \"regular\", \"linear\", \"half-zero\", \"one-big\", or \"random:SEED\" with "
              "a whole number, as in \"random:1\""};
}

BlockLengths::BlockLengths(Distribution distribution, std::uint64_t mean, std::uint64_t blocks)
    : pattern_(blocks == 1 ? DistributionPattern::kRegular : distribution.pattern),
      mean_(mean),
      blocks_(blocks),
      all_weights_(0) {
  if (pattern_ == DistributionPattern::kRandom) {
    base::Random random = base::Random::of({kWeightStream, distribution.seed});
    weights_below_.reserve(blocks + 1);
    weights_below_.push_back(0);
    for (std::uint64_t number = 0; number < blocks; ++number) {
      weights_below_.push_back(weights_below_.back() + (random.next() >> 32U) + 1);
    }
  }
  all_weights_ = weight_below(blocks);
}

std::uint64_t BlockLengths::weight_below(std::uint64_t number) const {
  switch (pattern_) {
    case DistributionPattern::kRegular:
      return number;
    case DistributionPattern::kLinear:
      return number * (number + 1) / 2;
    case DistributionPattern::kHalfZero:
      return number / 2;
    case DistributionPattern::kOneBig:
      return number == blocks_ ? 1 : 0;
    case DistributionPattern::kRandom:
      break;
  }
  return weights_below_[number];
}

std::uint64_t BlockLengths::begin(std::uint64_t number) const {
  if (pattern_ == DistributionPattern::kRegular) return mean_ * number;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(all()) * weight_below(number) / all_weights_);
}

std::uint64_t BlockLengths::largest() const {
  if (pattern_ == DistributionPattern::kRegular) return mean_;
  std::uint64_t largest = 0;
  // But for drawn weights the last block that has any is the largest: what is rounded off the ends
  // of the others is added to it.
  const std::uint64_t first = pattern_ == DistributionPattern::kRandom ? 0 : blocks_ - 2;
  for (std::uint64_t number = first; number < blocks_; ++number) {
    largest = std::max(largest, of(number));
  }
  return largest;
}

std::uint64_t BlockLengths::before_last(bool pairs) const {
  if (!pairs) return begin(blocks_ - 1);
  // But for drawn weights no block is shorter than the first.
  std::uint64_t shortest = of(0);
  const std::uint64_t drawn = pattern_ == DistributionPattern::kRandom ? blocks_ : 1;
  for (std::uint64_t number = 1; number < drawn; ++number) {
    shortest = std::min(shortest, of(number));
  }
  return all() - shortest;
}

std::uint64_t BlockLengths::around(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t end = first + count;
  if (end <= blocks_) return begin(end) - begin(first);
  return all() - begin(first) + begin(end - blocks_);
}

}  // namespace invar::record
