// How deep brackets stand in JSON that anybody may have written.
#pragma once

#include <cstddef>
#include <string_view>

namespace invar::base {

// True if brackets stand deeper in each other than anything that Invar writes. nlohmann's library
// walks through values, and copies them where objects keep their order, by calling itself: a few
// thousand brackets would end the program.
inline bool is_nested_too_deeply(std::string_view json) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace invar::base
