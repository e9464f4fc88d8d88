// The doctor's judgement on made-up machines.
#include "doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/facts.hpp"
#include "launch/scratch.hpp"

namespace invar::doctor {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Observed healthy() {
  Observed seen;
  seen.tsc_trusted = true;
  seen.cores = {0, 1, 2, 3};
  seen.libraries = {"/usr/bin/mpicxx"};
  seen.ping = CorePing{0, 1, std::vector<double>(100, 90.0)};
  seen.facts.processor.governors = "performance";
  seen.facts.processor.turbo = false;
  seen.facts.processor.isolated = "2-3";
  seen.facts.kernel.aslr = "0";
  seen.steal = 0.0;
  return seen;
}

auto finding(Severity severity, const std::string& topic) {
  return Contains(AllOf(Field(&Finding::severity, severity), Field(&Finding::topic, topic)));
}

TEST(Doctor, HealthyMachineHasNoFindings) {
  const DoctorReport report = examine(healthy());
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.sentence, StartsWith("Nothing was found"));
}

TEST(Doctor, NothingKnownIsNeverFatal) { EXPECT_FALSE(examine(Observed{}).sentence.empty()); }

TEST(Doctor, MissingLibrariesNameTheCommandThatInstallsThem) {
  Observed seen = healthy();
  seen.libraries.clear();
  const DoctorReport report = examine(seen);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().severity, Severity::kProblem);
  EXPECT_THAT(report.findings.front().remedy, HasSubstr("apt-get install"));
  EXPECT_THAT(report.sentence, StartsWith("1 thing on this machine must be mended"));
}

TEST(Doctor, LaunchesOfABatchJobAreToldByLauncherAndHosts) {
  Observed seen = healthy();
  seen.hosts = {{.name = "node1", .slots = 2}, {.name = "node2", .slots = 2}};
  seen.trials = {{.how = "a", .alone = "a launch ended with exit status 1"},
                 {.how = "a by srun"},
                 {.how = "b by srun", .together = "the second did not come up"}};
  const DoctorReport report = examine(seen);
  EXPECT_THAT(report.healthy,
              Contains("by turns: yes, two launches run at once on node1, node2 (a by srun)"));
  EXPECT_THAT(
      report.findings,
      Contains(Field(&Finding::what, "with a on node1, node2: a launch ended with exit status 1")));
  EXPECT_THAT(report.findings, Contains(Field(&Finding::what,
                                              "by turns: no with b by srun on node1, node2: the "
                                              "second did not come up")));
}

TEST(Doctor, HostsOfAJobThatCannotBeAskedForAreAProblem) {
  Observed seen = healthy();
  seen.hosts_problem = "'scontrol show hostnames' does not tell the hosts of this job";
  EXPECT_THAT(examine(seen).findings, finding(Severity::kProblem, "hosts"));
}

TEST(Doctor, FrequencyThatMovesIsACaution) {
  Observed seen = healthy();
  seen.facts.processor.governors = "powersave";
  seen.facts.processor.turbo = true;
  EXPECT_THAT(examine(seen).findings, finding(Severity::kCaution, "frequency"));
  EXPECT_THAT(examine(seen).findings, finding(Severity::kCaution, "turbo"));
}

TEST(Doctor, TwoRegimesOfTheCorePingAreFound) {
  Observed seen = healthy();
  for (std::size_t i = 0; i < 40; ++i) seen.ping->medians_ns[i] = 460;
  EXPECT_THAT(examine(seen).findings, finding(Severity::kCaution, "regimes"));
}

TEST(Doctor, FewSlowSamplesAreNoRegime) {
  Observed seen = healthy();
  for (std::size_t i = 0; i < 5; ++i) seen.ping->medians_ns[i] = 5000;
  EXPECT_THAT(examine(seen).findings, Not(finding(Severity::kCaution, "regimes")));
}

TEST(Doctor, QuotaBelowTheCoresMustBeMended) {
  Observed seen = healthy();
  seen.facts.limits.cpu_quota = 1.5;
  EXPECT_THAT(examine(seen).findings, finding(Severity::kProblem, "CPU quota"));
}

TEST(Doctor, BusyProcessesAreNamed) {
  Observed seen = healthy();
  seen.busy = {{4711, "burner", 0.9}};
  const DoctorReport report = examine(seen);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_THAT(report.findings.front().what, HasSubstr("burner (4711, 90 %)"));
}

TEST(Doctor, WorstComesFirst) {
  Observed seen = healthy();
  seen.facts.kernel.aslr = "2";
  seen.tsc_trusted = false;
  seen.cores = {0};
  const DoctorReport report = examine(seen);
  for (std::size_t i = 1; i < report.findings.size(); ++i) {
    EXPECT_LE(report.findings[i - 1].severity, report.findings[i].severity);
  }
  EXPECT_EQ(report.findings.front().topic, "cores");
}

TEST(HostFacts, CgroupVersion2LimitsAreReadUpToTheMount) {
  const launch::test::Scratch scratch;
  scratch.write("proc/self/cgroup", "0::/user/job\n");
  scratch.write("sys/fs/cgroup/cgroup.controllers", "cpu memory");
  scratch.write("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  scratch.write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  scratch.write("sys/fs/cgroup/user/job/memory.max", "1048576\n");
  scratch.write("sys/fs/cgroup/user/job/cpuset.cpus.effective", "0-1\n");
  const host::Limits limits = host::read_facts(scratch.path().string()).limits;
  EXPECT_EQ(limits.cgroup_version, 2);
  EXPECT_EQ(limits.cpu_quota, 1.5);
  EXPECT_EQ(limits.memory_limit_bytes, 1048576U);
  EXPECT_EQ(limits.cpuset, "0-1");
}

TEST(HostFacts, CgroupVersion1LimitsAreRead) {
  const launch::test::Scratch scratch;
  scratch.write("proc/self/cgroup", "4:cpu,cpuacct:/job\n3:memory:/job\n2:cpuset:/job\n");
  scratch.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  scratch.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  scratch.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  scratch.write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "3\n");
  const host::Limits limits = host::read_facts(scratch.path().string()).limits;
  EXPECT_EQ(limits.cgroup_version, 1);
  EXPECT_EQ(limits.cpu_quota, 0.5);
  EXPECT_EQ(limits.memory_limit_bytes, std::nullopt);
  EXPECT_EQ(limits.cpuset, "3");
}

TEST(HostFacts, AbsentFilesAreAbsentFacts) {
  const launch::test::Scratch scratch;
  const host::Facts facts = host::read_facts(scratch.path().string());
  EXPECT_EQ(facts.processor.model, std::nullopt);
  EXPECT_EQ(facts.kernel.thp, std::nullopt);
  EXPECT_EQ(facts.identity.boot_id, std::nullopt);
  EXPECT_EQ(facts.load.steal_ticks, std::nullopt);
}

TEST(HostFacts, ChosenHugePageSettingStealAndCountersAreRead) {
  const launch::test::Scratch scratch;
  scratch.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  scratch.write("proc/stat", "cpu  10 20 30 40 50 60 70 80 5 5\ncpu0 1 1\n");
  scratch.write("sys/class/net/eth0/statistics/rx_bytes", "123\n");
  scratch.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "77\n");
  const host::Facts facts = host::read_facts(scratch.path().string());
  EXPECT_EQ(facts.kernel.thp, "madvise");
  EXPECT_EQ(facts.load.steal_ticks, 80U);
  EXPECT_EQ(facts.load.total_ticks, 360U);
  const auto counters = host::network_counters(scratch.path().string());
  EXPECT_EQ(counters.at("eth0.rx_bytes"), 123U);
  EXPECT_EQ(counters.at("mlx5_0:1.port_rcv_data"), 77U);
}

TEST(HostFacts, CpuListsAreReadAndWritten) {
  EXPECT_THAT(host::parse_cpu_list("0-2,8"), testing::ElementsAre(0U, 1U, 2U, 8U));
  EXPECT_THAT(host::parse_cpu_list("2-1"), IsEmpty());
  EXPECT_THAT(host::parse_cpu_list("x"), IsEmpty());
  EXPECT_EQ(host::cpu_list_text({0, 1, 2, 8}), "0-2,8");
}

}  // namespace
}  // namespace invar::doctor
