// [[arm]]: a library or a program, and its settings.
#include <map>
#include <set>
#include <utility>

#include "design/campaign/arms.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "design/campaign/program.hpp"

namespace invar::design {
namespace {

void read_program(TomlTable& table, Program& program) {
  table.text("parse", program.parse);
  table.text("unit", program.unit);
  if (table.find("program") == nullptr) {
    for (const char* key : {"parse", "unit"}) {
      if (table.find(key) == nullptr) continue;
      table.document().fault(*table.find(key), table.named(key) + " says how a program is read",
                             "write program = \"...\" too, or remove it");
    }
    return;
  }
  if (!table.text("program", program.command)) return;
  if (const auto complaint = command_complaint(program.command)) {
    table.document().fault(*table.find("program"), complaint->what, complaint->remedy);
  }
  if (!table.require("parse",
                     "write parse = \"imb\", \"osu\" or a regular expression with one "
                     "group: where the program prints its time")) {
    return;
  }
  if (program.parse.empty()) return;
  if (const auto complaint = parse_rule_complaint(program)) {
    table.document().fault(*table.find("parse"), complaint->what, complaint->remedy);
  }
}

void read_arm_launch(TomlTable& table, Arm& arm) {
  const toml::node* node = table.find("launch");
  if (node == nullptr) return;
  if (!node->is_table()) {
    table.document().fault(*node, table.named("launch") + " is not a table",
                           "write launch = { aslr = \"off\" }");
    return;
  }
  std::vector<std::string> known;
  for (const LaunchFactor& factor : launch_factors()) known.emplace_back(factor.key);
  TomlTable levels(table.document(), *node->as_table(), "'launch'", known);
  for (const LaunchFactor& factor : launch_factors()) {
    const toml::node* level = levels.find(factor.key);
    if (level == nullptr) continue;
    arm.launch_positions.keys.emplace(factor.key, TomlDocument::position(*level));
    if (auto text = read_launch_level(levels, factor, *level)) {
      arm.launch.emplace_back(factor.key, std::move(*text));
    }
  }
}

}  // namespace

void read_arm(TomlTable& table, Arm& arm) {
  const auto complain = [&](const toml::node& node, const std::optional<Complaint>& complaint) {
    if (complaint) table.document().fault(node, complaint->what, complaint->remedy);
  };
  read_program(table, arm.program);
  const bool needed = table.find("program") == nullptr;
  if ((!needed ||
       table.require("library", "write the name of a profile, as `invar mpi list` shows them")) &&
      table.text("library", arm.library)) {
    complain(*table.find("library"), name_complaint("library", arm.library));
  }
  if (table.text("ops", arm.operations)) {
    const toml::node& node = *table.find("ops");
    if (arm.operations.empty()) {
      complain(node, Complaint{"'ops' is empty", "name a folder with *.cpp and operations.def"});
    } else if (arm.is_program()) {
      complain(node, Complaint{"a program does not run the operations of 'ops'",
                               "leave it out, or leave program out"});
    }
  }
  if (table.text("label", arm.label)) {
    complain(*table.find("label"), name_complaint("label", arm.label));
  }
  if (table.text("variant-of", arm.variant_of)) {
    complain(*table.find("variant-of"), name_complaint("label", arm.variant_of));
  }
  read_arm_launch(table, arm);
  const toml::node* settings = table.find("settings");
  if (settings == nullptr) return;
  if (!settings->is_table()) {
    table.document().fault(*settings, table.named("settings") + " is not a table",
                           "write settings = { KEY = \"VALUE\" }");
    return;
  }
  // toml++ sorts by key; the order written is the order in which people think of them.
  std::map<std::pair<int, int>, std::pair<std::string, std::string>> in_order;
  for (const auto& [key, node] : *settings->as_table()) {
    const auto* value = node.as_string();
    const std::string name(key.str());
    if (value == nullptr) {
      table.document().fault(
          node, "setting '" + name + "' is " + table.document().written(node) + ", not text",
          "settings are environment variables: write the value in quotes");
      continue;
    }
    complain(node, setting_complaint(name, value->get()));
    const toml::source_position at = key.source().begin;
    in_order[{static_cast<int>(at.line), static_cast<int>(at.column)}] = {name, value->get()};
  }
  for (auto& [at, setting] : in_order) arm.settings.push_back(std::move(setting));
}

void check_labels(TomlDocument& document, const std::vector<Arm>& arms) {
  std::set<std::string> seen;
  for (const Arm& arm : arms) {
    if (arm.label.empty() || seen.insert(arm.label).second) continue;
    document.fault(arm.at, "two arms have the label '" + arm.label + "'", "give each its own");
  }
}

}  // namespace invar::design
