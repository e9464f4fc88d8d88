#include "driver/run/telling.hpp"

#include "base/text.hpp"

namespace invar::driver {

void Telling::not_put_back(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    if (!not_put_back_.insert(problem).second) continue;
    dir_.warn(problem);
    say("warning: " + problem);
  }
}

void Telling::warn_of_whole_data(const std::string& warning) {
  if (++warned_[warning] > 1) return;
  dir_.warn(warning);
  say(warning + "; its data are whole");
}

void Telling::count_warnings(std::uint32_t groups_complete) {
  for (const auto& [warning, groups] : warned_) {
    if (groups > 1) say(repeated_text(warning, groups, groups_complete));
  }
}

std::string repeated_text(const std::string& warning, std::uint32_t groups,
                          std::uint32_t groups_complete) {
  return "in " + std::to_string(groups) + " of " + base::count_text(groups_complete, "group") +
         ": " + warning;
}

}  // namespace invar::driver
