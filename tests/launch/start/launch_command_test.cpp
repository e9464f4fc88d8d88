// The command line of a launch, by the launcher's kind, on this host and on others.
#include "launch/start/launch_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using test::error_of;
using test::Variable;
using testing::HasSubstr;

Profile profile_of_family(const std::string& family, const std::string& short_version = "") {
  Profile profile;
  profile.name = "lib";
  profile.mpirun = "mpirun";
  profile.family = family;
  profile.short_version = short_version;
  profile.engine = "engine";
  // What a launcher must be told to pass on, and what Open MPI passes on by itself.
  profile.environment = {{"LIB", "1"}, {"OMPI_MCA_x", "2"}};
  return profile;
}

const std::vector<design::Host> kTwoHosts{{.name = "n1", .slots = 4}, {.name = "n2", .slots = 4}};

// Four ranks, with an arm's setting.
StartOptions four_ranks(const std::vector<design::Host>& hosts = {}, bool oversubscribe = false) {
  StartOptions options;
  options.ranks = 4;
  options.hosts = hosts;
  options.oversubscribe = oversubscribe;
  options.environment = {{"ARM", "a b"}};
  options.arguments = {"--launch", "dir"};
  return options;
}

std::string text_of(const Profile& profile, const StartOptions& options) {
  return base::join(command_of(profile, options, "HOSTFILE"), " ");
}

TEST(CommandOf, LaunchersOfTheLibraries) {
  const struct {
    const char* family;
    const char* version;
    bool hosts;
    bool oversubscribe;
    const char* command;
  } cases[] = {
      {"openmpi", "4.1.4", false, false, "mpirun --bind-to none -np 4 engine --launch dir"},
      {"openmpi", "4.1.4", false, true,
       "mpirun --bind-to none --oversubscribe -np 4 engine --launch dir"},
      {"openmpi", "4.1.4", true, false,
       "mpirun --bind-to none --host n1:4,n2:4 --map-by ppr:2:node -x LIB -x ARM -np 4 engine "
       "--launch dir"},
      {"openmpi", "4.1.4", true, true,
       "mpirun --bind-to none --host n1:4,n2:4 --map-by ppr:2:node:OVERSUBSCRIBE -x LIB -x ARM "
       "-np 4 engine --launch dir"},
      {"openmpi", "5.0.11", false, false, "mpirun --bind-to none -np 4 engine --launch dir"},
      {"openmpi", "5.0.11", false, true,
       "mpirun --bind-to none --map-by :OVERSUBSCRIBE -np 4 engine --launch dir"},
      {"openmpi", "5.0.11", true, false,
       "mpirun --bind-to none --host n1:4,n2:4 --map-by ppr:2:node -x LIB -x ARM -np 4 engine "
       "--launch dir"},
      {"openmpi", "5.0.11", true, true,
       "mpirun --bind-to none --host n1:4,n2:4 --map-by ppr:2:node:OVERSUBSCRIBE -x LIB -x ARM "
       "-np 4 engine --launch dir"},
      {"openmpi", "", false, true,  // not known yet
       "mpirun --bind-to none --oversubscribe -np 4 engine --launch dir"},
      // Hydra takes more ranks than cores without being asked.
      {"mpich", "4.0.2", false, false, "mpirun -bind-to none -n 4 engine --launch dir"},
      {"mpich", "4.0.2", false, true, "mpirun -bind-to none -n 4 engine --launch dir"},
      {"mpich", "4.0.2", true, false,
       "mpirun -bind-to none -hosts n1:2,n2:2 -genv LIB 1 -genv OMPI_MCA_x 2 -genv ARM a b -n 4 "
       "engine --launch dir"},
      {"intel", "2021.18", false, false, "mpirun -n 4 engine --launch dir"},
      {"intel", "2021.18", true, false,
       "mpirun -hosts n1:2,n2:2 -genv LIB 1 -genv OMPI_MCA_x 2 -genv ARM a b -n 4 engine --launch "
       "dir"},
      {"other", "", false, false, "mpirun -n 4 engine --launch dir"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(
        text_of(profile_of_family(one.family, one.version),
                four_ranks(one.hosts ? kTwoHosts : std::vector<design::Host>{}, one.oversubscribe)),
        one.command)
        << one.family << ' ' << one.version;
  }
}

TEST(CommandOf, Srun) {
  const struct {
    const char* family;
    bool hosts;
    bool oversubscribe;
    const char* command;
  } cases[] = {
      {"openmpi", false, false,
       "srun --nodes=1 --ntasks=4 --ntasks-per-node=4 --distribution=block --cpu-bind=none "
       "--overlap --export=ALL --kill-on-bad-exit=1 --mpi=pmix engine --launch dir"},
      {"openmpi", true, false,
       "srun --nodes=2 --ntasks=4 --ntasks-per-node=2 --distribution=block --nodelist=n1,n2 "
       "--cpu-bind=none --overlap --export=ALL --kill-on-bad-exit=1 --mpi=pmix engine --launch "
       "dir"},
      {"mpich", true, true,
       "srun --nodes=2 --ntasks=4 --ntasks-per-node=2 --distribution=block --nodelist=n1,n2 "
       "--cpu-bind=none --overlap --export=ALL --kill-on-bad-exit=1 --overcommit --mpi=pmi2 engine "
       "--launch dir"},
      {"intel", false, false,
       "srun --nodes=1 --ntasks=4 --ntasks-per-node=4 --distribution=block --cpu-bind=none "
       "--overlap --export=ALL --kill-on-bad-exit=1 --mpi=pmi2 engine --launch dir"},
      {"other", false, false,  // the cluster's default
       "srun --nodes=1 --ntasks=4 --ntasks-per-node=4 --distribution=block --cpu-bind=none "
       "--overlap --export=ALL --kill-on-bad-exit=1 engine --launch dir"},
  };
  for (const auto& one : cases) {
    StartOptions options =
        four_ranks(one.hosts ? kTwoHosts : std::vector<design::Host>{}, one.oversubscribe);
    options.launcher = "srun";
    EXPECT_EQ(text_of(profile_of_family(one.family), options), one.command) << one.family;
  }
}

TEST(CommandOf, Templates) {
  const struct {
    const char* launch_template;
    bool hosts;
    const char* command;
  } cases[] = {
      {"jsrun -n {ranks} -r {ppn} {program} {args}", false, "jsrun -n 4 -r 4 engine --launch dir"},
      {"jsrun -n {ranks} -r {ppn} {program} {args}", true, "jsrun -n 4 -r 2 engine --launch dir"},
      {"run -w {hosts} -n{ranks} {program} {args}", true, "run -w n1,n2 -n4 engine --launch dir"},
      {"run -w {hosts} -n{ranks} {program} {args}", false,
       "run -w localhost -n4 engine --launch dir"},
      {"run -f {hostfile} -n {ranks} {env} {program} {args}", true,
       "run -f HOSTFILE -n 4 env LIB=1 OMPI_MCA_x=2 ARM=a b engine --launch dir"},
  };
  for (const auto& one : cases) {
    Profile profile = profile_of_family("openmpi", "4.1.4");
    profile.launch_template = one.launch_template;
    EXPECT_EQ(text_of(profile, four_ranks(one.hosts ? kTwoHosts : std::vector<design::Host>{})),
              one.command);
  }
}

// Slots are those of the hosts as somebody wrote them; where nobody did, as many as ranks.
TEST(CommandOf, OpenMpiIsToldTheSlotsOrElseTheRanks) {
  const std::vector<design::Host> bare{{.name = "n1"}, {.name = "n2"}};
  EXPECT_THAT(text_of(profile_of_family("openmpi"), four_ranks(bare)),
              HasSubstr("--host n1:2,n2:2 "));
}

TEST(CommandOf, WordsStayWhole) {
  EXPECT_THAT(command_of(profile_of_family("mpich"), four_ranks(kTwoHosts), ""),
              testing::Contains("a b"));
}

TEST(CommandOf, LauncherThatCannotBeToldTheHostsIsRefused) {
  EXPECT_THAT(error_of([] { text_of(profile_of_family("other"), four_ranks(kTwoHosts)); }),
              HasSubstr("profile lib: it is not known how its launcher is told the hosts"));
}

TEST(CommandOf, SrunAndATemplateAreOneTooMany) {
  Profile profile = profile_of_family("openmpi");
  profile.launch_template = "jsrun -n {ranks} {program} {args}";
  StartOptions options = four_ranks();
  options.launcher = "srun";
  EXPECT_THAT(error_of([&] { text_of(profile, options); }),
              HasSubstr("launcher = \"srun\", but the profile has a launch template of its own"));
}

TEST(GivenEnvironment, ArmsComeBehindTheProfilesAndOldValuesAreKept) {
  const Variable path("INVAR_TEST_LIST", "/old");
  Profile profile = profile_of_family("mpich");
  profile.environment = {{"INVAR_TEST_LIST", "/new:$INVAR_TEST_LIST"}};
  using testing::Pair;
  EXPECT_THAT(given_environment(profile, four_ranks()),
              testing::ElementsAre(Pair("INVAR_TEST_LIST", "/new:/old"), Pair("ARM", "a b")));
}

TEST(HostfileText, IsInTheLaunchersOwnWords) {
  const struct {
    const char* family;
    const char* two_hosts;
    const char* none;
  } cases[] = {
      {"openmpi", "n1 slots=2\nn2 slots=2\n", "localhost slots=4\n"},
      {"mpich", "n1:2\nn2:2\n", "localhost:4\n"},
      {"intel", "n1:2\nn2:2\n", "localhost:4\n"},
      {"other", "n1\nn2\n", "localhost\n"},
  };
  for (const auto& one : cases) {
    const Profile profile = profile_of_family(one.family);
    EXPECT_EQ(hostfile_text(profile, four_ranks(kTwoHosts)), one.two_hosts) << one.family;
    EXPECT_EQ(hostfile_text(profile, four_ranks()), one.none) << one.family;
  }
}

}  // namespace
}  // namespace invar::launch
