// Campaigns of question `network` in memory: cells and times of a network with known truth.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/network/simulated_network.hpp"
#include "analysis/planted.hpp"
#include "record/operation/operation_json.hpp"

namespace invar::planted {

// What engines say of their operations, but that every time is that of the whole call: what these
// tests plant is that.
inline std::vector<record::OperationInfo> network_operations() {
  using record::Messages;
  std::vector<record::OperationInfo> all;
  all.push_back({.name = "pingpong", .messages = Messages::kMatched});
  all.push_back({.name = "exchange", .messages = Messages::kMatched});
  for (const char* name : {"send", "isend", "ssend", "recv", "train"}) {
    all.push_back({.name = name, .messages = Messages::kPairs});
  }
  for (const char* name : {"wtime", "test", "iprobe"}) all.push_back({.name = name});
  for (record::OperationInfo& info : all) info.times = {{.name = "whole"}};
  return all;
}

inline record::Cell network_cell(const std::string& operation,
                                 std::optional<std::uint64_t> size_bytes,
                                 const std::string& arrival = "none") {
  record::Cell one = cell(operation, size_bytes);
  if (size_bytes) one.pattern = "distance:1";
  one.arrival = arrival;
  return one;
}

// As the campaign of `invar network` has its round trips; overheads are never batched anyway.
inline record::Cell single_calls(record::Cell cell) {
  cell.batches = "never";
  return cell;
}

inline record::Cell posted(record::Cell cell) {
  cell.receives = "before";
  return cell;
}

inline record::Cell train_cell(std::uint64_t size_bytes, std::uint32_t messages,
                               const std::string& delay = "off") {
  record::Cell one = network_cell("train", size_bytes);
  one.window = messages;
  one.train_delay = delay;
  return one;
}

constexpr double kPlantedLatenessNs = 1e6;
constexpr double kPlantedReadingNs = 20;

// A plan of all series at these sizes; every time has a reading of the clock in it.
inline Plan network_plan(const TrueNetwork& truth, const std::vector<std::uint64_t>& sizes) {
  const std::string late = "last-late:1000000ns";
  const std::string later = "last-late:2000000ns";
  std::vector<double> times;
  Plan plan;
  plan.arms = {"openmpi"};
  plan.cells.clear();
  const auto add = [&](record::Cell cell, double time_ns) {
    plan.cells.push_back(std::move(cell));
    times.push_back(time_ns + kPlantedReadingNs);
  };
  for (const std::uint64_t size : sizes) {
    const double half_ns = truth.half_ns(size);
    const double waited = size < truth.detached_bytes ? 0 : kPlantedLatenessNs;
    add(single_calls(network_cell("pingpong", size)), 2 * half_ns);
    add(network_cell("send", size), truth.send_ns(size));
    add(network_cell("send", size, late), truth.send_ns(size) + waited);
    add(network_cell("isend", size), at(truth.send, size));
    add(network_cell("recv", size, late), truth.late_receive_ns(size));
    add(posted(network_cell("recv", size, late)), 80);
    add(train_cell(size, 1), half_ns + 2000);
    add(train_cell(size, 10), half_ns + 2000 + 9 * at(truth.gap, size));
  }
  add(network_cell("recv", sizes.front(), later), truth.late_receive_ns(sizes.front()));
  for (const char* call : {"wtime", "test", "iprobe"}) add(network_cell(call, std::nullopt), 40);
  plan.time_ns = [times](std::size_t, std::size_t index) { return times.at(index); };
  plan.groups = 6;
  plan.rounds = 1;
  plan.repetitions = 6;
  plan.group_sd = 0.02;
  // Starts cannot be compared: how late a receiver was is what was asked for.
  plan.flags = [](std::size_t, std::size_t, std::uint32_t) {
    return std::uint16_t{record::kGlobalInvalid};
  };
  return plan;
}

inline store::Data network_campaign_data(const Plan& plan) {
  store::Data made = data(plan);
  for (store::ArmRecord& arm : made.arms) arm.operations = network_operations();
  for (store::Group& group : made.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        visit.line.empty_ps = static_cast<std::int64_t>(kPlantedReadingNs * 1000);
      }
    }
  }
  return made;
}

// From 1 B to 1 MiB and a half, each the one before and a half of it.
inline std::vector<std::uint64_t> planted_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= (std::uint64_t{3} << 19U); size = size * 3 / 2 + 1) {
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace invar::planted
