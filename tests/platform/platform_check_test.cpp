#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "platform/inversion.hpp"
#include "platform/planted_model.hpp"
#include "platform/platform_text.hpp"
#include "platform/property_number.hpp"
#include "platform/simgrid_property.hpp"
#include "platform/simgrid_xml.hpp"

namespace invar::platform {
namespace {

using test::faults_of;
using test::planted_model;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> property_faults(const std::vector<SimgridProperty>& properties) {
  base::Faults faults;
  check_properties(properties, "", faults);
  if (faults.empty()) return {};
  return faults_of([&] { faults.throw_if_any(); });
}

std::vector<std::string> property_fault(const std::string& name, const std::string& value) {
  return property_faults({{.name = name, .value = value}});
}

// Each was given to smpirun 3.32: it aborts, or takes another value without a word.
TEST(PlatformCheck, OverheadsThatSmpirunMisreadsAreNamed) {
  EXPECT_THAT(property_fault("smpi/os", "0:1e-06:2e-10;1420:2.5e-06:1e-10"), IsEmpty());
  EXPECT_THAT(
      property_fault("smpi/os", "0:1e-6:0;1.5e3:9e-6:0;2147483648:1e-6:0"),
      ElementsAre("smpi/os, section 2: its boundary '1.5e3' is not a whole number below 2^31 in "
                  "digits alone; smpirun stops reading at the first letter, or aborts",
                  "smpi/os, section 3: its boundary '2147483648' is not a whole number below "
                  "2^31 in digits alone; smpirun stops reading at the first letter, or "
                  "aborts"));
  EXPECT_THAT(
      property_fault("smpi/ois", "0:1e-6"),
      ElementsAre("smpi/ois, section 1: has 1 value behind its boundary, not 2; write it as "
                  "in 0:1e-06:2e-10;1420:2.5e-06:1e-10"));
  EXPECT_THAT(property_fault("smpi/or", "0:1e-6:0:7"), ElementsAre(HasSubstr("has 3 values")));
  EXPECT_THAT(
      property_fault("smpi/or", "0:1e-6:-1e-9"),
      ElementsAre("smpi/or, section 1: is -2.147482647 s at 2147483647 bytes; smpirun takes "
                  "a negative overhead for none without a word"));
  EXPECT_THAT(property_fault("smpi/or", "0:-1e-6:1e-9;1000:1e-6:0"),
              ElementsAre(HasSubstr("section 1: is -1e-06 s at 0 bytes")));
  EXPECT_THAT(property_fault("smpi/os", "0:nan:0"),
              ElementsAre(HasSubstr("'nan' is not a number")));
  EXPECT_THAT(property_fault("smpi/os", "0:1e-310:0"), ElementsAre(HasSubstr("is not a number")));
  EXPECT_THAT(property_fault("smpi/os", "0:1,5e-6:0"),
              ElementsAre(HasSubstr("',5e-6' is not a unit of time")));
  EXPECT_THAT(property_fault("smpi/os", "100:1e-6:0"),
              ElementsAre(HasSubstr("section 1: begins above 100 bytes; begin with 0: the first "
                                    "section is taken there, too")));
  EXPECT_THAT(property_fault("smpi/os", "-5:1e-6:0"), ElementsAre(HasSubstr("boundary '-5'")));
  EXPECT_THAT(property_fault("smpi/os", ""), ElementsAre(HasSubstr("has no section")));
  EXPECT_THAT(property_fault("smpi/os", "0:1us:0.2ns; 100:2us:0"), IsEmpty());
}

TEST(PlatformCheck, FactorsThatSmpirunMisreadsAreNamed) {
  EXPECT_THAT(property_fault("smpi/bw-factor", "0:0.4;1420:0.5;33000:1.2"), IsEmpty());
  EXPECT_THAT(property_fault("smpi/bw-factor", "0:0;100:-0.5"),
              ElementsAre("smpi/bw-factor, section 1: its factor is 0; smpirun aborts on bandwidth "
                          "factors that are not above 0",
                          "smpi/bw-factor, section 2: its factor is -0.5; smpirun aborts on "
                          "bandwidth factors that are not above 0"));
  EXPECT_THAT(
      property_fault("smpi/lat-factor", "0:0;100:-0.5"),
      ElementsAre("smpi/lat-factor, section 2: its factor is -0.5; smpirun takes a negative "
                  "latency factor for 0 without a word"));
  EXPECT_THAT(property_fault("smpi/bw-factor", "0:0.5;1000:0.25;1000:0.125;500:1"),
              ElementsAre(HasSubstr("section 3: begins above 1000 bytes, the section before it "
                                    "above 1000"),
                          HasSubstr("section 4: begins above 500 bytes")));
  EXPECT_THAT(property_fault("smpi/bw-factor", "100:0.5"),
              ElementsAre(HasSubstr("the factor is 1 there")));
}

TEST(PlatformCheck, ThresholdsAreCompared) {
  const auto both = [](const char* async, const char* detached) {
    return property_faults({{.name = "smpi/async-small-thresh", .value = async},
                            {.name = "smpi/send-is-detached-thresh", .value = detached}});
  };
  EXPECT_THAT(both("4096", "4096"), IsEmpty());
  EXPECT_THAT(both("4097", "4096"),
              ElementsAre("smpi/async-small-thresh: 4097 is above smpi/send-is-detached-thresh, "
                          "4096; smpirun aborts: make it that at most"));
  EXPECT_THAT(both("4096.0", "010"),
              ElementsAre(HasSubstr("'4096.0' is not a whole number"), HasSubstr("octal")));
  // smpirun's own is 65536.
  EXPECT_THAT(property_fault("smpi/async-small-thresh", "65537"),
              ElementsAre(HasSubstr("is above smpi/send-is-detached-thresh, 65536")));
}

TEST(PlatformCheck, CostsWordsAndUnitsAreChecked) {
  EXPECT_THAT(property_fault("smpi/wtime", "0"),
              ElementsAre("smpi/wtime: is 0; a program that waits by looking at the clock never "
                          "ends where looking takes no time"));
  EXPECT_THAT(property_fault("smpi/wtime", "10ns"),
              ElementsAre(HasSubstr("'10ns' is not a number without a unit")));
  EXPECT_THAT(property_fault("smpi/test", "-1"), ElementsAre("smpi/test: is -1; it is 0 or more"));
  EXPECT_THAT(property_fault("smpi/iprobe", "0"), IsEmpty());
  EXPECT_THAT(property_fault("smpi/coll-selector", "openmpi"),
              ElementsAre("smpi/coll-selector: 'openmpi' is no such word: smpirun aborts; known: "
                          "default, ompi, mpich, mvapich2, impi, automatic"));
  EXPECT_THAT(property_fault("cluster bw", "10Gb/s"),
              ElementsAre(HasSubstr("'Gb/s' is not a unit of bandwidth")));
  EXPECT_THAT(property_fault("cluster lat", "5Us"), ElementsAre(HasSubstr("not a unit of time")));
  EXPECT_THAT(property_fault("cluster bb_bw", "0Bps"),
              ElementsAre("cluster bb_bw: is 0; it is above 0"));
  EXPECT_THAT(property_fault("smpi/unheard-of", "?"), IsEmpty());
  EXPECT_THAT(property_faults({{.name = "smpi/wtime", .value = "1e-8"},
                               {.name = "smpi/wtime", .value = "1e-7"}}),
              ElementsAre("smpi/wtime: is given twice; smpirun takes one of them: give one"));
}

TEST(PlatformCheck, UnitsAreWhatSimGridTakesThemFor) {
  EXPECT_DOUBLE_EQ(property_bandwidth_bps("10Gbps").value.value(), 1.25e9);
  EXPECT_DOUBLE_EQ(property_bandwidth_bps("1KiBps").value.value(), 1024);
  EXPECT_DOUBLE_EQ(property_bandwidth_bps("1e3").value.value(), 1000);
  EXPECT_DOUBLE_EQ(property_time_s("5us").value.value(), 5e-6);
  EXPECT_DOUBLE_EQ(property_time_s("2m").value.value(), 120);
  EXPECT_FALSE(property_bandwidth_bps("1gbps").value);
}

TEST(PlatformCheck, NothingIsWrittenThatSmpirunMisreads) {
  SimgridPlatform platform = invert(planted_model()).platform;
  platform.bandwidth_factor[1].factor = -0.5;
  platform.async_bytes = 100000;
  platform.send[0].intercept_s = -1;
  platform.receive.clear();
  EXPECT_THAT(
      faults_of([&] { simgrid_xml(platform, {.nodes = 0, .cores = 0}, {}); }),
      ElementsAre(HasSubstr("smpi/os, section 1: is -1 s"), HasSubstr("smpi/or: has no section"),
                  HasSubstr("smpi/bw-factor, section 2"),
                  HasSubstr("smpi/async-small-thresh: 100000 is above"),
                  HasSubstr("cluster nodes: is 0"), HasSubstr("cluster core: is 0")));
}

TEST(PlatformText, FaultsHaveTheirPlaceInTheFile) {
  const std::string xml =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<!-- <prop id='smpi/os' value='nothing'/> -->\n"
      "<platform version=\"4.1\">\n"
      "  <config id=\"General\">\n"
      "    <prop id=\"smpi/os\" value=\"0:1e-06\"/>\n"
      "    <prop value='0:0'\n"
      "          id='smpi/bw-factor'/>\n"
      "  </config>\n"
      "  <zone id=\"world\" routing=\"Full\"><cluster id=\"c\" bw=\"1GB\" lat=\"5us\"/></zone>\n"
      "</platform>\n";
  EXPECT_THAT(faults_of([&] { check_platform_text(xml, "p.xml"); }),
              ElementsAre(HasSubstr("p.xml:6:31: smpi/os, section 1: has 1 value"),
                          HasSubstr("p.xml:7:18: smpi/bw-factor, section 1: its factor is 0"),
                          HasSubstr("p.xml:10:55: cluster bw: '1GB'")));
}

TEST(PlatformText, ConfigBehindTheZoneIsRefused) {
  const std::string xml =
      "<platform version=\"4.1\">\n<zone id=\"w\" routing=\"Full\"></zone>\n<config "
      "id=\"G\"/></platform>";
  EXPECT_THAT(faults_of([&] { check_platform_text(xml, "p.xml"); }),
              ElementsAre("p.xml:3:1: <config> stands behind the first element of the platform; "
                          "smpirun refuses that: put it in front of the zone"));
}

TEST(PlatformText, WhatIsNoXmlIsRefusedWithItsPlace) {
  const auto fault = [](const std::string& xml) {
    return faults_of([&] { check_platform_text(xml, "p.xml"); });
  };
  EXPECT_THAT(fault("<a\n  b=c/>"), ElementsAre("p.xml:2:3: the attribute's value is not quoted"));
  EXPECT_THAT(fault("<a b='c"), ElementsAre("p.xml:1:4: the attribute's value never ends"));
  EXPECT_THAT(fault("<a b"), ElementsAre(HasSubstr("p.xml:1:4: this is not an attribute")));
  EXPECT_THAT(fault("\n<!-- a"), ElementsAre("p.xml:2:1: a comment never ends"));
  EXPECT_THAT(fault("<a"), ElementsAre("p.xml:1:1: a tag never ends"));
  EXPECT_THAT(fault("< a/>"), ElementsAre("p.xml:1:1: a tag has no name"));
}

TEST(SimgridXml, SaysInTextWhatThePlatformIs) {
  const SimgridPlatform platform = invert(planted_model()).platform;
  const ClusterShape shape{.nodes = 4, .cores = 2};
  const std::vector<std::string> comments{"a -- b --> c\n<x", "ends with -"};
  const std::string xml = simgrid_xml(platform, shape, comments);
  EXPECT_THAT(xml, HasSubstr("<!-- a - - b - -> c?<x -->\n<!-- ends with -  -->\n<platform"));
  EXPECT_THAT(xml, HasSubstr("<prop id=\"smpi/os\" value=\"0:8e-07:2.5e-10;3000:"));
  EXPECT_THAT(xml, HasSubstr("<prop id=\"smpi/send-is-detached-thresh\" value=\"65537\"/>"));
  EXPECT_THAT(xml, HasSubstr("radical=\"0-3\""));
  EXPECT_THAT(xml, HasSubstr("bb_sharing_policy=\"FATPIPE\""));
  EXPECT_LT(xml.find("</config>"), xml.find("<zone"));
  // Read again: the same properties, and no fault.
  std::vector<SimgridProperty> read = platform_properties(xml, "p.xml");
  for (const SimgridProperty& property : properties_of(platform, shape)) {
    if (property.name == "cluster nodes") continue;
    const auto same = std::ranges::find_if(read, [&](const SimgridProperty& other) {
      return other.name == property.name && other.value == property.value;
    });
    EXPECT_NE(same, read.end()) << property.name;
  }
  EXPECT_NO_THROW(check_platform_text(xml, "p.xml"));
}

TEST(SimgridXml, InsideAHostTheMemoryIsShared) {
  PlatformModel model = planted_model();
  model.pairs_are = PairsAre::kInsideHost;
  const std::string xml = simgrid_xml(invert(model).platform, {.nodes = 4}, {});
  EXPECT_THAT(xml, HasSubstr("\n             bw=\"1.125e+09Bps\""));
  EXPECT_THAT(xml, HasSubstr("bb_bw=\"1.25e+09Bps\""));
  EXPECT_THAT(xml, HasSubstr("bb_sharing_policy=\"SHARED\""));
}

TEST(SimgridXml, ClusterAloneHasSimGridsUsualParameters) {
  const std::string xml =
      simgrid_xml(invert(planted_model()).platform, {}, {}, XmlSays::kClusterAlone);
  EXPECT_THAT(xml, testing::Not(HasSubstr("<prop")));
  EXPECT_THAT(xml, testing::Not(HasSubstr("config")));
  EXPECT_THAT(xml, HasSubstr(" bw=\"1.25e+09Bps\""));
}

TEST(SimgridXml, HostfileHasEveryNodeAsOftenAsItHasCores) {
  EXPECT_EQ(hostfile_text({.nodes = 2, .cores = 2}), "node-0\nnode-0\nnode-1\nnode-1\n");
}

}  // namespace
}  // namespace invar::platform
