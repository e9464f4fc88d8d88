// What `run` and `race` do after their arguments are understood: measure, then answer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/answer.hpp"
#include "driver/run/run.hpp"

namespace invar::cli {

// Says on stderr what will be compared. `dir` is empty where the data will not be kept.
void announce(const driver::Prepared& prepared, const std::filesystem::path& dir);

// The exit status of a measurement that did not come to its end, with what to do on stderr; none if
// it did.
std::optional<int> unfinished_status(const std::filesystem::path& dir,
                                     const driver::RunResult& result);

// "  what the suites would report: invar show DIR --as osu,imb\n", behind the answer of what was
// measured with these presets.
std::string suites_remark(const std::filesystem::path& dir, const std::string& presets);

// Prints the answer to the question that the campaign of the directory was made for, and returns
// the exit status.
int answer(const std::filesystem::path& dir, const driver::RunResult& result,
           const AnswerOptions& options);

}  // namespace invar::cli
