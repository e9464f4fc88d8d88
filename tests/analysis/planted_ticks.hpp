// Ticks of single ranks and marks with known times in them, beside what planted.hpp makes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/planted.hpp"
#include "record/operation/operation_json.hpp"

namespace invar::planted {

// Rank 1 starts and rank 2 answers, all others stand by. The first time is the headline.
inline record::OperationInfo handover(std::vector<std::string> times) {
  using record::Role;
  using record::TimeKind;
  const std::vector<record::TimeInfo> known{
      {.name = "whole"},
      {.name = "one way", .kind = TimeKind::kAcross, .to_role = Role::kAnswers},
      {.name = "posting", .kind = TimeKind::kOwn, .to = "posted"},
      {.name = "waiting",
       .kind = TimeKind::kOwn,
       .from_role = Role::kAnswers,
       .from = "posted",
       .to_role = Role::kAnswers,
       .to = "waited"},
      {.name = "giving", .kind = TimeKind::kOwn},
      {.name = "sent to waited",
       .kind = TimeKind::kPair,
       .from = "posted",
       .to_role = Role::kAnswers,
       .to = "waited"}};
  record::OperationInfo info{.name = "handover"};
  info.roles = {{.role = Role::kStarts, .ranks = record::Ranks::kNumber, .number = 1},
                {.role = Role::kAnswers, .ranks = record::Ranks::kNumber, .number = 2}};
  info.marks = {{.name = "posted"}, {.name = "waited"}};
  for (const std::string& name : times) {
    info.times.push_back(*std::ranges::find(known, name, &record::TimeInfo::name));
  }
  return info;
}

inline record::Cell handover_cell(std::uint64_t size_bytes) {
  record::Cell one = cell("handover", size_bytes);
  one.ranks = 3;
  return one;
}

// What a call of time t consists of, in parts of t from the giver's start on.
struct HandoverParts {
  double posted = 0.3;  // on the giver
  double given = 0.6;
  double taker_start = 0.05;
  double taker_posted = 0.1;
  double waited = 0.7;
};

// Ranks do not begin at 0, and a tick is not a picosecond.
constexpr double kTickPs = 500;

struct TickRecords {
  std::deque<std::vector<record::RankTicks>> ranks = {};
  std::deque<std::vector<record::MarkTicks>> marks = {};
  std::shared_ptr<const void> timings = {};
};

// Gives every visit of `data` the ticks of a handover whose parts are those of its arm. In a batch
// a start is that of the first call, ends and marks those of the last.
inline void plant_ticks(store::Data& data,
                        const std::function<HandoverParts(std::size_t arm)>& parts = {},
                        bool per_rank = true) {
  auto records = std::make_shared<TickRecords>();
  records->timings = data.mapped;
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      const HandoverParts part = parts ? parts(launch.arm) : HandoverParts{};
      for (store::Visit& visit : launch.visits) {
        std::vector<record::RankTicks>& ranks = records->ranks.emplace_back();
        std::vector<record::MarkTicks>& marks = records->marks.emplace_back();
        for (std::uint32_t i = 0; i < visit.records.size(); ++i) {
          const double call_ps = static_cast<double>(visit.records[i].local_max_ps);
          const std::int64_t origin = 1'000'000'000LL + i * 100'000'000LL;
          const double last_ps = call_ps * (visit.line.calls - 1);
          const auto start = [&](double of_call) {
            return origin + std::llround(of_call * call_ps / kTickPs);
          };
          const auto at = [&](double of_call) {
            return origin + std::llround((last_ps + of_call * call_ps) / kTickPs);
          };
          const auto mark = [&](std::uint32_t rank, std::uint32_t number, double from, double of) {
            marks.push_back({.visit = visit.line.visit,
                             .repetition = i,
                             .rank = rank,
                             .mark = number,
                             .start_ticks = start(from),
                             .mark_ticks = at(of)});
          };
          const auto call = [&](std::uint32_t rank, double from, double to) {
            ranks.push_back({.visit = visit.line.visit,
                             .repetition = i,
                             .rank = rank,
                             .reserved = 0,
                             .start_ticks = start(from),
                             .end_ticks = at(to)});
          };
          call(1, 0, part.given);
          call(2, part.taker_start, 1);
          mark(1, 0, 0, part.posted);
          mark(2, 0, part.taker_start, part.taker_posted);
          mark(2, 1, part.taker_start, part.waited);
        }
        if (per_rank) visit.rank_records = ranks;
        visit.mark_records = marks;
        visit.tick_ps = kTickPs;
        visit.one_clock = true;
      }
    }
  }
  data.mapped = records;
}

// Data of handovers alone, whose operation has these times.
inline store::Data handovers(Plan plan, const std::vector<std::string>& times,
                             const std::function<HandoverParts(std::size_t arm)>& parts = {},
                             bool per_rank = true) {
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    plan.cells[i] = handover_cell(plan.cells[i].size_bytes.value_or(8));
  }
  store::Data made = data(std::move(plan));
  for (store::ArmRecord& arm : made.arms) arm.operations = {handover(times)};
  plant_ticks(made, parts, per_rank);
  return made;
}

}  // namespace invar::planted
