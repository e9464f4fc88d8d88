#include "analysis/suites/preset_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "analysis/words/words.hpp"
#include "base/units.hpp"
#include "record/synchronisation.hpp"
#include "stats/describe/moments.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

using design::Processing;

// Below it nobody asks why.
constexpr double kTold = 0.05;

// Two numbers of one arm and cell whose ratio says something.
struct Observed {
  double ratio = 1;
  double numerator_ns = 0;
  double denominator_ns = 0;
  std::string place;  // "bcast, 8 B, 2 ranks, of openmpi"
};

// What the presets look at, of one arm and cell: medians over launches.
struct Looked {
  std::optional<double> rank_mean_ns = {};     // single calls after a barrier: mean over ranks
  std::optional<double> slowest_mean_ns = {};  // largest over ranks of the ranks' means
  std::optional<double> slowest_ns = {};       // mean over repetitions of the slowest rank
  std::optional<double> slowest_median_ns = {};
  // Mean over ranks in batches, and of single calls with the same root.
  std::optional<double> batch_ns = {};
  std::optional<double> alone_ns = {};
  // Mean over ranks of single calls, where the root moves on and where it stays.
  std::optional<double> moving_ns = {};
  std::optional<double> fixed_ns = {};
  std::optional<double> root_batch_ns = {};  // of the root, mean over passes
  std::optional<double> least_batch_ns = {};
  std::optional<double> own_ns = {};  // slowest rank, started as the campaign says
  std::optional<double> window_ns = {};
  std::optional<double> in_window_ns = {};
};

class Reasons {
 public:
  Reasons(const PresetValues& values, std::span<const design::Preset* const> suites,
          std::span<const std::uint32_t> arms)
      : values_(values), suites_(suites) {
    const std::vector<record::Cell>& cells = values.own().cells;
    const record::CellTexts text(cells);
    for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
      for (const std::uint32_t arm : arms) {
        places_.push_back(text(cells[cell]) + ", of " + values.own().arms[arm].label);
        looked_.push_back(look(cell, arm));
        by_clock_ = by_clock_ || record::synchronisation(cells[cell].sync).agreed_start;
      }
    }
  }

  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> reasons;
    const auto add = [&](const std::string& reason) {
      if (!reason.empty()) reasons.push_back(reason);
    };
    add(imbalance());
    add(batches());
    add(roots());
    add(least());
    add(outliers());
    add(barrier());
    add(windows());
    return reasons;
  }

 private:
  // The number of a preset's first launches' median; nothing where it is not shown or not there.
  [[nodiscard]] std::optional<double> number(const design::Preset& preset, std::uint32_t cell,
                                             std::uint32_t arm, std::size_t index) const {
    const Reported reported = values_.of(preset, cell, arm);
    if (reported.launches.empty()) return std::nullopt;
    return median_of_launches(reported.launches, index);
  }

  [[nodiscard]] bool shown(const std::function<bool(const design::Preset&)>& is) const {
    return std::ranges::any_of(suites_, [&](const design::Preset* preset) { return is(*preset); });
  }

  // "osu and imb": those shown that are so.
  [[nodiscard]] std::string names(const std::function<bool(const design::Preset&)>& is) const {
    std::vector<std::string> found;
    for (const design::Preset* preset : suites_) {
      if (is(*preset)) found.emplace_back(preset->name);
    }
    return list_text(found);
  }

  static bool in_batches(const design::Preset& preset) {
    const record::Scheme* scheme = record::find_scheme(preset.scheme);
    return scheme != nullptr && scheme->batch && !scheme->barriers_inside;
  }
  static bool single_calls(const design::Preset& preset) {
    const record::Scheme* scheme = record::find_scheme(preset.scheme);
    return scheme != nullptr && !scheme->batch && !scheme->growing_windows;
  }
  static bool averages_ranks(const design::Preset& preset) {
    return single_calls(preset) && preset.processing == Processing::kMeanOfRanks;
  }
  static bool of_least(const design::Preset& preset) {
    return preset.processing == Processing::kLeastBatch;
  }
  static bool of_means(const design::Preset& preset) {
    return single_calls(preset) && (preset.processing == Processing::kMeanOfRanks ||
                                    preset.processing == Processing::kMeanOfLargest);
  }
  static bool in_windows(const design::Preset& preset) {
    const record::Scheme* scheme = record::find_scheme(preset.scheme);
    return scheme != nullptr && scheme->growing_windows;
  }

  // Messages between single ranks: suites time the initiator or the slower rank, so that most of
  // their numbers cannot be compared. The least and the mean of one suite's passes can.
  [[nodiscard]] Looked look_at_messages(std::uint32_t cell, std::uint32_t arm) const {
    Looked looked;
    const record::OperationInfo info = values_.operation(values_.own().cells[cell]);
    for (const design::Preset* preset : suites_) {
      const std::optional<design::SuiteWay> way = design::way_of(*preset, info);
      if (!way || way->scheme == nullptr || way->scheme->again == 0) continue;
      looked.least_batch_ns = number(*preset, cell, arm, 0);
      looked.root_batch_ns = number(*preset, cell, arm, 1);
    }
    return looked;
  }

  [[nodiscard]] Looked look(std::uint32_t cell, std::uint32_t arm) const {
    if (design::is_of_messages(values_.operation(values_.own().cells[cell]))) {
      return look_at_messages(cell, arm);
    }
    Looked looked;
    for (const design::Preset* preset : suites_) {
      const record::Cell* visits = values_.cell_of(*preset, values_.own().cells[cell]);
      if (visits == nullptr) continue;
      if (averages_ranks(*preset) && !looked.rank_mean_ns) {
        looked.rank_mean_ns = number(*preset, cell, arm, 0);
        looked.slowest_mean_ns = number(*preset, cell, arm, 2);
      }
      if (in_batches(*preset)) look_at_batch(*preset, cell, arm, looked);
      if (of_least(*preset)) {
        looked.least_batch_ns = number(*preset, cell, arm, 0);
        looked.root_batch_ns = number(*preset, cell, arm, 1);
      }
      // A root that moves is another difference from ours.
      const bool same_root = visits->root == values_.own().cells[cell].root;
      if (single_calls(*preset) && same_root) look_at_slowest(*visits, arm, looked);
      if (in_windows(*preset)) {
        looked.in_window_ns = number(*preset, cell, arm, 0);
        looked.window_ns = window_ns(*visits, arm);
      }
    }
    looked.own_ns = number(*design::find_preset("pgmpi"), cell, arm, 0);
    const design::Preset& shifted = *design::find_preset("imb-root-shift");
    const record::Cell* moving = values_.cell_of(shifted, values_.own().cells[cell]);
    if (moving != nullptr && moving->root == record::kRotatingRoot) {
      looked.moving_ns = number(shifted, cell, arm, 0);
      looked.fixed_ns = number(*design::find_preset("imb"), cell, arm, 0);
    }
    return looked;
  }

  void look_at_batch(const design::Preset& preset, std::uint32_t cell, std::uint32_t arm,
                     Looked& looked) const {
    if (looked.batch_ns && looked.alone_ns) return;
    const bool rotating = record::find_scheme(preset.scheme)->rotating_root;
    const design::Preset& single = *design::find_preset(rotating ? "imb-root-shift" : "osu");
    // Like with like: rank 0's batches with rank 0's calls.
    looked.batch_ns = number(preset, cell, arm, of_least(preset) ? 1 : 0);
    const record::Cell* calls = values_.cell_of(single, values_.own().cells[cell]);
    if (of_least(preset)) {
      if (calls != nullptr) looked.alone_ns = root_mean_ns(*calls, arm);
    } else {
      looked.alone_ns = number(single, cell, arm, 0);
    }
  }

  // Rank 0's mean; median over launches.
  [[nodiscard]] std::optional<double> root_mean_ns(const record::Cell& visits,
                                                   std::uint32_t arm) const {
    std::vector<double> means_ns;
    for (const PresetValues::LaunchSample& launch : values_.samples(visits, arm)) {
      const auto& ranks = launch.sample.rank_ns;
      if (!ranks.empty() && !ranks[0].empty()) means_ns.push_back(stats::mean(ranks[0]));
    }
    if (means_ns.empty()) return std::nullopt;
    return stats::median_in_place(means_ns);
  }

  void look_at_slowest(const record::Cell& visits, std::uint32_t arm, Looked& looked) const {
    std::vector<double> means;
    std::vector<double> medians;
    for (const PresetValues::LaunchSample& launch : values_.samples(visits, arm)) {
      const auto mean = process(Processing::kMeanOfLargest, launch.sample);
      const auto median = process(Processing::kMedian, launch.sample);
      if (mean.empty() || median.empty()) continue;
      means.push_back(mean.front().time_ns);
      medians.push_back(median.front().time_ns);
    }
    if (means.empty()) return;
    looked.slowest_ns = stats::median_in_place(means);
    looked.slowest_median_ns = stats::median_in_place(medians);
  }

  // The longest that the windows became; median over launches.
  [[nodiscard]] std::optional<double> window_ns(const record::Cell& visits,
                                                std::uint32_t arm) const {
    std::vector<double> longest_ns;
    for (const PresetValues::LaunchSample& launch : values_.samples(visits, arm)) {
      std::int64_t longest_ps = 0;
      for (const store::Visit& visit : launch.launch->visits) {
        if (visit.line.cell == visits.id) longest_ps = std::max(longest_ps, visit.line.slack_ps);
      }
      longest_ns.push_back(static_cast<double>(longest_ps) * 1e-3);
    }
    if (longest_ns.empty()) return std::nullopt;
    return stats::median_in_place(longest_ns);
  }

  // The rows that have both numbers, by how far their ratio is from 1.
  [[nodiscard]] std::vector<Observed> observed(std::optional<double> Looked::*numerator,
                                               std::optional<double> Looked::*denominator) const {
    std::vector<Observed> all;
    for (std::size_t i = 0; i < looked_.size(); ++i) {
      const std::optional<double> above = looked_[i].*numerator;
      const std::optional<double> below = looked_[i].*denominator;
      if (!above || !below || !(*above > 0) || !(*below > 0)) continue;
      all.push_back({.ratio = *above / *below,
                     .numerator_ns = *above,
                     .denominator_ns = *below,
                     .place = places_[i]});
    }
    std::ranges::sort(all, [](const Observed& a, const Observed& b) {
      return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
    });
    if (!all.empty() && std::abs(std::log(all.front().ratio)) < std::log1p(kTold)) all.clear();
    return all;
  }

  // ", by more than 5 % in 3 of 6 rows"
  static std::string how_often(const std::vector<Observed>& all) {
    if (all.size() == 1) return "";
    const auto count = std::ranges::count_if(all, [](const Observed& one) {
      return std::abs(std::log(one.ratio)) >= std::log1p(kTold);
    });
    return " (more than " + percent_text(kTold) + " apart in " + std::to_string(count) + " of " +
           count_text(all.size(), "row") + ")";
  }

  [[nodiscard]] std::string imbalance() const {
    const auto all = observed(&Looked::slowest_mean_ns, &Looked::rank_mean_ns);
    if (all.empty() || !shown(averages_ranks)) return {};
    const Observed& worst = all.front();
    return "mean over ranks hides imbalance (" + names(averages_ranks) + "): " + worst.place +
           ", takes the slowest rank " + base::duration_text(worst.numerator_ns) +
           " on average, the mean over ranks is " + base::duration_text(worst.denominator_ns) +
           how_often(all);
  }

  [[nodiscard]] std::string batches() const {
    const auto all = observed(&Looked::batch_ns, &Looked::alone_ns);
    if (all.empty()) return {};
    const Observed& worst = all.front();
    const std::string both = worst.place + ", takes " + base::duration_text(worst.numerator_ns) +
                             " in a batch and " + base::duration_text(worst.denominator_ns) +
                             " timed alone after MPI_Barrier" + how_often(all);
    if (worst.ratio < 1) {
      return "batches pipeline (" + names(in_batches) +
             "): without a barrier between the calls a rank begins the next one while others are "
             "still in the last: " +
             both;
    }
    return "batches wait (" + names(in_batches) +
           "): each call begins where the last one left the ranks, not after a barrier: " + both;
  }

  [[nodiscard]] std::string roots() const {
    const auto all = observed(&Looked::moving_ns, &Looked::fixed_ns);
    const auto shifts = [](const design::Preset& preset) {
      return preset.scheme == "barrier-rotating";
    };
    if (all.empty() || !shown(shifts)) return {};
    const Observed& worst = all.front();
    return "the root moves on after every call (" + names(shifts) + "): " + worst.place +
           ", takes " + base::duration_text(worst.numerator_ns) + " so, and " +
           base::duration_text(worst.denominator_ns) + " with one root" + how_often(all);
  }

  [[nodiscard]] std::string least() const {
    const auto all = observed(&Looked::least_batch_ns, &Looked::root_batch_ns);
    if (all.empty()) return {};
    const Observed& worst = all.front();
    return "the least of several means is the machine's best moment, not its usual one (" +
           names(of_least) + "): " + worst.place + ", " + base::duration_text(worst.numerator_ns) +
           " against " + base::duration_text(worst.denominator_ns) + " on average over the passes" +
           how_often(all);
  }

  [[nodiscard]] std::string outliers() const {
    const auto all = observed(&Looked::slowest_ns, &Looked::slowest_median_ns);
    if (all.empty() || !shown(of_means)) return {};
    const Observed& worst = all.front();
    return "means follow a few long repetitions, medians do not (" + names(of_means) +
           "): " + worst.place + ", the slowest rank's mean is " +
           base::duration_text(worst.numerator_ns) + ", its median " +
           base::duration_text(worst.denominator_ns) + how_often(all);
  }

  [[nodiscard]] std::string barrier() const {
    const auto all = observed(&Looked::slowest_median_ns, &Looked::own_ns);
    if (all.empty() || !by_clock_) return {};
    const Observed& worst = all.front();
    return "ranks do not leave MPI_Barrier together, and who is first waits inside of the "
           "operation "
           "for the last (" +
           names(single_calls) + "): " + worst.place +
           ", the slowest rank's median after the library's barrier is " +
           base::duration_text(worst.numerator_ns) + ", after an agreed start " +
           base::duration_text(worst.denominator_ns) + how_often(all);
  }

  [[nodiscard]] std::string windows() const {
    constexpr double kLong = 4;
    const auto all = observed(&Looked::window_ns, &Looked::in_window_ns);
    if (all.empty() || all.front().ratio < kLong) return {};
    const Observed& worst = all.front();
    return "windows that never shrink (" + names(in_windows) + "): " + worst.place +
           ", they were up to " + base::duration_text(worst.numerator_ns) + " long for a call of " +
           base::duration_text(worst.denominator_ns) +
           "; ranks idle in them, and start from another state of the caches";
  }

  const PresetValues& values_;
  std::span<const design::Preset* const> suites_;
  std::vector<std::string> places_ = {};
  std::vector<Looked> looked_ = {};
  bool by_clock_ = false;
};

}  // namespace

std::vector<std::string> preset_reasons(const PresetValues& values,
                                        std::span<const design::Preset* const> suites,
                                        std::span<const std::uint32_t> arms) {
  return Reasons(values, suites, arms).all();
}

}  // namespace invar::analysis
