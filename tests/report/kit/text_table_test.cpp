#include "report/kit/text_table.hpp"

#include <gtest/gtest.h>

namespace invar::report {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("openmpi"), 7U);
  EXPECT_EQ(display_width("schön"), 5U);
  EXPECT_EQ(display_width("sch\u006F\u0308n"), 5U);  // o and a combining diaeresis
  EXPECT_EQ(display_width("富岳"), 4U);
  EXPECT_EQ(display_width("\xff\xfe"), 2U);  // no UTF-8
}

TEST(Printable, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc"), "a?[31mb?c");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "b"),
            "a?b");  // C1: CSI
  EXPECT_EQ(printable("schön \xff"), "schön ?");
}

TEST(TextTable, ColumnsAreAlignedWhateverTheirBytes) {
  TextTable table;
  table.add_column("arm", Align::kLeft);
  table.add_column("time", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_column("verdict", Align::kLeft);
  table.add_row({"schön", "8.43 us", "[8.37, 8.50]", "faster"});
  table.add_row({"富岳", "222 us", "[219, 225]", ""});
  EXPECT_EQ(table.text(),
            "  arm     time                   verdict\n"
            "  schön   8.43 us [8.37, 8.50]   faster\n"
            "  富岳     222 us [219, 225]\n");
}

TEST(TextTable, ColumnsMoveTogetherWhereTheTableIsWide) {
  TextTable table;
  table.add_column("a", Align::kLeft);
  table.add_column("b", Align::kLeft);
  table.add_row({"xxxx", "yyyy"});
  EXPECT_EQ(table.text(13), "  a      b\n  xxxx   yyyy\n");
  EXPECT_EQ(table.text(12), "  a     b\n  xxxx  yyyy\n");
}

TEST(TextTable, EmptyColumnsTakeNoRoom) {
  TextTable table;
  table.add_column("a", Align::kLeft);
  table.add_column("", Align::kLeft);
  table.add_column("b", Align::kLeft);
  table.add_row({"x", "", "y"});
  EXPECT_EQ(table.text(), "  a   b\n  x   y\n");
}

TEST(TextTable, ALongHeaderWidensItsColumns) {
  TextTable table;
  table.add_column("a-very-long-label", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_column("p", Align::kLeft);
  table.add_row({"1.3", "[1, 2]", ".04"});
  EXPECT_EQ(table.text(), "  a-very-long-label   p\n  1.3 [1, 2]          .04\n");
}

TEST(Wrapped, LinesBreakAtSpacesAndKeepTheirIndent) {
  EXPECT_EQ(wrapped("  look at: ", "one two three", 19), "  look at: one two\n           three\n");
  EXPECT_EQ(wrapped("", "averylongword b", 5), "averylongword\nb\n");
}

TEST(Markdown, GluedColumnsShareACellAndEmptyOnesAreLeftOut) {
  TextTable table;
  table.add_column("size", Align::kLeft);
  table.add_column("", Align::kLeft);
  table.add_column("ratio", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_row({"8 B", "", "1.30", "[1.27, 1.33]"});
  EXPECT_EQ(table.markdown(), "| size | ratio |\n| --- | ---: |\n| 8 B | 1.30 [1.27, 1.33] |\n");
}

TEST(Markdown, WhatItWouldTakeForItsOwnIsText) {
  EXPECT_EQ(markdown_text("a|b <c> *d* e_f\n"), "a\\|b \\<c\\> \\*d\\* e\\_f?");
}

}  // namespace
}  // namespace invar::report
