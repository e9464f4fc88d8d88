// tracking: a clock that is synchronised once and looked after, over time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/words/words.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

using base::duration_text;

// The worst rank's errors over time, at equal distances.
struct TrackedErrors {
  std::vector<double> seconds, untracked_ns, predicted_ns, smoothed_ns;
};

constexpr std::array<std::pair<const char*, std::vector<double> TrackedErrors::*>, 3> kTracked{
    {{"first-model", &TrackedErrors::untracked_ns},
     {"predicted", &TrackedErrors::predicted_ns},
     {"smoothed", &TrackedErrors::smoothed_ns}}};

struct TrackedRow {
  double until_s = 0;
  std::array<ClockSpread, kTracked.size()> spreads = {};
};

struct Tracked {
  std::vector<TrackedErrors> machines = {};  // one a seed; of a library one a launch
  double half_width_ns = 0;
  std::optional<double> share = {};  // of the time; none: not measured
};

Tracked read_tracked(const ClockInput& input) {
  const ClockCsv& csv = input.rows;
  Tracked tracked;
  std::map<std::uint32_t, TrackedErrors> of_seed;
  const std::size_t first = input.simulated() ? 1 : 0;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    TrackedErrors& errors = of_seed[input.simulated() ? csv.count(i, 0) : csv.launch(i)];
    errors.seconds.push_back(csv.number(i, first));
    errors.untracked_ns.push_back(csv.number(i, first + 1));
    errors.predicted_ns.push_back(csv.number(i, first + 2));
    errors.smoothed_ns.push_back(csv.number(i, first + 3));
    if (input.simulated()) continue;
    tracked.half_width_ns = std::max(tracked.half_width_ns, csv.number(i, 5));
    tracked.share = std::max(tracked.share.value_or(0), csv.number(i, 6));
  }
  for (auto& [seed, errors] : of_seed) tracked.machines.push_back(std::move(errors));
  return tracked;
}

// In six parts of the time, over all machines.
std::vector<TrackedRow> tracked_rows(const Tracked& tracked) {
  constexpr std::size_t kParts = 6;
  std::vector<TrackedRow> rows;
  if (tracked.machines.empty()) return rows;
  const std::vector<double>& times = tracked.machines.front().seconds;
  const double step_s = times.size() > 1 ? times[1] - times[0] : 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    TrackedRow row{.until_s = 0};
    bool any = false;
    for (std::size_t clock = 0; clock < kTracked.size(); ++clock) {
      std::vector<double> all;
      for (const TrackedErrors& machine : tracked.machines) {
        const std::vector<double>& errors = machine.*kTracked[clock].second;
        const auto begin = static_cast<std::ptrdiff_t>(part * errors.size() / kParts);
        const auto end = static_cast<std::ptrdiff_t>((part + 1) * errors.size() / kParts);
        all.insert(all.end(), errors.begin() + begin, errors.begin() + end);
      }
      if (all.empty()) continue;
      any = true;
      row.spreads[clock] = clock_spread(std::move(all));
    }
    if (!any) continue;
    const std::size_t end = (part + 1) * times.size() / kParts;
    row.until_s = std::round(100 * step_s * static_cast<double>(end)) / 100;
    rows.push_back(row);
  }
  return rows;
}

TidyTable tracking_table(const ClockInput& input, const Tracked& tracked,
                         const std::vector<TrackedRow>& rows) {
  TidyTable table{.id = "tracking",
                  .columns = {{.name = "link"},
                              {.name = "network"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "ranks_per_host", .kind = Kind::kCount},
                              {.name = "until_s", .kind = Kind::kSeconds},
                              {.name = "clock"},
                              {.name = "median_ns", .kind = Kind::kTime},
                              {.name = "q95_ns", .kind = Kind::kTime},
                              {.name = "max_ns", .kind = Kind::kTime},
                              {.name = "tracking_share", .kind = Kind::kShare}}};
  const std::string network = network_name(input, tracked.half_width_ns);
  const std::uint32_t ranks = input.head.ranks.empty() ? 0 : input.head.ranks.front();
  for (const TrackedRow& row : rows) {
    for (std::size_t clock = 0; clock < kTracked.size(); ++clock) {
      const ClockSpread& spread = row.spreads[clock];
      table.rows.push_back({clock_link(input), network, ranks, input.head.ranks_per_host,
                            row.until_s, kTracked[clock].first, spread.median, spread.high,
                            spread.most, tracked.share});
    }
  }
  return table;
}

}  // namespace

std::string tracking_cost_text(const ClockInput& input, double share) {
  return fmt::format("tracking every {:g} s takes {:.2g} % of the time", input.spec.interval_s,
                     100 * share);
}

Answer tracking_answer(const ClockInput& input) {
  const Tracked tracked = read_tracked(input);
  const std::vector<TrackedRow> rows = tracked_rows(tracked);
  const std::string scope = clock_scope(input);
  Answer answer{.scope = scope, .tables = {tracking_table(input, tracked, rows)}};
  answer.sentence = "Nothing was tracked: " + scope + ".";
  std::array<double, kTracked.size()> most{};
  std::vector<std::vector<std::string>> texts;
  for (const TrackedRow& row : rows) {
    texts.push_back({fmt::format("{:g} s", row.until_s)});
    for (std::size_t clock = 0; clock < kTracked.size(); ++clock) {
      const ClockSpread& spread = row.spreads[clock];
      most[clock] = std::max(most[clock], spread.most);
      texts.back().push_back(
          fmt::format("{} ({})", duration_text(spread.median), duration_text(spread.most)));
    }
  }
  if (!rows.empty()) {
    answer.sentence = fmt::format(
        "Over {:g} s the smoothed clock is off by {} at most, the prediction by {}, the first "
        "model "
        "alone by {}: {}.",
        rows.back().until_s, duration_text(most[2]), duration_text(most[1]), duration_text(most[0]),
        scope);
  }
  answer.head = "mesh, worst rank's error, median (and largest)";
  if (tracked.machines.size() > 1) {
    answer.head +=
        ", " + count_text(tracked.machines.size(), input.simulated() ? "seed" : "launch");
  }
  answer.tables.push_back(terminal_table({{.header = "until"},
                                          {.header = "first model"},
                                          {.header = "predicted"},
                                          {.header = "smoothed"}},
                                         texts));
  if (!input.simulated()) answer.notes.push_back(truth_text(input, tracked.half_width_ns));
  if (tracked.share) answer.notes.push_back(tracking_cost_text(input, *tracked.share));
  return answer;
}

}  // namespace invar::analysis
