#include "report/terminal/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "report/kit/text_table.hpp"
#include "report/terminal/picture_parts.hpp"

namespace invar::report {
namespace {

using analysis::Pictured;
using analysis::PicturedArm;
using analysis::PicturedCell;

PicturedArm arm(std::size_t index, double median_ns, std::vector<double> relative) {
  PicturedArm result{.arm = index, .relative = std::move(relative)};
  result.time = {.median_ns = median_ns,
                 .interval_ns = stats::Interval{median_ns * 0.8, median_ns * 1.25, 0.95}};
  result.box = stats::tukey_box(result.relative);
  return result;
}

PicturedCell cell(std::uint64_t size_bytes, std::vector<PicturedArm> arms) {
  record::Cell cell{.operation = "bcast", .size_bytes = size_bytes};
  cell.datatype = "byte";
  return {.cell = cell, .arms = std::move(arms)};
}

// Eight launches from `from` on, the last one far out.
std::vector<double> launches(double from) {
  return {from, from + 0.1, from + 0.2, from + 0.2, from + 0.3, from + 0.3, from + 0.4, from + 1};
}

Pictured example_picture() {
  Pictured pictured;
  pictured.sentence = "3 cells of 2 arms, 8 launch groups: 2 ranks, 1 host, this session.";
  pictured.arms = {"openmpi", "mpich"};
  pictured.cells = {cell(8, {arm(0, 500, launches(1)), arm(1, 900, launches(1.5))}),
                    cell(64, {arm(0, 600, launches(1)), arm(1, 900, launches(1.4))}),
                    cell(1024, {arm(0, 4000, launches(2)), arm(1, 2000, launches(1))})};
  pictured.global_runtime = true;
  pictured.dir = "om";
  return pictured;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    width = std::max(width, display_width(line));
  }
  return width;
}

TEST(Boxes, AreRelativeToTheCellsSmallest) {
  EXPECT_EQ(box_picture(example_picture(), {}),
            R"(Medians of the launches, over the smallest of the cell (bcast, 2 ranks)
                    1                1.5               2                    time
                    ┴─────────────────┴────────────────┴──────────────
    8 B  ● openmpi  ├─────▒▒▒●▒▒──┤                    ·                0.500 us
         ○ mpich                      ├─────▒▒○▒▒▒─┤                 »  0.900 us
   64 B  ● openmpi  ├─────▒▒▒●▒▒──┤                    ·                0.600 us
         ○ mpich                  ├─────▒▒▒○▒▒──┤                    ·  0.900 us
  1 KiB  ● openmpi                                     ├─────▒▒▒●▒▒──»   4.00 us
         ○ mpich    ├─────▒▒▒○▒▒──┤                    ·                 2.00 us
  ▒ middle half of the launches, symbol: their median, ├ ┤ reach of the rest up
  to 1.5 boxes, · single launches; » farther out
)");
}

TEST(Boxes, InAscii) {
  EXPECT_EQ(box_picture(example_picture(), {.width = 80, .unicode = false}),
            R"(Medians of the launches, over the smallest of the cell (bcast, 2 ranks)
                    1                1.5               2                    time
                    +-----------------+----------------+--------------
    8 B  o openmpi  |-----===o==--|                    .                0.500 us
         x mpich                      |-----==x===-|                 >  0.900 us
   64 B  o openmpi  |-----===o==--|                    .                0.600 us
         x mpich                  |-----===x==--|                    .  0.900 us
  1 KiB  o openmpi                                     |-----===o==-->   4.00 us
         x mpich    |-----===x==--|                    .                 2.00 us
  = middle half of the launches, symbol: their median, |- -| reach of the rest
  up to 1.5 boxes, . single launches; > farther out
)");
}

TEST(Boxes, OfFewerThanFiveLaunchesAreTheLaunches) {
  Pictured pictured = example_picture();
  pictured.cells = {cell(8, {arm(0, 500, {1, 1.5, 2})})};
  const std::string text = box_picture(pictured, {});
  EXPECT_THAT(text, testing::HasSubstr("● openmpi  ·"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("├")));
  EXPECT_THAT(text, testing::HasSubstr("fewer than 5 launches: each is a ·"));
}

TEST(Boxes, OfTimesThatDifferByMoreThanAFactorOfFourHaveALogarithmicAxis) {
  Pictured pictured = example_picture();
  pictured.cells = {cell(8, {arm(0, 500, launches(1)), arm(1, 9000, launches(18))})};
  const std::string text = box_picture(pictured, {});
  EXPECT_THAT(text, testing::HasSubstr("; logarithmic axis"));
  EXPECT_THAT(text, testing::HasSubstr(" 10 "));
}

TEST(Boxes, SayWhatIsLeftOut) {
  Pictured pictured = example_picture();
  pictured.cells.clear();
  for (std::uint64_t size = 1; size <= 100; ++size) {
    pictured.cells.push_back(cell(size, {arm(0, 500, launches(1)), arm(1, 900, launches(2))}));
  }
  const std::string text = box_picture(pictured, {});
  EXPECT_THAT(text, testing::HasSubstr("30 of 100 cells drawn; --operation, --size and --arms"));
}

TEST(Lines, HaveLogarithmicAxesAndASymbolAnArm) {
  EXPECT_EQ(line_pictures(example_picture(), {}),
            R"(Time of one call over the message size (from the first start to the last end)

bcast, 2 ranks
    5 us ┤                                                                     │
         │                                                                     ●
         │                                                                 ⢀⡠⠔⠊│
         │                                                              ⣀⠤⠒⠁   │
         │                                                          ⢀⡠⠔⠉       │
    2 us ┤                                                       ⣀⠤⠊⠁          ○
         │                                                   ⢀⡠⠔⠉      ⣀⣀⠤⠤⠒⠒⠉⠉│
         │                                                ⣀⠤⠊⠁⢀⣀⡠⠤⠤⠒⠒⠉⠉        │
         │                                            ⢀⣠⡴⠭⠔⠒⠊⠉⠁
         │ │                            │     ⢀⣀⡠⠤⠒⣒⠭⠋⠁
    1 us ┤ ○⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤○⠤⠔⠒⠊⠉⠁ ⣀⠔⠉
         │ │                            │   ⢀⡠⠔⠉
         │ │                            │⣀⠤⠊⠁
         │ │    ⣀⣀⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠤⠔⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉●
  0.5 us ┤ ●⠉⠉⠉⠉                        │
         │ │
         └─┬──────────────────┬───────────────────┬────────────────────────────┬
           8 B              32 B                128 B                      1 KiB
  symbol: time over launches, │ its 95 % interval; both axes logarithmic
)");
}

TEST(Lines, CellsOfLocalTimesAreNamedAmongGlobalOnes) {
  Pictured pictured = example_picture();
  pictured.local_cells = {"bcast, 8 B"};
  EXPECT_EQ(line_pictures(pictured, {})
                .find("Time of one call over the message size (from the first start to the last"),
            0U);
  EXPECT_NE(line_pictures(pictured, {.width = 200})
                .find("last end, but of the rank that took longest in bcast, 8 B)"),
            std::string::npos);
}

TEST(Lines, InAscii) {
  EXPECT_EQ(line_pictures(example_picture(), {.width = 60, .unicode = false}),
            R"(Time of one call over the message size (from the first start
to the last end)

bcast, 2 ranks
    5 us +                                                 |
         |                                                 o
         |                                              ...|
         |                                            ..   |
         |                                         ...     |
    2 us +                                        .        x
         |                                     ...   ......|
         |                                   .. .....      |
         |                                ......
         | |                    |   ......
    1 us + x....................x... ..
         | |                    | ...
         | |                    |.
         | |   .................o
  0.5 us + o...                 |
         | |
         +-+-------------+------------+--------------------+
           8 B         32 B         128 B              1 KiB
  symbol: time over launches, | its 95 % interval; both axes
  logarithmic
)");
}

TEST(Lines, NeedTwoSizes) {
  Pictured pictured = example_picture();
  pictured.cells.resize(1);
  EXPECT_EQ(line_pictures(pictured, {}), "");
  EXPECT_THAT(pictures_text(pictured, Pictures::kLines, {}),
              testing::HasSubstr("No lines: nothing here was measured at two sizes"));
}

TEST(Lines, ASizeOfZeroStandsBeforeTheOthers) {
  Pictured pictured = example_picture();
  pictured.cells.insert(pictured.cells.begin(), cell(0, {arm(0, 450, launches(1))}));
  EXPECT_THAT(line_pictures(pictured, {}), testing::HasSubstr(" 0 B"));
  pictured.cells.resize(2);  // 0 and 8 B: one place on a logarithmic axis
  EXPECT_EQ(line_pictures(pictured, {}), "");
}

TEST(Lines, AWideIntervalDoesNotSquashTheRest) {
  Pictured pictured = example_picture();
  pictured.cells[0].arms[0].time.interval_ns = {1e-9, 1e15, 0.95};
  const std::string text = line_pictures(pictured, {});
  EXPECT_THAT(text, testing::HasSubstr("(cut where it leaves the"));
  EXPECT_THAT(text, testing::HasSubstr("2 us ┤"));
}

TEST(Lines, ArmsThatMeetShareASymbol) {
  Pictured pictured = example_picture();
  pictured.cells[1].arms[1].time = pictured.cells[1].arms[0].time;
  const std::string text = line_pictures(pictured, {});
  EXPECT_THAT(text, testing::HasSubstr("✱ several arms"));
  EXPECT_THAT(line_pictures(example_picture(), {}), testing::Not(testing::HasSubstr("✱")));
}

TEST(PicturesOfText, AreNoWiderThanTheTerminal) {
  Pictured pictured = example_picture();
  pictured.arms[1] = "a-label-longer-than-the-column";
  pictured.warnings = {"something with rather many words that has to be broken over several lines"};
  for (const bool unicode : {false, true}) {
    for (const std::size_t width : {60U, 80U, 100U}) {
      const std::string text =
          pictures_text(pictured, Pictures::kAll, {.width = width, .unicode = unicode});
      EXPECT_LE(widest(text), width) << text;
    }
  }
}

TEST(PicturesOfText, InAsciiHaveNoOtherCharacters) {
  const std::string text = pictures_text(example_picture(), Pictures::kAll, {.unicode = false});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) > 0; }));
}

TEST(PicturesOfText, EveryArmOfSixtyHasASymbolOfItsOwn) {
  for (const bool unicode : {false, true}) {
    std::set<std::string> symbols;
    for (std::size_t i = 0; i < 60; ++i) symbols.insert(arm_symbol(i, unicode));
    EXPECT_EQ(symbols.size(), 60U);
    EXPECT_FALSE(symbols.contains(meeting_symbol(unicode)));
  }
}

TEST(PictureAxis, TicksAreRoundAndApart) {
  EXPECT_THAT(PictureAxis(1, 2.6, false).ticks(0.2), testing::ElementsAre(1, 1.5, 2, 2.5));
  EXPECT_THAT(PictureAxis(300, 20000, true).ticks(0.1),
              testing::ElementsAre(500, 1000, 2000, 5000, 10000, 20000));
  EXPECT_THAT(PictureAxis(1, 1e9, true).ticks(0.2), testing::ElementsAre(1, 1e2, 1e4, 1e6, 1e8));
  // Less than a decade without a one in it.
  EXPECT_GE(PictureAxis(2.1, 2.9, true).ticks(0.1).size(), 3U);
}

TEST(PictureLabels, ThoseThatWouldTouchAreLeftOut) {
  const std::vector<PlacedLabel> labels{{0, "one"}, {3, "two"}, {8, "three"}};
  EXPECT_EQ(label_line(labels, 11), "one   three");
}

}  // namespace
}  // namespace invar::report
