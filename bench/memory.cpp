// Plateaus and knees of memories that are simulated access by access
// (tests/stats/plateaus/simulated_memory.hpp):
//   bench_memory SEEDS GROUPS POLICY...     of each level, fastest first: lru, pages, random,
//                                           independent; none: a memory of one level
//   bench_memory time                       milliseconds of the processor for an estimate
// One line: seeds with the right number of knees, with more; of the right ones those whose knees
// all have their capacity in its interval; knees; of these with the capacity in its interval, in
// the knee's region, with the slope behind in its interval; median ratio of the ends of a
// capacity's interval, and of a region's; median |estimate / capacity - 1|; right seeds
// whose knees all have their capacity in their region.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string_view>
#include <vector>

#include "stats/describe/quantile.hpp"
#include "stats/plateaus/plateaus.hpp"
#include "stats/plateaus/simulated_memory.hpp"

namespace {

using namespace invar;

struct MemorySums {
  std::size_t right = 0;
  std::size_t more = 0;
  std::size_t all_inside = 0;
  std::size_t all_regions = 0;
  std::size_t knees = 0;
  std::size_t capacities = 0;
  std::size_t regions = 0;
  std::size_t slopes = 0;
  std::vector<double> capacity_ratios = {};
  std::vector<double> region_ratios = {};
  std::vector<double> errors = {};
};

bool within(const stats::Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

void look_at(std::uint64_t seed, std::size_t groups,
             const std::vector<simulated::Replacement>& policies, bool tell, MemorySums& sums) {
  base::Random random = base::Random::of({seed, groups, policies.size(), 22});
  const simulated::MemoryDesign design{.groups = groups,
                                       .groups_of_size = std::min<std::size_t>(groups, 6)};
  const simulated::TrueMemory truth = simulated::drawn_memory(policies, design, random);
  const std::vector<double> sizes = simulated::drawn_buffers(design, random);
  const stats::GroupedTimes times(simulated::measured_passes(truth, sizes, design, {}, random));
  const stats::PlateausEstimate found =
      stats::plateaus_estimate(times, {.noise = {.min_effect = 0.02}, .seed = seed});
  if (tell) {
    std::printf("seed %llu: %g + %g s\n", static_cast<unsigned long long>(seed), truth.overhead_ns,
                truth.first);
    for (const simulated::TrueLevel& level : truth.levels) {
      std::printf("   true %d at %.0f rises %g\n", static_cast<int>(level.policy), level.capacity,
                  level.rise);
    }
    for (const stats::Level& level : found.fit.levels) {
      std::printf("   fit %s at %.0f rises %g\n", to_string(level.shape).data(), level.capacity,
                  level.rise);
    }
    for (const stats::Knee& knee : found.knees) {
      std::printf("   knee %s at %.0f [%.0f, %.0f], region %.0f to %.0f\n",
                  to_string(knee.shape).data(), knee.capacity, knee.capacity_interval->low,
                  knee.capacity_interval->high, knee.begin, knee.end);
    }
    for (const stats::LinePiece& piece : found.fit.pieces) {
      std::printf("   piece %.0f to %.0f: %g + %g s\n", found.points[piece.first].x,
                  found.points[piece.last].x, piece.intercept, piece.slope);
    }
    std::printf("   rss %g of %zu\n", found.fit.rss, found.points.size());
  }
  if (found.knees.size() > truth.levels.size()) ++sums.more;
  if (found.knees.size() != truth.levels.size()) return;
  ++sums.right;
  bool all = true;
  bool all_regions = true;
  double slope = truth.first;
  for (std::size_t k = 0; k < truth.levels.size(); ++k) {
    const stats::Knee& knee = found.knees[k];
    const double capacity = truth.levels[k].capacity;
    slope += truth.levels[k].rise;
    ++sums.knees;
    const bool inside = within(*knee.capacity_interval, capacity);
    if (inside) ++sums.capacities;
    all = all && inside;
    const bool in_region = within(knee.region(), capacity);
    if (in_region) ++sums.regions;
    all_regions = all_regions && in_region;
    if (within(*found.plateaus[k + 1].slope.interval, slope)) ++sums.slopes;
    sums.capacity_ratios.push_back(knee.capacity_interval->high / knee.capacity_interval->low);
    sums.region_ratios.push_back(knee.region().high / knee.region().low);
    sums.errors.push_back(std::abs(knee.capacity / capacity - 1));
  }
  if (all) ++sums.all_inside;
  if (all_regions) ++sums.all_regions;
}

int time_of_estimate() {
  base::Random random(22);
  using enum simulated::Replacement;
  const simulated::MemoryDesign design;
  const simulated::TrueMemory truth =
      simulated::drawn_memory({kLru, kLru, kLruPages, kRandom}, design, random);
  const std::vector<double> sizes = simulated::drawn_buffers(design, random);
  const stats::GroupedTimes times(simulated::measured_passes(truth, sizes, design, {}, random));
  std::vector<double> milliseconds;
  for (int run = 0; run < 5; ++run) {
    const std::clock_t begin = std::clock();
    (void)stats::plateaus_estimate(times, {.noise = {.min_effect = 0.02}});
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%.1f\n", stats::median(milliseconds));
  return 0;
}

bool read_policy(std::string_view word, std::vector<simulated::Replacement>& policies) {
  using enum simulated::Replacement;
  if (word == "lru")
    policies.push_back(kLru);
  else if (word == "pages")
    policies.push_back(kLruPages);
  else if (word == "random")
    policies.push_back(kRandom);
  else if (word == "independent")
    policies.push_back(kIndependent);
  else
    return false;
  return true;
}

double median_or_0(const std::vector<double>& values) {
  return values.empty() ? 0 : stats::median(values);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string_view(argv[1]) == "time") return time_of_estimate();
    std::vector<simulated::Replacement> policies;
    bool right = argc >= 3;
    for (int i = 3; i < argc; ++i) right = read_policy(argv[i], policies) && right;
    if (!right) {
      std::fputs("usage: bench_memory time | SEEDS GROUPS [lru|pages|random|independent]...\n",
                 stderr);
      return 2;
    }
    MemorySums sums;
    const std::uint64_t seeds = std::strtoull(argv[1], nullptr, 10);
    const bool tell = std::getenv("INVAR_BENCH_TELL") != nullptr;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      look_at(seed, std::strtoull(argv[2], nullptr, 10), policies, tell, sums);
    }
    std::printf("%zu %zu %zu %zu %zu %zu %zu %.3f %.3f %.4f %zu\n", sums.right, sums.more,
                sums.all_inside, sums.knees, sums.capacities, sums.regions, sums.slopes,
                median_or_0(sums.capacity_ratios), median_or_0(sums.region_ratios),
                median_or_0(sums.errors), sums.all_regions);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_memory: %s\n", error.what());
    return 1;
  }
  return 0;
}
