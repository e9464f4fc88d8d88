#include "platform/platform_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "golden.hpp"
#include "platform/planted_model.hpp"

namespace invar::platform {
namespace {

using test::faults_of;
using test::planted_model;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> model_faults(const PlatformModel& model, std::string_view name = {}) {
  return faults_of([&] { check_model(model, name); });
}

TEST(PlatformModel, PlantedModelHasNoFault) {
  EXPECT_NO_THROW(check_model(planted_model()));
  EXPECT_THAT(unmeasured(planted_model()), testing::IsEmpty());
}

TEST(PlatformModel, PiecesHoldAboveTheirBreak) {
  const PlatformModel model = planted_model();
  EXPECT_EQ(line_at(model.half_round_trip, 0).from_bytes, 0);
  EXPECT_EQ(line_at(model.half_round_trip, 1420).from_bytes, 0);
  EXPECT_EQ(line_at(model.half_round_trip, 1421).from_bytes, 1420);
  EXPECT_EQ(line_at(model.half_round_trip, kMostBytes).from_bytes, 65536);
  EXPECT_DOUBLE_EQ(line_ns(model.send, 3000), 800 + 0.25 * 3000);
  EXPECT_DOUBLE_EQ(line_ns(model.send, 3001), 2000 + 0.125 * 3001);
}

TEST(PlatformModel, MissingOperationIsNamed) {
  PlatformModel model = planted_model();
  model.receive.clear();
  EXPECT_THAT(model_faults(model),
              ElementsAre("MPI_Recv: has no piece; measure it: nothing is guessed in its place"));
}

TEST(PlatformModel, BreaksThatSimGridCannotReadAreNamed) {
  PlatformModel model = planted_model();
  model.half_round_trip[0].from_bytes = 4;
  model.half_round_trip[1].from_bytes = 1420.5;
  model.half_round_trip[2].from_bytes = -1;
  model.half_round_trip[3].from_bytes = 2147483632;
  model.send[1].from_bytes = kNan;
  model.isend[2].from_bytes = 5000;
  EXPECT_THAT(
      model_faults(model, "between hosts"),
      ElementsAre(
          "between hosts, half round trip, piece 1: begins behind 4 bytes; the first piece begins "
          "at 0",
          "between hosts, half round trip, piece 2: begins behind 1420.5 bytes; give the last size "
          "before the break, a whole number",
          "between hosts, half round trip, piece 3: begins behind -1 bytes; SimGrid reads breaks "
          "from 0 to 2147483631 bytes",
          "between hosts, half round trip, piece 4: begins behind 2147483632 bytes; SimGrid reads "
          "breaks from 0 to 2147483631 bytes",
          "between hosts, MPI_Send, piece 2: begins behind nan bytes; give the last size before "
          "the break, a whole number",
          "between hosts, MPI_Isend, piece 3: begins behind 5000 bytes, the piece before it behind "
          "5000; order pieces by size"));
}

TEST(PlatformModel, LinesBelowZeroAreNamedWhereTheyAre) {
  PlatformModel model = planted_model();
  model.half_round_trip[3] = {.from_bytes = 65536, .intercept_ns = 1000, .slope_ns = -0.001};
  model.send[0].intercept_ns = -1;
  // Negative at 0, which is none of its sizes.
  model.receive[2] = {.from_bytes = 20000, .intercept_ns = -100, .slope_ns = 0.01};
  model.isend[1].slope_ns = kNan;
  EXPECT_THAT(model_faults(model),
              ElementsAre("half round trip, piece 4: is -2146483.647 ns at 2147483647 bytes; a "
                          "round trip takes time at every size of its piece",
                          "MPI_Send, piece 1: is -1 ns at 0 bytes; SimGrid takes a negative "
                          "overhead for none without a word",
                          "MPI_Isend, piece 2: is 1500 ns + nan ns a byte; give finite numbers"));
}

TEST(PlatformModel, RoundTripOfNoTimeIsRefusedAndOverheadOfNoneIsNot) {
  PlatformModel model = planted_model();
  model.send = {{}};
  model.half_round_trip = {{}};
  EXPECT_THAT(model_faults(model), ElementsAre(HasSubstr("half round trip, piece 1: is 0 ns")));
}

TEST(PlatformModel, ThresholdsBandwidthsAndCostsAreChecked) {
  PlatformModel model = planted_model();
  model.detached_bytes = std::uint64_t{1} << 31U;
  model.async_bytes = (std::uint64_t{1} << 31U) + 1;
  model.latency_ns = 0;
  model.pair_bandwidth_gb_s = -1;
  model.shared_bandwidth_gb_s = kNan;
  model.wtime_ns = 0;
  model.selector = "openmpi";
  EXPECT_THAT(
      model_faults(model),
      ElementsAre(
          "detached: 2147483648 bytes; SimGrid reads thresholds up to 2147483647",
          "async: 2147483649 bytes; SimGrid reads thresholds up to 2147483647",
          HasSubstr("async: 2147483649 bytes is above detached, 2147483648: smpirun aborts"),
          "latency: 0 is not a time in ns; give a finite number above 0",
          "bandwidth of a pair: -1 is not a bandwidth in GB/s; give a finite number above 0",
          "bandwidth of several pairs: nan is not a bandwidth in GB/s; give a finite number "
          "above 0",
          "MPI_Wtime: 0 is not a time in ns; give a finite number above 0",
          "selector: 'openmpi' is none; known: ompi, mpich, mvapich2, impi"));
}

TEST(PlatformModel, NoiseIsAMixture) {
  PlatformModel model = planted_model();
  model.send[0].noise = {{.share = 0.9, .factor = 1, .log_sd = 0.1},
                         {.share = 0.2, .factor = 3, .log_sd = 0}};
  model.send[1].noise = {{.share = 1, .factor = 0, .log_sd = -1}};
  EXPECT_THAT(
      model_faults(model),
      ElementsAre("MPI_Send, piece 1: the shares of its noise make 1.1; together they are 1",
                  "MPI_Send, piece 2: a part of its noise has share 1, factor 0, spread -1; "
                  "share and factor are above 0, the spread of the logarithm is 0 or more"));
}

TEST(PlatformModel, WhatNobodyMeasuredIsSaid) {
  PlatformModel model = planted_model();
  model.shared_bandwidth_gb_s.reset();
  model.detached_bytes.reset();
  model.async_bytes.reset();
  model.wtime_ns.reset();
  model.test_ns.reset();
  model.iprobe_ns.reset();
  model.selector.clear();
  EXPECT_EQ(unmeasured(model).size(), 7U);
  model.detached_bytes = 65536;
  EXPECT_THAT(unmeasured(model), testing::Contains(HasSubstr("those do whose MPI_Send waits")));
}

TEST(Interruptions, AreSaidWhereTheyAreMuchOfTheMean) {
  PlatformModel model = planted_model();
  EXPECT_EQ(interruptions_warning(model), "");
  // 2 us a message beside 9 us and more.
  model.interruptions = {.share = 0.001, .duration_ns = 2e6};
  EXPECT_NEAR(interrupted_share(model, 0), 2000.0 / 11000, 1e-12);
  EXPECT_THAT(interruptions_warning(model), HasSubstr("more than 5 % up to 8 KiB"));
  EXPECT_THAT(interruptions_warning(model), HasSubstr("0.1 % of messages take 2.00 ms longer"));
  model.interruptions.share = 0.0001;
  EXPECT_EQ(interruptions_warning(model), "") << "200 ns beside 9 us";
}

TEST(Interruptions, OfNoShareOrTimeAreFaults) {
  PlatformModel model = planted_model();
  model.interruptions = {.share = 2, .duration_ns = 1};
  EXPECT_THROW(check_model(model), base::UserError);
  model.interruptions = {.share = 0.5, .duration_ns = 0};
  EXPECT_THROW(check_model(model), base::UserError);
}

}  // namespace
}  // namespace invar::platform
