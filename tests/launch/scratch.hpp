// A folder for one test, and programs made of shell scripts in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "launch/process/files.hpp"

namespace invar::launch::test {

namespace fs = std::filesystem;

class Scratch {
 public:
  [[nodiscard]] fs::path path(const std::string& name = "") const { return dir_.path() / name; }

  fs::path write(const std::string& name, const std::string& content) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << content;
    return path(name);
  }
  // An executable shell script.
  fs::path script(const std::string& name, const std::string& body) const {
    const fs::path file = write(name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }

 private:
  ScratchDir dir_;
};

// Sets a variable for the life of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    if (had_) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  bool had_ = false;
  std::string old_ = {};
};

inline std::string content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// What a call that must throw UserError says.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace invar::launch::test
