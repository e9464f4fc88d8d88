#include "analysis/overlap/overlap_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::analysis {

std::string short_call_name(const record::Cell& call) {
  return call.operation + (call.size_bytes ? " " + base::size_text(*call.size_bytes) : "");
}

std::string overlap_words(const OverlapEstimate& share) {
  const int decimals = std::abs(share.value) >= 0.0995 ? 0 : 1;
  const auto percent = [decimals](double value) {
    // Nothing is "-0".
    return fmt::format("{:.{}f}", std::abs(value) < 0.0005 ? 0.0 : value * 100, decimals);
  };
  std::string text = percent(share.value) + " %";
  if (share.interval) {
    text += " [" + percent(share.interval->low) + ", " + percent(share.interval->high) + "]";
  }
  return text;
}

std::string multiple_words(const OverlapRow& row) {
  const std::optional<double> multiple = row.multiple();
  if (!multiple) return row.computation;
  return fmt::format("{:.{}f}x", *multiple, *multiple < 9.95 ? *multiple < 0.995 ? 2 : 1 : 0);
}

CallNames::CallNames(const Overlaps& found) {
  const auto plain_name = [](const record::Cell& call) {
    return short_call_name(call) +
           (call.progress_calls == 0
                ? ""
                : " with " + base::count_text(call.progress_calls, "progress call"));
  };
  std::vector<record::Cell> calls;
  std::map<std::string, std::size_t> count;
  for (const OverlapRow& row : found.rows) {
    if (std::ranges::find(calls, row.call.id, &record::Cell::id) != calls.end()) continue;
    calls.push_back(row.call);
    ++count[plain_name(row.call)];
  }
  const record::CellTexts long_name(calls);
  for (const record::Cell& call : calls) {
    const std::string name = plain_name(call);
    names_[call.id] = count.at(name) == 1 ? name : long_name(call);
  }
}

}  // namespace invar::analysis
