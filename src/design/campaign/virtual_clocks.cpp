#include "design/campaign/virtual_clocks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace invar::design {
namespace {

constexpr double kMostOffsetS = 1e6;
constexpr double kMostSkew = 0.1;  // counters of other frequencies
constexpr double kMostWander = 1e-6;
constexpr double kMostLatencyS = 1;

// One number, or a list of them: of rank 1, 2, ...; the last one is that of all other ranks.
void read_numbers(TomlTable& table, std::string_view key, double most,
                  std::vector<double>& target) {
  const toml::node* node = table.find(key);
  if (node == nullptr) return;
  const auto number = [&](const toml::node& item) {
    const auto value = item.value<double>();
    const bool numeric = item.is_integer() || item.is_floating_point();
    if (!numeric || !value || !(std::abs(*value) <= most)) {
      table.document().fault(item, table.named(key) + " is " + table.document().written(item),
                             fmt::format("write a number from {:g} to {:g}, without quotes, or a "
                                         "list of them, one a rank from rank 1 on",
                                         -most, most));
      return;
    }
    target.push_back(*value);
  };
  if (const auto* list = node->as_array()) {
    for (const toml::node& item : *list) number(item);
  } else {
    number(*node);
  }
}

void check_range(TomlTable& table, std::string_view key, double most, double& value) {
  if (value >= 0 && value <= most) return;
  table.document().fault(*table.find(key), table.named(key) + " is out of range",
                         fmt::format("write 0 to {:g}", most));
  value = 0;
}

std::string list_text(const std::vector<double>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace

void read_virtual_clocks(TomlTable& table, record::VirtualClocks& clocks) {
  read_numbers(table, "offset", kMostOffsetS, clocks.offset_s);
  read_numbers(table, "skew", kMostSkew, clocks.skew);
  if (table.real("wander", clocks.wander)) check_range(table, "wander", kMostWander, clocks.wander);
  if (table.real("latency", clocks.latency_s)) {
    check_range(table, "latency", kMostLatencyS, clocks.latency_s);
  }
  table.number("seed", clocks.seed, {0, kMaxSeed});
}

std::string virtual_clocks_toml(const record::VirtualClocks& clocks) {
  if (!clocks.any()) return {};
  std::string text = "\n[clock.virtual]\n";
  if (!clocks.offset_s.empty()) text += "offset = " + list_text(clocks.offset_s) + '\n';
  if (!clocks.skew.empty()) text += "skew = " + list_text(clocks.skew) + '\n';
  return text + fmt::format("wander = {}\nlatency = {}\nseed = {}\n", clocks.wander,
                            clocks.latency_s, clocks.seed);
}

}  // namespace invar::design
