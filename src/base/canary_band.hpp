// The band of canaries that is the machine's reference regime (docs/methods.md, "The reference
// regime").
#pragma once

#include <string>
#include <string_view>

#include "base/units.hpp"

namespace invar::base {

struct CanaryBand {
  double low_ns = 0;   // within
  double high_ns = 0;  // not any more

  [[nodiscard]] bool contains(double canary_ns) const {
    return low_ns <= canary_ns && canary_ns < high_ns;
  }
  // Bands follow their canaries and are never quite the same: a regime is another one where the two
  // do not even touch.
  [[nodiscard]] bool touches(const CanaryBand& other) const {
    return low_ns < other.high_ns && other.low_ns < high_ns;
  }
  bool operator==(const CanaryBand&) const = default;
};

// "112ns:207ns", as campaign.toml and --regime have it: the same numbers when read back.
std::string band_text(const CanaryBand& band);
// Two durations with units, the first one the shorter one.
Parsed<CanaryBand> parse_band(std::string_view text);

}  // namespace invar::base
