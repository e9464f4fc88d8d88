#include "launch/start/arms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

ControlVariable number(const std::string& name, const std::string& value,
                       std::vector<std::string> items = {}) {
  return {name, "int", value, std::move(items)};
}

Profile openmpi() {
  Profile profile;
  profile.name = "openmpi";
  profile.version = "Open MPI v4.1.4";
  profile.family = "openmpi";
  profile.variables = {number("coll_tuned_bcast_algorithm", "0"),
                       number("coll_tuned_use_dynamic_rules", "0")};
  return profile;
}

Profile mpich() {
  Profile profile;
  profile.name = "mpich";
  profile.version = "MPICH Version: 4.0.2";
  profile.family = "mpich";
  profile.variables = {number("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "0")};
  return profile;
}

design::Arm arm(std::vector<std::pair<std::string, std::string>> settings) {
  return {.label = "slow", .library = "openmpi", .settings = std::move(settings)};
}

std::string faults_of(const design::Arm& arm, const Profile& profile) {
  base::Faults faults;
  check_names(arm, profile, faults);
  return faults.empty() ? "" : test::error_of([&] { faults.throw_if_any(); });
}

TEST(ArmNames, KnownVariablesWaitForTheProbe) {
  base::Faults faults;
  const CheckedArm checked = check_names(arm({{"OMPI_MCA_coll_tuned_use_dynamic_rules", "true"},
                                              {"OMPI_MCA_coll_tuned_bcast_algorithm", "3"}}),
                                         openmpi(), faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_THAT(checked.environment,
              ElementsAre(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "true"),
                          Pair("OMPI_MCA_coll_tuned_bcast_algorithm", "3")));
  EXPECT_THAT(checked.settings_checked, ElementsAre("", ""));
}

// Open MPI would read the value back, and go on choosing by itself.
TEST(ArmNames, AlgorithmOfTunedNeedsDynamicRules) {
  const char* refusal =
      "OMPI_MCA_coll_tuned_bcast_algorithm has no effect in Open MPI without "
      "OMPI_MCA_coll_tuned_use_dynamic_rules=1; add OMPI_MCA_coll_tuned_use_dynamic_rules=1";
  EXPECT_THAT(faults_of(arm({{"OMPI_MCA_coll_tuned_bcast_algorithm", "3"}}), openmpi()),
              HasSubstr(refusal));
  EXPECT_THAT(faults_of(arm({{"OMPI_MCA_coll_tuned_bcast_algorithm", "3"},
                             {"OMPI_MCA_coll_tuned_use_dynamic_rules", "0"}}),
                        openmpi()),
              HasSubstr(refusal));
  Profile with_rules = openmpi();
  with_rules.environment = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}};
  EXPECT_EQ(faults_of(arm({{"OMPI_MCA_coll_tuned_bcast_algorithm", "3"}}), with_rules), "");
}

TEST(ArmNames, EnvInFrontOfALibrarysVariableChangesNothing) {
  EXPECT_THAT(faults_of(arm({{"env:OMPI_MCA_coll_tuned_bcast_algoritm", "3"}}), openmpi()),
              HasSubstr("did you mean 'OMPI_MCA_coll_tuned_bcast_algorithm'?"));
  EXPECT_THAT(faults_of(arm({{"env:MPIR_CVAR_BCAST_INTRA_ALGORITHM", "x"}}), openmpi()),
              HasSubstr("is a variable of MPICH, and openmpi"));
}

TEST(ArmNames, MisspeltVariableIsRefusedWithTheOneThatWasMeant) {
  EXPECT_THAT(faults_of(arm({{"OMPI_MCA_coll_tuned_bcast_algoritm", "3"}}), openmpi()),
              HasSubstr("did you mean 'OMPI_MCA_coll_tuned_bcast_algorithm'?"));
}

TEST(ArmNames, VariableOfAnotherLibraryIsRefused) {
  EXPECT_THAT(faults_of(arm({{"OMPI_MCA_coll_tuned_bcast_algorithm", "3"}}), mpich()),
              HasSubstr("is a variable of Open MPI, and mpich"));
  EXPECT_THAT(faults_of(arm({{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "x"}}), openmpi()),
              HasSubstr("is a variable of MPICH, and openmpi"));
}

TEST(ArmNames, TransportVariablesAreUnverified) {
  base::Faults faults;
  const CheckedArm checked = check_names(arm({{"UCX_TLS", "tcp"},
                                              {"FI_PROVIDER", "x"},
                                              {"I_MPI_ADJUST_BCAST", "1"},
                                              {"PMIX_MCA_x", "1"},
                                              {"PRTE_MCA_x", "1"}}),
                                         openmpi(), faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_THAT(checked.settings_checked, testing::Each("unverified"));
}

TEST(ArmNames, AnythingElseNeedsEnvInFront) {
  EXPECT_THAT(faults_of(arm({{"OMP_NUM_THREADS", "4"}}), openmpi()),
              HasSubstr("env:OMP_NUM_THREADS=4"));
  base::Faults faults;
  const CheckedArm checked = check_names(arm({{"env:OMP_NUM_THREADS", "4"}}), openmpi(), faults);
  EXPECT_TRUE(faults.empty());
  EXPECT_THAT(checked.environment, ElementsAre(Pair("OMP_NUM_THREADS", "4")));
  EXPECT_THAT(checked.settings_checked, ElementsAre("passed on"));
}

// Nothing is to be doubted of what no library is told.
TEST(ArmNames, WhatTellsTheShimIsNoLibrarysSetting) {
  base::Faults faults;
  const CheckedArm checked = check_names(arm({{"env:LD_PRELOAD", "/t/libinvar-tuned.so:/l/x.so"},
                                              {"env:INVAR_TUNED_TABLE", "/t/table.csv"},
                                              {"env:INVAR_TUNED_REPORT", "1"}}),
                                         openmpi(), faults);
  EXPECT_THAT(checked.settings_checked, testing::Each("of Invar's shim"));
  const CheckedArm other =
      check_names(arm({{"env:LD_PRELOAD", "/l/libhugetlbfs.so"}}), openmpi(), faults);
  EXPECT_THAT(other.settings_checked, ElementsAre("passed on"));
}

TEST(ArmNames, AllFaultsAreToldAtOnce) {
  const std::string faults =
      faults_of(arm({{"OMPI_MCA_nonsense_at_all", "1"}, {"FOO", "2"}}), openmpi());
  EXPECT_THAT(faults, HasSubstr("OMPI_MCA_nonsense_at_all"));
  EXPECT_THAT(faults, HasSubstr("FOO"));
}

TEST(ReadBack, TextMustBeTheSame) {
  const ControlVariable text{"btl", "char", "vader,self", {}};
  EXPECT_EQ(verify_value("vader,self", text, "openmpi"), "read back as vader,self");
  EXPECT_EQ(verify_value("vader", text, "openmpi"), std::nullopt);
}

TEST(ReadBack, NumbersAndBooleansByValue) {
  EXPECT_TRUE(verify_value("0064", number("x", "64"), "openmpi"));
  EXPECT_TRUE(verify_value("4k", number("x", "4096"), "openmpi"));
  EXPECT_TRUE(verify_value("0x10", number("x", "16"), "openmpi"));
  EXPECT_FALSE(verify_value("65", number("x", "64"), "openmpi"));
  EXPECT_TRUE(verify_value("true", number("x", "1"), "openmpi"));
  EXPECT_TRUE(verify_value("No", number("x", "0"), "openmpi"));
  EXPECT_FALSE(verify_value("true", number("x", "0"), "openmpi"));
}

TEST(ReadBack, EnumerationsByNumberOrName) {
  const ControlVariable algorithm = number("x", "3", {"0=ignore", "3=pipeline", "4=split"});
  EXPECT_EQ(verify_value("pipeline", algorithm, "openmpi"), "read back as 3");
  EXPECT_EQ(verify_value("3", algorithm, "openmpi"), "read back as 3");
  EXPECT_EQ(verify_value("split", algorithm, "openmpi"), std::nullopt);
}

// Open MPI only warns of an algorithm that does not exist, and uses its default.
TEST(ReadBack, ValueThatTheLibraryReplacedIsADifference) {
  EXPECT_EQ(verify_value("99", number("x", "0", {"0=ignore", "1=linear"}), "openmpi"),
            std::nullopt);
  EXPECT_EQ(verify_value("nonsense", number("x", "0"), "openmpi"), std::nullopt);
}

TEST(ReadBack, MpichsNamesAreAcceptedWithTheNumberThatWasRead) {
  EXPECT_EQ(verify_value("binomial", number("x", "1"), "mpich"), "accepted as 1");
  EXPECT_EQ(verify_value("2", number("x", "1"), "mpich"), std::nullopt);
}

// Another library's benchmark of the same name would be started by this library's launcher.
TEST(ArmPrograms, ALibrarysOwnProgramComesBeforeThePath) {
  const test::Scratch scratch;
  const std::string own = scratch.script("library/IMB-MPI1", "exit 0");
  const std::string others = scratch.script("path/IMB-MPI1", "exit 0");
  const std::string only_path = scratch.script("path/app", "exit 0");
  const test::Variable path("PATH", scratch.path("path").string() + ":/usr/bin:/bin");
  Profile profile = openmpi();
  profile.mpirun = scratch.script("library/mpirun", "exit 0");
  EXPECT_EQ(find_beside("IMB-MPI1", profile), own);
  EXPECT_EQ(find_beside("app", profile), only_path);
  EXPECT_EQ(find_beside(others, profile), others) << "a path is taken as it is";
  EXPECT_EQ(find_beside("IMB-MPI1", {}), others) << "a program without a library";
  EXPECT_EQ(find_beside("none-such", profile), std::nullopt);
}

}  // namespace
}  // namespace invar::launch
