// What `run` and `race` do after their arguments are understood: measure, then answer.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answer.hpp"
#include "driver/run/run.hpp"

namespace invar::cli {

// Says on stderr what will be compared. `dir` is empty where the data will not be kept.
void announce(const driver::Prepared& prepared, const std::filesystem::path& dir);

// The exit status of a measurement that did not come to its end, with what to do on stderr; none if
// it did.
std::optional<int> unfinished_status(const std::filesystem::path& dir,
                                     const driver::RunResult& result);

// What a subcommand measures whose campaign is its own.
struct OwnCampaign {
  std::string command = {};  // "p2p"
  std::string output = {};   // the directory; empty: a new name
  bool dry_run = false;      // the plan is printed, and nothing measured
  std::function<design::Campaign()> make = {};
};

// Measures it into a new directory, and returns what `answers` makes of that; the exit status of a
// measurement that did not come to its end, else. Throws UserError.
int measure_own(const OwnCampaign& own,
                const std::function<int(const std::filesystem::path& dir)>& answers);

// What was written for a subcommand whose arguments are arms to measure, or one directory that is
// asked.
struct MeasureOrAsk {
  std::string command = {};                 // "p2p"
  std::vector<std::string> targets = {};    // arms, or the directory
  std::string regime = {};                  // of a directory alone; empty: not written
  std::vector<std::string> measuring = {};  // options that were written and are of measuring alone
};

// The campaign that is asked; none: arms are to be measured. Throws UserError where options are of
// the other kind, all at once.
std::optional<std::filesystem::path> asked_directory(const MeasureOrAsk& written);

// Adds a fault for each option of measuring: `measured` is measured already.
void refuse_measuring(const std::vector<std::string>& measuring, const std::string& measured,
                      const std::string& remedy, base::Faults& faults);

// "  what the suites would report: invar show DIR --as osu,imb\n", behind the answer of what was
// measured with these presets.
std::string suites_remark(const std::filesystem::path& dir, const std::string& presets);

// Prints the answer to the question that the campaign of the directory was made for, and returns
// the exit status.
int answer(const std::filesystem::path& dir, const driver::RunResult& result,
           const AnswerOptions& options);

}  // namespace invar::cli
