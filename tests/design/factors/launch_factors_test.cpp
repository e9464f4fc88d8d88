#include "design/factors/launch_factors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clock/algorithm.hpp"
#include "design/helpers.hpp"

namespace invar::design {
namespace {

using test::campaign_faults;
using test::with_cells;
using testing::ElementsAre;
using testing::Pair;

Campaign read_with_cells(const std::string& more) {
  return read_campaign(with_cells(more), "c.toml");
}

std::vector<std::string> labels(const Campaign& campaign) {
  std::vector<std::string> all;
  for (const Arm& arm : campaign.arms) all.push_back(arm.label);
  return all;
}

constexpr const char* kTwo =
    "[engine]\nsync = \"barrier\"\npinning = [\"core\", \"none\"]\nenvironment-size = [0, "
    "\"4KiB\"]\n"
    "[[arm]]\nlibrary = \"openmpi\"\n";

TEST(LaunchFactors, EveryArmIsLaunchedInAllCombinations) {
  Campaign campaign = read_with_cells(kTwo);
  expand_variants(campaign, "c.toml");
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi", "openmpi+env-4096", "openmpi+pinning-none",
                                            "openmpi+pinning-none+env-4096"));
  EXPECT_THAT(campaign.arms[3].launch,
              ElementsAre(Pair("pinning", "none"), Pair("environment-size", "4096")));
  EXPECT_EQ(base_label(campaign.arms[3]), "openmpi");
  EXPECT_EQ(level_of(campaign, campaign.arms[3], "pinning"), "none");
  EXPECT_EQ(level_of(campaign, campaign.arms[0], "pinning"), "core");
  EXPECT_EQ(level_of(campaign, campaign.arms[0], "aslr"), "default");
}

TEST(LaunchFactors, WhatIsStoredReadsBackTheSame) {
  Campaign campaign = read_with_cells(kTwo);
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "stored"), campaign) << "before";
  expand_variants(campaign, "c.toml");
  Campaign again = read_campaign(campaign_toml(campaign), "stored");
  EXPECT_EQ(again, campaign) << "after";
  expand_variants(again, "stored");
  EXPECT_EQ(again, campaign) << "a second time changes nothing";
}

TEST(LaunchFactors, AnArmsOwnLevelIsKept) {
  Campaign campaign = read_with_cells(
      "[engine]\naslr = [\"on\", \"off\"]\n[[arm]]\nlibrary = \"openmpi\"\n"
      "[[arm]]\nlibrary = \"mpich\"\nlaunch = { aslr = \"off\" }\n");
  expand_variants(campaign, "c.toml");
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi", "openmpi+aslr-off", "mpich"));
}

// A second start and its mark in the environment would else be a part of the factor's effect.
TEST(LaunchFactors, AllRanksStartAgainWhereSomeMust) {
  const auto starts_again = [](const std::string& more) {
    Campaign campaign = read_with_cells(more);
    expand_variants(campaign, "c.toml");
    return any_starts_again(campaign);
  };
  const std::string arm = "[[arm]]\nlibrary = \"openmpi\"\n";
  EXPECT_FALSE(starts_again(arm));
  EXPECT_FALSE(
      starts_again("[engine]\nsync = \"barrier\"\npinning = [\"core\", \"none\"]\n" + arm));
  EXPECT_TRUE(starts_again("[engine]\naslr = [\"default\", \"off\"]\n" + arm));
  EXPECT_TRUE(starts_again(arm + "[[arm]]\nlibrary = \"mpich\"\nlaunch = { thp = \"never\" }\n"));
}

TEST(LaunchFactors, RanksAreToldWhatTheyMakeThemselves) {
  for (const LaunchFactor& factor : launch_factors()) {
    EXPECT_TRUE(factor.told != nullptr || !factor.made_by_ranks) << factor.key;
    EXPECT_EQ(factor.told == nullptr, factor.from_outside != FromOutside::kNothing) << factor.key;
  }
}

TEST(LaunchFactors, ASingleLevelMakesNoVariants) {
  Campaign campaign =
      read_with_cells("[engine]\nthp = \"never\"\n[[arm]]\nlibrary = \"openmpi\"\n");
  expand_variants(campaign, "c.toml");
  EXPECT_THAT(labels(campaign), ElementsAre("openmpi"));
  EXPECT_EQ(level_of(campaign, campaign.arms[0], "thp"), "never");
}

TEST(LaunchFactors, UnpinnedVariantsLeaveOutWhatNeedsAClock) {
  Campaign campaign = read_with_cells(
      "[engine]\npinning = [\"core\", \"none\"]\nsync = [\"barrier\", \"round-time\"]\n"
      "[[arm]]\nlibrary = \"openmpi\"\n");
  expand_variants(campaign, "c.toml");
  const ResolvedCells cells = resolve_cells(campaign, test::surroundings(2), "c.toml");
  ASSERT_EQ(cells.cells.size(), 2U);
  EXPECT_THAT(cells.arms[0], ElementsAre(0, 1));
  EXPECT_THAT(cells.arms[1], ElementsAre(0)) << "round-time";
  ASSERT_EQ(cells.left_out.size(), 1U);
  EXPECT_EQ(cells.left_out[0].reason, "ranks that are not pinned cannot keep a start time");
}

TEST(LaunchFactors, EverySynchronisationOfClocksIsALevel) {
  for (const clock::Algorithm& algorithm : clock::algorithms()) {
    const std::string name(algorithm.name);
    Campaign campaign = read_with_cells("[engine]\nclock-sync = \"" + name +
                                        "\"\n[[arm]]\nlibrary = \"openmpi\"\n");
    expand_variants(campaign, "c.toml");
    EXPECT_EQ(level_of(campaign, campaign.arms[0], "clock-sync"), name);
  }
  Campaign several = read_with_cells(
      "[engine]\nclock-sync = [\"mesh\", \"none\", \"hca3:fit-points=5e2\"]\n"
      "[[arm]]\nlibrary = \"openmpi\"\n");
  expand_variants(several, "c.toml");
  EXPECT_THAT(labels(several),
              ElementsAre("openmpi", "openmpi+clock-none", "openmpi+clock-hca3-fit-points-500"));
  EXPECT_EQ(read_campaign(campaign_toml(several), "stored"), several) << "labels are labels";
  Campaign unsaid = read_with_cells("[[arm]]\nlibrary = \"openmpi\"\n");
  expand_variants(unsaid, "c.toml");
  EXPECT_EQ(level_of(unsaid, unsaid.arms[0], "clock-sync"), "mesh");
  EXPECT_EQ(campaign_toml(unsaid).find("clock-sync"), std::string::npos)
      << "campaigns from before the key are sealed without it";
}

TEST(LaunchFactors, WrongSynchronisationsOfClocksAreToldWhereTheyStand) {
  EXPECT_THAT(
      campaign_faults(with_cells("[engine]\nclock-sync = \"hca4\"\n")),
      ElementsAre(testing::StartsWith(
          "c.toml:8:14: 'clock-sync' of [engine]: 'hca4' is not a value; did you mean 'hca")));
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nclock-sync = \"skampi:fit-points=3\"\n")),
              ElementsAre(testing::HasSubstr("has no parameter 'fit-points'")));
  EXPECT_THAT(
      campaign_faults(with_cells("[engine]\nclock-sync = \"jk:exchanges=0:fit-points=x\"\n")),
      ElementsAre(
          testing::AllOf(testing::HasSubstr("it must lie between"),
                         testing::HasSubstr("'fit-points=x' is not a parameter with a number"))))
      << "all at once, in one line";
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nclock-sync = \"none:x=1\"\n")),
              ElementsAre(testing::HasSubstr("'none:x=1' is not a value")));
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nclock-sync = \"\"\n")),
              ElementsAre(testing::HasSubstr("'' is not a value")));
}

// Cells on one host need no synchronisation, cells over two do.
TEST(LaunchFactors, WithoutSynchronisedClocksNothingStartsTogetherOverHosts) {
  const std::string cells =
      "schema = 1\nname = \"c\"\nseed = 1\n[design]\nlaunches = 1\n[[cells]]\n"
      "operation = \"bcast\"\nsize = 8\nnodes = [1, 2]\nppn = 2\n";
  const std::string arm = "[[arm]]\nlibrary = \"openmpi\"\n";
  const auto resolved = [&](const std::string& engine, const std::string& arms) {
    Campaign campaign = read_campaign(cells + engine + arms, "c.toml");
    expand_variants(campaign, "c.toml");
    Surroundings two_hosts = test::surroundings(campaign.arms.size());
    two_hosts.hosts = 2;
    return resolve_cells(campaign, two_hosts, "c.toml");
  };
  const std::string none = "[engine]\nclock-sync = \"none\"\n";
  EXPECT_THAT(
      test::faults_of([&] { (void)resolved(none, arm); }),
      ElementsAre(testing::AllOf(
          testing::StartsWith("c.toml:12:14: with clock-sync \"none\", ranks that do not read "
                              "one clock have no common time for sync 'round-time'"),
          testing::HasSubstr("use sync = \"barrier\""))));
  EXPECT_THAT(test::faults_of([&] {
                (void)resolved(none + "sync = \"barrier\"\n[analysis]\nruntime = \"global\"\n",
                               arm);
              }),
              ElementsAre(testing::HasSubstr("for runtime = \"global\"; use runtime = \"local\"")));
  EXPECT_EQ(resolved(none + "sync = \"barrier\"\n", arm).left_out.size(), 0U);
  // Where "none" is one of several levels, its cell over hosts is left out.
  const ResolvedCells some = resolved("[engine]\nclock-sync = [\"mesh\", \"none\"]\n", arm);
  ASSERT_EQ(some.left_out.size(), 1U);
  EXPECT_EQ(some.left_out[0].arm, "openmpi+clock-none");
  EXPECT_EQ(some.left_out[0].cell.nodes, 2U);
  EXPECT_THAT(some.left_out[0].reason, testing::HasSubstr("have no common time"));
  ASSERT_EQ(some.cells.size(), 2U);
  EXPECT_THAT(some.arms[0], ElementsAre(0, 1)) << "on one host";
  EXPECT_THAT(some.arms[1], ElementsAre(0)) << "over hosts";
  // Nor are there global times of it, however it begins.
  const std::string barrier = "[engine]\nclock-sync = [\"mesh\", \"none\"]\nsync = \"barrier\"\n";
  EXPECT_EQ(resolved(barrier, arm).left_out.size(), 0U);
  const ResolvedCells global = resolved(barrier + "[analysis]\nruntime = \"global\"\n", arm);
  ASSERT_EQ(global.left_out.size(), 1U);
  EXPECT_EQ(global.left_out[0].arm, "openmpi+clock-none");
  EXPECT_EQ(global.left_out[0].cell.nodes, 2U);
  EXPECT_THAT(global.arms[0], ElementsAre(0, 1)) << "on one host";
  EXPECT_THAT(global.arms[1], ElementsAre(0)) << "over hosts";
}

TEST(LaunchFactors, FaultsAreToldWhereTheyStand) {
  EXPECT_THAT(
      campaign_faults(
          with_cells("[engine]\naslr = [\"on\", \"of\"]\nthp = 3\n"
                     "environment-size = \"1MiB\"\ngovernor = [\"fast!\", \"2.4GHz\"]\n")),
      ElementsAre(
          "c.toml:8:15: 'aslr' of [engine]: 'of' is not a value; did you mean 'on'?",
          "c.toml:9:7: 'thp' of [engine] is 3, not text; write it in quotes",
          "c.toml:10:20: 'environment-size' of [engine]: '1MiB' is more than a variable may have; "
          "write 128000 bytes at most",
          "c.toml:11:13: 'governor' of [engine]: 'fast!' is neither a governor nor a frequency; "
          "write \"performance\", another governor of this kernel, or \"2.4GHz\""));
  EXPECT_THAT(
      campaign_faults(with_cells("[engine]\ngovernor = [\"performance\", \"2.4GHz\"]\n")),
      ElementsAre("c.toml:8:12: launches that take turns on the same cores have one "
                  "frequency; write pairing = \"launches\" with several levels of governor"));
}

// By turns ranks of one number share a core, whatever they would take alone.
TEST(LaunchFactors, ArmsThatTakeTurnsSitOnTheSameCores) {
  const std::string levels = "placement-in-host = [\"packed\", \"spread\"]\n";
  EXPECT_THAT(campaign_faults(with_cells("[engine]\n" + levels)),
              ElementsAre("c.toml:8:21: launches that take turns on the same cores have one map of "
                          "ranks to cores; write pairing = \"launches\" with several levels of "
                          "placement-in-host"));
  const std::string arms =
      "[[arm]]\nlibrary = \"openmpi\"\n"
      "[[arm]]\nlibrary = \"mpich\"\nlaunch = { placement-in-host = \"numa\" }\n";
  EXPECT_THAT(campaign_faults(with_cells(arms)),
              ElementsAre(testing::HasSubstr("have one map of ranks to cores")));
  Campaign apart = read_with_cells("[engine]\npairing = \"launches\"\n" + levels +
                                   "[[arm]]\nlibrary = \"openmpi\"\n");
  expand_variants(apart, "c.toml");
  EXPECT_THAT(labels(apart), ElementsAre("openmpi", "openmpi+placed-spread"));
  Campaign same = read_with_cells(
      "[engine]\nplacement-in-host = \"spread\"\n"
      "[[arm]]\nlibrary = \"openmpi\"\n"
      "[[arm]]\nlibrary = \"mpich\"\n");
  expand_variants(same, "c.toml");
  for (const Arm& arm : same.arms) {
    EXPECT_EQ(level_of(same, arm, "placement-in-host"), "spread") << arm.label;
  }
}

TEST(LaunchFactors, RanksThatMoveAboutHaveNoPlace) {
  const std::string unpinned = "[engine]\npinning = \"none\"\nsync = \"barrier\"\n";
  EXPECT_THAT(
      campaign_faults(with_cells(unpinned + "placement-in-host = \"spread\"\n")),
      ElementsAre("c.toml:10:21: ranks that are not pinned have no place in their host; leave "
                  "placement-in-host out, or use pinning \"core\" alone"));
  EXPECT_THAT(
      campaign_faults(with_cells(unpinned + "[[arm]]\nlibrary = \"openmpi\"\n"
                                            "launch = { placement-in-host = \"spread\" }\n")),
      ElementsAre(testing::HasSubstr("have no place in their host")));
  EXPECT_NO_THROW(read_with_cells(unpinned + "placement-in-host = \"packed\"\n"));
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nplacement-in-host = \"spred\"\n")),
              ElementsAre(testing::HasSubstr("did you mean 'spread'?")));
}

// One frequency for the group would be the label of the other arm's data.
TEST(LaunchFactors, ArmsThatTakeTurnsHaveOneFrequency) {
  const std::string engine = "[engine]\ngovernor = \"powersave\"\n";
  const std::string arms =
      "[[arm]]\nlibrary = \"openmpi\"\n"
      "[[arm]]\nlibrary = \"mpich\"\nlaunch = { governor = \"performance\" }\n";
  EXPECT_THAT(campaign_faults(with_cells(engine + arms)),
              ElementsAre("c.toml:13:23: launches that take turns on the same cores have one "
                          "frequency; write pairing = \"launches\" with several levels of "
                          "governor"));
  EXPECT_THAT(campaign_faults(with_cells(
                  "[[arm]]\nlibrary = \"mpich\"\nlaunch = { governor = \"performance\" }\n"
                  "[[arm]]\nlibrary = \"openmpi\"\n")),
              ElementsAre(testing::StartsWith("c.toml:9:23: launches that take turns")));
  const Campaign same = read_with_cells("[engine]\ngovernor = \"performance\"\n" + arms);
  EXPECT_EQ(level_of(same, same.arms[0], "governor"), level_of(same, same.arms[1], "governor"));
  EXPECT_NO_THROW(read_with_cells("[engine]\npairing = \"launches\"\n" + arms));
}

TEST(LaunchFactors, DelaysNeedAnArmThatPlantsThem) {
  const std::string delay = "delay = [\"off\", \"1us\"]\n";
  const std::string one = "[[arm]]\nlibrary = \"openmpi\"\n";
  EXPECT_THAT(campaign_faults(with_cells(delay + one)),
              ElementsAre(testing::StartsWith("c.toml:7:9: delays are planted by all arms but the "
                                              "first, and there is one only; write a second")));
  EXPECT_NO_THROW(read_with_cells(delay + one + one));
  EXPECT_NO_THROW(read_with_cells("delay = \"off\"\n" + one));
  Campaign two = read_with_cells("[engine]\naslr = [\"on\", \"off\"]\n" + one + one);
  expand_variants(two, "c.toml");
  std::vector<bool> plant;
  for (const Arm& arm : two.arms) plant.push_back(plants_delays(two, arm));
  EXPECT_THAT(plant, ElementsAre(false, false, true, true)) << "variants of the first plant none";
  // Variants of the only arm are no second one.
  Campaign campaign = read_with_cells(one);
  campaign.cells[0].levels["delay"] = {"0", "1000"};
  campaign.engine.launch_levels["aslr"] = {"on", "off"};
  expand_variants(campaign, "c.toml");
  ASSERT_EQ(campaign.arms.size(), 2U);
  EXPECT_THAT(
      test::faults_of([&] { (void)test::resolved(campaign); }),
      testing::Contains(testing::HasSubstr("delays are planted by all arms but the first")));
}

TEST(LaunchFactors, AProgramIsStartedAsItIs) {
  EXPECT_THAT(
      campaign_faults(with_cells("[engine]\npairing = \"launches\"\naslr = [\"on\", \"off\"]\n"
                                 "[[arm]]\nlabel = \"a\"\nprogram = \"a\"\nparse = \"osu\"\n")),
      testing::Contains(testing::StartsWith(
          "c.toml:9:8: a program is started as it is: it has no levels of aslr; leave aslr out")));
}

TEST(LaunchFactors, AFrequencyIsKeptInTheKernelsUnit) {
  const LaunchFactor& governor = *find_launch_factor("governor");
  EXPECT_EQ(governor.level("2.4GHz").text, "2400000kHz");
  EXPECT_EQ(governor.level("800MHz").text, "800000kHz");
  EXPECT_EQ(governor.level("powersave").text, "powersave");
}

TEST(LaunchFactors, HugePagesAreANumberOfASizeThatIsKeptWithIt) {
  const LaunchFactor& pool = *find_launch_factor("huge-pages");
  EXPECT_EQ(pool.level("64").text, "64x2MiB");
  EXPECT_EQ(pool.level("2x1GiB").text, "2x1GiB");
  EXPECT_EQ(pool.level("default").text, "default");
  for (const char* wrong : {"", "0", "x2MiB", "64x4MiB", "-1", "many", "99999999"}) {
    EXPECT_EQ(pool.level(wrong).text, std::nullopt) << wrong;
    EXPECT_THAT(pool.level(wrong).remedy, testing::HasSubstr("64x2MiB"));
  }
}

// What a host has one of cannot differ between launches that take turns; programs have it, too.
TEST(LaunchFactors, SettingsOfTheHostAreNotForTurnsButForPrograms) {
  for (const char* levels :
       {"governor = [\"default\", \"performance\"]", "huge-pages = [\"default\", \"64x2MiB\"]",
        "numa-balancing = [\"on\", \"off\"]"}) {
    const std::string engine = std::string("[engine]\n") + levels + "\n";
    EXPECT_THAT(campaign_faults(with_cells(engine + "[[arm]]\nlibrary = \"openmpi\"\n")),
                ElementsAre(testing::HasSubstr("write pairing = \"launches\"")))
        << levels;
    const std::string program =
        "pairing = \"launches\"\n[[arm]]\nlabel = \"a\"\nprogram = \"a {size} {ranks} "
        "{operation}\"\nparse = \"osu\"\n";
    EXPECT_NO_THROW(read_with_cells(engine + program)) << levels;
  }
}

TEST(LaunchFactors, VerificationIsAShareOfTheVisits) {
  const auto level = [](const std::string& more) {
    const Campaign campaign = read_with_cells(more + "[[arm]]\nlibrary = \"openmpi\"\n");
    return level_of(campaign, campaign.arms[0], "verification");
  };
  EXPECT_EQ(level(""), "0.1") << "where nothing is written";
  EXPECT_EQ(level("[engine]\nverification = 0.25\n"), "0.25");
  EXPECT_EQ(level("[engine]\nverification = \"0.250\"\n"), "0.25");
  EXPECT_EQ(level("[engine]\nverification = 1\n"), "1");
  EXPECT_THAT(campaign_faults(with_cells("[engine]\nverification = [0, 1.5, \"often\", true]\n")),
              ElementsAre("c.toml:8:20: 'verification' of [engine]: '1.5' is not a share of the "
                          "visits; write 0 to 1, as 0.1 for one visit in ten",
                          "c.toml:8:25: 'verification' of [engine]: 'often' is not a share of the "
                          "visits; write 0 to 1, as 0.1 for one visit in ten",
                          "c.toml:8:34: 'verification' of [engine] is true, not text; write it in "
                          "quotes"));
  Campaign two =
      read_with_cells("[engine]\nverification = [0, 0.1]\n[[arm]]\nlibrary = \"openmpi\"\n");
  EXPECT_EQ(read_campaign(campaign_toml(two), "stored"), two);
  expand_variants(two, "c.toml");
  EXPECT_THAT(labels(two), ElementsAre("openmpi", "openmpi+verification-0.1"));
  EXPECT_EQ(read_campaign(campaign_toml(two), "stored"), two);
}

// What was sealed without the key was measured without it; a new campaign has today's level.
TEST(LaunchFactors, SealedCampaignsWithoutVerificationCheckNoVisit) {
  const std::string silent = with_cells("[[arm]]\nlibrary = \"openmpi\"\n");
  EXPECT_EQ(read_sealed_campaign(silent, "om/campaign.toml").engine.verification, "0");
  const Campaign today = read_campaign(silent, "c.toml");
  EXPECT_EQ(read_sealed_campaign(campaign_toml(today), "om/campaign.toml"), today);
}

TEST(LaunchFactors, ProgressConnectionsAndCommunicatorHaveTheirUsualLevels) {
  const auto levels = [](const Campaign& campaign) {
    std::vector<std::string> all;
    for (const char* key : {"progress", "connect", "communicator"}) {
      all.push_back(level_of(campaign, campaign.arms[0], key));
    }
    return all;
  };
  const std::string silent = with_cells("[[arm]]\nlibrary = \"openmpi\"\n");
  const Campaign today = read_campaign(silent, "c.toml");
  EXPECT_THAT(levels(today), ElementsAre("probe", "auto", "split"));
  EXPECT_EQ(read_sealed_campaign(campaign_toml(today), "om/campaign.toml"), today);
  // Campaigns from before there were these keys.
  EXPECT_THAT(levels(read_sealed_campaign(silent, "om/campaign.toml")),
              ElementsAre("bystanders", "hosts", "split"));
  const Campaign written = read_with_cells(
      "[engine]\nprogress = \"none\"\nconnect = \"pattern\"\ncommunicator = \"world\"\n"
      "[[arm]]\nlibrary = \"openmpi\"\n"
      "[[arm]]\nlibrary = \"mpich\"\nlaunch = { connect = \"none\" }\n");
  EXPECT_THAT(levels(written), ElementsAre("none", "pattern", "world"));
  EXPECT_EQ(level_of(written, written.arms[1], "connect"), "none");
  EXPECT_EQ(read_campaign(campaign_toml(written), "stored"), written);
}

TEST(LaunchFactors, ProgressConnectionsAndCommunicatorAreComparedLikeAnyOther) {
  Campaign campaign = read_with_cells(
      "[engine]\nprogress = [\"probe\", \"none\"]\nconnect = [\"all\", \"none\"]\n"
      "communicator = [\"split\", \"dup\"]\n[[arm]]\nlibrary = \"openmpi\"\n");
  EXPECT_TRUE(any_has_level(campaign, "communicator", "dup")) << "in a list";
  EXPECT_FALSE(any_has_level(campaign, "communicator", kWorldCommunicator));
  EXPECT_EQ(read_campaign(campaign_toml(campaign), "stored"), campaign);
  expand_variants(campaign, "c.toml");
  EXPECT_THAT(
      labels(campaign),
      ElementsAre("openmpi", "openmpi+communicator-dup", "openmpi+connect-none",
                  "openmpi+connect-none+communicator-dup", "openmpi+progress-none",
                  "openmpi+progress-none+communicator-dup", "openmpi+progress-none+connect-none",
                  "openmpi+progress-none+connect-none+communicator-dup"));
  EXPECT_TRUE(any_has_level(campaign, "communicator", "dup")) << "of an arm";
}

TEST(LaunchFactors, WrongWordsOfProgressConnectionsAndCommunicatorAreToldWhereTheyStand) {
  EXPECT_THAT(
      campaign_faults(with_cells("[engine]\nprogress = \"prob\"\nconnect = [\"all\", \"patern\"]\n"
                                 "communicator = 3\n")),
      ElementsAre(
          "c.toml:8:12: 'progress' of [engine]: 'prob' is not a value; did you mean 'probe'?",
          "c.toml:9:19: 'connect' of [engine]: 'patern' is not a value; did you mean 'pattern'?",
          "c.toml:10:16: 'communicator' of [engine] is 3, not text; write it in quotes"));
}

TEST(LaunchFactors, TooManyLaunchesAreRefused) {
  std::string arms;
  for (int i = 0; i < 9; ++i) arms += "[[arm]]\nlibrary = \"openmpi\"\n";
  Campaign campaign = read_with_cells(
      "[engine]\naslr = [\"on\", \"off\"]\nthp = [\"always\", \"never\"]\n"
      "environment-size = [0, 16]\n" +
      arms);
  EXPECT_THAT(test::faults_of([&] { expand_variants(campaign, "c.toml"); })[0],
              testing::HasSubstr("a group would have 72 launches or more"));
}

}  // namespace
}  // namespace invar::design
