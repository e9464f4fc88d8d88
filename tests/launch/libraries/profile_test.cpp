// Profiles with a made-up engine and a made-up library: a wrapper that calls the compiler, a
// launcher that runs the program once and pretends that there are two ranks.
#include "launch/libraries/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "launch/build/build.hpp"
#include "launch/libraries/engine_use.hpp"
#include "launch/libraries/profile_add.hpp"
#include "launch/libraries/profile_file.hpp"
#include "launch/libraries/profile_names.hpp"
#include "launch/libraries/profile_with.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"
#include "launch/scratch.hpp"
#include "launch/start/arms.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::Scratch;
using test::Variable;
using testing::HasSubstr;
using testing::SizeIs;

class Profiles : public testing::Test {
 protected:
  Profiles() {
    // Sources of an engine of two files; the probe's answer names a library that it maps.
    scratch_.write("src/base/answer.hpp", "inline int ranks() { return 2; }\n");
    scratch_.write("src/base/other.cpp", "int other() { return 0; }\n");
    scratch_.write("src/engine/mpi.h", "");
    write_engine();
    scratch_.write("lib/libmpi.so", "library");
    scratch_.script("bin/mpicxx", "case $1 in -show) echo c++ -L" + path("lib") +
                                      " -lmpi; exit;; esac\n"
                                      "for a; do case $a in *check.cpp) ;; *.cpp) echo $a >> " +
                                      path("compiled") + ";; esac; done\nexec c++ -O0 -I" +
                                      path("include") + " \"$@\"");
    scratch_.write("include/mpi.h",
                   "inline int MPI_Init(int*, char***) { return 0; }\n"
                   "inline int MPI_Finalize() { return 0; }\n");
    scratch_.script("bin/mpirun",
                    "case $1 in --version) echo 'Fake MPI 1.2.3'; exit;; esac\n"
                    "shift 2; exec \"$@\"");
  }

  void write_engine(const std::string& extra = "", const std::string& operations = "") {
    const std::string json = R"({\"ranks\": %d, \"engine\": {\"operations\": [)" + operations +
                             R"(]}, \"library\": {\"version\": \"Fake 1.2.3\",)"
                             R"( \"standard\": \"3.1\", \"variables\": []}, \"mapped\": [\")" +
                             path("lib/libmpi.so") + R"(\"]})";
    scratch_.write("src/engine/main.cpp",
                   "#include <cstdio>\n#include \"mpi.h\"\n#include \"base/answer.hpp\"\n"
                   "int other();\n" +
                       extra +
                       "int main(int, char** a) { std::FILE* f = std::fopen(a[2], \"w\"); "
                       "std::fprintf(f, \"" +
                       json + "\", ranks()); return std::fclose(f) + other(); }\n");
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return scratch_.path(name).string();
  }
  [[nodiscard]] AddOrder order(const std::string& name = "fake") const {
    return {.name = name, .mpicxx = path("bin/mpicxx"), .mpirun = path("bin/mpirun")};
  }
  // Own operations in a folder, and an engine that tells of them.
  void write_own(const std::string& folder,
                 const std::string& source = "int mine() { return 0; }\n") {
    scratch_.write("src/ops/catalogue.def", "INVAR_OPERATION(\"bcast\", kBcast)\n");
    write_engine("",
                 R"({\"name\": \"mine\", \"summary\": \"\", \"sized\": false, \"rooted\": false, )"
                 R"(\"reduces\": false, \"in_place\": false, \"neighbours\": false, )"
                 R"(\"persistent\": false, \"datatypes\": [], \"missing\": \"\"})");
    scratch_.write(folder + "/operations.def", "INVAR_OPERATION(\"mine\", kMine)\n");
    scratch_.write(folder + "/mine.cpp", source);
  }
  // Sources compiled since the last call.
  std::vector<std::string> compiled() {
    std::vector<std::string> files;
    std::ifstream list(path("compiled"));
    for (std::string line; std::getline(list, line);) files.push_back(fs::path(line).filename());
    fs::remove(path("compiled"));
    return files;
  }
  // Only the libraries of this test are known.
  Scratch scratch_;
  Variable home_{"INVAR_HOME", path("home")};
  Variable sources_{"INVAR_ENGINE_SOURCES", path("src")};
  Variable search_{"PATH", "/nowhere:" + std::string(std::getenv("PATH"))};
};

TEST_F(Profiles, AddedLibraryIsBuiltProbedAndFoundAgain) {
  const Profile added = add_profile(order());
  EXPECT_EQ(added.version, "Fake 1.2.3");
  EXPECT_EQ(added.standard, "3.1");
  EXPECT_THAT(compiled(), SizeIs(2));
  const Profile found = find_profile("fake");
  EXPECT_EQ(found.version, "Fake 1.2.3");
  EXPECT_TRUE(fs::exists(found.engine));
  EXPECT_THAT(found.checksums, SizeIs(1));
  EXPECT_THAT(compiled(), SizeIs(0)) << "nothing has changed";
}

TEST_F(Profiles, WhatProfilesHaveInCommonIsCompiledOnce) {
  add_profile(order("one"));
  EXPECT_THAT(compiled(), SizeIs(2));
  add_profile(order("same"));
  EXPECT_THAT(compiled(), SizeIs(0)) << "the same library and flags";
  scratch_.write("lib/libmpi.so", "another build of the library");
  add_profile(order("two"));
  EXPECT_THAT(compiled(), testing::ElementsAre("main.cpp")) << "other.cpp knows no MPI";
  remove_profile("one");
  remove_profile("same");
  AddOrder faster = order("faster");
  faster.cxxflags = "-O1  -fno-math-errno";
  const Profile added = add_profile(faster);
  EXPECT_THAT(compiled(), SizeIs(2)) << "other flags, other objects";
  EXPECT_THAT(added.compiler_flags, HasSubstr("-g1 -O1 -fno-math-errno "));
  EXPECT_THAT(find_profile("faster").cxxflags, "-O1  -fno-math-errno");
  EXPECT_THAT(compiled(), SizeIs(0));
  AddOrder wrong = order("wrong");
  wrong.cxxflags = "-DX=$(rm)";
  EXPECT_THAT(error_of([&] { add_profile(wrong); }), HasSubstr("--cxxflags"));
}

TEST_F(Profiles, OwnOperationsGoIntoTheirEngineAlsoBesideTheSameLibraryWithoutThem) {
  scratch_.write("src/ops/catalogue.def", "INVAR_OPERATION(\"bcast\", kBcast)\n");
  write_engine("#define INVAR_OPERATION(name, constant)\n#include \"ops/catalogue.def\"\n");
  add_profile(order("plain"));
  compiled();
  scratch_.write("own/operations.def", "INVAR_OPERATION(\"mine\", kMine)\n");
  scratch_.write("own/mine.cpp", "int mine() { return 0; }\n");
  AddOrder with_own = order("own");
  with_own.operations_dir = path("own");
  // This engine tells of no operation at all.
  EXPECT_THAT(error_of([&] { add_profile(with_own); }), HasSubstr("has no operation 'mine'"));
  EXPECT_THAT(compiled(), testing::UnorderedElementsAre("main.cpp", "mine.cpp"));
}

TEST_F(Profiles, OperationOfAnotherFolderIsNotTakenForOnesOwnOfThatName) {
  for (const char* folder : {"first", "second"}) {
    write_own(folder);
    AddOrder with_own = order(folder);
    with_own.operations_dir = path(folder);
    add_profile(with_own);
    EXPECT_THAT(compiled(), testing::Contains("mine.cpp")) << folder;
  }
}

TEST_F(Profiles, LibraryWithOwnOperationsIsAProfileOfItsOwnThatIsFoundAgain) {
  write_own("own ops");
  add_profile(order());
  compiled();
  const fs::path folder = checked_operations(path("own ops"));
  const double making_before_s = making_ready_s();
  testing::internal::CaptureStderr();
  const Profile made = profile_with("fake", folder);
  EXPECT_GT(making_ready_s(), making_before_s) << "no campaign's budget pays for it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("invar mpi remove fake-own-ops"));
  EXPECT_EQ(made.name, "fake-own-ops");
  EXPECT_EQ(made.operations_dir, folder);
  EXPECT_THAT(compiled(), testing::Contains("mine.cpp"));
  EXPECT_EQ(profile_with("fake", folder).name, "fake-own-ops");
  EXPECT_EQ(profile_with("fake-own-ops", folder).name, "fake-own-ops");
  EXPECT_THAT(compiled(), SizeIs(0)) << "nothing has changed";
  // Another folder of that name, and the library with other flags, are other engines.
  write_own("other/own ops");
  const fs::path other = checked_operations(path("other/own ops"));
  EXPECT_EQ(profile_with("fake", other).name, "fake-own-ops-2");
  AddOrder slow = order("slow");
  slow.cxxflags = "-O0";
  add_profile(slow);
  EXPECT_EQ(profile_with("slow", folder).name, "slow-own-ops");
  EXPECT_THAT(error_of([&] { profile_with("fake-own-ops", other); }),
              HasSubstr("has the operations"));
}

// What a campaign compares when it is resumed.
TEST_F(Profiles, KeepWhatTheirOwnOperationsWereBuiltFrom) {
  write_own("own");
  add_profile(order());
  const fs::path folder = checked_operations(path("own"));
  const Profile before = profile_with("fake", folder);
  EXPECT_THAT(before.operation_sources, SizeIs(2));
  EXPECT_TRUE(before.operation_sources.contains((folder / "mine.cpp").string()));
  EXPECT_EQ(checksums_of({.profile = before}).size(), before.checksums.size() + 2 + 1)
      << "its library, its operations, its engine";
  scratch_.write("own/mine.cpp", "int mine() { return 1; }\n");
  EXPECT_EQ(built_operations(before), before.operation_sources) << "nothing is built yet";
  const Profile after = profile_with("fake", folder);
  EXPECT_NE(after.operation_sources, before.operation_sources);
  EXPECT_EQ(built_operations(before), after.operation_sources) << "as another process has built it";
  scratch_.write("own/mine.cpp", "int mine() { return }\n");
  error_of([&] { profile_with("fake", folder); });
  EXPECT_EQ(built_operations(before), after.operation_sources) << "the engine is still that one";
}

TEST_F(Profiles, OfVersionsThatDidNotKeepThemLearnWhatTheirOwnOperationsWereBuiltFrom) {
  write_own("own");
  add_profile(order());
  const Profile made = profile_with("fake", checked_operations(path("own")));
  auto stored = read_profile(path("home/profiles/fake-own"));
  ASSERT_TRUE(stored);
  stored->profile.operation_sources.clear();
  write_profile(path("home/profiles/fake-own"), *stored);
  compiled();
  EXPECT_EQ(find_profile("fake-own").operation_sources, made.operation_sources);
  EXPECT_THAT(compiled(), SizeIs(0)) << "the engine is kept";
}

// Another process that makes a profile while this one waits for it: it holds the lock until this
// one has begun to wait, and takes the profile out of its hiding place.
class ProfilesMadeMeanwhile : public Profiles {
 protected:
  // Calls `make` while another process makes the profile `name`, which is hidden now.
  template <typename Make>
  void meanwhile(const std::string& name, Make make) {
    fs::rename(path("home/profiles/" + name), path("hidden"));
    std::optional<FileLock> lock(std::in_place, fs::path(path("home/profiles/.lock")));
    ASSERT_TRUE(*lock);
    testing::internal::CaptureStderr();
    std::thread other([&] {
      for (int i = 0; i < 1000 && !waiting(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      fs::rename(path("hidden"), path("home/profiles/" + name));
      lock.reset();
    });
    make();
    other.join();
    told_ = testing::internal::GetCapturedStderr();
  }
  // Some thread of this process waits for a lock of a file.
  static bool waiting() {
    std::ifstream locks("/proc/locks");
    const std::string mine = " " + std::to_string(getpid()) + " ";
    for (std::string line; std::getline(locks, line);) {
      if (line.find("-> ") != std::string::npos && line.find(mine) != std::string::npos)
        return true;
    }
    return false;
  }
  std::string told_ = {};
};

TEST_F(ProfilesMadeMeanwhile, AreNeitherBuiltOnceMoreNorReplaced) {
  write_own("own");
  add_profile(order());
  const fs::path folder = checked_operations(path("own"));
  const Profile first = profile_with("fake", folder);
  const std::string engine = stamp(first.engine.string());
  compiled();
  meanwhile("fake-own", [&] { EXPECT_EQ(profile_with("fake", folder).name, "fake-own"); });
  EXPECT_EQ(stamp(first.engine.string()), engine) << "a campaign may be measuring with it";
  EXPECT_THAT(compiled(), SizeIs(0));
  // Something else of that name.
  write_own("other/own");
  const fs::path other = checked_operations(path("other/own"));
  meanwhile("fake-own", [&] { EXPECT_EQ(profile_with("fake", other).name, "fake-own-2"); });
  EXPECT_EQ(stamp(first.engine.string()), engine);
  AddOrder again = order("fake-own");
  meanwhile("fake-own", [&] {
    EXPECT_THAT(error_of([&] { add_profile(again); }), HasSubstr("there is a profile"));
  });
}

TEST_F(Profiles, LibraryNeedNotBeBuiltToBeBuiltWithOwnOperations) {
  write_own("own");
  add_profile(order());
  fs::remove_all(path("home/profiles/fake/objects"));
  fs::remove(path("home/profiles/fake/invar-engine"));
  profile_with("fake", checked_operations(path("own")));
  EXPECT_FALSE(fs::exists(path("home/profiles/fake/invar-engine")));
}

TEST_F(Profiles, OwnOperationIsBuiltAnewWhenAFileThatItIncludesChanges) {
  scratch_.write("own/parts/value.h", "constexpr int kValue = 0;\n");
  write_own("own", "#include \"parts/value.h\"\nint mine() { return kValue; }\n");
  add_profile(order());
  const fs::path folder = checked_operations(path("own"));
  profile_with("fake", folder);
  compiled();
  scratch_.write("own/parts/value.h", "constexpr int kValue = 17;\n");
  profile_with("fake", folder);
  EXPECT_THAT(compiled(), testing::ElementsAre("mine.cpp"));
}

// Nobody has asked for it by its name.
TEST_F(Profiles, MadeForARaceIsInNoCampaignThatNamesNoLibrary) {
  write_own("own");
  add_profile(order());
  AddOrder asked_for = order("asked-for");
  asked_for.operations_dir = path("own");
  asked_for.cxxflags = "-O1";
  add_profile(asked_for);
  profile_with("fake", checked_operations(path("own")));
  EXPECT_TRUE(find_profile("fake-own").made_by_race);
  std::vector<std::string> usual;
  for (const Profile& profile : usual_profiles()) usual.push_back(profile.name);
  EXPECT_THAT(usual, testing::AllOf(testing::Contains("fake"), testing::Contains("asked-for"),
                                    testing::Not(testing::Contains("fake-own"))));
}

TEST_F(Profiles, FolderWithoutOperationsIsToldWithAllItsFaults) {
  scratch_.write("src/ops/catalogue.def", "INVAR_OPERATION(\"bcast\", kBcast)\n");
  EXPECT_THAT(error_of([&] { checked_operations(path("absent")); }), HasSubstr("no such folder"));
  scratch_.write("own/operations.def", "INVAR_OPERATION(\"bcast\", kMine)\nnonsense\n");
  const std::string error = error_of([&] { checked_operations(path("own")); });
  EXPECT_THAT(error, HasSubstr("there is no *.cpp"));
  EXPECT_THAT(error, HasSubstr("operations.def:1"));
  EXPECT_THAT(error, HasSubstr("operations.def:2"));
}

TEST_F(Profiles, MistakeInAnOwnOperationIsToldFirstWithItsPlace) {
  write_own("own", "int mine() {\n  return 0\n}\n");
  add_profile(order());
  const std::string error =
      error_of([&] { profile_with("fake", checked_operations(path("own"))); });
  EXPECT_THAT(error, testing::StartsWith(path("own/mine.cpp") + ":2:11: expected"));
  EXPECT_FALSE(fs::exists(path("home/profiles/fake-own")));
}

TEST_F(Profiles, TimeOfSeveralBuildsIsToldBeforeTheFirst) {
  add_profile(order("one"));
  AddOrder other = order("two");
  other.cxxflags = "-O1";
  add_profile(other);
  add_profile(order("three"));
  const auto told = [&](const std::vector<std::string>& names) {
    testing::internal::CaptureStderr();
    tell_builds_of(names);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told({"one", "two"}), "") << "nothing is to be built";
  scratch_.write("src/base/answer.hpp", "// other text\ninline int ranks() { return 2; }\n");
  EXPECT_THAT(told({"two", "one"}), testing::MatchesRegex("the engines of one and two are built, "
                                                          "once: about [0-9.]+ s in all\n"));
  EXPECT_EQ(told({"one", "nobody"}), "") << "a build tells of itself";
  compiled();
  find_profile("one");
  EXPECT_THAT(compiled(), testing::ElementsAre("main.cpp")) << "two was not asked for";
}

TEST_F(Profiles, KeepWhatTheEngineSaysOfItsOperations) {
  write_engine("",
               R"({\"name\": \"mine\", \"summary\": \"\", \"sized\": false, \"rooted\": false, )"
               R"(\"reduces\": false, \"in_place\": false, \"neighbours\": false, )"
               R"(\"persistent\": false, \"datatypes\": [], \"missing\": \"\", )"
               R"(\"requests\": 2, \"chain\": \"one\", )"
               R"(\"roles\": [{\"role\": \"answers\", \"ranks\": \"odd\", \"number\": 0}], )"
               R"(\"marks\": [{\"name\": \"posted\", \"summary\": \"s\"}]})");
  const std::vector<record::OperationInfo> told = add_profile(order()).operations;
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].requests, 2U);
  EXPECT_EQ(told[0].chain, record::Chain::kOne);
  EXPECT_EQ(told[0].roles.at(0).role, record::Role::kAnswers);
  EXPECT_EQ(told[0].marks.at(0).name, "posted");
  EXPECT_EQ(find_profile("fake").operations, told);
}

// An engine of a newer version may have words of its own.
TEST_F(Profiles, UnknownWordsInADescriptionAreNamed) {
  write_engine("",
               R"({\"name\": \"mine\", \"summary\": \"\", \"sized\": false, \"rooted\": false, )"
               R"(\"reduces\": false, \"in_place\": false, \"neighbours\": false, )"
               R"(\"persistent\": false, \"datatypes\": [], \"missing\": \"\", )"
               R"(\"chain\": \"spiral\"})");
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("'spiral' is unknown"));
}

TEST_F(Profiles, EditRebuildsOnlyTheFilesThatSeeIt) {
  add_profile(order());
  compiled();
  scratch_.write("src/base/answer.hpp", "// other text\ninline int ranks() { return 2; }\n");
  find_profile("fake");
  EXPECT_THAT(compiled(), testing::ElementsAre("main.cpp"));
}

// A campaign holds it, and `mpi list` in another shell is none of its business.
TEST_F(Profiles, AnEngineThatMeasuresIsNotBuiltAnew) {
  const Profile added = add_profile(order());
  compiled();
  const std::string before = stamp(added.engine.string());
  {
    const EngineUse measures(added.engine);
    const EngineUse measures_too(added.engine);
    find_profile("fake");
    scratch_.write("src/base/answer.hpp", "// other text\ninline int ranks() { return 2; }\n");
    EXPECT_THAT(error_of([&] { find_profile("fake"); }),
                HasSubstr("something measures with its engine"));
    EXPECT_THAT(error_of([&] { remove_profile("fake"); }),
                HasSubstr("something measures with the engine of 'fake'"));
    EXPECT_THAT(compiled(), SizeIs(0));
    EXPECT_EQ(stamp(added.engine.string()), before);
  }
  find_profile("fake");
  EXPECT_THAT(compiled(), testing::ElementsAre("main.cpp"));
}

// Batches are files of the profile, and compilers name them as they were asked to.
TEST_F(Profiles, FolderThatIsNamedInARoundaboutWayIsTheSameFolder) {
  scratch_.write("src/base/more.cpp", "int more() { return 0; }\n");
  scratch_.write("x/empty", "");
  const BuildOrder roundabout{.name = "a",
                              .mpicxx = path("bin/mpicxx"),
                              .sources = path("src"),
                              .dir = path("x/../profiles/a"),
                              .compiler_state = "state"};
  build_engine(roundabout);
  EXPECT_THAT(compiled(), testing::UnorderedElementsAre("batch-base-1.cpp", "main.cpp"));
  build_engine(roundabout);
  EXPECT_THAT(compiled(), SizeIs(0));
  const Variable home("INVAR_HOME", path("x/../home"));
  EXPECT_EQ(invar_home(), fs::path(path("home")));
}

TEST_F(Profiles, TouchingASourceRebuildsNothing) {
  add_profile(order());
  compiled();
  fs::last_write_time(path("src/base/other.cpp"), fs::file_time_type::clock::now());
  find_profile("fake");
  EXPECT_THAT(compiled(), SizeIs(0));
}

TEST_F(Profiles, ChangedLibraryIsNoticedAndTheEngineRebuilt) {
  const Profile added = add_profile(order());
  compiled();
  scratch_.write("lib/libmpi.so", "another build of the library");
  EXPECT_NE(library_checksums(added), added.checksums);
  testing::internal::CaptureStderr();
  const Profile found = find_profile("fake");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the library has changed"));
  EXPECT_NE(found.checksums, added.checksums);
  EXPECT_EQ(library_checksums(found), found.checksums);
  EXPECT_THAT(compiled(), testing::ElementsAre("main.cpp"));
}

TEST_F(Profiles, MissingWrapperIsNamedAndNothingIsLeft) {
  AddOrder wrong = order();
  wrong.mpicxx = "/nowhere/mpicxx";
  wrong.mpirun = "/nowhere/mpirun";
  const std::string error = error_of([&] { add_profile(wrong); });
  EXPECT_THAT(error, HasSubstr("/nowhere/mpicxx"));
  EXPECT_THAT(error, HasSubstr("/nowhere/mpirun"));
  EXPECT_FALSE(fs::exists(path("home/profiles/fake")));
}

TEST_F(Profiles, CompilerErrorIsShownAndNothingIsLeft) {
  write_engine("#error this library is too old\n");
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("this library is too old"));
  EXPECT_FALSE(fs::exists(path("home/profiles/fake")));
  EXPECT_FALSE(fs::exists(path("home/profiles/.new-fake")));
}

TEST_F(Profiles, CompilerThatIsNoWrapperIsToldBeforeAnythingIsBuilt) {
  scratch_.script("bin/mpicxx",
                  "case $1 in -show) exit 1;; esac\n"
                  "for a; do case $a in *check.cpp) ;; *.cpp) echo $a >> " +
                      path("compiled") + ";; esac; done\nexec c++ \"$@\" -DNO_MPI");
  scratch_.write("include/mpi.h", "#error no MPI here\n");
  AddOrder plain = order();
  plain.environment = {{"CPLUS_INCLUDE_PATH", path("include")}};
  EXPECT_THAT(error_of([&] { add_profile(plain); }),
              HasSubstr("is not a compiler wrapper of an MPI library"));
  EXPECT_THAT(compiled(), SizeIs(0));
}

TEST_F(Profiles, CompilerThatKnowsNoCpp20IsToldBeforeAnythingIsBuilt) {
  scratch_.script("bin/mpicxx", "echo unrecognized option -std=c++20 >&2; exit 1");
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("does not compile C++20"));
}

TEST_F(Profiles, WrapperForCIsToldByItsLink) {
  scratch_.script("bin/mpicxx",
                  "for a; do [ $a = -c ] && exit 0; done; echo undefined operator new >&2; exit 1");
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("does not link a C++ program"));
}

TEST_F(Profiles, WhatIsMissingIsToldWithWhatCanTakeItsPlace) {
  const std::string error = error_of([&] { add_profile({.name = "fake"}); });
  EXPECT_THAT(error, HasSubstr("--mpicxx: it is missing"));
  EXPECT_THAT(error, HasSubstr("--mpirun: it is missing"));
  EXPECT_THAT(error, HasSubstr("--launch"));
}

TEST_F(Profiles, LauncherAndTemplateExcludeEachOther) {
  AddOrder both = order();
  both.launch_template = path("bin/mpirun") + " -n {ranks} {program} {args}";
  EXPECT_THAT(error_of([&] { add_profile(both); }), HasSubstr("leave out --mpirun"));
}

TEST_F(Profiles, LauncherOfATemplateIsLookedUpBeforeAnythingIsBuilt) {
  AddOrder wrong = order();
  wrong.mpirun.clear();
  wrong.launch_template = "nosuchrun -n {ranks} {program} {args}";
  EXPECT_THAT(error_of([&] { add_profile(wrong); }), HasSubstr("there is no 'nosuchrun' on PATH"));
  EXPECT_THAT(compiled(), SizeIs(0));
}

TEST_F(Profiles, LeftoversOfAKilledAddAreRemovedByAnyCommand) {
  scratch_.write("home/profiles/.new-gone/objects/a.o", "half");
  EXPECT_THAT(error_of([&] { remove_profile("other"); }), HasSubstr("no profile 'other'"));
  EXPECT_FALSE(fs::exists(path("home/profiles/.new-gone")));
}

TEST_F(Profiles, WhatAnotherInvarIsMakingStays) {
  scratch_.write("home/profiles/.new-other/objects/a.o", "half");
  const FileLock building(path("home/profiles/.lock"), "");
  EXPECT_THAT(error_of([&] { remove_profile("other"); }), HasSubstr("no profile 'other'"));
  EXPECT_TRUE(fs::exists(path("home/profiles/.new-other")));
}

TEST_F(Profiles, NameThatInstallMakesIsAnsweredWithThatCommand) {
  add_profile(order("mine"));
  EXPECT_THAT(error_of([&] { find_profile("mpich-5"); }), HasSubstr("invar mpi install mpich "));
  EXPECT_THAT(error_of([&] { find_profile("openmpi-5.0.10"); }),
              HasSubstr("invar mpi install openmpi 5.0.10 "));
  EXPECT_THAT(error_of([&] { find_profile("mpich-5-abi"); }),
              HasSubstr("invar mpi install mpich --abi "));
}

TEST_F(Profiles, FailedRunShowsItsErrorOutputAndWhatWasRun) {
  scratch_.script("bin/mpirun", "echo no slots left >&2; exit 1");
  const std::string error = error_of([&] { add_profile(order()); });
  EXPECT_THAT(error, HasSubstr("no slots left"));
  EXPECT_THAT(error, HasSubstr("it was started by: " + path("bin/mpirun") + " -n 2 "));
  EXPECT_FALSE(fs::exists(path("home/profiles/fake")));
}

// An engine under the launcher of another library runs as several programs of one rank.
TEST_F(Profiles, LauncherOfAnotherLibraryIsFoundOut) {
  scratch_.write("src/base/answer.hpp", "inline int ranks() { return 1; }\n");
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("belongs to another MPI library"));
}

TEST_F(Profiles, NameClashIsRefused) {
  add_profile(order());
  EXPECT_THAT(error_of([&] { add_profile(order()); }),
              HasSubstr("there is a profile 'fake' already"));
}

TEST_F(Profiles, NamesThatAreNoFolderAreRefused) {
  for (const char* name : {"", "../x", "a/b", "-n", ".hidden", "a b"}) {
    EXPECT_THAT(error_of([&] { add_profile(order(name)); }),
                HasSubstr("cannot be the name of a profile"))
        << name;
  }
}

// After an upgrade: profile.json as another version has written it.
class OtherVersionsProfiles : public Profiles {
 protected:
  void write_other(const std::string& name, bool detected) const {
    scratch_.write("home/profiles/" + name + "/profile.json",
                   R"({"schema": 1, "profile": {"name": "x", "mpicxx": ")" + path("bin/mpicxx") +
                       R"(", "mpirun": ")" + path("bin/mpirun") +
                       R"(", "environment": [["A", "b c"]], "launch_template": "", "detected": )" +
                       (detected ? "true" : "false") + R"(}, "toolchain": {"library": ")" +
                       path("lib/libmpi.so") + R"("}})");
  }
  [[nodiscard]] std::vector<std::string> names() const {
    Variable search("PATH", path("bin") + ":/usr/bin:/bin");
    std::vector<std::string> here;
    for (const std::string& name : known_names()) {
      const auto stored = read_profile(profiles_dir() / name);
      // Not the libraries that this machine has.
      if (!stored || stored->profile.mpicxx == path("bin/mpicxx")) here.push_back(name);
    }
    return here;
  }
};

TEST_F(OtherVersionsProfiles, DetectedLibraryKeepsItsName) {
  EXPECT_THAT(names(), testing::ElementsAre("mpi"));
  write_other("mpi", true);
  EXPECT_THAT(names(), testing::ElementsAre("mpi"));
  EXPECT_TRUE(read_profile(profiles_dir() / "mpi")) << "made anew";
}

TEST_F(OtherVersionsProfiles, WhatTheUserMadeKeepsItsNameAndIsToldWithWhatMakesItAnew) {
  write_other("mpi", false);
  EXPECT_THAT(names(), testing::ElementsAre("mpi", "mpi-1.2.3"));
  const std::string error = error_of([&] { find_profile("mpi"); });
  EXPECT_THAT(error, HasSubstr("another version of Invar (schema 1 of profile.json, here 2)"));
  EXPECT_THAT(error,
              HasSubstr("invar mpi remove mpi && invar mpi add mpi --mpicxx " + path("bin/mpicxx") +
                        " --mpirun " + path("bin/mpirun") + " --env 'A=b c'"));
  EXPECT_THAT(error_of([&] { add_profile(order("mpi")); }), HasSubstr("'mpi' already"));
  remove_profile("mpi");
  EXPECT_EQ(add_profile(order("mpi")).version, "Fake 1.2.3");
}

TEST_F(OtherVersionsProfiles, DamagedFileIsToldUntilADetectedLibraryTakesTheName) {
  scratch_.write("home/profiles/other/profile.json", "{\"schema\": 2, \"prof");
  scratch_.write("home/profiles/mpi/profile.json", "");
  testing::internal::CaptureStderr();
  EXPECT_THAT(names(), testing::ElementsAre("mpi", "other"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("mpi: its profile.json is damaged"));
  EXPECT_THAT(error_of([&] { find_profile("other"); }), HasSubstr("profile.json is damaged"));
}

TEST_F(OtherVersionsProfiles, SchemaThatIsNoNumberOfOursIsDamageAndNotAnotherOne) {
  for (const char* schema : {"2.5", "4294967298", "4294967297.5", "1e98", "true", "\"2\"", "[2]"}) {
    scratch_.write("home/profiles/other/profile.json",
                   R"({"schema": )" + std::string(schema) +
                       R"(, "profile": {"name": "x", "mpicxx": "a", "mpirun": "b",)"
                       R"( "environment": [], "launch_template": "", "detected": false},)"
                       R"( "toolchain": {}})");
    EXPECT_FALSE(read_profile(profiles_dir() / "other")) << schema;
    const UnreadProfile unread = read_unread_profile(profiles_dir() / "other");
    EXPECT_FALSE(unread.profile) << schema;
    EXPECT_THAT(unread.why, HasSubstr("is damaged")) << schema;
  }
}

TEST_F(OtherVersionsProfiles, BracketsWithoutEndAreDamageAndNotTheEndOfTheProgram) {
  // Deeper than a stack of 8 MB holds calls.
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  scratch_.write("home/profiles/other/profile.json",
                 R"({"profile": {"operations": [{"requests": )" + deep + "}]}, \"schema\": 2}");
  EXPECT_FALSE(read_profile(profiles_dir() / "other"));
  EXPECT_FALSE(read_unread_profile(profiles_dir() / "other").profile);
}

TEST_F(Profiles, RemovedProfileIsGone) {
  add_profile(order());
  remove_profile("fake");
  EXPECT_FALSE(fs::exists(path("home/profiles/fake")));
  EXPECT_THAT(error_of([&] { remove_profile("fake"); }), HasSubstr("no profile 'fake'"));
}

TEST_F(Profiles, MisspeltNameIsAnsweredWithTheOneThatWasMeant) {
  add_profile(order("cluster"));
  EXPECT_THAT(error_of([&] { find_profile("clustre"); }), HasSubstr("did you mean 'cluster'?"));
}

TEST_F(Profiles, FolderWithoutPermissionIsToldBeforeAnythingIsBuilt) {
  if (geteuid() == 0) {
    // Root may write everywhere but below a file.
    scratch_.write("home", "a file");
  } else {
    fs::create_directories(path("home"));
    fs::permissions(path("home"), fs::perms::owner_read | fs::perms::owner_exec);
  }
  EXPECT_THAT(error_of([&] { add_profile(order()); }), HasSubstr("INVAR_HOME"));
  EXPECT_THAT(compiled(), SizeIs(0));
}

}  // namespace
}  // namespace invar::launch
