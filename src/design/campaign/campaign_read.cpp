// read_campaign: the tables of a campaign's file together.
#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/arms.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "design/campaign/virtual_clocks.hpp"
#include "design/factors/levels.hpp"

namespace invar::design {
namespace {

constexpr std::uint64_t kSchema = 1;

void read_top(TomlTable& top, Campaign& campaign, Writer writer) {
  std::uint64_t schema = kSchema;
  if (top.require("schema", "write schema = 1 in the first line") &&
      top.number("schema", schema, {0, kMaxSeed}) && schema != kSchema) {
    top.document().fault(*top.find("schema"),
                         "schema " + std::to_string(schema) + " is not known to this version",
                         writer == Writer::kInvar ? kNewerInvar : "it reads schema = 1");
  }
  if (top.require("name", "write name = \"what-is-compared\"") && top.text("name", campaign.name)) {
    const bool control = std::any_of(campaign.name.begin(), campaign.name.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (base::trim(campaign.name).empty() || control) {
      top.document().fault(*top.find("name"),
                           "the campaign's name is empty or has control characters",
                           "write name = \"what-is-compared\"");
    }
  }
  if (top.require("seed", "write seed = and any whole number: the plan is drawn from it")) {
    top.number("seed", campaign.seed, {0, kMaxSeed});
  }
}

// Calls read(TomlTable) with [name], if it is there.
template <typename Read>
void with_table(TomlTable& top, std::string_view name, const TableKeys& keys, Read read) {
  const toml::node* node = top.find(name);
  if (node == nullptr) return;
  if (!node->is_table()) {
    const bool doubled = node->is_array_of_tables();
    top.document().fault(doubled ? *node->as_array()->get(0) : *node,
                         "'" + std::string(name) + "' must be a table",
                         doubled ? "write " + keys.table + " once, in single brackets"
                                 : "write " + keys.table + " and its keys in lines below");
    return;
  }
  TomlTable table(top.document(), *node->as_table(), keys.table, all_keys(keys));
  read(table);
}

// Calls read(TomlTable) with each [[name]].
template <typename Read>
void with_tables(TomlTable& top, std::string_view name, const TableKeys& keys, Read read) {
  const toml::node* node = top.find(name);
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr || list->empty() || !node->is_array_of_tables()) {
    top.document().fault(*node, "'" + std::string(name) + "' must be a list of tables",
                         "write " + keys.table + ", in double brackets, and its keys below");
    return;
  }
  for (const toml::node& item : *list) {
    TomlTable table(top.document(), *item.as_table(), keys.table, all_keys(keys));
    read(table, TomlDocument::position(item));
  }
}

// What is compared is measured together, if the order is drawn.
void put_against_together(Campaign& campaign) {
  const std::string& against = campaign.analysis.against;
  if (against.empty() || !campaign.shuffled) return;
  if (std::ranges::find(campaign.together, against) != campaign.together.end()) return;
  campaign.together.push_back(against);
}

void check_conflicts(TomlTable& top, const Campaign& campaign) {
  for (const Conflict& conflict : conflicts(campaign)) {
    top.document().fault(conflict.at, conflict.what, conflict.remedy);
  }
}

// `unwritten`: the levels of factors whose keys are missing.
Campaign read_written_by(Writer writer, std::string_view toml, const std::string& place,
                         const record::Cell& unwritten, const KnownOperations& known) {
  TomlDocument document(toml, place);
  Campaign campaign;
  campaign.engine.levels = engine_levels(unwritten);
  for (const LaunchFactor& factor : launch_factors()) {
    if (writer == Writer::kInvar && factor.only != nullptr) {
      campaign.engine.*factor.only = factor.usual;
    }
  }
  TomlTable top(document, document.root(), "", kTopKeys.keys);
  read_top(top, campaign, writer);
  with_table(top, "design", kDesignKeys, [&](TomlTable& t) { read_design(t, campaign); });
  top.require("cells", "write [[cells]] and below it operation = and size =");
  with_tables(top, "cells", kCellsKeys, [&](TomlTable& t, Position at) {
    campaign.cells.emplace_back().at = at;
    read_cells(t, campaign.cells.back());
  });
  with_tables(top, "family", kFamilyKeys, [&](TomlTable& t, Position at) {
    campaign.families.emplace_back().at = at;
    read_family(t, campaign.families.back());
  });
  check_families(document, campaign);
  with_tables(top, "guideline", kGuidelineKeys, [&](TomlTable& t, Position at) {
    campaign.guidelines.emplace_back().at = at;
    read_guideline(t, campaign.guidelines.back());
  });
  check_guidelines(document, campaign);
  with_tables(top, "race", kRaceKeys, [&](TomlTable& t, Position at) {
    campaign.races.emplace_back().at = at;
    read_race(t, campaign.races.back());
  });
  with_tables(top, "entry", kEntryKeys, [&](TomlTable& t, Position at) {
    campaign.entries.emplace_back().at = at;
    read_entry(t, campaign.entries.back());
  });
  check_entries(document, campaign);
  bool pairing_written = false;
  with_table(top, "engine", kEngineKeys, [&](TomlTable& t) {
    read_engine(t, campaign.engine);
    pairing_written = t.find("pairing") != nullptr;
  });
  with_table(top, "clock", kClockKeys, [&](TomlTable& clock) {
    with_table(clock, "virtual", kVirtualClocksKeys,
               [&](TomlTable& t) { read_virtual_clocks(t, campaign.virtual_clocks); });
  });
  with_tables(top, "arm", kArmKeys, [&](TomlTable& t, Position at) {
    campaign.arms.emplace_back().at = at;
    read_arm(t, campaign.arms.back());
  });
  with_table(top, "analysis", kAnalysisKeys,
             [&](TomlTable& t) { read_analysis(t, campaign.analysis, writer); });
  put_against_together(campaign);
  // Programs take no turns; written explicitly it is a conflict.
  if (campaign.has_program() && !pairing_written) campaign.engine.pairing = "launches";
  check_labels(document, campaign.arms);
  check_races(document, campaign);
  check_conflicts(top, campaign);
  if (document.any_fault()) {
    for (const CellsBlock& block : campaign.cells) check_roots(document, block);
    if (known) {
      for (const Conflict& unused : unused_keys(campaign, known())) {
        document.fault(unused.at, unused.what, unused.remedy);
      }
    }
  }
  document.throw_if_any();
  label_arms(campaign.arms, place);
  return campaign;
}

}  // namespace

Campaign read_campaign(std::string_view toml, const std::string& place,
                       const KnownOperations& known) {
  return read_written_by(Writer::kUser, toml, place, record::Cell(), known);
}

Campaign read_sealed_campaign(std::string_view toml, const std::string& place,
                              const record::Cell& absent) {
  Campaign campaign = read_written_by(Writer::kInvar, toml, place, absent, {});
  campaign.from_sealed_text = {.yes = true};
  return campaign;
}

std::optional<std::vector<base::Fault>> written_by_newer(std::string_view toml,
                                                         const std::string& place) {
  try {
    static_cast<void>(read_sealed_campaign(toml, place));
    return std::vector<base::Fault>();
  } catch (const base::UserError& error) {
    std::vector<base::Fault> newer;
    std::ranges::copy_if(error.faults(), std::back_inserter(newer),
                         [](const base::Fault& fault) { return fault.remedy == kNewerInvar; });
    if (newer.empty()) return std::nullopt;
    return newer;
  }
}

}  // namespace invar::design
