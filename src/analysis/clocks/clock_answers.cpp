#include "analysis/clocks/clock_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/units.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {

std::string clock_link(const ClockInput& input) {
  return input.simulated() ? "simulated" : input.head.library + " " + input.head.library_version;
}

std::string clock_scope(const ClockInput& input) {
  std::string text =
      input.simulated() ? input.head.network + " network, simulated" : clock_link(input);
  if (input.head.ranks.size() == 1) {
    text += ", " + base::count_text(input.head.ranks.front(), "rank");
  } else if (!input.head.ranks.empty()) {
    const auto [least, most] = std::ranges::minmax(input.head.ranks);
    text += fmt::format(", {} to {} ranks", least, most);
  }
  constexpr std::size_t kMostInScope = 4;
  const std::vector<std::string>& hosts = input.head.hosts;
  if (hosts.size() > kMostInScope) {
    text += fmt::format(" on {} hosts", hosts.size());
  } else if (!hosts.empty()) {
    text += " on " + base::join(hosts, ", ");
  }
  // All ranks of the one host are said already.
  const std::uint32_t each = input.head.ranks_per_host.value_or(1);
  if (each > 1 && (input.simulated() || hosts.size() > 1)) {
    text += fmt::format(" ({} a host)", each);
  }
  return text;
}

double virtual_skew_of(const ClockInput& input) {
  const std::vector<double>& skews = input.spec.virtual_clocks.skew;
  return skews.empty() ? 0 : skews.front();
}

std::string network_name(const ClockInput& input, double half_width_ns) {
  if (input.simulated()) return input.head.network;
  if (half_width_ns > 0) return "ping-pongs";
  return virtual_skew_of(input) == 0 ? "one clock" : "virtual clocks";
}

std::string truth_text(const ClockInput& input, double half_width_ns) {
  if (half_width_ns > 0) {
    return "errors measured by ping-pongs to within " + base::duration_text(half_width_ns);
  }
  return input.spec.virtual_clocks.skew.empty()
             ? "one real clock that all ranks read, so errors are exact, and algorithms without a "
               "skew cannot drift (--virtual-skew 13e-6 makes clocks that do)"
             : "virtual clocks on one real clock, so errors are exact";
}

std::string trials_text(const ClockInput& input, std::size_t trials, std::size_t launches) {
  const std::string what = input.simulated() ? "seed" : "synchronisation";
  return fmt::format("median over {}s of the worst rank's error, {}", what,
                     base::count_text(trials, what)) +
         (launches > 1 ? fmt::format(" of {} launches", launches) : "");
}

ClockSpread clock_spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) { return stats::quantile_sorted(values, share); };
  return {at(0), at(0.25), at(0.5), at(0.75), at(1), at(0.95)};
}

TidyTable terminal_table(const std::vector<TextColumn>& columns,
                         const std::vector<std::vector<std::string>>& rows) {
  TidyTable table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = "text_" + std::to_string(i);
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = columns[i].header,
                           .column = name,
                           .left = columns[i].left,
                           .right = !columns[i].left,
                           .glued = columns[i].glued});
  }
  for (const std::vector<std::string>& row : rows) {
    table.rows.emplace_back(row.begin(), row.end());
  }
  return table;
}

}  // namespace invar::analysis
