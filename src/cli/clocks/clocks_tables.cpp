#include "cli/clocks/clocks_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/clocks/clock_table.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "clock/algorithm.hpp"

namespace invar::cli {
namespace {

struct TableExperiment {
  const char* name;
  const char* source;
  const char* summary;
};
constexpr TableExperiment kTableExperiments[] = {
    {"accuracy", "paper 002, figures 8 and 9",
     "error of every algorithm, 0, 5, 20 s after its end; * mesh tracked"},
    {"pareto", "paper 002, figure 10", "error against the time that a synchronisation takes"},
    {"scaling", "paper 002, figure 8", "error and time over the number of ranks"},
    {"tracking", "docs/clocks.md", "* mesh over a minute: not tracked, predicted, smoothed"},
    {"resolution", "docs/clocks.md", "+ cost, resolution, steps back and rate of every clock"},
    {"drift", "paper 002, figure 6", "+ clocks against rank 0's over time"},
    {"barriers", "paper 002, figure 4", "+ how far apart ranks leave barriers"},
    {"runtime-over-time", "paper 002, figures 1, 7, 11",
     "+ an operation's run-time under every synchronisation"},
    {"local-global", "paper 002, figure 3", "+ local against global run-time, per synchronisation"},
    {"sync-bias", "docs/clocks.md", "+ what a comparison owes to its synchronisation"},
};

std::string time_text(double ns) { return base::duration_text(ns); }

std::string head_text(const ClockContext& context, std::size_t trials) {
  if (context.link != "simulated") {
    return fmt::format("{}, {}, {}: median over synchronisations of the worst rank's error, {}\n",
                       context.link,
                       base::count_text(static_cast<std::uint64_t>(context.ranks), "rank"),
                       context.network, base::count_text(trials, "synchronisation"));
  }
  return fmt::format(
      "{} network, {}{}, {}: median over seeds of the worst rank's error\n", context.network,
      base::count_text(static_cast<std::uint64_t>(context.ranks), "rank"),
      context.ranks_per_host > 1 ? fmt::format(" ({} a host)", context.ranks_per_host) : "",
      base::count_text(trials, "seed"));
}

std::string context_csv(const ClockContext& context) {
  return fmt::format("{},{},{},{}", context.link, base::csv_field(context.network), context.ranks,
                     context.ranks_per_host);
}

std::string spread_csv(const clocksim::Spread& spread) {
  return fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", spread.least, spread.lower,
                     spread.median, spread.upper, spread.most);
}

}  // namespace

std::string clock_lists_text() {
  std::string text =
      "Experiments (invar clocks NAME --help; *: also with --library, +: only with it)\n";
  auto out = std::back_inserter(text);
  for (const TableExperiment& e : kTableExperiments) {
    fmt::format_to(out, "  {:<19}{:<68}{}\n", e.name, e.summary, e.source);
  }
  text += "\nAlgorithms and their parameters (NAME:parameter=value:...)\n";
  for (const clock::Algorithm& algorithm : clock::algorithms()) {
    fmt::format_to(out, "  {:<10}{}\n            {}\n", algorithm.name, algorithm.summary,
                   algorithm.source);
    for (const clock::Parameter& p : algorithm.parameters) {
      fmt::format_to(out, "              {:<22}{:<8g}{}\n", p.name, p.value, p.meaning);
    }
  }
  text +=
      "\nSimulated networks (--network NAME, or replay:FILE with one round trip in ns a line)\n";
  for (const clocksim::Network& network : clocksim::networks()) {
    fmt::format_to(out, "  {:<12}{}\n", network.name, network.summary);
  }
  return text;
}

std::string clock_lists_csv() {
  std::string text = "kind,name,parameter,default,least,most,summary,source\n";
  auto out = std::back_inserter(text);
  for (const TableExperiment& e : kTableExperiments) {
    fmt::format_to(out, "experiment,{},,,,,{},{}\n", e.name, base::csv_field(e.summary),
                   base::csv_field(e.source));
  }
  for (const clock::Algorithm& a : clock::algorithms()) {
    fmt::format_to(out, "algorithm,{},,,,,{},{}\n", a.name, base::csv_field(a.summary),
                   base::csv_field(a.source));
    for (const clock::Parameter& p : a.parameters) {
      fmt::format_to(out, "parameter,{},{},{:g},{:g},{:g},{},\n", a.name, p.name, p.value, p.least,
                     p.most, base::csv_field(p.meaning));
    }
  }
  for (const clocksim::Network& network : clocksim::networks()) {
    fmt::format_to(out, "network,{},,,,,{},\n", network.name, base::csv_field(network.summary));
  }
  return text;
}

std::string accuracy_text(const std::vector<clocksim::AccuracyRow>& rows,
                          const ClockContext& context) {
  if (rows.empty()) return {};
  std::string text = head_text(context, rows[0].trials) + "\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  {:<34}{:>10}", "algorithm", "takes");
  // Rows come algorithm by algorithm, each with the same times.
  for (std::size_t i = 0; i < rows.size() && rows[i].algorithm == rows[0].algorithm; ++i) {
    if (i > 0 && rows[i].after_s == rows[0].after_s) break;
    fmt::format_to(out, "{:>14}", fmt::format("after {:g} s", rows[i].after_s));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].after_s == rows[0].after_s) {
      fmt::format_to(out, "\n  {:<34}{:>10}", rows[i].algorithm,
                     time_text(rows[i].seconds.median * 1e9));
    }
    fmt::format_to(out, "{:>14}", time_text(rows[i].worst_ns.median));
  }
  text += "\n";
  return text;
}

std::string accuracy_csv(const std::vector<clocksim::AccuracyRow>& rows,
                         const ClockContext& context, bool header) {
  std::string text;
  if (header) {
    text = std::string(analysis::clock_csv_header("accuracy")) + "\n";
  }
  for (const clocksim::AccuracyRow& row : rows) {
    text += fmt::format("{},{},{},{:g},{:.6g},{},{}\n", context_csv(context),
                        base::csv_field(row.algorithm), row.trials, row.after_s, row.seconds.median,
                        spread_csv(row.worst_ns), spread_csv(row.typical_ns));
  }
  return text;
}

std::string pareto_text(const std::vector<clocksim::ParetoRow>& rows, const ClockContext& context,
                        double after_s) {
  if (rows.empty()) return {};
  std::string text = head_text(context, rows[0].row.trials);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:g} s after the synchronisation; *: on the frontier\n\n", after_s);
  fmt::format_to(out, "    {:<40}{:>12}{:>14}\n", "settings", "takes", "worst error");
  for (const clocksim::ParetoRow& row : rows) {
    fmt::format_to(out, "  {} {:<40}{:>12}{:>14}\n", row.frontier ? "*" : " ", row.row.algorithm,
                   time_text(row.row.seconds.median * 1e9), time_text(row.row.worst_ns.median));
  }
  text += "\nbarrier: no clocks; the spread of the ranks' exits from a dissemination barrier\n";
  return text;
}

std::string pareto_csv(const std::vector<clocksim::ParetoRow>& rows, const ClockContext& context) {
  std::string text = std::string(analysis::clock_csv_header("pareto")) + "\n";
  for (const clocksim::ParetoRow& row : rows) {
    text += fmt::format("{},{},{},{:g},{:.6g},{:.6g},{}\n", context_csv(context),
                        base::csv_field(row.row.algorithm), row.row.trials, row.row.after_s,
                        row.row.seconds.median, row.row.worst_ns.median, row.frontier ? 1 : 0);
  }
  return text;
}

std::string scaling_text(const std::vector<ScalingRow>& rows, const ClockContext& context) {
  if (rows.empty()) return {};
  std::string text =
      fmt::format("{} network, {}: median over seeds of the worst rank's error directly after\n\n",
                  context.network, base::count_text(rows[0].row.trials, "seed"));
  auto out = std::back_inserter(text);
  fmt::format_to(out, "  {:>7}  {:<34}{:>12}{:>14}{:>16}\n", "ranks", "algorithm", "takes",
                 "worst error", "median error");
  for (const ScalingRow& row : rows) {
    fmt::format_to(out, "  {:>7}  {:<34}{:>12}{:>14}{:>16}\n", row.ranks, row.row.algorithm,
                   time_text(row.row.seconds.median * 1e9), time_text(row.row.worst_ns.median),
                   time_text(row.row.typical_ns.median));
  }
  return text;
}

std::vector<TrackingRow> tracking_rows(const std::vector<TrackingErrors>& machines) {
  constexpr std::size_t kRows = 6;
  std::vector<TrackingRow> rows;
  const TrackingErrors& first = machines.at(0);
  const std::size_t count = std::min(first.predicted_ns.size(), first.smoothed_ns.size());
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t begin = i * count / kRows;
    const std::size_t end = (i + 1) * count / kRows;
    if (begin == end) continue;
    const auto part = [&](std::vector<double> TrackingErrors::*which) {
      std::vector<double> all;
      all.reserve(machines.size() * (end - begin));
      for (const TrackingErrors& machine : machines) {
        const std::vector<double>& errors = machine.*which;
        all.insert(all.end(), errors.begin() + static_cast<std::ptrdiff_t>(begin),
                   errors.begin() + static_cast<std::ptrdiff_t>(end));
      }
      return clocksim::spread_of(std::move(all));
    };
    const double until_s = std::round(100 * first.step_s * static_cast<double>(end)) / 100;
    rows.push_back({until_s, machines.size(), part(&TrackingErrors::untracked_ns),
                    part(&TrackingErrors::predicted_ns), part(&TrackingErrors::smoothed_ns)});
  }
  return rows;
}

std::string tracking_text(const std::vector<TrackingRow>& rows, const ClockContext& context) {
  std::string text = fmt::format(
      "{}, {}, mesh{}: worst rank's error, median (and largest)\n\n",
      context.link == "simulated" ? context.network + " network"
                                  : context.link + ", " + context.network,
      base::count_text(static_cast<std::uint64_t>(context.ranks), "rank"),
      rows.empty() || rows[0].machines == 1 ? ""
                                            : ", " + base::count_text(rows[0].machines, "seed"));
  auto out = std::back_inserter(text);
  const auto cell = [](const clocksim::Spread& spread) {
    return fmt::format("{} ({})", time_text(spread.median), time_text(spread.most));
  };
  fmt::format_to(out, "  {:<12}{:>26}{:>26}{:>26}\n", "until", "first model", "predicted",
                 "smoothed");
  for (const TrackingRow& row : rows) {
    fmt::format_to(out, "  {:<12}{:>26}{:>26}{:>26}\n", fmt::format("{:g} s", row.seconds),
                   cell(row.untracked_ns), cell(row.predicted_ns), cell(row.smoothed_ns));
  }
  return text;
}

std::string tracking_csv(const std::vector<TrackingRow>& rows, const ClockContext& context,
                         std::optional<double> tracking_share) {
  std::string text = std::string(analysis::clock_csv_header("tracking")) + "\n";
  const std::string share = tracking_share ? fmt::format("{:.4g}", *tracking_share) : "";
  for (const TrackingRow& row : rows) {
    const auto line = [&](const char* name, const clocksim::Spread& spread) {
      text += fmt::format("{},{:g},{},{:.6g},{:.6g},{:.6g},{}\n", context_csv(context), row.seconds,
                          name, spread.median, spread.high, spread.most, share);
    };
    line("first-model", row.untracked_ns);
    line("predicted", row.predicted_ns);
    line("smoothed", row.smoothed_ns);
  }
  return text;
}

}  // namespace invar::cli
