// Pictures of answers' tables: what is a panel, a series, a point.
#include "report/export/line_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/p2p/p2p.hpp"
#include "report/export/figure_pgf.hpp"

namespace invar::report {
namespace {

using analysis::Kind;
using analysis::Value;
using analysis::Word;
using testing::HasSubstr;

// One rule at 8 B, at 0 B, of an operation without a size, and where it is not measured.
analysis::Answer answer_about_guidelines() {
  analysis::TidyTable table{
      .id = "guidelines",
      .columns = {
          {.name = "rule"},
          {.name = "arm"},
          {.name = "ranks", .kind = Kind::kCount},
          {.name = "size_bytes", .kind = Kind::kBytes},
          {.name = "factor", .kind = Kind::kRatio, .low = "factor_low", .high = "factor_high"},
          {.name = "factor_low", .kind = Kind::kRatio},
          {.name = "factor_high", .kind = Kind::kRatio},
          {.name = "verdict", .kind = Kind::kVerdict}}};
  const Value violated(Word{.name = "violated", .words = "violated"});
  const Value absent(Word{.name = "not-measured", .words = "not measured"});
  table.rows = {{"GL3", "openmpi", 2, 8, 1.5, 1.4, 1.6, violated},
                {"GL3", "openmpi", 2, 0, 1.5, 1.4, 1.6, violated},
                {"GL3", "openmpi", 2, Value(), 1.5, 1.4, 1.6, violated},
                {"GL4", Value(), Value(), Value(), Value(), Value(), Value(), absent}};
  return {.question = "guidelines", .tables = {table}};
}

TEST(LineFigures, OfGuidelinesHaveAPanelARuleAndASeriesAVerdict) {
  const std::vector<LineFigure> figures = line_figures(answer_about_guidelines());
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].name, "guideline-factors");
  EXPECT_EQ(figures[0].table.csv(),
            "panel,series,x,y,low,high,rule,arm,ranks,size_bytes,factor,factor_low,factor_high,"
            "verdict\n"
            "\"openmpi, 2 ranks, GL3\",violated,8,1.5,1.4,1.6,GL3,openmpi,2,8,1.5,1.4,1.6,"
            "violated\n")
      << "without a size there is no place on a logarithmic axis of sizes";
}

// Their column of sizes is one of the answer's, not the axis of cells.
TEST(LineFigures, WithAColumnOfSizesAreWrittenForTex) {
  const std::vector<FigureFile> files =
      pgf_files({line_figures(answer_about_guidelines()).at(0).table});
  const auto data = std::ranges::find(files, "data/guideline-factors-1-1.csv", &FigureFile::path);
  ASSERT_NE(data, files.end());
  EXPECT_THAT(data->text, HasSubstr(",size_bytes,"));
  EXPECT_THAT(data->text, HasSubstr("\n1,1,8,1.5,1.4,1.6,"));
}

// The names of its tables and columns are those that the figures ask for.
TEST(LineFigures, OfMessagesAreLatencyBandwidthQueuesAndSteps) {
  const record::Cell pingpong{.operation = "pingpong", .size_bytes = 8};
  const analysis::TimeEstimate time{.median_ns = 400,
                                    .interval_ns = stats::Interval{390, 410, 0.95}};
  analysis::P2p found{.arms = {{.label = "openmpi"}}};
  found.latency = {{.arm = "openmpi", .cell = pingpong, .half_round_trip = time}};
  found.rates = {{.arm = "openmpi",
                  .cell = pingpong,
                  .time = time,
                  .bandwidth_gb_s = analysis::Rate{.value = 0.04}}};
  for (const std::uint32_t count : {0U, 16U, 256U}) {
    found.queues.rows.push_back({.arm = "openmpi",
                                 .cell = pingpong,
                                 .kind = "pending, any source",
                                 .count = count,
                                 .time = time});
  }
  found.steps.curves = {{.place = {.operation = "pingpong"},
                         .label = "openmpi",
                         .points = {{.size_bytes = 8, .time = time}}}};
  const std::vector<LineFigure> figures = line_figures(analysis::answer_of(found));
  ASSERT_EQ(figures.size(), 4U);
  const auto rows_of = [&](std::string_view name) {
    return std::ranges::find(figures, name, &LineFigure::name)->table.rows.size();
  };
  EXPECT_EQ(rows_of("latency"), 1U);
  EXPECT_EQ(rows_of("bandwidth"), 1U);
  EXPECT_EQ(rows_of("queues"), 2U) << "no entries have no place on a logarithmic axis";
  EXPECT_EQ(rows_of("steps"), 1U);
  EXPECT_THAT(std::ranges::find(figures, "queues", &LineFigure::name)->table.csv(),
              HasSubstr("\"openmpi, pending, any source\",16,400,390,410"));
}

// Points of two pieces, of a series without a line, and of the machine's other regime.
analysis::Answer answer_about_a_network() {
  analysis::TidyTable table{
      .id = "points",
      .columns = {
          {.name = "arm"},
          {.name = "place"},
          {.name = "regime"},
          {.name = "series"},
          {.name = "size_bytes", .kind = Kind::kBytes},
          {.name = "time_ns", .kind = Kind::kTime, .low = "time_low_ns", .high = "time_high_ns"},
          {.name = "time_low_ns", .kind = Kind::kTime},
          {.name = "time_high_ns", .kind = Kind::kTime},
          {.name = "piece", .kind = Kind::kCount},
          {.name = "fitted_ns", .kind = Kind::kTime},
          {.name = "residual", .kind = Kind::kShare}}};
  const Value none;
  table.rows = {{"openmpi", none, none, "send", 8, 100.0, 95.0, 106.0, 1, 101.0, -0.01},
                {"openmpi", none, none, "send", 8192, 900.0, none, none, 2, 880.0, 0.02},
                {"openmpi", none, "canary 0.5 us", "send", 8, 300.0, 290.0, 310.0, 1, 300.0, 0.0},
                {"openmpi", none, none, "isend", 8, 70.0, 69.0, 71.0, 1, 70.0, 0.0},
                {"openmpi", none, none, "train", 8, 700.0, 690.0, 710.0, none, none, none}};
  return {.question = "network", .tables = {table}};
}

const LineFigure& figure_named(const std::vector<LineFigure>& figures, std::string_view name) {
  return *std::ranges::find(figures, name, &LineFigure::name);
}

TEST(LineFigures, OfNetworksHaveLinesBesideTheirPoints) {
  const std::vector<LineFigure> figures = line_figures(answer_about_a_network());
  ASSERT_EQ(figures.size(), 4U);
  const LineFigure& pieces = figure_named(figures, "network-pieces");
  EXPECT_EQ(pieces.table.rows.size(), 3U) << "without the other regime, and what has no line";
  EXPECT_THAT(pieces.table.csv(),
              testing::StartsWith("panel,series,x,y,low,high,arm,place,regime,answer_series,"))
      << "scripts find columns by their names";
  EXPECT_THAT(pieces.table.csv(), HasSubstr("\nsend,openmpi,8192,900,,,"));
  EXPECT_THAT(line_settings(pieces, "r"), HasSubstr("fit = \"fitted_ns\""));
  EXPECT_THAT(line_settings(pieces, "python"), HasSubstr("\"piece\": \"piece\""));
  EXPECT_THAT(line_settings(pieces, "pgfplots"),
              HasSubstr("\\def\\invarfit{fitted_ns}\\def\\invarpieces{2}"));
  EXPECT_THAT(figure_named(figures, "network-check").table.rows, testing::IsEmpty())
      << "nothing was simulated";
}

TEST(LineFigures, OfOverheadsHaveTheSeriesThatAreAskedForAlone) {
  const std::vector<LineFigure> figures = line_figures(answer_about_a_network());
  const LineFigure& overheads = figure_named(figures, "network-overheads");
  EXPECT_EQ(overheads.table.rows.size(), 2U);
  EXPECT_THAT(overheads.table.csv(), HasSubstr("\n,\"openmpi, send\",8,100,95,106,"));
  EXPECT_THAT(line_settings(overheads, "pgfplots"), testing::Not(HasSubstr("invarfit")));
}

}  // namespace
}  // namespace invar::report
