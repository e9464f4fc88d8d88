// [[family]]: cells that are compared with each other.
#include <set>

#include "design/campaign/arms.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/campaign_tables.hpp"

namespace invar::design {
namespace {

// What a family takes: { operation = "allreduce", size = 8 }, with any factor of [[cells]].
void read_selector(TomlTable& family, const toml::node& node, FamilyBlock& block) {
  const auto* table = node.as_table();
  if (table == nullptr) {
    family.document().fault(node, "a cell of a family is " + family.document().written(node),
                            "write { operation = \"allreduce\", size = 8 }");
    return;
  }
  TomlTable selector(family.document(), *table, "'cells' of [[family]]", all_keys(kCellsKeys));
  CellsBlock& cells = block.cells.emplace_back();
  cells.at = TomlDocument::position(node);
  read_cells(selector, cells);
  if (!cells.random_sizes.empty()) {
    family.document().fault(*selector.find("size"), "a family names its sizes",
                            "write the sizes, or leave 'size' out for all of them");
  }
}

}  // namespace

void read_family(TomlTable& table, FamilyBlock& block) {
  if (table.require("name", "write name = \"monotone\": what is compared in it") &&
      table.text("name", block.name)) {
    if (const auto complaint = name_complaint("family", block.name)) {
      table.document().fault(*table.find("name"), complaint->what, complaint->remedy);
    } else if (block.name.starts_with(kTogetherName)) {
      table.document().fault(*table.find("name"),
                             "family '" + block.name + "' is called like those of 'together'",
                             "choose another name");
    }
  }
  constexpr std::string_view kRemedy =
      "write cells = [{ operation = \"allreduce\", size = 8 }, { operation = \"allreduce\", "
      "size = 16 }]";
  if (!table.require("cells", std::string(kRemedy))) return;
  const toml::node& node = *table.find("cells");
  const auto* list = node.as_array();
  if (list == nullptr || list->empty()) {
    table.document().fault(node, table.named("cells") + " is no list of cells",
                           std::string(kRemedy));
    return;
  }
  for (const toml::node& item : *list) read_selector(table, item, block);
}

void check_families(TomlDocument& document, const Campaign& campaign) {
  std::set<std::string> seen;
  for (const FamilyBlock& family : campaign.families) {
    if (!family.name.empty() && !seen.insert(family.name).second) {
      document.fault(family.at, "two families have the name '" + family.name + "'",
                     "give each its own");
    }
  }
  if (!campaign.families.empty() && !campaign.shuffled) {
    document.fault(campaign.families.front().at,
                   "[[family]] says how cells are shuffled, and the order is as written",
                   "leave one of the two out");
  }
}

}  // namespace invar::design
