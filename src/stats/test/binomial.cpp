#include "stats/test/binomial.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <stdexcept>

namespace invar::stats {

std::size_t binomial_limit(std::size_t trials, double p, double level) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a probability must be within [0, 1]");
  if (!(level > 0 && level < 1)) throw std::invalid_argument("a level must be within (0, 1)");
  if (trials == 0 || p == 0) return 0;
  if (p == 1) return trials;
  const boost::math::binomial_distribution<> counts(static_cast<double>(trials), p);
  std::size_t k = 0;
  while (k < trials &&
         boost::math::cdf(boost::math::complement(counts, static_cast<double>(k))) > level) {
    ++k;
  }
  return k;
}

double binomial_detectable(std::size_t trials, std::size_t limit, double power) {
  if (!(power > 0 && power < 1)) throw std::invalid_argument("a power must be within (0, 1)");
  if (limit >= trials) return 1;
  double low = 0;
  double high = 1;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    const boost::math::binomial_distribution<> counts(static_cast<double>(trials), middle);
    const double found =
        boost::math::cdf(boost::math::complement(counts, static_cast<double>(limit)));
    (found >= power ? high : low) = middle;
  }
  return high;
}

}  // namespace invar::stats
