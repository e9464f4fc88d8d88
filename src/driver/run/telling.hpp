// What a run tells whoever watches it, and what of that stays with the campaign.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/run/progress.hpp"
#include "store/campaign_dir.hpp"

namespace invar::driver {

class Telling {
 public:
  // `part`: driver/run/progress.hpp. Refers to the directory.
  Telling(store::CampaignDir& dir, const std::string& part) : dir_(dir), progress_(part) {}

  // On stderr, after "invar: ".
  void say(const std::string& text) { progress_.say("invar: " + text); }
  void show(const Progress::Now& now) { progress_.show(now); }
  void renew(const Progress::Now& now) { progress_.renew(now); }
  void finish() { progress_.finish(); }

  // What others will measure with after us; each problem once.
  void not_put_back(const std::vector<std::string>& problems);
  // A library that does not end once will often not end: told at once, counted at the end.
  void warn_of_whole_data(const std::string& warning);
  // `groups_complete`: of this driver.
  void count_warnings(std::uint32_t groups_complete);

 private:
  store::CampaignDir& dir_;
  Progress progress_;
  std::map<std::string, std::uint32_t> warned_ = {};  // -> how many of these
  std::set<std::string> not_put_back_ = {};
};

// "in 7 of 12 groups: 'a' did not end ...": of a warning that was told when it came first.
std::string repeated_text(const std::string& warning, std::uint32_t groups,
                          std::uint32_t groups_complete);

}  // namespace invar::driver
