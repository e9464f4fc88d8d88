// Arrival patterns: ranks that start a repetition later than agreed, on purpose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/factors.hpp"

namespace invar::record {

enum class ArrivalPattern : std::uint8_t {
  kNone,
  kFirstLate,  // the team's rank 0 starts late by the amplitude
  kLastLate,   // its last rank does
  kLinear,     // rank i of p: by i/(p - 1) of the amplitude
  kRandom,     // every rank by a share of it, drawn for every repetition
};

struct Arrival {
  ArrivalPattern pattern = ArrivalPattern::kNone;
  // One of the two.
  double amplitude_ns = 0;
  // Multiples of the time that a call of the cell takes; of messages until the ranks know that all
  // are through, since a message may be on its way for longer than its calls take.
  double amplitude_calls = 0;
  // Whoever is late calls its library meanwhile (MPI_Iprobe), so that this gets on with what has
  // come; else it is outside of MPI.
  bool probing = false;

  // How late rank `index` of `ranks` comes, as a share of the amplitude; none: it is drawn.
  [[nodiscard]] std::optional<double> share(std::uint32_t index, std::uint32_t ranks) const;
};

// "none", or a pattern with its amplitude: "first-late:2500ns", "linear:0.5x",
// "last-late:2500ns:probing". Nothing for other texts.
std::optional<Arrival> parse_arrival(std::string_view text);

// A pattern as people write it: the amplitude with any unit of time, up to 1 s or 1000 calls.
LevelText arrival_level(std::string_view written);

}  // namespace invar::record
