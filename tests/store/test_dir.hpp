// A scratch directory that goes away with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace invar::store {

class TestDir {
 public:
  TestDir() {
    // In memory where that is possible: what is tested does not depend on the disk's speed.
    std::error_code error;
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = std::filesystem::is_directory(memory, error);
    std::string name =
        ((in_memory ? memory : std::filesystem::temp_directory_path()) / "invar-test-XXXXXX")
            .string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory");
    path_ = name;
  }
  TestDir(const TestDir&) = delete;
  TestDir& operator=(const TestDir&) = delete;
  ~TestDir() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_ = {};
};

}  // namespace invar::store
