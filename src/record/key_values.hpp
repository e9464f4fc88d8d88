// Files of "key = value" lines, one struct each: what the driver tells the engine. No third-party
// library, because the engine reads them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::record {

// The value as it stands in a file. Texts may hold anything: commas, line breaks and spaces at the
// ends survive.
std::string to_text(const std::string& value);
std::string to_text(bool value);
std::string to_text(std::uint32_t value);
std::string to_text(std::uint64_t value);
std::string to_text(double value);
std::string to_text(const std::vector<std::string>& value);
std::string to_text(const std::vector<std::uint32_t>& value);
std::string to_text(const std::vector<double>& value);

// False if the text is no such value.
bool from_text(std::string_view text, std::string& value);
bool from_text(std::string_view text, bool& value);
bool from_text(std::string_view text, std::uint64_t& value);
bool from_text(std::string_view text, std::uint32_t& value);
bool from_text(std::string_view text, double& value);
bool from_text(std::string_view text, std::vector<std::string>& value);
bool from_text(std::string_view text, std::vector<std::uint32_t>& value);
bool from_text(std::string_view text, std::vector<double>& value);

// `for_each_key(spec, visit)` calls visit(name, member) for every key, in the order of the file.
template <typename Spec, typename ForEachKey>
std::string keys_text(const Spec& spec, ForEachKey for_each_key) {
  std::string text;
  for_each_key(spec, [&](const char* name, const auto& value) {
    text += std::string(name) + " = " + to_text(value) + '\n';
  });
  return text;
}

// Every key must stand there once, but that files from before there were `later` keys lack these,
// which then keep their defaults. Throws UserError with every fault and its line; `place` names the
// file.
template <typename Spec, typename ForEachKey>
Spec read_keys(std::string_view text, const std::string& place, ForEachKey for_each_key,
               const std::set<std::string>& later = {}) {
  Spec spec;
  base::Faults faults;
  std::set<std::string> seen;
  int line_number = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++line_number;
    if (base::trim(raw).empty()) continue;
    const std::size_t equals = raw.find('=');
    const std::string key(base::trim(raw.substr(0, equals)));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : base::trim(raw.substr(equals + 1));
    bool known = false;
    for_each_key(spec, [&](const char* name, auto& member) {
      if (key != name) return;
      known = true;
      if (equals == std::string_view::npos || !from_text(value, member)) {
        faults.add({.place = place,
                    .line = line_number,
                    .what = "'" + std::string(value) + "' is not a value of '" + key + "'"});
      }
    });
    if (!known) {
      faults.add({.place = place, .line = line_number, .what = "unknown key '" + key + "'"});
    } else if (!seen.insert(key).second) {
      faults.add({.place = place, .line = line_number, .what = "'" + key + "' stands twice"});
    }
  }
  for_each_key(spec, [&](const char* name, const auto&) {
    if (seen.contains(name) || later.contains(name)) return;
    faults.add(place, "the key '" + std::string(name) + "' is missing");
  });
  faults.throw_if_any();
  return spec;
}

}  // namespace invar::record
