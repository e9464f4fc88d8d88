// Campaigns with messages in memory: ping-pongs, streams and one-way messages with known times.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/planted.hpp"
#include "record/operation/operation_json.hpp"

namespace invar::planted {

// What engines say of their operations, but that every time is that of the whole call: what these
// tests plant is that. A stream between hosts has only the time that its sender reads.
inline std::vector<record::OperationInfo> message_operations() {
  using record::Messages;
  record::OperationInfo pingpong{.name = "pingpong", .messages = Messages::kMatched};
  pingpong.both_ways = true;
  record::OperationInfo oneway{.name = "oneway", .messages = Messages::kDirected};
  oneway.batches = false;
  record::OperationInfo stream{.name = "stream", .messages = Messages::kDirected};
  stream.windowed = true;
  record::OperationInfo copy{.name = "memcpy", .messages = Messages::kMatched};
  copy.copies = true;
  record::OperationInfo send{.name = "send", .messages = Messages::kPairs, .overheads = true};
  std::vector<record::OperationInfo> all{pingpong, oneway, stream, copy, send, {.name = "bcast"}};
  for (record::OperationInfo& info : all) info.times = {{.name = "whole"}};
  return all;
}

inline record::Cell message_cell(const std::string& operation, std::uint64_t size_bytes,
                                 const std::string& pattern = "distance:1") {
  record::Cell one = cell(operation, size_bytes);
  one.pattern = pattern;
  if (operation == "stream") {
    one.form = "non-blocking";
    one.window = 64;
  }
  return one;
}

inline record::Cell with_pending(record::Cell cell, const std::string& level) {
  cell.pending = level;
  return cell;
}

inline record::Cell with_unexpected(record::Cell cell, const std::string& level) {
  cell.unexpected = level;
  return cell;
}

// All ranks read one clock, but for what nobody could tell them apart by.
inline store::Data messages(const Plan& plan, double within_ns = 1, bool one_clock = true) {
  store::Data made = data(plan);
  for (store::ArmRecord& arm : made.arms) arm.operations = message_operations();
  for (store::Group& group : made.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        visit.one_clock = one_clock;
        if (one_clock) visit.agree_within_ns = within_ns;
      }
    }
  }
  return made;
}

// A plan of these cells with these times, of one arm.
inline Plan message_plan(std::vector<record::Cell> cells, std::vector<double> times_ns) {
  Plan plan;
  plan.arms = {"openmpi"};
  plan.group_sd = 0.02;
  plan.cells = std::move(cells);
  plan.time_ns = [times_ns](std::size_t, std::size_t cell) { return times_ns.at(cell); };
  return plan;
}

}  // namespace invar::planted
