// SimGrid's ways: its options are words, its files lie with the launch, and a deadlock is no
// success.
#include "launch/kinds/simgrid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/scratch.hpp"
#include "launch/start/arms.hpp"
#include "launch/start/launch_command.hpp"

namespace invar::launch {
namespace {

using test::content;
using test::Scratch;
using test::Variable;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

Profile simgrid_profile() {
  Profile profile;
  profile.name = "simgrid";
  profile.family = "simgrid";
  profile.mpirun = "smpirun";
  profile.engine = "engine";
  profile.environment = {{"LIB", "1"}, {"smpi/iprobe", "1e-7"}};
  profile.variables = parse_simgrid_help(
      "   smpi/bcast: Which collective to use for bcast\n"
      "       Type: string; Current value: \n"
      "   smpi/np: Number of processes to be created\n"
      "       Type: int; Current value: 0\n"
      "   cpu/model: The model to use: one of these.\n"
      "       (use 'help' as a value to see the long description of each model)\n"
      "       Type: string; Current value: Cas01\n"
      "   tracing: Enable the tracing system. Type: nothing\n"
      "       Type: boolean; Current value: 0\n");
  return profile;
}

StartOptions ranks_of_simulation(std::uint32_t ranks, std::vector<design::Host> hosts,
                                 Environment settings) {
  StartOptions options;
  options.ranks = ranks;
  options.hosts = std::move(hosts);
  options.environment = std::move(settings);
  options.arguments = {"--launch", "dir"};
  options.scratch = "/s";
  return options;
}

TEST(Simgrid, SettingsAreWordsOfItsLauncherAndTheLastOneCounts) {
  const StartOptions options = ranks_of_simulation(
      4, {{.name = "a"}, {.name = "b"}},
      {{"platform", "/p.xml"}, {"ARM", "x"}, {"smpi/bcast", "flattree"}, {"smpi/iprobe", "2e-7"}});
  const Profile profile = simgrid_profile();
  const std::string text = base::join(command_of(profile, options, ""), " ");
  EXPECT_THAT(text, StartsWith("smpirun -np 4 -platform /p.xml -hostfile /s/hosts "));
  EXPECT_THAT(text, HasSubstr(" --cfg=surf/precision:1e-12 "));
  EXPECT_THAT(text, HasSubstr(" --cfg=smpi/simulate-computation:no "));
  EXPECT_THAT(text, HasSubstr(" --cfg=smpi/bcast:flattree "));
  EXPECT_THAT(text, HasSubstr(" --cfg=smpi/iprobe:2e-7 "));
  EXPECT_THAT(text, Not(HasSubstr("1e-7 ")));
  EXPECT_TRUE(text.ends_with(" engine --launch dir")) << text;
  EXPECT_THAT(given_environment(profile, options), ElementsAre(Pair("LIB", "1"), Pair("ARM", "x")));
}

TEST(Simgrid, FilesOfALaunchHaveANameForEachRankAndAMachineWhereNoneIsGiven) {
  const Scratch scratch;
  StartOptions options =
      ranks_of_simulation(4, {{.name = "a"}, {.name = "b"}}, {{"platform", "/p.xml"}});
  options.scratch = scratch.path();
  write_simgrid_files(simgrid_profile(), options);
  EXPECT_EQ(content(scratch.path("hosts")), "a\na\nb\nb\n");
  EXPECT_FALSE(std::filesystem::exists(scratch.path("platform.xml")));
  options = ranks_of_simulation(3, {}, {});
  options.scratch = scratch.path();
  write_simgrid_files(simgrid_profile(), options);
  EXPECT_THAT(content(scratch.path("platform.xml")), HasSubstr("radical=\"0-2\""));
  EXPECT_THAT(base::join(simgrid_words(simgrid_profile(), options), " "),
              HasSubstr("-platform " + scratch.path("platform.xml").string()));
}

TEST(Simgrid, ItsOptionsAreReadFromWhatItTellsOfThem) {
  std::vector<std::string> names;
  for (const ControlVariable& variable : simgrid_profile().variables) {
    names.push_back(variable.name + " " + variable.type + " " + variable.value);
  }
  EXPECT_THAT(names, ElementsAre("platform char ", "smpi/bcast char ", "smpi/np int 0",
                                 "cpu/model char Cas01"));
  EXPECT_THAT(parse_simgrid_help("Type: int; Current value: 1\na/b\nType: \n: \n").size(), 1);
}

// Faults of an arm with these settings.
std::string faults_of(const Environment& settings) {
  const design::Arm arm{.label = "arm", .library = "simgrid", .settings = settings};
  base::Faults faults;
  check_names(arm, simgrid_profile(), faults);
  try {
    faults.throw_if_any();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Simgrid, AnArmNamesItsMachineAndOptionsThatThereAre) {
  const Scratch scratch;
  scratch.write("p.xml", "<platform/>");
  const std::string platform = scratch.path("p.xml").string();
  EXPECT_EQ(faults_of({{"platform", platform}, {"smpi/bcast", "flattree"}}), "");
  EXPECT_THAT(faults_of({}), HasSubstr("nothing says which machine is simulated"));
  EXPECT_THAT(faults_of({{"platform", "/none.xml"}}), HasSubstr("there is no such file"));
  EXPECT_THAT(faults_of({{"platform", platform}, {"smpi/bcats", "x"}}),
              HasSubstr("did you mean 'smpi/bcast'?"));
  EXPECT_THAT(faults_of({{"platform", platform}, {"smpi/np", "3"}}),
              HasSubstr("smpi/np is what every launch says itself"));
  EXPECT_THAT(faults_of({{"platform", platform}, {"OMPI_MCA_btl", "tcp"}}),
              HasSubstr("is a variable of Open MPI"));
  EXPECT_THAT(simgrid_doubts({{"platform", "/p"}, {"smpi/wtime", "0"}}, {}),
              ElementsAre(Pair(HasSubstr("would wait for ever"), HasSubstr("1e-8"))));
  EXPECT_THAT(simgrid_doubts({{"smpi/wtime", "1e-9"}}, {{"platform", "/p"}}), IsEmpty());
}

TEST(Simgrid, ALaunchThatSaysThatItDeadlockedHasFailed) {
  const Scratch scratch;
  Profile profile = simgrid_profile();
  StartOptions options;
  options.dir = scratch.path();
  for (const auto& [said, status] :
       {std::pair{"[ker_engine/CRITICAL] Oops! Deadlock detected, some activities", 3},
        std::pair{"[smpi_pmpi/WARNING] MPI_Abort was called, something went", 3},
        std::pair{"a warning", 0}}) {
    profile.mpirun = scratch.script("smpirun", "echo '" + std::string(said) + "' >&2").string();
    Process process = start(profile, options);
    EXPECT_EQ(process.wait(std::chrono::seconds(20)), status) << said;
  }
  // Only there the words mean something.
  profile.family = "mpich";
  profile.mpirun = scratch.script("smpirun", "echo 'Deadlock detected' >&2").string();
  EXPECT_EQ(start(profile, options).wait(std::chrono::seconds(20)), 0);
}

TEST(Simgrid, ItsWrapperIsFoundBesideItsOwnLauncherAlone) {
  const Scratch scratch;
  const std::string bin = scratch.path("sim/bin").string();
  scratch.write("sim/lib/libsimgrid.so", "x");
  scratch.script("sim/bin/smpicxx",
                 "if [ $1 = -show ]; then echo /bin/sh -L" + scratch.path("sim/lib").string() +
                     " -shared -lsimgrid -lm; else echo SimGrid version 3.32; fi");
  scratch.script("sim/bin/mpirun", "echo 'mpirun (Open MPI) 4'");
  const Variable home("INVAR_HOME", scratch.path("home").string());
  const Variable prefixes("INVAR_MPI_PREFIXES", scratch.path("sim").string());
  const Variable path("PATH", bin + ":/usr/bin:/bin");
  const auto found = [&] {
    std::vector<Toolchain> ours;
    for (Toolchain& one : detect_toolchains()) {
      if (one.mpicxx.starts_with(bin)) ours.push_back(std::move(one));
    }
    return ours;
  };
  EXPECT_THAT(found(), IsEmpty());
  scratch.script("sim/bin/smpirun", "echo SimGrid version 3.32");
  const std::vector<Toolchain> now = found();
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(now[0].family, "simgrid");
  EXPECT_EQ(now[0].version, "3.32");
  EXPECT_EQ(now[0].library, scratch.path("sim/lib/libsimgrid.so").string());
  EXPECT_THAT(now[0].compiler, Not(HasSubstr("SimGrid")));
}

}  // namespace
}  // namespace invar::launch
