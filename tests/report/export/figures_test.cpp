#include "report/export/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "report/export/figure_pgf.hpp"
#include "report/export/figure_scripts.hpp"

namespace invar::report {
namespace {

using testing::HasSubstr;

FigureTable ratio_table(std::vector<std::vector<FigureField>> rows) {
  return {.name = "ratio",
          .columns = {{"panel", "operation and factors", true},
                      {"size_bytes", "bytes"},
                      {"size", "with a unit", true},
                      {"reference", "label", true},
                      {"arm", "label", true},
                      {"ratio", "of times"},
                      {"ratio_low", "lower end"},
                      {"ratio_high", "upper end"}},
          .rows = std::move(rows)};
}

std::vector<FigureField> row(double size_bytes, const std::string& arm, FigureField low) {
  return {std::string("bcast, 2 ranks"),
          size_bytes,
          std::to_string(static_cast<int>(size_bytes)) + " B",
          std::string("ref"),
          arm,
          1.25,
          low,
          1.5};
}

std::string text_of(const std::vector<FigureFile>& files, const std::string& path) {
  for (const FigureFile& file : files) {
    if (file.path == path) return file.text;
  }
  return "no " + path;
}

TEST(FigureTable, IsCsvWithQuotesWhereTheyAreNeeded) {
  EXPECT_EQ(ratio_table({row(8, "a,\"b\"", FigureField())}).csv(),
            "panel,size_bytes,size,reference,arm,ratio,ratio_low,ratio_high\n"
            "\"bcast, 2 ranks\",8,8 B,ref,\"a,\"\"b\"\"\",1.25,,1.5\n");
}

// The page of two arms that were measured, with two levels in each of them.
analysis::CampaignPage page_of(const std::string& against) {
  analysis::CampaignPage page;
  page.arms = {{.label = "openmpi"}, {.label = "mpich"}};
  page.cells = {{.operation = "bcast", .size_bytes = 8}};
  analysis::Comparison comparison;
  comparison.arms = page.arms;
  comparison.against = against;
  analysis::ComparedCell row{.cell = page.cells[0], .ratio = 1.25};
  if (against.empty()) {
    row.arm_a = "openmpi";
    row.arm_b = "mpich";
    comparison.cells = {row};
  } else {
    for (const std::string arm : {"openmpi", "mpich"}) {
      row.in_arm = arm;
      row.arm_a = "warm in " + arm;
      row.arm_b = "cold in " + arm;
      comparison.cells.push_back(row);
    }
  }
  page.answers.push_back({{.found = std::move(comparison)}, "compare"});
  return page;
}

TEST(FigureTables, OfLevelsSayInWhichArmTheyAre) {
  const std::vector<FigureTable> tables = figure_tables(page_of("cache"));
  EXPECT_EQ(tables.at(0).csv(),
            "arm\nopenmpi\nmpich\nwarm in openmpi\ncold in openmpi\nwarm in mpich\n"
            "cold in mpich\n")
      << "scripts draw what has a place in this list";
  const std::string ratio = tables.at(1).csv();
  EXPECT_THAT(ratio, testing::StartsWith("panel,size_bytes,size,reference,arm,ratio,"));
  EXPECT_THAT(ratio, HasSubstr(",p_adjusted,stars,in_arm\n"));
  EXPECT_THAT(ratio, HasSubstr(",8,8 B,warm in openmpi,cold in openmpi,1.25,"));
  EXPECT_THAT(ratio, HasSubstr(",openmpi\n"));
  EXPECT_THAT(ratio, HasSubstr(",8,8 B,warm in mpich,cold in mpich,1.25,"));
  EXPECT_THAT(ratio, testing::EndsWith(",mpich\n"));
  const std::string numbers = text_of(pgf_files(tables), "data/ratio-1-6.csv");
  EXPECT_THAT(numbers, HasSubstr(",in_arm,x\n1,8,5,6,1.25,"));
  EXPECT_THAT(numbers, HasSubstr(",2,0\n")) << "the arm by its number in the list of arms";
}

// Launches of two levels of a factor that varies inside launches, one twice as long as the other.
TEST(FigureTables, LevelsInsideLaunchesStandSideBySideOverOneBase) {
  analysis::CampaignPage page = page_of("");
  page.cells = {{.operation = "bcast", .size_bytes = 8, .cache = "warm"},
                {.operation = "bcast", .size_bytes = 8, .cache = "cold-flush"}};
  for (std::size_t cell : {0U, 1U}) {
    page.figures.launch_medians.push_back(
        {.cell = cell,
         .arm = 1,
         .base_ns = cell == 0 ? 100.0 : 200.0,
         .points = {{.launch = 1, .group = 1, .median_ns = 100.0, .relative = 1},
                    {.launch = 2, .group = 2, .median_ns = 900.0, .relative = 9}},
         .box = {.low = 1, .first_quartile = 1, .median = 1, .third_quartile = 1, .high = 1}});
  }
  std::map<std::string, std::string> csv;
  for (const FigureTable& table : figure_tables(page)) csv[table.name] = table.csv();
  EXPECT_EQ(csv["arms"],
            "arm\n\"openmpi, cache warm\"\n\"openmpi, cache cold-flush\"\n"
            "\"mpich, cache warm\"\n\"mpich, cache cold-flush\"\n");
  EXPECT_THAT(csv["boxes"], HasSubstr(",8,8 B,\"mpich, cache warm\",1,1,1,1,1,1,\n"));
  EXPECT_THAT(csv["boxes"], HasSubstr(",8,8 B,\"mpich, cache cold-flush\",2,2,2,2,2,1,\n"))
      << "over the smallest median of both levels, with one launch beyond the whiskers";
  EXPECT_THAT(csv["launches"], HasSubstr("\"mpich, cache cold-flush\",2,2,900,18,"));
}

TEST(FigureTables, OfArmsHaveNoColumnOfLevels) {
  const std::vector<FigureTable> tables = figure_tables(page_of(""));
  EXPECT_EQ(tables.at(0).csv(), "arm\nopenmpi\nmpich\n");
  EXPECT_THAT(tables.at(1).csv(), testing::Not(HasSubstr("in_arm")));
}

TEST(FigureExport, HasAScriptAFigureWithDataAndSaysWhatIsLeftOut) {
  FigureTable empty{.name = "power", .columns = {{"groups", "number"}}};
  const FigureExport result =
      figure_export({ratio_table({row(8, "x", 1.0)}), empty}, {}, "python",
                    {.campaign = "om\nimport os", .sentence = "It is so.", .invar = "1.2"});
  EXPECT_EQ(result.drawn, std::vector<std::string>{"ratio.py"});
  EXPECT_EQ(result.left_out,
            std::vector<std::string>{"power: this is not a campaign of 'invar self-test'"});
  const std::string script = text_of(result.files, "ratio.py");
  EXPECT_THAT(script, testing::StartsWith("# Ratio of times"));
  // A line feed in a name does not end the comment.
  EXPECT_THAT(script, HasSubstr("\n# Campaign om?import os; exported by invar 1.2; data: "
                                "data/ratio.csv data/arms.csv\n"));
  const std::string readme = text_of(result.files, "README.txt");
  EXPECT_THAT(readme, HasSubstr("It is so."));
  EXPECT_THAT(readme, HasSubstr("python3-matplotlib"));
  EXPECT_THAT(readme, HasSubstr("  ratio_low: lower end\n"));
  EXPECT_THAT(readme, HasSubstr("left out: power"));
}

TEST(FigureExport, TellsWhatIsWrongWithTheDataBehindIt) {
  const std::string readme =
      text_of(figure_export({ratio_table({row(8, "x", 1.0)})}, {}, "r",
                            {.campaign = "om",
                             .sentence = "It is so.",
                             .invar = "1.2",
                             .state = "incomplete",
                             .problems = {"not finished: 2 launch groups of 9"},
                             .warnings = {"few\nlaunches"}})
                  .files,
              "README.txt");
  EXPECT_THAT(readme, HasSubstr("It is so.\n\nState of the campaign: incomplete.\n"
                                "problem: not finished: 2 launch groups of 9\n"
                                "look at: few?launches\n\nNeeds R "));
}

TEST(FigureExport, EveryFigureHasAScriptInEveryLanguage) {
  std::map<std::string, std::set<std::string>> names;
  for (const FigureScript& script : figure_scripts()) names[script.language].insert(script.name);
  EXPECT_EQ(names.size(), 3U);
  EXPECT_EQ(names["r"], names["python"]);
  EXPECT_EQ(names["r"].size(), 20U);
  // What all have in common is not part of the script.
  names["r"].erase("common");
  names["pgfplots"].erase("document");
  names["pgfplots"].erase("settings");
  EXPECT_EQ(names["r"], names["pgfplots"]);
}

TEST(PgfFiles, AreNumbersAloneWithTheReferenceAsFirstArm) {
  const std::vector<FigureFile> files = pgf_files(
      {ratio_table({row(64, "50 %", FigureField()), row(8, "50 %", 1.0), row(8, "c", 1.0)})});
  EXPECT_EQ(text_of(files, "data/ratio-1-2.csv"),
            "panel,size_bytes,reference,arm,ratio,ratio_low,ratio_high,x\n"
            "1,64,1,2,1.25,nan,1.5,1\n"
            "1,8,1,2,1.25,1,1.5,0\n");
  const std::string labels = text_of(files, "data/labels.tex");
  EXPECT_THAT(labels, HasSubstr("\\invarname{arm}{1}{ref}\n"));
  EXPECT_THAT(labels, HasSubstr("\\invarname{arm}{2}{50 \\%}\n"));
  EXPECT_THAT(labels, HasSubstr("\\invarname{arm}{count}{3}\n"));
  EXPECT_THAT(labels, HasSubstr("\\invarname{sizes}{1}{{8 B},{64 B}}\n"));
  EXPECT_THAT(labels, HasSubstr("\\invarname{hasratio}{1}{}\n"));
}

TEST(TexText, IsWhatTexPrints) {
  EXPECT_EQ(tex_text("a_b\\c{d}$5%&#"), "a\\_b\\textbackslash{}c\\{d\\}\\$5\\%\\&\\#");
  EXPECT_EQ(tex_text("d\xc3\xa9j\xc3\xa0 \xe2\x82\xac\n"), "d\xc3\xa9j\xc3\xa0 ??");
}

}  // namespace
}  // namespace invar::report
