#include "record/clock_spec.hpp"

#include "record/key_values.hpp"

namespace invar::record {
namespace {

constexpr auto kForEachClockKey = [](auto& spec, auto visit) {
  visit("experiment", spec.experiment);
  visit("clock", spec.clock);
  visit("algorithms", spec.algorithms);
  visit("after_s", spec.after_s);
  visit("repetitions", spec.repetitions);
  visit("duration_s", spec.duration_s);
  visit("interval_s", spec.interval_s);
  visit("operation", spec.operation);
  visit("size_bytes", spec.size_bytes);
  visit("bins", spec.bins);
  visit("pinning", spec.pinning);
  visit("cpus", spec.cpus);
  visit_virtual_clocks(spec.virtual_clocks, visit);
  visit("virtual_where_possible", spec.virtual_where_possible);
};

}  // namespace

std::string clock_spec_text(const ClockSpec& spec) { return keys_text(spec, kForEachClockKey); }

ClockSpec read_clock_spec(std::string_view text, const std::string& place) {
  return read_keys<ClockSpec>(text, place, kForEachClockKey);
}

std::string raw_header(std::span<const RawColumn> columns) {
  std::string header;
  for (const RawColumn& column : columns) {
    header += header.empty() ? "" : ",";
    header += column.name;
  }
  return header + '\n';
}

}  // namespace invar::record
