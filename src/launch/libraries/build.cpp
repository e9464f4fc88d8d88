#include "launch/libraries/build.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/libraries/build_progress.hpp"
#include "launch/libraries/operation_list.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// One compilation: "engine/launch/visit.cpp" -> objects/engine-launch-visit.o, with a record of
// what went into it.
struct CompiledUnit {
  std::string source;  // relative to the sources; a user's own, and a batch: absolute
  fs::path object;
  fs::path record;                        // objects/engine-launch-visit.json
  std::vector<std::string> members = {};  // of a batch: what it includes, relative to the sources
};

// Folders of many small sources that differ in little but names: a dozen of them in one compilation
// take a fifth of the time. Names in them are the folder's.
constexpr std::array<std::string_view, 1> kBatchedFolders{"ops/collectives/"};
constexpr std::size_t kBatch = 12;

// What an object depends on besides its sources.
struct Keys {
  std::string own;     // compiler, flags, wrapper, library
  std::string shared;  // compiler and flags: enough for sources that know no MPI; may be empty
};
bool is_source(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".cpp" || extension == ".hpp" || extension == ".def";
}

std::vector<std::string> files_of(const fs::path& sources) {
  std::vector<std::string> files;
  for (const std::string& folder : engine_folders()) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(sources / folder, error), end;
         !error && entry != end; entry.increment(error)) {
      if (is_source(entry->path())) {
        files.push_back(entry->path().lexically_relative(sources).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Sorted; empty if there is no folder.
std::vector<fs::path> files_of_user(const fs::path& operations) {
  std::vector<fs::path> files;
  std::error_code error;
  if (operations.empty()) return files;
  for (fs::directory_iterator entry(operations, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_source(entry->path())) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string flags_key(const std::string& compiler_state, const std::string& cxxflags) {
  return base::crc_text(base::crc32c(base::join(engine_flags(cxxflags), " ") + compiler_state));
}

// Our own headers by content, everything else by stamp.
std::string state_of(const fs::path& sources, const std::string& file) {
  return file.starts_with("/") ? stamp(file) : file_checksum((sources / file).string());
}

// The record of an object that is as new as its sources, if it has one.
std::optional<Json> current_record(const CompiledUnit& unit, const fs::path& sources) {
  std::error_code error;
  if (!fs::is_regular_file(unit.object, error)) return std::nullopt;
  const auto text = base::read_file(unit.record.string());
  Json record = Json::parse(text.value_or(""), nullptr, false);
  if (!record.is_object() || !record.contains("files")) return std::nullopt;
  for (const auto& [file, state] : record["files"].items()) {
    if (!state.is_string() || state_of(sources, file) != state.get<std::string>()) {
      return std::nullopt;
    }
  }
  return record;
}

// Compiled from these sources with the same compiler and flags, and none of them a library's.
bool is_shareable(const Json& record, const Keys& keys) {
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

void write_record(const CompiledUnit& unit, const fs::path& sources, const Keys& keys,
                  const std::string& rule, fs::file_time_type begin) {
  Json files = Json::object();
  const std::string inside = sources.string() + "/";
  for (const std::string& file : parse_dependencies(rule)) {
    std::error_code error;
    // ccache may write names relative to where this process runs (base_dir).
    const std::string path = fs::absolute(file, error).lexically_normal().string();
    // What a batch consists of is its members.
    if (!unit.members.empty() && path == unit.source) continue;
    const std::string name = path.starts_with(inside) ? path.substr(inside.size()) : path;
    // Edited while it was compiled: the object may be of the old text. Compile again next time.
    if (fs::last_write_time(path, error) >= begin || error) return;
    files[name] = state_of(sources, name);
  }
  const Json record{{"key", keys.own}, {"shared_key", keys.shared}, {"files", files}};
  write_atomically(unit.record, record.dump(-1, ' ', false, Json::error_handler_t::replace));
}

unsigned jobs() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof(mine), &mine) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mine)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

// Holds ops/catalogue.def with our operations and the user's.
fs::path merged_folder(const BuildOrder& order) { return order.dir / "merged"; }

// Compiles one unit; the compiler's output if that fails.
std::optional<std::string> compile(const CompiledUnit& unit, const BuildOrder& order,
                                   const Keys& keys) {
  const std::string unfinished = unit.object.string() + ".new";
  const std::string rule_file = unit.object.string() + ".d";
  std::vector<std::string> command{order.mpicxx};
  const std::vector<std::string> flags = engine_flags(order.cxxflags);
  command.insert(command.end(), flags.begin(), flags.end());
  // The list of all operations, if a user has own ones, is found before ours.
  if (!order.operations.empty()) command.push_back("-I" + merged_folder(order).string());
  command.insert(command.end(), {"-I" + order.sources.string(), "-MD", "-MF", rule_file, "-c",
                                 (order.sources / unit.source).string(), "-o", unfinished});
  constexpr double kLimitS = 600;
  const fs::file_time_type begin = fs::file_time_type::clock::now();
  const CommandResult result = run_command(command, order.environment, kLimitS);
  std::error_code error;
  if (result.status != 0) {
    fs::remove(unfinished, error);
    fs::remove(rule_file, error);
    return "$ " + command_text(command) + "\n" + result.out + result.err +
           (result.timed_out ? "(stopped after 600 s)\n" : "");
  }
  fs::remove(unit.record, error);
  const std::string rule = base::read_file(rule_file).value_or("");
  fs::remove(rule_file, error);
  fs::rename(unfinished, unit.object, error);
  if (error) return "cannot write " + unit.object.string() + ": " + error.message();
  write_record(unit, order.sources, keys, rule, begin);
  return std::nullopt;
}

[[noreturn]] void fail(const BuildOrder& order, const std::string& what, std::string output) {
  constexpr std::size_t kLongest = 6000;
  if (output.size() > kLongest) output = output.substr(0, kLongest) + "\n...";
  throw base::UserError("profile " + order.name, what + " with " + order.mpicxx + ":\n" + output,
                        "the wrapper must compile C++20 (g++ 11 or clang 14 and later) and link");
}

void compile_all(const std::vector<CompiledUnit>& units, const BuildOrder& order,
                 const Keys& keys) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<std::string> first_failure;
  BuildProgress progress(order.name, units.size(), isatty(STDERR_FILENO) != 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&] {
    for (std::size_t i = next++; i < units.size(); i = next++) {
      {
        const std::lock_guard guard(mutex);
        if (first_failure) return;
      }
      std::optional<std::string> failure;
      try {
        failure = compile(units[i], order, keys);
      } catch (const std::exception& problem) {
        failure = problem.what();
      }
      const std::lock_guard guard(mutex);
      if (failure) {
        if (!first_failure) first_failure = std::move(failure);
        continue;
      }
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      std::fputs(progress.compiled(elapsed.count()).c_str(), stderr);
    }
  };
  std::vector<std::thread> workers;
  const std::size_t count = std::min<std::size_t>(jobs(), units.size());
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  std::fputs(progress.end().c_str(), stderr);
  if (first_failure) fail(order, "the engine does not compile", *first_failure);
}

// Objects of sources that are gone must not stay for ever.
void remove_stale(const fs::path& folder, const std::vector<CompiledUnit>& units) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool wanted = std::any_of(units.begin(), units.end(), [&](const CompiledUnit& unit) {
      return unit.object == entry->path() || unit.record == entry->path();
    });
    std::error_code ignored;
    if (!wanted) fs::remove(entry->path(), ignored);
  }
}

// Object folders of the other profiles.
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

bool is_current(const CompiledUnit& unit, const BuildOrder& order, const Keys& keys) {
  const std::optional<Json> record = current_record(unit, order.sources);
  return record && is_of(*record, unit, list_of_operations(order)) &&
         (record->value("key", "") == keys.own || is_shareable(*record, keys));
}

// The sources of the batched folders, a few units instead of many. Their files are written where
// they are not there yet.
void add_batches(const BuildOrder& order, const std::vector<std::string>& files,
                 std::vector<CompiledUnit>& units) {
  for (const std::string_view folder : kBatchedFolders) {
    std::vector<std::string> sources;
    for (const std::string& file : files) {
      if (file.starts_with(folder) && file.ends_with(".cpp")) sources.push_back(file);
    }
    for (std::size_t first = 0; first < sources.size(); first += kBatch) {
      const std::size_t end = std::min(sources.size(), first + kBatch);
      std::string name = "batch-" + std::string(folder) + std::to_string(first / kBatch + 1);
      std::replace(name.begin(), name.end(), '/', '-');
      CompiledUnit unit{.source = (order.dir / "batches" / (name + ".cpp")).string(),
                        .object = order.dir / "objects" / (name + ".o"),
                        .record = order.dir / "objects" / (name + ".json")};
      std::string text;
      for (std::size_t i = first; i < end; ++i) {
        text += "#include \"" + sources[i] + "\"\n";
        unit.members.push_back(sources[i]);
      }
      if (base::read_file(unit.source).value_or("") != text) {
        make_directories(order.dir / "batches");
        write_atomically(unit.source, text);
      }
      units.push_back(std::move(unit));
    }
  }
}

bool is_batched(const std::string& file) {
  return std::ranges::any_of(kBatchedFolders,
                             [&](std::string_view folder) { return file.starts_with(folder); });
}

// Takes the object from a profile that has the same one. A link: it is only ever replaced whole.
bool adopt(const CompiledUnit& unit, const BuildOrder& order, const Keys& keys,
           const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    CompiledUnit theirs = unit;
    theirs.object = folder / unit.object.filename();
    theirs.record = folder / unit.record.filename();
    const std::optional<Json> record = current_record(theirs, order.sources);
    if (!record || !is_of(*record, unit, list_of_operations(order))) return false;
    // It must be of the same library, or of sources that know none.
    if (record->value("key", "") != keys.own && !is_shareable(*record, keys)) return false;
    std::error_code error;
    fs::remove(unit.record, error);
    fs::remove(unit.object, error);
    fs::create_hard_link(theirs.object, unit.object, error);
    if (error) fs::copy_file(theirs.object, unit.object, error);
    if (!error) fs::copy_file(theirs.record, unit.record, error);
    return !error;
  });
}

}  // namespace

std::vector<std::string> engine_flags(const std::string& cxxflags) {
  // Line numbers for backtraces; full debug information would take a third of the build's time.
  std::vector<std::string> flags{"-std=c++20", "-O2", "-g1"};
  std::string own;
  for (const char letter : cxxflags + " ") {
    if (letter != ' ' && letter != '\t' && letter != '\n') {
      own += letter;
    } else if (!own.empty()) {
      flags.push_back(std::move(own));
      own.clear();
    }
  }
  const std::string told = "-DINVAR_ENGINE_FLAGS=" + base::join(flags, ",");
  flags.insert(flags.end(), {"-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", told});
  return flags;
}

std::string engine_key(const fs::path& sources, const fs::path& operations,
                       const std::string& compiler_state, const std::string& cxxflags) {
  std::string all = flags_key(compiler_state, cxxflags);
  for (const fs::path& file : files_of_user(operations)) {
    all += file.string() + "=" + file_checksum(file.string()) + ";";
  }
  for (const std::string& file : files_of(sources)) {
    all += file + "=" + file_checksum((sources / file).string()) + ";";
  }
  return base::crc_text(base::crc32c(all)) + "-" + std::to_string(all.size());
}

void build_engine(const BuildOrder& order) {
  const fs::path folder = order.dir / "objects";
  make_directories(folder);
  Keys keys{.own = flags_key(order.compiler_state, order.cxxflags), .shared = {}};
  if (!order.object_state.empty()) keys.shared = flags_key(order.object_state, order.cxxflags);
  std::vector<CompiledUnit> units;
  const std::vector<std::string> files = files_of(order.sources);
  add_batches(order, files, units);
  for (const std::string& file : files) {
    if (!file.ends_with(".cpp") || is_batched(file)) continue;
    std::string stem = file.substr(0, file.size() - 4);
    std::replace(stem.begin(), stem.end(), '/', '-');
    units.push_back({file, folder / (stem + ".o"), folder / (stem + ".json")});
  }
  if (!order.operations.empty()) {
    write_merged_operations(order.sources / "ops" / "catalogue.def", order.operations,
                            merged_folder(order) / "ops" / "catalogue.def");
    for (const fs::path& file : files_of_user(order.operations)) {
      if (file.extension() != ".cpp") continue;
      const std::string stem = "user-" + file.stem().string();
      units.push_back({file.string(), folder / (stem + ".o"), folder / (stem + ".json")});
    }
  }
  remove_stale(folder, units);
  const std::vector<fs::path> siblings = sibling_objects(order.dir);
  std::vector<CompiledUnit> stale;
  std::copy_if(units.begin(), units.end(), std::back_inserter(stale),
               [&](const CompiledUnit& unit) {
                 return !is_current(unit, order, keys) && !adopt(unit, order, keys, siblings);
               });
  std::fprintf(stderr, "%s: building the engine (%zu of %zu files to compile)\n",
               order.name.c_str(), stale.size(), units.size());
  compile_all(stale, order, keys);

  std::vector<std::string> command{order.mpicxx, "-g", "-pthread"};
  for (const CompiledUnit& unit : units) command.push_back(unit.object.string());
  const fs::path unfinished = order.dir / "invar-engine.new";
  command.insert(command.end(), {"-o", unfinished.string()});
  const CommandResult result = run_command(command, order.environment, 600);
  std::error_code error;
  if (result.status != 0) {
    fs::remove(unfinished, error);
    fail(order, "the engine does not link", result.out + result.err);
  }
  fs::rename(unfinished, order.dir / "invar-engine", error);
  if (error) fail(order, "cannot install the engine", error.message());
}

}  // namespace invar::launch
