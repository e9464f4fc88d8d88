#include "analysis/questions/self_test_tables.hpp"

#include <stdexcept>

#include "stats/describe/moments.hpp"
#include "stats/test/binomial.hpp"
#include "stats/test/student.hpp"

namespace invar::analysis {
namespace {

constexpr double kLimitLevel = 0.01;
constexpr double kShareConfidence = 0.95;

std::size_t tables_of(std::span<const KnownCell> cells, std::size_t groups) {
  if (groups < 2) throw std::invalid_argument("a table needs two launch groups");
  return cells.empty() ? 0 : cells.front().equal.size() / groups;
}

stats::TableCell part(const KnownCell& cell, const std::vector<double>& d, std::size_t table,
                      std::size_t groups) {
  return {.differences = {.d = std::span<const double>(d).subspan(table * groups, groups),
                          .variance_floor = cell.variance_floor},
          .resolution = cell.resolution};
}

std::vector<stats::TableCell> equal_table(std::span<const KnownCell> cells, std::size_t table,
                                          std::size_t groups) {
  std::vector<stats::TableCell> parts;
  parts.reserve(cells.size());
  for (const KnownCell& cell : cells) parts.push_back(part(cell, cell.equal, table, groups));
  return parts;
}

}  // namespace

FalseVerdicts judge_equal(std::span<const KnownCell> cells, std::size_t groups,
                          const stats::DecisionRule& rule, stats::Correction correction) {
  FalseVerdicts result{.groups = groups, .tables = tables_of(cells, groups)};
  std::vector<double> shares;
  shares.reserve(result.tables);
  for (std::size_t table = 0; table < result.tables; ++table) {
    const std::vector<stats::TableRow> rows =
        stats::compare_table(equal_table(cells, table, groups), rule, correction);
    std::size_t wrong = 0;
    std::size_t below = 0;
    for (const stats::TableRow& row : rows) {
      wrong += row.verdict == stats::Verdict::kFaster || row.verdict == stats::Verdict::kSlower;
      below += row.plain.p && *row.plain.p <= rule.alpha ? 1U : 0U;
    }
    result.cells += rows.size();
    result.cells_wrong += wrong;
    result.tables_wrong += wrong > 0 ? 1U : 0U;
    shares.push_back(static_cast<double>(below) / static_cast<double>(rows.size()));
  }
  result.tables_limit = stats::binomial_limit(result.tables, rule.alpha, kLimitLevel);
  if (shares.empty()) return result;
  result.uncorrected_share = stats::mean(shares);
  if (const auto test = stats::t_test(shares, {.confidence = kShareConfidence})) {
    result.uncorrected_interval = test->interval;
  }
  return result;
}

Power judge_planted(std::span<const KnownCell> cells, std::size_t level, std::size_t groups,
                    const stats::DecisionRule& rule, stats::Correction correction) {
  Power result{.groups = groups, .tables = tables_of(cells, groups)};
  result.found_by_cell.resize(cells.size());
  if (result.tables == 0) return result;
  double found = 0;
  double equivalent = 0;
  std::size_t testable = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].testable.at(level)) continue;
    std::size_t hits = 0;
    std::size_t equals = 0;
    for (std::size_t table = 0; table < result.tables; ++table) {
      std::vector<stats::TableCell> parts = equal_table(cells, table, groups);
      parts[i] = part(cells[i], cells[i].planted.at(level), table, groups);
      const stats::TableRow row = stats::compare_table(parts, rule, correction)[i];
      hits += row.rejected && row.plain.ratio < 1 ? 1U : 0U;
      equals += row.verdict == stats::Verdict::kEquivalent ? 1U : 0U;
    }
    const auto tables = static_cast<double>(result.tables);
    result.found_by_cell[i] = static_cast<double>(hits) / tables;
    found += static_cast<double>(hits) / tables;
    equivalent += static_cast<double>(equals) / tables;
    ++testable;
  }
  if (testable > 0) {
    result.found = found / static_cast<double>(testable);
    result.equivalent = equivalent / static_cast<double>(testable);
  }
  return result;
}

}  // namespace invar::analysis
