#include "cli/environment_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/answer/tidy_table.hpp"
#include "cli/answer.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/text_table.hpp"

namespace invar::cli {
namespace {

constexpr std::size_t kValueWidth = 100;

}  // namespace

std::vector<EnvironmentLine> by_section(std::vector<EnvironmentLine> lines) {
  std::vector<std::string> order;
  for (const EnvironmentLine& line : lines) {
    if (std::find(order.begin(), order.end(), line.section) == order.end()) {
      order.push_back(line.section);
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const EnvironmentLine& a, const EnvironmentLine& b) {
                     return std::find(order.begin(), order.end(), a.section) <
                            std::find(order.begin(), order.end(), b.section);
                   });
  return lines;
}

std::string shown_value(const std::string& value, bool all) {
  const std::string line = report::printable(value);
  return all || line.size() <= kValueWidth ? line : line.substr(0, kValueWidth) + "...";
}

void print_environment(const std::vector<EnvironmentLine>& lines, bool all) {
  std::string section;
  for (const EnvironmentLine& line : lines) {
    if (line.section != section) {
      section = line.section;
      print(fmt::format("\n  {}\n", report::printable(section)));
    }
    print(fmt::format("    {:<30}  {}\n", report::printable(line.name),
                      shown_value(line.value, all)));
  }
}

void print_environment_csv(const std::vector<EnvironmentLine>& lines) {
  analysis::TidyTable table{.columns = {{.name = "section"}, {.name = "name"}, {.name = "value"}}};
  for (const EnvironmentLine& line : lines) {
    table.rows.push_back({line.section, line.name, line.value});
  }
  print(report::table_csv(table));
}

}  // namespace invar::cli
