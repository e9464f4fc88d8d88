#include "cli/tuning/tuned_files.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/tuning/tuned_use.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/files.hpp"
#include "launch/libraries/shim.hpp"
#include "tuning/candidate.hpp"

namespace invar::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPassedOn = "env:";

// What the library itself can be told.
tuning::DecisionTable library_part(const tuning::DecisionTable& table) {
  std::vector<tuning::Entry> entries;
  std::ranges::copy_if(table.entries(), std::back_inserter(entries),
                       [](const tuning::Entry& entry) { return !needs_shim(entry.candidate); });
  return tuning::DecisionTable(std::move(entries));
}

// Files by their names; empty text: it is not to be there.
std::map<std::string, std::string> texts_of(const TunedFiles& files) {
  std::map<std::string, std::string> texts;
  const std::string own(tuning::file_name_of(files.file.format));
  if (!own.empty()) texts[own] = files.file.text;
  texts[std::string(tuning::kDeviceFileName)] = files.file.device_text;
  tuning::TunedFile together = files.file;
  together.set = files.set;
  together.unset = files.unset;
  texts[analysis::kVariablesFile] = files.empty() ? "" : tuning::variables_text(together);
  std::string notes;
  for (const std::string& note : files.notes) notes += note + '\n';
  texts[kNotesFile] = notes;
  texts[kLearnedFile] = tuning::learned_text(files.learned);
  texts[kTableFile] = tuning::table_text(files.table);
  return texts;
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (!error) return;
  throw base::UserError(file.string(), "cannot be removed: " + error.message(),
                        "it is not in force any more: remove it");
}

// What the arm itself preloads stays behind the shim.
std::string before_preloaded(const std::string& name, const std::string& value,
                             const design::Settings& given) {
  if (name != "LD_PRELOAD") return value;
  for (const auto& [key, preloaded] : given) {
    if (key == name && !preloaded.empty()) return value + ':' + preloaded;
  }
  return value;
}

std::string how_to_put_back(const fs::path& dir) {
  return "put it back as it was, or remove " + base::shell_quoted((dir / kTableFile).string()) +
         ": then 'invar tune " + base::shell_quoted(dir.string()) + "' writes all files anew";
}

std::string bare_name(const std::string& name) {
  return name.starts_with(kPassedOn) ? name.substr(kPassedOn.size()) : name;
}

}  // namespace

TunedFiles make_files(const FilesOrder& order) {
  TunedFiles files{.dir = order.dir, .table = order.table, .learned = order.learned};
  const tuning::DecisionTable own = library_part(order.table);
  const std::string name(
      tuning::file_name_of(tuning::format_of(order.library.library, order.library.version)));
  files.file.format = tuning::format_of(order.library.library, order.library.version);
  if (!own.empty()) {
    files.file = tuning::write_tuned({.table = own,
                                      .library = order.library.library,
                                      .version = order.library.version,
                                      .laws = order.learned.laws,
                                      .path = (order.dir / name).string(),
                                      .base_tree = order.base_tree,
                                      .device_tree = order.device_tree,
                                      .given = order.library.settings,
                                      .breakages = order.learned.breakages});
  }
  files.set = files.file.set;
  files.unset = files.file.unset;
  files.shim = own.entries().size() < order.table.entries().size();
  if (files.shim) {
    for (const auto& [key, value] :
         launch::shim_environment(order.profile, order.dir / kShimFile, order.dir / kTableFile)) {
      design::put_setting(files.set, key, before_preloaded(key, value, order.library.settings));
    }
    std::ranges::sort(files.set);
  }
  for (const tuning::DroppedEntry& dropped : files.file.dropped) {
    files.notes.push_back("left out: " + tuning::entry_text(dropped.entry) + ": " + dropped.reason);
  }
  for (const std::string& caution : files.file.cautions) files.notes.push_back(caution);
  return files;
}

void write_files(const TunedFiles& files, const fs::path& shim) {
  // Whoever is killed from here on leaves no table, and all are written once more.
  remove_file(files.dir / kTableFile);
  tuning::WrittenFiles written{.dir = files.dir.string()};
  if (files.shim) {
    const std::optional<std::string> library = base::read_file(shim.string());
    if (!library) throw base::UserError(shim.string(), "cannot be read");
    replace_file(files.dir / kShimFile, *library);
    written.checksums[kShimFile] = tuning::checksum_of_text(*library);
  } else {
    remove_file(files.dir / kShimFile);
  }
  for (const auto& [name, text] : texts_of(files)) {
    if (!text.empty()) written.checksums[name] = tuning::checksum_of_text(text);
    if (name == kTableFile) continue;
    if (text.empty()) {
      remove_file(files.dir / name);
    } else {
      replace_file(files.dir / name, text);
    }
  }
  replace_file(files.dir / kWrittenFile, tuning::written_text(written));
  replace_file(files.dir / kTableFile, tuning::table_text(files.table));
}

std::optional<tuning::WrittenFiles> written_in(const fs::path& dir) {
  const std::string file = (dir / kWrittenFile).string();
  const std::optional<std::string> text = base::read_file(file);
  if (!text) return std::nullopt;
  return tuning::parse_written(*text, file);
}

std::vector<base::Fault> faults_of_files(const fs::path& dir, const tuning::WrittenFiles& written) {
  std::vector<base::Fault> faults;
  for (const tuning::FileChange& change : tuning::changes_since(
           written,
           [&](const std::string& name) { return base::read_file((dir / name).string()); })) {
    faults.push_back({.place = (dir / change.name).string(),
                      .what = change.gone ? "is gone: invar tune has written it"
                                          : "was edited since invar tune wrote it",
                      .remedy = how_to_put_back(dir)});
  }
  return faults;
}

std::vector<base::Fault> faults_of_files(const TunedFiles& files) {
  std::vector<base::Fault> faults;
  for (const auto& [name, text] : texts_of(files)) {
    if (name == analysis::kVariablesFile) continue;
    const std::optional<std::string> there = base::read_file((files.dir / name).string());
    if (there.value_or("") == text) continue;
    const std::string table = (files.dir / kTableFile).string();
    faults.push_back({.place = (files.dir / name).string(),
                      .what = !there         ? "is gone, and " + table + " asks for it"
                              : text.empty() ? "is there, and " + table + " asks for no such file"
                                             : "is not what " + table +
                                                   " says: one of them was "
                                                   "edited",
                      .remedy = how_to_put_back(files.dir)});
  }
  return faults;
}

design::Settings tuned_settings(const design::Arm& given, const TunedFiles& files) {
  design::Settings settings;
  const auto is_set = [&](const std::string& name) {
    return std::ranges::any_of(files.set, [&](const auto& one) { return one.first == name; });
  };
  for (const auto& [key, value] : given.settings) {
    const std::string name = bare_name(key);
    const bool unset = std::ranges::find(files.unset, name) != files.unset.end();
    if (!unset && !is_set(name)) settings.emplace_back(key, value);
  }
  for (auto& setting : design::arm_settings(files.set)) settings.push_back(std::move(setting));
  return settings;
}

}  // namespace invar::cli
