// Which operations have the factors of messages, and which levels exclude each other.
#include "record/p2p/message_factors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "record/factors.hpp"

namespace invar::record {
namespace {

using testing::HasSubstr;

OperationInfo stream_info() {
  OperationInfo info{.name = "stream", .messages = Messages::kDirected, .windowed = true};
  info.datatypes = {{.name = "byte"}, {.name = "vector", .size_bytes = 16, .extent_bytes = 32}};
  return info;
}

TEST(MessageFactors, AreThoseOfOperationsThatSendMessages) {
  const OperationInfo bcast{.name = "bcast"};
  OperationInfo halo{.name = "halo", .messages = Messages::kPartners};
  halo.overlaps = true;
  for (const char* key : {"pattern", "form", "send-mode", "source", "tag", "receives", "pending",
                          "unexpected", "packing", "others"}) {
    const Factor& factor = *find_factor_by_key(key);
    EXPECT_FALSE(factor.applies(bcast)) << key;
    EXPECT_TRUE(factor.applies(halo) && factor.applies(stream_info())) << key;
  }
  EXPECT_TRUE(find_factor("window")->applies(stream_info()));
  EXPECT_FALSE(find_factor("window")->applies(halo));
  EXPECT_TRUE(find_factor("cold_side")->applies(stream_info()));
  EXPECT_FALSE(find_factor("cold_side")->applies(halo)) << "all of them send and receive";
  for (const char* key : {"compute", "compute-kernel", "compute-side", "progress-calls"}) {
    EXPECT_TRUE(find_factor_by_key(key)->applies(halo)) << key;
    EXPECT_FALSE(find_factor_by_key(key)->applies(stream_info())) << key;
  }
}

TEST(MessageFactors, UsualLevelsFollowFromTheOperation) {
  EXPECT_EQ(pattern_of_operation(stream_info(), {}).text, "distance:1");
  EXPECT_EQ(pattern_of_operation({.messages = Messages::kPartners}, {}).text, "grid:1");
  EXPECT_EQ(window_of_operation(stream_info(), {}).text, "64");
  EXPECT_EQ(form_of_operation(stream_info(), {}).text, "non-blocking");
  EXPECT_FALSE(form_of_operation({.name = "oneway"}, {}).text) << "as cells have it: blocking";
}

// What copies in the place of sending has pairs, and none of the ways to send.
TEST(MessageFactors, OfWhatCopiesAreThoseOfItsPairs) {
  const OperationInfo copies{.name = "memcpy", .messages = Messages::kMatched, .copies = true};
  for (const char* key : {"pattern", "others", "cold-side"}) {
    EXPECT_TRUE(find_factor_by_key(key)->applies(copies)) << key;
  }
  for (const char* key : {"form", "send-mode", "source", "tag", "receives", "pending", "unexpected",
                          "packing", "window", "compute"}) {
    EXPECT_FALSE(find_factor_by_key(key)->applies(copies)) << key;
  }
}

// What is called in one way has no other one, and nobody measures it under the name of another.
TEST(MessageFactors, OfCallsAreThoseOfOperationsWhoseCellsChooseThem) {
  OperationInfo send{
      .name = "send", .messages = Messages::kPairs, .chooses = CallChoice::kReceives};
  for (const char* key : {"form", "send-mode", "packing", "window", "train-delay", "compute"}) {
    EXPECT_FALSE(find_factor_by_key(key)->applies(send)) << key;
  }
  for (const char* key :
       {"pattern", "source", "tag", "receives", "pending", "unexpected", "others", "cold-side"}) {
    EXPECT_TRUE(find_factor_by_key(key)->applies(send)) << key;
  }
  send.chooses = CallChoice::kNothing;
  EXPECT_FALSE(find_factor_by_key("receives")->applies(send));
  EXPECT_TRUE(find_factor_by_key("source")->applies(send));
  EXPECT_FALSE(find_factor_by_key("train-delay")->applies(stream_info()));
  OperationInfo train = stream_info();
  train.delays = true;
  EXPECT_TRUE(find_factor_by_key("train-delay")->applies(train));
}

TEST(CheckPattern, SaysOfWhichOperation) {
  EXPECT_EQ(check_pattern(stream_info(), {.ranks = 4, .pattern = "bisection"}).complaint, "");
  EXPECT_EQ(check_pattern(stream_info(), {.ranks = 3, .pattern = "bisection"}).complaint,
            "stream: pattern 'bisection' needs an even number of ranks, not 3");
}

TEST(CheckReceives, OfMpiSendrecvAndOfAProbeAreNeverPostedBefore) {
  const auto checked = [](const char* form, const char* mode, const char* receives) {
    return check_receives(stream_info(), {.form = form, .send_mode = mode, .receives = receives});
  };
  EXPECT_EQ(checked("persistent", "ready", "before").complaint, "");
  EXPECT_THAT(checked("sendrecv", "standard", "before").complaint,
              HasSubstr("posts its receive itself"));
  const LevelText mode = checked("sendrecv", "synchronous", "in-call");
  EXPECT_THAT(mode.complaint, HasSubstr("has the standard mode alone"));
  EXPECT_EQ(mode.blamed_key, "send-mode");
  EXPECT_THAT(checked("matched-probe", "standard", "before").complaint,
              HasSubstr("has no receive before"));
}

TEST(CheckPacking, NeedsADatatypeWithGaps) {
  EXPECT_EQ(check_packing(stream_info(), {.datatype = "vector", .packing = "mpi"}).complaint, "");
  EXPECT_EQ(check_packing(stream_info(), {.datatype = "byte", .packing = "type"}).complaint, "");
  EXPECT_THAT(check_packing(stream_info(), {.datatype = "byte", .packing = "hand"}).complaint,
              HasSubstr("datatype 'byte' has no gaps"));
}

TEST(CheckCompute, OfMessagesNeedsAFormWithAStartAndAnEnd) {
  const auto checked = [](const char* form, const char* compute) {
    return check_compute(stream_info(), {.form = form, .compute = compute}).complaint;
  };
  EXPECT_EQ(checked("non-blocking", "10000ns"), "");
  EXPECT_EQ(checked("persistent", "only:1x"), "");
  EXPECT_EQ(checked("blocking", "off"), "");
  for (const char* form : {"blocking", "sendrecv", "matched-probe"}) {
    EXPECT_THAT(checked(form, "10000ns"),
                HasSubstr("form = \"" + std::string(form) + "\" has no start and end"));
  }
  EXPECT_EQ(check_compute({.name = "ibcast"}, {.compute = "1x"}).complaint, "")
      << "its form is its name";
}

TEST(CheckComputeSide, NeedsRanksThatAnswer) {
  EXPECT_EQ(check_compute_side(stream_info(), {.compute_side = "answers"}).complaint, "");
  EXPECT_EQ(check_compute_side({.name = "ibcast"}, {.compute_side = "both"}).complaint, "");
  EXPECT_THAT(check_compute_side({.name = "ibcast"}, {.compute_side = "starts"}).complaint,
              HasSubstr("ibcast: all its ranks start, and none answers"));
  // Else nobody would compute, under the name of some computation.
  const OperationInfo halo{.name = "halo", .messages = Messages::kPartners};
  const LevelText lack =
      check_compute_side(halo, {.ranks = 4, .pattern = "grid:1", .compute_side = "answers"});
  EXPECT_EQ(lack.complaint, "halo: all its ranks start, and none answers in pattern 'grid:1'");
  EXPECT_EQ(
      check_compute_side(stream_info(), {.ranks = 3, .pattern = "ring", .compute_side = "starts"})
          .remedy,
      "leave compute-side out, or write a pattern of pairs");
  EXPECT_EQ(check_compute_side(stream_info(),
                               {.ranks = 3, .pattern = "fan-in:2", .compute_side = "answers"})
                .complaint,
            "");
}

TEST(MessageFactors, NeedEveryCallByItselfWhereReceivesArePostedOrOfSeveral) {
  EXPECT_EQ(factor_before_each_call({.receives = "before"}), find_factor("receives"));
  EXPECT_EQ(factor_before_each_call({.ranks = 3, .pattern = "grid:1", .source = "any"}),
            find_factor("source"));
  EXPECT_EQ(factor_before_each_call({.pending = "same:16", .unexpected = "other:3"}), nullptr)
      << "queues are filled once a visit";
}

TEST(TakesFromSeveral, WhoseReceivesNameNobodyAndWhoseSendersAreTwo) {
  const auto takes = [](const char* pattern, std::uint32_t ranks, Messages messages) {
    return takes_from_several({.ranks = ranks, .pattern = pattern, .source = "any"}, messages);
  };
  EXPECT_TRUE(takes("", 3, Messages::kPartners)) << "the usual circle";
  EXPECT_TRUE(takes("partners:4", 4, Messages::kPartners));
  EXPECT_TRUE(takes("fan-in:2", 3, Messages::kDirected));
  EXPECT_FALSE(takes("", 2, Messages::kPartners)) << "both neighbours are one rank";
  EXPECT_FALSE(takes("fan-in:1", 3, Messages::kDirected));
  EXPECT_FALSE(takes("fan-out:2", 3, Messages::kDirected));
  EXPECT_FALSE(takes("ring", 3, Messages::kDirected));
  EXPECT_FALSE(takes("bisection", 4, Messages::kMatched));
  EXPECT_FALSE(takes("grid:2", 5, Messages::kPartners)) << "there is no such grid";
  EXPECT_FALSE(takes("", 3, Messages::kNone));
  EXPECT_FALSE(takes_from_several({.ranks = 3, .pattern = "grid:1"}, Messages::kPartners));
}

// All steps of a ring's ranks end, in whatever order messages come; those of a torus need not.
TEST(MayWaitInACircle, IsMpiSendrecvFromAnybodyOfMoreThanTwoNeighbours) {
  const auto may = [](const char* pattern, const char* form, const char* source) {
    return may_wait_in_a_circle({.ranks = 9, .pattern = pattern, .form = form, .source = source},
                                Messages::kPartners);
  };
  EXPECT_TRUE(may("grid:2", "sendrecv", "any") && may("partners:4", "sendrecv", "any"));
  EXPECT_FALSE(may("grid:2", "sendrecv", "specific") || may("grid:2", "non-blocking", "any"));
  EXPECT_FALSE(may("grid:1", "sendrecv", "any") || may("partners:2", "sendrecv", "any"));
  EXPECT_FALSE(
      may_wait_in_a_circle({.ranks = 9, .pattern = "fan-in:8", .form = "sendrecv", .source = "any"},
                           Messages::kDirected))
      << "who receives sends nothing";
}

TEST(MessageFactors, ComputationIsCountedInExpectedTimes) {
  EXPECT_NEAR(compute_seconds({.compute = "10000ns"}, 1e-3), 1e-5, 1e-15);
  EXPECT_NEAR(compute_seconds({.compute = "only:0.5x"}, 1e-3), 5e-4, 1e-15);
  EXPECT_EQ(compute_seconds({}, 1e-3), 0);
}

TEST(MessageFactors, ColumnsTakeKnownLevelsAlone) {
  const auto takes = [](const char* name, const char* level) {
    Cell cell;
    return find_factor(name)->parse(cell, level);
  };
  EXPECT_TRUE(takes("pattern", "") && takes("pattern", "matching:3:back"));
  EXPECT_FALSE(takes("pattern", "all-pairs")) << "a list is not a level of a cell";
  EXPECT_FALSE(takes("form", "Blocking") || takes("send_mode", "") || takes("source", "none"));
  EXPECT_FALSE(takes("unexpected", "any:3"));
  EXPECT_TRUE(takes("window", "1024"));
  EXPECT_FALSE(takes("window", "0") || takes("window", "1025") || takes("window", "x"));
  EXPECT_FALSE(takes("compute", "10us") || takes("compute_side", "left"));
  EXPECT_TRUE(takes("train_delay", "off") && takes("train_delay", "1x"));
  EXPECT_FALSE(takes("train_delay", "10us") || takes("train_delay", ""));
}

}  // namespace
}  // namespace invar::record
