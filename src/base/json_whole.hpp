#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace invar::base {

// The whole number that stands there. nlohmann's own get() cuts 1.5 and 2^32 + 1 down to 1, and is
// undefined for 1e98: a damaged number would become a plausible one. A template, because the
// engine, which shares this folder, has no JSON library. Throws Json::type_error for anything but
// a whole number that fits.
template <std::integral Integer, class Json>
Integer whole(const Json& number) {
  if (number.is_number_unsigned()) {
    const auto value = number.template get<std::uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  } else if (number.is_number_integer()) {
    const auto value = number.template get<std::int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  }
  throw Json::type_error::create(
      302,
      "must be a whole number from " + std::to_string(std::numeric_limits<Integer>::min()) +
          " to " + std::to_string(std::numeric_limits<Integer>::max()) + ", not " + number.dump(),
      &number);
}

// What the object says under this key, `otherwise` if it does not say it.
template <std::integral Integer, class Json>
Integer whole_or(const Json& object, const char* key, Integer otherwise) {
  const auto number = object.find(key);
  return number == object.end() ? otherwise : whole<Integer>(*number);
}

template <std::integral Integer, class Json>
std::vector<Integer> whole_numbers(const Json& numbers) {
  if (!numbers.is_array()) {
    throw Json::type_error::create(302, "must be a list, not " + numbers.dump(), &numbers);
  }
  std::vector<Integer> all;
  for (const Json& number : numbers) all.push_back(whole<Integer>(number));
  return all;
}

}  // namespace invar::base
