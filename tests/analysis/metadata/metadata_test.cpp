// What a campaign was measured on, and which differences between two matter.
#include "analysis/metadata/metadata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/metadata/metadata_compare.hpp"

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Machine {
  std::string kernel = "6.1";
  std::string governor = "performance";
  std::string load = "0.10 0.10 0.10 1/1 1";
  std::string mhz = "2000";
  std::string variable = "1";
  std::string environment = R"("OMPI_ARGV": "--launch x")";
};

std::string host(const Machine& machine, const std::string& name = "node1") {
  return R"({"host_name": ")" + name + R"(", "boot_id": "b)" + machine.load +
         R"(", "kernel": {"release": ")" + machine.kernel + R"("}, "processor": {"governors": ")" +
         machine.governor + R"(", "mhz_min": )" + machine.mhz + R"(}, "load": {"average": ")" +
         machine.load + R"(", "cpu_pressure": "some\nfull"}, "environment": {)" +
         machine.environment + "}}";
}

std::string env_json(const Machine& machine, const std::string& hosts) {
  return R"({"group": 3, "library": {"version": "V", "variables": [{"name": "x", "value": ")" +
         machine.variable + R"("}]}, "map": [{"rank": 0, "cpu": 0}, {"rank": 1, "cpu": 1}],)" +
         R"( "isolated": "", "hosts": [)" + hosts + "]}";
}

// One launch of one arm of openmpi.
Metadata metadata_of(const Machine& machine, const std::string& label = "openmpi") {
  Metadata metadata;
  metadata.arms.push_back({.library = "openmpi", .labels = {label}});
  EXPECT_TRUE(add_environment(env_json(machine, host(machine)), metadata, metadata.arms[0]));
  return metadata;
}

std::vector<std::string> facts(const std::vector<MetadataDifference>& differences) {
  std::vector<std::string> names;
  for (const MetadataDifference& one : differences) names.push_back(one.fact);
  return names;
}

TEST(Metadata, FactsOfLaunchesAreCollectedByName) {
  const Metadata metadata = metadata_of({});
  EXPECT_EQ(metadata.facts.at("kernel.release").text(), "6.1");
  EXPECT_EQ(metadata.facts.at("rank-to-core map").text(), "0:0 1:1");
  EXPECT_EQ(metadata.arms[0].variables.at("x").text(), "1");
  EXPECT_THAT(metadata.hosts, ElementsAre("node1"));
}

TEST(Metadata, UnreadableEnvironmentIsRefused) {
  Metadata metadata;
  ArmFacts arm;
  EXPECT_FALSE(add_environment("{\"hosts\": [", metadata, arm));
  EXPECT_FALSE(add_environment("[1, 2]", metadata, arm));
  EXPECT_EQ(metadata.launches, 0U);
}

TEST(Metadata, ShapesNobodyWritesAreReadAsTheyAre) {
  Metadata metadata;
  ArmFacts arm;
  EXPECT_TRUE(add_environment(
      R"({"library": 3, "hosts": [7, {"environment": 1, "mapped": {}}], "map": [1, {}],)"
      R"( "clock": null})",
      metadata, arm));
  EXPECT_TRUE(add_environment(R"({"library": {"variables": [1, {"name": 3}]}})", metadata, arm));
}

TEST(Metadata, SettlingIsToldAndIsNoDifference) {
  const auto settled = [](const std::string& calls, const std::string& at_rest) {
    Metadata metadata;
    metadata.arms.push_back({.library = "openmpi"});
    EXPECT_TRUE(add_environment(R"({"settling": [{"cell": 0, "calls": 10, "page_faults": 0,)"
                                R"( "duration_ns": 4000, "at_rest": true}, {"cell": 1, "calls": )" +
                                    calls + R"(, "page_faults": 260, "at_rest": )" + at_rest +
                                    "}]}",
                                metadata, metadata.arms[0]));
    return metadata;
  };
  const Metadata first = settled("80", "true");
  EXPECT_EQ(first.arms[0].facts.at("settling calls").text(), "10 to 80");
  EXPECT_EQ(first.arms[0].facts.at("settling page faults").text(), "0 to 260");
  EXPECT_EQ(first.arms[0].facts.at("settling ended by").text(), "rest");
  const Metadata second = settled("1000", "false");
  EXPECT_EQ(second.arms[0].facts.at("settling ended by").text(), "rest; the limit");
  EXPECT_THAT(compare_metadata(first, second), testing::IsEmpty());
  Metadata before;
  before.arms.push_back({.library = "openmpi"});
  EXPECT_TRUE(add_environment("{}", before, before.arms[0])) << "older launches do not tell";
  EXPECT_THAT(compare_metadata(before, second), testing::IsEmpty());
}

TEST(Values, EveryValueIsOneLineAndNeverEmpty) {
  const Metadata metadata = metadata_of({});
  EXPECT_EQ(metadata.facts.at("load.cpu_pressure").text(), "some; full");
  EXPECT_EQ(metadata.facts.at("isolated").text(), "(empty)");
}

TEST(Values, NumbersBecomeARangeUnlessTheyPrintTheSame) {
  Metadata metadata;
  ArmFacts arm;
  for (const char* step : {"20.029765", "20.029777", "20.030001"}) {
    ASSERT_TRUE(
        add_environment(R"({"clock": {"step_ns": )" + std::string(step) + "}}", metadata, arm));
  }
  EXPECT_EQ(metadata.facts.at("clock.step_ns").text(), "20.03");
  ASSERT_TRUE(add_environment(R"({"clock": {"step_ns": 1}})", metadata, arm));
  EXPECT_EQ(metadata.facts.at("clock.step_ns").text(), "1 to 20.03");
}

TEST(Values, IdentifiersAreNoNumbers) {
  Values values{.texts = {"671744", "671745000"}, .numeric = false};
  EXPECT_EQ(values.text(), "671744; 671745000");
  Metadata metadata;
  ArmFacts arm;
  ASSERT_TRUE(add_environment(R"({"bytes": 671744000})", metadata, arm));
  EXPECT_EQ(metadata.facts.at("bytes").text(), "671744000");
}

TEST(MetadataDifferences, WhatChangesByNatureIsNone) {
  EXPECT_THAT(
      compare_metadata(metadata_of({}), metadata_of({.environment = R"("OMPI_ARGV": "--launch y",
      "PMIX_RANK": "1", "OMPI_MCA_orte_hnp_uri": "800260096.0;tcp://192.0.2.2:39469")"})),
      IsEmpty());
}

TEST(MetadataDifferences, AreSortedByWhatTheyChange) {
  const auto differences = compare_metadata(
      metadata_of({}),
      metadata_of(
          {.kernel = "6.5", .governor = "powersave", .load = "7.5 1 1 1/1 1", .variable = "2"}));
  EXPECT_THAT(facts(differences), ElementsAre("openmpi: x", "processor.governors", "kernel.release",
                                              "load.last_minute", "boot_id"));
  EXPECT_EQ(differences_sentence(differences),
            "4 differences that matter: openmpi: x, processor.governors, kernel.release and "
            "load.last_minute");
}

TEST(MetadataDifferences, BootIsWorthKnowingAndDoesNotMatter) {
  const auto differences =
      compare_metadata(metadata_of({}), metadata_of({.load = "0.11 0 0 1/1 1"}));
  EXPECT_THAT(facts(differences), ElementsAre("boot_id"));
  EXPECT_EQ(differences_sentence(differences), "no difference that matters");
}

TEST(MetadataDifferences, FrequencyDiffersFromTwoPercentOn) {
  EXPECT_THAT(compare_metadata(metadata_of({}), metadata_of({.mhz = "2010"})), IsEmpty());
  EXPECT_THAT(facts(compare_metadata(metadata_of({}), metadata_of({.mhz = "2300"}))),
              ElementsAre("processor.mhz_min"));
}

TEST(MetadataDifferences, WhatEarlierVersionsDidNotRecordIsNone) {
  const Metadata earlier = metadata_of({});
  Metadata now = metadata_of({});
  now.arms[0].facts["chosen pml"].texts = {"ob1"};
  now.facts["set outside UCX_TLS"].texts = {"rc,self"};
  now.tells_variables = true;
  EXPECT_THAT(compare_metadata(earlier, now), IsEmpty());
  EXPECT_THAT(compare_metadata(now, earlier), IsEmpty());
  Metadata other = now;
  other.arms[0].facts["chosen pml"].texts = {"ucx"};
  other.facts["set outside UCX_TLS"].texts = {"tcp,self"};
  EXPECT_THAT(facts(compare_metadata(now, other)),
              ElementsAre("openmpi: chosen pml", "set outside UCX_TLS"));
  other.facts.erase("set outside UCX_TLS");
  EXPECT_THAT(facts(compare_metadata(now, other)),
              ElementsAre("openmpi: chosen pml", "set outside UCX_TLS"))
      << "both would have told it";
}

// env.json has a level only where it is not what it was before there was the key.
TEST(MetadataDifferences, HowRanksWaitConnectAndCommunicateIsOne) {
  Metadata world = metadata_of({});
  Metadata split = metadata_of({});
  const std::string levels = R"({"connect": "auto", "progress": )";
  ASSERT_TRUE(
      add_environment(levels + R"("none", "communicator": "world"})", world, world.arms[0]));
  ASSERT_TRUE(add_environment(levels + R"("probe"})", split, split.arms[0]));
  const auto differences = compare_metadata(world, split);
  EXPECT_THAT(facts(differences), ElementsAre("communicator", "progress"));
  EXPECT_EQ(differences_sentence(differences),
            "2 differences that matter: communicator and progress");
  EXPECT_THAT(facts(compare_metadata(split, metadata_of({}))), ElementsAre("connect", "progress"));
}

TEST(MetadataDifferences, ControlVariablesThatChangeByThemselvesAreNone) {
  const Metadata first = metadata_of({});
  Metadata second = metadata_of({.variable = "2"});
  EXPECT_THAT(facts(compare_metadata(first, second)), ElementsAre("openmpi: x"));
  second.arms[0].variables["x"].texts.insert("3");
  EXPECT_THAT(compare_metadata(first, second), IsEmpty());
  EXPECT_THAT(compare_metadata(second, first), IsEmpty());
}

TEST(MetadataDifferences, LabelsDoNotMatter) {
  EXPECT_THAT(compare_metadata(metadata_of({}, "a"), metadata_of({}, "openmpi#2")), IsEmpty());
}

TEST(MetadataDifferences, AnArmOfOneSideIsOneLine) {
  Metadata second = metadata_of({});
  second.arms.push_back({.library = "mpich", .labels = {"m"}});
  add_environment(env_json({}, host({})), second, second.arms[1]);
  const auto differences = compare_metadata(metadata_of({}), second);
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_EQ(differences[0].text(), "mpich (no such arm) against labelled m: only in the second");
}

TEST(MetadataDifferences, OneArmOfALibraryEachIsMatchedThoughSettingsDiffer) {
  Metadata second = metadata_of({.environment = R"("OMPI_MCA_coll": "basic")"});
  second.arms[0].settings = {{"OMPI_MCA_coll", "basic"}};
  const auto differences = compare_metadata(metadata_of({}), second);
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_EQ(differences[0].text(), "openmpi: settings (none) against OMPI_MCA_coll=basic");
}

TEST(MetadataDifferences, AnotherFileOfTheLibraryComesFirstAndOthersAreCounted) {
  Metadata first = metadata_of({});
  Metadata second = metadata_of({.kernel = "6.5"});
  first.arms[0].files = {{"a.so", {"1"}}, {"libmpi.so.40", {"2"}}, {"z.so", {"3"}}};
  second.arms[0].files = {{"a.so", {"9"}}, {"libmpi.so.40", {"8"}}, {"z.so", {"3"}}};
  const auto differences = compare_metadata(first, second);
  EXPECT_THAT(facts(differences), ElementsAre("openmpi: libmpi.so.40", "kernel.release"));
  EXPECT_EQ(differences[0].text(),
            "openmpi: libmpi.so.40 2 against 8: another file, as 1 more of the library");
}

TEST(MetadataDifferences, CanariesThatAreFarApartAreAnotherRegime) {
  Metadata first = metadata_of({});
  Metadata second = metadata_of({});
  first.canary = Canary{.median_ns = 501, .low_ns = 491, .high_ns = 531};
  second.canary = Canary{.median_ns = 480, .low_ns = 470, .high_ns = 500};
  EXPECT_THAT(compare_metadata(first, second), IsEmpty());
  second.canary = Canary{.median_ns = 140, .low_ns = 130, .high_ns = 152};
  const auto differences = compare_metadata(first, second);
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_EQ(differences[0].text(),
            "canary 501 ns [491, 531] against 140 ns [130, 152]: another regime");
}

TEST(Hosts, ThatAreNotAlikeAreNamed) {
  Metadata metadata;
  ArmFacts arm;
  const std::string hosts = host({}, "node1") + "," + host({.kernel = "6.5"}, "node2");
  ASSERT_TRUE(add_environment(env_json({}, hosts), metadata, arm));
  EXPECT_THAT(metadata.host_differences, ElementsAre("kernel.release: node1 6.1, node2 6.5"));
}

TEST(Hosts, ThatDifferByNatureAreAlike) {
  Metadata metadata;
  ArmFacts arm;
  const std::string hosts =
      host({}, "node1") + "," + host({.load = "9 9 9 1/1 1", .mhz = "2001"}, "node2");
  ASSERT_TRUE(add_environment(env_json({}, hosts), metadata, arm));
  EXPECT_THAT(metadata.host_differences, IsEmpty());
}

TEST(Metadata, WhatTwoRanksOfOneHostChoseIsCalledThatWhereThereAreSeveral) {
  store::Data data;
  data.arms = {{.label = "a", .library = "openmpi", .components = {{"pml", "ob1"}}}};
  data.hosts = {"node1"};
  const auto is_told = [&](const std::string& fact) {
    return read_metadata(data).arms.at(0).facts.contains(fact);
  };
  EXPECT_TRUE(is_told("chosen pml"));
  data.hosts.emplace_back("node2");
  EXPECT_FALSE(is_told("chosen pml"));
  EXPECT_TRUE(is_told("chosen pml by 2 ranks of 1 host"));
}

}  // namespace
}  // namespace invar::analysis
