// [[cells]]: operations, sizes, and levels of factors; [[family]]: cells that are compared with
// each other.
#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "design/campaign/arms.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/sizes.hpp"

namespace invar::design {
namespace {

using record::LevelKind;

void read_operations(TomlTable& table, CellsBlock& block) {
  if (!table.require("operation", "write operation = \"bcast\", or a list of them")) return;
  const toml::node& node = *table.find("operation");
  const auto read = [&](const toml::node& item) {
    const auto* name = item.as_string();
    if (name == nullptr || name->get().empty()) {
      table.document().fault(item,
                             "an operation is " + table.document().written(item) + ", no name",
                             "write it in quotes, as in \"bcast\"");
      return;
    }
    const auto& all = block.operations;
    if (std::find(all.begin(), all.end(), name->get()) != all.end()) {
      table.document().fault(item, "operation '" + name->get() + "' stands twice", "write it once");
      return;
    }
    block.operations.push_back(name->get());
    block.operation_positions.push_back(TomlDocument::position(item));
  };
  const auto* list = node.as_array();
  if (list == nullptr) {
    read(node);
    return;
  }
  if (list->empty()) table.document().fault(node, "the list of operations is empty", "write one");
  for (const toml::node& item : *list) read(item);
}

// Labels: which arms there are is known where all of the file is.
void read_arms_of(TomlTable& table, CellsBlock& block) {
  const toml::node* node = table.find("arms");
  if (node == nullptr) return;
  block.positions.keys.emplace("arms", table.position("arms"));
  const auto* list = node->as_array();
  if (list == nullptr || list->empty()) {
    table.document().fault(*node, table.named("arms") + " is not a list of labels",
                           "write arms = [\"openmpi\"], or leave it out for all of them");
    return;
  }
  for (const toml::node& item : *list) {
    const auto* label = item.as_string();
    if (label == nullptr) {
      table.document().fault(item, "an arm is " + table.document().written(item),
                             "write its label, in quotes");
    } else if (std::ranges::find(block.arms, label->get()) != block.arms.end()) {
      table.document().fault(item, "arm '" + label->get() + "' stands twice", "write it once");
    } else {
      block.arms.push_back(label->get());
    }
  }
}

// What is written for one level, as text; nothing (and a fault) for what is not a level of the
// kind.
std::optional<std::string> written_text(TomlTable& table, const record::Factor& factor,
                                        const toml::node& node) {
  const bool number = factor.kind == LevelKind::kNumber || factor.kind == LevelKind::kRoot;
  if (factor.kind == LevelKind::kTruth) {
    if (const auto* truth = node.as_boolean()) return truth->get() ? "yes" : "no";
  } else if (const auto* text = node.as_string()) {
    if (factor.kind != LevelKind::kNumber) return text->get();
  } else if (factor.kind == LevelKind::kRoot && node.is_integer() &&
             *node.value<std::int64_t>() < 0) {
    table.document().fault(node, table.named(factor.key) + " is negative",
                           "write a rank of the cell: 0, 1, ... up to its ranks less one");
    return std::nullopt;
  } else if (number) {
    const record::NumberRange& range = factor.numbers;
    const Bounds bounds{factor.kind == LevelKind::kRoot ? 0 : range.least, range.most};
    const auto value = whole_number(table.document(), node, table.named(factor.key), bounds);
    if (!value) return std::nullopt;
    return std::to_string(*value);
  }
  std::string remedy = "write it in quotes";
  if (factor.kind == LevelKind::kTruth) remedy = "write true or false, without quotes";
  if (factor.kind == LevelKind::kNumber) remedy = "write digits only, as in 60";
  if (factor.kind == LevelKind::kRoot) remedy = "write a rank, or \"rotating\"";
  if (factor.kind == LevelKind::kDuration) {
    remedy = "write it in quotes with its unit, as in \"1us\", or \"off\"";
  }
  const char* lack = number                                ? ", not a whole number"
                     : factor.kind == LevelKind::kTruth    ? ""
                     : factor.kind == LevelKind::kDuration ? ", a number without a unit"
                                                           : ", not text";
  table.document().fault(
      node, table.named(factor.key) + " is " + table.document().written(node) + lack, remedy);
  return std::nullopt;
}

// A level that stands for others is none that a cell has.
void refuse_lists(TomlTable& selector, const CellsBlock& cells) {
  for (const auto& [key, levels] : cells.levels) {
    const record::Factor& factor = *record::find_factor_by_key(key);
    for (const std::string& level : levels) {
      record::Cell cell;
      if (factor.expand == nullptr || factor.parse(cell, level)) continue;
      const std::vector<std::string> stands_for = factor.expand(level, 2);
      selector.document().fault(
          *selector.find(key), selector.named(key) + " has '" + level + "', a list of levels",
          "name the levels that the cells have, as in \"" + stands_for.front() + '"');
    }
  }
}

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
  if (!cells.random_sizes.empty() || !cells.adaptive.empty()) {
    family.document().fault(*selector.find("size"), "a family names its sizes",
                            "write the sizes, or leave 'size' out for all of them");
  }
  refuse_lists(selector, cells);
  if (!cells.arms.empty()) {
    family.document().fault(*selector.find("arms"), "a family has its cells in all their arms",
                            "write 'arms' into [[cells]]");
  }
}

}  // namespace

bool read_levels(TomlTable& table, const record::Factor& factor, std::vector<std::string>& levels) {
  const toml::node& node = *table.find(factor.key);
  std::vector<std::string> found;
  const auto read = [&](const toml::node& item) {
    const std::optional<std::string> written = written_text(table, factor, item);
    if (!written) return;
    const record::LevelText level = level_text(factor, *written);
    if (!level.text) {
      const bool of = factor.kind == LevelKind::kWord;
      table.document().fault(item,
                             of ? level.complaint + " of " + table.named(factor.key)
                                : table.named(factor.key) + " " + level.complaint,
                             level.remedy);
    } else if (std::find(found.begin(), found.end(), *level.text) != found.end()) {
      table.document().fault(item, table.named(factor.key) + " has " + *written + " twice",
                             "write it once");
    } else {
      found.push_back(*level.text);
    }
  };
  const auto* list = node.as_array();
  if (list == nullptr) {
    read(node);
  } else {
    if (list->empty())
      table.document().fault(node, table.named(factor.key) + " is empty", "write one");
    for (const toml::node& item : *list) read(item);
  }
  if (found.empty()) return false;
  levels = std::move(found);
  return true;
}

void read_cells(TomlTable& table, CellsBlock& block) {
  read_operations(table, block);
  read_sizes(table, block);
  read_arms_of(table, block);
  for (const record::Factor& factor : record::factors()) {
    if (factor.key.empty() || table.find(factor.key) == nullptr) continue;
    block.positions.keys.emplace(factor.key, table.position(factor.key));
    // A wrong level is not the usual one: nothing is said about what would exclude that.
    if (!read_levels(table, factor, block.levels[std::string(factor.key)])) {
      block.levels[std::string(factor.key)].clear();
    }
  }
}

void check_roots(TomlDocument& document, const CellsBlock& block) {
  const auto roots = block.levels.find("root");
  const auto ranks = block.levels.find("ranks");
  if (roots == block.levels.end() || ranks == block.levels.end()) return;
  for (const std::string& root : roots->second) {
    for (const std::string& count : ranks->second) {
      const auto number = base::parse_u64(root);
      const auto limit = base::parse_u64(count);
      if (!number || !limit || *number < *limit) continue;
      document.fault(block.positions.of("root"), "root " + root + " is not a rank of " + count,
                     "write 0 to " + std::to_string(*limit - 1));
    }
  }
}

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
    table.document().fault(node, table.named("cells") + " is not a list of cells",
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
