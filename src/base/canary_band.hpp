// The band of canaries that is the machine's reference regime (docs/methods.md, "The reference
// regime").
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace invar::base {

// What shows the state of the machine: a cache line's round trip between two cores of a host, one
// between two of its sockets, and a chain of dependent multiplications, as long as the core's clock
// makes it.
enum class CanaryKind { kLine, kAcross, kChain };
inline constexpr std::array kCanaryKinds{CanaryKind::kLine, CanaryKind::kAcross,
                                         CanaryKind::kChain};

// As regimes are named: "canary" (the line), "canary across sockets", "chain".
std::string_view canary_name(CanaryKind kind);
// What regimes rest on, where that is not the line: "the core's clock", "cache lines across
// sockets"; of the line "cache lines".
std::string_view canary_subject(CanaryKind kind);

struct CanaryBand {
  double low_ns = 0;   // within
  double high_ns = 0;  // not any more
  CanaryKind kind = CanaryKind::kLine;

  [[nodiscard]] bool contains(double canary_ns) const {
    return low_ns <= canary_ns && canary_ns < high_ns;
  }
  // Bands follow their canaries and are never quite the same: a regime is another one where the two
  // do not even touch, or are of canaries of two kinds.
  [[nodiscard]] bool touches(const CanaryBand& other) const {
    return kind == other.kind && low_ns < other.high_ns && other.low_ns < high_ns;
  }
  bool operator==(const CanaryBand&) const = default;
};

// "112ns:207ns", as campaign.toml and --regime have it: the same numbers when read back. Bands of
// other canaries than the line have their kind in front: "chain:980ns:1010ns", "across:...".
std::string band_text(const CanaryBand& band);
// The two ends alone: "980ns:1010ns".
std::string band_ends_text(const CanaryBand& band);
// Two durations with units, the first one the shorter one; "chain:" or "across:" in front.
Parsed<CanaryBand> parse_band(std::string_view text);

}  // namespace invar::base
