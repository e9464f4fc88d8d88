#include "record/amount.hpp"

#include <cmath>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::record {

std::optional<Amount> parse_amount(std::string_view text) {
  const bool calls = text.ends_with('x');
  if (!calls && !text.ends_with("ns")) return std::nullopt;
  text.remove_suffix(calls ? 1 : 2);
  const auto value = base::parse_double(text);
  if (!value || !(*value > 0)) return std::nullopt;
  return calls ? Amount{.calls = *value} : Amount{.ns = *value};
}

std::optional<std::string> planned_amount(std::string_view written) {
  if (parse_amount(written)) return std::string(written);
  const base::Parsed<double> seconds = base::parse_duration_s(written);
  if (!seconds.value) return std::nullopt;
  std::string text = std::to_string(std::llround(*seconds.value * 1e9)) + "ns";
  return parse_amount(text) ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace invar::record
