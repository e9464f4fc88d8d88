#include "analysis/tuning/tuned_use.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace invar::analysis {
namespace {

constexpr std::string_view kPassedOn = "env:";

std::string bare(const std::string& name) {
  return name.starts_with(kPassedOn) ? name.substr(kPassedOn.size()) : name;
}

}  // namespace

TunedUse use_of(const ComparedArm& untouched, const ComparedArm& tuned) {
  const auto has = [](const ComparedArm& arm, const std::string& name) {
    return std::ranges::any_of(arm.settings,
                               [&](const auto& setting) { return setting.first == name; });
  };
  TunedUse use;
  for (const auto& setting : tuned.settings) {
    const bool same = std::ranges::find(untouched.settings, setting) != untouched.settings.end();
    if (!same) use.set.emplace_back(bare(setting.first), setting.second);
  }
  for (const auto& [name, value] : untouched.settings) {
    if (!has(tuned, name)) use.unset.push_back(bare(name));
  }
  return use;
}

TunedUse use_in(const std::string& text) {
  TunedUse use;
  for (const std::string_view line : base::split(text, '\n')) {
    const auto words = base::shell_words(base::trim(line));
    if (!words || words->size() < 2) continue;
    if (words->front() == "unset") {
      use.unset.insert(use.unset.end(), words->begin() + 1, words->end());
    }
    if (words->front() != "export") continue;
    const std::string& assignment = (*words)[1];
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) continue;
    use.set.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return use;
}

TidyTable use_table(const TunedUse& use) {
  TidyTable table{.id = "variables",
                  .title = "to use it",
                  .columns = {{.name = "action"}, {.name = "variable"}, {.name = "value"}},
                  // The title says it all.
                  .shown = {{.column = "action"}, {.column = "variable"}, {.column = "value"}}};
  for (const std::string& name : use.unset) table.rows.push_back({"unset", name, Value()});
  for (const auto& [name, value] : use.set) table.rows.push_back({"set", name, value});
  return table;
}

}  // namespace invar::analysis
