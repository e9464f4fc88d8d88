#include "launch/build/units.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestBatch = 24;

// Sources that are compiled alone.
constexpr std::array<std::string_view, 11> kAlone{
    // What stands between two clock readings must not depend on what else the compiler sees.
    "engine/launch/visit.cpp",
    "engine/experiments/clock_runtime.cpp",
    "ops/memory/kernels/chase_kernel.cpp",
    "ops/memory/kernels/walk_4.cpp",
    "ops/memory/kernels/walk_8.cpp",
    "ops/memory/kernels/walk_16.cpp",
    "ops/memory/kernels/walk_32.cpp",
    "ops/memory/kernels/walk_64.cpp",
    // Programs of tests are linked with everything else.
    "engine/main.cpp",
    // All that differs where a user has own operations.
    "ops/catalogue.cpp",
    // It has names of its own in the namespace of the operations.
    "shim/table/catalogue.cpp",
};

constexpr std::array<std::string_view, 3> kKnowMpi{"ops", "engine", "shim"};

bool is_source(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".cpp" || extension == ".hpp" || extension == ".def" || extension == ".h";
}

// What a user's own operations may be compiled from. Not everything: notes beside them may change.
constexpr std::array<std::string_view, 13> kOfUsers{".cpp", ".hpp", ".def", ".c",   ".h",
                                                    ".hh",  ".hxx", ".inc", ".ipp", ".inl",
                                                    ".tpp", ".tcc", ".cc"};

std::uintmax_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

CompiledUnit unit_of(const BuildOrder& order, const std::string& source, std::string stem) {
  std::replace(stem.begin(), stem.end(), '/', '-');
  const fs::path folder = order.dir / "objects";
  return {.source = source, .object = folder / (stem + ".o"), .record = folder / (stem + ".json")};
}

CompiledUnit alone(const BuildOrder& order, const std::string& file) {
  CompiledUnit unit = unit_of(order, file, file.substr(0, file.size() - 4));
  unit.size_bytes = size_of(order.sources / file);
  return unit;
}

// Batches of equal length, as few as may be.
void add_batches(const BuildOrder& order, const std::string& folder,
                 const std::vector<std::string>& sources, std::vector<CompiledUnit>& units) {
  const std::size_t count = (sources.size() + kLargestBatch - 1) / kLargestBatch;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * sources.size() / count;
    const std::size_t end = (i + 1) * sources.size() / count;
    if (end - first == 1) {
      units.push_back(alone(order, sources[first]));
      continue;
    }
    std::string name = "batch-" + folder + "-" + std::to_string(i + 1);
    std::replace(name.begin(), name.end(), '/', '-');
    CompiledUnit unit = unit_of(order, (order.dir / "batches" / (name + ".cpp")).string(), name);
    for (std::size_t k = first; k < end; ++k) {
      unit.members.push_back(sources[k]);
      unit.size_bytes += size_of(order.sources / sources[k]);
    }
    units.push_back(std::move(unit));
  }
}

}  // namespace

std::vector<std::string> target_files(const BuildTarget& target, const fs::path& sources) {
  std::vector<std::string> files;
  for (const std::string& part : target.sources()) {
    if (is_source(part)) {
      files.push_back(part);
      continue;
    }
    std::error_code error;
    for (fs::recursive_directory_iterator entry(sources / part, error), end; !error && entry != end;
         entry.increment(error)) {
      if (is_source(entry->path())) {
        files.push_back(entry->path().lexically_relative(sources).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> engine_files(const fs::path& sources) {
  return target_files(engine_target(), sources);
}

std::vector<fs::path> files_of_user(const fs::path& operations) {
  std::vector<fs::path> files;
  std::error_code error;
  if (operations.empty()) return files;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(operations, kSkip, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with('.')) {
      entry.disable_recursion_pending();  // of version control and editors
    } else if (std::ranges::find(kOfUsers, entry->path().extension().string()) != kOfUsers.end() &&
               entry->is_regular_file(ignored)) {
      files.push_back(entry->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CompiledUnit> units_of(const BuildOrder& order) {
  std::vector<CompiledUnit> units;
  const std::vector<std::string> files = target_files(*order.target, order.sources);
  for (const std::string& part : order.target->sources()) {
    const std::size_t before = units.size();
    std::vector<std::string> batched;
    for (const std::string& file : files) {
      if ((file != part && !file.starts_with(part + "/")) || !file.ends_with(".cpp")) continue;
      if (std::ranges::find(kAlone, file) == kAlone.end()) {
        batched.push_back(file);
      } else {
        units.push_back(alone(order, file));
      }
    }
    add_batches(order, part, batched, units);
    const std::string folder = part.substr(0, part.find('/'));
    for (std::size_t i = before; i < units.size(); ++i) {
      units[i].may_know_mpi = std::ranges::find(kKnowMpi, folder) != kKnowMpi.end();
    }
  }
  for (const fs::path& file : files_of_user(order.operations)) {
    // Those below are parts of others.
    const bool is_in_folder = file.parent_path() == (order.operations / "own.cpp").parent_path();
    if (!is_in_folder || file.extension() != ".cpp") continue;
    units.push_back(unit_of(order, file.string(), "user-" + file.stem().string()));
    units.back().size_bytes = size_of(file);
  }
  return units;
}

void write_batch(const CompiledUnit& unit) {
  if (unit.members.empty()) return;
  std::string text;
  for (const std::string& member : unit.members) text += "#include \"" + member + "\"\n";
  if (base::read_file(unit.source).value_or("") == text) return;
  make_directories(fs::path(unit.source).parent_path());
  write_atomically(unit.source, text);
}

}  // namespace invar::launch
