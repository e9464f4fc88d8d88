// The files that `invar tune` writes: the library's own, the shim where only a mock-up or a
// reference algorithm wins, the variables for a shell, the table, and what had to be left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuning/tuned_use.hpp"
#include "base/error.hpp"
#include "design/campaign/campaign.hpp"
#include "design/recipes/tune_candidates.hpp"
#include "launch/libraries/profile.hpp"
#include "tuning/decision_table.hpp"
#include "tuning/learned.hpp"
#include "tuning/tuned_file.hpp"
#include "tuning/written_files.hpp"

namespace invar::cli {

inline constexpr const char* kTableFile = analysis::kTableFile;
inline constexpr const char* kLearnedFile = "learned.csv";
inline constexpr const char* kNotesFile = "notes.txt";
inline constexpr const char* kShimFile = "libinvar-tuned.so";
inline constexpr const char* kWrittenFile = "files.csv";

struct FilesOrder {
  launch::Profile profile = {};
  tuning::DecisionTable table = {};
  design::TunedLibrary library = {};
  tuning::Learned learned = {};
  std::string base_tree = {};      // MPICH: its own
  std::string device_tree = {};    // likewise of its device; empty: not known
  std::filesystem::path dir = {};  // where they will stand: absolute
};

// What stands in the directory, or would.
struct TunedFiles {
  std::filesystem::path dir = {};
  tuning::DecisionTable table = {};
  tuning::TunedFile file = {};  // the library's own; its `dropped` without what the shim takes
  tuning::Learned learned = {};
  bool shim = false;  // it has entries that only a shim can run
  // What the library's file and the shim need in the environment, in alphabetical order.
  tuning::Variables set = {};
  std::vector<std::string> unset = {};
  std::vector<std::string> notes = {};  // what was left out, and what else changes: one a line

  // Nobody need be told anything.
  [[nodiscard]] bool empty() const { return set.empty() && unset.empty(); }
};

// Pure: nothing touches a file. Throws what write_tuned() throws.
TunedFiles make_files(const FilesOrder& order);

// Writes all of it, with files.csv, or takes away what is not needed any more; `shim`: the built
// one, copied. Each file is whole or not there, and where the table is, all others are as they
// belong to it. Throws UserError.
void write_files(const TunedFiles& files, const std::filesystem::path& shim);

// What the directory's files.csv says; none: it has none, being of an earlier version. Throws
// UserError: it cannot be read.
std::optional<tuning::WrittenFiles> written_in(const std::filesystem::path& dir);

// What was changed in the directory since: a fault for each file.
std::vector<base::Fault> faults_of_files(const std::filesystem::path& dir,
                                         const tuning::WrittenFiles& written);

// The same where there is no files.csv: those that are not as write_files() leaves them, but for
// the paths in tuned.env.
std::vector<base::Fault> faults_of_files(const TunedFiles& files);

// The settings of the arm with the files in use.
design::Settings tuned_settings(const design::Arm& given, const TunedFiles& files);

}  // namespace invar::cli
