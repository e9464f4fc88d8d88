#include "record/synchronisation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "record/cell.hpp"

namespace invar::record {
namespace {

TEST(Synchronisations, AreTheLevelsOfTheFactorSync) {
  const Factor& sync = *find_factor("sync");
  EXPECT_EQ(sync.words, synchronisation_names());
  for (const Synchronisation& known : synchronisations()) {
    Cell cell;
    EXPECT_TRUE(sync.parse(cell, known.name)) << known.name;
    EXPECT_EQ(synchronisation(cell.sync).name, known.name);
  }
  EXPECT_NE(find_synchronisation(Cell().sync), nullptr) << "the usual one";
}

TEST(Synchronisations, AnUnknownOneIsNoLevelOfAPlan) {
  Cell cell;
  EXPECT_FALSE(find_factor("sync")->parse(cell, "barriers"));
  EXPECT_EQ(find_synchronisation("barriers"), nullptr);
  EXPECT_THROW((void)synchronisation("barriers"), std::invalid_argument);
}

// A start that all have agreed on is a time that they read on clocks which agree, and a rank
// without a core of its own cannot keep it.
TEST(Synchronisations, AnAgreedStartNeedsACommonClockAndACoreForEveryRank) {
  for (const Synchronisation& known : synchronisations()) {
    EXPECT_EQ(known.agreed_start, known.needs_common_clock) << known.name;
    EXPECT_EQ(known.agreed_start, !known.allows_shared_cores) << known.name;
  }
}

TEST(Synchronisations, TheTemplateTellsOfEveryOne) {
  const std::string sample = synchronisation_sample();
  for (const Synchronisation& known : synchronisations()) {
    EXPECT_NE(sample.find('"' + std::string(known.name) + '"'), std::string::npos) << known.name;
    EXPECT_FALSE(known.summary.empty() || known.method.empty()) << known.name;
  }
}

}  // namespace
}  // namespace invar::record
