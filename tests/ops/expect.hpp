// Expectations of the test programs that a site's MPI wrapper builds, where there is no GoogleTest.
#pragma once

#include <cstdio>
#include <string>

namespace invar::ops::test {

// Counts what held and what did not; says what did not.
class Expectations {
 public:
  void expect(bool holds, const std::string& what) {
    ++(holds ? held_ : failed_);
    if (!holds) std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  }
  void expect_equal(const std::string& found, const std::string& wanted, const std::string& what) {
    expect(found == wanted, what + ": expected \"" + wanted + "\", found \"" + found + "\"");
  }
  void expect_contains(const std::string& text, const std::string& part, const std::string& what) {
    expect(text.find(part) != std::string::npos,
           what + ": expected \"..." + part + "...\", found \"" + text + "\"");
  }
  // Prints the summary; the program's exit status.
  [[nodiscard]] int finish(const char* program) const {
    std::printf("%s: %d expectations held, %d failed\n", program, held_, failed_);
    return failed_ == 0 && held_ > 0 ? 0 : 1;
  }

 private:
  int held_ = 0;
  int failed_ = 0;
};

}  // namespace invar::ops::test
