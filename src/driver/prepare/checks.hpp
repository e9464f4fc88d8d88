// Whether a campaign can run, and go on: launches at once, cores, libraries, arms, room on the
// disk.
#pragma once

#include <filesystem>
#include <string>

#include "driver/prepare/prepare.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

// Claims the cores (claim_cores()), and that the engines stay (keep_engines()). A library's own
// launcher on this host starts what it is told to, and several launches at once; others, and
// several hosts, are tried: each library alone, then two at once where the campaign needs it. Of a
// new campaign windows of one length are tried, too (windows.hpp): one that goes on cannot be
// changed any more. That is not part of the budget. Throws UserError with all that fail.
enum class Beginning { kNew, kGoesOn };
void check_launches(Prepared& prepared, Beginning beginning = Beginning::kNew);

// Throws UserError naming every cell that fewer than two arms can measure: for campaigns that only
// compare.
void refuse_lonely_cells(const Prepared& prepared, const std::string& place);

// Tells the user, and the campaign's manifest, if it goes on with other hosts or cores. An
// allocation of another day may give others: ratios within a group are as good as ever, but times
// of both sessions are not alike.
void warn_of_other_place(const Prepared& prepared, store::CampaignDir& dir);

// Name of an operation whose roles, marks or times are not what was sealed: its records would mean
// two things. Empty: none, or nothing was sealed.
std::string changed_operation(const std::vector<record::OperationInfo>& now,
                              const store::ArmRecord& sealed);

// What is not as it was when a campaign began, and what to do.
struct Changed {
  std::string what = {};  // "the library of 'new' has changed since the campaign began: FILE: FILE"
  std::string remedy = {};
  bool named_file = false;  // that a setting names: somebody has edited it

  explicit operator bool() const { return !what.empty(); }
};

// A new `make install` under way would mix two libraries in one arm. Also an own operation or an
// engine that was built anew, and what an arm's engine now says otherwise of an operation.
Changed changed_library(const Prepared& prepared, const store::State& state);

// There are arms left to compare (of a campaign with a single arm: that one).
bool arms_remain(const Prepared& prepared, const store::State& state);

// A full disk, or a directory that became read-only; engines cannot always say so, because their
// words go there too. Empty: it can be written.
std::string why_unwritable(const std::filesystem::path& dir);

}  // namespace invar::driver
