// The times that an operation states of itself (record::TimeInfo), in one cell: whose ticks make
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "record/cell.hpp"
#include "record/operation/operation_info.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// Which of an operation's times is meant.
struct TimeChoice {
  enum class Kind {
    kHeadline,  // the first that the operation states
    kWhole,     // of all ranks that call, local or global, whatever the operation states
    kNamed,
  };
  Kind kind = Kind::kHeadline;
  // "one way", or "one way#2": of the second pair, or of the second rank of the role.
  std::string name = {};

  bool operator==(const TimeChoice&) const = default;
};

// How a time of all ranks that call is named beside others.
constexpr std::string_view kWholeName = "whole";
// What a foreign program prints, likewise.
constexpr std::string_view kPrintedName = "printed";

// By how the number became the time of a call, where it was none: "printed, times 2" of half a
// round trip, "printed, converted" of a rate.
std::string printed_name(std::string_view converted);

// A table of times has to say that they are these.
constexpr bool is_named(std::string_view name) {
  return name != kWholeName && name != kPrintedName;
}

// A point of a call, on one rank.
struct TickPoint {
  enum class Kind { kStart, kEnd, kMark };
  Kind kind = Kind::kStart;
  std::uint32_t mark = 0;  // number in marks.bin

  bool operator==(const TickPoint&) const = default;
};

// The pairs of ranks that send to each other in the cell, in the order of their numbers (`#1`,
// `#2`,
// ... of a pair's time); none: the operation sends no messages of its own, or the cell's ranks have
// no such pattern.
std::vector<record::RankPair> pairs_of_cell(const record::OperationInfo& info,
                                            const record::Cell& cell);

// A time that is not the whole call. The k-th rank of the one list belongs to the k-th of the other
// where the kind is own, pair or last. A rank stands once in a list, but for pairs of a pattern: it
// may be in several of them.
struct DeclaredTime {
  std::string name = {};
  record::TimeKind kind = record::TimeKind::kOwn;  // never kWhole
  TickPoint from = {};
  TickPoint to = {};
  // Ranks of the call's communicator, ascending. Ranks of pairs are in the order of the pairs.
  std::vector<std::uint32_t> from_ranks = {};
  std::vector<std::uint32_t> to_ranks = {};

  // Ticks of different ranks are subtracted from each other, or compared.
  [[nodiscard]] bool needs_common_time() const { return kind != record::TimeKind::kOwn; }
  // What a batch of calls has of it: all its calls, from the first start to the last end, or
  // nothing but points of one call.
  [[nodiscard]] bool spans_batch() const {
    return from.kind == TickPoint::Kind::kStart && to.kind == TickPoint::Kind::kEnd;
  }
};

struct ChosenTime {
  std::shared_ptr<const DeclaredTime> time = {};  // null: the whole, or `lack` says why not
  std::string lack = {};                          // empty: there is such a time in this cell
};

// `info`: of the cell's operation. Where the operation has no time of that name, the cell no marks
// that it needs, or no rank of the cell a part in it, the lack says so.
ChosenTime choose_time(const record::OperationInfo& info, const record::Cell& cell,
                       const TimeChoice& choice);

// In no cell and arm is it another time than the headline.
bool asks_headline(const store::Data& data, const TimeChoice& choice);

// Names of all times of the campaign's operations, in their order of appearance.
std::vector<std::string> time_names(const store::Data& data);

// Throws UserError (for `option`, with all names that there are) if no operation of the campaign
// has a time of that name. The headline and the whole are always there.
void check_time(const store::Data& data, const TimeChoice& choice, const std::string& option);

}  // namespace invar::analysis
