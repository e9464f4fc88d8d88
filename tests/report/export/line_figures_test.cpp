// Pictures of answers' tables: what is a panel, a series, a point.
#include "report/export/line_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace invar::report
