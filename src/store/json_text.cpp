#include "store/json_text.hpp"

namespace invar::store {

bool is_nested_too_deeply(std::string_view json) {
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

std::string without_code(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

}  // namespace invar::store
