#include "stats/describe/sort.hpp"

#include <algorithm>
#include <array>

namespace invar::stats {
namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
// Below it counting costs more than comparing.
constexpr std::size_t kFewestForDigits = 1024;

}  // namespace

void sort_integers(std::vector<std::int64_t>& values, std::vector<std::int64_t>& scratch) {
  if (values.size() < kFewestForDigits) {
    std::sort(values.begin(), values.end());
    return;
  }
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  // Distances from the least one: unsigned, and with few digits where the values lie together.
  const auto base = static_cast<std::uint64_t>(*least);
  const std::uint64_t range = static_cast<std::uint64_t>(*largest) - base;
  scratch.resize(values.size());
  for (unsigned shift = 0; shift < 64 && (range >> shift) > 0; shift += kDigitBits) {
    const auto digit = [&](std::int64_t value) {
      return ((static_cast<std::uint64_t>(value) - base) >> shift) & (kDigits - 1);
    };
    std::array<std::size_t, kDigits> places{};
    for (const std::int64_t value : values) ++places[digit(value)];
    std::size_t begin = 0;
    for (std::size_t& place : places) {
      const std::size_t count = place;
      place = begin;
      begin += count;
    }
    for (const std::int64_t value : values) scratch[places[digit(value)]++] = value;
    values.swap(scratch);
  }
}

}  // namespace invar::stats
