// What rules of refinement find of curves with known steps and bends, in the noise of real launch
// groups (tests/stats/model/simulated_sizes.hpp):
//   bench_sizes tests/golden/aa_groups SEEDS SMOOTH_SEEDS
// A line a library and rule: of SEEDS curves those whose steps were all found within 5 %, those
// with sizes as near on both sides of all steps; steps found; steps that are none; sizes (mean,
// most); groups a size (choosing, judging), rounds; of SMOOTH_SEEDS curves without a step those
// that got one; sizes of these.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "stats/model/simulated_sizes.hpp"

namespace {

using namespace invar;

// As in refinement_simulation_test.cpp.
constexpr double kTolerance = 0.02;
constexpr double kBracket = 0.05;

struct Sums {
  double whole = 0;
  double near = 0;
  double steps = 0;
  double wrong = 0;
  double sizes = 0;
  std::size_t most_sizes = 0;
  double choosing = 0;
  double judging = 0;
  double rounds = 0;
  double smooth = 0;
  double smooth_sizes = 0;
};

Sums simulate(const simulated::GroupNoise& noise, stats::RefiningRule rule, std::uint64_t seeds,
              std::uint64_t smooth_seeds) {
  simulated::Ordered order;
  order.how.rule = rule;
  order.how.tolerance = kTolerance;
  order.how.separation_share = kBracket / 2;
  Sums sums;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    base::Random random(seed);
    const simulated::TrueCurve truth = simulated::drawn_curve(5, random);
    const simulated::Found found = simulated::Campaign(truth, noise, order, random).run();
    bool whole = true;
    bool near = true;
    for (const simulated::Jump& jump : truth.jumps) {
      const bool bracketed = simulated::is_bracketed(found, jump, kBracket);
      sums.steps += bracketed ? 1 : 0;
      whole = whole && bracketed;
      near = near && simulated::is_between_neighbours(found, jump, kBracket);
    }
    sums.whole += whole ? 1 : 0;
    sums.near += near ? 1 : 0;
    for (const stats::StepEstimate& step : found.steps) {
      const bool any = std::ranges::any_of(
          truth.jumps, [&](const simulated::Jump& jump) { return simulated::holds(step, jump); });
      sums.wrong += any ? 0 : 1;
    }
    const auto count = static_cast<double>(seeds);
    sums.sizes += static_cast<double>(found.sizes) / count;
    sums.most_sizes = std::max(sums.most_sizes, found.sizes);
    sums.choosing += found.choosing / count;
    sums.judging += static_cast<double>(found.judging) / count;
    sums.rounds += static_cast<double>(found.rounds) / count;
  }
  for (std::uint64_t seed = 0; seed < smooth_seeds; ++seed) {
    base::Random random(1'000'000 + seed);
    const simulated::TrueCurve truth = simulated::drawn_smooth_curve(random);
    const simulated::Found found = simulated::Campaign(truth, noise, order, random).run();
    sums.smooth += found.steps.empty() ? 0 : 1;
    sums.smooth_sizes += static_cast<double>(found.sizes) / static_cast<double>(smooth_seeds);
  }
  return sums;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_sizes tests/golden/aa_groups SEEDS SMOOTH_SEEDS\n");
    return 2;
  }
  try {
    const std::pair<const char*, stats::RefiningRule> rules[] = {
        {"invar", stats::RefiningRule::kInvar},
        {"skampi", stats::RefiningRule::kSkampi},
        {"mpptest", stats::RefiningRule::kMpptest}};
    for (const char* library : {"openmpi", "mpich"}) {
      const simulated::GroupNoise noise(std::string(argv[1]) + '/' + library + ".csv");
      for (const auto& [name, rule] : rules) {
        const Sums sums = simulate(noise, rule, std::strtoull(argv[2], nullptr, 10),
                                   std::strtoull(argv[3], nullptr, 10));
        std::printf("%s %s %g %g %g %g %.1f %zu %.1f %.1f %.1f %g %.1f\n", library, name,
                    sums.whole, sums.near, sums.steps, sums.wrong, sums.sizes, sums.most_sizes,
                    sums.choosing, sums.judging, sums.rounds, sums.smooth, sums.smooth_sizes);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sizes: %s\n", error.what());
    return 1;
  }
  return 0;
}
