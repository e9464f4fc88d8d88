// JSON that anybody may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_nesting.hpp"

namespace invar::store {

// Throws Json::exception: a parse_error for what is no JSON, and for what is nested too deeply.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  if (base::is_nested_too_deeply(text)) {
    throw Json::other_error::create(501, "is nested too deeply", nullptr);
  }
  return Json::parse(text);
}

// As parse_json(), but a discarded value for what is none.
template <class Json = nlohmann::json>
Json parse_json_or_none(std::string_view text) {
  if (base::is_nested_too_deeply(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

// "[json.exception.out_of_range.403] key 'group' not found" -> "key 'group' not found": for users.
std::string without_code(std::string_view text);

}  // namespace invar::store
