// barriers: how far apart ranks leave them, as an answer.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/clocks/clock_answers.hpp"
#include "analysis/clocks/clock_barriers.hpp"
#include "base/units.hpp"

namespace invar::analysis {
namespace {

using base::duration_text;

// Which rank is last is told by means, as the page draws them; rows from before means were recorded
// have medians only.
bool has_means(const BarrierRow& row) {
  return std::ranges::all_of(row.behind_mean, [](const auto& mean) { return mean.has_value(); });
}

bool all_have_means(const Barriers& barriers) {
  return std::ranges::all_of(
      barriers.rows, [](const BarrierRow& row) { return row.repetitions == 0 || has_means(row); });
}

// "1 +0.100 us": the rank whose exit is last, and by how much.
std::string last_text(const BarrierRow& row, bool by_means) {
  std::vector<double> behind_ns = row.behind_ns;
  if (by_means) {
    behind_ns.clear();
    for (const auto& mean : row.behind_mean) behind_ns.push_back(mean->mean);
  }
  const auto last = std::ranges::max_element(behind_ns);
  if (last == behind_ns.end()) return "";
  return fmt::format("{} +{}", last - behind_ns.begin(), duration_text(*last));
}

// A row a method and rank; times of a method stand in each.
TidyTable ranks_table(const ClockInput& input, const Barriers& barriers) {
  TidyTable table{.id = "barriers",
                  .columns = {{.name = "library"},
                              {.name = "ranks", .kind = Kind::kCount},
                              {.name = "method"},
                              {.name = "repetitions", .kind = Kind::kCount},
                              {.name = "left_out", .kind = Kind::kCount},
                              {.name = "entry_skew_median_ns", .kind = Kind::kTime},
                              {.name = "exit_q1_ns", .kind = Kind::kTime},
                              {.name = "exit_median_ns", .kind = Kind::kTime},
                              {.name = "exit_q3_ns", .kind = Kind::kTime},
                              {.name = "exit_p95_ns", .kind = Kind::kTime},
                              {.name = "exit_p99_ns", .kind = Kind::kTime},
                              {.name = "time_median_ns", .kind = Kind::kTime},
                              {.name = "sigma_ns", .kind = Kind::kTime},
                              {.name = "rank", .kind = Kind::kCount},
                              {.name = "behind_median_ns", .kind = Kind::kTime},
                              {.name = "launches", .kind = Kind::kCount}}};
  add_mean_columns(table.columns, "behind_");
  const std::uint32_t ranks = input.head.ranks.empty() ? 0 : input.head.ranks.front();
  for (const BarrierRow& row : barriers.rows) {
    // Where no repetition counts there are no times.
    const auto known = [&](const Value& value) { return row.repetitions > 0 ? value : Value(); };
    for (std::size_t rank = 0; rank < row.behind_ns.size(); ++rank) {
      table.rows.push_back(
          {clock_link(input), ranks, row.method, row.repetitions, row.left_out,
           known(row.entry_skew_ns), known(row.exit_ns.q1_ns), known(row.exit_ns.median_ns),
           known(row.exit_ns.q3_ns), row.exit_ns.p95_ns, row.exit_ns.p99_ns, known(row.time_ns),
           barriers.sigma_ns, rank, known(row.behind_ns[rank]), barriers.launches});
      add_mean(table.rows.back(), row.behind_mean[rank]);
    }
  }
  return table;
}

TidyTable shown_methods(const Barriers& barriers) {
  std::vector<TextColumn> columns{{.header = "method", .left = true}};
  for (const char* name : {"count", "left out", "entry skew", "Q1", "median", "Q3", "95 %", "99 %",
                           "takes", "last rank"}) {
    columns.push_back({.header = name});
  }
  std::vector<std::vector<std::string>> texts;
  const bool by_means = all_have_means(barriers);
  const auto tail = [](std::optional<double> ns) { return ns ? duration_text(*ns) : "-"; };
  for (const BarrierRow& row : barriers.rows) {
    std::vector<std::string> fields{row.method, std::to_string(row.repetitions),
                                    std::to_string(row.left_out)};
    if (row.repetitions == 0) {
      fields.insert(fields.end(), columns.size() - fields.size(), "-");
    } else {
      // A window is what started: there is nothing between its entry and its exit.
      const bool start = row.method == "window";
      const BarrierQuantiles& q = row.exit_ns;
      fields.insert(
          fields.end(),
          {start ? "-" : duration_text(row.entry_skew_ns), duration_text(q.q1_ns),
           duration_text(q.median_ns), duration_text(q.q3_ns), tail(q.p95_ns), tail(q.p99_ns),
           start ? "-" : duration_text(row.time_ns), last_text(row, by_means)});
    }
    texts.push_back(std::move(fields));
  }
  return terminal_table(columns, texts);
}

std::string closest_sentence(const Barriers& barriers, const std::string& scope) {
  std::vector<const BarrierRow*> known;
  for (const BarrierRow& row : barriers.rows) {
    if (row.repetitions > 0) known.push_back(&row);
  }
  if (known.empty()) return "No start of the ranks counted: " + scope + ".";
  const auto apart = [](const BarrierRow* row) { return duration_text(row->exit_ns.median_ns); };
  std::string text = fmt::format("Ranks start closest together by {}, {} apart in the median",
                                 known.front()->method, apart(known.front()));
  if (known.size() > 1) {
    text +=
        fmt::format(", and furthest apart by {}, {}", known.back()->method, apart(known.back()));
  }
  return text + ": " + scope + ".";
}

}  // namespace

Answer barriers_answer(const ClockInput& input) {
  const Barriers barriers = read_barriers(input.rows);
  const std::string scope = clock_scope(input);
  Answer answer{.sentence = closest_sentence(barriers, scope),
                .scope = scope,
                .tables = {ranks_table(input, barriers), shown_methods(barriers)}};
  answer.head = "latest - earliest exit after a common start by the clock";
  if (barriers.sigma_ns > 0) {
    answer.head +=
        fmt::format("; global times to +-{} (1 sigma, by mesh)", duration_text(barriers.sigma_ns));
  }
  if (barriers.launches > 1) answer.head += fmt::format("; {} launches", barriers.launches);
  answer.notes = {
      fmt::format("entry skew, takes (last entry to last exit): medians; last rank: whose {} exit "
                  "is latest",
                  all_have_means(barriers) ? "mean" : "median"),
      "left out: a rank started late or was not done before the next start"};
  return answer;
}

}  // namespace invar::analysis
