#include "base/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/text.hpp"

namespace invar::base {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() { fs::create_directories(dir_); }
  ~WholeFile() override { fs::remove_all(dir_); }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  int write(const std::string& name, const std::string& text, IfThere if_there) {
    return write_whole_file(dir_ / name, text, dir_ / "beside", if_there, true);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return read_file((dir_ / name).string()).value_or("nothing");
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(dir_), fs::directory_iterator());
  }

  fs::path dir_ = fs::temp_directory_path() / ("invar-file-test-" + std::to_string(getpid()));
};

TEST_F(WholeFile, ReplacingTakesTheNameAndLeavesNothingBeside) {
  EXPECT_EQ(write("a", "old", IfThere::kReplace), 0);
  EXPECT_EQ(write("a", "new", IfThere::kReplace), 0);
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, RefusingLeavesTheOldOneAsItWas) {
  EXPECT_EQ(write("a", "old", IfThere::kRefuse), 0);
  EXPECT_EQ(write("a", "new", IfThere::kRefuse), EEXIST);
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, WhatIsMadeAnewIsNotWrittenThroughALink) {
  EXPECT_EQ(write("mine", "precious", IfThere::kReplace), 0);
  fs::create_symlink("mine", dir_ / "trap");
  const Descriptor file(create_anew(dir_ / "trap"));
  ASSERT_GE(file.number(), 0);
  EXPECT_EQ(write_all(file.number(), "new"), 0);
  EXPECT_EQ(read("mine"), "precious");
  EXPECT_EQ(read("trap"), "new");
}

TEST_F(WholeFile, WhatCannotBeNamedIsNotLeftBeside) {
  fs::create_directory(dir_ / "folder");
  EXPECT_NE(write("folder", "text", IfThere::kReplace), 0);
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(write_whole_file(dir_ / "no" / "a", "text", dir_ / "no" / "b", IfThere::kReplace, true),
            ENOENT);
}

}  // namespace
}  // namespace invar::base
