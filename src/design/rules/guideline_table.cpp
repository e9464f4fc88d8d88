// [[guideline]]: a rule, and by which cells it is judged.
#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "design/rules/guideline.hpp"

namespace invar::design {
namespace {

// A size as plans have it: whole bytes.
constexpr Bounds kAnySize{0, std::uint64_t{1} << 62U};

void read_families_of(TomlTable& table, GuidelineBlock& block) {
  const toml::node* node = table.find("families");
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.document().fault(*node, table.named("families") + " is not a list",
                           "write families = [\"NAME\"], of [[family]]");
    return;
  }
  for (const toml::node& item : *list) {
    if (const auto* name = item.as_string()) {
      block.families.push_back(name->get());
    } else {
      table.document().fault(item, "a family is " + table.document().written(item),
                             "write the name of a [[family]], in quotes");
    }
  }
}

void read_not_measured(TomlTable& table, GuidelineBlock& block) {
  const toml::node* node = table.find("not-measured");
  if (node == nullptr) return;
  constexpr const char* kForm = "write not-measured = [{ size = 8, why = \"...\" }]";
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.document().fault(*node, table.named("not-measured") + " is not a list", kForm);
    return;
  }
  for (const toml::node& item : *list) {
    const auto* entry = item.as_table();
    if (entry == nullptr) {
      table.document().fault(item, "what is not measured is " + table.document().written(item),
                             kForm);
      continue;
    }
    TomlTable absent(table.document(), *entry, kNotMeasuredKeys.table, kNotMeasuredKeys.keys);
    NotMeasured& read = block.not_measured.emplace_back();
    std::uint64_t size_bytes = 0;
    if (absent.number("size", size_bytes, kAnySize)) read.size_bytes = size_bytes;
    absent.text("arm", read.arm);
    if (absent.require("why", kForm)) absent.text("why", read.why);
  }
}

}  // namespace

void read_guideline(TomlTable& table, GuidelineBlock& block) {
  if (table.require("rule", "write rule = \"reduce(n) <= allreduce(n)\"") &&
      table.text("rule", block.rule)) {
    try {
      if (parse_guidelines(block.rule, "").size() > 1) {
        table.document().fault(*table.find("rule"), "these are several rules",
                               "write a [[guideline]] for each");
      }
    } catch (const base::UserError& error) {
      for (const base::Fault& fault : error.faults()) {
        table.document().fault(*table.find("rule"), fault.what, fault.remedy);
      }
      block.rule.clear();
    }
  }
  read_families_of(table, block);
  read_not_measured(table, block);
}

void check_guidelines(TomlDocument& document, const Campaign& campaign) {
  std::map<std::string, const FamilyBlock*> families;
  std::vector<std::string> names;
  for (const FamilyBlock& family : campaign.families) {
    families.emplace(family.name, &family);
    names.push_back(family.name);
  }
  std::map<std::string, Position> rules;
  for (const GuidelineBlock& block : campaign.guidelines) {
    // Into how many parts a call is split is chosen under way.
    bool several = true;
    if (!block.rule.empty()) {
      const Guideline rule = parse_guidelines(block.rule, "").front();
      several = rule.kind == GuidelineKind::kSplit;
      if (!rules.emplace(rule.name, block.at).second) {
        document.fault(block.at, "two guidelines have the name '" + rule.name + "'",
                       "give each its own");
      }
    }
    for (const std::string& name : block.families) {
      const auto family = families.find(name);
      if (family == families.end()) {
        document.fault(block.at, "there is no family '" + name + "'",
                       base::did_you_mean(name, names));
        continue;
      }
      const std::vector<CellsBlock>& cells = family->second->cells;
      const bool number_fits = cells.size() == 2 || (several && cells.size() > 2);
      const bool sides = number_fits && std::ranges::all_of(cells, [](const CellsBlock& side) {
                           return side.operations.size() == 1 && side.sizes_bytes.size() <= 1;
                         });
      if (!sides) {
        document.fault(block.at,
                       "family '" + name + "' has not two cells, a left side and a right" +
                           (several ? ", or several right ones to choose from" : ""),
                       "write cells = [{ operation = \"reduce\", size = 8 }, { operation = "
                       "\"allreduce\", size = 8 }]");
      }
    }
  }
}

}  // namespace invar::design
