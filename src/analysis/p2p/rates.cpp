#include "analysis/p2p/rates.hpp"

#include "analysis/ticks/declared_time.hpp"
#include "record/memory/levels.hpp"

namespace invar::analysis {
namespace {

// `amount` in a nanosecond, for the estimate and both ends.
std::optional<Rate> rate_of(const TimeEstimate& time, double amount) {
  if (!(time.median_ns > 0)) return std::nullopt;
  Rate rate{.value = amount / time.median_ns};
  if (time.interval_ns && time.interval_ns->low > 0) {
    rate.interval = {.low = amount / time.interval_ns->high,
                     .high = amount / time.interval_ns->low,
                     .confidence = time.interval_ns->confidence};
  }
  return rate;
}

}  // namespace

// A byte in a nanosecond is a GB in a second.
std::optional<Rate> bandwidth_gb_s(const TimeEstimate& time, double bytes) {
  return rate_of(time, bytes);
}

std::optional<Rate> messages_per_s(const TimeEstimate& time, double messages) {
  return rate_of(time, messages * 1e9);
}

std::uint64_t messages_of_call(const record::Cell& cell, const record::OperationInfo& info) {
  const std::uint64_t pairs = pairs_of_cell(info, cell).size();
  return pairs * cell.window * (info.both_ways ? 2 : 1);
}

double bytes_of_call(const record::Cell& cell, const record::OperationInfo& info) {
  return static_cast<double>(messages_of_call(cell, info)) *
         static_cast<double>(cell.size_bytes.value_or(0));
}

double bytes_of_pair(const record::Cell& cell, const record::OperationInfo& info) {
  const double messages = static_cast<double>(cell.window) * (info.both_ways ? 2 : 1);
  return messages * static_cast<double>(cell.size_bytes.value_or(0));
}

namespace {

// A walk with gaps names what is as wide as its elements, and how wide "widest" was the engine
// knows.
std::optional<double> named_by_pass(const record::Cell& cell, const record::OperationInfo& info) {
  constexpr std::uint32_t kAnyWidth = 8;
  const std::uint32_t width = record::parse_width(cell.width).value_or(0);
  const bool packed = record::parse_stride(cell.stride).value_or(0) == 0;
  if (info.chases || (width == 0 && !packed)) return std::nullopt;
  return static_cast<double>(record::named_bytes(cell, info, width == 0 ? kAnyWidth : width));
}

}  // namespace

std::optional<double> moved_bytes(const record::Cell& cell, const record::OperationInfo& info,
                                  bool time_of_pair) {
  if (info.overheads) return std::nullopt;
  if (info.walks > 0) return named_by_pass(cell, info);
  double bytes = static_cast<double>(cell.size_bytes.value_or(0));
  if (info.messages != record::Messages::kNone) {
    bytes = time_of_pair ? bytes_of_pair(cell, info) : bytes_of_call(cell, info);
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::optional<double> moved_bytes(const store::Data& data, std::uint32_t arm,
                                  const record::Cell& cell, bool time_of_pair) {
  if (!data.arms.at(arm).program.empty() && !data.describes(cell.operation)) return std::nullopt;
  return moved_bytes(cell, data.operation(arm, cell.operation), time_of_pair);
}

}  // namespace invar::analysis
