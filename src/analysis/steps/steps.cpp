#include "analysis/steps/steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/p2p/rates.hpp"
#include "analysis/steps/size_choices.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/study.hpp"
#include "analysis/study/times.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/size_samples.hpp"
#include "record/arrival.hpp"
#include "record/factors.hpp"
#include "stats/model/size_steps.hpp"

namespace invar::analysis {
namespace {

constexpr std::size_t kLeastPoints = 3;
// The sender's own time under a late receiver, as a share of how late it is: below, it has not
// waited; above, it has.
constexpr double kDidNotWait = 0.1;
constexpr double kWaited = 0.9;
constexpr const char* kSendersTime = "sending";
// A step that nobody would want to miss: a fifth, or some tolerances.
constexpr double kTolerancesOfAStep = 4;

double sensible_log_height(const stats::StepEstimate& step) {
  return std::log1p(std::max(kSensibleStep, kTolerancesOfAStep * step.tolerance));
}

bool would_show(const stats::StepEstimate& step) {
  return step.least_seen && *step.least_seen <= sensible_log_height(step);
}

// Whatever the machine did: a sender that waits does so in every regime.
CellTable table_of(const Study& study, const Summaries& summaries) {
  const store::Data& data = study.data();
  CellTable table = sort_visits(summaries.visits, data.cells.size(), data.arms.size());
  drop_failed_cells(data, table);
  return table;
}

// All arms, in the regime of the machine that answers speak of.
Contest contest_of_all(const Study& study) {
  const store::Data& data = study.data();
  std::vector<std::uint32_t> arms(data.arms.size());
  std::iota(arms.begin(), arms.end(), 0U);
  return contest_of(data,
                    sort_visits(study.summaries().visits, data.cells.size(), data.arms.size()),
                    arms, reference_band_of(study));
}

// So many calls in every timing of it.
std::uint32_t calls_of_timing(const CellVisits& visits) {
  std::uint32_t calls = 1;
  for (const LaunchVisits& launch : visits.launches) {
    for (const VisitSummary& visit : launch.visits) {
      if (visit.source != nullptr) calls = std::max(calls, visit.source->line.calls);
    }
  }
  return calls;
}

// One curve, and the numbers behind it.
struct MeasuredCurve {
  Curve curve = {};
  std::vector<std::uint32_t> calls = {};  // of each point
  stats::SizeCurve times = {};            // of each point, by group
  bool of_pair = false;                   // the times are those of single pairs of ranks
  // Where its sizes were chosen: what there is to judge is known. Several where ranges of sizes
  // stand beside each other.
  std::vector<ChosenPlace> places = {};
  bool jumps = false;  // choosing them found where it seems to jump
  // Programs printed some of its times. A line through rounded points is off by more than their
  // step where it leaves them, so that none of its steps could be told from rounding.
  bool rounded = false;
};

class StepFinder {
 public:
  StepFinder(const Study& study, const Contest& contest)
      : study_(study), data_(study.data()), contest_(contest) {}

  Steps find() {
    choice_ = last_size_choice(study_.all().decided);
    if (const auto regime = reference_regime(contest_); regime && regime->split) {
      found_.regime = regime_text(*regime);
    }
    collect_curves();
    found_.not_judged = why_not_judged();
    if (found_.not_judged.empty()) warn_of_rounded();
    for (std::size_t i = 0; i < curves_.size() && found_.not_judged.empty(); ++i) {
      if (curves_[i].rounded) continue;
      warn_of_borders(curves_[i]);
      const std::vector<ChosenPlace> places = curves_[i].places;
      for (const ChosenPlace& place : places) take_chosen(i, place);
      if (places.empty()) take_all(i);
    }
    stats::judge_steps(steps_, bends_, study_.rules().decision.alpha);
    for (std::size_t i = 0; i < curves_.size() && found_.not_judged.empty(); ++i) {
      if (!curves_[i].rounded) take_judgement(i);
    }
    tell();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string why_not_judged() const {
    const Rules rules = judging_rules(study_, study_.summaries());
    if (!rules.no_verdict.empty()) return rules.no_verdict;
    if (rules.sequential) {
      return "looks at the results decided what was measured (stopping = \"looks\")";
    }
    const design::Campaign& campaign = study_.campaign();
    if (design::adds_at_breaks(campaign)) {
      return "sizes were added where fits of the same launch groups break (rule = \"breaks\")";
    }
    if (design::has_parts(campaign)) {
      return "launch groups have parts of the sizes ('per-launch'), and neighbours are in few of "
             "them "
             "together";
    }
    if (data_.groups.size() < 2) return "there is one launch group";
    // Where only some curves are rounded, a warning says so.
    const bool rounded = !curves_.empty() &&
                         std::ranges::all_of(curves_, [](const auto& one) { return one.rounded; });
    return rounded ? "programs print rounded times" : "";
  }

  void warn_of_rounded() {
    std::vector<std::string> labels;
    for (const MeasuredCurve& one : curves_) {
      const std::string& label = one.curve.label;
      if (one.rounded && std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    if (labels.empty()) return;
    found_.warnings.emplace_back(
        "no steps are looked for in what programs print, which is rounded: " + list_text(labels));
  }

  // Behind judge_steps(). "None" is said only of what would have been seen.
  void take_judgement(std::size_t curve) {
    bool any = false;
    bool tested = false;
    bool shown = false;
    bool unclear = false;
    for (const stats::StepEstimate& step : steps_) {
      if (step.curve != curve) continue;
      any = true;
      if (!step.p) continue;
      tested = true;
      const bool shows = step.is_step || would_show(step);
      shown = shown || shows;
      unclear = unclear || (!shows && std::abs(step.log_height) > sensible_log_height(step));
    }
    Curve& told = curves_[curve].curve;
    told.judged = any ? shown && !unclear : !curves_[curve].places.empty() && !curves_[curve].jumps;
    told.too_wide = tested && !told.judged;
  }

  void collect_curves() {
    std::vector<std::uint32_t> groups;
    for (const store::Group& group : data_.groups) groups.push_back(group.group);
    const std::vector<std::string> others = record::levels_but(
        data_.cells, std::vector{record::find_factor("size_bytes"), record::find_factor("family")});
    // By the other levels, in the order of their first cells; of equal sizes the first cell.
    std::vector<std::map<std::uint64_t, std::size_t>> places;
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < data_.cells.size(); ++i) {
      const record::Cell& cell = data_.cells[i];
      if (!cell.size_bytes || cell.scheme != record::kOwnScheme) continue;
      const auto [place, is_new] = known.try_emplace(others[i], places.size());
      if (is_new) places.emplace_back();
      places[place->second].try_emplace(*cell.size_bytes, i);
    }
    for (const auto& sizes : places) {
      for (std::uint32_t arm = 0; arm < data_.arms.size(); ++arm) {
        add_curve(sizes, arm, contest_.table(), groups);
      }
    }
  }

  void add_curve(const std::map<std::uint64_t, std::size_t>& sizes, std::uint32_t arm,
                 const CellTable& table, const std::vector<std::uint32_t>& groups) {
    MeasuredCurve measured;
    measured.curve.arm = arm;
    measured.curve.label = data_.arms[arm].label;
    measured.curve.place = data_.cells[sizes.begin()->second];
    measured.curve.place.size_bytes.reset();
    measured.curve.place.family.clear();
    for (const auto& [size_bytes, cell] : sizes) {
      const CellVisits& visits = table[cell][arm];
      const auto time = time_estimate(visits, kTimeConfidence);
      if (!time || !(time->median_ns > 0)) continue;
      measured.curve.points.push_back(
          {.size_bytes = size_bytes, .cell = static_cast<std::uint32_t>(cell), .time = *time});
      measured.calls.push_back(calls_of_timing(visits));
      measured.of_pair = visits.of_pair();
      measured.rounded = measured.rounded || visits.rounding() > 0;
      stats::SizeTimes& times = measured.times.emplace_back();
      times.size = static_cast<double>(size_bytes);
      times.log_times.resize(groups.size());
      for (const LaunchVisits& launch : visits.launches) {
        const auto group = std::ranges::find(groups, launch.group);
        if (group == groups.end() || !(launch.median_ns > 0)) continue;
        times.log_times[static_cast<std::size_t>(group - groups.begin())] =
            std::log(launch.median_ns);
      }
    }
    if (measured.curve.points.size() < kLeastPoints) return;
    if (choice_ && choice_->phase == SizePhase::kJudge) {
      for (const ChosenPlace& place : choice_->places) {
        const bool here = std::ranges::any_of(
            sizes, [&](const auto& one) { return data_.cells[one.second].id == place.cell; });
        if (here) measured.places.push_back(place);
      }
    }
    curves_.push_back(std::move(measured));
  }

  [[nodiscard]] static std::optional<std::size_t> index_of(const MeasuredCurve& measured,
                                                           std::uint64_t size_bytes) {
    const auto found =
        std::ranges::find(measured.curve.points, size_bytes, &CurvePoint::size_bytes);
    if (found == measured.curve.points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - measured.curve.points.begin());
  }

  // The points around, up and down, that are timed as this one is.
  [[nodiscard]] static std::pair<std::size_t, std::size_t> alike(const MeasuredCurve& measured,
                                                                 std::size_t at) {
    std::size_t first = at;
    std::size_t last = at;
    while (first > 0 && measured.calls[first - 1] == measured.calls[at]) --first;
    while (last + 1 < measured.calls.size() && measured.calls[last + 1] == measured.calls[at]) {
      ++last;
    }
    return {first, last};
  }

  // Where a batch ends and single calls begin nothing can be said.
  void warn_of_borders(const MeasuredCurve& measured) {
    for (std::size_t i = 0; i + 1 < measured.calls.size(); ++i) {
      if (measured.calls[i] == measured.calls[i + 1]) continue;
      const std::string text = "between " + base::size_text(measured.curve.points[i].size_bytes) +
                               " and " + base::size_text(measured.curve.points[i + 1].size_bytes) +
                               " of " + record::cell_text(measured.curve.place) +
                               " calls begin to be timed in batches of another length, which is "
                               "not a step of the curve: nothing is said of it there";
      if (std::ranges::find(found_.warnings, text, &Warning::text) == found_.warnings.end()) {
        found_.warnings.emplace_back(text);
      }
    }
  }

  // All of a curve, in the parts of it that are timed alike.
  void add_steps_of(std::size_t curve,
                    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ends_bytes,
                    double tolerance) {
    const MeasuredCurve& measured = curves_[curve];
    std::map<std::size_t, std::vector<stats::SizeBracket>> parts;  // by the first point
    for (const auto& [low_bytes, high_bytes] : ends_bytes) {
      const auto low = index_of(measured, low_bytes);
      const auto high = index_of(measured, high_bytes);
      if (!low || !high) continue;
      const auto [first, last] = alike(measured, *low);
      if (*high > last) continue;
      parts[first].push_back(
          {curve, static_cast<double>(low_bytes), static_cast<double>(high_bytes)});
    }
    for (const auto& [first, brackets] : parts) {
      const std::size_t count = alike(measured, first).second - first + 1;
      const std::span<const stats::SizeTimes> part =
          std::span(measured.times).subspan(first, count);
      for (stats::StepEstimate& step : stats::estimate_steps(part, brackets, tolerance)) {
        steps_.push_back(std::move(step));
      }
    }
  }

  void add_bend(std::size_t curve, std::uint64_t low_bytes, std::uint64_t middle_bytes,
                std::uint64_t high_bytes, double tolerance) {
    const MeasuredCurve& measured = curves_[curve];
    const auto low = index_of(measured, low_bytes);
    const auto middle = index_of(measured, middle_bytes);
    const auto high = index_of(measured, high_bytes);
    if (!low || !middle || !high) return;
    const auto [first, last] = alike(measured, *low);
    if (*high > last) return;
    const std::span<const stats::SizeTimes> part =
        std::span(measured.times).subspan(first, last - first + 1);
    bends_.push_back(
        stats::estimate_bend(part,
                             {curve, static_cast<double>(low_bytes),
                              static_cast<double>(middle_bytes), static_cast<double>(high_bytes)},
                             tolerance));
  }

  // What choosing found of it. A jump that was cut, and not found again in either part, has sizes
  // between its ends: these are judged as well, every part by itself.
  void take_chosen(std::size_t curve, const ChosenPlace& place) {
    const std::string& label = curves_[curve].curve.label;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ends_bytes;
    for (const ChosenJump& jump : choice_->jumps) {
      if (jump.cell != place.cell || jump.arm != label) continue;
      const auto low = index_of(curves_[curve], jump.low_bytes);
      const auto high = index_of(curves_[curve], jump.high_bytes);
      if (!low || !high) continue;  // the arm has failed there meanwhile
      const std::vector<CurvePoint>& points = curves_[curve].curve.points;
      for (std::size_t i = *low; i < *high; ++i) {
        const std::pair part(points[i].size_bytes, points[i + 1].size_bytes);
        if (std::ranges::find(ends_bytes, part) == ends_bytes.end()) ends_bytes.push_back(part);
      }
    }
    curves_[curve].jumps = curves_[curve].jumps || !ends_bytes.empty();
    add_steps_of(curve, ends_bytes, place.tolerance);
    for (const ChosenBend& bend : choice_->bends) {
      if (bend.cell != place.cell || bend.arm != label) continue;
      add_bend(curve, bend.low_bytes, bend.middle_bytes, bend.high_bytes, place.tolerance);
    }
  }

  // Every interval and every size that has neighbours.
  void take_all(std::size_t curve) {
    const double tolerance = design::AdaptiveSizes().tolerance;
    const std::vector<CurvePoint>& points = curves_[curve].curve.points;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ends_bytes;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (i > 0 && i + 2 < points.size()) {
        ends_bytes.emplace_back(points[i].size_bytes, points[i + 1].size_bytes);
      }
      if (i > 0) {
        add_bend(curve, points[i - 1].size_bytes, points[i].size_bytes, points[i + 1].size_bytes,
                 tolerance);
      }
    }
    add_steps_of(curve, ends_bytes, tolerance);
  }

  // Where bends share a part of a curve, one of them is kept: that with the nearest ends, and among
  // equals that with the largest deviation.
  [[nodiscard]] std::vector<const stats::BendEstimate*> apart() const {
    std::vector<const stats::BendEstimate*> found;
    for (const stats::BendEstimate& bend : bends_) {
      if (bend.is_bend) found.push_back(&bend);
    }
    std::ranges::stable_sort(found, [](const auto* a, const auto* b) {
      const double width_a = a->high - a->low;
      const double width_b = b->high - b->low;
      if (width_a != width_b) return width_a < width_b;
      return std::abs(a->deviation) > std::abs(b->deviation);
    });
    std::vector<const stats::BendEstimate*> kept;
    for (const stats::BendEstimate* bend : found) {
      const bool shared = std::ranges::any_of(kept, [&](const stats::BendEstimate* other) {
        return other->curve == bend->curve && other->low < bend->high && bend->low < other->high;
      });
      if (!shared) kept.push_back(bend);
    }
    return kept;
  }

  void tell() {
    const auto bytes = [](double size) { return static_cast<std::uint64_t>(std::llround(size)); };
    for (const MeasuredCurve& measured : curves_) found_.curves.push_back(measured.curve);
    for (const stats::StepEstimate& step : steps_) {
      if (!step.is_step) continue;
      Step told{.curve = step.curve,
                .low_bytes = bytes(step.low),
                .high_bytes = bytes(step.high),
                .height = std::exp(step.log_height),
                .p_adjusted = step.p_adjusted.value_or(1.0)};
      told.low = std::exp(step.interval ? step.interval->low : step.log_height);
      told.high = std::exp(step.interval ? step.interval->high : step.log_height);
      told.protocol = protocol_at(told);
      told.element_bytes = element_of(curves_[step.curve]);
      told.closest = told.high_bytes - told.low_bytes <= told.element_bytes;
      found_.steps.push_back(std::move(told));
    }
    for (const stats::BendEstimate* bend : apart()) {
      const double each = bytes_of_a_byte(curves_[bend->curve]);
      found_.bends.push_back({.curve = bend->curve,
                              .low_bytes = bytes(bend->low),
                              .high_bytes = bytes(bend->high),
                              .p_adjusted = bend->p_adjusted.value_or(1.0),
                              .slope_below_ns = bend->slope_below / each,
                              .slope_above_ns = bend->slope_above / each});
    }
    const auto place = [](const auto& one) { return std::pair(one.curve, one.low_bytes); };
    std::ranges::stable_sort(found_.steps, {}, place);
    std::ranges::stable_sort(found_.bends, {}, place);
  }

  // How many bytes a call moves for each byte of its size.
  [[nodiscard]] double bytes_of_a_byte(const MeasuredCurve& measured) const {
    record::Cell cell = measured.curve.place;
    cell.size_bytes = 1;
    const std::uint32_t arm = measured.curve.arm;
    return moved_bytes(cell, data_.operation(arm, cell.operation), measured.of_pair).value_or(1);
  }

  // Sizes are multiples of it.
  [[nodiscard]] std::uint64_t element_of(const MeasuredCurve& measured) const {
    const record::Cell& place = measured.curve.place;
    const record::OperationInfo info = data_.operation(measured.curve.arm, place.operation);
    const record::DatatypeInfo* type = info.datatype(place.datatype);
    return type == nullptr ? 1 : std::max(type->size_bytes, 1U);
  }

  // What its sender does whose receiver is late, below the step and above it.
  std::string protocol_at(const Step& step) {
    if (!choice_) return {};
    const std::vector<ChosenPlace>& places = curves_[step.curve].places;
    for (const EvidenceCells& cells : choice_->evidence) {
      const bool here = std::ranges::find(places, cells.cell, &ChosenPlace::cell) != places.end();
      if (!here || cells.low_bytes != step.low_bytes || cells.high_bytes != step.high_bytes) {
        continue;
      }
      const std::uint32_t arm = found_.curves[step.curve].arm;
      const std::optional<double> below = waits(cells.low_cell, arm);
      const std::optional<double> above = waits(cells.high_cell, arm);
      if (!below || !above) return {};
      const auto did_not_wait = [](double share) { return share < kDidNotWait; };
      const auto waited = [](double share) { return share > kWaited; };
      if (did_not_wait(*below) && waited(*above)) return "eager -> rendezvous";
      if (waited(*below) && did_not_wait(*above)) return "rendezvous -> eager";
      const bool alike =
          (did_not_wait(*below) && did_not_wait(*above)) || (waited(*below) && waited(*above));
      return alike ? "same protocol" : "unclear";
    }
    return {};
  }

  // The sender's own time over how late its receiver is; none: it was not measured, or with a
  // receiver outside of MPI, for which a sender waits for other reasons, too.
  std::optional<double> waits(std::uint32_t cell, std::uint32_t arm) {
    if (!senders_) {
      // No group of them judges: decisions aside they are data as all others.
      store::Data all = study_.all();
      all.decided.clear();
      const Study everything(std::move(all), study_.campaign(), study_.rules());
      const CellTable table = table_of(
          everything,
          everything.summaries_of({.kind = TimeChoice::Kind::kNamed, .name = kSendersTime}));
      senders_.emplace();
      for (std::uint32_t i = 0; i < table.size(); ++i) {
        for (std::uint32_t of = 0; of < table[i].size(); ++of) {
          if (!table[i][of].empty()) (*senders_)[{i, of}] = table[i][of].typical_ns();
        }
      }
    }
    const auto time_ns = senders_->find({cell, arm});
    if (time_ns == senders_->end() || cell >= data_.cells.size()) return std::nullopt;
    const auto arrival = record::parse_arrival(data_.cells[cell].arrival);
    if (!arrival || !arrival->probing || !(arrival->amplitude_ns > 0)) return std::nullopt;
    return time_ns->second / arrival->amplitude_ns;
  }

  const Study& study_;
  const store::Data& data_;
  const Contest& contest_;
  std::optional<SizeChoice> choice_ = {};
  std::vector<MeasuredCurve> curves_ = {};
  std::vector<stats::StepEstimate> steps_ = {};
  std::vector<stats::BendEstimate> bends_ = {};
  // Median of the sender's time by cell and arm; made when first asked for.
  std::optional<std::map<std::pair<std::uint32_t, std::uint32_t>, double>> senders_ = {};
  Steps found_ = {};
};

}  // namespace

Steps find_steps(const Study& study) {
  const Contest contest = contest_of_all(study);
  Steps found = find_steps(study, contest);
  const Regimes regimes = regimes_by(study.data(), study.summaries(), study.rules());
  if (!contest.reference && regimes.found.size() > 1) found.mixed_regimes = regimes.found.size();
  return found;
}

Steps find_steps(const Study& study, const Contest& contest) {
  return StepFinder(study, contest).find();
}

}  // namespace invar::analysis
