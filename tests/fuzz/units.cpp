// Numbers with units, numbers, and what is printed of them.
#include "base/units.hpp"

#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string_view text = fuzz::text_of(data, size);
  const auto answers = [](const auto& parsed) {
    fuzz::must_hold(parsed.value.has_value() == parsed.error.empty(), "a value or a reason");
  };
  const auto bytes = base::parse_size_bytes(text);
  answers(bytes);
  if (bytes.value) {
    fuzz::must_hold(base::parse_size_bytes(base::size_text(*bytes.value)).value == bytes.value,
                    "a size printed is the one read");
  }
  const auto seconds = base::parse_duration_s(text);
  answers(seconds);
  if (seconds.value) {
    fuzz::must_hold(std::isfinite(*seconds.value) && *seconds.value >= 0, "a duration is a number");
    fuzz::must_hold(!base::span_text(*seconds.value).empty(), "a span has words");
  }
  const auto share = base::parse_percent(text);
  answers(share);
  if (share.value) fuzz::must_hold(std::isfinite(*share.value), "a share is a number");
  const auto count = base::parse_count(text);
  answers(count);
  if (count.value) {
    fuzz::must_hold(base::parse_count(std::to_string(*count.value)).value == count.value,
                    "a count printed is the one read");
  }
  base::parse_double(text);
  // Any number can be printed.
  double number = 0;
  if (size >= sizeof number) {
    std::memcpy(&number, data, sizeof number);
    base::duration_text(number);
    base::span_text(number);
    std::uint64_t whole = 0;
    std::memcpy(&whole, data, sizeof whole);
    whole >>= 11;  // sizes end at 2^53
    fuzz::must_hold(base::parse_size_bytes(base::size_text(whole)).value == whole,
                    "every size can be printed and read");
  }
  return 0;
}
