// Words about overlap: "92 % [90, 94]", "ibcast 64 KiB", "1.2x".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/overlap/overlap.hpp"

namespace invar::analysis {

// "92 % [90, 94]"
std::string overlap_words(const OverlapEstimate& share);

// How many times as long as the call the computation took: "1.2x". What was asked for where no time
// is known.
std::string multiple_words(const OverlapRow& row);

// "ibcast 64 KiB"
std::string short_call_name(const record::Cell& call);

// The same, with its progress calls, and with all its levels where another call would be called the
// same.
class CallNames {
 public:
  explicit CallNames(const Overlaps& found);
  [[nodiscard]] const std::string& operator()(const record::Cell& call) const {
    return names_.at(call.id);
  }

 private:
  std::map<std::uint32_t, std::string> names_ = {};
};

}  // namespace invar::analysis
