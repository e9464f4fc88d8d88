// Finds the wrapper pairs of a machine.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
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

// A wrapper's name, and those of the launchers that it may stand beside.
struct WrapperName {
  std::string_view name;
  std::span<const std::string_view> launchers;
};

// Those of many libraries, and behind them the kinds' own.
const std::vector<WrapperName>& wrapper_names() {
  static const std::vector<WrapperName> names = [] {
    std::vector<WrapperName> all;
    for (const std::string_view name : kWrappers) all.push_back({name, kLaunchers});
    for (const LibraryKind& kind : library_kinds()) {
      if (!kind.wrapper.empty()) all.push_back({kind.wrapper, {&kind.launcher, 1}});
    }
    return all;
  }();
  return names;
}

bool is_program(const std::string& path) { return find_program(path).has_value(); }

// The program's name as a wrapper's, with what follows that: "mpicxx.openmpi".
struct NamedWrapper {
  std::string name = {};
  std::size_t wrapper = 0;  // index in wrapper_names()
  std::string suffix = {};  // ".openmpi"
};

// Nothing if the name is not a wrapper's.
std::optional<NamedWrapper> named_wrapper(const std::string& name) {
  for (std::size_t i = 0; i < wrapper_names().size(); ++i) {
    if (!name.starts_with(wrapper_names()[i].name)) continue;
    std::string suffix = name.substr(wrapper_names()[i].name.size());
    // openSUSE and others write mpicxx-openmpi; mpicxx_abi is another form of the same library.
    if (suffix.empty() || suffix[0] == '.' || suffix[0] == '-')
      return NamedWrapper{name, i, suffix};
  }
  return std::nullopt;
}

std::optional<std::string> launcher_beside(const std::string& folder, const NamedWrapper& wrapper) {
  for (const std::string_view launcher : wrapper_names()[wrapper.wrapper].launchers) {
    std::string path = folder + "/" + std::string(launcher) + wrapper.suffix;
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
  std::vector<NamedWrapper> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (auto wrapper = named_wrapper(entry->path().filename().string())) {
      found.push_back(std::move(*wrapper));
    }
  }
  const auto rank = [](const NamedWrapper& one) {
    return std::tuple(one.suffix.empty(), one.wrapper, one.name);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<Candidate> candidates;
  for (const NamedWrapper& wrapper : found) {
    const std::string path = folder + "/" + wrapper.name;
    if (!is_program(path)) continue;
    if (const auto mpirun = launcher_beside(folder, wrapper)) candidates.push_back({path, *mpirun});
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
