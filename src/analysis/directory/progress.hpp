// How far a campaign or an experiment is, also while somebody is at work on it: from its manifest
// and from what lies in its directory, so that it is cheap enough for who looks every second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "base/error.hpp"
#include "store/clock_dir.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::analysis {

// A campaign's.
struct Progress {
  std::string dir = {};
  std::size_t complete = 0;   // launch groups
  std::size_t failed = 0;     // launch groups
  std::uint32_t planned = 0;  // launch groups
  bool at_least = false;      // more may be planned
  bool ended = false;
  std::optional<std::string> driver = {};  // who is at work: "pid 4711 on node3"
  double measured_s = 0;
  std::optional<double> under_way_s = {};  // what the group that is measured takes already
  std::optional<double> left_s = {};       // none: nobody can say, or nothing is left
  // The next four are those of a sequential campaign.
  bool sequential = false;
  std::vector<store::LookLine> looks = {};
  std::string next_look = {};                  // "look 2 comes at 5 complete groups"
  std::vector<std::string> undecided = {};     // cells, after the latest look
  std::vector<store::GroupOutcome> lost = {};  // groups that failed, with their reasons
  std::vector<store::FailedCell> failed_cells = {};
  std::vector<std::string> missing =
      {};  // directories of sealed launches; not while a driver works
  std::vector<std::string> warnings = {};

  // Damaged where something is missing; unfinished only where nobody is at work.
  [[nodiscard]] base::Exit status() const;
};

// Throws UserError where there is no campaign, CommandError where its manifest is damaged.
Progress progress_of(const std::filesystem::path& dir);
Answer answer_of(const Progress& progress);

// An experiment's with clocks.
struct ClockProgress {
  std::string dir = {};
  base::Exit found = base::Exit::kDone;  // what verify says
  bool damaged = false;
  std::optional<std::string> driver = {};
  std::vector<store::FailedClockLaunch> failed = {};  // known where it is complete

  [[nodiscard]] base::Exit status() const;
};
ClockProgress clock_progress_of(const std::filesystem::path& dir);
Answer answer_of(const ClockProgress& progress);

}  // namespace invar::analysis
