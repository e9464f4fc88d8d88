#pragma once

#include <cstddef>
#include <span>
#include <vector>

// The normal equations of an additive model of groups and sizes.
namespace invar::stats {

/// They make the sum of weighted squares (value - mean of its size - factor of its group)^2 least.
/// The means are eliminated. What is left open is a common shift of all factors. It is closed by
/// the condition that the factors' sum by shares is 0: its square is added to what is made least,
/// and costs nothing there. As a matrix they are as many as groups squared; as a product they are a
/// walk over all times.
class FactorEquations {
 public:
  explicit FactorEquations(std::size_t groups) : diagonal_(groups), shares_(groups) {}

  /// The times of a size, one after the other, and its end. Weights are above 0.
  void add(std::size_t group, double weight) {
    times_.push_back({group, weight});
    weights_ += weight;
  }
  void end_size();
  /// Weight of a group's factor in the sum that is 0. It is above 0.
  void add_share(std::size_t group, double share);
  /// The group is in no size and has no share: its factor is b's number.
  void set_apart(std::size_t group) { diagonal_[group] = 1; }

  /// By conjugate gradients (conjugate_gradients()). Every group has a share or is apart, and those
  /// with a share hang together by their sizes.
  [[nodiscard]] std::vector<double> solve(std::span<const double> b) const;
  /// Left side of the equations.
  void multiply(std::span<const double> x, std::span<double> product) const;

 private:
  struct Time {
    std::size_t group = 0;
    double weight = 0;
  };
  struct End {
    std::size_t times = 0;  // before it
    double weights = 0;
  };

  std::vector<double> diagonal_;  // without what shares add
  std::vector<double> shares_;
  double all_shares_ = 0;
  double weights_ = 0;  // of the size that has no end yet
  std::vector<Time> times_ = {};
  std::vector<End> ends_ = {};
};

}  // namespace invar::stats
