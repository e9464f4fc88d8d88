#include "base/crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace invar::base {
namespace {

// Eight tables let eight bytes go through a step ("slicing by 8", Kounavis and Berry 2005).
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0U ? 0x82f63b78U : 0U);
    tables[0][i] = crc;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    for (std::size_t t = 1; t < 8; ++t) {
      const std::uint32_t before = tables[t - 1][i];
      tables[t][i] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

using Crc = std::uint32_t (*)(std::span<const std::byte>, std::uint32_t);

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::byte> bytes,
                                                             std::uint32_t before) {
  std::uint64_t crc = ~before;
  while (bytes.size() >= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), 8);
    crc = _mm_crc32_u64(crc, eight);
    bytes = bytes.subspan(8);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const std::byte byte : bytes) rest = _mm_crc32_u8(rest, static_cast<std::uint8_t>(byte));
  return ~rest;
}

Crc best_crc() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0 ? crc32c_sse42 : crc32c_portable;
}
#else
Crc best_crc() { return crc32c_portable; }
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  static const Crc best = best_crc();
  return best(bytes, before);
}

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  while (bytes.size() >= 8) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + 4, 4);
    low ^= crc;
    crc = kTables[7][low & 0xffU] ^ kTables[6][(low >> 8U) & 0xffU] ^
          kTables[5][(low >> 16U) & 0xffU] ^ kTables[4][low >> 24U] ^ kTables[3][high & 0xffU] ^
          kTables[2][(high >> 8U) & 0xffU] ^ kTables[1][(high >> 16U) & 0xffU] ^
          kTables[0][high >> 24U];
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8U) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xffU];
  }
  return ~crc;
}

std::uint32_t crc32c(std::string_view text, std::uint32_t before) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())), before);
}

std::string crc_text(std::uint32_t crc) {
  std::string text(8, '0');
  for (std::size_t i = 8; i-- > 0; crc >>= 4U) text[i] = "0123456789abcdef"[crc & 0xfU];
  return text;
}

}  // namespace invar::base
