#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "analysis/clocks/clock_table.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/clocks/clock_tables.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::RunTimeBin;
using analysis::RunTimeSeries;

// "mesh tracked" of "mesh:duration=1 tracked".
std::string short_name(const std::string& sync) {
  const std::size_t colon = sync.find(':');
  if (colon == std::string::npos) return sync;
  const std::size_t end = sync.find(' ', colon);
  return sync.substr(0, colon) + (end == std::string::npos ? "" : sync.substr(end));
}

// Without parameters where that leaves them apart.
std::vector<std::string> names_of(const std::vector<RunTimeSeries>& series) {
  std::vector<std::string> names;
  names.reserve(series.size());
  for (const RunTimeSeries& one : series) names.push_back(short_name(one.sync));
  if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
  for (std::size_t i = 0; i < series.size(); ++i) names[i] = series[i].sync;
  return names;
}

// How long before a row's time the clocks of a series were synchronised: the same for all rows
// where that was done once, or a few moments where they are tracked.
std::string since_text(const RunTimeSeries& one) {
  constexpr double kSame = 0.1;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  double longest = 0;
  for (const std::optional<RunTimeBin>& bin : one.bins) {
    if (!bin || !bin->since_sync_s) continue;
    least = std::min(least, *bin->since_sync_s - bin->seconds);
    most = std::max(most, *bin->since_sync_s - bin->seconds);
    longest = std::max(longest, *bin->since_sync_s);
  }
  if (least > most) return {};
  return most - least < kSame ? fmt::format("at + {:.1f} s", (least + most) / 2)
                              : fmt::format("up to {:.2f} s", longest);
}

std::string us(double ns) {
  return ns < 1e4 ? fmt::format("{:.3f}", ns / 1e3) : fmt::format("{:.1f}", ns / 1e3);
}

}  // namespace

std::string drift_sentence(const std::vector<RunTimeSeries>& series) {
  const std::vector<std::string> names = names_of(series);
  std::vector<std::string> drifting;
  std::vector<std::string> flat;
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const RunTimeSeries& one = series[i];
    if (!one.interval) {
      unknown.push_back(names[i]);
    } else if (one.drifts()) {
      drifting.push_back(fmt::format("{} by {:+.3g} us a second [{:.3g}, {:.3g}]", names[i],
                                     *one.slope_ns_per_s / 1e3, one.interval->low / 1e3,
                                     one.interval->high / 1e3));
    } else {
      flat.push_back(fmt::format("{} (within [{:.2g}, {:.2g}])", names[i], one.interval->low / 1e3,
                                 one.interval->high / 1e3));
    }
  }
  std::string text =
      drifting.empty() ? "No run-time drifts" : "Drifting: " + base::join(drifting, ", ");
  if (!flat.empty()) text += (drifting.empty() ? ": " : ". Not: ") + base::join(flat, ", ");
  if (!unknown.empty()) text += ". Too few bins: " + base::join(unknown, ", ");
  return text + ".";
}

std::string run_time_text(const std::vector<RunTimeSeries>& series, const ClockRunContext& context,
                          std::string_view operation) {
  if (series.empty()) return {};
  std::string text = fmt::format(
      "{}, {}, {}: median run-time in us over the time{}\n"
      "MPI_Barrier: local times; the others: windows and global times, by clocks synchronised "
      "once before\n\n",
      context.library, base::count_text(context.ranks, "rank"), operation,
      context.virtual_skew != 0
          ? fmt::format(", virtual clocks of {:+g} ppm", 1e6 * context.virtual_skew)
          : "");
  TextTable table;
  table.add_column("at", Align::kRight);
  for (const std::string& name : names_of(series)) table.add_column(name, Align::kRight);
  std::size_t left_out = 0;
  for (std::size_t bin = 0; bin < series.front().bins.size(); ++bin) {
    std::vector<std::string> fields{""};
    for (const RunTimeSeries& one : series) {
      const std::optional<RunTimeBin>& cell = one.bins[bin];
      fields.push_back(cell ? us(cell->median_ns) : "-");
      if (!cell) continue;
      left_out += cell->left_out;
      if (fields.front().empty()) fields.front() = fmt::format("{:.1f} s", cell->seconds);
    }
    table.add_row(fields);
  }
  text += table.text(120);
  const std::vector<std::string> names = names_of(series);
  std::vector<std::string> since;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string one = since_text(series[i]);
    if (!one.empty()) since.push_back(names[i] + " " + one);
  }
  text += "\n" + wrapped("", "at: since the begin of the experiment" +
                                 (since.empty() ? std::string()
                                                : "; since the last synchronisation: " +
                                                      base::join(since, ", ")));
  text += fmt::format("\n{} left out: started late, or longer than their window\n",
                      base::count_text(left_out, "repetition"));
  return text + wrapped("", drift_sentence(series)) + "\n";
}

std::string run_time_csv(const std::vector<RunTimeSeries>& series, const ClockRunContext& context,
                         std::string_view operation) {
  std::string text = std::string(analysis::clock_csv_header("runtime-over-time")) + "\n";
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  for (const RunTimeSeries& one : series) {
    for (std::size_t number = 0; number < one.bins.size(); ++number) {
      const std::optional<RunTimeBin>& bin = one.bins[number];
      if (!bin) continue;
      fmt::format_to(
          std::back_inserter(text),
          "{},{},{:g},{},{},{},{},{:.6g},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n",
          base::csv_field(context.library), context.ranks, context.virtual_skew,
          base::csv_field(operation), one.sync, one.local ? "local" : "global", number,
          bin->seconds, optional(bin->since_sync_s), bin->repetitions, bin->left_out, bin->q1_ns,
          bin->median_ns, bin->q3_ns, bin->local_ns, optional(bin->global_ns),
          optional(bin->true_ns), optional(one.slope_ns_per_s));
    }
  }
  return text;
}

}  // namespace invar::report
