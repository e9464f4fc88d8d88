#include "analysis/clocks/clock_trials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

// One synchronisation, looked at some time after its end.
struct Trial {
  double seconds = 0;
  std::vector<double> errors_ns = {};  // of the ranks
  double worst_ns = 0, typical_ns = 0;
  // The number of ranks for which the algorithm states an error, and the share of them whose error
  // it bounds. The number is 1 for a simulated trial, which has the share alone.
  double stated = 0, covered = 0;
};

// The trials of an algorithm with as many ranks at one time, by launch and repetition.
using Repetitions = std::map<std::pair<std::uint32_t, std::uint32_t>, Trial>;

class TrialRows {
 public:
  explicit TrialRows(const std::vector<double>& after_s) : after_s_(after_s) {}

  Trial& at(std::uint32_t ranks, const std::string& algorithm, double after_s,
            std::uint32_t repetition, std::uint32_t launch = 1) {
    const std::pair key{ranks, algorithm};
    if (!of_.contains(key)) order_.push_back(key);
    return of_[key][{place_of(after_s), after_s}][{launch, repetition}];
  }

  std::vector<TrialsRow> rows() const {
    std::vector<TrialsRow> rows;
    for (const auto& key : order_) {
      for (const auto& [after, repetitions] : of_.at(key)) {
        std::vector<double> seconds;
        std::vector<double> worst;
        std::vector<double> typical;
        OfLaunches worst_of;
        double stated = 0;
        double covered = 0;
        for (const auto& [repetition, trial] : repetitions) {
          seconds.push_back(trial.seconds);
          worst.push_back(trial.worst_ns);
          typical.push_back(trial.typical_ns);
          worst_of[repetition.first].push_back(trial.worst_ns);
          stated += trial.stated;
          covered += trial.stated * trial.covered;
        }
        rows.push_back({.ranks = key.first,
                        .algorithm = key.second,
                        .after_s = after.second,
                        .trials = repetitions.size(),
                        .seconds = clock_spread(std::move(seconds)),
                        .worst_ns = clock_spread(std::move(worst)),
                        .typical_ns = clock_spread(std::move(typical)),
                        .worst_mean = *pooled_mean(worst_of),
                        .covered = stated > 0 ? std::optional(covered / stated) : std::nullopt});
      }
    }
    return rows;
  }

  template <typename Change>
  void for_each(Change change) {
    for (auto& [key, times] : of_) {
      for (auto& [after, repetitions] : times) {
        for (auto& [repetition, trial] : repetitions) change(trial);
      }
    }
  }

 private:
  // Among those that were asked for.
  [[nodiscard]] std::size_t place_of(double after_s) const {
    return static_cast<std::size_t>(std::ranges::find(after_s_, after_s) - after_s_.begin());
  }

  const std::vector<double>& after_s_;
  std::vector<std::pair<std::uint32_t, std::string>> order_ = {};
  std::map<std::pair<std::uint32_t, std::string>,
           std::map<std::pair<std::size_t, double>, Repetitions>>
      of_ = {};
};

}  // namespace

Trials read_trials(const ClockInput& input) {
  const ClockCsv& csv = input.rows;
  Trials trials;
  TrialRows rows(input.spec.after_s);
  if (input.simulated()) {
    for (std::size_t i = 0; i < csv.size(); ++i) {
      rows.at(csv.count(i, 0), csv.word(i, 1), csv.number(i, 3), csv.count(i, 2)) = {
          .seconds = csv.number(i, 4),
          .worst_ns = csv.number(i, 5),
          .typical_ns = csv.number(i, 6),
          .stated = csv.optional_number(i, 7) ? 1.0 : 0.0,
          .covered = csv.number(i, 7)};
    }
    trials.rows = rows.rows();
    return trials;
  }
  const std::uint32_t usual = input.head.ranks.empty() ? 0 : input.head.ranks.front();
  std::set<std::uint32_t> launches;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const std::uint32_t ranks = csv.ranks(i) == 0 ? usual : csv.ranks(i);
    launches.insert(csv.launch(i));
    Trial& trial = rows.at(ranks, csv.word(i, 0), csv.number(i, 3), csv.count(i, 1), csv.launch(i));
    trial.seconds = csv.number(i, 2);
    // Rank 0's clock is what the others are compared with; of a barrier it has an exit as well.
    if (csv.count(i, 4) > 0 || csv.word(i, 0) == record::kNoAlgorithm) {
      trial.errors_ns.push_back(std::abs(csv.number(i, 5)));
      if (const std::optional<double> stated_ns = csv.optional_number(i, 8)) {
        ++trial.stated;
        // What is measured to within a width may be off by that as well.
        if (trial.errors_ns.back() <= *stated_ns + csv.number(i, 6)) ++trial.covered;
      }
    }
    trials.half_width_ns = std::max(trials.half_width_ns, csv.number(i, 6));
    trials.tracking_share = std::max(trials.tracking_share, csv.number(i, 7));
  }
  trials.launches = launches.size();
  rows.for_each([](Trial& trial) {
    if (trial.stated > 0) trial.covered /= trial.stated;
    if (trial.errors_ns.empty()) return;
    trial.worst_ns = *std::ranges::max_element(trial.errors_ns);
    trial.typical_ns = stats::median_in_place(trial.errors_ns);
  });
  trials.rows = rows.rows();
  return trials;
}

std::vector<bool> on_frontier(const std::vector<TrialsRow>& rows) {
  std::vector<bool> frontier;
  frontier.reserve(rows.size());
  for (const TrialsRow& row : rows) {
    frontier.push_back(std::ranges::none_of(rows, [&](const TrialsRow& other) {
      return (other.seconds.median < row.seconds.median &&
              other.worst_ns.median <= row.worst_ns.median) ||
             (other.seconds.median <= row.seconds.median &&
              other.worst_ns.median < row.worst_ns.median);
    }));
  }
  return frontier;
}

}  // namespace invar::analysis
