// What misleads benchmarks of memory, looked for in every campaign (paper 004, section IV): each is
// found with its size, not found with what was looked at, or could not be judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/memory/memory_data.hpp"
#include "analysis/memory/memory_model.hpp"

namespace invar::analysis {

// In the order of figures 9, 10, 11 and 12.
constexpr std::string_view kNarrowElements = "narrow elements";
constexpr std::string_view kFewPasses = "few passes";
constexpr std::string_view kCompetitor = "competitor";
constexpr std::string_view kPagesOfALaunch = "pages of a launch";

// One row for every pitfall, and where there are several series to look at for each of them, by
// the rules of docs/methods.md, "Pitfalls of memory":
// * narrow elements: beyond a cache's end the fastest loop takes longer a byte, narrower or less
//   unrolled ones do not by half as much (logarithms).
// * few passes: a pass of few takes longer than one of many, apart from what a repetition costs
//   (three numbers of passes or more); with what the core's clock did meanwhile.
// * competitor: visits have two modes, and the slower ones are one stretch of time.
// * pages of a launch: at single sizes launches differ, by more than the visits inside them
// explain,
//   though every visit had its memory anew.
std::vector<WalkPitfall> memory_pitfalls(const MemoryData& data, const MemoryOptions& options);

}  // namespace invar::analysis
