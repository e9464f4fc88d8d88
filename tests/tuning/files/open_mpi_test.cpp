#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/classic_reader.hpp"
#include "tuning/files/measured.hpp"
#include "tuning/files/rules_json_reader.hpp"

namespace invar::tuning {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr Version kDebianOpenMpi{4, 1, 4};
constexpr Version kWithHeader{5, 0, 8};
constexpr Version kWithJson{6, 0, 0};

// COLLTYPE of coll_base_functions.h.
const std::map<std::string, int>& collective_numbers() {
  static const std::map<std::string, int> numbers{
      {"allgather", 0}, {"allgatherv", 1}, {"allreduce", 2},       {"alltoall", 3},
      {"alltoallv", 4}, {"barrier", 6},    {"bcast", 7},           {"exscan", 8},
      {"gather", 9},    {"reduce", 11},    {"reduce_scatter", 12}, {"reduce_scatter_block", 13},
      {"scan", 14},     {"scatter", 15}};
  return numbers;
}

TuningRequest open_mpi_request(DecisionTable table, const Version& version = kDebianOpenMpi) {
  return {.table = std::move(table),
          .library = Library::kOpenMpi,
          .version = version,
          .laws = learned_laws(Library::kOpenMpi, version),
          .path = "/home/user/t/rules.conf"};
}

// What a rule must say for the entry.
std::string rule_of(const Version& version, const Entry& entry) {
  const LibraryAlgorithm* row =
      find_algorithm(Library::kOpenMpi, version, entry.operation, entry.candidate.name);
  std::uint32_t fanout = entry.candidate.fanout;
  if (fanout == 0) fanout = row->usual_fanout;
  if (row->name == "knomial" && entry.operation == "bcast") fanout = 0;  // a variable says it
  return std::to_string(row->number) + '/' + std::to_string(fanout) + '/' +
         std::to_string(entry.candidate.segment_bytes);
}

// Every cell of 1 to 64 ranks, by `decide(operation, ranks, bytes)`.
template <typename Decide>
void expect_what_was_measured(const TuningRequest& request, const TunedFile& file,
                              const std::string& otherwise, Decide decide) {
  std::size_t decided = 0;
  for (const auto& [operation, number] : collective_numbers()) {
    for (std::uint32_t ranks = 1; ranks <= kMostTestedRanks; ++ranks) {
      for (const std::uint64_t block : tested_sizes(request.table, operation, ranks)) {
        const Entry* entry = written_for(file, operation, ranks, block);
        const std::uint64_t bytes =
            bytes_that_library_sees(Library::kOpenMpi, operation, ranks, block);
        const std::string wanted = entry == nullptr ? otherwise : rule_of(request.version, *entry);
        ASSERT_EQ(decide(operation, ranks, bytes), wanted)
            << operation << ", " << ranks << " ranks, " << block << " B";
        if (entry != nullptr) ++decided;
      }
    }
  }
  EXPECT_GT(decided, 0U);
}

void expect_all_entries_told(const TuningRequest& request, const TunedFile& file) {
  EXPECT_EQ(file.written.size() + file.dropped.size(), request.table.entries().size());
  EXPECT_FALSE(file.written.empty());
}

TEST(OpenMpiClassic, SaysWhatWasMeasuredAndFencesIt) {
  const TunedFile file = write_tuned(open_mpi_request(
      DecisionTable({measured("bcast", 4, 1 << 20U, 4 << 20U, "algorithm:pipeline:segment=64")})));
  EXPECT_EQ(file.format, FileFormat::kOpenMpiClassic);
  EXPECT_EQ(file.text,
            "# bytes, algorithm, fan-out, bytes of a segment; algorithm 0: Open MPI's own choice\n"
            "1\n"
            "7  # bcast\n"
            "3\n"
            "0  # ranks\n"
            "1\n"
            "0 0 0 0\n"
            "4  # ranks\n"
            "3\n"
            "0 0 0 0\n"
            "1048576 3 0 64\n"
            "4194305 0 0 0\n"
            "5  # ranks\n"
            "1\n"
            "0 0 0 0\n");
  EXPECT_THAT(file.set, ElementsAre(Pair("OMPI_MCA_coll_tuned_dynamic_rules_filename",
                                         "/home/user/t/rules.conf"),
                                    Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
  EXPECT_THAT(file.unset, ElementsAre("OMPI_MCA_coll_tuned_bcast_algorithm",
                                      "OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout",
                                      "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize",
                                      "OMPI_MCA_coll_tuned_bcast_algorithm_tree_fanout"));
  EXPECT_EQ(variables_text(file),
            "unset OMPI_MCA_coll_tuned_bcast_algorithm\n"
            "unset OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout\n"
            "unset OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize\n"
            "unset OMPI_MCA_coll_tuned_bcast_algorithm_tree_fanout\n"
            "export OMPI_MCA_coll_tuned_dynamic_rules_filename=/home/user/t/rules.conf\n"
            "export OMPI_MCA_coll_tuned_use_dynamic_rules=1\n");
}

TEST(OpenMpiClassic, ReaderFindsWhatTheTableSays) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const TuningRequest request =
        open_mpi_request(random_table(Library::kOpenMpi, kDebianOpenMpi, seed));
    const TunedFile file = write_tuned(request);
    expect_all_entries_told(request, file);
    const ClassicReader reader(file.text, false);
    ASSERT_TRUE(reader.read()) << file.text;
    expect_what_was_measured(
        request, file, "default",
        [&](const std::string& operation, std::uint32_t ranks, std::uint64_t bytes) {
          return reader.decide(collective_numbers().at(operation), ranks, bytes);
        });
  }
}

TEST(OpenMpiClassic, SmallerCommunicatorsDoNotTakeTheFirstRule) {
  // The reader takes the first number of ranks for all that are below it.
  const TunedFile file = write_tuned(
      open_mpi_request(DecisionTable({measured("bcast", 8, 0, 64, "algorithm:linear")})));
  const ClassicReader reader(file.text, false);
  EXPECT_EQ(reader.decide(7, 8, 64), "1/0/0");
  EXPECT_EQ(reader.decide(7, 4, 64), "default");
  EXPECT_EQ(reader.decide(7, 9, 64), "default");
  EXPECT_EQ(reader.decide(7, 64, 64), "default");
}

TEST(OpenMpiClassic, HasAHeaderWhereOneIsRead) {
  const DecisionTable table({measured("bcast", 2, 0, 64, "algorithm:linear")});
  const TunedFile before = write_tuned(open_mpi_request(table, {5, 0, 6}));
  EXPECT_TRUE(before.text.starts_with('#'));
  const TunedFile since = write_tuned(open_mpi_request(table, {5, 0, 7}));
  EXPECT_TRUE(since.text.starts_with("rule-file-version-2\n"));
  EXPECT_EQ(ClassicReader(since.text, true).decide(7, 2, 64), "1/0/0");
  EXPECT_EQ(ClassicReader(since.text, true).decide(7, 2, 65), "default");
  // An older reader takes "-2" for a number, and drops the file without a word.
  EXPECT_FALSE(ClassicReader(since.text, false).read());
}

TEST(OpenMpiClassic, ReaderOfVersionedRulesFindsWhatTheTableSays) {
  const TuningRequest request =
      open_mpi_request(random_table(Library::kOpenMpi, kWithHeader, 11), kWithHeader);
  const TunedFile file = write_tuned(request);
  const ClassicReader reader(file.text, true);
  ASSERT_TRUE(reader.read());
  expect_what_was_measured(
      request, file, "default",
      [&](const std::string& operation, std::uint32_t ranks, std::uint64_t bytes) {
        return reader.decide(collective_numbers().at(operation), ranks, bytes);
      });
}

TEST(OpenMpiJson, SaysWhatWasMeasured) {
  const TunedFile file =
      write_tuned(open_mpi_request(DecisionTable({measured("alltoall", 4, 8, 64, "algorithm:bruck"),
                                                  measured("barrier", 3, 0, 0, "algorithm:tree")}),
                                   kWithJson));
  EXPECT_EQ(file.format, FileFormat::kOpenMpiJson);
  EXPECT_EQ(file.text,
            "{\"collectives\":{\"alltoall\":[{\"comm_size_min\":4,\"comm_size_max\":4,\"rules\":[{"
            "\"msg_size_min\":32,\"msg_size_max\":256,\"alg\":3,\"faninout\":0,\"seg_size\":0}]}],"
            "\"barrier\":[{\"comm_size_min\":3,\"comm_size_max\":3,\"rules\":[{\"alg\":6,"
            "\"faninout\":0,\"seg_size\":0}]}]}}\n");
}

TEST(OpenMpiJson, ReaderFindsWhatTheTableSays) {
  for (std::uint32_t seed = 21; seed <= 28; ++seed) {
    const TuningRequest request =
        open_mpi_request(random_table(Library::kOpenMpi, kWithJson, seed), kWithJson);
    const TunedFile file = write_tuned(request);
    expect_all_entries_told(request, file);
    const RulesJsonReader reader(file.text);
    expect_what_was_measured(
        request, file, "default",
        [&](const std::string& operation, std::uint32_t ranks, std::uint64_t bytes) {
          return reader.decide(operation, ranks, bytes);
        });
  }
}

TEST(OpenMpiFiles, WhatTheArmForcesHoldsOutsideOfTheEntries) {
  for (const Version& version : {kDebianOpenMpi, kWithJson}) {
    TuningRequest request =
        open_mpi_request(DecisionTable({measured("bcast", 4, 0, 512, "algorithm:binomial"),
                                        measured("bcast", 4, 513, 600, "default"),
                                        measured("bcast", 4, 1024, 2048, "library-default"),
                                        measured("reduce", 4, 8, 8, "library-default")}),
                         version);
    request.given = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                     {"OMPI_MCA_coll_tuned_bcast_algorithm", "pipeline"},
                     {"OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "64"}};
    const TunedFile file = write_tuned(request);
    // The arm's own word would hide the file, or fill its gaps.
    EXPECT_THAT(file.unset, Contains("OMPI_MCA_coll_tuned_bcast_algorithm"));
    EXPECT_THAT(file.unset, Not(Contains("OMPI_MCA_coll_tuned_reduce_algorithm")));
    const ClassicReader classic(version == kWithJson ? "0" : file.text, false);
    const RulesJsonReader json(version == kWithJson ? file.text : R"({"collectives":{}})");
    const auto decide = [&](std::uint32_t ranks, std::uint64_t bytes) {
      return version == kWithJson ? json.decide("bcast", ranks, bytes)
                                  : classic.decide(7, ranks, bytes);
    };
    EXPECT_EQ(decide(4, 0), "6/0/0");
    EXPECT_EQ(decide(4, 512), "6/0/0");
    EXPECT_EQ(decide(4, 513), "3/0/64");
    EXPECT_EQ(decide(4, 1023), "3/0/64");
    EXPECT_EQ(decide(4, 1024), "default");
    EXPECT_EQ(decide(4, 2049), "3/0/64");
    for (const std::uint32_t ranks : {2U, 3U, 5U, 64U}) EXPECT_EQ(decide(ranks, 512), "3/0/64");
  }
}

TEST(OpenMpiFiles, WithoutDynamicRulesNothingIsForced) {
  TuningRequest request =
      open_mpi_request(DecisionTable({measured("bcast", 4, 0, 512, "library-default")}));
  request.given = {{"OMPI_MCA_coll_tuned_bcast_algorithm", "3"}};
  const TunedFile file = write_tuned(request);
  EXPECT_EQ(file.text, "");
  EXPECT_THAT(file.set, IsEmpty());
  EXPECT_THAT(file.unset, IsEmpty());
}

TEST(OpenMpiFiles, WhatCannotBeSaidIsDropped) {
  TuningRequest request = open_mpi_request(DecisionTable({
      measured("allgather", 6, 8, 8, "algorithm:recursive-doubling"),
      measured("allreduce", 4, 8, 8, "algorithm:ring"),
      measured("alltoallv", 4, 8, 8, "algorithm:pairwise"),
      measured("bcast", 4, 8, 8, "algorithm:circular"),
      measured("bcast", 4, 16, 16, "mockup:bcast=scatter+allgather"),
      measured("bcast", 4, 32, 32, "reference:bcast@chain:segment=64"),
      measured("bcast", 4, 64, 64, "algorithm:knomial:fanout=3"),
      measured("bcast", 4, 128, 128, "algorithm:knomial:fanout=5"),
      measured("bcast", 4, 256, 256, "algorithm:linear"),
      measured("gather", 4, 8, 8, "algorithm:binomial"),
      measured("reduce_scatter_block", 4, 8, 8, "algorithm:butterfly"),
      measured("scan", 4, 8, 8, "algorithm:recursive-doubling"),
      measured("scatter", 4, 8, 8, "algorithm:binomial"),
  }));
  request.breakages = {{.operation = "bcast",
                        .candidate = candidate_of("algorithm:linear"),
                        .what = "ended in signal 11 in a probe"}};
  const TunedFile file = write_tuned(request);
  EXPECT_THAT(reasons_of(file),
              ElementsAre(HasSubstr("needs a power of two of ranks"),
                          HasSubstr("wrong results for operators that do not commute"),
                          HasSubstr("does not look at the size of MPI_Alltoallv"),
                          HasSubstr("has no such algorithm of bcast"), HasSubstr("only a shim"),
                          HasSubstr("only a shim"), HasSubstr("holds for all calls of a program"),
                          "ended in signal 11 in a probe", HasSubstr("a root that is in place"),
                          HasSubstr("wrong results for operators that do not commute"),
                          HasSubstr("does not look at the size of MPI_Scan"),
                          HasSubstr("mean nothing but at the root")));
  ASSERT_EQ(file.written.size(), 1U);
  EXPECT_EQ(to_string(file.written.front().candidate), "algorithm:knomial:fanout=3");
  EXPECT_THAT(file.set, Contains(Pair("OMPI_MCA_coll_tuned_bcast_algorithm_knomial_radix", "3")));
  EXPECT_THAT(file.cautions,
              ElementsAre(HasSubstr("knomial_radix=3 holds for all calls of a program")));
}

TEST(OpenMpiFiles, UnknownLawIsNoGuess) {
  TuningRequest request =
      open_mpi_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:linear")}));
  request.laws.clear();
  const TunedFile file = write_tuned(request);
  EXPECT_EQ(file.text, "");
  EXPECT_THAT(reasons_of(file), Each(HasSubstr("which number of bytes Open MPI 4.1.4 compares")));
}

TEST(OpenMpiFiles, WhatAUserMustKnowIsSaid) {
  const TunedFile file = write_tuned(
      open_mpi_request(DecisionTable({measured("allgather", 4, 8, 8, "algorithm:ring")})));
  EXPECT_THAT(file.cautions, ElementsAre(HasSubstr("MPI_Allgather in place")));
}

std::string open_mpi_fault(const TuningRequest& request) {
  try {
    static_cast<void>(write_tuned(request));
  } catch (const base::UserError& error) {
    return error.faults().front().text();
  }
  return "none";
}

TEST(OpenMpiFiles, ArmsThatAreNotUnderstoodAreRefused) {
  TuningRequest request =
      open_mpi_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:linear")}));
  request.given = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "/etc/site.conf"}};
  EXPECT_THAT(open_mpi_fault(request), HasSubstr("a new one would replace it whole"));
  request.given = {{"OMPI_MCA_coll_tuned_use_dynamic_rules", "true"},
                   {"OMPI_MCA_coll_tuned_bcast_algorithm", "99"}};
  EXPECT_THAT(open_mpi_fault(request), HasSubstr("which is not an algorithm of bcast"));
  request.given.clear();
  request.path = "rules.conf";
  EXPECT_THAT(open_mpi_fault(request), HasSubstr("is not an absolute path"));
  request.path = "/tmp/two\nlines";
  EXPECT_THAT(open_mpi_fault(request), HasSubstr("/tmp/two?lines"));
}

}  // namespace
}  // namespace invar::tuning
