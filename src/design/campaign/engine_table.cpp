// [engine]: how and where it is measured, and the levels that all cells and launches have.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "design/campaign/campaign_tables.hpp"

namespace invar::design {
namespace {

constexpr double kMostRetryCap = 10;

void read_hosts(TomlTable& table, EngineOptions& engine) {
  if (const toml::node* node = table.find("hosts")) {
    std::vector<std::string> words;
    const auto* list = node->as_array();
    if (list == nullptr) {
      table.document().fault(*node, table.named("hosts") + " is not a list",
                             "write hosts = [\"node1\", \"node2:4\"], or hostfile = \"PATH\"");
    } else {
      if (list->empty()) {
        table.document().fault(*node, table.named("hosts") + " is empty", "name one, or remove it");
      }
      for (const toml::node& item : *list) {
        const auto* text = item.as_string();
        const std::string written = text == nullptr ? table.document().written(item) : text->get();
        try {
          engine.hosts = parse_hosts(std::vector{written}, "");
          words.push_back(written);
        } catch (const base::UserError& error) {
          for (const base::Fault& fault : error.faults()) {
            table.document().fault(item, fault.what, fault.remedy);
          }
        }
      }
      if (!words.empty()) engine.hosts = parse_hosts(words, "");
    }
  }
  if (table.text("hostfile", engine.hostfile) && table.find("hosts") != nullptr) {
    table.document().fault(*table.find("hostfile"), "hosts and hostfile are both written",
                           "remove one of them");
  }
}

void read_launch_levels(TomlTable& table, EngineOptions& engine) {
  for (const LaunchFactor& factor : launch_factors()) {
    const toml::node* node = table.find(factor.key);
    if (node == nullptr) continue;
    engine.positions.keys.emplace(factor.key, table.position(factor.key));
    std::vector<std::string> levels;
    const auto read = [&](const toml::node& item) {
      const std::optional<std::string> level = read_launch_level(table, factor, item);
      if (!level) return;
      if (std::find(levels.begin(), levels.end(), *level) != levels.end()) {
        table.document().fault(item, table.named(factor.key) + " has " + *level + " twice",
                               "write it once");
      } else {
        levels.push_back(*level);
      }
    };
    const auto* list = node->as_array();
    if (list == nullptr) {
      read(*node);
    } else {
      if (list->empty()) {
        table.document().fault(*node, table.named(factor.key) + " is empty", "write one");
      }
      for (const toml::node& item : *list) read(item);
    }
    if (levels.empty()) continue;
    if (factor.only != nullptr) {
      engine.*factor.only = levels.front();
      if (levels.size() == 1) continue;
    }
    engine.launch_levels[std::string(factor.key)] = std::move(levels);
  }
}

}  // namespace

std::optional<std::string> read_launch_level(TomlTable& table, const LaunchFactor& factor,
                                             const toml::node& node) {
  std::string written;
  if (const auto* text = node.as_string()) {
    written = text->get();
  } else if (factor.number && node.is_number()) {
    written = table.document().written(node);
  } else {
    table.document().fault(
        node, table.named(factor.key) + " is " + table.document().written(node) + ", not text",
        "write it in quotes");
    return std::nullopt;
  }
  LaunchLevel level = factor.level(written);
  if (!level.text) {
    table.document().fault(node, table.named(factor.key) + ": " + level.complaint, level.remedy);
  }
  return level.text;
}

void read_engine(TomlTable& table, EngineOptions& engine) {
  table.word("pairing", engine.pairing, {"turns", "launches"});
  for (const record::Factor& factor : record::factors()) {
    if (!factor.in_engine || table.find(factor.key) == nullptr) continue;
    engine.positions.keys.emplace(factor.key, table.position(factor.key));
    std::vector<std::string>& levels = engine.levels[std::string(factor.key)];
    if (!read_levels(table, factor, levels)) levels.clear();
  }
  table.word("record", engine.record, {"auto", "extent", "per-rank"});
  read_launch_levels(table, engine);
  table.truth("oversubscribe", engine.oversubscribe);
  double limit_s = 0;
  if (table.duration("visit-limit", limit_s)) {
    if (limit_s >= 1) {
      engine.visit_limit_s = limit_s;
    } else {
      table.document().fault(
          *table.find("visit-limit"), "a visit cannot be told from a hung one so soon",
          "write 1s at least, or leave it out: the plan says how long visits take");
    }
  }
  double window_s = 0;
  if (table.duration("window", window_s)) {
    if (window_s >= 1e-6 && window_s <= 1) {
      engine.window_s = window_s;
    } else {
      table.document().fault(
          *table.find("window"), "'window' is too short or too long",
          "write 1us to 1s, or leave it out: windows adapt to what a call takes");
    }
  }
  if (table.real("retry-cap", engine.retry_cap) &&
      !(engine.retry_cap >= 1 && engine.retry_cap <= kMostRetryCap)) {
    table.document().fault(*table.find("retry-cap"), "'retry-cap' is out of range",
                           "write 1 (nothing is made once more) to 10");
    engine.retry_cap = EngineOptions().retry_cap;
  }
  double skew_limit_s = 0;
  if (table.duration("skew-limit", skew_limit_s)) {
    if (skew_limit_s >= 1e-6 && skew_limit_s <= 1) {
      engine.skew_limit_s = skew_limit_s;
    } else {
      table.document().fault(
          *table.find("skew-limit"), "'skew-limit' is too short or too long",
          "write 1us to 1s, or leave it out: 1us (below it no start counts as lost)");
    }
  }
  std::vector<std::string> systems;
  for (const LaunchSystemWords& system : kLaunchSystems) systems.emplace_back(system.name);
  table.word("launcher", engine.launcher, systems);
  read_hosts(table, engine);
  for (const char* key : {"record", "pairing", "pinning", "oversubscribe", "window", "retry-cap",
                          "skew-limit", "launcher", "hosts", "hostfile"}) {
    engine.positions.keys.emplace(key, table.position(key));
  }
}

}  // namespace invar::design
