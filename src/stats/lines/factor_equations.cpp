#include "stats/lines/factor_equations.hpp"

#include "stats/lines/conjugate_gradients.hpp"

namespace invar::stats {

void FactorEquations::end_size() {
  for (std::size_t i = ends_.empty() ? 0 : ends_.back().times; i < times_.size(); ++i) {
    const double weight = times_[i].weight;
    diagonal_[times_[i].group] += weight - weight * weight / weights_;
  }
  ends_.push_back({times_.size(), weights_});
  weights_ = 0;
}

void FactorEquations::add_share(std::size_t group, double share) {
  shares_[group] = share;
  all_shares_ += share;
}

void FactorEquations::multiply(std::span<const double> x, std::span<double> product) const {
  double common = 0;
  for (std::size_t g = 0; g < x.size(); ++g) common += shares_[g] * x[g];
  if (all_shares_ > 0) common /= all_shares_;
  for (std::size_t g = 0; g < x.size(); ++g) {
    product[g] = shares_[g] > 0 ? shares_[g] * common : diagonal_[g] * x[g];
  }
  std::size_t begin = 0;
  for (const End& end : ends_) {
    double mean = 0;
    for (std::size_t i = begin; i < end.times; ++i) mean += times_[i].weight * x[times_[i].group];
    mean /= end.weights;
    for (std::size_t i = begin; i < end.times; ++i) {
      product[times_[i].group] += times_[i].weight * (x[times_[i].group] - mean);
    }
    begin = end.times;
  }
}

std::vector<double> FactorEquations::solve(std::span<const double> b) const {
  std::vector<double> diagonal = diagonal_;
  for (std::size_t g = 0; g < diagonal.size(); ++g) {
    if (shares_[g] > 0) diagonal[g] += shares_[g] * shares_[g] / all_shares_;
  }
  return conjugate_gradients(
      [this](std::span<const double> x, std::span<double> product) { multiply(x, product); },
      diagonal, b);
}

}  // namespace invar::stats
