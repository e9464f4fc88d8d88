#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tuning/files/measured.hpp"
#include "tuning/files/mpich_tree.hpp"
#include "tuning/files/tree_reader.hpp"

namespace invar::tuning {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr Version kMpich40{4, 0, 2};
constexpr Version kMpich50{5, 0, 1};

// In the form of MPICH's own trees, with all that makes them hard: limits without equality above
// and below questions about calls, hierarchies, operators, calls in place.
constexpr const char* kGenericTree = R"({
"collective=bcast":{"comm_type=intra":{
  "comm_size<8":{"comm_hierarchy=parent":{"avg_msg_size<=0":{"algorithm=MPIR_Bcast_intra_smp":{}},
                                          "avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_binomial":{}}},
                 "comm_hierarchy=any":{"algorithm=MPIR_Bcast_intra_binomial":{}}},
  "comm_size=pow2":{"avg_msg_size<=12288":{"algorithm=MPIR_Bcast_intra_binomial":{}},
                    "avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_allgather":{}}},
  "comm_size=any":{"avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}}},
 "comm_type=inter":{"algorithm=MPIR_Bcast_inter_remote_send_local_bcast":{}}},
"collective=allreduce":{"comm_type=intra":{
  "avg_msg_size<=2048":{"is_commutative=yes":{"algorithm=MPIR_Allreduce_intra_smp":{}},
                        "is_commutative=no":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}}},
  "avg_msg_size=any":{"is_op_built_in=no":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}},
                      "is_op_built_in=yes":{"count<pow2":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}},
                                            "count=any":{"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather":{}}}}},
 "comm_type=inter":{"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast":{}}},
"collective=reduce":{"comm_type=intra":{
  "comm_hierarchy=parent":{"avg_msg_size<=64":{"algorithm=MPIR_Reduce_intra_smp":{}},
                           "avg_msg_size=any":{"algorithm=MPIR_Reduce_intra_binomial":{}}},
  "comm_hierarchy=any":{"algorithm=MPIR_Reduce_intra_binomial":{}}},
 "comm_type=inter":{"algorithm=MPIR_Reduce_inter_local_reduce_remote_send":{}}},
"collective=allgather":{"comm_type=intra":{
  "comm_size=pow2":{"total_msg_size<524288":{"algorithm=MPIR_Allgather_intra_recursive_doubling":{}},
                    "total_msg_size=any":{"algorithm=MPIR_Allgather_intra_ring":{}}},
  "comm_size=any":{"total_msg_size<81920":{"algorithm=MPIR_Allgather_intra_brucks":{}},
                   "total_msg_size=any":{"algorithm=MPIR_Allgather_intra_ring":{}}}},
 "comm_type=inter":{"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast":{}}},
"collective=allgatherv":{"comm_type=intra":{"algorithm=MPIR_Allgatherv_intra_ring":{}},
 "comm_type=inter":{"algorithm=MPIR_Allgatherv_inter_remote_gather_local_bcast":{}}},
"collective=reduce_scatter":{"comm_type=intra":{
  "is_commutative=yes":{"total_msg_size<524288":{"algorithm=MPIR_Reduce_scatter_intra_recursive_halving":{}},
                        "total_msg_size=any":{"algorithm=MPIR_Reduce_scatter_intra_pairwise":{}}},
  "is_commutative=no":{"is_block_regular=yes":{"comm_size=pow2":{"algorithm=MPIR_Reduce_scatter_intra_noncommutative":{}},
                                               "comm_size=any":{"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling":{}}},
                       "is_block_regular=no":{"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling":{}}}},
 "comm_type=inter":{"algorithm=MPIR_Reduce_scatter_inter_remote_reduce_local_scatter":{}}},
"collective=reduce_scatter_block":{"comm_type=intra":{
  "is_commutative=yes":{"algorithm=MPIR_Reduce_scatter_block_intra_pairwise":{}},
  "is_commutative=no":{"algorithm=MPIR_Reduce_scatter_block_intra_recursive_doubling":{}}},
 "comm_type=inter":{"algorithm=MPIR_Reduce_scatter_block_inter_remote_reduce_local_scatter":{}}},
"collective=gather":{"comm_type=intra":{"algorithm=MPIR_Gather_intra_binomial":{}}},
"collective=scatter":{"comm_type=intra":{"algorithm=MPIR_Scatter_intra_binomial":{}}},
"collective=scan":{"comm_type=intra":{"is_node_consecutive=yes":{"algorithm=MPIR_Scan_intra_smp":{}},
                                      "is_node_consecutive=no":{"algorithm=MPIR_Scan_intra_recursive_doubling":{}}}},
"collective=exscan":{"algorithm=MPIR_Exscan_intra_recursive_doubling":{}},
"collective=barrier":{"comm_type=intra":{
  "comm_hierarchy=parent":{"algorithm=MPIR_Barrier_intra_smp":{}},
  "comm_hierarchy=any":{"algorithm=MPIR_Barrier_intra_dissemination":{}}},
 "comm_type=inter":{"algorithm=MPIR_Barrier_inter_bcast":{}}},
"collective=alltoall":{"comm_type=intra":{
  "is_sendbuf_inplace=yes":{"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace":{}},
  "is_sendbuf_inplace=no":{"comm_size<8":{"avg_msg_size<=32768":{"algorithm=MPIR_Alltoall_intra_scattered":{}},
                                          "avg_msg_size=any":{"algorithm=MPIR_Alltoall_intra_pairwise":{}}},
                           "comm_size=any":{"avg_msg_size<=256":{"algorithm=MPIR_Alltoall_intra_brucks":{}},
                                            "avg_msg_size=any":{"algorithm=MPIR_Alltoall_intra_pairwise":{}}}}},
 "comm_type=inter":{"algorithm=MPIR_Alltoall_inter_pairwise_exchange":{}}},
"collective=alltoallv":{"comm_type=intra":{"algorithm=MPIR_Alltoallv_intra_scattered":{}}}
})";

constexpr const char* kDeviceTree = R"({
"collective=bcast":{"comm_type=intra":{
  "comm_hierarchy=parent":{"comm_size<8":{"avg_msg_size=any":{"composition=MPIDI_Bcast_intra_composition_alpha":{}}},
                           "comm_size=any":{"avg_msg_size<12288":{"composition=MPIDI_Bcast_intra_composition_alpha":{}},
                                            "avg_msg_size=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}},
  "comm_hierarchy=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}},
"collective=allreduce":{"comm_type=intra":{
  "comm_size=node_comm_size":{"composition=MPIDI_Allreduce_intra_composition_gamma":{}},
  "comm_size=any":{"comm_hierarchy=parent":{"is_commutative=yes":{"composition=MPIDI_Allreduce_intra_composition_alpha":{}},
                                            "is_commutative=no":{"composition=MPIDI_Allreduce_intra_composition_beta":{}}},
                   "comm_hierarchy=any":{"composition=MPIDI_Allreduce_intra_composition_beta":{}}}}},
"collective=barrier":{"comm_type=intra":{"composition=MPIDI_Barrier_intra_composition_beta":{}}}
})";

TuningRequest mpich_request(DecisionTable table, const Version& version = kMpich40) {
  return {.table = std::move(table),
          .library = Library::kMpich,
          .version = version,
          .laws = learned_laws(Library::kMpich, version),
          .path = "/home/user/u/tuned.json",
          .base_tree = kGenericTree,
          .device_tree = kDeviceTree};
}

// Communicators that may choose differently.
constexpr std::array<Communicator, 3> kShapes{{
    {.ranks = 1, .parent = false, .one_host = true, .consecutive = true},
    {.ranks = 1, .parent = true, .one_host = true, .consecutive = true},
    {.ranks = 1, .parent = true, .one_host = false, .consecutive = false},
}};

std::vector<Call> calls_of(const std::string& operation, std::uint32_t ranks, std::uint64_t block) {
  Call call{.average_bytes = block, .total_bytes = block * ranks, .count = block / 4};
  if (operation == "reduce_scatter" || operation == "allgatherv") call.count *= ranks;
  std::vector<Call> calls;
  const bool may_be_in_place = operation == "alltoall";
  const bool may_be_irregular = operation == "reduce_scatter";
  const bool has_operator = operation.find("reduce") != std::string::npos;
  for (const bool other : {false, true}) {
    if (other && !may_be_in_place && !may_be_irregular) break;
    call.in_place = other && may_be_in_place;
    call.regular = !other || !may_be_irregular;
    call.commutative = true;
    call.built_in = true;
    calls.push_back(call);
    if (!has_operator) continue;
    call.built_in = false;
    calls.push_back(call);  // an own operator that commutes
    call.commutative = false;
    calls.push_back(call);  // MPI's own ones do
  }
  return calls;
}

// Whether the algorithm may run, from MPICH's list of restrictions.
bool may_run(const std::string& name, const Communicator& communicator, const Call& call) {
  std::uint64_t power = 1;
  while (power * 2 <= communicator.ranks) power *= 2;
  const auto ends = [&](const char* end) { return name.ends_with(end); };
  if (ends("_smp") && !communicator.parent) return false;
  const bool commutes_only = ends("Allreduce_intra_smp") || ends("Reduce_intra_smp") ||
                             ends("_intra_pairwise") || ends("_recursive_halving") ||
                             ends("Allreduce_intra_ring") || ends("_k_reduce_scatter_allgather") ||
                             ends("_recursive_multiplying");
  if (name.find("Alltoall") == std::string::npos && commutes_only && !call.commutative) {
    return false;
  }
  if (ends("Allreduce_intra_reduce_scatter_allgather") || ends("_reduce_scatter_gather")) {
    return call.built_in && call.count >= power;
  }
  if (ends("Reduce_scatter_intra_noncommutative")) return call.regular;
  if (name.find("Alltoall") != std::string::npos) return !call.in_place;
  return true;
}

std::string told_algorithm(const Version& version, const Entry& entry) {
  const LibraryAlgorithm* row =
      find_algorithm(Library::kMpich, version, entry.operation, entry.candidate.name);
  std::string text(row->tree_name);
  if (row->tree_parameters.empty()) return text;
  const auto fanout = entry.candidate.fanout == 0 ? row->usual_fanout : entry.candidate.fanout;
  const auto segment =
      entry.candidate.segment_bytes == 0 ? row->usual_segment_bytes : entry.candidate.segment_bytes;
  text += '{';
  for (const char c : row->tree_parameters) {
    if (c == '%') {
      text += std::to_string(fanout);
    } else if (c == '#') {
      text += std::to_string(segment);
    } else {
      text += c;
    }
  }
  return text + '}';
}

std::string name_alone(const std::string& text) { return text.substr(0, text.find('{')); }

// Every communicator of 1 to 64 ranks, every size and kind of call, in both trees.
void expect_trees_say_what_was_measured(const TuningRequest& request) {
  const TunedFile file = write_tuned(request);
  EXPECT_EQ(file.written.size() + file.dropped.size(), request.table.entries().size());
  ASSERT_FALSE(file.written.empty());
  const TreeReader base(request.base_tree);
  const TreeReader device_base(request.device_tree);
  const TreeReader tuned(file.text);
  const TreeReader device(file.device_text);
  for (const std::string& operation : tunable_operations(Library::kMpich, request.version)) {
    for (std::uint32_t ranks = 1; ranks <= kMostTestedRanks; ++ranks) {
      for (const std::uint64_t block : tested_sizes(request.table, operation, ranks)) {
        const Entry* entry = written_for(file, operation, ranks, block);
        for (Communicator communicator : kShapes) {
          communicator.ranks = ranks;
          for (const Call& call : calls_of(operation, ranks, block)) {
            const std::string before = base.decide(operation, communicator, call);
            const std::string before_device = device_base.decide(operation, communicator, call);
            std::string wanted = before;
            // In place an alltoall has no size that could be looked at.
            const bool looked_at = entry != nullptr && !(operation == "alltoall" && call.in_place);
            if (looked_at) {
              const std::string algorithm = told_algorithm(request.version, *entry);
              if (may_run(name_alone(algorithm), communicator, call)) wanted = algorithm;
            }
            ASSERT_EQ(tuned.decide(operation, communicator, call), wanted)
                << operation << ", " << ranks << " ranks, " << block << " B";
            ASSERT_EQ(device.decide(operation, communicator, call),
                      looked_at ? "nothing" : before_device)
                << operation << ", " << ranks << " ranks, " << block << " B";
          }
        }
      }
    }
  }
}

TEST(MpichTree, ReadsAndWritesObjectsOfObjects) {
  const Tree tree = parse_tree("{ \"a=1\" : { \"b<=2\":{}, \"b=any\":{ } } }\n", "own");
  ASSERT_EQ(tree.size(), 1U);
  EXPECT_EQ(tree.front().key, "a=1");
  ASSERT_EQ(tree.front().below.size(), 2U);
  EXPECT_EQ(tree_text(tree), R"({"a=1":{"b<=2":{},"b=any":{}}})");
  EXPECT_EQ(parse_tree(tree_text(parse_tree(kGenericTree, "own")), "own"),
            parse_tree(kGenericTree, "own"));
}

std::string tree_fault(const std::string& text) {
  try {
    static_cast<void>(parse_tree(text, "own.json"));
  } catch (const base::UserError& error) {
    return error.faults().front().text();
  }
  return "none";
}

TEST(MpichTree, WhatIsNoneIsToldWithItsPlace) {
  EXPECT_THAT(tree_fault(""), HasSubstr("own.json:1:1: no selection tree of MPICH"));
  EXPECT_THAT(tree_fault("{\"a\":\n  1}"), HasSubstr("own.json:2:3"));
  EXPECT_THAT(tree_fault("{\"a\":{},\"a\":{}}"), HasSubstr("'a' stands twice"));
  EXPECT_THAT(tree_fault("{\"a\":{}"), HasSubstr("an object ends with '}'"));
  EXPECT_THAT(tree_fault("{} {}"), HasSubstr("something stands behind the tree"));
  EXPECT_THAT(tree_fault("{\"a\\u0020\":{}}"), HasSubstr("a character that no key has"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  EXPECT_THAT(tree_fault(deep), HasSubstr("too deep"));
}

TEST(MpichTree, IsFoundAmongTheStringsOfALibrary) {
  const std::string zero(1, '\0');
  const std::string bytes =
      "\x7f"
      "ELF..." +
      zero +
      R"({"collective=bcast":{"comm_type=intra":{"algorithm=MPIDI_POSIX_mpi_bcast_release_gather":{}}}})" +
      zero + kDeviceTree + zero + "MPIR_Bcast_intra_binomial" + zero + kGenericTree + zero +
      "\"collective=" + zero;
  EXPECT_EQ(find_mpich_tree(bytes), kGenericTree);
  EXPECT_EQ(find_mpich_device_tree(bytes), kDeviceTree);
  EXPECT_EQ(find_mpich_tree("no library"), std::nullopt);
  EXPECT_EQ(find_mpich_tree(""), std::nullopt);
  // At the end of the file, without the zero byte.
  EXPECT_EQ(find_mpich_tree(std::string(kGenericTree)), kGenericTree);
}

// Where Debian has its MPICH.
std::optional<std::string> installed_mpich() {
  for (const char* machine : {"x86_64", "aarch64"}) {
    auto bytes = base::read_file(std::string("/usr/lib/") + machine + "-linux-gnu/libmpich.so.12");
    if (bytes) return bytes;
  }
  return {};
}

TEST(MpichLibrary, InstalledOneHasTreesThatCanBeTuned) {
  const auto bytes = installed_mpich();
  if (!bytes) GTEST_SKIP() << "no libmpich of the system";
  const auto generic = find_mpich_tree(*bytes);
  const auto device = find_mpich_device_tree(*bytes);
  ASSERT_TRUE(generic && device);
  TuningRequest request = mpich_request(random_table(Library::kMpich, kMpich40, 51));
  request.base_tree = *generic;
  request.device_tree = *device;
  expect_trees_say_what_was_measured(request);
}

TEST(MpichFile, OneEntryIsPutBetweenTheOldBranches) {
  TuningRequest request = mpich_request(
      DecisionTable({measured("bcast", 8, 64, 4096, "algorithm:scatter-ring-allgather")}));
  request.base_tree =
      R"({"collective=bcast":{"comm_type=intra":{"comm_size<8":{"algorithm=MPIR_Bcast_intra_smp":{}},)"
      R"("comm_size=any":{"algorithm=MPIR_Bcast_intra_binomial":{}}}}})";
  request.device_tree =
      R"({"collective=bcast":{"comm_type=intra":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}})";
  const TunedFile file = write_tuned(request);
  const std::string old =
      R"("comm_size<=7":{"algorithm=MPIR_Bcast_intra_smp":{}},"comm_size=any":{"algorithm=MPIR_Bcast_intra_binomial":{}})";
  EXPECT_EQ(file.text,
            R"({"collective=bcast":{"comm_type=intra":{"comm_size<=7":{)" + old +
                R"(},"comm_size<=8":{)"
                R"("avg_msg_size<=63":{"algorithm=MPIR_Bcast_intra_binomial":{}},)"
                R"("avg_msg_size<=4096":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}},)"
                R"("avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_binomial":{}}},)"
                R"("comm_size=any":{)" +
                old + "}}}}\n");
  const std::string composed = R"("composition=MPIDI_Bcast_intra_composition_gamma":{})";
  EXPECT_EQ(file.device_text, R"({"collective=bcast":{"comm_type=intra":{"comm_size<=7":{)" +
                                  composed + R"(},"comm_size<=8":{"avg_msg_size<=63":{)" +
                                  composed + R"(},"avg_msg_size<=4096":{"comm_type=inter":{)" +
                                  composed + R"(}},"avg_msg_size=any":{)" + composed +
                                  R"(}},"comm_size=any":{)" + composed + "}}}}\n");
  EXPECT_THAT(
      file.set,
      ElementsAre(
          Pair("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE", "/home/user/u/tuned-ch4.json"),
          Pair("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "/home/user/u/tuned.json")));
  EXPECT_THAT(file.unset,
              ElementsAre("MPIR_CVAR_BCAST_COMPOSITION", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"));
}

TEST(MpichFile, ReadersOfBothTreesFindWhatTheTableSays) {
  for (std::uint32_t seed = 31; seed <= 32; ++seed) {
    expect_trees_say_what_was_measured(
        mpich_request(random_table(Library::kMpich, kMpich40, seed)));
  }
}

TEST(MpichFile, ParametersOfLaterVersionsAreSaidWhole) {
  for (const Version& version : {Version{4, 1, 2}, kMpich50}) {
    expect_trees_say_what_was_measured(
        mpich_request(random_table(Library::kMpich, version, 41), version));
  }
}

TEST(MpichFile, WhatRunsStandsAloneInItsObject) {
  // What is left of a question about ranks comes to stand behind one that cannot be answered.
  TuningRequest request =
      mpich_request(DecisionTable({measured("allreduce", 8, 64, 64, "algorithm:smp")}));
  request.device_tree =
      R"({"collective=allreduce":{"comm_type=intra":{)"
      R"("comm_size=node_comm_size":{"composition=MPIDI_Allreduce_intra_composition_gamma":{}},)"
      R"("comm_size=any":{"composition=MPIDI_Allreduce_intra_composition_beta":{}}}}})";
  const TreeReader device(write_tuned(request).device_text);
  Communicator eight{.ranks = 8, .one_host = false};
  EXPECT_EQ(device.decide("allreduce", eight, {.average_bytes = 64}), "nothing");
  EXPECT_EQ(device.decide("allreduce", eight, {.average_bytes = 65}),
            "MPIDI_Allreduce_intra_composition_beta");
  eight.one_host = true;
  EXPECT_EQ(device.decide("allreduce", eight, {.average_bytes = 65}),
            "MPIDI_Allreduce_intra_composition_gamma");
}

TEST(MpichFile, OperationsThatTheDeviceCannotDivideAreOffInIt) {
  TuningRequest request =
      mpich_request(DecisionTable({measured("allreduce", 4, 8, 8, "algorithm:smp"),
                                   measured("bcast", 4, 8, 8, "algorithm:binomial")}));
  request.device_tree =
      R"({"collective=allreduce":{"comm_type=intra":{"composition=MPIDI_Allreduce_intra_composition_beta":{}}},)"
      R"("collective=bcast":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}})";
  const TunedFile file = write_tuned(request);
  EXPECT_THAT(file.set, Contains(Pair("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", "0")));
  EXPECT_THAT(file.cautions, ElementsAre(HasSubstr("MPI_Bcast: the device's own collectives")));
  EXPECT_EQ(TreeReader(file.device_text)
                .decide("allreduce", {.ranks = 4}, {.average_bytes = 8, .total_bytes = 32}),
            "nothing");
}

TEST(MpichFile, ArmsWithATreeOfTheirOwnAreRefused) {
  for (const char* name : {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                           "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"}) {
    TuningRequest request =
        mpich_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:binomial")}));
    request.given = {{name, "/etc/site.json"}};
    EXPECT_THROW(static_cast<void>(write_tuned(request)), base::UserError) << name;
  }
}

TEST(MpichFile, WithoutTheDevicesTreeItsCollectivesAreOff) {
  TuningRequest request =
      mpich_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:binomial")}));
  request.device_tree.clear();
  const TunedFile file = write_tuned(request);
  EXPECT_EQ(file.device_text, "");
  EXPECT_THAT(file.set, Contains(Pair("MPIR_CVAR_BCAST_DEVICE_COLLECTIVE", "0")));
  EXPECT_THAT(file.cautions, ElementsAre(HasSubstr("collectives are off for all sizes")));
}

TEST(MpichFile, WhatTheArmForcesHoldsOutsideOfTheEntries) {
  TuningRequest request =
      mpich_request(DecisionTable({measured("allreduce", 8, 0, 512, "algorithm:recursive-doubling"),
                                   measured("allreduce", 8, 1024, 2048, "library-default")}));
  request.given = {{"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "reduce_scatter_allgather"}};
  const TunedFile file = write_tuned(request);
  EXPECT_THAT(file.unset, Contains("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"));
  const TreeReader base(request.base_tree);
  const TreeReader tuned(file.text);
  const auto decide = [&](std::uint64_t ranks, std::uint64_t bytes, bool built_in) {
    return tuned.decide("allreduce", {.ranks = ranks, .parent = true},
                        {.average_bytes = bytes, .count = bytes / 4, .built_in = built_in});
  };
  const std::string forced = "MPIR_Allreduce_intra_reduce_scatter_allgather";
  EXPECT_EQ(decide(8, 512, true), "MPIR_Allreduce_intra_recursive_doubling");
  EXPECT_EQ(decide(8, 513, true), forced);
  EXPECT_EQ(decide(8, 1024, true), "MPIR_Allreduce_intra_smp");  // the library's own choice
  EXPECT_EQ(decide(8, 2049, true), forced);
  EXPECT_EQ(decide(7, 512, true), forced);
  EXPECT_EQ(decide(64, 512, true), forced);
  // Where it cannot run, MPICH falls back to its tree.
  EXPECT_EQ(decide(7, 4, true), "MPIR_Allreduce_intra_smp");
  EXPECT_EQ(decide(7, 512, false), "MPIR_Allreduce_intra_smp");
}

TEST(MpichFile, FencesDoNotMoveTheLimitsOfOldBranches) {
  // "comm_size<8" means 8 as well where it stands below a question about calls.
  const TuningRequest request =
      mpich_request(DecisionTable({measured("bcast", 8, 64, 64, "algorithm:scatter-ring-allgather"),
                                   measured("alltoall", 8, 64, 64, "algorithm:pairwise")}));
  const TreeReader tuned(write_tuned(request).text);
  const Communicator eight{.ranks = 8, .parent = true};
  EXPECT_EQ(tuned.decide("bcast", eight, {.average_bytes = 0}), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(tuned.decide("alltoall", eight, {.average_bytes = 300}),
            "MPIR_Alltoall_intra_scattered");
}

TEST(MpichFile, WhatATreeCannotSayIsDropped) {
  const TunedFile file = write_tuned(mpich_request(DecisionTable({
      measured("allgather", 6, 8, 8, "algorithm:recursive-doubling"),
      measured("alltoallv", 4, 8, 8, "algorithm:scattered"),
      measured("bcast", 4, 8, std::uint64_t{1} << 31U, "algorithm:binomial"),
      measured("exscan", 4, 8, 8, "algorithm:nonblocking"),
      measured("gather", 4, 8, 8, "algorithm:nonblocking"),
      measured("scatter", 4, 8, 8, "algorithm:nonblocking"),
  })));
  EXPECT_THAT(reasons_of(file), ElementsAre(HasSubstr("needs a power of two of ranks"),
                                            HasSubstr("compares what each rank sends"),
                                            HasSubstr("larger than the file can say"),
                                            HasSubstr("compares for MPI_Exscan is not known"),
                                            HasSubstr("compares elements instead of bytes"),
                                            HasSubstr("compares elements instead of bytes")));
  EXPECT_EQ(file.text, "");
  EXPECT_THAT(file.set, IsEmpty());
}

TEST(MpichFile, OperatorsThatDoNotCommuteKeepTheirBranches) {
  const TuningRequest request =
      mpich_request(DecisionTable({measured("reduce_scatter", 4, 8, 64, "algorithm:pairwise")}));
  const TreeReader tuned(write_tuned(request).text);
  const Communicator four{.ranks = 4};
  EXPECT_EQ(tuned.decide("reduce_scatter", four, {.total_bytes = 64, .commutative = true}),
            "MPIR_Reduce_scatter_intra_pairwise");
  EXPECT_EQ(tuned.decide("reduce_scatter", four, {.total_bytes = 64, .commutative = false}),
            "MPIR_Reduce_scatter_intra_noncommutative");
}

TEST(MpichFile, NeverEndsWithAPage) {
  // MPICH maps the file and reads on to a zero byte, which the rest of the last page has.
  TuningRequest request =
      mpich_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:binomial")}));
  for (std::size_t more = 0; more < 4096; ++more) {
    request.base_tree =
        R"({"collective=bcast":{"comm_type=intra":{"algorithm=MPIR_Bcast_intra_smp":{}}},)"
        R"("collective=scan":{"algorithm=)" +
        std::string(more, 'x') + R"(":{}}})";
    ASSERT_NE(write_tuned(request).text.size() % 4096, 0U);
  }
}

TEST(MpichFile, TreesThatAreBuiltOtherwiseAreRefused) {
  TuningRequest request =
      mpich_request(DecisionTable({measured("bcast", 4, 8, 8, "algorithm:binomial")}));
  const auto fault = [&] {
    try {
      static_cast<void>(write_tuned(request));
    } catch (const base::UserError& error) {
      return error.faults().front().text();
    }
    return std::string("none");
  };
  request.base_tree = R"({"collective=bcast":{"algorithm=MPIR_Bcast_intra_binomial":{}}})";
  EXPECT_THAT(fault(), HasSubstr("has no branch comm_type=intra for bcast"));
  request.base_tree = "";
  EXPECT_THAT(fault(), HasSubstr("MPICH's selection tree:1:1: no selection tree of MPICH"));
  request.base_tree = kGenericTree;
  request.given = {{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "circular"}};
  EXPECT_THAT(fault(), HasSubstr("which is not an algorithm of bcast"));
}

}  // namespace
}  // namespace invar::tuning
