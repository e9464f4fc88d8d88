// What a message costs more while others lie in the queues that a library looks through first
// (docs/methods.md, "Latency, bandwidth, queues").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/p2p/message_places.hpp"
#include "record/cell.hpp"

namespace invar::analysis {

// Time of a message with so many entries in a queue.
struct QueueRow {
  std::string arm = {};
  record::Cell cell = {};  // without the queue
  std::size_t place = 0;
  std::string kind = {};    // "pending, same peer"
  std::uint32_t count = 0;  // 0: the same cell with empty queues
  TimeEstimate time = {};
};

// Slope of a straight line through these times, over the counts.
struct QueueCost {
  std::string arm = {};
  record::Cell cell = {};
  std::size_t place = 0;
  std::string kind = {};
  std::uint32_t most = 0;           // entries that were tried
  GroupEstimate per_entry_ns = {};  // mean over launch groups of their lines' slopes
};

struct Queues {
  std::vector<QueueRow> rows = {};    // by arm, place, cell, kind, count
  std::vector<QueueCost> costs = {};  // likewise; none of a kind that was tried with one count
  std::vector<Warning> warnings = {};
};

Queues queues_of(const MeasuredMessages& measured);

}  // namespace invar::analysis
