// Launches that try algorithms, some of which end them or never come back: each costs itself alone.
#include "launch/algorithms/try_all.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "launch/algorithms/proofs.hpp"
#include "launch/algorithms/seen_traffic.hpp"
#include "tuning/algorithm.hpp"

namespace invar::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Stands for a launch: operations named "crash" end it, those named "hang" stop it, "wrong" fail,
// and behind "poison" everything ends it.
class Pretended {
 public:
  TriedLaunch operator()(const std::vector<record::Try>& tries) {
    ++launches;
    TriedLaunch launched;
    for (std::size_t i = 0; i < tries.size(); ++i) {
      const std::string number = std::to_string(i);
      launched.tried += R"({"try":)" + number + R"(,"begun":true})" + '\n';
      const bool poisoned = i > 0 && tries[i - 1].operation == "poison";
      if (poisoned || tries[i].operation == "crash") {
        launched.problem = "exit status 139";
        return launched;
      }
      if (tries[i].operation == "hang") {
        launched.problem = "hung: nothing came for 60 s";
        return launched;
      }
      const std::string failure = tries[i].operation == "wrong" ? "recv byte 0" : "";
      launched.tried +=
          R"({"try":)" + number + R"(,"failure":")" + failure + R"(","median_ns":null})" + '\n';
    }
    return launched;
  }

  int launches = 0;
};

std::vector<std::string> failures_of(const std::vector<std::string>& operations,
                                     Pretended& pretended) {
  std::vector<record::Try> tries;
  tries.reserve(operations.size());
  for (const std::string& operation : operations) tries.push_back({.operation = operation});
  std::vector<std::string> failures;
  for (const TryResult& result : try_all(tries, std::ref(pretended))) {
    failures.push_back(result.failure);
  }
  return failures;
}

TEST(TryAll, OneLaunchTriesAllThatComeBack) {
  Pretended pretended;
  EXPECT_THAT(failures_of({"fine", "wrong", "fine"}, pretended),
              ElementsAre("", "recv byte 0", ""));
  EXPECT_EQ(pretended.launches, 1);
  EXPECT_THAT(failures_of({}, pretended), IsEmpty());
  EXPECT_EQ(pretended.launches, 1) << "nothing is started for nothing";
}

TEST(TryAll, WhatCrashesOrHangsCostsItselfAlone) {
  Pretended pretended;
  EXPECT_THAT(failures_of({"fine", "crash", "fine", "hang", "wrong"}, pretended),
              ElementsAre("", HasSubstr("ended the launch: exit status 139"), "", HasSubstr("hung"),
                          "recv byte 0"));
  EXPECT_EQ(pretended.launches, 4) << "what crashed behind another one begins the next";
}

TEST(TryAll, ACrashIsNotBlamedOnWhatWasTriedBehindItsCause) {
  Pretended pretended;
  EXPECT_THAT(failures_of({"poison", "fine", "crash"}, pretended),
              ElementsAre("", "", HasSubstr("ended the launch")));
  EXPECT_EQ(pretended.launches, 3);
}

TEST(TryAll, ALaunchThatNeverBeginsIsNotRepeated) {
  int launches = 0;
  const std::vector<record::Try> tries(3, record::Try{.operation = "bcast"});
  const std::vector<TryResult> results = try_all(tries, [&](const std::vector<record::Try>&) {
    ++launches;
    return TriedLaunch{.problem = "exit status 1: no slots"};
  });
  EXPECT_EQ(launches, 1);
  for (const TryResult& result : results) EXPECT_THAT(result.failure, HasSubstr("no slots"));
}

TEST(TriedLines, ThatAreCutOffAreNoAnswer) {
  const TriedLines read = read_tried(
      "{\"try\":0,\"begun\":true}\n"
      "{\"try\":0,\"failure\":\"\",\"median_ns\":812.5}\n"
      "{\"try\":1,\"begun\":true}\n{\"try\":1,\"fail",
      2);
  ASSERT_TRUE(read.results[0].has_value());
  EXPECT_EQ(read.results[0]->median_ns, 812.5);
  EXPECT_FALSE(read.results[1].has_value());
  EXPECT_EQ(read.begun, 1U);
  const TriedLines others = read_tried("{\"try\":7,\"failure\":\"\"}\n[]\nnull\n", 2);
  EXPECT_FALSE(others.results[0] || others.results[1] || others.begun);
}

ToldLevel told(const std::string& level) {
  return {.asked = {.operation = "bcast", .level = level},
          .told = {.operation = "bcast", .level = level, .variables = {{"v", 1}}}};
}

// What the library says of a try, by level and what is tried.
std::vector<TryResult> library_says(const std::vector<record::Try>& tries) {
  std::vector<TryResult> results;
  for (const record::Try& one : tries) {
    const record::AlgorithmSwitch level = record::read_switch(one.switched, "try");
    TryResult& result = results.emplace_back();
    if (level.level == "algorithm:wrong") result.failure = "recv byte 0";
    const bool ordered = one.kind == record::TryKind::kCheckOrdered;
    if (level.level == "algorithm:disordered" && ordered) result.failure = "recv byte 4";
    const bool few = one.kind == record::TryKind::kCheck && one.size_bytes < 1024;
    if (level.level == "algorithm:picky" && few) {
      result.failure = "rank 0: bcast returned error 15: fallback";
    }
    if (level.level == "algorithm:closed") result.failure = "rank 0: bcast returned error 15: no";
  }
  return results;
}

std::vector<Proof> proofs_of(const std::vector<std::string>& names) {
  std::vector<ToldLevel> levels;
  levels.reserve(names.size());
  for (const std::string& name : names) levels.push_back(told("algorithm:" + name));
  return prove_levels(levels, std::vector<std::uint64_t>{8, 1024, 65536}, library_says);
}

TEST(Proofs, AreOfEachLevelByItself) {
  const std::vector<Proof> proofs = proofs_of({"fine", "wrong", "disordered"});
  EXPECT_EQ(proofs[0].failure, "");
  EXPECT_EQ(proofs[1].failure, "recv byte 0");
  EXPECT_THAT(proofs[1].refused_sizes, IsEmpty()) << "a wrong result is not a refusal";
  EXPECT_EQ(proofs[2].failure, "") << "what is measured commutes";
  EXPECT_EQ(proofs[2].ordered_failure, "recv byte 4");
  EXPECT_EQ(proofs[2].empty_failure, "");
}

TEST(Proofs, ARefusalCostsTheSizesThatAreRefused) {
  const std::vector<Proof> proofs = proofs_of({"picky", "closed"});
  EXPECT_EQ(proofs[0].failure, "");
  ASSERT_EQ(proofs[0].refused_sizes.size(), 1U);
  EXPECT_TRUE(proofs[0].refused_sizes.contains(8));
  EXPECT_THAT(proofs[1].failure, HasSubstr("returned error"));
  EXPECT_EQ(proofs[1].refused_sizes.size(), 3U);
}

// All but one of these algorithms of MPICH would be refused there.
TEST(Proofs, OfAlltoallOfMpichAreOfCallsThatAreNotInPlace) {
  const auto asks_in_place = [](tuning::Library library, const std::string& operation,
                                const std::string& name) {
    const tuning::Version version{.generation = 4, .feature = 1, .fix = 4};
    ToldLevel level{.asked = {.operation = operation, .level = "algorithm:" + name}};
    level.algorithm = tuning::find_algorithm(library, version, operation, name);
    EXPECT_NE(level.algorithm, nullptr) << name;
    bool any = false;
    const auto look = [&](const std::vector<record::Try>& tries) {
      for (const record::Try& one : tries) any = any || one.in_place;
      return std::vector<TryResult>(tries.size());
    };
    (void)prove_levels(std::span(&level, 1), {}, look);
    return any;
  };
  EXPECT_FALSE(asks_in_place(tuning::Library::kMpich, "alltoall", "pairwise"));
  EXPECT_TRUE(asks_in_place(tuning::Library::kMpich, "allgather", "ring"));
  EXPECT_TRUE(asks_in_place(tuning::Library::kOpenMpi, "alltoall", "pairwise"));
}

TEST(TrafficLaunches, ShareRanksAsTheyCome) {
  const std::vector<TrafficOrder> orders{{.ranks = 4}, {.ranks = 4}, {.ranks = 8}, {.ranks = 16}};
  EXPECT_THAT(traffic_launches(orders, 8),
              ElementsAre(ElementsAre(0U, 1U), ElementsAre(2U), ElementsAre(3U)))
      << "one that is larger than that is alone";
  EXPECT_THAT(traffic_launches({}, 8), IsEmpty());
}

constexpr const char* kTrafficJson = R"({"counts":true,"tries":[
  {"try":0,"first_rank":0,"ranks":2,"failure":"","references":[
    {"name":"bcast@chain","segment_bytes":0,"order":"a","messages":[[0,1,1,8]]}]},
  {"try":1,"first_rank":2,"ranks":2,"failure":"bcast returned error 5: no","references":[]}]})";

TEST(ReadTraffic, GivesEachOrderItsOwnRanks) {
  const tuning::Traffic world{{.from = 0, .to = 1, .messages = 1, .bytes = 8},
                              {.from = 3, .to = 2, .messages = 2, .bytes = 16}};
  const std::vector<SeenTraffic> seen = read_traffic(kTrafficJson, world, 2);
  EXPECT_EQ(seen[0].why_not, "");
  EXPECT_EQ(seen[0].messages, seen[0].references.at(0).messages);
  EXPECT_EQ(seen[0].references.at(0).name, "bcast@chain");
  EXPECT_THAT(seen[1].why_not, HasSubstr("returned error"));
  EXPECT_EQ(seen[1].messages.at(0).from, 1);
}

TEST(ReadTraffic, ALibraryThatCannotCountSaysWhy) {
  const auto seen = read_traffic(R"({"counts":false,"why":"no component"})", {}, 2);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[1].why_not, "no component");
  for (const char* text :
       {"", "[]", R"({"counts":true})", R"({"counts":true,"tries":[{"try":5}]})"}) {
    EXPECT_THROW((void)read_traffic(text, {}, 2), base::UserError) << text;
  }
}

}  // namespace
}  // namespace invar::launch
