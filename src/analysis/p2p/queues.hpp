// What a message costs more while others lie in the queues that a library looks through first
// (docs/methods.md, "Latency, bandwidth, queues").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // What each of these entries costs on average: what the time is above that with the fewest, over
  // the entries in between. None: it is that with the fewest, or timed otherwise.
  std::optional<GroupEstimate> per_entry_ns = {};
};

// What these rows say of a single entry.
struct QueueCost {
  std::string arm = {};
  record::Cell cell = {};
  std::size_t place = 0;
  std::string kind = {};
  std::uint32_t most = 0;  // entries that were tried
  // Whether a straight line over the counts has all times, as far as the smallest effect goes;
  // none: there are two counts, or one launch group.
  std::optional<bool> line = {};
  // Mean over launch groups of their lines' slopes; none: no line has the times.
  std::optional<GroupEstimate> per_entry_ns = {};
  // Range of QueueRow::per_entry_ns, where that is told well enough. At least 0.
  double least_ns = 0;
  double most_ns = 0;

  // No cost was seen: the interval holds 0.
  [[nodiscard]] bool is_nothing() const {
    return per_entry_ns && per_entry_ns->interval && per_entry_ns->interval->low <= 0;
  }
};

// "2.06 ns [1.99, 2.14]"; "nothing (below 0.001 ns)"; "0 to 0.88 ns, not a line".
std::string cost_text(const QueueCost& cost);

struct Queues {
  std::vector<QueueRow> rows = {};    // by arm, place, cell, kind, count
  std::vector<QueueCost> costs = {};  // likewise; none of a kind that was tried with one count
  std::vector<Warning> warnings = {};
};

Queues queues_of(const MeasuredMessages& measured);

}  // namespace invar::analysis
