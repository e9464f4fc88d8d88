// What `invar env` prints of anything: named values in sections.
#pragma once

#include <string>
#include <vector>

namespace invar::cli {

// One of them.
struct EnvironmentLine {
  std::string section = {};
  std::string name = {};
  std::string value = {};
};

// The lines in the order of their sections' first ones.
std::vector<EnvironmentLine> by_section(std::vector<EnvironmentLine> lines);

// A value of a terminal's page, cut where it is long unless `all`.
std::string shown_value(const std::string& value, bool all);

// For people. `all`: values are not cut.
void print_environment(const std::vector<EnvironmentLine>& lines, bool all);

void print_environment_csv(const std::vector<EnvironmentLine>& lines);

}  // namespace invar::cli
