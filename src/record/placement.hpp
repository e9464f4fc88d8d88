// Where message buffers lie: "random" (drawn anew for every visit), "same" (drawn once, alike in
// all launches), "fixed:OFFSET" (at OFFSET bytes from the start of a page).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "record/factors.hpp"

namespace invar::record {

// Every element of every datatype stays aligned; a line's room is left before the page's end.
constexpr std::uint32_t kOffsetStep = 16;
constexpr std::uint32_t kMostOffset = 4096 - 64;

// Bytes, of "fixed:OFFSET"; none for the others, and for what is not a placement.
inline std::optional<std::uint32_t> fixed_offset(std::string_view placement) {
  constexpr std::string_view kFixed = "fixed:";
  if (!placement.starts_with(kFixed)) return std::nullopt;
  const auto offset = base::parse_u64(placement.substr(kFixed.size()));
  if (!offset || *offset > kMostOffset || *offset % kOffsetStep != 0) return std::nullopt;
  return static_cast<std::uint32_t>(*offset);
}

inline bool is_placement(std::string_view text) {
  return text == "random" || text == "same" || fixed_offset(text).has_value();
}

inline LevelText placement_level(std::string_view written) {
  if (is_placement(written)) return {.text = std::string(written)};
  return {.complaint = "is '" + std::string(written) + "', no placement",
          .remedy =
              "write \"random\", \"same\", or \"fixed:OFFSET\": bytes from the start of a page, a "
              "multiple of 16 up to 4032"};
}

}  // namespace invar::record
