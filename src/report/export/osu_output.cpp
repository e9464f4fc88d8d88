#include "report/export/osu_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/words/cell_columns.hpp"

namespace invar::report {
namespace {

using analysis::SuiteNumber;
using analysis::SuiteReport;
using analysis::SuiteRow;

// As their headers write them: "Allreduce", "Reduce_scatter".
std::string title(std::string operation) {
  if (!operation.empty() && operation[0] >= 'a' && operation[0] <= 'z') {
    operation[0] = static_cast<char>(operation[0] - 'a' + 'A');
  }
  return operation;
}

std::string datatype(const record::Cell& cell) {
  static const std::map<std::string, std::string, std::less<>> names{
      {"byte", "MPI_CHAR"}, {"int32", "MPI_INT"}, {"float", "MPI_FLOAT"}};
  const auto known = names.find(cell.datatype);
  return known == names.end() ? cell.datatype : known->second;
}

bool has_number(const SuiteReport& report, std::string_view name) {
  return std::ranges::find(report.numbers, name, &SuiteNumber::name) != report.numbers.end();
}

double number_us(const SuiteReport& report, std::string_view name) {
  return std::ranges::find(report.numbers, name, &SuiteNumber::name)->median_ns * 1e-3;
}

// For messages between single ranks they print one number: half a round trip, or a rate.
struct MessageTable {
  std::string_view benchmark;  // design::MessagePreset::benchmark
  std::string_view title;
  std::string_view column;
};
constexpr std::array<MessageTable, 3> kMessageTables{{
    {"osu_latency", "Latency", "Avg Latency(us)"},
    {"osu_bw", "Bandwidth", "Bandwidth (MB/s)"},
    {"osu_bibw", "Bi-Directional Bandwidth", "Bandwidth (MB/s)"},
}};

const MessageTable* message_table(const SuiteReport& report) {
  if (report.benchmark == nullptr) return nullptr;
  const auto* found =
      std::ranges::find(kMessageTables, report.benchmark->benchmark, &MessageTable::benchmark);
  return found == kMessageTables.end() ? nullptr : found;
}

// Nothing: a rate of no bytes.
std::optional<double> message_number(const SuiteReport& report) {
  constexpr std::string_view kMean = "avg";
  if (!has_number(report, kMean)) return std::nullopt;
  const double time_us = number_us(report, kMean);
  if (report.benchmark->printed != design::Printed::kMegabytesPerS) return time_us;
  return analysis::megabytes_per_s(report, time_us * 1e3);
}

std::string header(const record::Cell& cell, const MessageTable& table) {
  return fmt::format("\n# OSU MPI {} Test v7.5\n# Datatype: {}.\n{:<10}{:>18}\n", table.title,
                     datatype(cell), "# Size", table.column);
}

std::string header(const record::Cell& cell) {
  std::string text = fmt::format("\n# OSU MPI {} Latency Test v7.5\n", title(cell.operation));
  if (!cell.size_bytes) {
    return text + fmt::format("# Avg Latency(us){:>18}{:>18}{:>12}\n", "Min Latency(us)",
                              "Max Latency(us)", "Iterations");
  }
  return text + fmt::format("# Datatype: {}.\n{:<10}{:>18}{:>18}{:>18}{:>12}\n", datatype(cell),
                            "# Size", "Avg Latency(us)", "Min Latency(us)", "Max Latency(us)",
                            "Iterations");
}

std::string line(const SuiteRow& row, const SuiteReport& report) {
  if (message_table(report) != nullptr) {
    return fmt::format("{:<10}{:>18.2f}\n", row.suite_size_bytes, *message_number(report));
  }
  const std::string times = fmt::format("{:>18.2f}{:>18.2f}{:>12.0f}\n", number_us(report, "min"),
                                        number_us(report, "max"), report.calls);
  if (!row.cell.size_bytes) return fmt::format("{:>17.2f}", number_us(report, "avg")) + times;
  return fmt::format("{:<10}{:>18.2f}", row.suite_size_bytes, number_us(report, "avg")) + times;
}

std::string benchmark_of(const SuiteRow& row) {
  const MessageTable* table = message_table(row.suites.front());
  return table == nullptr ? "osu_" + row.cell.operation : std::string(table->benchmark);
}

// Without what a file's name should not have.
std::string file_name(std::string text) {
  for (char& c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-' || c == '+' || c == '#';
    if (!plain) c = '_';
  }
  return text;
}

}  // namespace

bool has_osu_numbers(const SuiteReport& report) {
  if (message_table(report) != nullptr) return message_number(report).has_value();
  constexpr std::array<std::string_view, 3> kNames{"avg", "min", "max"};
  return std::ranges::all_of(kNames,
                             [&](std::string_view name) { return has_number(report, name); });
}

std::vector<OsuOutput> osu_outputs(const analysis::ShownAs& shown) {
  // What tells an operation's files apart; others may differ in what it does not have.
  std::map<std::string, std::vector<record::Cell>> cells_of;
  for (const SuiteRow& row : shown.rows) {
    if (has_osu_numbers(row.suites.front())) cells_of[benchmark_of(row)].push_back(row.cell);
  }
  std::vector<OsuOutput> outputs;
  std::map<std::string, std::vector<const SuiteRow*>> rows_of;
  for (const SuiteRow& row : shown.rows) {
    if (!has_osu_numbers(row.suites.front())) continue;
    std::string name = benchmark_of(row);
    const std::vector<record::Factor> varying = analysis::varying_factors(cells_of.at(name));
    name += "-" + row.arm;
    for (const record::Factor& factor : varying) {
      name += "-" + std::string(factor.name) + "_" + factor.text(row.cell);
    }
    name = file_name(std::move(name));
    std::vector<const SuiteRow*>& rows = rows_of[name];
    if (rows.empty()) outputs.push_back({.name = name});
    rows.push_back(&row);
  }
  for (OsuOutput& output : outputs) {
    std::vector<const SuiteRow*>& rows = rows_of[output.name];
    std::ranges::stable_sort(rows, {}, [](const SuiteRow* row) { return row->cell.size_bytes; });
    const SuiteRow& first = *rows.front();
    const MessageTable* table = message_table(first.suites.front());
    output.text = table == nullptr ? header(first.cell) : header(first.cell, *table);
    for (const SuiteRow* row : rows) output.text += line(*row, row->suites.front());
  }
  return outputs;
}

}  // namespace invar::report
