// How far a build is: a counter on one line of a terminal, a line now and then in a log.
#pragma once

#include <cstddef>
#include <string>

namespace invar::launch {

class BuildProgress {
 public:
  // `name`: of the profile; `files`: that are compiled.
  BuildProgress(std::string name, std::size_t files, bool terminal);

  // So many more files are compiled, `elapsed_s` after the beginning. What is to be written to
  // stderr now; often nothing: a log gets a line at most every 10 s, and none for the last file.
  std::string compiled(std::size_t files, double elapsed_s);

  // Takes the counter off the terminal.
  [[nodiscard]] std::string end() const;

 private:
  std::string name_;
  std::size_t files_ = 0;
  bool terminal_ = false;
  std::size_t done_ = 0;
  double last_s_ = 0;
};

}  // namespace invar::launch
