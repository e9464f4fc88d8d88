// Finds the wrapper pairs of a machine.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Names with a suffix say which library they mean and come first, since the plain ones are often
// links to them; Intel's own wrappers before its generic one.
constexpr std::array<std::string_view, 5> kWrappers{"mpiicpx", "mpiicpc", "mpicxx", "mpic++",
                                                    "mpiCC"};
constexpr std::array<std::string_view, 4> kLaunchers{"mpirun", "mpiexec", "mpiexec.hydra",
                                                     "prterun"};

bool is_program(const std::string& path) { return find_program(path).has_value(); }

// "mpicxx.openmpi" -> ".openmpi"; nothing if the name is no wrapper's.
std::optional<std::string> suffix_of(const std::string& name) {
  for (const std::string_view wrapper : kWrappers) {
    if (!name.starts_with(wrapper)) continue;
    std::string suffix = name.substr(wrapper.size());
    // openSUSE and others write mpicxx-openmpi; mpicxx_abi is another form of the same library.
    if (suffix.empty() || suffix[0] == '.' || suffix[0] == '-') return suffix;
  }
  return std::nullopt;
}

std::optional<std::string> launcher_beside(const std::string& folder, const std::string& suffix) {
  for (const std::string_view launcher : kLaunchers) {
    std::string path = folder + "/" + std::string(launcher) + suffix;
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

struct Candidate {
  std::string mpicxx;
  std::string mpirun;
};

// Wrappers of one folder, those with a suffix first.
std::vector<Candidate> candidates_in(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> found;  // name, suffix
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with("mpi")) continue;
    if (const auto suffix = suffix_of(name)) found.emplace_back(std::move(name), *suffix);
  }
  const auto rank = [](const std::pair<std::string, std::string>& one) {
    std::size_t wrapper = 0;
    while (!one.first.starts_with(kWrappers[wrapper])) ++wrapper;
    return std::tuple(one.second.empty(), wrapper, one.first);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<Candidate> candidates;
  for (const auto& [name, suffix] : found) {
    const std::string path = folder + "/" + name;
    if (!is_program(path)) continue;
    if (const auto mpirun = launcher_beside(folder, suffix)) candidates.push_back({path, *mpirun});
  }
  return candidates;
}

void add_prefix(std::vector<std::string>& folders, const fs::path& prefix) {
  folders.push_back((prefix / "bin").string());
  folders.push_back(prefix.string());
}

void add_children(std::vector<std::string>& folders, const fs::path& parent,
                  const char* below = "bin") {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    found.push_back((entry->path() / below).string());
  }
  std::sort(found.begin(), found.end());
  folders.insert(folders.end(), found.begin(), found.end());
}

Json to_json(const Toolchain& t) {
  return {{"mpicxx", t.mpicxx},
          {"mpirun", t.mpirun},
          {"shown", t.shown},
          {"library", t.library},
          {"compiler_path", t.compiler_path},
          {"compiler", t.compiler},
          {"family", t.family},
          {"version", t.version},
          {"state", t.state}};
}

Toolchain from_json(const Json& json) {
  Toolchain t;
  t.mpicxx = json.at("mpicxx");
  t.mpirun = json.at("mpirun");
  t.shown = json.at("shown");
  t.library = json.at("library");
  t.compiler_path = json.at("compiler_path");
  t.compiler = json.at("compiler");
  t.family = json.at("family");
  t.version = json.at("version");
  t.state = json.at("state");
  return t;
}

std::map<std::string, Toolchain> read_cache(const fs::path& path) {
  std::map<std::string, Toolchain> cache;
  const std::optional<std::string> text = base::read_file(path.string());
  const Json json = Json::parse(text.value_or("[]"), nullptr, false);
  if (!json.is_array()) return cache;
  for (const Json& one : json) {
    try {
      Toolchain toolchain = from_json(one);
      cache.emplace(toolchain.mpicxx + "\n" + toolchain.mpirun, std::move(toolchain));
    } catch (const Json::exception&) {
      // A cache of another version: that pair is asked again.
      continue;
    }
  }
  return cache;
}

}  // namespace

std::vector<std::string> search_folders() {
  std::vector<std::string> folders = path_entries("PATH");
  for (const std::string& prefix : path_entries("INVAR_MPI_PREFIXES")) add_prefix(folders, prefix);
  for (const char* variable : {"MPI_HOME", "I_MPI_ROOT"}) {
    if (const char* prefix = std::getenv(variable); prefix != nullptr && *prefix != '\0') {
      add_prefix(folders, prefix);
    }
  }
  folders.insert(folders.end(), {"/usr/bin", "/usr/local/bin"});
  add_children(folders, "/opt");
  add_children(folders, "/opt/intel/oneapi/mpi");
  add_children(folders, "/usr/local");
  add_children(folders, "/usr/lib64/mpi/gcc");
  for (const char* name : {"openmpi", "mpich", "mvapich2", "intel-mpi"}) {
    folders.push_back(std::string("/usr/lib64/") + name + "/bin");
    folders.push_back(std::string("/usr/lib/") + name + "/bin");
  }
  std::vector<std::string> different;
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    std::error_code error;
    const std::string real = fs::canonical(folder, error).string();
    if (!error && fs::is_directory(real, error) && seen.insert(real).second) {
      different.push_back(folder);
    }
  }
  return different;
}

std::vector<Toolchain> detect_toolchains() {
  const fs::path cache_file = invar_home() / "detected.json";
  const std::map<std::string, Toolchain> cache = read_cache(cache_file);
  Json fresh = Json::array();
  bool changed = false;
  std::vector<Toolchain> found;
  std::set<std::string> libraries;
  for (const std::string& folder : search_folders()) {
    for (const Candidate& candidate : candidates_in(folder)) {
      const auto known = cache.find(candidate.mpicxx + "\n" + candidate.mpirun);
      Toolchain toolchain;
      if (known != cache.end() && toolchain_state(known->second) == known->second.state) {
        toolchain = known->second;
      } else {
        toolchain = inspect(candidate.mpicxx, candidate.mpirun, {});
        changed = true;
      }
      fresh.push_back(to_json(toolchain));
      if (libraries.insert(toolchain.library).second) found.push_back(std::move(toolchain));
    }
  }
  if (changed || fresh.size() != cache.size()) {
    write_atomically(cache_file, fresh.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return found;
}

}  // namespace invar::launch
