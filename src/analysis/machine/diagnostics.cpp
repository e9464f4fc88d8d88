#include "analysis/machine/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "analysis/metadata/metadata.hpp"
#include "analysis/study/batches.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "record/synchronisation.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

// Shares and factors above which a warning is given.
constexpr double kLateShare = 0.05;
constexpr double kMostlyOneRank = 0.5;
constexpr double kInterruptedShare = 0.05;
// A queue of cache lines makes single canaries long; a core's clock is all there is to a chain.
constexpr double kCanaryFactor = 1.5;
constexpr double kChainFactor = 1.2;
constexpr double kStepShare = 0.05;
constexpr double kRateChangePpm = 1;
constexpr double kUncertainShare = 0.02;
constexpr std::size_t kMostCellsListed = 3;

using Words = std::vector<std::string>;

// How warnings about visits call the cells that these are of.
record::CellTexts cell_texts(const store::Data& data) {
  return record::CellTexts(measured_cells(data));
}

std::string shortened(const Words& items) {
  return base::first_items(items, kMostCellsListed, "; ");
}

void warn_of_damage(const store::Data& data, std::vector<Warning>& warnings) {
  if (data.damage.empty()) return;
  Words faults;
  for (const store::DataFault& fault : data.damage)
    faults.push_back(fault.place + ": " + fault.what);
  warnings.emplace_back("damaged data, their launch groups are left out: " + shortened(faults) +
                            " (" + resume_command(data) + " measures them again)",
                        Gravity::kDoubt);
}

void warn_of_failures(const store::Data& data, std::vector<Warning>& warnings) {
  std::map<std::string, Words> by_arm;
  const record::CellTexts text = cell_texts(data);
  for (const store::FailedCell& failed : data.failed_cells) {
    by_arm[failed.arm].push_back(text(data.cells.at(cell_index(data, failed.cell))) + ": " +
                                 failed.reason);
  }
  for (const auto& [arm, cells] : by_arm) {
    warnings.emplace_back(count_text(cells.size(), "cell") + " of " + arm +
                              " failed and is not compared: " + shortened(cells),
                          Gravity::kDoubt);
  }
  std::map<std::string, Words> missed;
  for (const store::Missed& run : data.missed) {
    missed[data.arms[run.arm].label].push_back(text(data.cells.at(cell_index(data, run.cell))) +
                                               ": " + run.reason);
  }
  for (const auto& [arm, runs] : missed) {
    warnings.emplace_back(count_text(runs.size(), "run") + " of " + arm + " gave no time and " +
                              (runs.size() == 1 ? "is" : "are") + " missing, which favours " + arm +
                              " if slow runs are the ones that fail: " + shortened(runs),
                          Gravity::kDoubt);
  }
  for (const store::DroppedArm& dropped : data.dropped_arms) {
    warnings.emplace_back(dropped.arm + " was dropped from later groups: " + dropped.reason,
                          Gravity::kDoubt);
  }
  if (data.failed_groups.empty()) return;
  Words reasons;
  for (const store::GroupOutcome& group : data.failed_groups) {
    reasons.push_back("group " + std::to_string(group.group) + ": " + group.reason);
  }
  warnings.emplace_back(count_text(reasons.size(), "launch group") + " failed: " +
                            shortened(reasons) + " (" + resume_command(data) + " tries again)",
                        Gravity::kDoubt);
}

void warn_if_unfinished(const store::Data& data, std::vector<Warning>& warnings) {
  if (data.ended) return;
  std::string text =
      "the campaign is unfinished: " + count_text(data.groups.size(), "launch group");
  if (data.planned_groups) text += " of " + std::to_string(*data.planned_groups);
  warnings.emplace_back(text + " measured (" + resume_command(data) + " goes on)");
}

// What VisitLine::late_ranks tells of a rank.
enum class ToldOfRank : std::size_t { kLate = 1, kLost = 2 };

// " (rank 17 in 62 % of them)", of the `all` repetitions of an arm in which some rank was late, or
// in which some rank lost its processor: one rank was, or did, in more than half of them. Empty:
// there is none.
std::string worst_rank_words(const store::Data& data, std::uint32_t arm, ToldOfRank what,
                             std::uint64_t all) {
  constexpr std::size_t kNumbers = 3;  // rank, late, lost
  std::map<std::int64_t, std::int64_t> times;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      for (const store::Visit& visit : launch.visits) {
        const std::vector<std::int64_t>& told = visit.line.late_ranks;
        for (std::size_t i = 0; launch.arm == arm && i + kNumbers <= told.size(); i += kNumbers) {
          times[told[i]] += told[i + static_cast<std::size_t>(what)];
        }
      }
    }
  }
  if (times.empty() || all == 0) return {};
  const auto worst = std::max_element(
      times.begin(), times.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  const double share = static_cast<double>(worst->second) / static_cast<double>(all);
  if (share <= kMostlyOneRank) return {};
  const std::string percent = percent_text(std::min(share, 1.0));
  const std::string rank = std::to_string(worst->first);
  if (what == ToldOfRank::kLate) return " (rank " + rank + " in " + percent + " of them)";
  return " (rank " + rank + " in " + percent + " of those in which one did)";
}

void warn_of_repetitions(const store::Data& data, const Rules& rules, const Summaries& summaries,
                         std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  for (const std::uint32_t arm : arms) {
    const Tally& tally = summaries.arms[arm];
    const std::string& label = data.arms[arm].label;
    const auto measured = static_cast<double>(tally.kept + tally.late + tally.apart);
    if (measured > 0 && static_cast<double>(tally.late) / measured > kLateShare) {
      warnings.emplace_back(
          percent_text(static_cast<double>(tally.late) / measured) + " of the repetitions of " +
              label +
              (rules.window_s
                   ? " started late or took longer than their window, and were repeated"
                   : " started late and were repeated: something else uses these cores") +
              worst_rank_words(data, arm, ToldOfRank::kLate, tally.late),
          Gravity::kBorne);
    }
    if (measured > 0 && static_cast<double>(tally.apart) / measured > kLateShare) {
      warnings.emplace_back(
          percent_text(static_cast<double>(tally.apart) / measured) + " of the repetitions of " +
              label +
              " were left out and repeated: a rank lost its processor when they began, and started "
              "too much later" +
              worst_rank_words(data, arm, ToldOfRank::kLost, tally.apart + tally.lost),
          Gravity::kBorne);
    }
    const double kept = static_cast<double>(std::max<std::uint64_t>(tally.kept, 1));
    if (static_cast<double>(tally.interrupted) / kept > kInterruptedShare) {
      warnings.emplace_back(percent_text(static_cast<double>(tally.interrupted) / kept) +
                                " of the repetitions of " + label +
                                " were interrupted for more than 1 us (they are kept; invar doctor "
                                "looks for the reason)",
                            Gravity::kBorne);
    }
    if (tally.capped_visits > 0) {
      warnings.emplace_back(count_text(tally.capped_visits, "visit") + " of " + label +
                            (tally.capped_visits == 1 ? " holds" : " hold") +
                            " fewer repetitions than planned: too many started late or took "
                            "too long, and were repeated");
    }
    if (tally.global_invalid > 0) {
      warnings.emplace_back(
          count_text(tally.global_invalid, "repetition") + " of " + label +
              " left out: their time from the first start to the last end is not valid",
          Gravity::kBorne);
    }
    if (tally.without_point > 0) {
      warnings.emplace_back(count_text(tally.without_point, "repetition") + " of " + label +
                            " left out: no rank came by both points of the time");
    }
  }
  if (summaries.global_refused) {
    warnings.emplace_back(
        "in some cells no time from the first start to the last end is valid: all times here are "
        "of the rank that took longest");
  }
  if (!summaries.local_cells.empty()) {
    const Words cells = local_cell_texts(data, summaries);
    warnings.emplace_back("most times from the first start to the last end are not valid in " +
                          shortened(cells) +
                          ": the times there are of the rank that took longest, in other cells "
                          "they are not");
  }
  const bool could_be_global = summaries.global_refused || !summaries.local_cells.empty();
  if (could_be_global && std::ranges::any_of(summaries.visits, states_no_error)) {
    warnings.emplace_back(
        "clocks were synchronised by an algorithm that states no error: times from the first start "
        "to the last end count only with runtime \"global\"",
        Gravity::kNote);
  }
}

bool looked_at(std::span<const std::uint32_t> arms, std::uint32_t arm) {
  return std::ranges::find(arms, arm) != arms.end();
}

void warn_of_empty_visits(const store::Data& data, const Rules& rules, const Summaries& summaries,
                          std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  const record::CellTexts text = cell_texts(data);
  for (const EmptyVisits& empty : summaries.empty) {
    if (!looked_at(arms, empty.arm)) continue;
    warnings.emplace_back(
        count_text(empty.visits, "visit") + " of " + data.arms[empty.arm].label + " to " +
        text(data.cells[empty.cell]) + " without a valid repetition" +
        (rules.window_s && record::synchronisation(data.cells[empty.cell].sync).has_windows
             ? ": windows of " + base::duration_text(*rules.window_s * 1e9) +
                   " are too short for it (window in [engine]; without it they adapt)"
             : ""));
  }
}

// Means over visits, one a launch: launches are the unit here as well.
void warn_of_burn_in(const store::Data& data, const Rules& rules, const Summaries& summaries,
                     std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::vector<double>>>
      rests;
  for (const VisitSummary& visit : summaries.visits) {
    if (visit.burn_in_log && looked_at(arms, visit.arm)) {
      rests[{visit.arm, visit.cell}][visit.launch].push_back(*visit.burn_in_log);
    }
  }
  std::size_t found = 0;
  double most = 0;
  std::pair<std::uint32_t, std::uint32_t> where;
  for (const auto& [place, launches] : rests) {
    std::vector<double> means;
    for (const auto& [launch, values] : launches) means.push_back(stats::mean(values));
    const std::optional<stats::TTest> test = stats::t_test(means);
    if (!test) continue;
    const bool shown = test->p <= rules.decision.alpha / static_cast<double>(rests.size());
    if (!shown || test->estimate <= std::log1p(rules.decision.min_effect)) continue;
    ++found;
    if (test->estimate > most) {
      most = test->estimate;
      where = place;
    }
  }
  if (found == 0) return;
  const std::string cell = cell_texts(data)(data.cells[where.second]);
  const std::string of_arm = arms.size() > 1 ? data.arms[where.first].label + ", " : "";
  warnings.emplace_back(
      "visits begin slower than they end in " + std::to_string(found) + " of " +
      count_text(rests.size(), "cell") + (arms.size() > 1 ? " of all arms, by " : ", by ") +
      percent_text(std::expm1(most)) + (found == 1 ? " (" : " at most (") + of_arm + cell +
      "; first third against the last): warm-ups were too few, and times there are too long by "
      "a part of that; more repetitions a visit make it weigh less");
}

// Warns where canaries of this kind changed between visits. `told_apart`: they tell regimes apart,
// and the answer is of one regime.
void warn_of_canary(base::CanaryKind kind, const Summaries& summaries,
                    std::span<const std::uint32_t> arms, bool told_apart,
                    std::vector<Warning>& warnings) {
  std::vector<double> canaries;
  for (const VisitSummary& visit : summaries.visits) {
    const std::optional<double> canary_ns = visit.canary(kind);
    if (canary_ns && looked_at(arms, visit.arm)) canaries.push_back(*canary_ns);
  }
  if (canaries.empty()) return;
  const double low = stats::quantile_in_place(canaries, 0.05);
  const double high = stats::quantile_in_place(canaries, 0.95);
  const double factor = kind == base::CanaryKind::kChain ? kChainFactor : kCanaryFactor;
  if (!(low > 0) || high / low <= factor) return;
  const std::string what = kind == base::CanaryKind::kChain
                               ? "a chain of multiplications, which follows the core's clock,"
                               : "the " + std::string(base::canary_name(kind));
  warnings.emplace_back("the machine itself changed between visits: " + what + " moved from " +
                            base::duration_text(low) + " to " + base::duration_text(high) +
                            " (5th and 95th percentile of the visits)" +
                            (told_apart ? "" : ", absolute times mix both"),
                        Gravity::kBorne);
}

// A clock's step averages out, what a program prints does not: that matters from the smallest
// effect on that is asked for.
void warn_of_clock(const store::Data& data, const Rules& rules, const Summaries& summaries,
                   std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  double worst = 0;
  const VisitSummary* where = nullptr;
  for (const VisitSummary& visit : summaries.visits) {
    if (!looked_at(arms, visit.arm) || visit.step_ns == 0) continue;
    const double share = visit.step_ns / std::max(visit.median_ns, visit.step_ns * 1e-3);
    const double tolerable =
        is_printed(visit) ? std::min(kStepShare, rules.decision.min_effect) : kStepShare;
    if (share > tolerable && share > worst) {
      worst = share;
      where = &visit;
    }
  }
  if (where == nullptr) return;
  const record::CellTexts text = cell_texts(data);
  if (where->source->program) {
    // The step is that of the number that the program prints. If it was converted, the warning
    // names the converted one.
    const std::string name =
        where->converted.empty() ? std::string() : " ('" + where->time_name() + "')";
    warnings.emplace_back(data.arms[where->arm].label + " prints " + text(data.cells[where->cell]) +
                          " in steps of " + base::duration_text(where->step_ns) + name + ", " +
                          percent_text(worst) +
                          " of the time: no verdict rests on a smaller difference");
    return;
  }
  warnings.emplace_back(
      where->median_ns < where->step_ns
          ? text(data.cells[where->cell]) + " is shorter than the clock's step of " +
                base::duration_text(where->step_ns)
          : "the clock's step of " + base::duration_text(where->step_ns) + " is " +
                percent_text(worst) + " of the time of " + text(data.cells[where->cell]));
}

// Clocks were synchronised by a method that does not say how well it did.
void warn_of_unstated_error(const store::Data& data, const Summaries& summaries,
                            std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  std::set<std::uint32_t> concerned;
  for (const VisitSummary& visit : summaries.visits) {
    const bool common = visit.time ? visit.time->needs_common_time() : summaries.global;
    if (!common || !looked_at(arms, visit.arm) || concerned.contains(visit.arm)) continue;
    if (states_no_error(visit)) concerned.insert(visit.arm);
  }
  if (concerned.empty()) return;
  Words labels;
  for (const std::uint32_t arm : concerned) labels.push_back("'" + data.arms[arm].label + "'");
  warnings.emplace_back(
      "clocks were synchronised by an algorithm that states no error, so that nobody knows how far "
      "global times are off: " +
          shortened(labels),
      Gravity::kDoubt);
}

// Global times were asked for where the analysis would have taken local ones.
void warn_of_uncertain_times(const store::Data& data, const Summaries& summaries,
                             std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  std::set<std::uint32_t> concerned;
  for (const ArmAndCell& place : summaries.uncertain) {
    if (looked_at(arms, place.arm)) concerned.insert(place.cell);
  }
  if (concerned.empty()) return;
  const record::CellTexts text = cell_texts(data);
  Words cells;
  for (const std::uint32_t cell : concerned) cells.push_back(text(data.cells[cell]));
  warnings.emplace_back(
      "global times may be off by more than 2 % of them, by what the clocks' synchronisation "
      "states: " +
          shortened(cells),
      Gravity::kDoubt);
}

// Times from one rank to another contain how far their clocks are apart, which is known up to a
// bound. Whole calls do as well, but there it is the small part.
void warn_of_common_clock(const store::Data& data, const Summaries& summaries,
                          std::span<const std::uint32_t> arms, std::vector<Warning>& warnings) {
  double worst = kUncertainShare;
  const VisitSummary* where = nullptr;
  for (const VisitSummary& visit : summaries.visits) {
    if (!looked_at(arms, visit.arm) || !visit.time || !visit.time->needs_common_time()) continue;
    if (states_no_error(visit)) continue;
    const double share = clocks_apart_ns(visit) / std::max(visit.median_ns, 1e-3);
    if (share > worst) {
      worst = share;
      where = &visit;
    }
  }
  if (where == nullptr) return;
  const std::string much = worst < 1 ? "up to " + percent_text(worst) : "all";
  warnings.emplace_back("'" + where->time->name + "' goes from one rank to another, whose clocks " +
                        "agree up to " + base::duration_text(clocks_apart_ns(*where)) + ": " +
                        much + " of it may be that (" + cell_texts(data)(data.cells[where->cell]) +
                        ")");
}

// A clock that keeps its rate changes by less than bracketed reads can tell (0.1 ppm over 200 ms).
void warn_of_rate(const store::Data& data, std::span<const std::uint32_t> arms,
                  std::vector<Warning>& warnings) {
  const store::Launch* worst = nullptr;
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (!looked_at(arms, launch.arm) || launch.rate_change_ppm <= kRateChangePpm) continue;
      if (worst == nullptr || launch.rate_change_ppm > worst->rate_change_ppm) worst = &launch;
    }
  }
  if (worst == nullptr) return;
  char ppm[32];
  std::snprintf(ppm, sizeof ppm, "%.3g", worst->rate_change_ppm);
  warnings.emplace_back(std::string("the clock's rate against the kernel's changed by up to ") +
                        ppm + " ppm within a launch (launch " + std::to_string(worst->launch) +
                        ", " + data.arms[worst->arm].label + "): it is not a steady clock");
}

// What programs print in their own terms is our call's time only after that.
void tell_conversions(const store::Data& data, std::span<const std::uint32_t> arms,
                      std::vector<Warning>& warnings) {
  std::map<std::pair<std::uint32_t, std::string>, Words> cells;  // by arm and what was done
  const record::CellTexts text = cell_texts(data);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (!looked_at(arms, launch.arm)) continue;
      for (const auto& [cell, how] : launch.converted) {
        Words& seen = cells[{launch.arm, how}];
        std::string words = text(data.cells.at(cell_index(data, cell)));
        if (std::ranges::find(seen, words) == seen.end()) seen.push_back(std::move(words));
      }
    }
  }
  for (const auto& [place, seen] : cells) {
    warnings.emplace_back("what " + data.arms[place.first].label +
                              " prints is converted to the time of a call (" + place.second +
                              "): " + shortened(seen),
                          Gravity::kNote);
  }
}

// "'a' and 'b'"
std::string quoted_labels(Words labels) {
  for (std::string& label : labels) label = "'" + label + "'";
  return list_text(labels);
}

// Settings of which nobody tells whether the library took them. One that all arms have makes no
// difference between them; any other may be what an arm is thought to be.
void warn_of_settings(const store::Data& data, std::span<const std::uint32_t> arms,
                      std::vector<Warning>& warnings) {
  constexpr std::size_t kNamed = 3;
  std::map<std::string, Words> labels;  // by setting
  for (const std::uint32_t number : arms) {
    const store::ArmRecord& arm = data.arms[number];
    for (std::size_t i = 0; i < arm.settings.size() && i < arm.settings_checked.size(); ++i) {
      const std::string& checked = arm.settings_checked[i];
      if (checked != "unverified" && checked != "passed on") continue;
      labels[arm.settings[i].first + "=" + arm.settings[i].second].push_back(arm.label);
    }
  }
  Words of_some;
  Words of_all;
  for (const auto& [setting, owners] : labels) {
    const bool all = owners.size() == arms.size() && owners.size() > 1;
    Words& words = all ? of_all : of_some;
    words.push_back(setting + " of " + (all ? "all arms" : quoted_labels(owners)));
  }
  const auto add = [&](const Words& words, Gravity gravity) {
    if (words.empty()) return;
    warnings.emplace_back("nothing tells whether the library took " +
                              base::first_items(words, kNamed, ", ", "setting"),
                          gravity);
  };
  add(of_some, Gravity::kDoubt);
  add(of_all, Gravity::kNote);
}

}  // namespace

void warn_of_untold_times(const store::Data& data, const Summaries& summaries,
                          std::span<const UntoldVisits> untold, std::span<const std::uint32_t> arms,
                          std::vector<Warning>& warnings) {
  const bool named = summaries.time.kind == TimeChoice::Kind::kNamed;
  const std::string without =
      ", without " +
      (named ? "the time '" + summaries.time.name + "'" : std::string("the headline time")) + ": ";
  std::set<std::pair<std::uint32_t, std::uint32_t>> told;
  for (const VisitSummary& visit : summaries.visits) told.emplace(visit.arm, visit.cell);
  const record::CellTexts text = cell_texts(data);
  std::map<std::pair<std::uint32_t, std::string>, Words> cells;
  Words visits;
  for (const UntoldVisits& one : untold) {
    if (!looked_at(arms, one.arm)) continue;
    std::string cell = text(data.cells[one.cell]);
    if (told.contains({one.arm, one.cell})) {
      visits.push_back(count_text(one.visits, "visit") + " of " + data.arms[one.arm].label +
                       " to " + cell + " left out" + (named ? without : ": ") + one.why);
      continue;
    }
    Words& left_out = cells[{one.arm, one.why}];
    if (std::ranges::find(left_out, cell) == left_out.end()) left_out.push_back(std::move(cell));
  }
  for (const auto& [place, left_out] : cells) {
    warnings.emplace_back(count_text(left_out.size(), "cell") + " of " +
                              data.arms[place.first].label + " left out (" + shortened(left_out) +
                              ")" + without + place.second,
                          named ? Gravity::kNote : Gravity::kDoubt);
  }
  for (std::string& words : visits) warnings.emplace_back(std::move(words), Gravity::kNote);
}

std::vector<Warning> clock_warnings(const store::Data& data, const Summaries& summaries,
                                    std::span<const std::uint32_t> arms) {
  std::vector<Warning> warnings;
  warn_of_unstated_error(data, summaries, arms, warnings);
  warn_of_uncertain_times(data, summaries, arms, warnings);
  return warnings;
}

std::vector<Warning> data_warnings(const store::Data& data, const Rules& rules,
                                   const Summaries& summaries, std::span<const std::uint32_t> arms,
                                   std::optional<base::CanaryKind> split_by) {
  std::vector<Warning> warnings;
  warn_of_damage(data, warnings);
  warn_of_failures(data, warnings);
  warn_if_unfinished(data, warnings);
  for (const store::WarningLine& noted : data.warnings) {
    warnings.emplace_back(noted.text, noted.borne ? Gravity::kBorne : Gravity::kNote);
    if (noted.left_open) warnings.back().left_open = noted.left_open->reason;
  }
  if (std::optional<std::string> transport = transport_warning(data)) {
    warnings.emplace_back(std::move(*transport), Gravity::kDoubt);
  }
  if (std::optional<std::string> hosts = hosts_warning(data)) {
    warnings.emplace_back(std::move(*hosts), Gravity::kDoubt);
  }
  warn_of_settings(data, arms, warnings);
  tell_conversions(data, arms, warnings);
  for (auto& warning : Batches(data).warnings(data)) warnings.emplace_back(std::move(warning));
  warn_of_untold_times(data, summaries, summaries.untold, arms, warnings);
  warn_of_empty_visits(data, rules, summaries, arms, warnings);
  warn_of_repetitions(data, rules, summaries, arms, warnings);
  warn_of_burn_in(data, rules, summaries, arms, warnings);
  for (const base::CanaryKind kind : base::kCanaryKinds) {
    warn_of_canary(kind, summaries, arms, kind == split_by, warnings);
  }
  warn_of_clock(data, rules, summaries, arms, warnings);
  warn_of_common_clock(data, summaries, arms, warnings);
  for (Warning& warning : clock_warnings(data, summaries, arms)) {
    warnings.push_back(std::move(warning));
  }
  warn_of_rate(data, arms, warnings);
  return warnings;
}

}  // namespace invar::analysis
