#include "analysis/questions/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "analysis/compare/contest.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/reference.hpp"
#include "analysis/study/pairs.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/words.hpp"
#include "stats/describe/quantile.hpp"
#include "stats/test/binomial.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

// Launch groups a table: few, and as many as a difference of 5 % should need.
constexpr std::size_t kTableGroups[] = {5, 8, 12, 30};
constexpr std::size_t kFewestTables = 2;
constexpr std::size_t kMostPartial = 10;  // one group in so many may be left out
constexpr double kPlainlySlower = 0.2;    // such a delay must be found in most cases
constexpr double kDelayTolerance = 0.1;
// What a short test is: one in which a method that is wrong in more than a quarter of its tables
// could have passed with a probability of 5 %.
constexpr double kSurely = 0.95;
constexpr double kWellBelow = 0.25;

constexpr std::array<std::uint32_t, 2> kBothArms{0, 1};

// Two arms of a cell; two cells of an arm.
enum class KindOfPair { kArms, kCells };

// Cells that differ in nothing but the delay: [0] has none, the others ascend.
using TestFamily = std::vector<std::uint32_t>;

std::vector<TestFamily> families_of(const std::vector<record::Cell>& cells) {
  std::vector<TestFamily> families;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (cells[i].delay_ns != 0) continue;
    TestFamily family{i};
    for (std::uint32_t k = 0; k < cells.size(); ++k) {
      record::Cell other = cells[k];
      other.delay_ns = 0;
      if (k != i && other.same_levels(cells[i])) family.push_back(k);
    }
    std::ranges::sort(family, {}, [&](std::uint32_t k) { return cells[k].delay_ns; });
    families.push_back(std::move(family));
  }
  return families;
}

// The reference regime, where it leaves groups enough for a judgement of it alone.
std::optional<base::CanaryBand> judged_band(const Study& study) {
  const std::optional<base::CanaryBand> band = reference_band_of(study);
  const store::Data& data = study.data();
  const CellTable table =
      sort_visits(study.summaries().visits, data.cells.size(), data.arms.size());
  const std::size_t left = groups_that_count(table, band).size();
  return left < kFewestTables * kTableGroups[0] ? std::nullopt : band;
}

class Judge {
 public:
  explicit Judge(const Study& study)
      : data_(study.data()),
        rules_(study.rules()),
        summaries_(study.summaries()),
        contest_(contest_of(data_,
                            sort_visits(summaries_.visits, data_.cells.size(), data_.arms.size()),
                            kBothArms, judged_band(study))),
        families_(families_of(data_.cells)) {
    leave_out_partial_groups();
    left_out_ =
        std::erase_if(families_, [this](const TestFamily& family) { return !is_whole(family); });
  }

  [[nodiscard]] bool judges() const { return !families_.empty(); }

  // Only where it judges.
  SelfTest run() {
    SelfTest result;
    result.groups = groups_;
    for (const TestFamily& family : families_) result.cells.push_back(cell_of(family));
    const std::size_t levels = families_.front().size() - 1;
    for (std::size_t level = 0; level < levels; ++level) {
      std::vector<double> effects;
      for (const SelfTestCell& cell : result.cells) effects.push_back(cell.effects[level]);
      result.effects.push_back(stats::median(effects));
    }
    for (const KindOfPair kind : {KindOfPair::kArms, KindOfPair::kCells}) {
      for (const std::size_t groups : kTableGroups) {
        if (result.groups < kFewestTables * groups) continue;
        result.tables.push_back(judge(kind, groups, levels));
      }
    }
    result.raw_welch_share = raw_welch_share();
    result.warnings = data_warnings(data_, rules_, summaries_, kBothArms, contest_.split_by());
    if (groups_ < data_.groups.size()) {
      result.warnings.emplace_back(
          count_text(data_.groups.size() - groups_, "launch group") +
          " without all visits left out (a pilot, after which cells are timed in batches, is one)");
    }
    std::size_t left_out = left_out_;
    for (const SelfTestTables& tables : result.tables) {
      left_out = std::max(left_out, left_out_ + tables.left_out);
    }
    if (left_out > 0) {
      result.warnings.emplace_back(count_text(left_out, "cell") +
                                   " not measured in every launch group and in no table");
    }
    result.alpha = rules_.decision.alpha;
    result.min_effect = rules_.decision.min_effect;
    result.arm = compared_arms(data_, kBothArms).front();
    result.arm.label = result.arm.library;
    result.scope = scope_text(data_, result.groups == 1);
    result.dir = data_.dir;
    for (const store::Group& group : data_.groups) {
      for (const store::Launch& launch : group.launches) {
        if (std::abs(launch.delay_check - 1) > std::abs(result.delay_check - 1)) {
          result.delay_check = launch.delay_check;
        }
      }
    }
    return result;
  }

 private:
  // Groups that lack a visit, such as the pilot of cells that were then timed in batches, if they
  // are few; else their cells are left out.
  void leave_out_partial_groups() {
    const std::size_t most = longest();
    std::map<std::uint32_t, std::size_t> places;
    std::size_t all = 0;
    for (const TestFamily& family : families_) {
      if (family.size() != most) continue;
      for (const std::uint32_t cell : family) {
        for (const std::uint32_t arm : kBothArms) {
          ++all;
          for (const LaunchVisits& launch : visits(cell, arm).launches) ++places[launch.group];
        }
      }
    }
    std::set<std::uint32_t> partial;
    for (const store::Group& group : data_.groups) {
      if (places[group.group] < all) partial.insert(group.group);
    }
    // Groups in another regime of the machine may be many.
    if (!contest_.is_split() && kMostPartial * partial.size() > data_.groups.size()) {
      partial.clear();
    }
    groups_ = data_.groups.size() - partial.size();
    for (std::vector<CellVisits>& row : contest_.times.front().table) {
      for (CellVisits& visits : row) {
        std::erase_if(visits.launches,
                      [&](const LaunchVisits& launch) { return partial.contains(launch.group); });
      }
    }
  }

  [[nodiscard]] const CellVisits& visits(std::uint32_t cell, std::uint32_t arm) const {
    return visits_of(contest_, {.cell = cell, .arm = arm});
  }
  [[nodiscard]] std::size_t most_groups() const {
    std::size_t most = kTableGroups[0];
    for (const std::size_t groups : kTableGroups) {
      if (groups_ >= kFewestTables * groups) most = groups;
    }
    return most;
  }
  // What the clock shows in a table of so many groups is less than in all of them.
  [[nodiscard]] double coarser(std::size_t groups) const {
    return std::sqrt(static_cast<double>(groups_) / static_cast<double>(groups));
  }

  // Everything a table needs, in every group.
  [[nodiscard]] bool is_whole(const TestFamily& family) const {
    if (groups_ == 0 || family.size() != longest()) return false;
    return std::ranges::all_of(family, [this](std::uint32_t cell) {
      return std::ranges::all_of(kBothArms, [&](std::uint32_t arm) {
        return visits(cell, arm).launches.size() == groups_ && visits(cell, arm).typical_ns() > 0;
      });
    });
  }

  [[nodiscard]] std::size_t longest() const {
    std::size_t most = 0;
    for (const TestFamily& family : families_) most = std::max(most, family.size());
    return most;
  }

  [[nodiscard]] SelfTestCell cell_of(const TestFamily& family) const {
    const CellVisits& first = visits(family[0], 0);
    SelfTestCell cell{.cell = data_.cells[family[0]], .median_ns = first.typical_ns()};
    const double resolution =
        coarser(most_groups()) *
        stats::ratio_resolution(first.resolution(), visits(family[0], 1).resolution());
    for (std::size_t level = 1; level < family.size(); ++level) {
      const auto delay_ns = static_cast<double>(data_.cells[family[level]].delay_ns);
      cell.delays_ns.push_back(delay_ns);
      cell.effects.push_back(delay_ns / cell.median_ns);
      cell.testable.push_back(cell.effects.back() > resolution);
    }
    return cell;
  }

  // Without a difference. Inside a launch every delayed cell of the first arm, which does not plant
  // it, is a partner.
  [[nodiscard]] static Pair equal_pair(const TestFamily& family, KindOfPair kind,
                                       std::size_t rotation) {
    const std::size_t levels = family.size() - 1;
    const Side plain{.cell = family[0], .arm = 0};
    if (kind == KindOfPair::kArms) return {.a = plain, .b = {.cell = family[0], .arm = 1}};
    return {.a = plain, .b = {.cell = levels == 0 ? family[0] : family[1 + rotation % levels]}};
  }

  // With this delay in the second one.
  [[nodiscard]] static Pair planted_pair(const TestFamily& family, KindOfPair kind,
                                         std::size_t level) {
    const Side delayed{.cell = family[level], .arm = 1};
    if (kind == KindOfPair::kArms) return {.a = {.cell = family[level], .arm = 0}, .b = delayed};
    return {.a = {.cell = family[0], .arm = 1}, .b = delayed};
  }

  [[nodiscard]] KnownCell known(const TestFamily& family, KindOfPair kind,
                                std::size_t rotation) const {
    const auto differences = [&](const Pair& pair) {
      return differences_of(contest_, pair, rules_.pairing);
    };
    const PairedDifferences equal = differences(equal_pair(family, kind, rotation));
    KnownCell cell{
        .equal = equal.d, .variance_floor = equal.variance_floor, .resolution = equal.resolution};
    for (std::size_t level = 1; level < family.size(); ++level) {
      cell.planted.push_back(differences(planted_pair(family, kind, level)).d);
      cell.testable.push_back(cell_of(family).testable[level - 1]);
    }
    return cell;
  }

  // As a race with these data would pair them.
  [[nodiscard]] SelfTestTables judge(KindOfPair kind, std::size_t groups,
                                     std::size_t levels) const {
    SelfTestTables result{.pairing =
                              pairing_of(equal_pair(families_.front(), kind, 0), rules_.pairing)};
    std::vector<KnownCell> cells;
    std::vector<std::size_t> places;  // in families_
    for (std::size_t i = 0; i < families_.size(); ++i) {
      cells.push_back(known(families_[i], kind, i));
      cells.back().resolution *= coarser(groups);
      // A visit without a block in common leaves a group out: such cells cannot be in tables.
      const std::size_t all = groups_;
      const bool whole =
          cells.back().equal.size() == all &&
          std::ranges::all_of(cells.back().planted, [&](const auto& d) { return d.size() == all; });
      if (whole) {
        places.push_back(i);
      } else {
        cells.pop_back();
      }
    }
    result.left_out = families_.size() - cells.size();
    result.equal = judge_equal(cells, groups, rules_.decision, rules_.correction);
    for (std::size_t level = 0; level < levels; ++level) {
      Power power = judge_planted(cells, level, groups, rules_.decision, rules_.correction);
      std::vector<std::optional<double>> found_by_cell(families_.size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        found_by_cell[places[i]] = power.found_by_cell[i];
      }
      power.found_by_cell = std::move(found_by_cell);
      result.power.push_back(std::move(power));
    }
    return result;
  }

  // Group by group, on all repetitions of both arms' visits.
  [[nodiscard]] double raw_welch_share() const {
    std::size_t tests = 0;
    std::size_t below = 0;
    std::vector<double> values[2];
    Tally ignored;
    for (const TestFamily& family : families_) {
      for (std::size_t group = 0; group < groups_; ++group) {
        for (const std::uint32_t arm : kBothArms) {
          values[arm].clear();
          for (const VisitSummary& visit : visits(family[0], arm).launches[group].visits) {
            append_observations(visit, summaries_.global, values[arm], ignored);
          }
        }
        const auto test = stats::t_test_welch(values[0], values[1]);
        tests += test ? 1U : 0U;
        below += test && test->p <= rules_.decision.alpha ? 1U : 0U;
      }
    }
    return tests == 0 ? 0 : static_cast<double>(below) / static_cast<double>(tests);
  }

  const store::Data& data_;
  const Rules& rules_;
  const Summaries& summaries_;
  Contest contest_;
  std::vector<TestFamily> families_;
  std::size_t groups_ = 0;    // that have all visits
  std::size_t left_out_ = 0;  // families that were not measured everywhere
};

const char* pairing_words(Pairing pairing) {
  if (pairing == Pairing::kLaunches) return "launch by launch";
  return pairing == Pairing::kTurns ? "by turns" : "inside a launch";
}

void find_problems(SelfTest& result) {
  for (const SelfTestTables& tables : result.tables) {
    if (!tables.equal.holds()) {
      result.problems.push_back(fmt::format(
          "{} of {} tables of {} groups, {}, have a false verdict: at most {} agree with {}",
          tables.equal.tables_wrong, tables.equal.tables, tables.equal.groups,
          pairing_words(tables.pairing), tables.equal.tables_limit, number_text(result.alpha)));
    }
  }
  if (std::abs(result.delay_check - 1) > kDelayTolerance) {
    result.problems.push_back(fmt::format(
        "planted delays were {} times what they should be: the processor's frequency changes",
        ratio_words(result.delay_check)));
  }
  const auto last = std::ranges::find_if(
      result.effects, [](double effect) { return effect >= 0.8 * kPlainlySlower; });
  if (last == result.effects.end()) return;
  const auto level = static_cast<std::size_t>(last - result.effects.begin());
  for (const SelfTestTables& tables : result.tables) {
    const Power& power = tables.power[level];
    if (power.groups >= 12 && power.found && *power.found < 0.5) {
      result.problems.push_back(
          fmt::format("a difference of {} is found in only {} of the cases within {} groups, {}",
                      percent_text(*last), percent_text(*power.found), power.groups,
                      pairing_words(tables.pairing)));
    }
  }
}

// Speaks of the first kind of tables: what users race with.
std::string self_test_sentence(const SelfTest& result) {
  if (result.tables.empty()) {
    return fmt::format("{} are too few for a judgement: {} make two tables of {}.",
                       count_text(result.groups, "launch group"), kFewestTables * kTableGroups[0],
                       kTableGroups[0]);
  }
  if (!result.problems.empty()) {
    return "Invar's verdicts do not hold on this machine: " + result.problems.front() + ".";
  }
  std::size_t cells = 0;
  std::size_t wrong = 0;
  const SelfTestTables* turns = nullptr;
  for (const SelfTestTables& tables : result.tables) {
    // Longer tables are made of the same groups.
    if (tables.equal.groups == kTableGroups[0]) {
      cells += tables.equal.cells;
      wrong += tables.equal.cells_wrong;
    }
    if (tables.pairing != Pairing::kRounds) turns = &tables;
  }
  // The kind of table that tells most says what these are too few to see.
  double unseen = 1;
  for (const SelfTestTables& tables : result.tables) {
    unseen = std::min(unseen, stats::binomial_detectable(tables.equal.tables,
                                                         tables.equal.tables_limit, kSurely));
  }
  std::string text = fmt::format(
      "{}: {} of {} comparisons without a difference got a false verdict in tables of {} "
      "launch groups ({})",
      unseen < kWellBelow
          ? "Invar's verdicts hold on this machine"
          : "Nothing seen against Invar's verdicts on this machine, in a short test",
      wrong, cells, kTableGroups[0],
      unseen < 1 ? "more than " + percent_text(unseen) + " of the tables wrong would have shown, " +
                       percent_text(result.alpha) + " are allowed"
                 : "so few tables would have shown nothing; --budget");
  if (turns != nullptr) {
    for (std::size_t level = 0; level < result.effects.size(); ++level) {
      const Power& power = turns->power[level];
      if (!power.found || *power.found < 0.8) continue;
      text += fmt::format(", and a difference of {} is found in {} within {} groups {}",
                          percent_text(result.effects[level]), percent_text(*power.found),
                          power.groups, pairing_words(turns->pairing));
      break;
    }
  }
  return text + " (" + result.scope + ").";
}

}  // namespace

std::optional<Lack> self_test_lack(const Study& study) {
  const store::Data& data = study.data();
  const bool planted =
      std::ranges::any_of(data.cells, [](const record::Cell& cell) { return cell.delay_ns > 0; });
  if (!planted || data.arms.size() != 2 || !same_arm(data.arms)) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "this campaign is not a self-test, which is one library twice, "
                                    "with cells with and without 'delay'",
                            .remedy = "invar self-test --library NAME -o DIR makes one"}}};
  }
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  if (auto lack = lack_of_regime(data, study.summaries(), study.rules())) return lack;
  if (Judge(study).judges()) return std::nullopt;
  return Lack{.status = base::Exit::kMeasurementFailed,
              .faults = {{.place = data.dir.string(),
                          .what = "no cell was measured in every launch group by both arms",
                          .remedy = "invar compare says what failed"}}};
}

SelfTest self_test(const Study& study) {
  require(self_test_lack(study));
  SelfTest result = Judge(study).run();
  result.health = study.health();
  find_problems(result);
  if (result.tables.empty()) ++result.health.unfinished;
  result.health.refuted = !result.problems.empty();
  result.sentence = self_test_sentence(result);
  return result;
}

}  // namespace invar::analysis
