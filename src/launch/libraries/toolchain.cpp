#include "launch/libraries/toolchain.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

std::string first_line(std::string_view text) {
  return std::string(base::trim(base::split(base::trim(text), '\n').front()));
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? std::string() : real.string();
}

// Words of a command line, quotes taken off.
std::vector<std::string> words_of(std::string_view shown) {
  std::vector<std::string> words;
  for (const std::string_view part : base::split(shown, ' ')) {
    std::string word;
    for (const char letter : base::trim(part)) {
      if (letter != '"' && letter != '\'') word += letter;
    }
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

// "-lmpi", "-lmpich", "-lsimgrid".
bool names_library(std::string_view word) {
  if (!word.starts_with("-l")) return false;
  const std::string_view name = word.substr(2);
  return name.find("mpi") != std::string_view::npos ||
         std::ranges::any_of(library_kinds(), [&](const LibraryKind& kind) {
           return !kind.linked.empty() && name == kind.linked;
         });
}

bool is_binding(std::string_view library) {
  for (const char* word : {"cxx", "fort", "f77", "f90", "usempi", "mpifh"}) {
    if (library.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string find_version(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::size_t end = i;
    while (end < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
      ++end;
    }
    std::string version = text.substr(i, end - i);
    while (version.ends_with('.')) version.pop_back();
    if (version.find('.') != std::string::npos) return version;
    i = end;
  }
  return {};
}

std::string linked_library(const std::string& shown) {
  std::vector<std::string> folders;
  std::vector<std::string> libraries;
  for (const std::string& word : words_of(shown)) {
    if (word.starts_with("-L")) {
      folders.push_back(word.substr(2));
    } else if (word.starts_with("-Wl,-rpath,")) {
      folders.push_back(word.substr(11));
    } else if (names_library(word) && !is_binding(word)) {
      libraries.push_back("lib" + word.substr(2));
    } else if (word.ends_with(".so") && word.find("libmpi") != std::string::npos &&
               !is_binding(word)) {
      libraries.push_back(word);
    }
  }
  folders.insert(folders.end(), {"/usr/lib64", "/usr/lib", "/usr/local/lib"});
  for (const std::string& library : libraries) {
    if (library.starts_with("/")) {
      if (std::string real = real_path(library); !real.empty()) return real;
      continue;
    }
    for (const std::string& folder : folders) {
      for (const char* ending : {".so", ".a"}) {
        std::string real = real_path(folder + "/" + library + ending);
        if (!real.empty()) return real;
      }
    }
  }
  return {};
}

Toolchain inspect(const std::string& mpicxx, const std::string& mpirun,
                  const Environment& environment) {
  Toolchain found;
  found.mpicxx = mpicxx;
  found.mpirun = mpirun;
  constexpr double kLimitS = 20;
  const CommandResult shown = run_command({mpicxx, "-show"}, environment, kLimitS);
  if (shown.status == 0) found.shown = first_line(shown.out);
  found.library = linked_library(found.shown);
  if (found.library.empty()) found.library = found.shown.empty() ? mpicxx : found.shown;
  const std::vector<std::string> words = words_of(found.shown);
  if (!words.empty()) {
    if (const auto compiler = find_program(words.front())) {
      found.compiler_path = real_path(*compiler);
    }
  }
  CommandResult compiler = run_command({mpicxx, "--version"}, environment, kLimitS);
  // Some wrappers tell their own.
  if (kind_of_launcher(compiler.out, {}).name != library_kinds().back().name &&
      !found.compiler_path.empty()) {
    compiler = run_command({found.compiler_path, "--version"}, environment, kLimitS);
  }
  if (compiler.status == 0) found.compiler = first_line(compiler.out);
  // Hydra prints its version in the second line, Intel's and Open MPI's in the first.
  const CommandResult launcher = run_command({mpirun, "--version"}, environment, kLimitS);
  const std::string text = launcher.out + launcher.err;
  found.family = kind_of_launcher(text, fs::path(real_path(mpirun)).filename().string()).name;
  if (kind_of(found.family).alone) {
    // No wrapper: the compiler itself, which adds nothing. What starts it has a version that says
    // nothing of a library.
    found.shown = mpicxx;
    found.compiler_path = real_path(mpicxx);
  } else {
    found.version = find_version(text.substr(0, 400));
  }
  found.state = toolchain_state(found);
  return found;
}

std::string object_state(const Toolchain& toolchain) {
  if (toolchain.shown.empty() || toolchain.compiler_path.empty()) return {};
  // "g++ (Debian 12.2.0-14) 12.2.0" and "c++ (Debian 12.2.0-14) 12.2.0" are one compiler.
  const std::string& told = toolchain.compiler;
  std::string state =
      stamp(toolchain.compiler_path) + told.substr(std::min(told.find(' '), told.size()));
  const std::vector<std::string> words = words_of(toolchain.shown);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-Xlinker" || word == "-I" || word == "-L" || word == "-isystem") {
      ++i;
      continue;
    }
    const bool other = word.starts_with("-I") || word.starts_with("-L") || word.starts_with("-l") ||
                       word.starts_with("-Wl,") || word == "-pthread" || word == "-DMPI_ABI" ||
                       !word.starts_with("-");
    // Behind a cache ("ccache g++") comes the compiler.
    if (!other || (i == 1 && !word.starts_with("-"))) state += " " + word;
  }
  return state;
}

std::string compile_state(const Toolchain& toolchain) {
  std::string state;
  for (const std::string* path :
       {&toolchain.mpicxx, &toolchain.compiler_path, &toolchain.library}) {
    state += *path + "=" + stamp(*path) + ";";
  }
  static constexpr std::array<const char*, 6> kRedirections{
      "OMPI_CXX", "MPICH_CXX", "I_MPI_CXX", "OMPI_CXXFLAGS", "MPICH_CXXFLAGS", "OPAL_PREFIX"};
  for (const char* name : kRedirections) {
    if (const char* value = std::getenv(name)) state += std::string(name) + "=" + value + ";";
  }
  return state;
}

std::string toolchain_state(const Toolchain& toolchain) {
  return compile_state(toolchain) + stamp(toolchain.mpirun) + ";";
}

}  // namespace invar::launch
