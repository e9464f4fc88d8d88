// CRC-32C (Castagnoli), the checksum of every record file, journal line and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace invar::base {

// CRC of `bytes` continued from `before` (0 at the start): crc32c(b, crc32c(a)) = crc32c(a + b).
// Uses the processor's own instruction where there is one (x86-64 with SSE 4.2): analyses check
// every byte that they read, and that must not be what takes their time.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);
std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0);

// The same by tables, on every processor.
std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t before = 0);

// Eight lower-case hexadecimal digits.
std::string crc_text(std::uint32_t crc);

}  // namespace invar::base
