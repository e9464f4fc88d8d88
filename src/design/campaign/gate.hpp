// What `--fail-on` and `[analysis] fail-on` name: `slower`, or slower by more than a margin.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "design/campaign/arms.hpp"

namespace invar::design {

struct Gate {
  // An arm may take longer than the reference by so much, relative, at least 0. None: any time
  // that is surely longer fails.
  std::optional<double> margin = {};

  bool operator==(const Gate&) const = default;
};

// `slower`, `slower:5%`. Complaints: another word, no percentage, a negative one.
std::optional<Complaint> read_gate(std::string_view text, Gate& gate);
// The same backwards; defined beside the writer of campaigns, which knows how to write a percentage
// that reads as the same number.
std::string gate_words(const Gate& gate);
// "2%": reads as the same number.
std::string percent_words(double value);

}  // namespace invar::design
