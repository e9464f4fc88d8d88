// Campaigns in memory that suites' own ways of measuring took part in: single ranks' ticks.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/scheme.hpp"
#include "store/reader.hpp"

namespace invar::suite_data {

struct Plan {
  std::vector<std::string> arms = {"openmpi"};
  std::vector<std::string> operations = {"bcast"};
  std::vector<std::string> schemes = {"barrier"};  // beside our own way
  bool rotates = true;                             // the operations have roots
  std::uint32_t launches = 2;
  std::uint32_t rounds = 3;
  std::uint32_t calls = 10;  // of a batch, or repetitions after one warm-up
  bool per_rank = true;
  // The time of one repetition, or of a batch per call. `scheme`: "invar" for ours.
  std::function<double(const record::Cell&, std::size_t arm, std::uint32_t launch,
                       std::uint32_t rank)>
      time_ns =
          [](const record::Cell&, std::size_t, std::uint32_t, std::uint32_t) { return 500.0; };
};

constexpr double kTickNs = 0.4;

struct Memory {
  std::vector<std::unique_ptr<std::vector<record::Timing>>> timings;
  std::vector<std::unique_ptr<std::vector<record::RankTicks>>> ticks;
};

inline store::Visit visit(const Plan& plan, const record::Cell& cell, std::size_t arm,
                          std::uint32_t launch, Memory& memory) {
  const record::Scheme* scheme = record::find_scheme(cell.scheme);
  const bool batch = scheme != nullptr && scheme->batch;
  store::Visit made;
  made.line.cell = cell.id;
  made.line.calls = batch ? plan.calls : 1;
  auto& timings = *memory.timings.emplace_back(std::make_unique<std::vector<record::Timing>>());
  auto& ticks = *memory.ticks.emplace_back(std::make_unique<std::vector<record::RankTicks>>());
  for (std::uint32_t i = 0; i < 1 + (batch ? 1 : plan.calls); ++i) {
    record::Timing timing{};
    timing.repetition = i;
    if (i == 0) timing.flags = record::kWarmUp;
    double sum_ns = 0;
    double largest_ns = 0;
    for (std::uint32_t rank = 0; rank < cell.ranks; ++rank) {
      const double time_ns = plan.time_ns(cell, arm, launch, rank) * (i == 0 ? 20 : 1);
      largest_ns = std::max(largest_ns, time_ns);
      sum_ns += time_ns;
      const std::int64_t begin = 1000 + 7 * rank;
      ticks.push_back({.visit = 0,
                       .repetition = i,
                       .rank = rank,
                       .reserved = 0,
                       .start_ticks = begin,
                       .end_ticks = begin + std::llround(time_ns * made.line.calls / kTickNs)});
    }
    timing.local_max_ps = std::llround(largest_ns * 1000);
    timing.local_mean_ps = std::llround(sum_ns * 1000 / cell.ranks);
    timing.global_ps = timing.local_max_ps;
    timings.push_back(timing);
  }
  made.records = timings;
  if (plan.per_rank) made.rank_records = ticks;
  return made;
}

inline store::Data data(const Plan& plan) {
  store::Data data;
  data.dir = "om";
  data.scope = "2 ranks, 1 host";
  data.ended = true;
  for (const std::string& label : plan.arms) {
    data.arms.push_back({.label = label, .library = label, .library_version = label + " 1"});
  }
  for (const std::string& operation : plan.operations) {
    data.cells.push_back({.operation = operation, .size_bytes = 8, .datatype = "byte"});
  }
  for (const std::string& name : plan.schemes) {
    for (std::size_t i = 0; i < plan.operations.size(); ++i) {
      data.cells.push_back(
          *record::cell_by_scheme(data.cells[i], *record::find_scheme(name), plan.rotates));
    }
  }
  for (std::uint32_t id = 0; id < data.cells.size(); ++id) data.cells[id].id = id;
  auto memory = std::make_shared<Memory>();
  std::uint32_t number = 0;
  for (std::uint32_t group = 1; group <= plan.launches; ++group) {
    store::Group& measured = data.groups.emplace_back();
    measured.group = group;
    for (std::uint32_t arm = 0; arm < plan.arms.size(); ++arm) {
      store::Launch launch{.launch = ++number, .group = group, .arm = arm};
      for (std::uint32_t round = 0; round < plan.rounds; ++round) {
        for (const record::Cell& cell : data.cells) {
          launch.visits.push_back(visit(plan, cell, arm, group, *memory));
          launch.visits.back().line.round = round;
          launch.visits.back().line.block = round * 100 + cell.id;
        }
      }
      measured.launches.push_back(std::move(launch));
    }
  }
  data.mapped = memory;
  return data;
}

}  // namespace invar::suite_data
