#include "design/campaign/toml_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"

namespace invar::design {
namespace {

Position position_of(const toml::source_region& region) {
  return {.line = static_cast<int>(region.begin.line),
          .column = static_cast<int>(region.begin.column)};
}

// Byte offset of a line and column (both from 1; columns count code points).
std::optional<std::size_t> offset_of(std::string_view text, toml::source_position at) {
  std::size_t offset = 0;
  for (toml::source_index line = 1; line < at.line; ++line) {
    offset = text.find('\n', offset);
    if (offset == std::string_view::npos) return std::nullopt;
    ++offset;
  }
  for (toml::source_index column = 1; column < at.column; ++column) {
    if (offset >= text.size()) return std::nullopt;
    ++offset;
    while (offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xc0U) == 0x80U) {
      ++offset;
    }
  }
  return offset;
}

bool inside(std::uint64_t value, Bounds bounds) {
  return value >= bounds.low && value <= bounds.high;
}

std::string bounds_text(Bounds bounds) {
  if (bounds.high >= kMaxSeed) return std::to_string(bounds.low) + " or more";
  return std::to_string(bounds.low) + " to " + std::to_string(bounds.high);
}

}  // namespace

TomlDocument::TomlDocument(std::string_view text, std::string place)
    : text_(text), place_(std::move(place)) {
  try {
    root_ = toml::parse(text, place_);
  } catch (const toml::parse_error& error) {
    const Position at = position_of(error.source());
    throw base::UserError({.place = place_,
                           .line = at.line,
                           .column = at.column,
                           .what = "this is no TOML: " + std::string(error.description())});
  }
}

Position TomlDocument::position(const toml::node& node) { return position_of(node.source()); }

std::string TomlDocument::written(const toml::node& node) const {
  if (node.is_table() || node.is_array()) return type_text(node);
  const auto begin = offset_of(text_, node.source().begin);
  const auto end = offset_of(text_, node.source().end);
  if (!begin || !end || *end <= *begin || *end > text_.size()) return type_text(node);
  const std::string_view source = base::trim(text_.substr(*begin, *end - *begin));
  return source.find('\n') == std::string_view::npos ? std::string(source) : type_text(node);
}

void TomlDocument::fault(Position at, std::string what, std::string remedy) {
  faults_.push_back({.place = place_,
                     .line = at.line,
                     .column = at.column,
                     .what = std::move(what),
                     .remedy = std::move(remedy)});
}

void TomlDocument::throw_if_any() {
  if (faults_.empty()) return;
  std::stable_sort(faults_.begin(), faults_.end(), [](const base::Fault& a, const base::Fault& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  throw base::UserError(std::move(faults_));
}

TomlTable::TomlTable(TomlDocument& document, const toml::table& table, std::string name,
                     std::vector<std::string> known)
    : document_(document), table_(table), name_(std::move(name)) {
  for (const auto& [key, node] : table_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string where = name_.empty() ? " at the top of the file" : " in " + name_;
    std::string remedy = base::did_you_mean(key.str(), known);
    if (const auto home = home_of_key(key.str())) remedy = "it belongs " + *home;
    document_.fault(position_of(key.source()),
                    "unknown key '" + std::string(key.str()) + "'" + where, remedy);
  }
}

Position TomlTable::position(std::string_view key) const {
  const toml::node* node = find(key);
  return position_of(node != nullptr ? node->source() : table_.source());
}

bool TomlTable::require(std::string_view key, const std::string& remedy) {
  if (find(key) != nullptr) return true;
  Position at = position_of(table_.source());
  if (name_.empty()) at = {.line = 1, .column = 1};
  document_.fault(at, named(key) + " is missing", remedy);
  return false;
}

std::string TomlTable::named(std::string_view key) const {
  return "'" + std::string(key) + "'" + (name_.empty() ? "" : " of " + name_);
}

bool TomlTable::text(std::string_view key, std::string& target) {
  const toml::node* node = find(key);
  if (node == nullptr) return false;
  const auto* value = node->as_string();
  if (value == nullptr) {
    document_.fault(*node, named(key) + " is " + document_.written(*node) + ", not text",
                    "write it in quotes");
    return false;
  }
  target = value->get();
  return true;
}

bool TomlTable::word(std::string_view key, std::string& target,
                     const std::vector<std::string>& allowed) {
  std::string value;
  if (!text(key, value)) return false;
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    document_.fault(*find(key), "'" + value + "' is not a value of " + named(key),
                    base::did_you_mean(value, allowed));
    return false;
  }
  target = std::move(value);
  return true;
}

std::optional<std::uint64_t> whole_number(TomlDocument& document, const toml::node& node,
                                          const std::string& what, Bounds bounds) {
  const auto* value = node.as_integer();
  if (value == nullptr) {
    const bool list = node.is_array();
    document.fault(node, what + " is " + document.written(node) + ", not a whole number",
                   list ? "it takes one value" : "write digits only, as in 60");
    return std::nullopt;
  }
  const std::int64_t number = value->get();
  if (number < 0) {
    document.fault(node, what + " is negative", "write " + bounds_text(bounds));
    return std::nullopt;
  }
  if (!inside(static_cast<std::uint64_t>(number), bounds)) {
    document.fault(node, what + " is " + std::to_string(number), "write " + bounds_text(bounds));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

bool TomlTable::number(std::string_view key, std::uint64_t& target, Bounds bounds) {
  const toml::node* node = find(key);
  if (node == nullptr) return false;
  const auto value = whole_number(document_, *node, named(key), bounds);
  if (value) target = *value;
  return value.has_value();
}

bool TomlTable::number(std::string_view key, std::uint32_t& target, Bounds bounds) {
  bounds.high = std::min<std::uint64_t>(bounds.high, std::numeric_limits<std::uint32_t>::max());
  std::uint64_t wide = 0;
  if (!number(key, wide, bounds)) return false;
  target = static_cast<std::uint32_t>(wide);
  return true;
}

bool TomlTable::number(std::string_view key, std::optional<std::uint32_t>& target, Bounds bounds) {
  std::uint32_t value = 0;
  if (!number(key, value, bounds)) return false;
  target = value;
  return true;
}

bool TomlTable::real(std::string_view key, double& target) {
  const toml::node* node = find(key);
  if (node == nullptr) return false;
  if (const auto* value = node->as_floating_point()) {
    target = value->get();
    return true;
  }
  if (const auto* value = node->as_integer()) {
    target = static_cast<double>(value->get());
    return true;
  }
  document_.fault(*node, named(key) + " is " + document_.written(*node) + ", not a number",
                  "write it without quotes, as in 0.05");
  return false;
}

bool TomlTable::truth(std::string_view key, bool& target) {
  const toml::node* node = find(key);
  if (node == nullptr) return false;
  const auto* value = node->as_boolean();
  if (value == nullptr) {
    document_.fault(*node, named(key) + " is " + document_.written(*node),
                    "write true or false, without quotes");
    return false;
  }
  target = value->get();
  return true;
}

namespace {

// Text with a unit. A bare number has none, and both readings of it are plausible.
template <typename Parse>
bool with_unit(TomlTable& table, std::string_view key, double& target, Parse parse,
               const std::string& example) {
  const toml::node* node = table.find(key);
  if (node == nullptr) return false;
  TomlDocument& document = table.document();
  const auto* value = node->as_string();
  if (value == nullptr) {
    const bool bare = node->is_number();
    document.fault(*node,
                   table.named(key) + " is " + document.written(*node) +
                       (bare ? ", a number without a unit" : ""),
                   "write it in quotes with its unit, as in \"" + example + "\"");
    return false;
  }
  const base::Parsed<double> parsed = parse(value->get());
  if (!parsed.value) {
    document.fault(*node, table.named(key) + ": " + parsed.error);
    return false;
  }
  target = *parsed.value;
  return true;
}

}  // namespace

bool TomlTable::duration(std::string_view key, double& target) {
  return with_unit(*this, key, target, base::parse_duration_s, "150s");
}

bool TomlTable::percent(std::string_view key, double& target) {
  return with_unit(*this, key, target, base::parse_percent, "2%");
}

std::string type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a truth value";
    default:
      return "a date or time";
  }
}

}  // namespace invar::design
