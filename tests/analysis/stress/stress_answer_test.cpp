// What `invar stress` says: the fault first, with the command that shows it again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/stress/stressed.hpp"

namespace invar::analysis {
namespace {

using record::StressFault;
using testing::ElementsAre;
using testing::HasSubstr;

StressFault one_bit() {
  return {.fault = "bits",
          .kind = "p2p",
          .operation = "isend -> irecv",
          .pattern = "random",
          .what = "1 bit differs: bit 3 of byte 5173",
          .size_bytes = 65'537,
          .message = 1234,
          .from = 0,
          .to = 1,
          .rank = 1,
          .offset_bytes = 5173,
          .expected = "00",
          .found = "08"};
}

StressedArm sound_arm() {
  return {.label = "openmpi",
          .library = "openmpi 4.1.4",
          .written = "openmpi",
          .counts = {.seconds = 60,
                     .messages = 1'234'567,
                     .large_messages = 300'000,
                     .bytes = 81'000'000'000,
                     .collectives = 4321,
                     .ended = true}};
}

StressedArm faulty_arm() {
  return {.label = "broken",
          .library = "mpich 4.0.2",
          .written = "broken=mpich:env:A=b c",
          .counts = {.seconds = 2, .messages = 9000, .large_messages = 40, .ended = true},
          .faults = {one_bit()}};
}

Stressed stressed_with(std::vector<StressedArm> arms) {
  return {.seed = 7,
          .seconds = 60,
          .ranks = 2,
          .kinds = {"p2p", "collectives", "all-pairs"},
          .arms = std::move(arms)};
}

TEST(StressAnswer, OfASoundLibrarySaysHowMuchWasLookedAt) {
  const Answer answer = answer_of(stressed_with({sound_arm()}));
  EXPECT_EQ(answer.sentence,
            "openmpi: every byte is right (1,234,567 messages, 300,000 of them above 64 KiB; 4,321 "
            "collectives).");
  EXPECT_EQ(status_of(answer.health), base::Exit::kDone);
  const TidyTable& arms = *find_table(answer, "arms");
  EXPECT_EQ(std::get<std::int64_t>(arms.rows.front().at(column_index(arms, "seen_from")).content),
            100'142);
  EXPECT_TRUE(find_table(answer, "faults")->shown.empty()) << "nothing to show";
  EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("would have been seen with 95 %")));
}

TEST(StressAnswer, NamesTheFaultItsPlaceAndWhatRepeatsIt) {
  const Answer answer = answer_of(stressed_with({sound_arm(), faulty_arm()}));
  EXPECT_EQ(answer.sentence,
            "broken fails: 1 bit differs: bit 3 of byte 5173 in message 1234 from rank 0 to rank 1 "
            "(isend -> irecv, random, 65537 B); openmpi: every byte is right (1,234,567 messages, "
            "300,000 of them above 64 KiB; 4,321 collectives).");
  EXPECT_EQ(status_of(answer.health), base::Exit::kMeasurementFailed);
  EXPECT_EQ(answer.next.front().text,
            "invar stress 'broken=mpich:env:A=b c' --ranks 2 --kind p2p --seed 7 --message 1234");
  const TidyTable& arms = *find_table(answer, "arms");
  EXPECT_TRUE(arms.rows.back().at(column_index(arms, "seen_from")).absent())
      << "no rate follows from a run that a fault has ended";
}

TEST(StressAnswer, OfACollectiveSaysWhoHasIt) {
  StressedArm arm = faulty_arm();
  arm.faults = {{.fault = "bits",
                 .kind = "collectives",
                 .operation = "allreduce, int32, sum",
                 .what = "recv byte 8 (reduction of ranks 0 to 1, element 2): expected 7, found 6",
                 .size_bytes = 4096,
                 .message = 17,
                 .to = 1,
                 .rank = 1}};
  EXPECT_THAT(answer_of(stressed_with({arm})).sentence,
              HasSubstr("expected 7, found 6 in collective 17 on rank 1 (allreduce, int32, sum, "
                        "4096 B)"));
}

// What came before a message may be the reason, and all sizes together say how long each one is: of
// the wrong one's size alone every other one would be another.
TEST(StressAnswer, RepeatsTheMessagesAroundItAsTheyWere) {
  Stressed stressed = stressed_with({faulty_arm()});
  stressed.size_words = "--size 8,64KiB:1MiB --steps 'a dir'";
  EXPECT_EQ(repeat_command(stressed, stressed.arms.front(), one_bit()),
            "invar stress 'broken=mpich:env:A=b c' --ranks 2 --kind p2p --size 8,64KiB:1MiB "
            "--steps 'a dir' --seed 7 --message 1234");
}

// Where ranks have left what they were at, a crash has all that another fault has.
TEST(StressAnswer, OfACrashNamesWhatItsRankWasAt) {
  StressedArm arm = faulty_arm();
  arm.faults = {
      {.fault = "crash",
       .kind = "p2p",
       .operation = "send -> irecv",
       .pattern = "zeros",
       .what = "rank 0 was ended by signal 6 (Aborted)",
       .more = "rank 1: receiving message 17 from rank 0; exit status 134: Assertion failed",
       .size_bytes = 8,
       .message = 17,
       .from = 0,
       .to = 1,
       .rank = 0}};
  Answer answer = answer_of(stressed_with({arm}));
  EXPECT_EQ(
      answer.sentence,
      "broken fails: rank 0 was ended by signal 6 (Aborted) in message 17 from rank 0 to rank "
      "1 (send -> irecv, zeros, 8 B): rank 1: receiving message 17 from rank 0; exit status "
      "134: Assertion failed.");
  EXPECT_EQ(answer.next.front().text,
            "invar stress 'broken=mpich:env:A=b c' --ranks 2 --kind p2p --seed 7 --message 17");
  arm.faults.front() = {.fault = "crash",
                        .kind = "collectives",
                        .operation = "bcast, root 1",
                        .what = "rank 1 called exit()",
                        .size_bytes = 4096,
                        .message = 3,
                        .rank = 1};
  EXPECT_EQ(answer_of(stressed_with({arm})).sentence,
            "broken fails: rank 1 called exit() in collective 3 (bcast, root 1, 4096 B).");
  // Nobody knows which of two messages of that number it was.
  arm.faults.front() = {.fault = "crash",
                        .kind = "all-pairs",
                        .operation = "isend -> irecv",
                        .what = "a rank died",
                        .size_bytes = 8,
                        .message = 3};
  EXPECT_EQ(answer_of(stressed_with({arm})).sentence,
            "broken fails: a rank died in message 3 (isend -> irecv, 8 B).");
}

// A launch that ended by itself has no message that could be repeated: the whole run is.
TEST(StressAnswer, OfACrashOfWhichNothingIsKnownRepeatsTheRun) {
  StressedArm arm = faulty_arm();
  arm.faults = {{.fault = "crash", .what = "exit status 139: segmentation fault"}};
  Stressed stressed = stressed_with({arm});
  stressed.place_words = "--hosts a,b";
  const Answer answer = answer_of(stressed);
  EXPECT_EQ(answer.sentence, "broken fails: exit status 139: segmentation fault.");
  EXPECT_EQ(answer.next.front().text,
            "invar stress 'broken=mpich:env:A=b c' --ranks 2 --hosts a,b --kind "
            "p2p,collectives,all-pairs --seed 7");
}

TEST(StressAnswer, OfNothingIsNoPraise) {
  StressedArm arm = sound_arm();
  arm.counts = {};
  EXPECT_EQ(answer_of(stressed_with({arm})).sentence, "openmpi: nothing was checked.");
  EXPECT_EQ(status_of(answer_of(stressed_with({arm})).health), base::Exit::kMeasurementFailed);
  arm.interrupted = true;
  EXPECT_EQ(status_of(answer_of(stressed_with({arm})).health), base::Exit::kIncomplete);
}

TEST(StressAnswer, OfAnInterruptedRunSaysWhatItHasSeen) {
  StressedArm arm = sound_arm();
  arm.interrupted = true;
  const Answer answer = answer_of(stressed_with({arm}));
  EXPECT_THAT(answer.sentence, HasSubstr("interrupted after 60 s"));
  EXPECT_EQ(status_of(answer.health), base::Exit::kIncomplete);
}

TEST(StressAnswer, OfALaunchThatDidNotEndByItselfSaysSo) {
  StressedArm arm = sound_arm();
  EXPECT_THAT(answer_of(stressed_with({arm})).warnings, testing::IsEmpty());
  arm.lingered = true;
  const Answer answer = answer_of(stressed_with({arm}));
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_THAT(answer.warnings.front().text, HasSubstr("openmpi: all was done, but its ranks"));
  EXPECT_EQ(status_of(answer.health), base::Exit::kDone) << "every byte was right";
}

TEST(StressAnswer, TellsEveryFaultToMachines) {
  StressedArm arm = faulty_arm();
  arm.faults.assign(5, one_bit());
  const Answer answer = answer_of(stressed_with({arm}));
  EXPECT_EQ(find_table(answer, "faults")->rows.size(), 5U);
  EXPECT_EQ(answer.next.size(), 3U) << "people are told of the first few";
}

TEST(SeenFrom, IsTheRuleOfThree) {
  EXPECT_EQ(seen_from(300'000), 100'142U);
  EXPECT_EQ(seen_from(2), 0U) << "two messages say nothing";
}

}  // namespace
}  // namespace invar::analysis
