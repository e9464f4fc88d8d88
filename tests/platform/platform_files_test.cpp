#include "platform/platform_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "platform/planted_model.hpp"
#include "platform/platform_text.hpp"

namespace invar::platform {
namespace {

using test::planted_model;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string& text_of(const PlatformFiles& files, const std::string& name) {
  return std::ranges::find(files.files, name, &NamedText::name)->text;
}

TEST(PlatformFiles, AreXmlSourceAndHosts) {
  const PlatformFiles made =
      platform_files({.about = {"of a test"}, .model = planted_model(), .ranks = 3});
  std::vector<std::string> names;
  for (const NamedText& file : made.files) names.push_back(file.name);
  EXPECT_THAT(names, testing::ElementsAre("platform.xml", "platform.hosts", "platform.cpp",
                                          "platform.cpp.hosts"));
  EXPECT_EQ(text_of(made, "platform.hosts"), "node-0\nnode-1\nnode-2\n");
  const std::string& xml = text_of(made, "platform.xml");
  EXPECT_THAT(xml, AllOf(HasSubstr("<!-- of a test -->"), HasSubstr("radical=\"0-2\""),
                         HasSubstr("-platform platform.xml -hostfile platform.hosts")));
  // smpicxx would compile a .c file as C++.
  EXPECT_THAT(xml, AllOf(HasSubstr("in C are compiled by smpicc -fno-gnu-unique -O2"),
                         HasSubstr("in C++ by smpicxx")));
  EXPECT_NO_THROW(check_platform_text(xml, "platform.xml"));
}

TEST(PlatformFiles, SayWhatIsUnmeasuredAndClipped) {
  PlatformModel model = planted_model();
  model.shared_bandwidth_gb_s.reset();
  model.receive[0].slope_ns = 6;
  const PlatformFiles made = platform_files({.model = model});
  EXPECT_THAT(made.remarks, Contains(HasSubstr("what several pairs reach together was not")));
  EXPECT_THAT(made.remarks, Contains(HasSubstr("clipped: ")));
  EXPECT_THAT(made.remarks, Contains(HasSubstr("pairs inside a host were not measured")));
  for (const char* name : {"platform.xml", "platform.cpp"}) {
    EXPECT_THAT(text_of(made, name), AllOf(HasSubstr("what several pairs reach together was not"),
                                           HasSubstr("clipped: ")))
        << name;
  }
}

TEST(PlatformFiles, OfTwoClassesHaveBothInTheSource) {
  PlatformModel inside = planted_model();
  inside.pairs_are = PairsAre::kInsideHost;
  inside.latency_ns = 123;
  const PlatformFiles made =
      platform_files({.stem = "both", .model = planted_model(), .other = inside, .ranks = 2});
  EXPECT_THAT(made.remarks, Not(Contains(HasSubstr("were not measured: it "))));
  EXPECT_THAT(text_of(made, "both.cpp"), AllOf(HasSubstr("1.23e-07"), HasSubstr("1e-05")));
  // Two hosts, so that there are pairs of either kind.
  EXPECT_EQ(text_of(made, "both.cpp.hosts"), "node-0\nnode-0\nnode-1\nnode-1\n");
}

TEST(PlatformFiles, SayHowTheyAreCompiledAndRunByTheirOwnNames) {
  PlatformModel inside = planted_model();
  inside.pairs_are = PairsAre::kInsideHost;
  const PlatformFiles made = platform_files(
      {.stem = "platform-mine", .model = planted_model(), .other = inside, .ranks = 2});
  EXPECT_THAT(text_of(made, "platform-mine.cpp"),
              AllOf(HasSubstr("\n// g++ -std=c++17 -O2 -fPIC -shared -o libplatform-mine.so "
                              "platform-mine.cpp -lsimgrid\n"),
                    HasSubstr("\n// smpirun -np 4 -platform ./libplatform-mine.so -hostfile "
                              "platform-mine.cpp.hosts --cfg=surf/precision:1e-12 "
                              "--cfg=smpi/simulate-computation:no PROGRAM\n")));
  // Two hyphens may not stand in XML's comments.
  EXPECT_THAT(text_of(made, "platform-mine.xml"),
              HasSubstr("smpirun -np 2 -platform platform-mine.xml -hostfile platform-mine.hosts "
                        "- -cfg=surf/precision:1e-12 - -cfg=smpi/simulate-computation:no PROGRAM"));
}

TEST(PlatformFiles, AreNoneOfAModelThatNobodyCouldRead) {
  PlatformModel model = planted_model();
  model.isend.clear();
  EXPECT_THROW(platform_files({.model = model}), base::UserError);
}

TEST(PlatformsForComparison, HaveTheClusterAloneOrTheUsualFormulas) {
  const std::string defaults = defaults_xml(planted_model(), 4);
  EXPECT_THAT(defaults, AllOf(HasSubstr("radical=\"0-3\""), Not(HasSubstr("smpi/"))));
  EXPECT_THAT(usual_xml(planted_model(), 4), HasSubstr("smpi/bw-factor"));
  PlatformModel negative = planted_model();
  negative.receive[0].slope_ns = 6;
  EXPECT_THROW(usual_xml(negative, 4), base::UserError);
}

}  // namespace
}  // namespace invar::platform
