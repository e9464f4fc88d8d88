#include "design/plan/memory_seconds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "record/memory/levels.hpp"

namespace invar::design {
namespace {

// A level of the hierarchy: buffers up to so many bytes, a load that waits for the one before, and
// what passes in a second where none waits, by elements of kGuessedWidthBytes.
struct GuessedLevel {
  std::uint64_t bytes;
  double load_s;
  double bytes_per_s;
};
constexpr std::array<GuessedLevel, 4> kGuessedLevels{
    {{std::uint64_t{32} << 10U, 1.5e-9, 100e9},
     {std::uint64_t{1} << 20U, 5e-9, 60e9},
     {std::uint64_t{8} << 20U, 20e-9, 40e9},
     {std::numeric_limits<std::uint64_t>::max(), 110e-9, 15e9}}};
constexpr double kGuessedWidthBytes = 32;
// Elements of narrow loads and of other orders than one after the other.
constexpr double kElementsPerSecond = 1e9;

const GuessedLevel& level_of_bytes(std::uint64_t bytes) {
  return *std::find_if(kGuessedLevels.begin(), kGuessedLevels.end(),
                       [&](const GuessedLevel& level) { return bytes <= level.bytes; });
}

double pass_seconds(const record::Cell& cell, const record::OperationInfo& operation) {
  const std::uint64_t size_bytes = cell.size_bytes.value_or(0);
  const GuessedLevel& level = level_of_bytes(size_bytes * operation.walks);
  const std::uint64_t stride = record::parse_stride(cell.stride).value_or(0);
  const auto size = static_cast<double>(size_bytes);
  if (operation.chases) {
    const double loads = size / static_cast<double>(std::max<std::uint64_t>(stride, 1));
    return loads * level.load_s / std::max(cell.chains, 1U);
  }
  const std::uint32_t width = record::parse_width(cell.width).value_or(0);
  const double named = width == 0 ? kGuessedWidthBytes : width;
  const double step = stride == 0 ? named : static_cast<double>(stride);
  const double elements = size / step * operation.walks;
  const bool in_order = cell.access == "sequential";
  const double rate = level.bytes_per_s / kGuessedWidthBytes;  // elements of any width
  return elements / (in_order ? rate : std::min(rate, kElementsPerSecond));
}

}  // namespace

double memory_seconds(const record::Cell& cell, const record::OperationInfo& operation) {
  const double pass_s = pass_seconds(cell, operation);
  const record::Loops loops =
      record::parse_loops(cell.loops).value_or(record::Loops{.automatic = true});
  const auto number = static_cast<double>(loops.number);
  return number * (loops.automatic ? std::max(pass_s, record::kAutoLoopsS) : pass_s);
}

}  // namespace invar::design
