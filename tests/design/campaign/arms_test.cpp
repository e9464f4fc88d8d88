#include "design/campaign/arms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using test::faults_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<std::string> faults(const std::string& text) {
  return faults_of([&] { (void)parse_arm(text, "ARM"); });
}

TEST(ParseArm, LibraryAloneHasNoLabelYet) {
  const Arm arm = parse_arm("openmpi", "ARM");
  EXPECT_EQ(arm.library, "openmpi");
  EXPECT_EQ(arm.label, "");
  EXPECT_TRUE(arm.settings.empty());
}

TEST(ParseArm, LabelStandsInFrontAndSettingsBehind) {
  const Arm arm = parse_arm("slow=openmpi:OMPI_MCA_a=1,env:B=x=y", "ARM");
  EXPECT_EQ(arm.label, "slow");
  EXPECT_EQ(arm.library, "openmpi");
  EXPECT_THAT(arm.settings, ElementsAre(Pair("OMPI_MCA_a", "1"), Pair("env:B", "x=y")));
}

TEST(ParseArm, CommaAndBackslashInAValueAreEscaped) {
  const Arm arm = parse_arm(R"(openmpi:OMPI_MCA_btl=self\,vader,UCX_X=a\\b)", "ARM");
  EXPECT_THAT(arm.settings, ElementsAre(Pair("OMPI_MCA_btl", "self,vader"), Pair("UCX_X", "a\\b")));
}

TEST(ParseArm, ValueMayBeEmptyOrHaveColons) {
  EXPECT_THAT(parse_arm("a:UCX_X=,FI_Y=x:y", "ARM").settings,
              ElementsAre(Pair("UCX_X", ""), Pair("FI_Y", "x:y")));
}

TEST(ParseArm, MalformedArmsAreRefusedWithAllFaults) {
  EXPECT_THAT(faults(""), ElementsAre("ARM: arm '': the library is empty; give it a name"));
  EXPECT_THAT(faults("=openmpi"), ElementsAre(HasSubstr("the label is empty")));
  EXPECT_THAT(faults("a="), ElementsAre(HasSubstr("the library is empty")));
  EXPECT_THAT(faults("a/b"), ElementsAre(HasSubstr("library 'a/b' is not a name")));
  EXPECT_THAT(faults("-o"), ElementsAre(HasSubstr("library '-o' is not a name")));
  EXPECT_THAT(faults(std::string(65, 'a')), ElementsAre(HasSubstr("longer than 64 characters")));
  EXPECT_THAT(faults("openmpi:"), ElementsAre(HasSubstr("setting '' has no value")));
  EXPECT_THAT(faults("openmpi:OMPI_MCA_a"),
              ElementsAre("ARM: arm 'openmpi:OMPI_MCA_a': setting 'OMPI_MCA_a' has no value; write "
                          "KEY=VALUE"));
  EXPECT_THAT(faults("openmpi:OMPI_MCA_btl=self,vader"),
              ElementsAre(HasSubstr(R"('vader' has no value; write KEY=VALUE; a comma in a value )"
                                    R"(is written \,)")));
  EXPECT_THAT(faults("openmpi:UCX_A=1,UCX_A=2"), ElementsAre(HasSubstr("'UCX_A' stands twice")));
  EXPECT_THAT(faults("openmpi:UCX_A=x\\"),
              ElementsAre(HasSubstr("backslash that escapes nothing")));
  EXPECT_THAT(faults("openmpi:UCX_A=\\x"),
              ElementsAre(HasSubstr("backslash that escapes nothing")));
  EXPECT_THAT(faults("a,b=c d:X=1,1=2"),
              ElementsAre(HasSubstr("label 'a,b'"), HasSubstr("library 'c d'"),
                          HasSubstr("setting 'X' is not a variable of an MPI library"),
                          HasSubstr("setting '1' is not the name of an environment variable")));
}

TEST(SettingComplaint, VariablesOfLibrariesAndTransportsAreKnown) {
  for (const char* key :
       {"OMPI_MCA_btl", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "UCX_TLS", "FI_PROVIDER",
        "I_MPI_ADJUST_BCAST", "PMIX_MCA_x", "PRTE_MCA_y", "env:PATH", "env:OMPI_MCA_btl"}) {
    EXPECT_FALSE(setting_complaint(key, "1")) << key;
  }
}

TEST(SettingComplaint, AnythingElseNeedsToSaySo) {
  EXPECT_EQ(setting_complaint("PATH", "x")->remedy,
            "variables of a library begin with OMPI_MCA_, MPIR_CVAR_, I_MPI_, UCX_, FI_, PMIX_, "
            "PRTE_; write 'env:PATH' to pass on any other variable");
  for (const char* key : {"", "env:", "env:1A", "a b", "OMPI_MCA_", "OMPI-MCA-x", "env:A-B"}) {
    EXPECT_TRUE(setting_complaint(key, "1")) << key;
  }
}

TEST(SettingComplaint, SlipInThePrefixIsGuessed) {
  EXPECT_THAT(setting_complaint("OPMI_MCA_btl", "1")->remedy,
              HasSubstr("did you mean 'OMPI_MCA_btl'?"));
  EXPECT_THAT(setting_complaint("MPIR_CAVR_X", "1")->remedy,
              HasSubstr("did you mean 'MPIR_CVAR_X'?"));
}

TEST(SettingComplaint, LowerCaseNameIsOpenMpis) {
  for (const char* key : {"coll_tuned_bcast_algorithm", "ompi_mca_coll_tuned_bcast_algorithm"}) {
    EXPECT_THAT(setting_complaint(key, "1")->remedy,
                HasSubstr("did you mean 'OMPI_MCA_coll_tuned_bcast_algorithm'?"));
  }
}

TEST(SettingComplaint, ControlCharactersInAValueAreRefused) {
  EXPECT_TRUE(setting_complaint("UCX_TLS", "a\nb"));
  EXPECT_TRUE(setting_complaint("UCX_TLS", std::string_view("a\0b", 3)));
  EXPECT_FALSE(setting_complaint("UCX_TLS", "\xc3\xa4 x"));
}

TEST(ArmText, IsTheInverseOfParseArm) {
  for (const char* text : {"openmpi", "slow=openmpi", R"(x#1=mpich:UCX_A=a\,b\\c,env:B=)"}) {
    EXPECT_EQ(arm_text(parse_arm(text, "ARM")), text);
  }
  EXPECT_EQ(arm_text(parse_arm("openmpi=openmpi", "ARM")), "openmpi");
}

std::vector<std::string> labels(std::vector<std::string> texts) {
  std::vector<Arm> arms;
  arms.reserve(texts.size());
  for (const std::string& text : texts) arms.push_back(parse_arm(text, "ARM"));
  label_arms(arms);
  texts.clear();
  for (const Arm& arm : arms) texts.push_back(arm.label);
  return texts;
}

TEST(LabelArms, DifferentLibrariesKeepTheirNames) {
  EXPECT_THAT(labels({"openmpi", "mpich"}), ElementsAre("openmpi", "mpich"));
}

TEST(LabelArms, SameArmTwiceIsNumbered) {
  EXPECT_THAT(labels({"openmpi", "mpich", "openmpi"}),
              ElementsAre("openmpi#1", "mpich", "openmpi#2"));
}

TEST(LabelArms, SettingsTellAnArmFromItsPlainLibrary) {
  EXPECT_THAT(labels({"openmpi", "openmpi:UCX_A=1"}), ElementsAre("openmpi", "openmpi+settings"));
  EXPECT_THAT(labels({"openmpi:UCX_A=1", "openmpi:UCX_A=2"}),
              ElementsAre("openmpi#1", "openmpi#2"));
  EXPECT_THAT(labels({"openmpi:UCX_A=1", "mpich"}), ElementsAre("openmpi", "mpich"));
}

TEST(LabelArms, ExplicitLabelsStay) {
  EXPECT_THAT(labels({"openmpi", "slow=openmpi:UCX_A=1"}), ElementsAre("openmpi", "slow"));
  EXPECT_THAT(labels({"openmpi=mpich", "openmpi"}), ElementsAre("openmpi", "openmpi#1"));
  EXPECT_THAT(labels({"openmpi#1=mpich", "openmpi", "openmpi"}),
              ElementsAre("openmpi#1", "openmpi#2", "openmpi#3"));
}

TEST(LabelArms, LabelTwiceIsAFault) {
  EXPECT_THAT(faults_of([] {
                (void)labels({"x=openmpi", "x=mpich"});
              }),
              ElementsAre("arm: two arms have the label 'x'; give each its own"));
}

}  // namespace
}  // namespace invar::design
