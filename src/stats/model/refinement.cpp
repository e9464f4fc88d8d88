#include "stats/model/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "stats/check.hpp"
#include "stats/decide/multiplicity.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::stats {
namespace {

// A middle is left alone that is surely within one and a half of the tolerance: to be sure of the
// tolerance itself takes groups for every size, and what is just above it is found by a neighbour.
constexpr double kNearConfidence = 0.90;
constexpr double kNearLimit = 1.5;
// And one whose mean is within half of it after so many groups, however wide the bound.
constexpr std::size_t kGroupsToBeNear = 2 * kLeastGroupsOfMiddle;
constexpr double kMpptestElement = 4.0;

// Three neighbours of a curve, by the index of the middle one.
struct Triple {
  std::size_t curve = 0;
  std::size_t middle = 0;
};

// What is beside a cut or an open middle is measured with it, so that jumps have lines to go by.
constexpr std::size_t kNeighbours = 2;

class Rounds {
 public:
  Rounds(std::span<const RefinedCurve> curves, std::span<const RefinedPlace> places)
      : curves_(curves), places_(places), added_(places.size()), needed_(places.size()) {
    for (const RefinedCurve& curve : curves) {
      if (curve.place >= places.size()) check::fail("refine", "a curve is of no place");
    }
    for (const RefinedPlace& place : places) {
      check::positive("refine", "the tolerance", place.how.tolerance);
      check::open_unit("refine", "alpha", place.how.alpha);
      check::positive("refine", "the element", place.how.element);
    }
  }

  RefinedRound make() {
    find_middles();
    correct();
    for (std::size_t i = 0; i < triples_.size(); ++i) follow(triples_[i], round_.middles[i]);
    for (std::size_t place = 0; place < places_.size(); ++place) {
      if (places_[place].how.rule == RefiningRule::kSkampi) cut_largest(place);
    }
    for (std::size_t place = 0; place < places_.size(); ++place) collect_needed(place);
    return std::move(round_);
  }

 private:
  [[nodiscard]] const Refining& how(std::size_t curve) const {
    return places_[curves_[curve].place].how;
  }

  // Some group of the last round has all three.
  [[nodiscard]] bool has_new(const RefinedCurve& curve, std::size_t middle) const {
    const ByGroup all = deviations_from_line(curve.times, middle - 1, middle, middle + 1);
    const std::size_t known = std::min(curve.first_new_group, all.size());
    return !present({all.begin() + static_cast<std::ptrdiff_t>(known), all.end()}).empty();
  }

  void find_middles() {
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      const RefinedCurve& curve = curves_[c];
      for (std::size_t i = 1; i + 1 < curve.times.size(); ++i) {
        if (!has_new(curve, i)) continue;
        triples_.push_back({c, i});
        round_.middles.push_back(middle_of(c, i));
      }
    }
  }

  [[nodiscard]] Middle middle_of(std::size_t c, std::size_t i) const {
    const SizeCurve& times = curves_[c].times;
    Middle middle;
    middle.curve = c;
    middle.low = times[i - 1].size;
    middle.middle = times[i].size;
    middle.high = times[i + 1].size;
    const std::vector<double> d = present(deviations_from_line(times, i - 1, i, i + 1));
    middle.groups = d.size();
    const double limit = std::log1p(how(c).tolerance);
    if (how(c).rule != RefiningRule::kInvar) {
      middle.deviation = deviation_of_minima(times, i);
      const bool beyond = std::abs(middle.deviation) > limit;
      if (beyond && how(c).rule == RefiningRule::kMpptest) middle.state = MiddleState::kBeyond;
      return middle;
    }
    middle.deviation = mean(d);
    if (d.size() < kLeastGroupsOfMiddle) {
      middle.state = MiddleState::kOpen;
      return middle;
    }
    const auto test = t_test(d);
    // Constant: as far from the line as it seems, or not at all.
    middle.p = test ? test->p : middle.deviation == 0 ? 1.0 : 0.0;
    const double error = test ? test->standard_error : 0.0;
    const double df = static_cast<double>(d.size()) - 1;
    const bool near =
        std::abs(middle.deviation) + t_quantile(kNearConfidence, df) * error <= kNearLimit * limit;
    const bool hardly = d.size() >= kGroupsToBeNear && std::abs(middle.deviation) <= limit / 2;
    const bool more = d.size() < kMostGroupsOfMiddle && !hardly;
    middle.state = !near && more ? MiddleState::kOpen : MiddleState::kNear;
    return middle;
  }

  [[nodiscard]] static std::optional<double> minimum_of(const SizeTimes& size) {
    std::optional<double> least;
    for (const std::optional<double>& log_time : size.log_times) {
      if (log_time && (!least || *log_time < *least)) least = log_time;
    }
    return least;
  }

  // Takes each size at its fastest, whichever groups these times are from.
  [[nodiscard]] static double deviation_of_minima(const SizeCurve& times, std::size_t i) {
    SizeCurve minima;
    for (std::size_t k = i - 1; k <= i + 1; ++k) {
      minima.push_back({.size = times[k].size, .log_times = {minimum_of(times[k])}});
    }
    return deviations_from_line(minima, 0, 1, 2).front().value_or(0.0);
  }

  void correct() {
    std::vector<std::optional<double>> p;
    p.reserve(round_.middles.size());
    for (const Middle& middle : round_.middles) p.push_back(middle.p);
    const auto adjusted = benjamini_hochberg(p);
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      Middle& middle = round_.middles[i];
      middle.p_adjusted = adjusted[i];
      const Refining& how = this->how(middle.curve);
      const bool off = std::abs(middle.deviation) > std::log1p(how.tolerance);
      if (off && adjusted[i] && *adjusted[i] <= how.alpha) middle.state = MiddleState::kBeyond;
    }
  }

  // What a half says by itself: how much the curve jumps there, whether that is not chance, and how
  // much its neighbours disagree on it.
  struct Half {
    std::size_t low = 0;
    std::size_t high = 0;
    double jump = 0.0;
    double disagreement = 0.0;
    bool sure = false;
  };

  [[nodiscard]] static Half half_of(const SizeCurve& times, double alpha, std::size_t low,
                                    std::size_t high) {
    Half half{.low = low, .high = high};
    const auto before = size_before(times, low, high);
    const auto behind = size_behind(times, low, high);
    std::vector<double> below;
    std::vector<double> above;
    if (before) below = present(jumps_from_below(times, *before, low, high));
    if (behind) above = present(jumps_from_above(times, low, high, *behind));
    if (below.empty() && above.empty()) return half;
    if (below.empty() || above.empty()) {
      // At an end of the curve: one line alone takes the jump next to it for a slope.
      half.jump = mean(below.empty() ? above : below) / 2;
      return half;
    }
    const double from_below = mean(below);
    const double from_above = mean(above);
    half.jump = agreed(from_below, from_above);
    half.disagreement = std::abs(from_below - from_above);
    half.sure = is_sure(below, alpha) && is_sure(above, alpha);
    return half;
  }

  [[nodiscard]] static bool is_sure(const std::vector<double>& jumps, double alpha) {
    if (jumps.size() < kLeastGroupsOfMiddle) return false;
    const auto test = t_test(jumps);
    return !test || test->p <= alpha;
  }

  void follow(const Triple& at, const Middle& middle) {
    if (middle.state == MiddleState::kOpen) need_around(at.curve, at.middle);
    if (middle.state != MiddleState::kBeyond) return;
    const SizeCurve& times = curves_[at.curve].times;
    const Half lower = half_of(times, how(at.curve).alpha, at.middle - 1, at.middle);
    const Half upper = half_of(times, how(at.curve).alpha, at.middle, at.middle + 1);
    const double limit = std::log1p(how(at.curve).tolerance);
    if (how(at.curve).rule == RefiningRule::kMpptest) {
      for (const Half& half : {lower, upper}) cut(at.curve, half, std::abs(half.jump) > limit);
      return;
    }
    const bool lower_more = std::abs(lower.jump) >= std::abs(upper.jump);
    const Half& more = lower_more ? lower : upper;
    const Half& less = lower_more ? upper : lower;
    // A line through sizes on both sides of a jump halves it at worst.
    if (std::abs(more.jump) > limit / 2) {
      cut(at.curve, more, true);
      if (less.sure && std::abs(less.jump) > limit) cut(at.curve, less, true);
      return;
    }
    const SizeBend bend{at.curve, middle.low, middle.middle, middle.high};
    round_.bends.push_back(bend);
    const bool in_lower = lower.disagreement != upper.disagreement
                              ? lower.disagreement > upper.disagreement
                              : width(at.curve, lower) > width(at.curve, upper);
    cut(at.curve, in_lower ? lower : upper, false);
  }

  [[nodiscard]] double width(std::size_t c, const Half& half) const {
    return curves_[c].times[half.high].size - curves_[c].times[half.low].size;
  }

  // Where the interval is cut; none: its ends are as near as they may come.
  [[nodiscard]] std::optional<double> cut_of(std::size_t place, double low, double high) const {
    const Refining& how = places_[place].how;
    double element = how.element;
    if (how.rule == RefiningRule::kMpptest && element < kMpptestElement) element = kMpptestElement;
    const double least = least_distance(place, low);
    const double middle = std::floor((low + high) / 2 / element) * element;
    if (middle - low < least || high - middle < least) return std::nullopt;
    return middle;
  }

  [[nodiscard]] double least_distance(std::size_t place, double size) const {
    const Refining& how = places_[place].how;
    return std::max({how.element, how.separation, how.separation_share * size});
  }

  // The place has a size there, or too near, which this curve's arm cannot measure, or another
  // arm's curve asks for one.
  [[nodiscard]] bool crowds(std::size_t place, double at, double low) const {
    const double least = least_distance(place, low);
    const auto near = [&](double size) { return std::abs(size - at) < least; };
    return std::ranges::any_of(places_[place].sizes, near) ||
           std::ranges::any_of(added_[place], near);
  }

  // `jumps`: if it cannot be cut it is a bracket.
  void cut(std::size_t c, const Half& half, bool jumps) {
    const std::size_t place = curves_[c].place;
    const double low = curves_[c].times[half.low].size;
    const double high = curves_[c].times[half.high].size;
    const std::optional<double> at = cut_of(place, low, high);
    const bool known = at && added_[place].contains(*at);
    if (!at ||
        (!known && (crowds(place, *at, low) || added_[place].size() >= places_[place].room))) {
      if (jumps) add_once(round_.brackets, {c, low, high});
      return;
    }
    added_[place].insert(*at);
    if (jumps) add_once(round_.cut, {c, low, high});
  }

  static void add_once(std::vector<SizeBracket>& brackets, const SizeBracket& bracket) {
    if (std::ranges::find(brackets, bracket) == brackets.end()) brackets.push_back(bracket);
  }

  void need_around(std::size_t c, std::size_t middle) {
    const SizeCurve& times = curves_[c].times;
    const std::size_t first = middle - std::min(middle, kNeighbours);
    const std::size_t last = std::min(times.size() - 1, middle + kNeighbours);
    for (std::size_t i = first; i <= last; ++i) {
      needed_[curves_[c].place].insert(times[i].size);
    }
  }

  // SKaMPI's queue of a place: what the curves of all arms have in it.
  void cut_largest(std::size_t place) {
    struct Queued {
      double key = 0.0;
      double at = 0.0;
    };
    std::vector<Queued> queue;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].place != place) continue;
      const SizeCurve& times = curves_[c].times;
      for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const std::optional<double> at = cut_of(place, times[i].size, times[i + 1].size);
        const std::optional<double> key = skampi_key(times, i);
        if (at && key && !crowds(place, *at, times[i].size)) {
          queue.push_back({*key, *at});
        } else if (key) {
          bracket_by_skampi(c, i);
        }
      }
    }
    std::ranges::stable_sort(queue, [](const Queued& a, const Queued& b) { return a.key > b.key; });
    const std::size_t most = std::min(kSkampiCuts, places_[place].room);
    for (const Queued& one : queue) {
      if (added_[place].size() >= most) break;
      added_[place].insert(one.at);
    }
    if (places_[place].room > 0) return;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      if (curves_[c].place != place) continue;
      for (std::size_t i = 0; i + 1 < curves_[c].times.size(); ++i) bracket_by_skampi(c, i);
    }
  }

  // A round of SKaMPI's measures the new sizes alone, and no group has all of a line: by means over
  // whatever groups there are, as everything that this rule goes by. Fresh groups judge it.
  void bracket_by_skampi(std::size_t c, std::size_t i) {
    const SizeCurve& times = curves_[c].times;
    SizeCurve means;
    for (const SizeTimes& size : times) {
      std::optional<double> log_mean = mean_time(size);
      if (log_mean) log_mean = std::log(*log_mean);
      means.push_back({.size = size.size, .log_times = {log_mean}});
    }
    const Half half = half_of(means, how(c).alpha, i, i + 1);
    if (std::abs(half.jump) <= std::log1p(how(c).tolerance)) return;
    add_once(round_.brackets, {c, times[i].size, times[i + 1].size});
  }

  [[nodiscard]] static std::optional<double> mean_time(const SizeTimes& size) {
    std::vector<double> times;
    for (const std::optional<double>& log_time : size.log_times) {
      if (log_time) times.push_back(std::exp(*log_time));
    }
    return times.empty() ? std::nullopt : std::optional(mean(times));
  }

  // Beyond the ends of the curve stands its last value once more, as SKaMPI's guards do.
  [[nodiscard]] static std::optional<double> skampi_key(const SizeCurve& times, std::size_t i) {
    const SizeTimes& b = times[i];
    const SizeTimes& c = times[i + 1];
    const SizeTimes& a = i == 0 ? b : times[i - 1];
    const SizeTimes& d = i + 2 == times.size() ? c : times[i + 2];
    const auto at_a = mean_time(a);
    const auto at_b = mean_time(b);
    const auto at_c = mean_time(c);
    const auto at_d = mean_time(d);
    if (!at_a || !at_b || !at_c || !at_d) return std::nullopt;
    const auto line = [](double x, double x1, double y1, double x2, double y2) {
      return x1 == x2 ? (y1 + y2) / 2 : y1 + (x - x1) * (y2 - y1) / (x2 - x1);
    };
    const double left = line(b.size, c.size, *at_c, d.size, *at_d) - *at_b;
    const double right = line(c.size, a.size, *at_a, b.size, *at_b) - *at_c;
    return std::max(std::abs(left), std::abs(right)) * (d.size - a.size);
  }

  void collect_needed(std::size_t place) {
    const std::vector<double>& sizes = places_[place].sizes;
    const RefiningRule rule = places_[place].how.rule;
    std::set<double>& needed = needed_[place];
    if (!added_[place].empty() && rule == RefiningRule::kMpptest) {
      needed.insert(sizes.begin(), sizes.end());  // the whole list in every pass
    }
    // Neighbours are those with the new sizes among them.
    std::vector<double> all = sizes;
    all.insert(all.end(), added_[place].begin(), added_[place].end());
    std::ranges::sort(all);
    for (const double added : added_[place]) {
      needed.insert(added);
      if (rule != RefiningRule::kInvar) continue;
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(all, added) - all.begin());
      const std::size_t first = at - std::min(at, kNeighbours);
      const std::size_t last = std::min(all.size() - 1, at + kNeighbours);
      for (std::size_t i = first; i <= last; ++i) needed.insert(all[i]);
    }
    round_.added.emplace_back(added_[place].begin(), added_[place].end());
    round_.needed.emplace_back(needed.begin(), needed.end());
  }

  std::span<const RefinedCurve> curves_;
  std::span<const RefinedPlace> places_;
  std::vector<Triple> triples_ = {};           // of the round's middles
  std::vector<std::set<double>> added_ = {};   // by place
  std::vector<std::set<double>> needed_ = {};  // by place
  RefinedRound round_ = {};
};

}  // namespace

std::size_t groups_of_round(RefiningRule rule) {
  constexpr std::size_t kMpptestPasses = 5;
  return rule == RefiningRule::kMpptest ? kMpptestPasses : kLeastGroupsOfMiddle;
}

bool RefinedRound::done() const {
  return std::ranges::all_of(needed, [](const auto& sizes) { return sizes.empty(); });
}

RefinedRound refine(std::span<const RefinedCurve> curves, std::span<const RefinedPlace> places) {
  return Rounds(curves, places).make();
}

void follow_jumps(std::vector<SizeBracket>& jumps, const RefinedRound& round) {
  for (const std::vector<SizeBracket>* found : {&round.cut, &round.brackets}) {
    for (const SizeBracket& jump : *found) {
      std::erase_if(jumps, [&](const SizeBracket& known) {
        return known.curve == jump.curve && known.low <= jump.low && jump.high <= known.high;
      });
      jumps.push_back(jump);
    }
  }
}

std::optional<double> knowable_deviation(std::span<const RefinedCurve> curves) {
  constexpr double kConfidence = 0.95;
  const auto most = static_cast<double>(kMostGroupsOfMiddle);
  std::vector<double> widths;
  for (const RefinedCurve& curve : curves) {
    for (std::size_t i = 1; i + 1 < curve.times.size(); ++i) {
      const std::vector<double> d = present(deviations_from_line(curve.times, i - 1, i, i + 1));
      if (d.size() < kLeastGroupsOfMiddle) continue;
      const double quantile = t_quantile((1 + kConfidence) / 2, most - 1);
      widths.push_back(quantile * standard_deviation(d).value_or(0.0) / std::sqrt(most));
    }
  }
  if (widths.empty()) return std::nullopt;
  return median(widths);
}

}  // namespace invar::stats
