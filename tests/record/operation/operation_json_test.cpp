// What is known of an operation, written and read again.
#include "record/operation/operation_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace invar::record {
namespace {

using testing::HasSubstr;

OperationInfo handover() {
  const Buffers all{
      .send = {.per_rank = 1},
      .recv = {.per_rank = 1, .shares = 2},
      .scratch = {.per_neighbour = 3, .shares_per_rank = 4, .per_message = 5, .per_packed = 6}};
  return {.name = "handover",
          .summary = "\"hands over\"",
          .sized = true,
          .rooted = true,
          .reduces = true,
          .in_place = true,
          .neighbours = true,
          .persistent = true,
          .form_of = "pass",
          .datatypes = {{.name = "gaps",
                         .size_bytes = 16,
                         .extent_bytes = 32,
                         .reductions = {"sum", "max"},
                         .ordered = {"max"}}},
          .emulates = "sendrecv",
          .parts = {{.operation = "send", .size = PartSize::kShare}, {.operation = "recv"}},
          .splits = 4,
          .chain = Chain::kOne,
          .buffers = {.others = all, .root = {.send = {.constant = 1}}, .root_in_place = all},
          .arrays = Arrays::kTyped,
          .distributes = Distributes::kPairs,
          .large_counts = true,
          .counted = {.per_rank = 1},
          .counts_bytes = true,
          .rank_counts = RankCounts::kEven,
          .reorders = true,
          .segments = Segments::kOfShare,
          .hosts = HostNeed::kEven,
          .messages = Messages::kPairs,
          .copies = true,
          .both_ways = true,
          .windowed = true,
          .delays = true,
          .overlaps = true,
          .overheads = true,
          .chooses = CallChoice::kNothing,
          .requests = 2,
          .roles = {{.role = Role::kAnswers, .ranks = Ranks::kFromEnd, .number = 1},
                    {.role = Role::kStandsBy, .ranks = Ranks::kUpperHalf}},
          .marks = {{.name = "posted", .summary = "both are on their way"}},
          .optional_marks = true,
          .times = {{.name = "one way",
                     .summary = "from start to end",
                     .kind = TimeKind::kAcross,
                     .from_role = Role::kStarts,
                     .from = "posted",
                     .to_role = Role::kAnswers,
                     .to = "end"},
                    {.name = "pair", .kind = TimeKind::kPair},
                    {.name = "last", .kind = TimeKind::kLast}},
          .missing = "MPI 4 has it"};
}

std::string text_of(const OperationInfo& info) {
  base::JsonWriter json;
  write_operation(json, info);
  return json.text();
}

TEST(OperationJson, IsReadAsItWasWritten) {
  for (const OperationInfo& info :
       {handover(), OperationInfo{.name = "x", .times = usual_times()},
        OperationInfo{.name = "y", .chain = Chain::kRing, .times = usual_times()},
        OperationInfo{.name = "z", .chooses = CallChoice::kReceives, .times = usual_times()}}) {
    EXPECT_EQ(operation_from(nlohmann::json::parse(text_of(info))), info) << info.name;
    EXPECT_EQ(operation_from(nlohmann::ordered_json::parse(text_of(info))), info) << info.name;
  }
}

// So a profile of today is that of yesterday for all operations that there were.
TEST(OperationJson, OfAnOperationWithoutMessagesDoesNotSpeakOfThem) {
  const std::string text = text_of({.name = "x", .times = usual_times()});
  for (const char* key : {"messages", "copies", "both_ways", "windowed", "chooses", "delays",
                          "overheads", "overlaps", "per_message"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
}

TEST(OperationJson, OfAnEarlierVersionHasOneTimeAndNoRoles) {
  const auto json = nlohmann::json::parse(
      R"({"name": "bcast", "summary": "s", "sized": true, "rooted": true, "reduces": false,
          "in_place": false, "neighbours": false, "persistent": false, "missing": "",
          "datatypes": [{"name": "int32", "size_bytes": 4, "reductions": []}]})");
  const OperationInfo info = operation_from(json);
  EXPECT_EQ(info.times, usual_times());
  EXPECT_TRUE(info.roles.empty() && info.marks.empty());
  EXPECT_EQ(info.distributes, Distributes::kNothing);
  EXPECT_FALSE(info.large_counts);
  EXPECT_TRUE(info.parts.empty());
  EXPECT_EQ(info.counted, Blocks{.constant = 1}) << "its own count is the largest";
  EXPECT_EQ(info.hosts, HostNeed::kAny);
  EXPECT_EQ(info.rank_counts, RankCounts::kAny);
  EXPECT_FALSE(info.reorders);
  EXPECT_EQ(info.segments, Segments::kNone);
  EXPECT_EQ(info.chooses, CallChoice::kCalls) << "of messages there were no others";
  EXPECT_EQ(info.datatypes.front().extent_bytes, 4U) << "there were no gaps to tell of";
}

TEST(OperationJson, WordsOfANewerVersionAreNamed) {
  for (const char* key : {"chain", "arrays", "distributes", "rank_counts", "segments", "hosts",
                          "size", "role", "ranks", "kind", "from_role", "to_role"}) {
    auto json = nlohmann::json::parse(text_of(handover()));
    for (nlohmann::json* at : {&json, &json["parts"][0], &json["roles"][0], &json["times"][0]}) {
      if (at->contains(key)) (*at)[key] = "dances";
    }
    try {
      operation_from(json);
      FAIL() << key;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("'dances' is unknown")) << key;
    }
  }
}

TEST(OperationJson, WhatLacksAKeyIsNone) {
  auto json = nlohmann::json::parse(text_of(handover()));
  json["buffers"].erase("root");
  EXPECT_THROW(operation_from(json), nlohmann::json::exception);
}

}  // namespace
}  // namespace invar::record
