#include "driver/sizes/break_sizes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/compare/tuning.hpp"
#include "analysis/steps/size_breaks.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/size_samples.hpp"
#include "design/factors/sizes.hpp"
#include "design/plan/adaptive_places.hpp"
#include "design/plan/streams.hpp"
#include "driver/decide/added_cells.hpp"
#include "driver/decide/plans.hpp"
#include "driver/sizes/size_rounds.hpp"
#include "driver/sizes/sizes.hpp"

namespace invar::driver {
namespace {

using analysis::SizeChoice;
using analysis::SizePhase;

// Turns of every size before the first look, which needs to know how much groups differ.
constexpr std::uint32_t kFirstTurns = 2;
// Where groups have all sizes.
constexpr std::uint32_t kLeastBetweenLooks = 3;
constexpr std::size_t kQuarters = 4;

// Launch groups in which every size has its turn.
std::uint32_t groups_of_turn(const Prepared& prepared) {
  std::uint32_t parts = 1;
  for (const design::SizeSample& sample : prepared.cells.samples) {
    parts = std::max(parts, sample.parts);
  }
  return parts;
}

// An interval in which some curve breaks.
struct OpenBreak {
  std::size_t place = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_bytes = 0;

  [[nodiscard]] double width() const {
    return static_cast<double>(high_bytes) /
           static_cast<double>(std::max<std::uint64_t>(low_bytes, 1));
  }
  bool operator==(const OpenBreak&) const = default;
};

// As near as sizes may come: the element, so many bytes, such a share of the size.
bool is_narrow(const design::AdaptivePlace& place, const OpenBreak& found) {
  const double nearest = std::max(
      {static_cast<double>(place.element_bytes), static_cast<double>(place.asked.separation_bytes),
       place.asked.separation_share * static_cast<double>(found.low_bytes)});
  return static_cast<double>(found.high_bytes - found.low_bytes) <= nearest;
}

// What fits say of all curves so far.
class Breaks {
 public:
  Breaks(const StudySoFar& so_far, const SizeRounds& rounds) : rounds_(rounds) {
    const design::Campaign& campaign = so_far.prepared.campaign;
    for (std::size_t curve = 0; curve < rounds.curves().size(); ++curve) {
      const stats::RefinedCurve& times = rounds.curves()[curve];
      const design::AdaptivePlace& place = rounds.places().at(times.place);
      const std::set<std::uint64_t> held_out =
          design::held_out_sizes(campaign, place.element_bytes);
      stats::SizeCurve fitted;
      std::ranges::copy_if(times.times, std::back_inserter(fitted), [&](const auto& size) {
        return !held_out.contains(static_cast<std::uint64_t>(std::llround(size.size)));
      });
      for (const analysis::SizeBreak& one :
           analysis::size_breaks(fitted, {.min_effect = campaign.analysis.min_effect,
                                         .step_ns = so_far.measured().clock_step_ns})) {
        add(curve,
            {.place = times.place, .low_bytes = one.last_bytes, .high_bytes = one.first_bytes},
            held_out);
      }
    }
    // The widest first: there is most to be learnt.
    std::ranges::stable_sort(open_, std::ranges::greater(), &OpenBreak::width);
  }

  // All of them, for the manifest.
  [[nodiscard]] const std::vector<analysis::ChosenJump>& all() const { return all_; }
  // Those that are wider than was asked, each once.
  [[nodiscard]] const std::vector<OpenBreak>& open() const { return open_; }

 private:
  void add(std::size_t curve, const OpenBreak& found, const std::set<std::uint64_t>& held_out) {
    all_.push_back({.cell = rounds_.cell_of(curve),
                    .arm = rounds_.arm_of(curve),
                    .low_bytes = found.low_bytes,
                    .high_bytes = found.high_bytes});
    const design::AdaptivePlace& place = rounds_.places().at(found.place);
    if (is_narrow(place, found) || std::ranges::find(open_, found) != open_.end()) return;
    // Sizes that were added there, and that no group has measured as yet.
    const bool awaited =
        std::ranges::any_of(rounds_.refined_places().at(found.place).sizes, [&](double size) {
          const auto bytes = static_cast<std::uint64_t>(std::llround(size));
          return bytes > found.low_bytes && bytes < found.high_bytes && !held_out.contains(bytes);
        });
    if (!awaited) open_.push_back(found);
  }

  const SizeRounds& rounds_;
  std::vector<analysis::ChosenJump> all_ = {};
  std::vector<OpenBreak> open_ = {};
};

// The sizes that a look adds.
class AddedAtBreaks {
 public:
  // `left`: groups that the campaign asks for and that are still to come.
  AddedAtBreaks(const StudySoFar& so_far, const SizeRounds& rounds,
                const std::vector<OpenBreak>& breaks, std::uint32_t left)
      : prepared_(so_far.prepared),
        costs_(analysis::group_costs(so_far.measured(), mean_group_s(so_far.state))) {
    if (so_far.budget_s) {
      spare_s_ = (*so_far.budget_s - so_far.spent.elapsed_s) / left - so_far.spent.group_s;
    }
    sizes_.resize(rounds.places().size());
    for (std::size_t place = 0; place < sizes_.size(); ++place) {
      for (const double size : rounds.refined_places()[place].sizes) {
        sizes_[place].push_back(static_cast<std::uint64_t>(std::llround(size)));
      }
    }
    for (const OpenBreak& one : breaks) add(rounds.places()[one.place], one);
  }

  [[nodiscard]] const std::vector<store::AddedCell>& cells() const { return cells_; }
  // What they add to a launch group.
  [[nodiscard]] double seconds() const { return added_s_; }
  // Intervals that the budget or the most sizes left as they are.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  [[nodiscard]] double cost_s(const std::vector<record::ArmCell>& alike) const {
    const design::Campaign& campaign = prepared_.campaign;
    return costs_.seconds(alike, campaign.rounds, {}, campaign.repetitions) - costs_.startup_s;
  }

  void add(const design::AdaptivePlace& place, const OpenBreak& one) {
    std::vector<std::uint64_t>& taken = sizes_[one.place];
    const std::uint64_t seed = prepared_.campaign.seed;
    std::vector<std::uint64_t> sizes =
        sizes_between(one.low_bytes, one.high_bytes, place.element_bytes, taken, seed);
    std::vector<store::AddedCell> cells;
    double more_s = 0;
    for (const std::uint64_t size_bytes : sizes) {
      CellBetween between = cell_between(
          prepared_, place, size_bytes,
          static_cast<std::uint32_t>(prepared_.cells.cells.size() + cells_.size() + cells.size()));
      if (between.added.arms.empty()) continue;
      more_s += cost_s(between.alike);
      cells.push_back(std::move(between.added));
    }
    if (cells.empty()) return;
    const bool room = taken.size() + cells.size() <= place.asked.most;
    if (!room || (spare_s_ && added_s_ + more_s > *spare_s_)) {
      ++left_out_;
      return;
    }
    added_s_ += more_s;
    taken.insert(taken.end(), sizes.begin(), sizes.end());
    cells_.insert(cells_.end(), cells.begin(), cells.end());
  }

  const Prepared& prepared_;
  analysis::GroupCosts costs_;
  std::optional<double> spare_s_ = {};                  // of a group; none: there is no budget
  std::vector<std::vector<std::uint64_t>> sizes_ = {};  // by place, also the new ones
  std::vector<store::AddedCell> cells_ = {};
  double added_s_ = 0;
  std::size_t left_out_ = 0;
};

std::string break_look_text(const StudySoFar& so_far, std::size_t groups, const Breaks& breaks,
                            const AddedAtBreaks& added) {
  std::string text = "sizes at breaks, after " + base::count_text(groups, "launch group") + ": " +
                     base::count_text(breaks.all().size(), "break") + " of fits, " +
                     std::to_string(breaks.open().size()) + " to be narrowed, ";
  text += added.cells().empty() ? std::string("no size added")
                                : "added " + added_sizes_text(added.cells());
  if (added.left_out() == 0) return text;
  text += " (not in " + base::count_text(added.left_out(), "interval");
  return text + (so_far.budget_s ? ": the budget and the most sizes allow no more)"
                                 : ": there are as many sizes as the campaign allows)");
}

Step look_at_breaks(const StudySoFar& so_far, const std::optional<SizeChoice>& before,
                    std::size_t groups, std::uint32_t left) {
  const SizeRounds rounds(so_far, before);
  const Breaks breaks(so_far, rounds);
  const AddedAtBreaks added(so_far, rounds, breaks.open(), left);
  const SizeChoice choice{.round = before ? before->round + 1 : 1,
                          .phase = SizePhase::kChoose,
                          .groups = groups,
                          .places = rounds.chosen_places(),
                          .jumps = breaks.all()};
  Step step;
  step.say = break_look_text(so_far, groups, breaks, added);
  store::DecidedLine line{.decision = std::string(analysis::kSizesDecision),
                          .why = step.say,
                          .added = added.cells(),
                          .fields = analysis::size_choice_text(choice)};
  if (!added.cells().empty()) {
    Prepared extended = so_far.prepared;
    add_cells(extended, line);
    step.plan = plan_after(extended, so_far.state, last_finished(so_far), {.groups = left});
    step.group_s = so_far.spent.group_s + added.seconds();
  }
  step.line = std::move(line);
  return step;
}

// The first power of two from `from_bytes` to `to_bytes` that tells something, and the next size
// behind it, as multiples of the element: both are between `low_bytes` and `high_bytes`, and new.
template <typename IsKnown>
std::vector<std::uint64_t> sizes_at_power(const design::RandomSizes& range, std::uint64_t low_bytes,
                                          std::uint64_t high_bytes, std::uint64_t element_bytes,
                                          IsKnown is_known) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t power = std::bit_ceil(std::max<std::uint64_t>(range.low_bytes, 1));
       power <= range.high_bytes && sizes.empty(); power *= 2) {
    const std::uint64_t last = power - power % element_bytes;
    for (const std::uint64_t size : {last, last + element_bytes}) {
      if (size > low_bytes && size < high_bytes && !is_known(size)) sizes.push_back(size);
    }
  }
  return sizes;
}

// From here on the plan stays as it is.
Step end_of_looks(const std::optional<SizeChoice>& before, std::size_t groups) {
  SizeChoice choice = before.value_or(SizeChoice{});
  choice.phase = SizePhase::kJudge;
  choice.groups = std::max<std::size_t>(groups, 1);
  Step step;
  step.say = "no launch groups are left in which further sizes would be measured " +
             std::to_string(design::kLeastGroupsOfSize) + " times";
  step.line = store::DecidedLine{.decision = std::string(analysis::kSizesDecision),
                                 .why = step.say,
                                 .fields = analysis::size_choice_text(choice)};
  return step;
}

}  // namespace

std::vector<std::uint64_t> sizes_between(std::uint64_t low_bytes, std::uint64_t high_bytes,
                                         std::uint64_t element_bytes,
                                         const std::vector<std::uint64_t>& taken,
                                         std::uint64_t seed) {
  const double low = std::max(static_cast<double>(low_bytes), 1.0);
  const auto high = static_cast<double>(high_bytes);
  // A product and a root are exact in IEEE 754, as in draw_sizes().
  const double middle = std::sqrt(low * high);
  const std::array<double, kQuarters + 1> ends{low, std::sqrt(low * middle), middle,
                                               std::sqrt(middle * high), high};
  base::Random random = base::Random::of({seed, design::kBreakStream, low_bytes, high_bytes});
  std::vector<std::uint64_t> sizes;
  const auto is_known = [&](std::uint64_t size) {
    return std::ranges::find(taken, size) != taken.end() ||
           std::ranges::find(sizes, size) != sizes.end();
  };
  for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
    // Behind the low end itself a limit may lie, too.
    const design::RandomSizes around{
        .low_bytes = quarter == 0 ? low_bytes : static_cast<std::uint64_t>(ends.at(quarter)),
        .high_bytes = std::min(high_bytes, static_cast<std::uint64_t>(ends.at(quarter + 1)))};
    const std::vector<std::uint64_t> limits =
        sizes_at_power(around, low_bytes, high_bytes, element_bytes, is_known);
    if (!limits.empty()) {
      sizes.insert(sizes.end(), limits.begin(), limits.end());
      continue;
    }
    const design::RandomSizes one{
        .low_bytes = std::max(low_bytes + 1, static_cast<std::uint64_t>(ends.at(quarter))),
        .high_bytes = std::min(high_bytes - 1, static_cast<std::uint64_t>(ends.at(quarter + 1)))};
    if (one.low_bytes > one.high_bytes) continue;
    for (const std::uint64_t size : design::draw_sizes(one, element_bytes, random)) {
      if (!is_known(size)) sizes.push_back(size);
    }
  }
  return sizes;
}

std::string break_sizes_text(const Prepared& prepared) {
  return "more are added where fits break (" + counted_sizes_text(prepared, "has") +
         "); every launch group counts";
}

Step decide_break_sizes(const StudySoFar& so_far, const std::optional<SizeChoice>& before) {
  const std::uint32_t planned = last_planned(so_far.state);
  const std::uint32_t done = last_finished(so_far);
  const std::size_t groups = usable_groups(so_far);
  const std::uint32_t left = planned > done ? planned - done : 0;
  if (left < design::kLeastGroupsOfSize) return end_of_looks(before, groups);
  const std::uint32_t turn = std::max(groups_of_turn(so_far.prepared), kLeastBetweenLooks);
  const std::size_t due = before ? before->groups + turn : std::size_t{kFirstTurns} * turn;
  if (groups < due) return {};
  return look_at_breaks(so_far, before, groups, left);
}

}  // namespace invar::driver
