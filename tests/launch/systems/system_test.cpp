// Rows of the tables: launch systems and library kinds.
#include "launch/systems/system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/libraries/install.hpp"

namespace invar::launch {
namespace {

using testing::UnorderedElementsAre;

TEST(LaunchSystems, EveryNameOfACampaignHasARowThatCanStartSomething) {
  ASSERT_EQ(launch_systems().size(), std::size(design::kLaunchSystems));
  for (const design::LaunchSystemWords& words : design::kLaunchSystems) {
    EXPECT_NE(launch_system(words.name).words, nullptr) << words.name;
  }
  EXPECT_FALSE(launch_system(design::kOwnLauncher).elsewhere);
  EXPECT_THROW(launch_system("prun"), base::UserError);
}

TEST(LibraryKinds, LaunchersAreKnownByWhatTheySayOrHowTheyAreCalled) {
  EXPECT_EQ(kind_of_launcher("mpirun (Open MPI) 4.1.4", "orterun").name, "openmpi");
  EXPECT_EQ(kind_of_launcher("prterun (PRRTE) 3.0.9", "prterun").name, "openmpi");
  EXPECT_EQ(kind_of_launcher("HYDRA build details:", "mpiexec.hydra").name, "mpich");
  // Intel's launcher is a hydra by name.
  EXPECT_EQ(kind_of_launcher("Intel(R) MPI Library for Linux* OS", "mpiexec.hydra").name, "intel");
  EXPECT_EQ(kind_of_launcher("", "mpiexec.hydra").name, "mpich");
  EXPECT_EQ(kind_of_launcher("1.0", "mpirun").name, "other");
}

TEST(LibraryKinds, LibrariesAreKnownByTheirVersion) {
  EXPECT_EQ(kind_of_library("MVAPICH2 Version: 2.3")->name, "mpich");
  EXPECT_EQ(kind_of_library("Intel(R) MPI Library 2021.18")->name, "intel");
  EXPECT_EQ(kind_of_library("Cray MPI"), nullptr);
}

TEST(LibraryKinds, WhatIsInNoRowIsAnotherLibrary) {
  EXPECT_EQ(kind_of("cray").name, "other");
  EXPECT_EQ(kind_of("cray").words, nullptr);
  EXPECT_TRUE(kind_of("cray").variables.empty());
}

TEST(LibraryKinds, OnlyRowsWithAWheelCanBeInstalled) {
  EXPECT_THAT(installable_libraries(), UnorderedElementsAre("openmpi", "mpich", "intel"));
}

}  // namespace
}  // namespace invar::launch
