#include "record/launch_spec.hpp"

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::record {
namespace {

// Labels are user's text: commas and line breaks must survive.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ',') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> unescaped_list(std::string_view text) {
  std::vector<std::string> items(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      items.back() += text[i] == 'n' ? '\n' : text[i];
    } else if (text[i] == ',') {
      items.emplace_back();
    } else {
      items.back() += text[i];
    }
  }
  return items;
}

std::string to_text(const std::string& value) { return value; }
std::string to_text(bool value) { return value ? "yes" : "no"; }
std::string to_text(std::uint32_t value) { return std::to_string(value); }
std::string to_text(std::uint64_t value) { return std::to_string(value); }
std::string to_text(double value) { return std::to_string(value); }
std::string to_text(const std::vector<std::string>& value) {
  std::string text;
  for (const std::string& item : value) text += (text.empty() ? "" : ",") + escaped(item);
  return text;
}
std::string to_text(const std::vector<std::uint32_t>& value) {
  std::string text;
  for (const std::uint32_t item : value) text += (text.empty() ? "" : ",") + std::to_string(item);
  return text;
}

bool from_text(std::string_view text, std::string& value) {
  value = text;
  return true;
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
  value = unescaped_list(text);
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

// Calls visit(name, member) for every key, in the order of the file.
template <typename Spec, typename Visit>
void for_each_key(Spec& spec, Visit visit) {
  visit("group_id", spec.group_id);
  visit("group", spec.group);
  visit("launch", spec.launch);
  visit("arms", spec.arms);
  visit("arm", spec.arm);
  visit("ranks", spec.ranks);
  visit("sync", spec.sync);
  visit("clock", spec.clock);
  visit("record", spec.record);
  visit("pinning", spec.pinning);
  visit("cache", spec.cache);
  visit("oversubscribe", spec.oversubscribe);
  visit("cpus", spec.cpus);
  visit("dither_ns", spec.dither_ns);
  visit("warmup_repetitions", spec.warmup_repetitions);
  visit("warmup_ns", spec.warmup_ns);
  visit("warmup_min", spec.warmup_min);
  visit("retry_cap", spec.retry_cap);
  visit("visit_limit_ns", spec.visit_limit_ns);
  visit("seed", spec.seed);
  visit("failed_cells", spec.failed_cells);
  visit("full_environment", spec.full_environment);
}

}  // namespace

std::string launch_spec_text(const LaunchSpec& spec) {
  std::string text;
  for_each_key(spec, [&](const char* name, const auto& value) {
    text += std::string(name) + " = " + to_text(value) + '\n';
  });
  return text;
}

LaunchSpec read_launch_spec(std::string_view text, const std::string& place) {
  LaunchSpec spec;
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
                    .what = "'" + std::string(value) + "' is no value of '" + key + "'"});
      }
    });
    if (!known) {
      faults.add({.place = place, .line = line_number, .what = "unknown key '" + key + "'"});
    } else if (!seen.insert(key).second) {
      faults.add({.place = place, .line = line_number, .what = "'" + key + "' stands twice"});
    }
  }
  for_each_key(spec, [&](const char* name, const auto&) {
    if (!seen.contains(name)) faults.add(place, "the key '" + std::string(name) + "' is missing");
  });
  faults.throw_if_any();
  return spec;
}

}  // namespace invar::record
