// The files for a simulator in the directory of `invar network`: when they are written, and whether
// those that are there belong to what was measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/network/network.hpp"
#include "analysis/network/simulator/simulated_platforms.hpp"
#include "analysis/study/study.hpp"
#include "base/error.hpp"
#include "cli/answer.hpp"
#include "store/reader.hpp"

namespace invar::cli {

// What was written, and the checksum of what it was made from (docs/formats.md, "What `invar
// network` writes").
inline constexpr const char* kPlatformRecord = "platform.csv";

struct PlatformDirectory {
  std::vector<std::filesystem::path> files = {};  // that are there
  std::vector<std::string> remarks = {};          // of what is in them
  std::vector<std::string> notes = {};            // of the files themselves: written anew, edited
  std::vector<std::string> warnings = {};         // of what a platform does
  std::vector<base::Fault> faults = {};           // why there is none of some model
  bool usable = false;  // all are as they were written, from the data that are here
};

// As simulated_platforms(), with the cores of the machine that was measured.
analysis::SimulatedPlatforms platforms_of(const analysis::Network& found);

// Writes the files where there are none, or those that are there were made from other data and
// nobody has edited them. What cannot be written is not a fault of what was measured, and writes
// nothing. `found`: of this directory, asked as the campaign says.
PlatformDirectory bring_platform_up_to_date(const analysis::Network& found);

// Into a directory that must not be there, whole or not at all. `from`: the folder that the model
// was imported from, kept in the record; empty: it was not. Throws UserError, also where no model
// has a platform.
PlatformDirectory write_platform_into(const std::filesystem::path& dir,
                                      const analysis::Network& found, const std::string& from = {});

// What stands in the place of measured data or of an arm: throws UserError where one of the targets
// is a directory that holds a platform alone, with the folder that its answer comes from, or, of
// several targets, the directory of a campaign.
void refuse_directories(const std::vector<std::string>& targets);

// Writes the platform of a campaign's data into a new directory (`invar export --to simgrid`), and
// says all that is to be said of it on stderr. Returns the exit status that the data deserve.
// Throws UserError, also where no platform follows.
base::Exit export_platform(const store::Data& data, const std::string& output, bool anonymise);

// Names the files in an answer, with all that is said of them.
void add_platform(const PlatformDirectory& platform, analysis::Answer& answer);

// The answer of a campaign's directory, its files brought up to date where it is asked as the
// campaign says. Returns the exit status.
int show_network(const analysis::Study& study, const AnswerOptions& options);

}  // namespace invar::cli
