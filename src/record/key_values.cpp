#include "record/key_values.hpp"

#include <limits>

namespace invar::record {
namespace {

// Names are user's text: commas, line breaks and spaces at the ends must survive.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool at_end = i == 0 || i + 1 == text.size();
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == ' ' && at_end) {
      out += "\\s";
    } else {
      if (c == '\\' || c == ',') out += '\\';
      out += c;
    }
  }
  return out;
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 's':
      return ' ';
    default:
      return c;
  }
}

std::vector<std::string> unescaped_list(std::string_view text) {
  std::vector<std::string> items(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      items.back() += unescaped(text[++i]);
    } else if (text[i] == ',') {
      items.emplace_back();
    } else {
      items.back() += text[i];
    }
  }
  return items;
}

template <typename Item>
std::string joined(const std::vector<Item>& items, std::string (*text)(const Item&)) {
  std::string all;
  for (std::size_t i = 0; i < items.size(); ++i) all += (i == 0 ? "" : ",") + text(items[i]);
  return all;
}

}  // namespace

std::string to_text(const std::string& value) { return escaped(value); }
std::string to_text(bool value) { return value ? "yes" : "no"; }
std::string to_text(std::uint32_t value) { return std::to_string(value); }
std::string to_text(std::uint64_t value) { return std::to_string(value); }
std::string to_text(double value) { return base::shortest_text(value); }
std::string to_text(const std::vector<std::string>& value) {
  return joined<std::string>(value, [](const std::string& item) { return escaped(item); });
}
std::string to_text(const std::vector<std::uint32_t>& value) {
  return joined<std::uint32_t>(value, [](const auto& item) { return std::to_string(item); });
}

std::string to_text(const std::vector<double>& value) {
  return joined<double>(value, [](const double& item) { return to_text(item); });
}

bool from_text(std::string_view text, std::string& value) {
  const std::vector<std::string> items = unescaped_list(text);
  value = items[0];
  return items.size() == 1;
}
bool from_text(std::string_view text, bool& value) {
  value = text == "yes";
  return text == "yes" || text == "no";
}
bool from_text(std::string_view text, std::uint64_t& value) {
  const auto number = base::parse_u64(text);
  value = number.value_or(0);
  return number.has_value();
}
bool from_text(std::string_view text, std::uint32_t& value) {
  std::uint64_t wide = 0;
  const bool fits = from_text(text, wide) && wide <= std::numeric_limits<std::uint32_t>::max();
  value = static_cast<std::uint32_t>(wide);
  return fits;
}
bool from_text(std::string_view text, double& value) {
  const auto number = base::parse_double(text);
  value = number.value_or(0);
  return number.has_value();
}
bool from_text(std::string_view text, std::vector<std::string>& value) {
  value.clear();
  if (!text.empty()) value = unescaped_list(text);
  return true;
}
bool from_text(std::string_view text, std::vector<std::uint32_t>& value) {
  value.clear();
  if (text.empty()) return true;
  for (const std::string_view part : base::split(text, ',')) {
    if (!from_text(part, value.emplace_back())) return false;
  }
  return true;
}
bool from_text(std::string_view text, std::vector<double>& value) {
  value.clear();
  if (text.empty()) return true;
  for (const std::string_view part : base::split(text, ',')) {
    if (!from_text(part, value.emplace_back())) return false;
  }
  return true;
}

}  // namespace invar::record
