#include "driver/sizes/size_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/study/pairs.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/select.hpp"
#include "analysis/study/study.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "driver/decide/batches.hpp"
#include "record/factors.hpp"

namespace invar::driver {
namespace {

stats::Refining refining_of(const design::AdaptivePlace& place) {
  stats::Refining how{.tolerance = place.asked.tolerance,
                      .element = static_cast<double>(place.element_bytes),
                      .separation = static_cast<double>(place.asked.separation_bytes),
                      .separation_share = place.asked.separation_share};
  switch (place.asked.rule) {
    case design::RefinementRule::kInvar:
      break;
    case design::RefinementRule::kSkampi:
      how.rule = stats::RefiningRule::kSkampi;
      break;
    case design::RefinementRule::kMpptest:
      how.rule = stats::RefiningRule::kMpptest;
      break;
    case design::RefinementRule::kBreaks:  // break_sizes.cpp
      break;
  }
  return how;
}

std::uint64_t bytes_of(double size) { return static_cast<std::uint64_t>(std::llround(size)); }

// One size of an arm: its times by group, and how many calls a timing has.
struct TimedSize {
  stats::SizeTimes times = {};
  std::uint32_t calls = 1;
};

TimedSize timed_size(const analysis::CellVisits& visits, const record::Cell& cell,
                     const std::vector<std::uint32_t>& groups) {
  TimedSize timed{.times = {.size = static_cast<double>(cell.size_bytes.value_or(0)),
                            .log_times = stats::ByGroup(groups.size())}};
  for (const analysis::LaunchVisits& launch : visits.launches) {
    const auto group = std::ranges::find(groups, launch.group);
    // 0: shorter than the clock can tell.
    if (group == groups.end() || !(launch.median_ns > 0)) continue;
    timed.times.log_times[static_cast<std::size_t>(group - groups.begin())] =
        std::log(launch.median_ns);
    for (const analysis::VisitSummary& visit : launch.visits) {
      timed.calls = std::max(timed.calls, visit.source->line.calls);
    }
  }
  return timed;
}

}  // namespace

CellBetween cell_between(const Prepared& prepared, const design::AdaptivePlace& place,
                         std::uint64_t size_bytes, std::uint32_t id) {
  const auto above = std::ranges::find_if(place.cells, [&](std::uint32_t cell) {
    return *prepared.cells.cells.at(cell).size_bytes > size_bytes;
  });
  const std::uint32_t below = *std::prev(above);
  CellBetween between{.added = {.cell = prepared.cells.cells.at(below)}};
  record::Cell& cell = between.added.cell;
  cell.id = id;
  cell.size_bytes = size_bytes;
  const record::OperationInfo& info = prepared.cells.operation(cell.operation);
  for (const record::Factor& factor : record::factors()) {
    const bool has = factor.applies == nullptr || factor.applies(info);
    if (factor.settle != nullptr && has) factor.settle(info, cell);
  }
  // Arms that lack a neighbour may lack this, too.
  const std::vector<std::uint32_t>& others = prepared.cells.arms.at(*above);
  for (const std::uint32_t arm : prepared.cells.arms.at(below)) {
    if (std::ranges::find(others, arm) == others.end()) continue;
    between.added.arms.push_back(prepared.campaign.arms.at(arm).label);
    between.alike.push_back({.cell = below, .arm = arm});
  }
  return between;
}

std::string added_sizes_text(const std::vector<store::AddedCell>& added) {
  constexpr std::size_t kMostListed = 4;
  std::vector<std::string> sizes;
  sizes.reserve(added.size());
  for (const store::AddedCell& one : added) {
    sizes.push_back(one.cell.operation + ' ' + base::size_text(*one.cell.size_bytes));
  }
  return base::first_items(sizes, kMostListed, ", ");
}

std::size_t usable_groups(const StudySoFar& so_far) {
  return static_cast<std::size_t>(
      std::ranges::count_if(so_far.state.groups, [&](const store::GroupOutcome& group) {
        return group.complete && follows_batches(so_far.prepared, so_far.state, group.group);
      }));
}

std::uint32_t last_finished(const StudySoFar& so_far) {
  return so_far.finished.empty() ? 0 : *so_far.finished.rbegin();
}

std::vector<std::uint32_t> groups_that_chose_sizes(const store::State& state) {
  std::set<std::uint32_t> groups;
  for (const store::DecidedLine& line : state.decided) {
    if (line.decision != analysis::kSizesDecision) continue;
    for (const store::NotJudging& some : line.not_judging) {
      groups.insert(some.groups.begin(), some.groups.end());
    }
  }
  return {groups.begin(), groups.end()};
}

SizeRounds::SizeRounds(const StudySoFar& so_far, const std::optional<analysis::SizeChoice>& before)
    : so_far_(so_far),
      before_(before),
      places_(design::adaptive_places(so_far.prepared.campaign, so_far.prepared.cells)) {
  for (const design::AdaptivePlace& place : places_) {
    stats::RefinedPlace& refined = refined_.emplace_back();
    refined.how = refining_of(place);
    for (const std::uint32_t cell : place.cells) {
      refined.sizes.push_back(
          static_cast<double>(*so_far.prepared.cells.cells.at(cell).size_bytes));
    }
    refined.room = place.asked.most - std::min<std::size_t>(place.asked.most, place.cells.size());
  }
  // Groups that chose before are looked at once more: no decision keeps them from choosing.
  store::Data data = so_far.measured();
  data.decided.clear();
  const std::vector<std::uint32_t> known = groups_that_chose_sizes(so_far.state);
  const auto is_known = [&](const store::Group& group) {
    return std::ranges::binary_search(known, group.group);
  };
  const auto first_new = static_cast<std::size_t>(std::ranges::count_if(data.groups, is_known));
  new_groups_ = data.groups.size() - first_new;
  add_curves(data, first_new);
}

void SizeRounds::add_curves(const store::Data& data, std::size_t first_new) {
  const design::Campaign& campaign = so_far_.prepared.campaign;
  const analysis::Study study(data, campaign, analysis::make_rules(campaign, {}));
  analysis::CellTable table =
      analysis::sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
  analysis::drop_failed_cells(data, table);
  // Known ones first: a group that failed, and was measured again later, is new then.
  std::vector<std::uint32_t> groups;
  for (const store::Group& group : data.groups) groups.push_back(group.group);
  const std::vector<std::uint32_t> known = groups_that_chose_sizes(so_far_.state);
  std::stable_partition(groups.begin(), groups.end(), [&](std::uint32_t group) {
    return std::ranges::binary_search(known, group);
  });
  for (std::size_t place = 0; place < places_.size(); ++place) {
    for (std::size_t arm = 0; arm < data.arms.size(); ++arm) {
      std::optional<std::uint32_t> calls;
      for (const std::uint32_t cell : places_[place].cells) {
        // One that was added by a line whose groups all failed is in no data.
        if (cell >= table.size() || table[cell][arm].empty()) continue;
        TimedSize timed = timed_size(table[cell][arm], data.cells[cell], groups);
        if (!calls || *calls != timed.calls) {
          curves_.push_back({.place = place, .times = {}, .first_new_group = first_new});
          arms_.push_back(data.arms[arm].label);
          calls = timed.calls;
        }
        curves_.back().times.push_back(std::move(timed.times));
      }
    }
  }
}

std::uint32_t SizeRounds::cell_of(std::size_t curve) const {
  return places_.at(curves_.at(curve).place).cells.front();
}

std::vector<stats::SizeBracket> SizeRounds::jumps_before() const {
  std::vector<stats::SizeBracket> found;
  if (!before_) return found;
  for (const analysis::ChosenJump& jump : before_->jumps) {
    const auto low = static_cast<double>(jump.low_bytes);
    const auto high = static_cast<double>(jump.high_bytes);
    for (std::size_t curve = 0; curve < curves_.size(); ++curve) {
      const auto has = [&](double size) {
        return std::ranges::find(curves_[curve].times, size, &stats::SizeTimes::size) !=
               curves_[curve].times.end();
      };
      if (cell_of(curve) != jump.cell || arms_[curve] != jump.arm) continue;
      if (has(low) && has(high)) found.push_back({.curve = curve, .low = low, .high = high});
    }
  }
  return found;
}

std::vector<analysis::ChosenPlace> SizeRounds::chosen_places() const {
  std::vector<analysis::ChosenPlace> all;
  for (const design::AdaptivePlace& place : places_) {
    all.push_back({.cell = place.cells.front(), .tolerance = place.asked.tolerance});
  }
  return all;
}

std::vector<analysis::SizeCandidate> SizeRounds::candidates(
    const stats::RefinedRound& round) const {
  std::vector<analysis::SizeCandidate> all;
  for (const stats::Middle& middle : round.middles) {
    all.push_back({.cell = cell_of(middle.curve),
                   .arm = arm_of(middle.curve),
                   .low_bytes = bytes_of(middle.low),
                   .middle_bytes = bytes_of(middle.middle),
                   .high_bytes = bytes_of(middle.high),
                   .groups = middle.groups,
                   .deviation = std::expm1(middle.deviation),
                   .p = middle.p,
                   .p_adjusted = middle.p_adjusted,
                   .beyond = middle.state == stats::MiddleState::kBeyond});
  }
  return all;
}

std::vector<analysis::ChosenJump> SizeRounds::jumps(
    const std::vector<stats::SizeBracket>& brackets) const {
  std::vector<analysis::ChosenJump> all;
  all.reserve(brackets.size());
  for (const stats::SizeBracket& bracket : brackets) {
    all.push_back({.cell = cell_of(bracket.curve),
                   .arm = arm_of(bracket.curve),
                   .low_bytes = bytes_of(bracket.low),
                   .high_bytes = bytes_of(bracket.high)});
  }
  return all;
}

std::vector<analysis::ChosenBend> SizeRounds::bends(const stats::RefinedRound& round) const {
  std::vector<analysis::ChosenBend> all;
  if (before_) all = before_->bends;
  for (const stats::SizeBend& bend : round.bends) {
    const analysis::ChosenBend one{.cell = cell_of(bend.curve),
                                   .arm = arm_of(bend.curve),
                                   .low_bytes = bytes_of(bend.low),
                                   .middle_bytes = bytes_of(bend.middle),
                                   .high_bytes = bytes_of(bend.high)};
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  }
  return all;
}

}  // namespace invar::driver
