// Launchers tell a rank its number on the host, each by names of its own.
#include "host/local_rank.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace invar::host {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<std::uint32_t> told(const Variables& variables,
                                  std::optional<std::uint32_t> expected = {}) {
  return local_rank(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      expected);
}

TEST(LocalRank, IsUnderstoodOfEveryLauncher) {
  for (const LauncherVariables& launcher : launcher_variables()) {
    EXPECT_EQ(told({{std::string(launcher.local_rank), "3"}}), 3U) << launcher.launcher;
  }
  EXPECT_EQ(told({{"FLUX_TASK_LOCAL_ID", "5"}}), 5U);
  EXPECT_EQ(told({{"PALS_LOCAL_RANKID", "5"}}), 5U);
  EXPECT_EQ(told({{"JSM_NAMESPACE_LOCAL_RANK", "5"}}), 5U);
  EXPECT_EQ(told({{"SLURM_LOCALID", "5"}}), 5U);
  EXPECT_EQ(told({}), std::nullopt);
}

// A Slurm job whose only task starts Flux, or another launcher: all ranks would be the first one.
TEST(LocalRank, OfTheLauncherCountsBeforeThatOfTheJobAroundIt) {
  for (const LauncherVariables& launcher : launcher_variables()) {
    if (launcher.launcher == "Slurm") continue;
    EXPECT_EQ(told({{"SLURM_LOCALID", "0"}, {std::string(launcher.local_rank), "2"}}), 2U)
        << launcher.launcher;
  }
  EXPECT_EQ(told({{"FLUX_TASK_LOCAL_ID", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}), 1U)
      << "a library's own launcher, which is a task of Flux";
}

TEST(LocalRank, OfAnotherNumberOfRanksIsOfALaunchAround) {
  const Variables around{{"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                         {"PALS_LOCAL_RANKID", "2"},
                         {"PALS_LOCAL_SIZE", "4"}};
  EXPECT_EQ(told(around, 4), 2U);
  EXPECT_EQ(told(around, 1), 0U);
  EXPECT_EQ(told(around), 0U) << "nobody knows better";
  EXPECT_EQ(told(around, 8), std::nullopt) << "it is bound when MPI tells";
}

// The third task of a Flux job starts a launch of two ranks.
TEST(LocalRank, ThatTheLaunchDoesNotHaveIsOfALaunchAround) {
  EXPECT_EQ(told({{"FLUX_TASK_LOCAL_ID", "2"}}, 2), std::nullopt);
  EXPECT_EQ(told({{"FLUX_TASK_LOCAL_ID", "1"}}, 2), 1U);
  EXPECT_EQ(told({{"FLUX_TASK_LOCAL_ID", "2"}, {"SLURM_LOCALID", "1"}}, 2), 1U);
}

TEST(LocalRank, IsNoWordAndBelowTheirNumber) {
  EXPECT_EQ(told({{"OMPI_COMM_WORLD_LOCAL_RANK", "one"}, {"SLURM_LOCALID", "1"}}), 1U);
  EXPECT_EQ(told({{"MPI_LOCALRANKID", "-1"}}), std::nullopt);
  EXPECT_EQ(told({{"MPI_LOCALRANKID", "4"}, {"MPI_LOCALNRANKS", "4"}}), std::nullopt);
}

}  // namespace
}  // namespace invar::host
