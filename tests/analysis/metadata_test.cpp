#include "launch/metadata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Metadata of(const std::string& kernel, const std::string& governor, const std::string& load,
            const std::string& mhz = "2000") {
  Metadata metadata;
  const std::string json =
      R"({"group": 3, "library": {"version": "V", "variables": [{"name": "x", "value": "1"}]},)"
      R"("map": [{"rank": 0, "cpu": 0}, {"rank": 1, "cpu": 1}], "hosts": [{"boot_id": "b",)"
      R"("kernel": {"release": ")" +
      kernel + R"("}, "processor": {"governors": ")" + governor + R"(", "mhz_min": )" + mhz +
      R"(}, "load": {"average": ")" + load + R"("}}]})";
  EXPECT_TRUE(add_environment(json, "openmpi", metadata));
  return metadata;
}

std::vector<std::string> facts(const std::vector<MetadataDifference>& differences) {
  std::vector<std::string> names;
  for (const MetadataDifference& one : differences) names.push_back(one.fact);
  return names;
}

TEST(Metadata, FactsOfLaunchesAreCollectedByName) {
  const Metadata metadata = of("6.1", "performance", "0.1");
  EXPECT_THAT(metadata.facts.at("kernel.release"), ElementsAre("6.1"));
  EXPECT_THAT(metadata.facts.at("arm openmpi: variable x"), ElementsAre("1"));
  EXPECT_THAT(metadata.facts.at("rank-to-core map"), ElementsAre("0:0 1:1"));
}

TEST(Metadata, WhatChangesByNatureIsNoDifference) {
  EXPECT_THAT(compare_metadata(of("6.1", "performance", "0.1"), of("6.1", "performance", "7.9")),
              IsEmpty());
}

TEST(Metadata, ImportantDifferencesComeFirst) {
  EXPECT_THAT(facts(compare_metadata(of("6.1", "performance", "0"), of("6.5", "powersave", "0"))),
              ElementsAre("processor.governors", "kernel.release"));
}

TEST(Metadata, MeasuredFrequencyDiffersFromTwoPercentOn) {
  EXPECT_THAT(compare_metadata(of("6", "p", "0", "2000"), of("6", "p", "0", "2010")), IsEmpty());
  EXPECT_THAT(facts(compare_metadata(of("6", "p", "0", "2000"), of("6", "p", "0", "2300"))),
              ElementsAre("processor.mhz_min"));
}

TEST(Metadata, UnreadableEnvironmentIsRefused) {
  Metadata metadata;
  EXPECT_FALSE(add_environment("{\"hosts\": [", "openmpi", metadata));
  EXPECT_EQ(metadata.launches, 0U);
}

TEST(Metadata, ManyNumbersBecomeARange) {
  EXPECT_EQ(values_text({"1.5", "3", "2"}), "1.5 to 3 (3 values)");
  EXPECT_EQ(values_text({"a"}), "a");
  EXPECT_EQ(values_text({}), "(absent)");
}

}  // namespace
}  // namespace invar::launch
