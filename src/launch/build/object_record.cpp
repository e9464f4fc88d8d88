#include "launch/build/object_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/crc32c.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Our own headers by content, everything else by stamp.
std::string state_of_file(const fs::path& sources, const std::string& file) {
  return file.starts_with("/") ? stamp(file) : file_checksum((sources / file).string());
}

Json read_record(const fs::path& file) {
  return Json::parse(base::read_file(file.string()).value_or(""), nullptr, false);
}

// The record of an object that is as new as its sources, if it has one.
std::optional<Json> current_record(const CompiledUnit& unit, const fs::path& sources) {
  std::error_code error;
  if (!fs::is_regular_file(unit.object, error)) return std::nullopt;
  Json record = read_record(unit.record);
  if (!record.is_object() || !record.contains("files")) return std::nullopt;
  for (const auto& [file, state] : record["files"].items()) {
    if (!state.is_string() || state_of_file(sources, file) != state.get<std::string>()) {
      return std::nullopt;
    }
  }
  return record;
}

// Compiled from these sources with the same compiler and flags, and none of them a library's.
bool is_shareable(const Json& record, const ObjectKeys& keys) {
  if (keys.shared.empty() || record.value("shared_key", "") != keys.shared) return false;
  const auto files = record["files"].items();
  return std::none_of(files.begin(), files.end(), [](const auto& file) {
    return fs::path(file.key()).filename().string() == "mpi.h";
  });
}

// Names in a make rule as the compiler writes it (-MD): "object: a b \<newline> c".
std::vector<std::string> parse_dependencies(const std::string& rule) {
  std::vector<std::string> files;
  std::string word;
  for (std::size_t i = rule.find(": ") + 1; i < rule.size(); ++i) {
    const char letter = rule[i];
    if (letter == '\\' && i + 1 < rule.size()) {
      ++i;
      if (rule[i] != '\n') word += rule[i];
    } else if (letter == ' ' || letter == '\n') {
      if (!word.empty()) files.push_back(std::move(word));
      word.clear();
    } else {
      word += letter;
    }
  }
  if (!word.empty()) files.push_back(std::move(word));
  return files;
}

// The list of operations that is found first, as records name it.
std::string list_of_operations(const BuildOrder& order) {
  return order.operations.empty() ? "ops/catalogue.def"
                                  : (merged_folder(order) / "ops" / "catalogue.def").string();
}

// Objects are found by name: this one is of that source (two users' folders may have files of one
// name), and it saw no other list of operations than `list`.
bool is_of(const Json& record, const CompiledUnit& unit, const std::string& list) {
  const std::vector<std::string> sources =
      unit.members.empty() ? std::vector{unit.source} : unit.members;
  if (!std::ranges::all_of(
          sources, [&](const std::string& source) { return record["files"].contains(source); })) {
    return false;
  }
  const auto files = record["files"].items();
  return std::all_of(files.begin(), files.end(), [&](const auto& file) {
    // A batch that had a source more would define it a second time.
    const bool is_other_source = !unit.members.empty() && file.key().ends_with(".cpp") &&
                                 std::ranges::find(unit.members, file.key()) == unit.members.end();
    if (is_other_source) return false;
    return fs::path(file.key()).filename() != "catalogue.def" || file.key() == list;
  });
}

bool fits(const CompiledUnit& unit, const std::optional<Json>& record, const BuildOrder& order,
          const ObjectKeys& keys) {
  // It must be of the same library, or of sources that know none.
  return record && is_of(*record, unit, list_of_operations(order)) &&
         (record->value("key", "") == keys.own || is_shareable(*record, keys));
}

// The same object in another profile.
CompiledUnit in_folder(CompiledUnit unit, const fs::path& folder) {
  unit.object = folder / unit.object.filename();
  unit.record = folder / unit.record.filename();
  return unit;
}

}  // namespace

std::string flags_key(const std::string& compiler_state, const std::string& cxxflags) {
  return base::crc_text(base::crc32c(base::join(engine_flags(cxxflags), " ") + compiler_state));
}

ObjectKeys object_keys(const BuildOrder& order) {
  // Objects of the engine have the keys that they always had.
  const std::string target = order.target == &engine_target() ? "" : target_state(*order.target);
  ObjectKeys keys{.own = flags_key(order.compiler_state + target, order.cxxflags)};
  if (!order.object_state.empty()) {
    keys.shared = flags_key(order.object_state + target, order.cxxflags);
  }
  return keys;
}

fs::path merged_folder(const BuildOrder& order) { return order.dir / "merged"; }

bool is_current(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys) {
  return fits(unit, current_record(unit, order.sources), order, keys);
}

bool is_adoptable(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
                  const std::vector<fs::path>& folders) {
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    return is_current(in_folder(unit, folder), order, keys);
  });
}

bool adopt(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
           const std::vector<fs::path>& folders) {
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    const CompiledUnit theirs = in_folder(unit, folder);
    if (!is_current(theirs, order, keys)) return false;
    std::error_code error;
    fs::remove(unit.record, error);
    fs::remove(unit.object, error);
    fs::create_hard_link(theirs.object, unit.object, error);
    if (error) fs::copy_file(theirs.object, unit.object, error);
    if (!error) fs::copy_file(theirs.record, unit.record, error);
    return !error;
  });
}

std::vector<fs::path> sibling_objects(const fs::path& dir) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(dir.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path() != dir && fs::is_directory(entry->path() / "objects", ignored)) {
      folders.push_back(entry->path() / "objects");
    }
  }
  return folders;
}

void write_record(const CompiledUnit& unit, const BuildOrder& order, const ObjectKeys& keys,
                  const std::string& rule, fs::file_time_type begin, double seconds) {
  Json files = Json::object();
  const std::string inside = order.sources.string() + "/";
  for (const std::string& file : parse_dependencies(rule)) {
    std::error_code error;
    // ccache may write names relative to where this process runs (base_dir).
    const std::string path = fs::absolute(file, error).lexically_normal().string();
    // What a batch consists of is its members.
    if (!unit.members.empty() && path == fs::path(unit.source).lexically_normal()) continue;
    const std::string name = path.starts_with(inside) ? path.substr(inside.size()) : path;
    // Edited while it was compiled: the object may be of the old text.
    if (fs::last_write_time(path, error) >= begin || error) return;
    files[name] = state_of_file(order.sources, name);
  }
  const Json record{
      {"key", keys.own}, {"shared_key", keys.shared}, {"seconds", seconds}, {"files", files}};
  write_atomically(unit.record, record.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<double> compile_seconds(const CompiledUnit& unit,
                                      const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    const Json record = read_record(folder / unit.record.filename());
    if (record.is_object() && record.contains("seconds") && record["seconds"].is_number()) {
      return record["seconds"].get<double>();
    }
  }
  return std::nullopt;
}

}  // namespace invar::launch
