// A catalogue, a machine and small campaigns for the tests of stage 1.
#pragma once

#include <string>
#include <vector>

#include "design/plan/schedule.hpp"
#include "golden.hpp"

namespace invar::design::test {

using invar::test::faults_of;
using invar::test::golden;

using Names = std::vector<std::string>;

// What the engine's catalogue says of our own operations.
inline std::vector<record::OperationInfo> catalogue() {
  std::vector<record::OperationInfo> all;
  for (const char* name : {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"}) {
    all.push_back({.name = name});
  }
  for (const char* name : {"bcast", "gather", "gatherv", "scatter", "scatterv"}) {
    all.push_back({.name = name, .rooted = true});
  }
  for (const char* name :
       {"allreduce", "exscan", "reduce_local", "reduce_scatter", "reduce_scatter_block", "scan"}) {
    all.push_back({.name = name, .reduces = true});
  }
  all.push_back({.name = "reduce", .rooted = true, .reduces = true});
  for (record::OperationInfo& info : all) {
    const std::vector<std::string> sums{"sum"};
    const record::DatatypeInfo byte{.name = "byte", .size_bytes = 1};
    const record::DatatypeInfo int32{
        .name = "int32", .size_bytes = 4, .reductions = info.reduces ? sums : Names{}};
    info.datatypes = info.reduces ? std::vector{int32, byte} : std::vector{byte, int32};
  }
  all.push_back({.name = "barrier", .sized = false});
  all.push_back({.name = "empty", .sized = false});
  return all;
}

inline Surroundings surroundings(std::size_t arms, std::uint32_t slots = 2) {
  return {.operations = std::vector(arms, catalogue()), .slots = slots};
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
