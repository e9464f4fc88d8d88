#include "launch/build/operation_list.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

struct OperationLine {
  std::string text = {};
  std::string place = {};  // FILE:LINE
};

constexpr const char* kForm = "INVAR_OPERATION(\"my_allreduce\", kMyAllreduce)";

// Adds the operations of a list to `lines`, by name.
void read_list(const fs::path& file, std::map<std::string, OperationLine>& lines,
               base::Faults& faults) {
  static const std::regex operation_line(
      R"re(INVAR_(?:OPERATION|SCHEDULE)\("([a-z][a-z0-9_=+@.-]*)",\s*([A-Za-z_]\w*)\))re");
  const auto content = base::read_file(file.string());
  if (!content) {
    faults.add(file.string(), "cannot be read",
               std::string("it lists the operations of its folder: ") + kForm);
    return;
  }
  std::size_t number = 0;
  for (const std::string_view whole : base::split(*content, '\n')) {
    ++number;
    const std::string text(base::trim(whole));
    if (text.empty() || text.starts_with("//")) continue;
    const std::string place = file.string() + ":" + std::to_string(number);
    std::smatch parts;
    if (!std::regex_match(text, parts, operation_line)) {
      faults.add(place, "'" + text + "' names no operation", std::string("write ") + kForm);
      continue;
    }
    const auto [known, added] = lines.emplace(parts[1].str(), OperationLine{text, place});
    if (!added) {
      faults.add(place, "there is an operation '" + parts[1].str() + "' already",
                 "it stands in " + known->second.place + "; choose another name");
    }
  }
}

bool has_source(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return !error && std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".cpp";
  });
}

}  // namespace

std::string merged_operations(const fs::path& ours, const fs::path& folder) {
  base::Faults faults;
  std::map<std::string, OperationLine> lines;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    faults.add("--ops " + folder.string(), "there is no such folder",
               "it holds *.cpp and operations.def");
    faults.throw_if_any();
  }
  if (!has_source(folder)) {
    faults.add("--ops " + folder.string(), "there is no *.cpp in it",
               "each defines an operation, see docs/adding-an-operation.md");
  }
  read_list(ours, lines, faults);
  read_list(folder / "operations.def", lines, faults);
  faults.throw_if_any();
  std::string text = "// Made by invar of " + ours.string() + " and " +
                     (folder / "operations.def").string() + ".\n";
  for (const auto& [name, line] : lines) text += line.text + "\n";
  return text;
}

void write_merged_operations(const fs::path& ours, const fs::path& folder, const fs::path& merged) {
  const std::string text = merged_operations(ours, folder);
  if (base::read_file(merged.string()) == text) return;
  make_directories(merged.parent_path());
  write_atomically(merged, text);
}

std::vector<std::string> own_operations(const fs::path& folder) {
  base::Faults faults;
  std::map<std::string, OperationLine> lines;
  read_list(folder / "operations.def", lines, faults);
  faults.throw_if_any();
  std::vector<std::string> names;
  names.reserve(lines.size());
  for (const auto& [name, line] : lines) names.push_back(name);
  return names;
}

}  // namespace invar::launch
