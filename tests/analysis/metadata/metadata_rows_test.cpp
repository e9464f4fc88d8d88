// Metadata of several campaigns side by side: everything, what differs marked.
#include "analysis/metadata/metadata_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar::analysis {
namespace {

using testing::ElementsAre;
using testing::Optional;

Values text(const std::string& value) {
  Values values;
  values.texts.insert(value);
  values.numeric = false;
  return values;
}

Values number(double value) {
  Values values;
  values.texts.insert(std::to_string(value));
  values.numbers = {value};
  return values;
}

Metadata machine(const std::string& kernel, double mhz) {
  Metadata metadata{.name = "om", .scope = "2 ranks, 1 host", .sessions = {"s"}};
  metadata.facts["kernel.release"] = text(kernel);
  metadata.facts["kernel.thp"] = text("always");
  metadata.facts["processor.mhz_max"] = number(mhz);
  metadata.facts["uptime_s"] = number(mhz);
  metadata.facts["host_name"] = text("node" + kernel);
  metadata.arms.push_back({.library = "openmpi", .labels = {"openmpi"}});
  metadata.arms[0].facts["version"] = text("4.1.4");
  metadata.arms[0].files["libmpi.so"] = {"aaaa"};
  metadata.arms[0].variables["btl_base_verbose"] = text("0");
  return metadata;
}

const MetadataRow& row(const std::vector<MetadataRow>& rows, const std::string& key) {
  for (const MetadataRow& one : rows) {
    if (one.key == key) return one;
  }
  ADD_FAILURE() << "no row " << key;
  return rows.front();
}

TEST(MetadataRows, OneCampaignHasEverythingAndNoDifference) {
  const std::vector<Metadata> campaigns{machine("6.1", 2000)};
  const std::vector<MetadataRow> rows = metadata_rows(campaigns);
  EXPECT_THAT(row(rows, "version").values, ElementsAre(Optional(std::string("4.1.4"))));
  EXPECT_THAT(row(rows, "file libmpi.so").values, ElementsAre(Optional(std::string("aaaa"))));
  EXPECT_THAT(row(rows, "variable btl_base_verbose").values,
              ElementsAre(Optional(std::string("0"))));
  EXPECT_EQ(row(rows, "kernel.release").group, "kernel and clock");
  for (const MetadataRow& one : rows) EXPECT_FALSE(one.differs) << one.key;
}

TEST(MetadataRows, LibrariesComeFirstAndWithinAGroupWhatDiffersAndMatters) {
  const std::vector<Metadata> campaigns{machine("6.1", 2000), machine("6.5", 2000)};
  const std::vector<MetadataRow> rows = metadata_rows(campaigns);
  EXPECT_EQ(rows.front().group, "library openmpi");
  EXPECT_EQ(rows.back().group, "changes by nature");
  std::vector<std::string> kernel;
  for (const MetadataRow& one : rows) {
    if (one.group == "kernel and clock") kernel.push_back(one.key);
  }
  EXPECT_THAT(kernel, ElementsAre("kernel.release", "kernel.thp"));
  EXPECT_TRUE(row(rows, "kernel.release").differs);
  EXPECT_TRUE(row(rows, "kernel.release").matters);
  EXPECT_THAT(row(rows, "kernel.release").values,
              ElementsAre(Optional(std::string("6.1")), Optional(std::string("6.5"))));
  EXPECT_TRUE(row(rows, "host_name").differs);
  EXPECT_FALSE(row(rows, "host_name").matters);
}

TEST(MetadataRows, MeasuredFactsDifferFromAToleranceOn) {
  const std::vector<Metadata> alike{machine("6.1", 2000), machine("6.1", 2010)};
  EXPECT_FALSE(row(metadata_rows(alike), "processor.mhz_max").differs);
  const std::vector<Metadata> apart{machine("6.1", 2000), machine("6.1", 2010),
                                    machine("6.1", 2600)};
  EXPECT_TRUE(row(metadata_rows(apart), "processor.mhz_max").differs);
  // What changes from launch to launch by nature differs always and says nothing.
  EXPECT_FALSE(row(metadata_rows(apart), "uptime_s").differs);
}

TEST(MetadataRows, WhatOneCampaignLacksIsMissingThere) {
  std::vector<Metadata> campaigns{machine("6.1", 2000), machine("6.1", 2000)};
  campaigns[1].arms[0].settings = {{"OMPI_MCA_btl", "self"}};
  campaigns[1].facts.erase("kernel.thp");
  const std::vector<MetadataRow> rows = metadata_rows(campaigns);
  EXPECT_THAT(row(rows, "kernel.thp").values,
              ElementsAre(Optional(std::string("always")), std::nullopt));
  EXPECT_TRUE(row(rows, "kernel.thp").differs);
  std::set<std::string> libraries;
  for (const MetadataRow& one : rows) {
    if (one.group.starts_with("library")) libraries.insert(one.group);
  }
  EXPECT_THAT(libraries, ElementsAre("library openmpi", "library openmpi with OMPI_MCA_btl=self"));
}

TEST(MetadataRows, CanariesDifferFromAnotherRegimeOn) {
  std::vector<Metadata> campaigns{machine("6.1", 2000), machine("6.1", 2000)};
  campaigns[0].canary = Canary{.median_ns = 500, .low_ns = 490, .high_ns = 530};
  campaigns[1].canary = Canary{.median_ns = 480, .low_ns = 470, .high_ns = 500};
  EXPECT_FALSE(row(metadata_rows(campaigns), "canary, median [5 %, 95 %]").differs);
  campaigns[1].canary->median_ns = 140;
  EXPECT_TRUE(row(metadata_rows(campaigns), "canary, median [5 %, 95 %]").differs);
}

TEST(MetadataRows, NoCampaignHasNone) { EXPECT_TRUE(metadata_rows({}).empty()); }

}  // namespace
}  // namespace invar::analysis
