// What a launch of `invar stress` leaves: read back whatever ended it, and told in a useful order.
#include "launch/stress/stress_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/scratch.hpp"

namespace invar::launch {
namespace {

using record::StressFault;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

StressFault whole_fault() {
  return {.fault = "bits",
          .kind = "p2p",
          .operation = "isend -> irecv",
          .pattern = "random",
          .what = "1 bit differs: bit 3 of byte 5173",
          .more = "exit status 3",
          .size_bytes = 65'537,
          .message = 1234,
          .from = 0,
          .to = 1,
          .rank = 1,
          .offset_bytes = -3,
          .expected = "00 10",
          .found = "08 10"};
}

TEST(StressFaults, AreReadAsTheyWereWritten) {
  const StressFault hang{.fault = "hang", .what = "waited 30 s for the other ranks", .rank = 0};
  const std::string text = stress_fault_json(whole_fault()) + "\n" + stress_fault_json(hang) + "\n";
  EXPECT_THAT(read_stress_faults(text), ElementsAre(whole_fault(), hang));
}

TEST(StressFaults, OfALaunchThatWasKilledInTheMiddleOfALine) {
  const std::string line = stress_fault_json(whole_fault());
  EXPECT_THAT(read_stress_faults(line + "\n" + line.substr(0, 40)), ElementsAre(whole_fault()));
  EXPECT_THAT(read_stress_faults("no json\n[1]\n{\"fault\":3}\n" + line + "\n"),
              ElementsAre(whole_fault()));
  EXPECT_THAT(read_stress_faults(""), IsEmpty());
}

TEST(StressCounts, AreThoseOfTheLastWholeLine) {
  const record::StressCounts one{.seconds = 1, .messages = 10, .bytes = 80};
  const record::StressCounts two{
      .seconds = 2, .messages = 20, .large_messages = 3, .collectives = 4, .ended = true};
  const std::string text = stress_counts_json(one) + "\n" + stress_counts_json(two);
  EXPECT_EQ(read_stress_counts(text), one) << "the second line has no end yet";
  EXPECT_EQ(read_stress_counts(text + "\n"), two);
  EXPECT_EQ(read_stress_counts(""), record::StressCounts());
  EXPECT_EQ(read_stress_counts("\n"), record::StressCounts());
  EXPECT_EQ(read_stress_counts(stress_counts_json(one) + "\nno json\n{}\n"), one);
}

// Ranks agree by messages, too. Where these are wrong nobody has seen a wrong one, and the run was
// as short as if somebody had.
TEST(StressFaults, ThatEndedARunAndThatNobodyFoundAreOnes) {
  const record::StressCounts counts{.seconds = 3.21, .messages = 10, .ended = true};
  const auto fault = fault_of_early_end(counts, 60);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->fault, "own-messages");
  EXPECT_EQ(fault->what,
            "the ranks ended after 3.2 of 60 s because of a fault that none of them has found: a "
            "message by which they agree was wrong");
  EXPECT_FALSE(fault_of_early_end({.seconds = 60.01, .ended = true}, 60));
  EXPECT_FALSE(fault_of_early_end({.seconds = 3}, 60)) << "it did not say that it ends";
}

// Who waits for the others knows least, and the crash that follows nothing at all.
TEST(StressFaults, ThatExplainTheOthersComeFirst) {
  const StressFault crash{.fault = "crash", .what = "exit status 3"};
  const StressFault idle{.fault = "hang", .what = "waited for the other ranks", .rank = 0};
  const StressFault waits{.fault = "hang", .what = "it did not come", .message = 5, .rank = 1};
  StressFault later = whole_fault();
  later.message = 2000;
  std::vector<StressFault> faults{crash, idle, waits, later, whole_fault()};
  sort_stress_faults(faults);
  EXPECT_THAT(faults, ElementsAre(whole_fault(), later, waits, idle, crash));
}

ControlVariable variable(const std::string& name, const std::string& value) {
  ControlVariable made;
  made.name = name;
  made.value = value;
  return made;
}

TEST(StressLimits, AreWhereTheLibrarySaysThatItChangesItsWays) {
  Profile profile;
  profile.variables = {variable("OMPI_MCA_btl_vader_eager_limit", "4096"),
                       variable("OMPI_MCA_btl_tcp_rndv_eager_limit", "65536"),
                       variable("OMPI_MCA_btl_self_max_send_size", "0"),
                       variable("OMPI_MCA_pml_ob1_send_pipeline_depth", "3000"),
                       variable("OMPI_MCA_mpi_leave_pinned", "1")};
  const std::vector<std::uint64_t> sizes = limits_of(profile, {}, 1U << 20U);
  for (const std::uint64_t size : {4096U, 4088U, 4040U, 4016U, 65'536U, 65'456U}) {
    EXPECT_THAT(sizes, Contains(size)) << "a header may be a part of it";
  }
  EXPECT_THAT(sizes, Not(Contains(3000U))) << "a depth is not a size";
  EXPECT_THAT(sizes, Not(Contains(0U)));
  EXPECT_THAT(limits_of(profile, {}, 10'000), Not(Contains(65'536U))) << "nobody asks for these";
}

TEST(StressLimits, FollowTheSettingsOfTheArm) {
  Profile profile;
  profile.variables = {variable("OMPI_MCA_btl_vader_eager_limit", "4096"),
                       variable("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "131072")};
  const test::Variable own("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "5000");
  const std::vector<std::uint64_t> sizes =
      limits_of(profile, {{"OMPI_MCA_btl_vader_eager_limit", "2048"}}, 1U << 20U);
  EXPECT_THAT(sizes, Contains(2048U));
  EXPECT_THAT(sizes, Not(Contains(4096U)));
  EXPECT_THAT(sizes, Contains(5000U)) << "our own environment reaches the launch, too";
}

}  // namespace
}  // namespace invar::launch
