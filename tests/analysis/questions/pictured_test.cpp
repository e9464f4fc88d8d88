#include "analysis/questions/pictured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "base/error.hpp"

namespace invar::analysis {
namespace {

store::Data twice_as_slow() {
  store::Data data = planted::data(planted::with_ratios({2, 2, 2}));
  data.campaign_toml =
      "schema = 1\nname = \"p\"\nseed = 1\n[[cells]]\noperation = \"allreduce\"\nsize = 8\n"
      "[[arm]]\nlibrary = \"openmpi\"\n[[arm]]\nlibrary = \"mpich\"\n";
  return data;
}

TEST(Pictured, LaunchesAreRelativeToTheSmallestOfTheCell) {
  const Pictured pictured = analysis::pictured(Study(twice_as_slow()));
  ASSERT_EQ(pictured.cells.size(), 3U);
  EXPECT_EQ(pictured.arms, (std::vector<std::string>{"openmpi", "mpich"}));
  for (const PicturedCell& cell : pictured.cells) {
    ASSERT_EQ(cell.arms.size(), 2U);
    EXPECT_EQ(cell.arms[0].relative.size(), 8U);
    EXPECT_DOUBLE_EQ(std::ranges::min(cell.arms[0].relative), 1);
    EXPECT_NEAR(cell.arms[1].box.median / cell.arms[0].box.median, 2, 0.1);
    EXPECT_NEAR(cell.arms[1].time.median_ns / cell.arms[0].time.median_ns, 2, 0.1);
  }
}

TEST(Pictured, CellsOfLocalTimesAreNamedAmongGlobalOnes) {
  planted::Plan plan;
  plan.flags = [](std::size_t, std::size_t cell, std::uint32_t) {
    return static_cast<std::uint16_t>(cell == 1 ? record::kGlobalInvalid : 0);
  };
  store::Data data = planted::data(plan);
  data.campaign_toml = twice_as_slow().campaign_toml;
  const Pictured pictured = analysis::pictured(Study(data));
  EXPECT_TRUE(pictured.global_runtime);
  ASSERT_EQ(pictured.local_cells.size(), 1U);
  EXPECT_THAT(pictured.local_cells[0], testing::HasSubstr("allreduce, 1 KiB"));
}

TEST(Pictured, ShowsWhatIsAskedFor) {
  const Pictured pictured = analysis::pictured(
      Study(twice_as_slow()), {.arms = {"mpich"}, .cells = parse_cell_filter("", "8,1KiB:2KiB")});
  EXPECT_EQ(pictured.arms, std::vector<std::string>{"mpich"});
  ASSERT_EQ(pictured.cells.size(), 2U);
  EXPECT_EQ(pictured.cells[1].cell.size_bytes, 1024U);
  EXPECT_DOUBLE_EQ(std::ranges::min(pictured.cells[0].arms[0].relative), 1);
}

TEST(Pictured, TimesOfZeroAreNoPictures) {
  planted::Plan plan;
  plan.time_ns = [](std::size_t, std::size_t cell) { return cell == 0 ? 0.0 : 1000.0; };
  store::Data data = planted::data(plan);
  data.campaign_toml = twice_as_slow().campaign_toml;
  const Pictured pictured = analysis::pictured(Study(data));
  EXPECT_EQ(pictured.cells.size(), 2U);
  EXPECT_THAT(pictured.warnings, testing::Contains(testing::HasSubstr("not drawn")));
}

TEST(CellFilter, NamesEveryFault) {
  try {
    parse_cell_filter("a,,b", "8x,64:8");
    FAIL();
  } catch (const base::UserError& error) {
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_THAT(error.faults()[2].text(), testing::HasSubstr("ends before it begins"));
  }
}

TEST(CellFilter, RefusesWhatNoCellHas) {
  const store::Data data = twice_as_slow();
  EXPECT_THROW(select_cells(data, parse_cell_filter("allreduc", "")), base::UserError);
  EXPECT_THROW(select_cells(data, parse_cell_filter("", "9")), base::UserError);
  EXPECT_EQ(select_cells(data, parse_cell_filter("allreduce", "1KiB")),
            (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace invar::analysis
