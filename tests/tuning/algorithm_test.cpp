#include "tuning/algorithm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/operations.hpp"
#include "tuning/variables.hpp"

namespace invar::tuning {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr Version kDebian{4, 1, 4};
constexpr Version kDebianMpich{4, 0, 2};

std::vector<std::string> names_of(Library library, const Version& version,
                                  const std::string& operation) {
  std::vector<std::string> names;
  for (const LibraryAlgorithm* row : algorithms_of(library, version, operation)) {
    names.emplace_back(row->name);
  }
  return names;
}

Candidate algorithm_called(const std::string& text) {
  return parse_candidate("algorithm:" + text).value.value();
}

std::string refusal_of(Library library, const Version& version, const std::string& operation,
                       const std::string& candidate) {
  try {
    static_cast<void>(
        forcing_variables(library, version, operation, parse_candidate(candidate).value.value()));
  } catch (const base::UserError& error) {
    return error.faults().front().text();
  }
  return "none";
}

TEST(LibraryAlgorithms, HaveOneNameAndOneNumberInEachVersion) {
  for (const Version& version :
       {Version{4, 0, 0}, kDebianMpich, kDebian, Version{4, 2, 3}, Version{4, 3, 2},
        Version{5, 0, 1}, Version{5, 0, 10}, Version{6, 0, 0}, Version{2021, 18, 0}}) {
    for (const Library library : kLibraries) {
      for (const std::string& operation : tunable_operations(library, version)) {
        std::set<std::string_view> names;
        std::set<std::string> told;
        for (const LibraryAlgorithm* row : algorithms_of(library, version, operation)) {
          EXPECT_TRUE(names.insert(row->name).second) << operation << ' ' << row->name;
          const std::string value =
              library == Library::kMpich ? std::string(row->item) : std::to_string(row->number);
          EXPECT_TRUE(told.insert(value).second) << operation << ' ' << value;
          EXPECT_EQ(library == Library::kMpich, !row->tree_name.empty()) << row->name;
          EXPECT_EQ(row->fanout != FanoutOf::kNothing, row->usual_fanout != 0) << row->name;
        }
      }
    }
  }
}

TEST(LibraryAlgorithms, NamesReadBackAsCandidates) {
  for (const LibraryAlgorithm& row : library_algorithms()) {
    const Candidate candidate = algorithm_called(std::string(row.name));
    EXPECT_EQ(candidate.name, row.name);
  }
}

TEST(LibraryAlgorithms, ReferencesAreAlgorithmsOfOurs) {
  const auto catalogue = base::read_file(INVAR_SOURCE_DIR "/src/ops/catalogue.def");
  ASSERT_TRUE(catalogue);
  std::set<std::string_view> references;
  for (const LibraryAlgorithm& row : library_algorithms()) {
    if (row.reference.empty()) continue;
    references.insert(row.reference);
    EXPECT_THAT(*catalogue, HasSubstr("INVAR_SCHEDULE(\"" + std::string(row.reference) + "\""))
        << row.name;
    EXPECT_TRUE(row.reference.starts_with(std::string(row.operation) + "@")) << row.reference;
  }
  EXPECT_GT(references.size(), 15U);
}

TEST(LibraryAlgorithms, FollowTheVersion) {
  EXPECT_THAT(names_of(Library::kOpenMpi, {4, 0, 7}, "scatter"), ElementsAre("linear", "binomial"));
  EXPECT_THAT(names_of(Library::kOpenMpi, kDebian, "scatter"),
              ElementsAre("linear", "binomial", "linear-nonblocking"));
  EXPECT_THAT(names_of(Library::kOpenMpi, {5, 0, 8}, "allgather"), Contains("sparbit"));
  EXPECT_THAT(
      names_of(Library::kMpich, kDebianMpich, "bcast"),
      ElementsAre("binomial", "scatter-allgather", "scatter-ring-allgather", "smp", "nonblocking"));
  EXPECT_EQ(find_algorithm(Library::kMpich, kDebianMpich, "barrier", "dissemination")->item,
            "dissemination");
  EXPECT_EQ(find_algorithm(Library::kMpich, {5, 0, 1}, "barrier", "dissemination")->item,
            "k_dissemination");
  EXPECT_EQ(find_algorithm(Library::kMpich, kDebianMpich, "allreduce", "ring"), nullptr);
  EXPECT_EQ(algorithms_of(Library::kIntel, {2021, 18, 0}, "bcast").size(), 22U);
}

TEST(LibraryAlgorithms, OperationsWithoutChoiceHaveNone) {
  EXPECT_TRUE(algorithms_of(Library::kOpenMpi, kDebian, "gatherv").empty());
  EXPECT_THAT(tunable_operations(Library::kOpenMpi, kDebian), Contains("reduce_scatter_block"));
}

TEST(RankNeeds, SayWhereAnAlgorithmRuns) {
  EXPECT_TRUE(allows(RankNeed::kAny, 7));
  EXPECT_TRUE(allows(RankNeed::kTwo, 2));
  EXPECT_FALSE(allows(RankNeed::kTwo, 4));
  EXPECT_TRUE(allows(RankNeed::kEven, 6));
  EXPECT_FALSE(allows(RankNeed::kEven, 7));
  EXPECT_TRUE(allows(RankNeed::kPowerOfTwo, 64));
  EXPECT_FALSE(allows(RankNeed::kPowerOfTwo, 63));
}

TEST(ForcingVariables, OpenMpiIsToldNumbers) {
  EXPECT_THAT(forcing_variables(Library::kOpenMpi, kDebian, "bcast",
                                algorithm_called("pipeline:segment=64")),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", "3"),
                          Pair("coll_tuned_bcast_algorithm_segmentsize", "64")));
  EXPECT_THAT(
      forcing_variables(Library::kOpenMpi, kDebian, "bcast", algorithm_called("chain:fanout=2")),
      ElementsAre(Pair("coll_tuned_bcast_algorithm", "2"),
                  Pair("coll_tuned_bcast_algorithm_chain_fanout", "2"),
                  Pair("coll_tuned_bcast_algorithm_segmentsize", "0")));
  EXPECT_EQ(environment_name(Library::kOpenMpi, "coll_tuned_bcast_algorithm"),
            "OMPI_MCA_coll_tuned_bcast_algorithm");
}

TEST(ForcingVariables, KnobsAreToldEvenWhereTheyAreUsual) {
  // What was told before would stay otherwise.
  EXPECT_THAT(forcing_variables(Library::kOpenMpi, kDebian, "bcast", algorithm_called("knomial")),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", "7"),
                          Pair("coll_tuned_bcast_algorithm_knomial_radix", "4"),
                          Pair("coll_tuned_bcast_algorithm_segmentsize", "0")));
}

TEST(ForcingVariables, MpichIsToldNames) {
  EXPECT_THAT(forcing_variables(Library::kMpich, kDebianMpich, "reduce_scatter_block",
                                algorithm_called("pairwise")),
              ElementsAre(Pair("MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM", "pairwise")));
  EXPECT_THAT(forcing_variables(Library::kMpich, {5, 0, 1}, "bcast",
                                algorithm_called("pipelined-tree:fanout=3:segment=4096")),
              ElementsAre(Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "pipelined_tree"),
                          Pair("MPIR_CVAR_BCAST_TREE_KVAL", "3"),
                          Pair("MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE", "4096")));
  EXPECT_THAT(enabling_variables(Library::kMpich, kDebianMpich, "bcast"),
              ElementsAre(Pair("MPIR_CVAR_COLLECTIVE_FALLBACK", "error"),
                          Pair("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", "0")));
}

TEST(ForcingVariables, DefaultsOfEachLibraryHaveAValue) {
  const Candidate standard{.kind = CandidateKind::kLibraryDefault};
  EXPECT_THAT(forcing_variables(Library::kOpenMpi, kDebian, "bcast", standard),
              ElementsAre(Pair("coll_tuned_bcast_algorithm", "0")));
  EXPECT_THAT(forcing_variables(Library::kMpich, kDebianMpich, "bcast", standard),
              ElementsAre(Pair("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "auto")));
  EXPECT_THAT(forcing_variables(Library::kIntel, {2021, 18, 0}, "bcast", standard),
              ElementsAre(Pair("I_MPI_ADJUST_BCAST", "-1")));
}

TEST(ForcingVariables, WhatThereIsNotIsRefused) {
  EXPECT_THAT(refusal_of(Library::kOpenMpi, kDebian, "bcast", "algorithm:binomia"),
              HasSubstr("did you mean 'binomial'?"));
  EXPECT_THAT(refusal_of(Library::kOpenMpi, kDebian, "gatherv", "algorithm:linear"),
              HasSubstr("it has none to choose from"));
  EXPECT_THAT(refusal_of(Library::kOpenMpi, kDebian, "allreduce", "algorithm:ring:segment=64"),
              HasSubstr("does not cut messages"));
  EXPECT_THAT(refusal_of(Library::kOpenMpi, kDebian, "bcast", "algorithm:pipeline:fanout=2"),
              HasSubstr("has no fan-out"));
  EXPECT_THAT(refusal_of(Library::kOpenMpi, kDebian, "bcast", "algorithm:knomial:fanout=1"),
              HasSubstr("fan-out 1 reaches nobody"));
  EXPECT_THAT(refusal_of(Library::kMpich, kDebianMpich, "bcast", "reference:bcast@chain"),
              HasSubstr("is not an algorithm of MPICH"));
  EXPECT_EQ(refusal_of(Library::kOpenMpi, kDebian, "bcast", "algorithm:chain:fanout=1"), "none");
}

TEST(Operations, HaveTheNamesThatMpiGivesThem) {
  EXPECT_EQ(mpi_name_of("reduce_scatter_block"), "MPI_Reduce_scatter_block");
  EXPECT_EQ(capitals_of("reduce_scatter_block"), "REDUCE_SCATTER_BLOCK");
  EXPECT_TRUE(combines("exscan"));
  EXPECT_FALSE(combines("bcast"));
}

TEST(Operations, EveryOneOfOpenMpiHasItsNumberInAFile) {
  for (const std::string& operation : tunable_operations(Library::kOpenMpi, {6, 0, 0})) {
    EXPECT_NE(find_open_mpi_operation(operation), nullptr) << operation;
  }
  EXPECT_EQ(find_open_mpi_operation("bcast")->number, 7);
}

}  // namespace
}  // namespace invar::tuning
