// Runs a program to its end: no shell, arguments as they are.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace invar::launch {

using Environment = std::vector<std::pair<std::string, std::string>>;

// A value that ends in ":$KEY" puts something before what KEY is: ("P", "/a:$P") is "/a:/b" if P is
// "/b", and "/a" if it is not set or empty (`old`).
std::string with_old_value(const std::string& key, const std::string& value,
                           const std::string& old);

// Our environment with `changes` on top, as execve wants it: "KEY=VALUE".
std::vector<std::string> merged_environment(const Environment& changes);

// As execve wants them: pointers into `words`, and a null at the end.
std::vector<char*> argument_pointers(std::vector<std::string>& words);

struct CommandResult {
  int status = 0;  // exit status, 128 + signal, 127 if it could not be started
  std::string out = {};
  std::string err = {};
  bool timed_out = false;
};

// `words[0]` is looked up on PATH. stdin is empty. After limit_s the program and its process group
// are killed.
CommandResult run_command(const std::vector<std::string>& words, const Environment& changes = {},
                          double limit_s = 60);

// The command as one could type it into a shell.
std::string command_text(const std::vector<std::string>& words);

}  // namespace invar::launch
