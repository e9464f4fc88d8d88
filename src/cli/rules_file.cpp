#include "cli/rules_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/process/paths.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".rules";

// Beside the engine's sources, as they are installed and in the source tree.
fs::path shipped_rules() { return launch::engine_sources().parent_path() / "rules"; }

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& file : fs::directory_iterator(shipped_rules(), none)) {
    if (file.path().extension() == kEnding) names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string rules_file(const std::string& word) {
  if (fs::is_regular_file(word)) return word;
  const fs::path shipped = shipped_rules() / (word + std::string(kEnding));
  if (word.find('/') == std::string::npos && fs::is_regular_file(shipped)) return shipped.string();
  if (fs::is_directory(word)) {
    throw base::UserError("--rules", "'" + word + "' is a directory",
                          "name a file of rules in it, or one that comes with Invar: " +
                              base::join(shipped_names(), ", "));
  }
  throw base::UserError("--rules", "there is no file '" + word + "'",
                        base::did_you_mean(word, shipped_names()));
}

std::vector<design::Guideline> read_rules(const std::string& path, base::Faults& faults) {
  const std::optional<std::string> text = base::read_file(path);
  if (!text) throw base::UserError("--rules", "'" + path + "' cannot be read");
  return design::parse_guidelines(*text, path, faults);
}

std::vector<design::Guideline> read_rules(const std::string& path) {
  base::Faults faults;
  std::vector<design::Guideline> rules = read_rules(path, faults);
  faults.throw_if_any();
  return rules;
}

}  // namespace invar::cli
