// The launcher with made-up libraries: shell scripts that start what mpirun would start.
#include "launch/start/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "host/files.hpp"
#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using namespace std::chrono_literals;
using test::content;
using test::error_of;
namespace fs = std::filesystem;
using test::Scratch;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Profile launcher_profile(const std::string& mpirun, const std::string& family = "other") {
  Profile profile;
  profile.name = "fake";
  profile.mpirun = mpirun;
  profile.family = family;
  profile.engine = "/bin/true";
  return profile;
}

StartOptions in(const Scratch& scratch) {
  StartOptions options;
  options.dir = scratch.path();
  return options;
}

// Pids that scripts have written, one a line.
std::vector<int> pids_in(const fs::path& file) {
  std::vector<int> pids;
  const std::string text = content(file);
  for (const std::string_view line : base::split(text, '\n')) {
    if (const auto pid = base::parse_u64(line)) pids.push_back(static_cast<int>(*pid));
  }
  return pids;
}

bool is_alive(int pid) {
  const auto stat = host::read_line("/proc/" + std::to_string(pid) + "/stat");
  return stat && stat->find(") Z") == std::string::npos;
}

template <typename Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

// A launcher whose processes try to survive: one in the group, one that ignores TERM, one that left
// the group and the session and whose parent is gone.
fs::path stubborn_launcher(const Scratch& scratch) {
  return scratch.script("mpirun", "pids=" + scratch.path("pids").string() + R"(
sleep 600 & echo $! >> $pids
( trap '' TERM; while :; do sleep 1; done ) & echo $! >> $pids
setsid sh -c "sleep 601 & echo \$! >> $pids" 
echo $$ >> $pids
wait)");
}

TEST(Launcher, OutputGoesToFilesAndTheStatusIsTheLaunchers) {
  const Scratch scratch;
  const fs::path mpirun = scratch.script("mpirun", "echo out; echo err >&2; cat; exit 7");
  Process process = start(launcher_profile(mpirun), in(scratch));
  EXPECT_EQ(process.wait(10s), 7);
  EXPECT_EQ(content(scratch.path("stdout")), "out\n");
  EXPECT_EQ(content(scratch.path("stderr")), "err\n");
}

TEST(Launcher, KilledBySignalIsReportedAs128PlusSignal) {
  const Scratch scratch;
  Process process = start(launcher_profile(scratch.script("mpirun", "kill -SEGV $$")), in(scratch));
  EXPECT_EQ(process.wait(10s), 128 + SIGSEGV);
}

TEST(Launcher, MissingLauncherIsAnErrorBeforeAnythingStarts) {
  const Scratch scratch;
  EXPECT_THAT(error_of([&] { start(launcher_profile("/nowhere/mpirun"), in(scratch)); }),
              HasSubstr("/nowhere/mpirun"));
  EXPECT_FALSE(fs::exists(scratch.path("stdout")));
}

TEST(Launcher, KillLeavesNoProcessHoweverItHides) {
  const Scratch scratch;
  Process process = start(launcher_profile(stubborn_launcher(scratch)), in(scratch));
  ASSERT_TRUE(soon([&] { return pids_in(scratch.path("pids")).size() == 4; }));
  const std::vector<int> pids = pids_in(scratch.path("pids"));
  for (const int pid : pids) EXPECT_TRUE(is_alive(pid)) << pid;
  process.kill();
  for (const int pid : pids) EXPECT_FALSE(is_alive(pid)) << pid;
  EXPECT_TRUE(process.poll().has_value());
}

TEST(Launcher, StoppedProcessesAreEndedToo) {
  const Scratch scratch;
  const fs::path mpirun =
      scratch.script("mpirun", "echo $$ > " + scratch.path("pids").string() + "; kill -STOP $$");
  Process process = start(launcher_profile(mpirun), in(scratch));
  ASSERT_TRUE(soon([&] { return !pids_in(scratch.path("pids")).empty(); }));
  process.kill();
  EXPECT_FALSE(is_alive(pids_in(scratch.path("pids")).front()));
}

TEST(Launcher, ProcessesLeftBehindByALauncherThatEndedAreEnded) {
  const Scratch scratch;
  const fs::path mpirun = scratch.script(
      "mpirun", "setsid sleep 602 & echo $! > " + scratch.path("pids").string() + "; exit 0");
  Process process = start(launcher_profile(mpirun), in(scratch));
  EXPECT_EQ(process.wait(10s), 0);
  ASSERT_EQ(pids_in(scratch.path("pids")).size(), 1U);
  EXPECT_FALSE(is_alive(pids_in(scratch.path("pids")).front()));
}

// The driver dies by SIGKILL: nothing of ours runs any more, so only the keeper can clean up.
TEST(Launcher, NothingSurvivesTheSuddenDeathOfTheDriver) {
  const Scratch scratch;
  const Profile profile = launcher_profile(stubborn_launcher(scratch));
  const StartOptions options = in(scratch);
  const pid_t driver = fork();
  if (driver == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Process process = start(profile, options);
    process.wait(1h);
    _exit(0);
  }
  ASSERT_GT(driver, 0);
  const bool started = soon([&] { return pids_in(scratch.path("pids")).size() == 4; });
  const std::vector<int> pids = pids_in(scratch.path("pids"));
  ::kill(driver, SIGKILL);
  waitpid(driver, nullptr, 0);
  EXPECT_TRUE(started);
  for (const int pid : pids) EXPECT_TRUE(soon([&] { return !is_alive(pid); })) << pid;
}

// A campaign's lock must be free as soon as its driver is dead, and not when its launches are.
TEST(Launcher, DescriptorsOfTheDriverAreNotKeptOpen) {
  const Scratch scratch;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  Process process =
      start(launcher_profile(scratch.script("mpirun", "exec sleep 603")), in(scratch));
  close(pipe_ends[1]);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0) << "somebody holds the other end";
  close(pipe_ends[0]);
}

TEST(Launcher, TwoLaunchesEndIndependently) {
  const Scratch first_dir;
  const Scratch second_dir;
  Process first =
      start(launcher_profile(first_dir.script("mpirun", "exec sleep 604")), in(first_dir));
  Process second =
      start(launcher_profile(second_dir.script("mpirun", "exec sleep 605")), in(second_dir));
  first.kill();
  EXPECT_TRUE(first.poll().has_value());
  EXPECT_FALSE(second.poll().has_value());
  second.kill();
}

TEST(Launcher, ArmsSettingsComeOnTopOfTheProfiles) {
  const Scratch scratch;
  Profile profile = launcher_profile(scratch.script("mpirun", "echo $FIRST $SECOND"));
  profile.environment = {{"FIRST", "profile"}, {"SECOND", "profile"}};
  StartOptions options = in(scratch);
  options.environment = {{"SECOND", "arm, with $PATH and 'quotes'"}};
  Process process = start(profile, options);
  EXPECT_EQ(process.wait(10s), 0);
  EXPECT_EQ(content(scratch.path("stdout")), "profile arm, with $PATH and 'quotes'\n");
}

TEST(LaunchCommand, OpenMpiBindsNothingItself) {
  Profile profile = launcher_profile("mpirun.openmpi", "openmpi");
  StartOptions options;
  options.ranks = 4;
  options.arguments = {"--launch", "dir"};
  EXPECT_THAT(launch_command(profile, options),
              ElementsAre("mpirun.openmpi", "--bind-to", "none", "-np", "4", "/bin/true",
                          "--launch", "dir"));
  options.oversubscribe = true;
  EXPECT_THAT(launch_command(profile, options), Contains("--oversubscribe"));
  profile.short_version = "5.0.11";
  EXPECT_THAT(launch_command(profile, options), Contains(":OVERSUBSCRIBE"));
  EXPECT_THAT(launch_command(profile, options), Not(Contains("--oversubscribe")));
}

TEST(LaunchCommand, MpichBindsNothingItself) {
  EXPECT_THAT(launch_command(launcher_profile("mpirun.mpich", "mpich"), {}),
              ElementsAre("mpirun.mpich", "-bind-to", "none", "-n", "2", "/bin/true"));
}

TEST(LaunchCommand, TemplateReplacesTheFamilysCommand) {
  Profile profile = launcher_profile("", "openmpi");
  profile.launch_template = "srun -n {ranks} --mpi=pmix {env} {program} {args}";
  profile.environment = {{"A", "1"}};
  EXPECT_THAT(launch_command(profile, {}),
              ElementsAre("srun", "-n", "2", "--mpi=pmix", "env", "A=1", "/bin/true"));
}

// Two Open MPI launches that start together race for one session folder, and one of them dies.
TEST(LaunchEnvironment, EveryOpenMpiLaunchHasASessionFolderOfItsOwn) {
  const auto environment = launch_environment(launcher_profile("", "openmpi"), {}, "/tmp/one");
  EXPECT_THAT(environment, Contains(std::pair<std::string, std::string>("OMPI_MCA_orte_tmpdir_base",
                                                                        "/tmp/one")));
  EXPECT_THAT(environment, Contains(std::pair<std::string, std::string>("PRTE_MCA_prte_tmpdir_base",
                                                                        "/tmp/one")));
}

// Open MPI refuses root without it; others would pass it on to programs that have no use for it.
TEST(LaunchEnvironment, RootIsAllowedOnlyWhereItMayBeOpenMpi) {
  const auto allows = [](const std::string& family) {
    const auto environment = launch_environment(launcher_profile("", family), {}, "/tmp/one");
    const auto sets = [&](const std::string& name) {
      return std::count(environment.begin(), environment.end(),
                        std::pair<std::string, std::string>(name, "1")) == 1;
    };
    EXPECT_EQ(sets("OMPI_ALLOW_RUN_AS_ROOT"), sets("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"));
    return sets("OMPI_ALLOW_RUN_AS_ROOT");
  };
  const bool root = geteuid() == 0;
  EXPECT_EQ(allows("openmpi"), root);
  EXPECT_EQ(allows("other"), root) << "what a launch template starts";
  EXPECT_EQ(allows(""), root) << "before the first probe";
  EXPECT_FALSE(allows("mpich"));
  EXPECT_FALSE(allows("intel"));
}

// The engine binds its ranks itself.
TEST(LaunchEnvironment, IntelMpiBindsNothingItself) {
  EXPECT_THAT(launch_environment(launcher_profile("", "intel"), {}, "/tmp/one"),
              ElementsAre(std::pair<std::string, std::string>("I_MPI_PIN", "0")));
}

TEST(CoreCpus, OnePerCoreInAscendingOrderWithinTheAffinityMask) {
  const std::vector<std::uint32_t> cpus = core_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_EQ(core_cpus(), cpus);
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus.back(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_THAT(core_cpus(), ElementsAre(cpus.back()));
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace invar::launch
