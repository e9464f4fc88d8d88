// runtime-over-time: what clocks do to run-times, as an answer.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/clocks/clock_runtime.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

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

// Virtual clocks were asked for where possible: they are there where the truth is known.
double skew_used(const ClockInput& input, const std::vector<RunTimeSeries>& series) {
  const bool one_clock = std::ranges::any_of(series, [](const RunTimeSeries& one) {
    return std::ranges::any_of(one.bins, [](const auto& bin) { return bin && bin->true_ns; });
  });
  return one_clock ? virtual_skew_of(input) : 0;
}

TidyTable bins_table(const ClockInput& input, const std::vector<RunTimeSeries>& series,
                     const std::string& operation) {
  TidyTable table{.id = "bins",
                  .columns = {{.name = "library"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "virtual_skew", .kind = Kind::kNumber},
                              {.name = "operation"},
                              {.name = "sync"},
                              {.name = "time"},
                              {.name = "bin", .kind = Kind::kCount},
                              {.name = "seconds", .kind = Kind::kSeconds},
                              {.name = "since_sync_s", .kind = Kind::kSeconds},
                              {.name = "repetitions", .kind = Kind::kCount},
                              {.name = "left_out", .kind = Kind::kCount},
                              {.name = "q1_ns", .kind = Kind::kTime},
                              {.name = "median_ns", .kind = Kind::kTime},
                              {.name = "q3_ns", .kind = Kind::kTime},
                              {.name = "local_median_ns", .kind = Kind::kTime},
                              {.name = "global_median_ns", .kind = Kind::kTime},
                              {.name = "true_median_ns", .kind = Kind::kTime},
                              {.name = "slope_ns_per_s", .kind = Kind::kNumber},
                              {.name = "launches", .kind = Kind::kCount},
                              {.name = "window_s", .kind = Kind::kSeconds},
                              {.name = "global_by"}}};
  for (const char* prefix : {"", "local_", "global_"}) add_mean_columns(table.columns, prefix);
  const std::uint32_t ranks = input.head.ranks.empty() ? 0 : input.head.ranks.front();
  const double skew = skew_used(input, series);
  for (const RunTimeSeries& one : series) {
    for (std::size_t number = 0; number < one.bins.size(); ++number) {
      const std::optional<RunTimeBin>& bin = one.bins[number];
      if (!bin) continue;
      table.rows.push_back({clock_link(input),
                            ranks,
                            skew,
                            operation,
                            one.sync,
                            one.local ? "local" : "global",
                            number,
                            bin->seconds,
                            bin->since_sync_s,
                            bin->repetitions,
                            bin->left_out,
                            bin->q1_ns,
                            bin->median_ns,
                            bin->q3_ns,
                            bin->local_ns,
                            bin->global_ns,
                            bin->true_ns,
                            one.slope_ns_per_s,
                            one.launches,
                            one.window_s,
                            one.global_by.empty() ? Value() : Value(one.global_by)});
      for (const auto& mean : {bin->mean, bin->local_mean, bin->global_mean}) {
        add_mean(table.rows.back(), mean);
      }
    }
  }
  return table;
}

TidyTable lines_table(const std::vector<RunTimeSeries>& series) {
  TidyTable table{.id = "synchronisations",
                  .columns = {{.name = "sync"},
                              {.name = "time"},
                              {.name = "slope_ns_per_s",
                               .kind = Kind::kNumber,
                               .low = "slope_low_ns_per_s",
                               .high = "slope_high_ns_per_s"},
                              {.name = "slope_low_ns_per_s", .kind = Kind::kNumber},
                              {.name = "slope_high_ns_per_s", .kind = Kind::kNumber},
                              {.name = "drifts", .kind = Kind::kYesNo}}};
  for (const RunTimeSeries& one : series) {
    const auto known = [&](const auto& value) { return one.interval ? Value(value()) : Value(); };
    table.rows.push_back({one.sync, one.local ? "local" : "global", one.slope_ns_per_s,
                          known([&] { return one.interval->low; }),
                          known([&] { return one.interval->high; }),
                          one.local ? Value() : known([&] { return one.drifts(); })});
  }
  return table;
}

TidyTable empty_table(const std::vector<RunTimeSeries>& series) {
  TidyTable table{.id = "empty_bins",
                  .columns = {{.name = "sync"},
                              {.name = "bin", .kind = Kind::kCount},
                              {.name = "late", .kind = Kind::kCount},
                              {.name = "past_window", .kind = Kind::kCount},
                              {.name = "no_global", .kind = Kind::kCount},
                              {.name = "why"}}};
  for (const RunTimeSeries& one : series) {
    for (const EmptyBin& bin : one.empty) {
      table.rows.push_back(
          {one.sync, bin.number, bin.late, bin.past_window, bin.no_global, why_empty(bin)});
    }
  }
  return table;
}

// "- of skampi in 3 bins: 57 repetitions started late".
std::vector<std::string> empty_notes(const std::vector<RunTimeSeries>& series) {
  const std::vector<std::string> names = names_of(series);
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].empty.empty()) continue;
    EmptyBin all;
    for (const EmptyBin& bin : series[i].empty) {
      all.late += bin.late;
      all.past_window += bin.past_window;
      all.no_global += bin.no_global;
    }
    notes.push_back("- of " + names[i] + " in " + count_text(series[i].empty.size(), "bin") + ": " +
                    why_empty(all));
  }
  return notes;
}

// Bins of all synchronisations side by side.
TidyTable shown_bins(const std::vector<RunTimeSeries>& series) {
  std::vector<TextColumn> columns{{.header = "at"}};
  for (const std::string& name : names_of(series)) columns.push_back({.header = name});
  std::vector<std::vector<std::string>> texts;
  for (std::size_t bin = 0; !series.empty() && bin < series.front().bins.size(); ++bin) {
    std::vector<std::string> fields{""};
    for (const RunTimeSeries& one : series) {
      const std::optional<RunTimeBin>& cell = one.bins[bin];
      fields.push_back(cell ? us(cell->median_ns) : "-");
      if (cell && fields.front().empty()) fields.front() = fmt::format("{:.1f} s", cell->seconds);
    }
    texts.push_back(std::move(fields));
  }
  return terminal_table(columns, texts);
}

std::size_t left_out_of(const std::vector<RunTimeSeries>& series) {
  std::size_t left_out = 0;
  for (const RunTimeSeries& one : series) {
    for (const auto& bin : one.bins) left_out += bin ? bin->left_out : 0;
    for (const EmptyBin& bin : one.empty) left_out += bin.late + bin.past_window;
  }
  return left_out;
}

// Whose clocks the barrier's global times are of; empty: there are none, or nobody has recorded it.
std::string barrier_clock(const std::vector<RunTimeSeries>& series) {
  const auto barrier = std::ranges::find(series, true, &RunTimeSeries::local);
  return barrier == series.end() ? std::string() : barrier->global_by;
}

std::string at_text(const std::vector<RunTimeSeries>& series) {
  const std::vector<std::string> names = names_of(series);
  std::vector<std::string> since;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string one = since_text(series[i]);
    if (!one.empty()) since.push_back(names[i] + " " + one);
  }
  return "at: since the experiment began" +
         (since.empty() ? std::string()
                        : "; since the last synchronisation: " + base::join(since, ", "));
}

}  // namespace

std::string drift_sentence(const std::vector<RunTimeSeries>& series, const std::string& scope) {
  const std::vector<std::string> names = names_of(series);
  std::vector<std::string> drifting;
  std::vector<std::string> flat;
  std::vector<std::string> unknown;
  std::string control;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const RunTimeSeries& one = series[i];
    if (one.local && one.interval) {
      control = fmt::format(
          ". {}'s local times, which need no clocks, meanwhile {:+.2g} us a second "
          "[{:.2g}, {:.2g}]",
          names[i], *one.slope_ns_per_s / 1e3, one.interval->low / 1e3, one.interval->high / 1e3);
    } else if (!one.interval) {
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
  return text + control + ": " + scope + ".";
}

Answer runtime_answer(const ClockInput& input) {
  const std::vector<RunTimeSeries> series = read_run_times(input.rows, input.spec.bins);
  // An operation without a size has none in its orders.
  const std::string operation =
      input.spec.operation +
      (input.spec.size_bytes > 0 ? ", " + base::size_text(input.spec.size_bytes) : "");
  const std::string scope = clock_scope(input) + ", " + operation;
  const double skew = skew_used(input, series);
  Answer answer{.sentence = drift_sentence(series, scope),
                .scope = scope,
                .tables = {bins_table(input, series, operation), lines_table(series),
                           empty_table(series), shown_bins(series)}};
  answer.head = "median run-time in us over the time";
  const std::size_t launches = series.empty() ? 0 : series.front().launches;
  if (launches > 1) answer.head += fmt::format(", {} launches", launches);
  if (skew != 0) answer.head += fmt::format(", virtual clocks of {:+g} ppm", 1e6 * skew);
  answer.notes = {
      "MPI_Barrier: local times; the others: windows and global times, by clocks synchronised once "
      "before",
      at_text(series),
      count_text(left_out_of(series), "repetition") +
          " left out: started late, or longer than their window"};
  if (const std::string by = barrier_clock(series); !by.empty()) {
    answer.notes.push_back("MPI_Barrier's global times (CSV): by " + by);
  }
  if (launches > 1) {
    answer.notes.emplace_back(
        "intervals are over launches: of their slopes, and in CSV of their means in a bin");
  }
  for (std::string& note : empty_notes(series)) answer.notes.push_back(std::move(note));
  return answer;
}

}  // namespace invar::analysis
