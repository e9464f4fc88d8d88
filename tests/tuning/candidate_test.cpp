#include "tuning/candidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuning/library.hpp"
#include "tuning/size_law.hpp"

namespace invar::tuning {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Candidate, EveryKindHasOneTextThatReadsBack) {
  const std::vector<std::pair<Candidate, std::string>> candidates{
      {{}, "default"},
      {{.kind = CandidateKind::kLibraryDefault}, "library-default"},
      {{.kind = CandidateKind::kAlgorithm, .name = "chain", .segment_bytes = 64},
       "algorithm:chain:segment=64"},
      {{.kind = CandidateKind::kAlgorithm, .name = "knomial", .fanout = 8, .segment_bytes = 1024},
       "algorithm:knomial:fanout=8:segment=1024"},
      {{.kind = CandidateKind::kMockup, .name = "allreduce=reduce+bcast"},
       "mockup:allreduce=reduce+bcast"},
      {{.kind = CandidateKind::kReference, .name = "allreduce@ring"}, "reference:allreduce@ring"},
  };
  for (const auto& [candidate, text] : candidates) {
    EXPECT_EQ(to_string(candidate), text);
    EXPECT_EQ(parse_candidate(text).value, candidate) << text;
  }
}

TEST(Candidate, OnlyWhatNoLibraryCanBeToldNeedsTheShim) {
  for (const char* text : {"default", "library-default", "algorithm:chain"}) {
    EXPECT_FALSE(needs_shim(*parse_candidate(text).value)) << text;
  }
  for (const char* text : {"mockup:allreduce=reduce+bcast", "reference:allreduce@ring"}) {
    EXPECT_TRUE(needs_shim(*parse_candidate(text).value)) << text;
  }
}

TEST(Candidate, AbsentColumnMeansTheArmAsItWasGiven) {
  EXPECT_EQ(to_string(Candidate{}), kAsGivenText);
}

TEST(Candidate, KnobsMayStandInAnyOrder) {
  EXPECT_EQ(parse_candidate("algorithm:chain:segment=64:fanout=2").value,
            parse_candidate("algorithm:chain:fanout=2:segment=64").value);
}

TEST(Candidate, WhatIsNoneSaysWhyAndWhatThereIs) {
  EXPECT_THAT(parse_candidate("").error, HasSubstr("algorithm:NAME"));
  EXPECT_THAT(parse_candidate("chain").error,
              AllOf(HasSubstr("'chain' is not a candidate"), HasSubstr("algorithm:NAME")));
  EXPECT_THAT(parse_candidate("algorithm:").error, HasSubstr("a name is missing"));
  EXPECT_THAT(parse_candidate("algorithm").error, HasSubstr("a name is missing"));
  EXPECT_THAT(parse_candidate("default:chain").error, HasSubstr("nothing stands behind default"));
  EXPECT_THAT(parse_candidate("algorithm:chain:segments=64").error,
              HasSubstr("neither fanout=N nor segment=BYTES"));
  EXPECT_THAT(parse_candidate("algorithm:chain:segment=0").error, HasSubstr("above 0"));
  EXPECT_THAT(parse_candidate("algorithm:chain:segment=-1").error, HasSubstr("above 0"));
  EXPECT_THAT(parse_candidate("algorithm:chain:segment=1:segment=2").error,
              HasSubstr("stands twice"));
  EXPECT_THAT(parse_candidate("algorithm:chain:fanout=4294967296").error, HasSubstr("too large"));
}

TEST(TunedLibrary, IsFoundByTheFamilyOfItsProfile) {
  for (const Library library : kLibraries) EXPECT_EQ(find_library(family_of(library)), library);
  EXPECT_EQ(find_library("other"), std::nullopt);
}

TEST(LibraryVersion, IsTheFirstNumberWithAPoint) {
  EXPECT_EQ(parse_version("4.1.4"), (Version{4, 1, 4}));
  EXPECT_EQ(parse_version("Open MPI v5.0.8rc1, package: Open MPI root@host, 2026"),
            (Version{5, 0, 8}));
  EXPECT_EQ(parse_version("Intel(R) MPI Library 2021.18 for Linux* OS"), (Version{2021, 18, 0}));
  EXPECT_EQ(parse_version("MPICH Version: 4.0.2"), (Version{4, 0, 2}));
  EXPECT_EQ(parse_version("no 3 numbers with 1 point."), std::nullopt);
  EXPECT_EQ(parse_version("99999999999.1"), std::nullopt);
}

TEST(LibraryVersion, IsOrderedAsReleasesAre) {
  EXPECT_LT((Version{4, 1, 8}), (Version{5, 0, 0}));
  EXPECT_LT((Version{5, 0, 7}), (Version{5, 0, 10}));
}

TEST(SizeLaw, EveryWordReadsBack) {
  for (const SizeLaw law : {SizeLaw::kBlock, SizeLaw::kBlockTimesRanks, SizeLaw::kBlockPerRank,
                            SizeLaw::kSumOfCounts, SizeLaw::kTypeTimesRanks, SizeLaw::kNothing}) {
    EXPECT_EQ(parse_size_law(to_string(law)), law);
  }
  EXPECT_EQ(parse_size_law("bytes"), std::nullopt);
}

TEST(SizeLaw, SaysWhatIsComparedForEqualBlocks) {
  EXPECT_EQ(compared_bytes(SizeLaw::kBlock, 100, 7), 100U);
  EXPECT_EQ(compared_bytes(SizeLaw::kBlockPerRank, 100, 7), 100U);
  EXPECT_EQ(compared_bytes(SizeLaw::kBlockTimesRanks, 100, 7), 700U);
  EXPECT_EQ(compared_bytes(SizeLaw::kSumOfCounts, 100, 7), 700U);
  EXPECT_EQ(compared_bytes(SizeLaw::kTypeTimesRanks, 100, 7), std::nullopt);
  EXPECT_EQ(compared_bytes(SizeLaw::kNothing, 100, 7), std::nullopt);
}

TEST(SizeLaw, ProductThatDoesNotFitIsNone) {
  EXPECT_EQ(compared_bytes(SizeLaw::kBlockTimesRanks, std::uint64_t{1} << 62U, 4), std::nullopt);
}

TEST(SizeLaw, LibrariesDifferInWhatTheyCompare) {
  const Version any{4, 1, 4};
  EXPECT_EQ(expected_size_law(Library::kOpenMpi, any, "alltoall"), SizeLaw::kBlockTimesRanks);
  EXPECT_EQ(expected_size_law(Library::kMpich, any, "alltoall"), SizeLaw::kBlock);
  EXPECT_EQ(expected_size_law(Library::kOpenMpi, any, "scan"), SizeLaw::kTypeTimesRanks);
  EXPECT_EQ(expected_size_law(Library::kMpich, any, "gather"), std::nullopt);
}

}  // namespace
}  // namespace invar::tuning
