// A declared time of every repetition of a visit, from ranks.bin and marks.bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ticks/declared_time.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// What is wrong with a visit for which store::Visit::one_rate is false.
inline constexpr std::string_view kSeveralRates =
    "its hosts' clocks do not tick at one rate, or nobody compared them, and only rank 0's rate is "
    "recorded";

// Why the time does not follow from what was recorded of this visit; empty: it does.
std::string lack_of_ticks(const store::Visit& visit, const DeclaredTime& time);

// A repetition that counts in this time. Where clocks are not compared it does not matter whether
// they could be.
inline bool is_kept(const record::Timing& timing, const DeclaredTime& time) {
  const unsigned flags = timing.flags;
  return (flags & record::kLeftOut) == 0 &&
         !(time.needs_common_time() && (flags & record::kGlobalInvalid) != 0);
}

// Passes once over the visit's records, with memory for its ranks. Both arguments outlive it, and
// lack_of_ticks() of them is empty.
class TickTimes {
 public:
  TickTimes(const store::Visit& visit, const DeclaredTime& time);

  // In ps, of the next repetition: to be asked for every record of timings.bin, in their order. Own
  // times and those of pairs: the longest of them. Across: from the first of the one ranks to the
  // last of the others. Last: that of the rank that ends last. None: no rank came by both points,
  // or not that one.
  std::optional<std::int64_t> next();

 private:
  static constexpr std::int64_t kNoTick = std::numeric_limits<std::int64_t>::min();

  // One end of the time: its point, and that point's tick for every rank of the list. A rank that
  // stands there several times has as many slots.
  struct End {
    TickPoint point = {};
    std::vector<std::uint32_t> first_slot = {};  // by rank, and one more: into `slots`
    std::vector<std::uint32_t> slots = {};       // in the order of the ranks
    std::vector<std::int64_t> ticks = {};        // by slot; kNoTick: not in this repetition

    End(const TickPoint& at, const std::vector<std::uint32_t>& ranks);
    void put(TickPoint::Kind kind, std::uint32_t mark, std::uint32_t rank, std::int64_t tick);
  };

  void read_repetition();
  [[nodiscard]] std::optional<std::int64_t> difference() const;
  [[nodiscard]] std::optional<std::int64_t> difference_on_last() const;

  const store::Visit& visit_;
  End from_;
  End to_;
  std::optional<End> ends_ = {};  // of the rank that ends last
  bool across_;
  double ps_per_tick_;  // of a call, where a batch's calls are all in the time
  std::uint32_t repetition_ = 0;
  std::size_t next_rank_record_ = 0;
  std::size_t next_mark_record_ = 0;
};

}  // namespace invar::analysis
