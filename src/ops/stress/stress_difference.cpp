#include "ops/stress/stress_difference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/text.hpp"
#include "record/stress/stress_fault.hpp"

namespace invar::ops {
namespace {

namespace fault_words = record::stress_fault;

// Fewer equal bytes may be so by chance.
constexpr std::size_t kLeastSame = 8;
constexpr std::ptrdiff_t kMostShift = 4096;

std::vector<std::byte> made_of(const StressContent& content, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  write_content(made, content);
  return made;
}

// The bytes that differ.
struct Differing {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t bytes = 0;
  std::size_t bits = 0;
  std::size_t poisoned = 0;  // bytes of them that hold what was there before the message
};

Differing differing_bytes(std::span<const std::byte> found, std::span<const std::byte> wanted,
                          std::span<const std::byte> poison, std::size_t first) {
  Differing all{.first = first};
  for (std::size_t i = first; i < found.size(); ++i) {
    const std::byte bits = found[i] ^ wanted[i];
    if (bits == std::byte{0}) continue;
    all.last = i;
    ++all.bytes;
    all.bits += static_cast<std::size_t>(std::popcount(std::to_integer<unsigned>(bits)));
    if (found[i] == poison[i]) ++all.poisoned;
  }
  return all;
}

// "byte 7", "bytes 64 to 4095".
std::string range_text(const Differing& all) {
  if (all.first == all.last) return "byte " + std::to_string(all.first);
  return "bytes " + std::to_string(all.first) + " to " + std::to_string(all.last);
}

std::string bits_text(const Differing& all, std::span<const std::byte> found,
                      std::span<const std::byte> wanted) {
  if (all.bits == 1) {
    const auto bit =
        std::countr_zero(std::to_integer<unsigned>(found[all.first] ^ wanted[all.first]));
    return "1 bit differs: bit " + std::to_string(bit) + " of byte " + std::to_string(all.first);
  }
  return base::count_text(all.bits, "bit") + " differ in " + base::count_text(all.bytes, "byte") +
         ", " + range_text(all);
}

// How far from its place is what stands where bytes differ: what is found at i belongs to i +
// shift. 0: it belongs nowhere near.
std::ptrdiff_t shift_of(std::span<const std::byte> found, std::span<const std::byte> wanted,
                        const Differing& all) {
  const auto begin = static_cast<std::ptrdiff_t>(all.first);
  const auto end = static_cast<std::ptrdiff_t>(all.last + 1);
  const auto size = static_cast<std::ptrdiff_t>(wanted.size());
  for (std::ptrdiff_t distance = 1; distance <= kMostShift; ++distance) {
    for (const std::ptrdiff_t shift : {distance, -distance}) {
      const std::ptrdiff_t from = begin + shift;
      // What would come from behind the message may be anything.
      const std::ptrdiff_t same = std::min(end - begin, size - from);
      if (from < 0 || same < static_cast<std::ptrdiff_t>(2 * kLeastSame)) continue;
      if (std::equal(found.begin() + begin, found.begin() + begin + same, wanted.begin() + from)) {
        return shift;
      }
    }
  }
  return 0;
}

bool same_everywhere(const StressContent& content) {
  return content.pattern == StressPattern::kZeros || content.pattern == StressPattern::kOnes;
}

}  // namespace

std::string hexadecimal(std::span<const std::byte> bytes, std::size_t most) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes.first(std::min(most, bytes.size()))) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<std::size_t>(byte >> 4U)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::optional<StressDifference> difference_of(std::span<const std::byte> found,
                                              const StressContent& content,
                                              std::span<const OtherStressMessage> others) {
  const std::optional<std::size_t> first = first_difference(found, content);
  if (!first) return std::nullopt;
  const std::vector<std::byte> wanted = made_of(content, found.size());
  const std::vector<std::byte> poison = made_of(content.poison(), found.size());
  const Differing all = differing_bytes(found, wanted, poison, *first);
  StressDifference difference{.fault = fault_words::kBits,
                              .what = bits_text(all, found, wanted),
                              .offset_bytes = *first,
                              .expected = hexadecimal(std::span(wanted).subspan(*first)),
                              .found = hexadecimal(found.subspan(*first))};
  if (all.poisoned == all.bytes) {
    difference.fault = fault_words::kMissing;
    difference.what = range_text(all) + (all.bytes == 1 ? " was" : " were") + " not written";
    if (all.bytes != all.last - all.first + 1) {
      difference.what += " (" + std::to_string(all.bytes) + " of them)";
    }
    return difference;
  }
  // Nothing else is as likely.
  if (all.bits == 1) return difference;
  for (const OtherStressMessage& other : others) {
    const std::size_t end = std::min(other.size_bytes, found.size());
    // From the first wrong byte on: what stands before it may be right all the same.
    if (end < *first + kLeastSame || all.last >= end) continue;
    if (first_difference(found.first(end), other.content, *first)) continue;
    difference.fault = other.fault;
    difference.what =
        (*first == 0 ? "it holds " : "from byte " + std::to_string(*first) + " on it holds ") +
        other.name + " (" + std::string(name_of(other.content.pattern)) + ")";
    return difference;
  }
  const std::ptrdiff_t shift = same_everywhere(content) ? 0 : shift_of(found, wanted, all);
  if (shift != 0) {
    difference.fault = fault_words::kShift;
    difference.what =
        "shifted by " +
        base::count_text(static_cast<std::uint64_t>(shift < 0 ? -shift : shift), "byte") +
        ": from byte " + std::to_string(*first) + " on there stands what belongs " +
        (shift < 0 ? "in front of it" : "behind it");
  }
  return difference;
}

}  // namespace invar::ops
