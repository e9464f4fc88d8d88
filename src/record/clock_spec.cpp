#include "record/clock_spec.hpp"

#include <set>

#include "base/text.hpp"
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
  visit("windows_s", spec.windows_s);
  visit("launches", spec.launches);
  visit("hosts", spec.hosts);
  visit("cpus_host", spec.cpus_host);
};

constexpr auto kForEachRefusedKey = [](auto& refused, auto visit) {
  visit("place", refused.place);
  visit("what", refused.what);
  visit("remedy", refused.remedy);
};

// Directories that were kept before there were these are read for ever.
const std::set<std::string>& later_keys() {
  static const std::set<std::string> keys{"windows_s", "launches", "hosts", "cpus_host"};
  return keys;
}

}  // namespace

std::string clock_spec_text(const ClockSpec& spec) { return keys_text(spec, kForEachClockKey); }

ClockSpec read_clock_spec(std::string_view text, const std::string& place) {
  return read_keys<ClockSpec>(text, place, kForEachClockKey, later_keys());
}

std::string clock_refused_text(const ClockRefused& refused) {
  return keys_text(refused, kForEachRefusedKey);
}

ClockRefused read_clock_refused(std::string_view text, const std::string& place) {
  return read_keys<ClockRefused>(text, place, kForEachRefusedKey);
}

std::string with_added_columns(std::string_view rows, const std::vector<AddedColumn>& added,
                               bool first) {
  std::string all;
  bool header = true;
  for (const std::string_view line : base::split(rows, '\n')) {
    const bool skipped = line.empty() || (header && !first);
    if (!skipped) {
      all += line;
      for (const AddedColumn& column : added) {
        all += ',' + (header ? std::string(column.name) : std::to_string(column.value));
      }
      all += '\n';
    }
    header = false;
  }
  return all;
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
