// Programs under SimGrid's smpirun, where it is installed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace invar::test {

// What a shell command prints; fails the test if it fails.
inline std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << command;
    return text;
  }
  char buffer[4096];
  while (const std::size_t read = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, read);
  const int status = ::pclose(pipe);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command << '\n' << text;
  return text;
}

// A folder of its own with a program in it that was compiled by smpicxx.
class SmpirunTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v smpirun smpicxx >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "SimGrid is not installed (libsimgrid-dev)";
    }
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::path(testing::TempDir()) /
           ("invar-smpirun-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override {
    if (!dir_.empty() && !HasFailure()) std::filesystem::remove_all(dir_);
  }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  // In the folder, with everything that it says on standard error.
  [[nodiscard]] std::string shell(const std::string& command) const {
    return output_of("cd '" + dir_.string() + "' && { " + command + "; } 2>&1");
  }
  void compile(std::string_view program) const {
    write("program.cpp", program);
    EXPECT_EQ(shell("smpicxx -std=c++17 -O1 -fno-gnu-unique -o program program.cpp"), "");
  }
  // The lines that the program prints, as numbers.
  [[nodiscard]] std::vector<std::vector<double>> run(int ranks, const std::string& platform,
                                                     const std::string& hostfile,
                                                     const std::string& arguments) const {
    const std::string text =
        shell("smpirun -np " + std::to_string(ranks) + " -platform ./" + platform + " -hostfile " +
              hostfile +
              " --cfg=smpi/host-speed:1Gf --cfg=smpi/simulate-computation:no "
              "--cfg=surf/precision:1e-12 --log=root.thres:warning ./program " +
              arguments);
    std::vector<std::vector<double>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::vector<double> row;
      for (double value = 0; words >> value;) row.push_back(value);
      EXPECT_FALSE(row.empty()) << line;
      rows.push_back(std::move(row));
    }
    return rows;
  }

  std::filesystem::path dir_ = {};
};

}  // namespace invar::test
