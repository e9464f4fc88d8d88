// Settings of arms under the real libraries: what is read back, and what is refused. Uses the
// engines that the fixture mpi_engines has built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "launch/libraries/profile.hpp"
#include "launch/start/arms.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool has(const std::string& library) {
  const std::vector<Profile> all = all_profiles();
  return std::any_of(all.begin(), all.end(),
                     [&](const Profile& profile) { return profile.name == library; });
}

design::Arm arm(const std::string& library,
                std::vector<std::pair<std::string, std::string>> settings) {
  return {.label = "arm", .library = library, .settings = std::move(settings)};
}

std::string refusal(const design::Arm& one) {
  try {
    check_arms({&one, 1});
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ArmsLive, OpenMpiReadsNumbersNamesAndBooleansBack) {
  if (!has("openmpi")) GTEST_SKIP() << "no Open MPI here";
  const design::Arm one = arm("openmpi", {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "true"},
                                          {"OMPI_MCA_coll_tuned_bcast_algorithm", "pipeline"},
                                          {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "64"},
                                          {"UCX_TLS", "self,sm"},
                                          {"env:OMP_NUM_THREADS", "1"}});
  EXPECT_THAT(check_arms({&one, 1}).at(0).settings_checked,
              ElementsAre("read back as 1", "read back as 3", "read back as 64", "unverified",
                          "passed on"));
}

// Open MPI itself only warns, and measures its default under the arm's name.
TEST(ArmsLive, OpenMpiValueThatDoesNotExistIsRefusedWithBothValues) {
  if (!has("openmpi")) GTEST_SKIP() << "no Open MPI here";
  const std::string text = refusal(arm("openmpi", {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                                                   {"OMPI_MCA_coll_tuned_bcast_algorithm", "99"}}));
  EXPECT_THAT(text, HasSubstr("'99'"));
  EXPECT_THAT(text, HasSubstr("reads '0'"));
}

// ompi_info tells of it, but without such a network the component never opens in the ranks.
TEST(ArmsLive, OpenMpiVariablesThatTheRanksDoNotRegisterAreUnverified) {
  if (!has("openmpi")) GTEST_SKIP() << "no Open MPI here";
  const std::vector<ControlVariable> variables = find_profile("openmpi").variables;
  const bool known = std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
    return variable.name == "btl_openib_gid_index";
  });
  if (!known) GTEST_SKIP() << "this Open MPI has no such component";
  const design::Arm one = arm("openmpi", {{"OMPI_MCA_btl_openib_gid_index", "1"}});
  EXPECT_THAT(check_arms({&one, 1}).at(0).settings_checked,
              testing::AnyOf(ElementsAre("unverified"), ElementsAre("read back as 1")));
}

TEST(ArmsLive, MpichsNameIsAcceptedAsANumber) {
  if (!has("mpich")) GTEST_SKIP() << "no MPICH here";
  const design::Arm one = arm("mpich", {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"},
                                        {"MPIR_CVAR_BCAST_MIN_PROCS", "4"}});
  const std::vector<std::string> checked = check_arms({&one, 1}).at(0).settings_checked;
  EXPECT_THAT(checked.at(0), HasSubstr("accepted as "));
  EXPECT_EQ(checked.at(1), "read back as 4");
}

TEST(ArmsLive, MpichThatCrashesOnAValueIsRefused) {
  if (!has("mpich")) GTEST_SKIP() << "no MPICH here";
  EXPECT_THAT(refusal(arm("mpich", {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nonsense"}})),
              HasSubstr("MPIR_CVAR_BCAST_INTRA_ALGORITHM=nonsense"));
}

TEST(ArmsLive, AllArmsFaultsAreToldAtOnce) {
  const std::vector<design::Arm> arms{arm("no-such-library", {}),
                                      arm("openmpi", {{"OMPI_MCA_no_such_thing", "1"}}),
                                      arm("mpich", {{"MPIR_CVAR_NO_SUCH_THING", "1"}})};
  if (!has("openmpi") || !has("mpich")) GTEST_SKIP() << "needs both libraries";
  try {
    check_arms(arms);
    FAIL() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.faults().size(), 3U) << error.what();
  }
}

}  // namespace
}  // namespace invar::launch
