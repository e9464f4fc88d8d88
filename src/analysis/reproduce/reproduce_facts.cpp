#include "analysis/reproduce/reproduce_facts.hpp"

#include "analysis/compare/compared_table.hpp"
#include "design/campaign/presets.hpp"
#include "stats/describe/quantile.hpp"

namespace invar::analysis {
namespace {

Value list_of(const std::vector<std::optional<double>>& values) {
  return List(values.begin(), values.end());
}

Value box_value(const stats::TukeyBox& box) {
  return Record{{"low", box.low},
                {"q1", box.first_quartile},
                {"median", box.median},
                {"q3", box.third_quartile},
                {"high", box.high}};
}

Value spread_value(const std::optional<Spread>& spread) {
  if (!spread) return {};
  return Record{{"repeats", spread->repeats},
                {"least", spread->least},
                {"largest", spread->largest},
                {"spread", spread->spread},
                {"box", box_value(spread->box)}};
}

Value summary_value(const Reproduced& result, const ReproducedMethod& method,
                    const std::optional<SpreadSummary>& summary) {
  if (!summary) return {};
  const ReproducedCell& worst = method.cells[summary->worst_cell];
  return Record{{"count", summary->count},
                {"median", summary->median},
                {"worst", summary->worst},
                {"worst_cell", Record{{"", result.cells[worst.cell]}}},
                {"worst_arm", result.arms[worst.arm].label},
                {"box", box_value(summary->box)}};
}

Value cell_value(const Reproduced& result, const ReproducedCell& row) {
  List verdicts;
  for (const std::optional<stats::Verdict>& verdict : row.verdicts) {
    verdicts.push_back(verdict ? Value(stats::to_string(*verdict)) : Value());
  }
  return Record{{"", result.cells[row.cell]},
                {"arm", result.arms[row.arm].label},
                {"times_ns", list_of(row.times_ns)},
                {"normalised_times", list_of(normalised(row.times_ns))},
                {"time_ns", spread_value(row.time)},
                {"ratios", list_of(row.ratios)},
                {"normalised_ratios", list_of(normalised(row.ratios))},
                {"ratio", spread_value(row.ratio)},
                {"winner_changed", row.winner_changed},
                {"verdicts", std::move(verdicts)},
                {"missing", row.missing.empty() ? Value() : Value(row.missing)}};
}

Value method_value(const Reproduced& result, const ReproducedMethod& method) {
  const design::Preset* preset = design::find_preset(method.name);
  std::vector<double> seconds = method.machine_s;
  const bool judged = method.judged.has_value();
  List cells;
  for (const ReproducedCell& row : method.cells) cells.push_back(cell_value(result, row));
  return Record{{"method", method.name},
                {"number", taken_name(method.taken)},
                {"suite", preset == nullptr ? Value() : Value(preset->suite)},
                {"shares_time", method.shares_time},
                {"machine_s", List(method.machine_s.begin(), method.machine_s.end())},
                {"median_machine_s", stats::median_in_place(seconds)},
                {"times", summary_value(result, method, method.times)},
                {"ratios", summary_value(result, method, method.ratios)},
                {"comparisons", method.comparisons},
                {"winners_changed", method.winners_changed},
                {"judged", method.judged},
                {"opposite_verdicts", judged ? Value(method.opposite_verdicts) : Value()},
                {"decided_alike", judged ? Value(method.decided_alike) : Value()},
                {"cells", std::move(cells)}};
}

}  // namespace

Record reproduce_facts(const Reproduced& result) {
  List methods;
  for (const ReproducedMethod& method : result.methods) {
    methods.push_back(method_value(result, method));
  }
  return {{"repeats", result.repeats},
          {"budget_s", result.budget_s},
          {"min_effect", result.min_effect},
          {"arms", arms_value(result.arms)},
          {"methods", std::move(methods)}};
}

}  // namespace invar::analysis
