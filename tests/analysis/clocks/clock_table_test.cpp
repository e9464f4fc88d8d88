// Tables of `invar clocks` read back: strictly, with every fault where it stands.
#include "analysis/clocks/clock_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

std::string with_header(const char* kind, const std::string& rows) {
  return std::string(clock_csv_header(kind)) + "\n" + rows;
}

ClockTable read(const std::string& csv) {
  base::Faults faults;
  ClockTable table = read_clock_table(csv, "some/where/x.csv", faults);
  faults.throw_if_any();
  return table;
}

std::vector<std::string> faults(const std::string& csv) {
  return test::faults_of([&] { read(csv); });
}

TEST(ClockTables, EveryKindHasATypeForEveryColumn) {
  for (const ClockKind& kind : clock_kinds()) {
    EXPECT_EQ(kind.types.size(),
              static_cast<std::size_t>(std::count(kind.header.begin(), kind.header.end(), ',')) + 1)
        << kind.name;
  }
  EXPECT_THROW(clock_csv_header("nothing"), std::invalid_argument);
}

TEST(ClockTables, FieldsHaveTheTypesOfTheirColumns) {
  const ClockTable table = read(with_header("drift", "\"mpich, 4\",2,0,1,0.5,12.5,3,\n"));
  EXPECT_EQ(table.kind, "drift");
  EXPECT_EQ(table.source, "x.csv");
  ASSERT_THAT(table.rows, SizeIs(1));
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "mpich, 4");
  EXPECT_EQ(std::get<double>(table.rows[0][5]), 12.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][7]));
}

TEST(ClockTables, AccuracyOverSeveralNumbersOfRanksIsScaling) {
  const auto row = [](const char* ranks) {
    return "simulated,n," + std::string(ranks) + ",1,mesh,5,0,1,1,2,3,4,5,1,2,3,4,5\n";
  };
  EXPECT_EQ(read(with_header("accuracy", row("4") + row("4"))).kind, "accuracy");
  EXPECT_EQ(read(with_header("accuracy", row("4") + row("8"))).kind, "scaling");
}

TEST(ClockTables, RunTimesOfBeforeTheyToldOfTheirSynchronisationCanBeRead) {
  std::string header(clock_csv_header("runtime-over-time"));
  const std::string column = "since_sync_s,";
  const std::string now = "mpich,2,1.3e-05,bcast,hca,global,0,0.5,3.5,30,0,1,2,3,1,,,\n";
  EXPECT_EQ(std::get<double>(read(header + "\n" + now).rows[0][8]), 3.5);
  header.erase(header.find(column), column.size());
  const ClockTable before =
      read(header + "\nmpich,2,1.3e-05,bcast,hca,global,0,0.5,30,0,1,2,3,1,,,\n");
  EXPECT_EQ(before.kind, "runtime-over-time");
  EXPECT_EQ(std::get<double>(before.rows[0][8]), 30);
  EXPECT_THAT(before.columns, Not(testing::Contains("since_sync_s")));
}

TEST(ClockTables, FaultsNameLineAndColumnAllAtOnce) {
  EXPECT_THAT(faults(with_header("drift", "a,2,0,1,x,12.5,,\n\"b,c\",2,0,nan,1,2,3,4\na,2\n")),
              ElementsAre("some/where/x.csv:2:9: 'x' is no number; print the table anew: invar "
                          "clocks drift",
                          "some/where/x.csv:2:16: '' is no number; print the table anew: invar "
                          "clocks drift",
                          "some/where/x.csv:3:11: 'nan' is no number; print the table anew: invar "
                          "clocks drift",
                          "some/where/x.csv:4:5: this row has 2 fields, the header 8"));
}

TEST(ClockTables, ColumnsThatAreMissingMoreOrUnknownAreNamed) {
  const std::string header(clock_csv_header("drift"));
  EXPECT_THAT(
      faults(header + ",more\n"),
      ElementsAre("some/where/x.csv:1:74: column 'more' is not one of 'drift' here; it ends "
                  "before this column"));
  EXPECT_THAT(faults(header.substr(0, header.rfind(',')) + "\n"),
              ElementsAre(testing::HasSubstr("columns of 'drift' are missing; it has 'truth_ns' "
                                             "next")));
  EXPECT_THAT(faults("library,ranks,verdict\n"),
              ElementsAre(testing::HasSubstr("1:15: column 'verdict' is not one of")));
  EXPECT_THAT(faults("operation,size_bytes\n"),
              ElementsAre(testing::HasSubstr("1:1: these are not the columns")));
  EXPECT_THAT(faults(""), ElementsAre(testing::HasSubstr("is empty")));
  EXPECT_THAT(faults(header + "\n\"a,2\n"), ElementsAre(testing::HasSubstr("x.csv:2")));
}

TEST(ClockTables, ManyFaultsAreNotAllTold) {
  std::string rows;
  for (int i = 0; i < 1000; ++i) rows += "a,2,0,1,x,1,1,\n";
  EXPECT_THAT(faults(with_header("drift", rows)), SizeIs(10));
}

}  // namespace
}  // namespace invar::analysis
