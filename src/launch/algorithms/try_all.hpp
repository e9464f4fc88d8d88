// Tries algorithms in as few launches as can be: one launch tries all, and what ends it, or hangs
// in it, costs that try alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/algorithms/probe_launch.hpp"
#include "record/algorithms/tries.hpp"

namespace invar::launch {

struct TryResult {
  // "rank 1: recv byte 0 (...)", "it ended the launch: exit status 139", "hung: ..."; empty: it
  // went well.
  std::string failure = {};
  std::optional<double> median_ns = {};
};

// The lines that the engine has written, as far as it came (engine/algorithms/tries.hpp).
struct TriedLines {
  std::vector<std::optional<TryResult>> results = {};  // by number; none: no answer
  std::optional<std::size_t> begun = {};               // the last one, if it has no answer
};
// Lines that are cut off, or name no try, are left out.
TriedLines read_tried(std::string_view text, std::size_t tries);

// One launch: what it has written, and how it ended (run_watched()).
struct TriedLaunch {
  std::string tried = {};
  std::string problem = {};
};
using LaunchTries = std::function<TriedLaunch(const std::vector<record::Try>&)>;

// By number. What ends a launch in which others were tried before begins another one: they may have
// spoilt the memory that it stumbled over. A launch that answers nothing, and begins nothing, is
// not repeated: all that is left fails for its reason.
std::vector<TryResult> try_all(const std::vector<record::Try>& tries, const LaunchTries& launch);

// On so many ranks (nothing of kind kTraffic).
std::vector<TryResult> try_all(const ProbePlace& place, std::uint32_t ranks,
                               const std::vector<record::Try>& tries);

}  // namespace invar::launch
