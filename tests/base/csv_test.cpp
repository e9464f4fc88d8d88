#include "base/csv.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace invar::base {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvField, PlainTextStaysPlain) {
  EXPECT_EQ(csv_field("openmpi#1"), "openmpi#1");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field(" spaces "), " spaces ");
}

TEST(CsvField, SeparatorsAndQuotesAreQuoted) {
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(CsvText, WhatASpreadsheetWouldCalculateIsText) {
  EXPECT_EQ(csv_text("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_text("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_text("-2+3"), "'-2+3");
  EXPECT_EQ(csv_text("\t=1"), "'\t=1");
  EXPECT_EQ(csv_text("\r=1"), "\"'\r=1\"");
}

TEST(CsvText, NumbersAndOtherWordsStay) {
  for (const char* text : {"", "-", "+", "-5", "+1.5", "-3e-7", "openmpi", "a=b", "1-2", "x@y"}) {
    EXPECT_EQ(csv_text(text), text);
  }
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
}

TEST(ReadCsv, RowsKnowTheirLines) {
  const auto rows = read_csv("a,b\n\n1,\"x\ny\"\n2,z\n", "t.csv");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].line, 1);
  EXPECT_EQ(rows[1].line, 3);
  EXPECT_EQ(rows[1].fields, (Fields{"1", "x\ny"}));
  EXPECT_EQ(rows[2].line, 5);
}

TEST(ReadCsv, LineEndsOfEitherKindAreNoContent) {
  const auto rows = read_csv("a,b\r\n\"c\",d\r\ne,\"f\"\r\n\r\ng,h", "t.csv");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(rows[1].fields, (Fields{"c", "d"}));
  EXPECT_EQ(rows[2].fields, (Fields{"e", "f"}));
  EXPECT_EQ(rows[3].fields, (Fields{"g", "h"}));
}

TEST(ReadCsv, EmptyFieldsAreKept) {
  EXPECT_EQ(read_csv(",,", "t.csv").at(0).fields, (Fields{"", "", ""}));
  EXPECT_EQ(read_csv("a,", "t.csv").at(0).fields, (Fields{"a", ""}));
}

TEST(ReadCsv, ByteOrderMarkOfASpreadsheetIsSkipped) {
  EXPECT_EQ(read_csv("\xef\xbb\xbfgroup,launch\n", "t.csv").at(0).fields,
            (Fields{"group", "launch"}));
}

TEST(ReadCsv, WhatIsWrittenReadsBack) {
  const Fields fields{"plain", "a,b", "\"quoted\"", "two\r\nlines", "", " x ", "\xc3\xa4"};
  std::string line;
  for (const std::string& field : fields) line += csv_field(field) + ',';
  line.pop_back();
  EXPECT_EQ(read_csv(line + '\n', "t.csv").at(0).fields, fields);
}

TEST(ReadCsv, MisplacedQuotesAreFaultsWithTheirLine) {
  const auto fault = [](const char* text) {
    return test::faults_of([&] { (void)read_csv(text, "t.csv"); });
  };
  EXPECT_EQ(fault("a\n\"b"), Fields{"t.csv:2: a quoted field is never closed"});
  EXPECT_EQ(fault("a\nb\"c\n"), Fields{"t.csv:2: a quote inside an unquoted field"});
  EXPECT_EQ(fault("a\n\"b\"c\n"), Fields{"t.csv:2: text after a closing quote"});
  // A lone carriage return ends no line.
  EXPECT_EQ(fault("\"b\"\rc,d\n"), Fields{"t.csv:1: text after a closing quote"});
}

}  // namespace
}  // namespace invar::base
