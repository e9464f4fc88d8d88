#include "base/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/random.hpp"

namespace invar::base {
namespace {

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// RFC 3720, appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32c, KnownVectorsHaveTheirPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending += static_cast<char>(i);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
}

TEST(Crc32c, TablesAndProcessorAgreeForEveryLengthAndAlignment) {
  Random random(1);
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>(random.below(256));
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t length = 0; begin + length <= text.size(); ++length) {
      const std::string part = text.substr(begin, length);
      EXPECT_EQ(crc32c(bytes(part)), crc32c_portable(bytes(part))) << begin << ' ' << length;
    }
  }
}

TEST(Crc32c, TextInPiecesHasTheChecksumOfTheWhole) {
  const std::string text = "a text that is longer than two steps of eight";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text));
    EXPECT_EQ(crc32c_portable(bytes(text.substr(cut)), crc32c_portable(bytes(text.substr(0, cut)))),
              crc32c(text));
  }
}

TEST(Crc32c, EveryFlippedBitIsFound) {
  std::string text = "0123456789abcdef!";
  const std::uint32_t good = crc32c(text);
  for (char& c : text) {
    for (int bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(c ^ (1 << bit));
      EXPECT_NE(crc32c(text), good);
      c = static_cast<char>(c ^ (1 << bit));
    }
  }
}

TEST(CrcText, SmallNumberHasLeadingZeros) {
  EXPECT_EQ(crc_text(0), "00000000");
  EXPECT_EQ(crc_text(0xabc), "00000abc");
  EXPECT_EQ(crc_text(0xe3069283U), "e3069283");
}

}  // namespace
}  // namespace invar::base
