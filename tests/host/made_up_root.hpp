// A made-up /proc and /sys in a directory of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace invar::host {

class MadeUpRoot : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "invar-host-XXXXXX";
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_ = {};
};

}  // namespace invar::host
