#include "analysis/network/series.hpp"

#include <array>
#include <optional>

#include "record/arrival.hpp"
#include "record/p2p/pattern.hpp"

namespace invar::analysis {
namespace {

bool in_time(const record::Cell& cell) { return cell.arrival == record::Cell().arrival; }

bool receiver_is_late(const record::Cell& cell) { return receiver_lateness(cell) > 0; }

bool posted_before(const record::Cell& cell) { return cell.receives == "before"; }

bool late_and_unposted(const record::Cell& cell) {
  return receiver_is_late(cell) && !posted_before(cell);
}

bool late_and_posted(const record::Cell& cell) {
  return receiver_is_late(cell) && posted_before(cell);
}

// What is later than the campaign's least lateness is told apart by whoever knows all cells.
bool none(const record::Cell& /*cell*/) { return false; }

constexpr std::array kSeries{
    SeriesInfo{.kind = SeriesKind::kRoundTrip,
               .name = "round-trip",
               .operation = "pingpong",
               .takes = in_time,
               .words = "half a round trip",
               .share = 0.5,
               .needed = true,
               .use = "says L and G, once the overheads are known"},
    SeriesInfo{.kind = SeriesKind::kSend,
               .name = "send",
               .operation = "send",
               .takes = in_time,
               .words = "MPI_Send",
               .use = "says o_s where it does not wait"},
    SeriesInfo{.kind = SeriesKind::kSendToLate,
               .name = "send-to-late",
               .operation = "send",
               .takes = receiver_is_late,
               .words = "MPI_Send to a late receiver",
               .use = "says from which size on a send waits"},
    SeriesInfo{.kind = SeriesKind::kIsend,
               .name = "isend",
               .operation = "isend",
               .takes = in_time,
               .words = "MPI_Isend",
               .use = "says what posting a message costs a simulated sender"},
    SeriesInfo{.kind = SeriesKind::kSsend,
               .name = "ssend",
               .operation = "ssend",
               .takes = in_time,
               .words = "MPI_Ssend",
               .use = "says what a synchronous send takes"},
    SeriesInfo{.kind = SeriesKind::kLateReceive,
               .name = "late-receive",
               .operation = "recv",
               .takes = late_and_unposted,
               .words = "MPI_Recv of what has come",
               .use = "says o_r, and from which size on the transfer waits for the receive"},
    SeriesInfo{.kind = SeriesKind::kLaterReceive,
               .name = "later-receive",
               .operation = "recv",
               .takes = none,
               .words = "the same receive, twice as late",
               .use = "says whether the receives were late enough"},
    SeriesInfo{.kind = SeriesKind::kPostedReceive,
               .name = "posted-receive",
               .operation = "recv",
               .takes = late_and_posted,
               .words = "MPI_Wait of a receive posted in time",
               .use = "says what a receive costs that was posted before"},
    SeriesInfo{.kind = SeriesKind::kTrain,
               .name = "train",
               .operation = "train",
               .words = "messages in a row and an answer",
               .use = "says g, by trains of 1 message and of more"},
    SeriesInfo{.kind = SeriesKind::kGap, .name = "gap", .words = "a further message of a train"}};

constexpr std::array kCosts{CostInfo{.operation = "wtime", .call = "MPI_Wtime"},
                            CostInfo{.operation = "test", .call = "MPI_Test"},
                            CostInfo{.operation = "iprobe", .call = "MPI_Iprobe"}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kSeries.size(); ++i) {
    if (static_cast<std::size_t>(kSeries.at(i).kind) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const SeriesInfo> all_series() { return kSeries; }

const SeriesInfo& info_of(SeriesKind kind) { return kSeries.at(static_cast<std::size_t>(kind)); }

double receiver_lateness(const record::Cell& cell) {
  const std::optional<record::Arrival> arrival = record::parse_arrival(cell.arrival);
  if (!arrival) return 0;
  const std::optional<record::Pattern> pattern = record::parse_pattern(cell.pattern);
  const bool back = pattern && pattern->back;
  const record::ArrivalPattern receivers =
      back ? record::ArrivalPattern::kFirstLate : record::ArrivalPattern::kLastLate;
  if (arrival->pattern != receivers) return 0;
  return arrival->amplitude_calls > 0 ? arrival->amplitude_calls : arrival->amplitude_ns;
}

std::span<const CostInfo> all_costs() { return kCosts; }

}  // namespace invar::analysis
