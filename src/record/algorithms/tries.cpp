#include "record/algorithms/tries.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "record/algorithms/algorithm_switch.hpp"

namespace invar::record {
namespace {

constexpr std::array<std::string_view, 5> kTryKinds{"check", "check-empty", "check-ordered", "time",
                                                    "traffic"};
constexpr std::array<std::string_view, 8> kTryColumns{
    "kind", "operation", "size_bytes", "ranks", "calls", "segment_bytes", "in_place", "switch"};

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = base::parse_u64(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::string_view name_of(TryKind kind) { return kTryKinds[static_cast<std::size_t>(kind)]; }

std::string tries_csv(const std::vector<Try>& tries) {
  std::string text;
  for (const std::string_view column : kTryColumns) {
    text += (text.empty() ? "" : ",") + std::string(column);
  }
  text += '\n';
  for (const Try& one : tries) {
    text += std::string(name_of(one.kind)) + ',' + base::csv_field(one.operation) + ',' +
            std::to_string(one.size_bytes) + ',' + std::to_string(one.ranks) + ',' +
            std::to_string(one.calls) + ',' + std::to_string(one.segment_bytes) + ',' +
            (one.in_place ? "yes" : "no") + ',' + base::csv_field(one.switched) + '\n';
  }
  return text;
}

std::vector<Try> read_tries(std::string_view text, const std::string& place) {
  const std::vector<base::CsvRow> rows = base::read_csv(text, place);
  base::Faults faults;
  if (rows.empty() || !std::ranges::equal(rows.front().fields, kTryColumns)) {
    throw base::UserError(place, "does not begin with the columns of tries");
  }
  std::vector<Try> tries;
  tries.reserve(rows.size() - 1);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& fields = rows[i].fields;
    const auto wrong = [&](const std::string& what) {
      faults.add({.place = place, .line = rows[i].line, .what = what});
    };
    if (fields.size() != kTryColumns.size()) {
      wrong("has " + std::to_string(fields.size()) + " fields, not " +
            std::to_string(kTryColumns.size()));
      continue;
    }
    const auto kind = std::ranges::find(kTryKinds, fields[0]);
    const auto size_bytes = base::parse_u64(fields[2]);
    const auto ranks = small_number(fields[3]);
    const auto calls = small_number(fields[4]);
    const auto segment_bytes = base::parse_u64(fields[5]);
    const bool in_place = fields[6] == "yes";
    if (kind == kTryKinds.end() || !size_bytes || !ranks || !calls || !segment_bytes ||
        (!in_place && fields[6] != "no")) {
      wrong("is not a try");
      continue;
    }
    Try one{.kind = static_cast<TryKind>(kind - kTryKinds.begin()),
            .operation = fields[1],
            .size_bytes = *size_bytes,
            .ranks = *ranks,
            .calls = *calls,
            .segment_bytes = *segment_bytes,
            .in_place = in_place,
            .switched = fields[7]};
    try {
      if (!one.switched.empty()) read_switch(one.switched, place);
    } catch (const base::UserError& error) {
      wrong(error.faults().front().what);
    }
    tries.push_back(std::move(one));
  }
  faults.throw_if_any();
  return tries;
}

}  // namespace invar::record
