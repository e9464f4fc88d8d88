#include "platform/simgrid_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "golden.hpp"

namespace invar::platform {
namespace {

namespace fs = std::filesystem;
using test::faults_of;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

std::string graphene() { return std::string(INVAR_GOLDEN_DIR) + "/graphene_eth"; }

// A copy of the folder that a test may spoil.
class SpoiledCalibration : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("invar-calibration-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::copy(graphene(), folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    fs::remove(folder_ / name);
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::vector<std::string> faults() const {
    std::vector<std::string> all = faults_of([&] { read_calibration(folder_.string()); });
    for (std::string& text : all) {
      const std::string prefix = folder_.string();
      if (text.starts_with(prefix + "/"))
        text = text.substr(prefix.size() + 1);
      else if (text.starts_with(prefix))
        text = "FOLDER" + text.substr(prefix.size());
    }
    return all;
  }
  fs::path folder_;
};

TEST(Calibration, GrapheneIsRead) {
  const Calibration calibration = read_calibration(graphene());
  EXPECT_EQ(calibration.prefix, "graphene_eth");
  ASSERT_THAT(calibration.ping_pong, SizeIs(6620));
  const CalibrationExchange& first = calibration.ping_pong.front();
  EXPECT_EQ(first.size_bytes, 765921U);
  EXPECT_EQ(first.start_s, 32.477584);
  EXPECT_EQ(first.send_s, 5.012126e-03);
  EXPECT_EQ(first.receive_s, 8.841378e-03);
  EXPECT_EQ(first.line, 1);
  EXPECT_EQ(calibration.ping_pong.back().line, 13239);
  EXPECT_THAT(calibration.isend, SizeIs(6620));
  EXPECT_THAT(calibration.receive, SizeIs(6620));
  EXPECT_THAT(calibration.test, SizeIs(4643));
  EXPECT_THAT(calibration.iprobe, SizeIs(4550));
  EXPECT_DOUBLE_EQ(calibration.wtime_s.value(), 4.016448e-08);
  ASSERT_THAT(calibration.breaks, SizeIs(4));
  EXPECT_EQ(calibration.breaks[2].first_bytes, 65536U);
  EXPECT_EQ(calibration.breaks[2].name, "Asynchronous");
}

TEST_F(SpoiledCalibration, EveryFaultOfEveryFileIsNamedWithItsPlace) {
  write("graphene_eth_Isend.csv",
        "MPI_Isend,8,1.5,1e-6\nMPI_Recv,8,1.6,1e-6\nMPI_Isend,2147483648,1.7,1e-6\n"
        "MPI_Isend,8,1.6e0,-1e-6\nMPI_Isend, 8.5,nan,0x1\nMPI_Isend,8,1.8\n");
  write("graphene_eth_Recv.csv", "MPI_Recv,8,2.5,1e-6\nMPI_Recv,8,2.4,1e-6\n");
  write("breakpoints_eth", "Limit, Name\n1420, Small\n1420, Medium\n1e6, Large\n");
  EXPECT_THAT(
      faults(),
      ElementsAre(
          "graphene_eth_Isend.csv:2:1: its operation is 'MPI_Recv', not MPI_Isend; this file has "
          "the calls of one experiment alone",
          "graphene_eth_Isend.csv:3:11: its size is '2147483648'; a size is a whole number below "
          "2^31",
          "graphene_eth_Isend.csv:4:19: its duration is '-1e-6'; a call takes more than 0 seconds",
          "graphene_eth_Isend.csv:5:11: its size is ' 8.5'; a size is a whole number below 2^31",
          "graphene_eth_Isend.csv:5:16: its start is 'nan'; a start is 0 seconds or more",
          "graphene_eth_Isend.csv:5:20: its duration is '0x1'; a call takes more than 0 seconds",
          "graphene_eth_Isend.csv:6:1: has 3 fields, not 4; a line is "
          "operation,size,start,duration",
          "graphene_eth_Recv.csv:2:12: begins at 2.4 s, the call before it at 2.5 s; lines are in "
          "the order of the calls",
          "breakpoints_eth:3:1: its limit is 1420, that of the line before 1420; order limits by "
          "size",
          "breakpoints_eth:4:1: its limit is '1e6'; a limit is a whole number from 1 to below "
          "2^31"));
}

TEST_F(SpoiledCalibration, PingPongsAreOfTwoLines) {
  write("graphene_eth_PingPong.csv",
        "MPI_Recv,8,1,1e-6\nMPI_Send,8,2,1e-6\nMPI_Send,8,3,1e-6\nMPI_Recv,9,3,1e-6\n"
        "MPI_Send,8,x,1e-6\nMPI_Recv,8,4,1e-6\nMPI_Send,8,5,1e-6\n");
  EXPECT_THAT(faults(),
              ElementsAre(HasSubstr("PingPong.csv:1:1: has no MPI_Send before it"),
                          HasSubstr("PingPong.csv:2:1: has no MPI_Recv behind it"),
                          HasSubstr("PingPong.csv:4:1: is of 9 bytes, the MPI_Send before it of 8"),
                          // The MPI_Recv behind it is as it should be.
                          HasSubstr("PingPong.csv:5:12: its start is 'x'"),
                          HasSubstr("PingPong.csv:7:1: has no MPI_Recv behind it")));
}

TEST_F(SpoiledCalibration, MissingOperationsAreNamedAndOthersNeedNotBeThere) {
  for (const char* name : {"PingPong", "Recv", "Test", "Iprobe", "Wtime"}) {
    fs::remove(folder_ / ("graphene_eth_" + std::string(name) + ".csv"));
  }
  fs::remove(folder_ / "breakpoints_eth");
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("FOLDER: has no file *_PingPong.csv"),
                                    HasSubstr("FOLDER: has no file *_Recv.csv")));
  fs::copy(graphene() + "/graphene_eth_Recv.csv", folder_);
  fs::copy(graphene() + "/graphene_eth_PingPong.csv", folder_);
  const Calibration calibration = read_calibration(folder_.string());
  EXPECT_FALSE(calibration.wtime_s);
  EXPECT_THAT(calibration.test, testing::IsEmpty());
  EXPECT_THAT(calibration.breaks, testing::IsEmpty());
}

TEST_F(SpoiledCalibration, TwoCalibrationsInAFolderAreRefused) {
  fs::copy(graphene() + "/graphene_eth_Isend.csv", folder_ / "other_Isend.csv");
  EXPECT_THAT(faults(), ElementsAre("FOLDER: has several files *_Isend.csv: "
                                    "graphene_eth_Isend.csv, other_Isend.csv; leave one "
                                    "calibration in a folder"));
}

TEST_F(SpoiledCalibration, FilesOfDifferentCalibrationsAreAllNamed) {
  fs::rename(folder_ / "graphene_eth_Isend.csv", folder_ / "other_Isend.csv");
  fs::rename(folder_ / "graphene_eth_Wtime.csv", folder_ / "third_Wtime.csv");
  EXPECT_THAT(faults(),
              ElementsAre("FOLDER: has files of several calibrations: graphene_eth_PingPong.csv, "
                          "other_Isend.csv, graphene_eth_Recv.csv, graphene_eth_Test.csv, "
                          "graphene_eth_Iprobe.csv, third_Wtime.csv; leave one calibration in a "
                          "folder: all its files begin alike"));
}

TEST_F(SpoiledCalibration, ManyFaultsOfOneFileAreCounted) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "MPI_Isend;8;1;1e-6\n";
  write("graphene_eth_Isend.csv", text);
  const std::vector<std::string> all = faults();
  EXPECT_THAT(all, SizeIs(21));
  EXPECT_THAT(all.back(), EndsWith("980 faults more in this file"));
}

TEST_F(SpoiledCalibration, EmptyFilesAreRefused) {
  write("graphene_eth_Isend.csv", "");
  write("breakpoints_eth", "\n");
  EXPECT_THAT(faults(), ElementsAre(HasSubstr("graphene_eth_Isend.csv: has no line"),
                                    HasSubstr("breakpoints_eth: has no line")));
}

TEST(Calibration, WindowsLineEndsAndEmptyLinesAreReadAlike) {
  EXPECT_THAT(
      parse_calibration_calls("MPI_Test,1,0,1e-6\r\n\r\nMPI_Test,1,0,2e-6", "MPI_Test", "x"),
      SizeIs(2));
}

TEST_F(SpoiledCalibration, IsKnownByItsPingPongs) {
  EXPECT_TRUE(is_calibration(folder_.string()));
  fs::remove(folder_ / "graphene_eth_PingPong.csv");
  EXPECT_FALSE(is_calibration(folder_.string()));
  EXPECT_FALSE(is_calibration((folder_ / "graphene_eth_Recv.csv").string())) << "no folder";
  EXPECT_FALSE(is_calibration("/nowhere/at/all"));
}

TEST(Calibration, FolderThatIsNoneIsNamed) {
  EXPECT_THAT(faults_of([] { read_calibration("/nowhere/at/all"); }),
              ElementsAre(HasSubstr("/nowhere/at/all: cannot be read")));
}

}  // namespace
}  // namespace invar::platform
