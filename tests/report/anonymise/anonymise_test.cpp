#include "report/anonymise/anonymise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/clock_spec.hpp"
#include "store/synthetic.hpp"
#include "store/test_dir.hpp"

namespace invar::report {
namespace {

TEST(Anonymise, AHostIsTheSameWordWhereverItStands) {
  Anonymiser names;
  names.learn_host("node7.cluster.example.org");
  names.learn_host("node12");
  EXPECT_EQ(names.apply("rank 3 on node7 lost node12"), "rank 3 on host1 lost host2");
  EXPECT_EQ(names.apply("node7.cluster.example.org:22, node7-ib0"), "host1.domain1:22, host1-ib0");
  EXPECT_EQ(names.apply("node12 again, (node7)"), "host2 again, (host1)");
}

TEST(Anonymise, APartOfAWordIsNoName) {
  Anonymiser names;
  names.learn_host("om");
  names.learn_user("ann");
  EXPECT_EQ(names.apply("from openmpi, om1, channel"), "from openmpi, om1, channel");
  EXPECT_EQ(names.apply("ann ran om/campaign.toml"), "user1 ran host1/campaign.toml");
  names.learn_host("node7");
  EXPECT_EQ(names.apply("coll_om_size, scratch_node7_a"), "coll_om_size, scratch_host2_a");
}

TEST(Anonymise, WhatEverybodyHasStays) {
  Anonymiser names;
  names.learn_host("localhost");
  names.learn_user("root");
  names.learn_host("x");  // a single letter
  EXPECT_EQ(names.apply("root on localhost, 127.0.0.1 and ::1, x times"),
            "root on localhost, 127.0.0.1 and ::1, x times");
}

TEST(Anonymise, Addresses) {
  Anonymiser names;
  EXPECT_EQ(names.apply("tcp 10.1.2.3:4000, again 10.1.2.3, then 10.1.2.4."),
            "tcp address1:4000, again address1, then address2.");
  EXPECT_EQ(names.apply("fe80::1ff:fe23:4567:890a, 2001:db8::7"), "address3, address4");
  EXPECT_EQ(names.apply("mac 52:54:00:12:34:56"), "mac address5");
  EXPECT_EQ(names.apply("tcp://login.example.org:99/x"), "tcp://address6:99/x");
  EXPECT_EQ(names.apply("boot 01234567-89ab-cdef-0123-456789abcdef"), "boot id1");
}

TEST(Anonymise, VersionsTimesAndNumbersAreNoAddresses) {
  Anonymiser names;
  for (const char* text :
       {"Open MPI v4.1.4", "1.2.3.4.5", "2021.18.1.0", "12:30:45", "libmpi.so.40.30.4",
        "0:0 1:1 2:2", "invar::base", "2026-11-22T13:00:00Z", "checksum bbc3c550-1229432",
        "ratio 1.30 [1.27, 1.33]", "mpich/openmpi", "MB/s", "time of B / time of A"}) {
    EXPECT_EQ(names.apply(text), text);
  }
}

TEST(Anonymise, FoldersOfTheSystemStayAndOthersGo) {
  Anonymiser names;
  EXPECT_EQ(names.apply("/usr/lib/x86_64-linux-gnu/libmpi.so.40"),
            "/usr/lib/x86_64-linux-gnu/libmpi.so.40");
  EXPECT_EQ(names.apply("/apps/secret/ompi/lib/libmpi.so.40"), "/path1/lib/libmpi.so.40");
  EXPECT_EQ(names.apply("/apps/secret/ompi/bin/mpirun -n 2"), "/path1/bin/mpirun -n 2");
  EXPECT_EQ(names.apply("-I/apps/secret/ompi/include -L/apps/secret/ompi/lib"),
            "-I/path2 -L/path1/lib");
  EXPECT_EQ(names.apply("/lib64:/apps/secret/ompi/lib:/home/ann"), "/lib64:/path1/lib:/path3");
  EXPECT_EQ(names.apply("'/data/my project/run 1' cannot be read"), "'/path4' cannot be read");
  EXPECT_EQ(names.apply("/usr/local/oursite/mpi"), "/path5");
  EXPECT_EQ(names.apply("see /scratch."), "see /path6.");
}

TEST(Anonymise, WhatIsReplacedStaysAsItIs) {
  Anonymiser names;
  names.learn_host("node7");
  const std::string once = names.apply("node7 10.1.2.3 /apps/x/bin/mpirun /data/y");
  EXPECT_EQ(names.apply(once), once);
  const std::string line = names.fact("kernel.command_line", "BOOT_IMAGE=/vmlinuz ro");
  EXPECT_EQ(line, "command-line1");
  EXPECT_EQ(names.fact("kernel.command_line", line), line);
}

TEST(Anonymise, SettingsOfLibrariesAreShownAndOtherVariablesAreNot) {
  Anonymiser names;
  EXPECT_EQ(names.variable("OMPI_MCA_btl", "^ofi"), "^ofi");
  EXPECT_EQ(names.variable("UCX_TLS", "rc,self"), "rc,self");
  EXPECT_EQ(names.variable("OMP_NUM_THREADS", "2"), "2");
  EXPECT_EQ(names.variable("SLURM_NNODES", "1024"), "1024");
  EXPECT_EQ(names.variable("SLURM_JOB_ACCOUNT", "physics"), "value1");
  EXPECT_EQ(names.variable("OMPI_MCA_orte_node_regex", "n[3:1-4]@0(4)"), "value2");
  EXPECT_EQ(names.variable("env:PROJECT", "physics"), "value1");
  EXPECT_EQ(names.fact("environment.LD_LIBRARY_PATH", "/apps/x/lib"), "value3");
  EXPECT_EQ(names.fact("set outside SLURM_JOB_ACCOUNT", "physics"), "value1");
  EXPECT_EQ(names.fact("processor.model", "EPYC 7713"), "EPYC 7713");
}

TEST(Anonymise, LearnsHostsUsersAndBootsOfALaunch) {
  Anonymiser names;
  names.learn_environment(
      R"({"map": [{"rank": 0, "host": "node7", "cpu": 0}, {"rank": 1, "host": "node8", "cpu": 0}],
          "hosts": [{"host_name": "node8", "boot_id": "89abcdef-89ab-cdef-0123-456789abcdef",
                     "environment": {"SLURM_JOB_USER": "ann", "HOME": "/home/carl"}}]})");
  names.learn_session("2026-11-22.89abcdef.job-4711");
  EXPECT_EQ(names.apply("node7, node8, ann, carl"), "host2, host1, user1, user2");
  EXPECT_EQ(names.apply("2026-11-22.89abcdef.job-4711"), "2026-11-22.boot1.job1");
  EXPECT_EQ(names.apply("boot 89abcdef-89ab-cdef-0123-456789abcdef"), "boot boot1");
  names.learn_environment("no JSON");
}

TEST(Anonymise, HowDeepDataAreNestedIsTheirsToSay) {
  constexpr std::size_t kDeep = 1'000'000;
  Anonymiser names;
  names.learn_environment(R"({"hosts": [{"host_name": "node17", "x": )" + std::string(kDeep, '[') +
                          "\"/home/alice/x\"" + std::string(kDeep, ']') + "}]}");
  EXPECT_THAT(names.apply("node17 /home/alice/x"), testing::Not(testing::HasSubstr("alice")));
}

TEST(Anonymise, LearnsTheHostsAndTheUsersOfAnExperimentWithClocks) {
  record::ClockSpec spec;
  spec.hosts = {"node17.uni-x.de", "node18.uni-x.de:4"};
  const store::ClockData data{
      .head = {.host = "login.cluster.org",
               .command = "invar clocks drift --hosts node17.uni-x.de,node18.uni-x.de:4 "
                          "--hostfile /home/ann/hosts"},
      .spec = record::clock_spec_text(spec)};
  Anonymiser names;
  names.learn(data);
  EXPECT_EQ(names.apply(data.head.command),
            "invar clocks drift --hosts host2.domain2,host3.domain2:4 --hostfile /path1");
  EXPECT_EQ(names.apply("on login.cluster.org, login, node18 and ann"),
            "on host1.domain1, host1, host3 and user1");
}

TEST(Anonymise, WhatEnginesSaidLastNamesHostsAndUsers) {
  const store::ClockData data{
      .spec = record::clock_spec_text({}),
      .failed = {{.launch = 2, .ranks = 2, .what = "rank 1 on node77: /home/carol/x is gone"}}};
  Anonymiser names;
  names.learn(data);
  EXPECT_EQ(names.apply("rank 1 on node77: carol"), "rank 1 on host1: user1");
}

TEST(Anonymise, HostsThatOnlyFailedAndAccountsAreLearnt) {
  store::Data data;
  data.arms = {{.label = "mpich",
                .profile_json = R"({"launch_template": "srun --account=physics -n {ranks}"})"}};
  data.failed_groups = {{.group = 1,
                         .reason = "'mpich' ended with signal 9 (rank 3 on node88, in "
                                   "bcast): /home/carol/x is gone"}};
  Anonymiser names;
  names.learn(data);
  EXPECT_EQ(names.apply("rank 3 on node88: carol of physics"),
            "rank 3 on host1: user1 of account1");
}

TEST(Anonymise, WhatProbesOfAlgorithmsSaid) {
  store::Data data;
  data.arms = {{.label = "mpich",
                .levels = {{.operation = "bcast",
                            .level = "algorithm:tree",
                            .problem = "it failed its check: rank 1 on node77: /home/carol/x",
                            .ordered_failure = "rank 0 on node66: wrong"}}}};
  Anonymiser names;
  names.learn(data);
  names.apply(data);
  const store::TriedLevel& level = data.arms.front().levels.front();
  EXPECT_EQ(level.problem, "it failed its check: rank 1 on host1: /path1");
  EXPECT_EQ(level.ordered_failure, "rank 0 on host2: wrong");
}

TEST(Anonymise, NumbersOfALauncherAreNoAccounts) {
  store::Data data;
  data.arms = {{.label = "mpich",
                .profile_json = R"({"launch_template": "prun -P 10 -A 20261125 -n {ranks}"})"}};
  Anonymiser names;
  names.learn(data);
  EXPECT_EQ(names.apply("10 ranks, 20261125"), "10 ranks, account1");
}

// Open MPI's numbers are of a launch, and stand in several variables and in words of the launcher.
TEST(Anonymise, JobsAreTheSameWordWhereverTheyStand) {
  Anonymiser names;
  names.learn_environment(
      R"({"hosts": [{"environment": {"OMPI_MCA_ess_base_jobid": "1806565377",
                                     "PMIX_ID": "1806565377.0", "SLURM_JOB_ID": "4711"}}],
          "library": {"variables": [{"name": "ess_base_jobid", "value": "1806565377"},
                                    {"name": "orte_hnp_uri",
                                     "value": "1806565376.0;tcp://192.0.2.2:48265"},
                                    {"name": "ras_gridengine_show_jobid", "value": "0"}]}})");
  names.learn_session("2026-11-22.89abcdef.job-4711");
  EXPECT_EQ(names.variable("OMPI_MCA_ess_base_jobid", "1806565377"), "job1");
  EXPECT_EQ(names.variable("PMIX_ID", "1806565377.0"), "job1.0");
  EXPECT_EQ(names.variable("PMIX_NAMESPACE", "1806565377"), "job1");
  EXPECT_EQ(names.fact("orte_ess_jobid", "1806565377"), "job1");
  EXPECT_EQ(names.fact("orte_hnp_uri", "1806565376.0;tcp://192.0.2.2:48265"),
            "job2.0;tcp://address1:48265");
  EXPECT_EQ(names.apply("[node7:1806565377] lost"), "[node7:job1] lost");
  EXPECT_EQ(names.variable("SLURM_JOB_ID", "4711"), "job3");
  EXPECT_EQ(names.apply("2026-11-22.89abcdef.job-4711"), "2026-11-22.boot1.job3");
  EXPECT_EQ(names.apply("4711 repetitions"), "4711 repetitions") << "a short number is not a name";
  EXPECT_EQ(names.fact("ras_gridengine_show_jobid", "0"), "0");
}

TEST(Anonymise, AHostThatIsCalledLikeAWordIsNobodyElse) {
  Anonymiser names;
  names.learn_host("login");
  names.learn_host("host1");
  EXPECT_EQ(names.apply("login, host1"), "host2, host3");
  EXPECT_EQ(names.apply(names.apply("login, host1")), "host2, host3");
}

// What a sentence says of hosts that differ has their facts in it.
TEST(Anonymise, CommandLinesAreKnownWhereverTheyStand) {
  Anonymiser names;
  names.learn_environment(
      R"({"hosts": [{"host_name": "node7", "kernel": {"command_line": "quiet ip=siteadmin"}},
                    {"host_name": "node8", "kernel": {"command_line": "rd.name=topsecretsite"}}]})");
  EXPECT_EQ(
      names.apply("kernel.command_line: node7 quiet ip=siteadmin, node8 rd.name=topsecretsite"),
      "kernel.command_line: host1 command-line1, host2 command-line2");
  EXPECT_EQ(names.fact("kernel.command_line", "rd.name=topsecretsite"), "command-line2");
}

// Numbers and the words of distributions say which kernel it is, a site's own words whose.
TEST(Anonymise, ASitesOwnKernelHasNoNameAndThoseOfDistributionsDo) {
  Anonymiser names;
  names.learn_environment(
      R"({"hosts": [{"host_name": "node7", "kernel": {"release": "6.1.0-acme-rt"}},
                    {"host_name": "node8", "kernel": {"release": "5.10.7-lab+"}}]})");
  EXPECT_EQ(names.fact("kernel.release", "6.1.0-acme-rt"), "6.1.0-kernel1");
  EXPECT_EQ(names.apply("kernel.release: node7 6.1.0-acme-rt, node8 5.10.7-lab+"),
            "kernel.release: host1 6.1.0-kernel1, host2 5.10.7-kernel2+");
  EXPECT_EQ(names.fact("kernel.release", "6.8.0-1017-site"), "6.8.0-kernel3")
      << "not learned before";
  EXPECT_EQ(names.fact("kernel.release", "6.1.0-kernel1"), "6.1.0-kernel1");
  for (const char* release :
       {"6.1.0-18-amd64", "5.15.0-91-generic", "5.14.0-362.18.1.el9_3.x86_64", "6.6.8", "6.5.0+",
        "6.5.0-1014-aws", "5.15.146.1-microsoft-standard-WSL2", "6.1.0-rpi7-rpi-v8"}) {
    EXPECT_EQ(names.fact("kernel.release", release), release);
  }
}

TEST(Anonymise, ArmsOfAnAnswer) {
  std::vector<analysis::ComparedArm> arms{
      {.label = "on node7",
       .library = "openmpi",
       .settings = {{"env:SITE_LICENSE", "secret"}, {"env:UCX_TLS", "tcp"}}}};
  Anonymiser names;
  names.learn_host("node7");
  names.apply(arms);
  EXPECT_EQ(arms[0].label, "on host1");
  EXPECT_EQ(arms[0].settings[0].second, "value1");
  EXPECT_EQ(arms[0].settings[1].second, "tcp");
}

TEST(Anonymise, ACampaignsStrings) {
  store::TestDir dir;
  synthetic::write(dir.path() / "c", {.arms = {"alpha", "beta-node7"}, .groups = 2});
  store::Data data = store::read_campaign_dir(dir.path() / "c");
  data.hosts = {"node7"};
  data.failed_groups.push_back({.group = 3, .reason = "rank 1 on node7 (/home/ann/x) died"});
  data.warnings = {"node7 is slow"};
  Anonymiser names;
  names.learn(data);
  names.apply(data);
  EXPECT_EQ(data.arms[1].label, "beta-host1");
  EXPECT_THAT(data.campaign_toml, testing::HasSubstr("label = \"beta-host1\""));
  EXPECT_EQ(data.failed_groups.back().reason, "rank 1 on host1 (/path1) died");
  EXPECT_EQ(data.warnings, std::vector<store::WarningLine>{"host1 is slow"});
}

TEST(Anonymise, Metadata) {
  analysis::Metadata metadata;
  metadata.hosts = {"node7"};
  metadata.facts["kernel.command_line"].texts = {"root=UUID=1 secret"};
  metadata.facts["host_name"].texts = {"node7"};
  metadata.facts["processor.model"].texts = {"EPYC 7713"};
  analysis::ArmFacts arm;
  arm.library = "openmpi";
  arm.facts["environment.SLURM_SUBMIT_HOST"].texts = {"login"};
  arm.facts["mpirun"].texts = {"/home/ann/ompi/bin/mpirun"};
  metadata.arms = {arm};
  Anonymiser names;
  names.learn_host("node7");
  names.apply(metadata);
  EXPECT_EQ(metadata.hosts, std::set<std::string>{"host1"});
  EXPECT_EQ(metadata.facts["kernel.command_line"].text(), "command-line1");
  EXPECT_EQ(metadata.facts["host_name"].text(), "host1");
  EXPECT_EQ(metadata.facts["processor.model"].text(), "EPYC 7713");
  EXPECT_EQ(metadata.arms[0].facts["environment.SLURM_SUBMIT_HOST"].text(), "value1");
  EXPECT_EQ(metadata.arms[0].facts["mpirun"].text(), "/path1/bin/mpirun");
}

}  // namespace
}  // namespace invar::report
