#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "platform/platform_model.hpp"
#include "platform/property_number.hpp"
#include "platform/simgrid_property.hpp"

namespace invar::platform {
namespace {

// What is wrong with one property.
class PropertyFaults {
 public:
  PropertyFaults(const SimgridProperty& property, const std::string& place, base::Faults& faults)
      : property_(property), place_(place), faults_(faults) {}

  // `section`: from 1; 0: the whole property.
  void add(std::size_t section, std::string what, std::string remedy) {
    std::string name = base::without_controls(property_.name);
    if (section > 0) name += ", section " + std::to_string(section);
    if (property_.line == 0) {
      faults_.add(name, std::move(what), std::move(remedy));
    } else {
      faults_.add({.place = place_,
                   .line = property_.line,
                   .column = property_.column,
                   .what = name + ": " + what,
                   .remedy = std::move(remedy)});
    }
  }

 private:
  const SimgridProperty& property_;
  const std::string& place_;
  base::Faults& faults_;
};

struct CheckedSection {
  std::uint64_t above_bytes = 0;
  std::vector<double> values = {};
};

// What sections of a property consist of.
struct SectionKind {
  std::size_t values;
  const char* example;
  const char* before_first;  // what holds up to a first boundary that is not 0
};

constexpr SectionKind kOverheadSections{2, "0:1e-06:2e-10;1420:2.5e-06:1e-10",
                                        "the first section is taken there, too"};
constexpr SectionKind kFactorSections{1, "0:0.4;1420:0.5", "the factor is 1 there"};

std::string_view without_front_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

std::optional<CheckedSection> checked_section(std::string_view text, std::size_t number,
                                              const SectionKind& kind, PropertyFaults& faults) {
  const std::vector<std::string_view> parts = base::split(text, ':');
  CheckedSection section;
  bool is_whole = true;
  const base::Parsed<std::uint64_t> boundary = property_whole(without_front_space(parts[0]));
  if (boundary.value) {
    section.above_bytes = *boundary.value;
  } else {
    is_whole = false;
    faults.add(number, "its boundary " + boundary.error,
               "smpirun stops reading at the first letter, or aborts");
  }
  if (parts.size() != kind.values + 1) {
    is_whole = false;
    faults.add(number,
               "has " + base::count_text(parts.size() - 1, "value") + " behind its boundary, not " +
                   std::to_string(kind.values),
               std::string("write it as in ") + kind.example);
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const base::Parsed<double> value = property_time_s(without_front_space(parts[i]));
    if (value.value) {
      section.values.push_back(*value.value);
    } else {
      is_whole = false;
      faults.add(number, value.error, "write a decimal number that is finite, 0 or above 1e-307");
    }
  }
  if (!is_whole) return std::nullopt;
  return section;
}

// Empty where anything is wrong that makes other questions senseless.
std::vector<CheckedSection> checked_sections(const SimgridProperty& property,
                                             const SectionKind& kind, PropertyFaults& faults) {
  std::vector<CheckedSection> sections;
  std::size_t number = 0;
  bool is_whole = true;
  for (const std::string_view text : base::split(std::string_view(property.value), ';')) {
    if (base::trim(text).empty()) continue;
    std::optional<CheckedSection> section = checked_section(text, ++number, kind, faults);
    is_whole = is_whole && section;
    if (!section) continue;
    if (number == 1 && section->above_bytes != 0) {
      faults.add(number, "begins above " + std::to_string(section->above_bytes) + " bytes",
                 std::string("begin with 0: ") + kind.before_first);
    }
    if (!sections.empty() && section->above_bytes <= sections.back().above_bytes) {
      is_whole = false;
      faults.add(number,
                 "begins above " + std::to_string(section->above_bytes) +
                     " bytes, the section before it above " +
                     std::to_string(sections.back().above_bytes),
                 "order sections by size: smpirun does, and of two equal ones it takes either");
    }
    sections.push_back(std::move(*section));
  }
  if (number == 0) {
    faults.add(0, "has no section", std::string("write it as in ") + kind.example);
  }
  if (!is_whole) sections.clear();
  return sections;
}

void check_overheads(const SimgridProperty& property, PropertyFaults& faults) {
  const std::vector<CheckedSection> sections =
      checked_sections(property, kOverheadSections, faults);
  // What rounding takes below 0 is 0 to smpirun, and that is right: relative, and in seconds.
  constexpr double kRounding = 1e-12;
  constexpr double kNothing = 1e-15;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const CheckedSection& section = sections[i];
    const std::uint64_t last = i + 1 < sections.size() ? sections[i + 1].above_bytes : kMostBytes;
    for (const std::uint64_t size : {i == 0 ? 0 : section.above_bytes + 1, last}) {
      const double intercept = section.values[0];
      const double rest = section.values[1] * static_cast<double>(size);
      const double rounding = kRounding * (std::abs(intercept) + std::abs(rest)) + kNothing;
      if (intercept + rest >= -rounding) continue;
      faults.add(i + 1,
                 "is " + base::shortest_text(intercept + rest) + " s at " + std::to_string(size) +
                     " bytes",
                 "smpirun takes a negative overhead for none without a word");
      break;
    }
  }
}

void check_factors(const SimgridProperty& property, bool zero_allowed, PropertyFaults& faults) {
  const std::vector<CheckedSection> sections = checked_sections(property, kFactorSections, faults);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const double factor = sections[i].values[0];
    if (factor > 0 || (zero_allowed && factor == 0)) continue;
    faults.add(i + 1, "its factor is " + base::shortest_text(factor),
               zero_allowed ? "smpirun takes a negative latency factor for 0 without a word"
                            : "smpirun aborts on bandwidth factors that are not above 0");
  }
}

void check_threshold(const SimgridProperty& property, PropertyFaults& faults) {
  const base::Parsed<std::uint64_t> number = property_whole(property.value);
  if (!number.value) {
    faults.add(0, number.error, "smpirun aborts on anything else");
  } else if (property.value.size() > 1 && property.value.front() == '0') {
    faults.add(0, "'" + property.value + "' begins with 0",
               "smpirun takes that for an octal number");
  }
}

// smpirun knows no units here.
void check_plain(const SimgridProperty& property, bool zero_allowed, const char* remedy,
                 PropertyFaults& faults) {
  const std::optional<PropertyNumber> number = property_number(property.value);
  if (!number || !number->unit.empty()) {
    faults.add(0, "'" + base::without_controls(property.value) + "' is not a number without a unit",
               "write a decimal number, of seconds where it is a time");
  } else if (number->value < 0 || (number->value == 0 && !zero_allowed)) {
    faults.add(0, "is " + base::shortest_text(number->value), remedy);
  }
}

void check_quantity(const base::Parsed<double>& quantity, bool zero_allowed,
                    PropertyFaults& faults) {
  if (!quantity.value) {
    faults.add(0, quantity.error, "write a number with its unit: 5us, 1.25GBps, 10Gbps");
  } else if (*quantity.value < 0 || (*quantity.value == 0 && !zero_allowed)) {
    faults.add(0, "is " + base::shortest_text(*quantity.value), "it is above 0");
  }
}

void check_word(const SimgridProperty& property, std::span<const std::string_view> words,
                PropertyFaults& faults) {
  if (std::ranges::find(words, property.value) != words.end()) return;
  std::string known;
  for (const std::string_view word : words)
    known += (known.empty() ? "" : ", ") + std::string(word);
  faults.add(0, "'" + base::without_controls(property.value) + "' is no such word: smpirun aborts",
             "known: " + known);
}

constexpr std::array<std::string_view, 6> kSelectors{"default",  "ompi", "mpich",
                                                     "mvapich2", "impi", "automatic"};
constexpr std::array<std::string_view, 8> kTruths{"yes",  "no",    "on", "off",
                                                  "true", "false", "1",  "0"};

constexpr const char* kEndless =
    "a program that waits by looking at the clock never ends where looking takes no time";
constexpr const char* kAbove0 = "it is above 0";
constexpr const char* kNot0 = "it is 0 or more";

struct PropertyRow {
  std::string_view name;
  void (*check)(const SimgridProperty&, PropertyFaults&);
};

constexpr std::array<PropertyRow, 23> kPropertyRows{{
    {"smpi/os", check_overheads},
    {"smpi/ois", check_overheads},
    {"smpi/or", check_overheads},
    {"smpi/bw-factor", [](const auto& p, auto& faults) { check_factors(p, false, faults); }},
    {"smpi/lat-factor", [](const auto& p, auto& faults) { check_factors(p, true, faults); }},
    {"smpi/async-small-thresh", check_threshold},
    {"smpi/send-is-detached-thresh", check_threshold},
    {"smpi/wtime", [](const auto& p, auto& faults) { check_plain(p, false, kEndless, faults); }},
    {"smpi/test", [](const auto& p, auto& faults) { check_plain(p, true, kNot0, faults); }},
    {"smpi/iprobe", [](const auto& p, auto& faults) { check_plain(p, true, kNot0, faults); }},
    {"smpi/grow-injected-times",
     [](const auto& p, auto& faults) { check_word(p, kTruths, faults); }},
    {"smpi/coll-selector", [](const auto& p, auto& faults) { check_word(p, kSelectors, faults); }},
    {"network/TCP-gamma",
     [](const auto& p, auto& faults) { check_plain(p, false, kAbove0, faults); }},
    {"network/crosstraffic", [](const auto& p, auto& faults) { check_word(p, kTruths, faults); }},
    {"surf/precision", [](const auto& p, auto& faults) { check_plain(p, false, kAbove0, faults); }},
    {"cluster bw",
     [](const auto& p, auto& f) { check_quantity(property_bandwidth_bps(p.value), false, f); }},
    {"cluster bb_bw",
     [](const auto& p, auto& f) { check_quantity(property_bandwidth_bps(p.value), false, f); }},
    {"cluster loopback_bw",
     [](const auto& p, auto& f) { check_quantity(property_bandwidth_bps(p.value), false, f); }},
    {"cluster lat",
     [](const auto& p, auto& f) { check_quantity(property_time_s(p.value), true, f); }},
    {"cluster bb_lat",
     [](const auto& p, auto& f) { check_quantity(property_time_s(p.value), true, f); }},
    {"cluster loopback_lat",
     [](const auto& p, auto& f) { check_quantity(property_time_s(p.value), true, f); }},
    {"cluster core", check_threshold},
    {"cluster nodes", check_threshold},
}};

// Thresholds as smpirun has them where the file does not say: 0 and 65536.
void check_thresholds_cross(std::span<const SimgridProperty> properties, const std::string& place,
                            base::Faults& faults) {
  constexpr std::uint64_t kUsualDetached = 65536;
  const SimgridProperty* async = nullptr;
  std::uint64_t detached_bytes = kUsualDetached;
  for (const SimgridProperty& property : properties) {
    if (property.name == "smpi/async-small-thresh") async = &property;
    if (property.name != "smpi/send-is-detached-thresh") continue;
    const base::Parsed<std::uint64_t> number = property_whole(property.value);
    if (!number.value) return;
    detached_bytes = *number.value;
  }
  if (async == nullptr) return;
  const base::Parsed<std::uint64_t> async_bytes = property_whole(async->value);
  if (!async_bytes.value || *async_bytes.value <= detached_bytes) return;
  PropertyFaults(*async, place, faults)
      .add(0,
           async->value + " is above smpi/send-is-detached-thresh, " +
               std::to_string(detached_bytes),
           "smpirun aborts: make it that at most");
}

}  // namespace

void check_properties(std::span<const SimgridProperty> properties, const std::string& place,
                      base::Faults& faults) {
  std::set<std::string_view> seen;
  for (const SimgridProperty& property : properties) {
    PropertyFaults own(property, place, faults);
    for (const PropertyRow& row : kPropertyRows) {
      if (row.name != property.name) continue;
      // Each of several clusters has its own.
      if (!seen.insert(row.name).second && !row.name.starts_with("cluster ")) {
        own.add(0, "is given twice", "smpirun takes one of them: give one");
      }
      row.check(property, own);
    }
  }
  check_thresholds_cross(properties, place, faults);
}

}  // namespace invar::platform
