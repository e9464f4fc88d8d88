// The series of a network's model: which cells of a campaign are which, one row a series
// (docs/methods.md, "The network model").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "record/cell.hpp"

namespace invar::analysis {

// One time of messages over sizes.
enum class SeriesKind : std::uint8_t {
  kRoundTrip,
  kSend,
  kSendToLate,  // the receiver comes late
  kIsend,
  kSsend,
  kLateReceive,    // the receive itself is late
  kLaterReceive,   // it is later still: a control of how late is late enough
  kPostedReceive,  // posted in time, completed late
  kTrain,          // n messages with a delay between, and an answer
  kGap,            // follows from trains of one launch group
};

struct SeriesInfo {
  SeriesKind kind = SeriesKind::kRoundTrip;
  std::string_view name = {};       // as machines read it: "round-trip"
  std::string_view operation = {};  // empty: it follows from others
  // Which of the operation's cells; null: all.
  bool (*takes)(const record::Cell& cell) = nullptr;
  std::string_view words = {};  // "half a round trip"
  double share = 1;             // of the time that is measured
  // A campaign without it has no model. Of the others the parameters that rest on them are not
  // identified.
  bool needed = false;
  // Why somebody would measure it, for who has not: "says o_s, ...".
  std::string_view use = {};
};

// In the order of the enumeration.
std::span<const SeriesInfo> all_series();
const SeriesInfo& info_of(SeriesKind kind);

// A series and, of trains, which of them.
struct SeriesKey {
  SeriesKind kind = SeriesKind::kRoundTrip;
  std::uint32_t messages = 1;  // in a train
  bool delayed = false;        // and the sender spins between these

  auto operator<=>(const SeriesKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// How late a cell's receiver comes on purpose, in its own unit (a level of `arrival`); 0: it does
// not, or somebody else does.
double receiver_lateness(const record::Cell& cell);

// A single call without messages, whose cost simulators are told.
struct CostInfo {
  std::string_view operation = {};  // "wtime"
  std::string_view call = {};       // "MPI_Wtime"
};
std::span<const CostInfo> all_costs();

}  // namespace invar::analysis
