#include "stats/test/normal.hpp"

#include <boost/math/distributions/normal.hpp>

#include "stats/check.hpp"

namespace invar::stats {

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

double normal_quantile(double probability) {
  check::open_unit("normal_quantile", "probability", probability);
  return boost::math::quantile(boost::math::normal(), probability);
}

}  // namespace invar::stats
