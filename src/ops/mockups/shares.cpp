#include "ops/mockups/shares.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace invar::ops {
namespace {

class ShareArrays final : public Equipment {
 public:
  explicit ShareArrays(const Call& call) {
    const auto ranks = static_cast<std::size_t>(call.ranks);
    counts_.reserve(ranks);
    displacements_.reserve(ranks);
    int before = 0;
    for (int rank = 0; rank < call.ranks; ++rank) {
      const int count = call.count / call.ranks + (rank < call.count % call.ranks ? 1 : 0);
      counts_.push_back(count);
      displacements_.push_back(before);
      before += count;
    }
  }
  [[nodiscard]] body::Shares shares() const { return {counts_.data(), displacements_.data()}; }

 private:
  std::vector<int> counts_ = {};
  std::vector<int> displacements_ = {};
};

// All counts but the middle one are 0: the counts of a root are those that have it at its place.
class RootArrays final : public Equipment {
 public:
  explicit RootArrays(const Call& call)
      : middle_(static_cast<std::size_t>(call.ranks) - 1),
        counts_(2 * middle_ + 1, 0),
        displacements_(middle_ + 1, 0) {
    counts_[middle_] = call.count;
  }
  [[nodiscard]] body::Shares of(int root) const {
    return {&counts_[middle_ - static_cast<std::size_t>(root)], displacements_.data()};
  }

 private:
  std::size_t middle_;
  std::vector<int> counts_;
  std::vector<int> displacements_;
};

}  // namespace

Equipped make_shares(const Call& call) { return {.made = std::make_unique<ShareArrays>(call)}; }

body::Shares shares_of(const Call& call) {
  return static_cast<const ShareArrays&>(*call.equipment).shares();
}

Equipped make_shares_of_roots(const Call& call) {
  return {.made = std::make_unique<RootArrays>(call)};
}

body::Shares share_of_root(const Call& call) {
  return static_cast<const RootArrays&>(*call.equipment).of(call.root);
}

}  // namespace invar::ops
