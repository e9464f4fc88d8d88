// Writes one JSON value as text, in the order in which the keys are given. The engine has no
// third-party dependency, so the journal and the metadata are written with this; they are read by
// nlohmann-json.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace invar::base {

// A JSON string, quoted and escaped. Bytes that are no valid UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

class JsonWriter {
 public:
  JsonWriter() = default;
  // Every text value (no keys, nothing raw) goes through `rewrite` first: where names must not be
  // told.
  explicit JsonWriter(std::function<std::string(std::string_view)> rewrite)
      : rewrite_(std::move(rewrite)) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  template <std::same_as<bool> Bool>
  JsonWriter& value(Bool truth) {
    return raw(truth ? "true" : "false");
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonWriter& value(Integer number) {
    return raw(std::to_string(number));
  }
  // Shortest text that reads back as the same number; null where it is not finite.
  JsonWriter& value(double number);
  JsonWriter& null() { return raw("null"); }
  // Text that already is JSON.
  JsonWriter& raw(std::string_view json);

  template <typename T>
  JsonWriter& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  template <typename T>
  JsonWriter& field(std::string_view name, const std::optional<T>& content) {
    key(name);
    return content ? value(*content) : null();
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void separate();
  std::function<std::string(std::string_view)> rewrite_ = {};
  std::string text_ = {};
  bool first_ = true;
};

}  // namespace invar::base
