// Campaigns whose ranks send to each other in pairs, with known times of every pair.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/planted.hpp"
#include "analysis/planted_ticks.hpp"
#include "analysis/ticks/declared_time.hpp"

namespace invar::planted {

inline record::OperationInfo oneway_info() {
  using record::Role;
  using record::TimeKind;
  record::OperationInfo info{.name = "oneway", .messages = record::Messages::kDirected};
  info.batches = false;
  info.times = {{.name = "one way", .kind = TimeKind::kAcross, .to_role = Role::kAnswers},
                {.name = "sending", .kind = TimeKind::kOwn},
                {.name = "pair",
                 .summary = "from a sender's start to the end of its receiver",
                 .kind = TimeKind::kPair,
                 .to_role = Role::kAnswers}};
  return info;
}

inline record::OperationInfo pingpong_info() {
  record::OperationInfo info{.name = "pingpong", .messages = record::Messages::kMatched};
  info.both_ways = true;
  info.times = {{.name = "round trip",
                 .summary = "of the rank that starts: there and back",
                 .kind = record::TimeKind::kOwn},
                {.name = "whole"}};
  return info;
}

inline record::Cell pair_cell(const std::string& operation, const std::string& pattern,
                              std::uint32_t ranks, std::uint64_t size_bytes = 1024) {
  record::Cell one = cell(operation, size_bytes);
  one.pattern = pattern;
  one.ranks = one.ppn = ranks;
  return one;
}

// Every pair has a cell forth and one back.
inline std::vector<record::Cell> all_pair_cells(const std::string& operation, std::uint32_t ranks) {
  std::vector<record::Cell> cells;
  for (const std::string& pattern : record::expand_pattern("all-pairs", ranks)) {
    cells.push_back(pair_cell(operation, pattern, ranks));
  }
  return cells;
}

// How many times the call's planted time a pair takes.
using PairFactor =
    std::function<double(std::size_t arm, const record::RankPair& pair, std::size_t cell)>;

// All ranks of a call begin at once; a rank that receives ends when its pair's time is over, one
// that only sends with half of it.
inline store::Data pairs_data(Plan plan, const PairFactor& factor,
                              const std::vector<record::OperationInfo>& operations = {
                                  oneway_info(), pingpong_info()}) {
  store::Data made = data(std::move(plan));
  for (store::ArmRecord& arm : made.arms) arm.operations = operations;
  auto records = std::make_shared<TickRecords>();
  records->timings = made.mapped;
  for (store::Group& group : made.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        const record::Cell& cell = made.cells.at(visit.line.cell);
        const record::OperationInfo info = made.operation(launch.arm, cell.operation);
        std::vector<record::RankTicks>& ranks = records->ranks.emplace_back();
        for (std::uint32_t i = 0; i < visit.records.size(); ++i) {
          const double call_ps = static_cast<double>(visit.records[i].local_max_ps);
          const std::int64_t origin = 1'000'000'000LL + i * 100'000'000LL;
          std::vector<double> ends_ps(cell.ranks, 0);
          for (const record::RankPair& pair : analysis::pairs_of_cell(info, cell)) {
            const double pair_ps = call_ps * factor(launch.arm, pair, visit.line.cell);
            ends_ps[pair.to] = pair_ps;
            const double back_ps = info.both_ways ? pair_ps : pair_ps / 2;
            ends_ps[pair.from] = std::max(ends_ps[pair.from], back_ps);
          }
          for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) {
            if (ends_ps[rank] == 0) continue;  // it stands by
            ranks.push_back({.visit = visit.line.visit,
                             .repetition = i,
                             .rank = rank,
                             .reserved = 0,
                             .start_ticks = origin,
                             .end_ticks = origin + std::llround(ends_ps[rank] / kTickPs)});
          }
        }
        visit.rank_records = ranks;
        visit.tick_ps = kTickPs;
        visit.one_clock = true;
      }
    }
  }
  made.mapped = records;
  return made;
}

// Nobody is slower than the others.
inline double all_alike(std::size_t /*arm*/, const record::RankPair& /*pair*/,
                        std::size_t /*cell*/) {
  return 1;
}

// What comparing the ranks' clocks left open.
inline store::Data with_clocks_within(store::Data data, double within_ns) {
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.agree_within_ns = within_ns;
    }
  }
  return data;
}

// As if each rank read a clock of its own.
inline void take_clocks_apart(store::Data& data) {
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) visit.one_clock = false;
    }
  }
}

}  // namespace invar::planted
