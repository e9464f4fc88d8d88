// Campaigns over sizes with a known truth and real noise: what rules of refinement find of it. Used
// by tests and by bench/sizes.cpp; nothing here knows of test programs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "stats/model/refinement.hpp"
#include "stats/model/size_steps.hpp"

namespace invar::simulated {

// A library against itself (tests/golden/aa_groups): what all sizes of a launch group share, and
// what each has by itself. Sizes between the measured ones draw a rest of their own beside the
// group's share: with that of a neighbour they would share noise exactly, and every step were
// plain.
class GroupNoise {
 public:
  explicit GroupNoise(const std::string& csv) {
    std::ifstream file(csv);
    std::string line;
    if (!std::getline(file, line)) throw std::runtime_error("cannot read " + csv);
    for (const std::string& name : fields(line)) {
      if (name != "group") sizes_.push_back(std::stod(name.substr(2)));  // d_8
    }
    rests_.resize(sizes_.size());
    while (std::getline(file, line)) {
      std::vector<double> d;
      for (const std::string& text : fields(line)) d.push_back(std::stod(text));
      d.erase(d.begin());
      double mean = 0;
      for (const double one : d) mean += one / static_cast<double>(d.size());
      shared_.push_back(mean);
      for (std::size_t i = 0; i < d.size(); ++i) rests_[i].push_back(d[i] - mean);
    }
  }

  // What a group adds to the logarithms of all its times.
  double shared(base::Random& random) const { return shared_[random.below(shared_.size())]; }
  // What is a size's own in a group: of the nearest measured size.
  double rest(double size, base::Random& random) const {
    const auto above =
        static_cast<std::size_t>(std::ranges::lower_bound(sizes_, size) - sizes_.begin());
    std::size_t nearest = std::min(above, sizes_.size() - 1);
    if (nearest > 0 && size * size < sizes_[nearest] * sizes_[nearest - 1]) --nearest;
    return rests_[nearest][random.below(rests_[nearest].size())];
  }

 private:
  static std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) all.push_back(field);
    return all;
  }

  std::vector<double> sizes_ = {};
  std::vector<double> shared_ = {};
  std::vector<std::vector<double>> rests_ = {};  // by size
};

constexpr double kHigh = 1 << 20;

struct Knee {
  double at = 0;
  double slope = 0;  // from there on
};

struct Jump {
  double at = 0;  // the last size below it
  double factor = 1;
};

// What a time really is.
struct TrueCurve {
  enum class Shape { kLine, kRoot, kLogarithm };
  Shape shape = Shape::kLine;
  double latency_ns = 300;
  double slope = 0.1;  // ns a byte
  std::vector<Knee> knees = {};
  std::vector<Jump> jumps = {};

  [[nodiscard]] double time_ns(double size) const {
    double time = latency_ns;
    if (shape == Shape::kRoot) time += std::pow(size, 0.8);
    if (shape == Shape::kLogarithm) time += 20 * std::log2(1 + size);
    double from = 0;
    double slope_here = slope;
    for (const Knee& knee : knees) {
      if (size <= knee.at) break;
      time += slope_here * (knee.at - from);
      from = knee.at;
      slope_here = knee.slope;
    }
    time += slope_here * (size - from);
    for (const Jump& jump : jumps) {
      if (size > jump.at) time *= jump.factor;
    }
    return time;
  }
};

// Places a factor of two apart at least, between 3 B and 700 KiB, none at a power of two.
inline std::vector<double> drawn_places(std::size_t count, base::Random& random) {
  while (true) {
    std::vector<double> places;
    for (std::size_t i = 0; i < count; ++i) {
      const double drawn = 3 * std::pow(kHigh / 4.5, random.uniform());
      const double place = std::floor(drawn);
      places.push_back(place == std::exp2(std::round(std::log2(place))) ? place + 1 : place);
    }
    std::ranges::sort(places);
    bool apart = true;
    for (std::size_t i = 1; i < count; ++i) apart = apart && places[i] >= 2 * places[i - 1];
    if (apart) return places;
  }
}

inline double uniform(double low, double high, base::Random& random) {
  return low + (high - low) * random.uniform();
}

// Two bends, and steps of 10 to 60 %.
inline TrueCurve drawn_curve(std::size_t steps, base::Random& random) {
  TrueCurve curve;
  std::vector<double> places = drawn_places(steps + 2, random);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto taken = static_cast<std::ptrdiff_t>(random.below(places.size()));
    curve.knees.push_back({.at = places.at(static_cast<std::size_t>(taken))});
    places.erase(places.begin() + taken);
  }
  std::ranges::sort(curve.knees, {}, &Knee::at);
  double slope = curve.slope;
  for (Knee& knee : curve.knees) {
    const double factor = uniform(1.5, 4, random);
    slope = random.below(2) == 0 ? slope * factor : slope / factor;
    knee.slope = slope;
  }
  for (const double place : places) {
    curve.jumps.push_back({.at = place, .factor = 1 + uniform(0.1, 0.6, random)});
  }
  return curve;
}

// No step: lines, with bends or without, and curves that are no lines.
inline TrueCurve drawn_smooth_curve(base::Random& random) {
  TrueCurve curve = drawn_curve(0, random);
  const std::uint64_t kind = random.below(4);
  if (kind > 0) curve.knees.clear();
  if (kind == 2) curve.shape = TrueCurve::Shape::kRoot;
  if (kind == 3) curve.shape = TrueCurve::Shape::kLogarithm;
  return curve;
}

// Powers of two and the middles between them, as adaptive sizes begin.
inline std::vector<double> first_sizes() {
  std::vector<double> sizes;
  for (double power = 1; power < kHigh; power *= 2) {
    sizes.push_back(power);
    if (power > 1) sizes.push_back(power * 1.5);
  }
  sizes.push_back(kHigh);
  return sizes;
}

struct Ordered {
  stats::Refining how = {};
  std::size_t most_sizes = 100;
  // Mean over sizes of the groups that measured one, choosing and judging together.
  double groups_a_size = 30;
};

struct Found {
  std::size_t sizes = 0;
  double choosing = 0;      // groups a size, mean
  std::size_t judging = 0;  // groups
  std::size_t rounds = 0;
  std::vector<stats::SizeBracket> brackets = {};  // that were judged
  std::vector<stats::StepEstimate> steps = {};    // of these, what is a step
  std::vector<stats::BendEstimate> bends = {};
  std::vector<double> all_sizes = {};
};

class Campaign {
 public:
  Campaign(const TrueCurve& truth, const GroupNoise& noise, const Ordered& ordered,
           base::Random& random)
      : truth_(truth), noise_(noise), ordered_(ordered), random_(random) {
    for (const double size : first_sizes()) curve_.push_back({.size = size});
  }

  Found run() {
    choose();
    judge();
    return found_;
  }

 private:
  void measure(const std::set<double>& wanted, std::size_t groups) {
    for (std::size_t i = 0; i < groups; ++i) {
      const double shared = noise_.shared(random_);
      for (stats::SizeTimes& size : curve_) {
        std::optional<double>& log_time = size.log_times.emplace_back();
        if (!wanted.contains(size.size)) continue;
        log_time = std::log(truth_.time_ns(size.size)) + shared + noise_.rest(size.size, random_);
        ++spent_;
      }
    }
  }

  void choose() {
    const std::size_t groups = stats::groups_of_round(ordered_.how.rule);
    std::set<double> wanted;
    for (const stats::SizeTimes& size : curve_) wanted.insert(size.size);
    std::size_t first_new = 0;
    while (true) {
      measure(wanted, groups);
      ++found_.rounds;
      stats::RefinedPlace place{.how = ordered_.how, .room = ordered_.most_sizes - curve_.size()};
      for (const stats::SizeTimes& size : curve_) place.sizes.push_back(size.size);
      const stats::RefinedCurve curve{.times = curve_, .first_new_group = first_new};
      const stats::RefinedRound round = stats::refine({&curve, 1}, {&place, 1});
      stats::follow_jumps(found_.brackets, round);
      for (const stats::SizeBend& bend : round.bends) {
        if (std::ranges::find(bends_, bend) == bends_.end()) bends_.push_back(bend);
      }
      if (round.done()) return;
      // Half of what a campaign may cost is for choosing.
      if (spent_ > ordered_.groups_a_size * static_cast<double>(curve_.size()) / 2) return;
      first_new = curve_.front().log_times.size();
      add(round.added.front());
      wanted = {round.needed.front().begin(), round.needed.front().end()};
    }
  }

  void add(const std::vector<double>& sizes) {
    const std::size_t groups = curve_.front().log_times.size();
    for (const double size : sizes) {
      curve_.push_back({.size = size, .log_times = stats::ByGroup(groups)});
    }
    std::ranges::sort(curve_, {}, &stats::SizeTimes::size);
  }

  void judge() {
    const auto sizes = static_cast<double>(curve_.size());
    found_.sizes = curve_.size();
    found_.choosing = spent_ / sizes;
    found_.judging = static_cast<std::size_t>(ordered_.groups_a_size - found_.choosing);
    std::set<double> all;
    for (stats::SizeTimes& size : curve_) {
      size.log_times.clear();
      all.insert(size.size);
      found_.all_sizes.push_back(size.size);
    }
    measure(all, found_.judging);
    std::vector<stats::StepEstimate> steps =
        stats::estimate_steps(curve_, found_.brackets, ordered_.how.tolerance);
    std::vector<stats::BendEstimate> bends;
    for (const stats::SizeBend& bend : bends_) {
      bends.push_back(stats::estimate_bend(curve_, bend, ordered_.how.tolerance));
    }
    stats::judge_steps(steps, bends, ordered_.how.alpha);
    for (const stats::StepEstimate& step : steps) {
      if (step.is_step) found_.steps.push_back(step);
    }
    for (const stats::BendEstimate& bend : bends) {
      if (bend.is_bend) found_.bends.push_back(bend);
    }
  }

  const TrueCurve& truth_;
  const GroupNoise& noise_;
  const Ordered& ordered_;
  base::Random& random_;
  stats::SizeCurve curve_ = {};
  std::vector<stats::SizeBend> bends_ = {};
  double spent_ = 0;  // size-groups
  Found found_ = {};
};

inline bool holds(const stats::StepEstimate& step, const Jump& jump) {
  return step.low <= jump.at && jump.at < step.high;
}

// The step is between these sizes, which are within the share of each other, or neighbouring bytes.
inline bool is_bracketed(const Found& found, const Jump& jump, double share) {
  return std::ranges::any_of(found.steps, [&](const stats::StepEstimate& step) {
    return holds(step, jump) && (step.high <= step.low * (1 + share) || step.high - step.low <= 1);
  });
}

// Sizes were measured on both sides of it that are as near, whatever is said of them.
inline bool is_between_neighbours(const Found& found, const Jump& jump, double share) {
  double below = 0;
  double above = 2 * kHigh;
  for (const double size : found.all_sizes) {
    if (size <= jump.at) below = std::max(below, size);
    if (size > jump.at) above = std::min(above, size);
  }
  return above <= below * (1 + share) || above - below <= 1;
}

}  // namespace invar::simulated
