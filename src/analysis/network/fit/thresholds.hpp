// From which sizes on a library sends in other ways: whose senders wait for a late receiver, and
// whose late receives contain the transfer (docs/methods.md, "The network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/network/fit/series_points.hpp"
#include "stats/types.hpp"

namespace invar::analysis {

// Where one way ends and the other begins: between two sizes that were measured.
struct Threshold {
  std::optional<std::uint64_t> last_bytes = {};   // the largest of the one way; none: no size is
  std::optional<std::uint64_t> first_bytes = {};  // the smallest of the other; none: no size is
  std::optional<stats::Interval> interval_bytes = {};  // over resampled launch groups
  // Why it was not measured, or why it is only bounded; empty: it was.
  std::string why = {};
  bool known = false;  // both ways were looked for

  // The size is of the other way.
  [[nodiscard]] bool beyond(std::uint64_t size_bytes) const {
    return first_bytes && size_bytes >= *first_bytes;
  }
};

// A size of a sender whose receiver is late.
struct WaitingShare {
  std::uint64_t size_bytes = 0;
  // What it took beyond a send whose receiver is in time, over how late that one was: 0 or 1, for
  // the most part. Median over the launch groups that count.
  double share = 0;
};

// In the order of the sizes, of visits whose lateness is known. `in_time_ns`: a send of that size
// whose receiver is in time; none: it is taken to take nothing.
std::vector<WaitingShare> waiting_shares(
    const DataSeries& to_late, std::span<const GroupWeight> weights,
    const std::function<std::optional<double>(std::uint64_t size_bytes)>& in_time_ns);

// The division of sizes into those that do not wait and those that do (share above one half) with
// the fewest on the wrong side; of several the one with the widest gap in shares. Not known without
// any size. `wrong`: sizes on the wrong side.
Threshold detached_threshold(std::span<const WaitingShare> shares,
                             std::vector<std::uint64_t>* wrong = nullptr);

// What a late receive hides of the transfer.
struct HiddenTime {
  std::uint64_t size_bytes = 0;
  double transfer_ns = 0;  // half a round trip less o_s
  double hidden_ns = 0;    // that less the late receive; about 0 where it contains the transfer
  double variance_ns2 = 1;
};

// Below async a late receive hides the whole transfer, L + G s; from there on nothing. The
// division whose weighted squares, around a line with L >= 0 and G >= 0 below it and around 0 above
// it, and whose price (2 log n for the line, log n for the place) together are least. Ascending by
// size; those from `detached` on are not among them: there a late receive contains the transfer.
// Without any size it is detached, and not known.
Threshold async_threshold(std::span<const HiddenTime> hidden, const Threshold& detached);

// Both are known between sizes of other series each, and what waits for its receiver is received
// with its transfer: where async's gap reaches detached's, or lies beyond it, async is detached.
Threshold not_beyond(const Threshold& async, const Threshold& detached);

}  // namespace invar::analysis
