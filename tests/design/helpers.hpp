// A catalogue, a machine and small campaigns for the tests of stage 1.
#pragma once

#include <string>
#include <vector>

#include "design/plan/schedule.hpp"
#include "golden.hpp"

namespace invar::design::test {

using invar::test::faults_of;
using invar::test::faults_or_none_of;
using invar::test::golden;

using Names = std::vector<std::string>;

constexpr record::Blocks kBlock{.constant = 1};
constexpr record::Blocks kAllBlocks{.per_rank = 1};
constexpr record::Blocks kNeighbourBlocks{.per_neighbour = 1};

// As in ops/shapes.hpp.
constexpr record::BufferTable everywhere(record::Blocks send, record::Blocks recv,
                                         record::Blocks scratch = {}) {
  const record::Buffers plain{.send = send, .recv = recv, .scratch = scratch};
  const record::Buffers in_place{.recv = recv, .scratch = scratch};
  return {.others = plain, .root = plain, .others_in_place = in_place, .root_in_place = in_place};
}
constexpr record::BufferTable at_root(record::Blocks send, record::Blocks recv) {
  record::BufferTable table = everywhere(kBlock, kBlock);
  table.others_in_place = table.others;
  table.root = {.send = send, .recv = recv};
  table.root_in_place = {.recv = recv};
  return table;
}

// What the engine's catalogue says of our own operations.
inline std::vector<record::OperationInfo> catalogue() {
  std::vector<record::OperationInfo> all;
  for (const char* name : {"allgather", "allgatherv"}) {
    all.push_back({.name = name, .buffers = everywhere(kBlock, kAllBlocks)});
  }
  all.push_back({.name = "iallgather",
                 .form_of = "allgather",
                 .buffers = everywhere(kBlock, kAllBlocks),
                 .requests = 1});
  for (const char* name : {"alltoall", "alltoallv", "alltoallw"}) {
    all.push_back({.name = name, .in_place = true, .buffers = everywhere(kAllBlocks, kAllBlocks)});
  }
  all.push_back({.name = "bcast", .rooted = true, .buffers = everywhere(kBlock, kBlock)});
  for (const char* name : {"gather", "gatherv"}) {
    all.push_back({.name = name, .rooted = true, .buffers = at_root(kBlock, kAllBlocks)});
  }
  for (const char* name : {"scatter", "scatterv"}) {
    all.push_back({.name = name, .rooted = true, .buffers = at_root(kAllBlocks, kBlock)});
  }
  for (const char* name : {"allreduce", "exscan", "scan"}) {
    all.push_back({.name = name, .reduces = true, .buffers = everywhere(kBlock, kBlock)});
  }
  all.push_back({.name = "reduce_local",
                 .reduces = true,
                 .chain = record::Chain::kNone,
                 .buffers = everywhere(kBlock, kBlock)});
  for (const char* name : {"reduce_scatter", "reduce_scatter_block"}) {
    all.push_back({.name = name, .reduces = true, .buffers = everywhere(kAllBlocks, kBlock)});
  }
  all.push_back(
      {.name = "reduce", .rooted = true, .reduces = true, .buffers = at_root(kBlock, kBlock)});
  for (record::OperationInfo& info : all) {
    const std::vector<std::string> sums{"sum"};
    const record::DatatypeInfo byte{.name = "byte", .size_bytes = 1, .extent_bytes = 1};
    const record::DatatypeInfo int32{.name = "int32",
                                     .size_bytes = 4,
                                     .extent_bytes = 4,
                                     .reductions = info.reduces ? sums : Names{}};
    info.datatypes = info.reduces ? std::vector{int32, byte} : std::vector{byte, int32};
  }
  for (record::OperationInfo& info : all) {
    const bool pairs = info.name == "alltoallv" || info.name == "alltoallw";
    if (!info.name.ends_with("v") && info.name != "reduce_scatter" && !pairs) continue;
    info.arrays = info.name == "alltoallw" ? record::Arrays::kTyped : record::Arrays::kCounts;
    info.distributes = pairs ? record::Distributes::kPairs : record::Distributes::kRanks;
  }
  all.push_back({.name = "barrier", .sized = false});
  all.push_back({.name = "empty", .sized = false, .chain = record::Chain::kNone});
  return all;
}

inline record::OperationInfo in_catalogue(const std::string& name) {
  for (record::OperationInfo& info : catalogue()) {
    if (info.name == name) return info;
  }
  return {.name = name};
}

inline Surroundings surroundings(std::size_t arms, std::uint32_t slots = 2) {
  return {.operations = std::vector(arms, catalogue()), .slots = slots};
}

// The form of an operation of the catalogue that takes large counts.
inline record::OperationInfo with_large_counts(const std::string& name) {
  record::OperationInfo info = in_catalogue(name);
  info.form_of = name;
  info.name = name + "_c";
  info.large_counts = true;
  return info;
}

// Campaign text with the least that a campaign needs, and `more` lines below.
inline std::string with_head(const std::string& more) {
  return "schema = 1\nname = \"n\"\nseed = 7\n" + more;
}

// ... and one block of cells, then `more`.
inline std::string with_cells(const std::string& more) {
  return with_head("[[cells]]\noperation = \"bcast\"\nsize = 8\n" + more);
}

inline std::vector<std::string> campaign_faults(const std::string& toml) {
  return faults_of([&] { (void)read_campaign(toml, "c.toml"); });
}

// Arms a, b, c, ... and `cells` sizes of bcast.
inline Campaign small_campaign(std::size_t arms, std::size_t cells, std::uint32_t rounds) {
  Campaign campaign{.name = "small", .seed = 20160412, .rounds = rounds, .repetitions = 25};
  CellsBlock block;
  block.operations = {"bcast"};
  for (std::size_t i = 0; i < cells; ++i) block.sizes_bytes.push_back(8 * (i + 1));
  campaign.cells = {block};
  for (std::size_t i = 0; i < arms; ++i) {
    Arm arm;
    arm.label = std::string(1, static_cast<char>('a' + i));
    arm.library = "openmpi";
    campaign.arms.push_back(arm);
  }
  return campaign;
}

inline ResolvedCells resolved(const Campaign& campaign) {
  return resolve_cells(campaign, surroundings(campaign.arms.size()), "c.toml");
}

}  // namespace invar::design::test
