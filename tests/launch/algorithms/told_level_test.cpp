// How libraries are told the levels of the factor `algorithm`: by which variables, and what is said
// where they cannot be.
#include "launch/algorithms/told_level.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "launch/algorithms/forced.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kRules = "coll_tuned_use_dynamic_rules";

ControlVariable variable_of(const std::string& name, const std::string& scope = "all") {
  return {.name = name, .type = "int", .value = "0", .scope = scope};
}

// As version 4.1.4 has it, where dynamic rules cannot be switched on later.
Profile open_mpi_4() {
  Profile profile{.name = "openmpi", .family = "openmpi", .short_version = "4.1.4"};
  profile.variables = {variable_of(kRules, "readonly"), variable_of("coll_tuned_bcast_algorithm"),
                       variable_of("coll_tuned_bcast_algorithm_segmentsize"),
                       variable_of("coll_tuned_bcast_algorithm_chain_fanout"),
                       variable_of("coll_tuned_bcast_algorithm_tree_fanout")};
  return profile;
}

Profile open_mpi_5() {
  Profile profile = open_mpi_4();
  profile.name = "openmpi-5";
  profile.short_version = "5.0.11";
  profile.variables.front().scope = "all";
  return profile;
}

Profile mpich_4() {
  Profile profile{.name = "mpich", .family = "mpich", .short_version = "4.0.2"};
  profile.variables = {variable_of("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "all-eq"),
                       variable_of("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", "all-eq"),
                       variable_of("MPIR_CVAR_COLLECTIVE_FALLBACK", "all-eq")};
  return profile;
}

Environment with_rules() { return {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "true"}}; }

AskedLevel bcast_by(const std::string& level) { return {.operation = "bcast", .level = level}; }

TEST(ToldLevel, OfOpenMpiIsNumbersAtTheMakingOfACommunicator) {
  const ToldLevel told =
      told_level(open_mpi_4(), with_rules(), bcast_by("algorithm:pipeline:segment=64"), {});
  EXPECT_EQ(told.lacks, "");
  EXPECT_TRUE(told.told.at_making);
  EXPECT_EQ(told.told.operation, "bcast");
  EXPECT_EQ(told.told.level, "algorithm:pipeline:segment=64");
  EXPECT_THAT(told.told.variables, ElementsAre(Pair("coll_tuned_bcast_algorithm", 3),
                                               Pair("coll_tuned_bcast_algorithm_segmentsize", 64)));
  ASSERT_NE(told.algorithm, nullptr);
  EXPECT_EQ(told.algorithm->reference, "bcast@chain");
}

TEST(ToldLevel, OfOpenMpi4NeedsALaunchThatWasStartedForIt) {
  const ToldLevel told = told_level(open_mpi_4(), {}, bcast_by("algorithm:pipeline"), {});
  EXPECT_THAT(told.lacks, HasSubstr("OMPI_MCA_coll_tuned_use_dynamic_rules=1"));
  EXPECT_THAT(told.remedy, HasSubstr("openmpi:OMPI_MCA_coll_tuned_use_dynamic_rules=1"));
  EXPECT_FALSE(told.unknown) << "it has the algorithm";
  EXPECT_THAT(told.told.variables, IsEmpty());
  const Environment off{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                        {"OMPI_MCA_coll_tuned_use_dynamic_rules", "0"}};
  EXPECT_NE(told_level(open_mpi_4(), off, bcast_by("algorithm:pipeline"), {}).lacks, "")
      << "the last value counts";
}

TEST(ToldLevel, OfOpenMpi5SwitchesTheRulesOnForItselfAlone) {
  const ToldLevel told = told_level(open_mpi_5(), {}, bcast_by("algorithm:linear"), {});
  EXPECT_EQ(told.lacks, "");
  EXPECT_THAT(told.told.variables,
              ElementsAre(Pair(kRules, 1), Pair("coll_tuned_bcast_algorithm", 1)));
}

TEST(ToldLevel, OfMpichIsTheNumberThatTheLibraryGaveForTheName) {
  const AskedLevel asked = bcast_by("algorithm:binomial");
  const auto items = items_to_ask(mpich_4(), std::span(&asked, 1));
  EXPECT_THAT(items, ElementsAre(Pair("MPIR_CVAR_COLLECTIVE_FALLBACK", "error"),
                                 Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")));
  const ItemNumbers numbers{{items[0], 0}, {items[1], 4}};
  const ToldLevel told = told_level(mpich_4(), {}, asked, numbers);
  EXPECT_EQ(told.lacks, "");
  EXPECT_FALSE(told.told.at_making) << "it reads them in every call";
  EXPECT_THAT(told.told.variables, ElementsAre(Pair("MPIR_CVAR_COLLECTIVE_FALLBACK", 0),
                                               Pair("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", 0),
                                               Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", 4)));
}

TEST(ToldLevel, OfMpichIsNoneWhereItsDeviceHasAllCollectives) {
  const AskedLevel asked = bcast_by("algorithm:binomial");
  const ItemNumbers numbers{{{"MPIR_CVAR_COLLECTIVE_FALLBACK", "error"}, 0},
                            {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"}, 4}};
  const auto lacks = [&](const std::string& setting) {
    return told_level(mpich_4(), {{"MPIR_CVAR_DEVICE_COLLECTIVES", setting}}, asked, numbers).lacks;
  };
  EXPECT_THAT(lacks("all"), HasSubstr("MPIR_CVAR_DEVICE_COLLECTIVES=all"));
  EXPECT_EQ(lacks("percoll"), "") << "then the one of the operation is told";
}

TEST(ToldLevel, AnItemThatTheLibraryRefusedCostsItsLevelAlone) {
  const ItemNumbers only_fallback{{{"MPIR_CVAR_COLLECTIVE_FALLBACK", "error"}, 0}};
  const ToldLevel told = told_level(mpich_4(), {}, bcast_by("algorithm:binomial"), only_fallback);
  EXPECT_THAT(told.lacks, HasSubstr("refuses MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial"));
  EXPECT_FALSE(told.unknown);
}

TEST(ToldLevel, ANameThatNoVersionHasIsUnknown) {
  const ToldLevel told = told_level(open_mpi_4(), with_rules(), bcast_by("algorithm:pipelin"), {});
  EXPECT_TRUE(told.unknown);
  EXPECT_THAT(told.lacks, HasSubstr("Open MPI 4.1.4 has no algorithm 'pipelin' of bcast"));
  EXPECT_THAT(told.remedy, HasSubstr("pipeline"));
  EXPECT_TRUE(
      told_level(open_mpi_4(), with_rules(), bcast_by("algorithm:linear:segment=64"), {}).unknown)
      << "a knob that the algorithm does not have";
  EXPECT_TRUE(
      told_level(open_mpi_4(), with_rules(), bcast_by("algorithm:chain:sgement=64"), {}).unknown);
}

TEST(ToldLevel, AVariableThatCannotBeWrittenIsSaid) {
  Profile profile = open_mpi_4();
  profile.variables[1].scope = "readonly";
  EXPECT_THAT(told_level(profile, with_rules(), bcast_by("algorithm:linear"), {}).lacks,
              HasSubstr("does not let coll_tuned_bcast_algorithm be written"));
  profile.variables.clear();
  EXPECT_THAT(told_level(profile, with_rules(), bcast_by("algorithm:linear"), {}).lacks,
              HasSubstr("has no control variable coll_tuned_bcast_algorithm"));
}

Profile intel() { return {.name = "intel", .family = "intel", .short_version = "2021.18"}; }

TEST(ToldLevel, OfIntelMpiIsASettingOfAnArm) {
  const AskedLevel asked = bcast_by("algorithm:preset-3");
  const ToldLevel told = told_level(intel(), {}, asked, {});
  EXPECT_THAT(told.lacks, HasSubstr("chooses its algorithms when it starts"));
  EXPECT_THAT(told.remedy, HasSubstr("a=intel:I_MPI_ADJUST_BCAST=3"));
  EXPECT_THAT(items_to_ask(intel(), std::span(&asked, 1)), IsEmpty());
}

TEST(ToldLevel, OfALibraryThatNobodyKnowsIsLacking) {
  const Profile other{.name = "x", .family = "other", .short_version = "1.0"};
  const ToldLevel told = told_level(other, {}, bcast_by("algorithm:binomial"), {});
  EXPECT_NE(told.lacks, "");
  EXPECT_FALSE(told.unknown) << "the name may be right for others";
}

TEST(ForcedArms, HaveWhatTheirLibraryMustBeStartedWith) {
  const std::vector levels{told_level(intel(), {}, bcast_by("algorithm:preset-3"), {}),
                           told_level(intel(), {}, bcast_by("algorithm:nonsense"), {})};
  const std::vector<tuning::ForcedArm> arms = forced_arms(intel(), levels);
  ASSERT_EQ(arms.size(), 1U) << "what it does not know is not an arm";
  EXPECT_EQ(arms[0].operation, "bcast");
  ASSERT_EQ(arms[0].settings.size(), 1U);
  EXPECT_EQ(arms[0].settings[0].first, "I_MPI_ADJUST_BCAST");

  const ToldLevel pipeline = told_level(open_mpi_4(), {}, bcast_by("algorithm:pipeline"), {});
  EXPECT_THAT(forced_arms(open_mpi_4(), std::span(&pipeline, 1)).at(0).settings,
              testing::Contains(Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
}

TEST(ForcedArm, ReplacesTheArmsOwnSetting) {
  const design::Arm base{.label = "bad",
                         .library = "intel",
                         .settings = {{"I_MPI_ADJUST_BCAST", "9"}, {"env:X", "1"}}};
  const tuning::ForcedArm forced{
      .operation = "bcast",
      .candidate = {.kind = tuning::CandidateKind::kAlgorithm, .name = "preset-1"},
      .settings = {{"I_MPI_ADJUST_BCAST", "1"}}};
  const design::Arm arm = forced_arm(base, forced);
  EXPECT_EQ(arm.label, "bad+bcast-preset-1");
  EXPECT_THAT(arm.settings, ElementsAre(Pair("I_MPI_ADJUST_BCAST", "1"), Pair("env:X", "1")));
}

}  // namespace
}  // namespace invar::launch
