// Streams of base::Random that stage 1 draws from: Random::of({seed, stream, ...}). Changing one of
// these numbers changes every plan.
#pragma once

#include <cstdint>

namespace invar::design {

constexpr std::uint64_t kSizeStream = 1;    // {seed, it, block of the campaign}
constexpr std::uint64_t kRowStream = 2;     // {seed, it, series of groups}
constexpr std::uint64_t kClassStream = 3;   // {seed, it, series of groups, cycle of rounds}
constexpr std::uint64_t kOrderStream = 4;   // {seed, it, group, round}
constexpr std::uint64_t kSingleStream = 5;  // {seed, it, group, round}
constexpr std::uint64_t kRepeatStream = 6;  // {seed, it, repeat}: seed of a campaign's repeat
constexpr std::uint64_t kMethodStream = 7;  // {seed, it, repeat}: order of the methods
constexpr std::uint64_t kFamilyStream = 8;  // {seed, it, family}: which of its cells is the first
// {seed, it, low, high, count}: a draw that several blocks have in common
constexpr std::uint64_t kCommonSizeStream = 9;
constexpr std::uint64_t kPartStream = 10;   // {seed, it, common draw, cycle of groups}
constexpr std::uint64_t kBreakStream = 11;  // {seed, it, low, high}: sizes between two others

}  // namespace invar::design
