// read_campaign: one function a table.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/arms.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/gate.hpp"
#include "design/campaign/launch_test.hpp"
#include "design/campaign/presets.hpp"
#include "design/campaign/program.hpp"
#include "design/campaign/toml_table.hpp"
#include "design/campaign/virtual_clocks.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/sizes.hpp"

namespace invar::design {
namespace {

using record::LevelKind;

constexpr std::uint64_t kSchema = 1;
// Bounds that no sensible campaign meets: what is beyond them is a typing mistake.
constexpr Bounds kLaunchBounds{1, 100'000};
constexpr Bounds kRoundBounds{1, 1'000'000};
constexpr Bounds kRepetitionBounds{1, 100'000'000};
constexpr Bounds kRankBounds{1, 10'000'000};

// Who wrote the file.
enum class Writer { kUser, kInvar };

constexpr const char* kNewerInvar = "it was made by a newer Invar: read it with that one";

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

// A number, or { min = .., max = .. }.
void read_launches(TomlTable& design, Launches& launches) {
  const toml::node* node = design.find("launches");
  if (node == nullptr) return;
  const auto* range = node->as_table();
  if (range == nullptr) {
    if (node->is_array()) {
      design.document().fault(*node, design.named("launches") + " is a list",
                              "write a number, or { min = 3, max = 60 }");
    } else if (design.number("launches", launches.min, kLaunchBounds)) {
      launches.max = launches.min;
    }
    return;
  }
  TomlTable table(design.document(), *range, "'launches'", {"min", "max"});
  const bool has_min = table.number("min", launches.min, kLaunchBounds);
  const bool has_max = table.number("max", launches.max, kLaunchBounds);
  if (has_min && has_max && launches.min > launches.max) {
    design.document().fault(*node,
                            "launches has min = " + std::to_string(launches.min) +
                                " above max = " + std::to_string(launches.max),
                            "swap them");
  } else if (launches.min > launches.max) {
    // Only one was written: the other one's default follows it.
    (has_min ? launches.max : launches.min) = has_min ? launches.min : launches.max;
  }
}

// Factors of cells: "delay", or a list of them.
void read_together(TomlTable& table, Campaign& campaign) {
  const toml::node* node = table.find("together");
  if (node == nullptr) return;
  const auto read = [&](const toml::node& item) {
    const auto* key = item.as_string();
    if (key == nullptr || record::find_cell_factor(key->get()) == nullptr) {
      table.document().fault(
          item, table.document().written(item) + " in 'together' is no factor of cells",
          (key == nullptr ? "" : base::did_you_mean(key->get(), record::cell_factor_words())));
    } else if (std::ranges::find(campaign.together, key->get()) != campaign.together.end()) {
      table.document().fault(item, "'" + key->get() + "' stands twice in 'together'",
                             "write it once");
    } else {
      campaign.together.push_back(key->get());
    }
  };
  const auto* list = node->as_array();
  if (list == nullptr) {
    read(*node);
  } else {
    if (list->empty()) {
      table.document().fault(*node, "'together' is empty", "write a factor, or leave it out");
    }
    for (const toml::node& item : *list) read(item);
  }
  if (!campaign.shuffled) {
    table.document().fault(*node,
                           "'together' says how cells are shuffled, and the order is as written",
                           "leave one of the two out");
  }
}

void read_design(TomlTable& table, Campaign& campaign) {
  std::string word = "fixed";
  table.word("stopping", word, {"fixed", "looks"});
  if (word == "looks") {
    campaign.stopping = Stopping::kLooks;
    campaign.launches = kLookLaunches;
  }
  read_launches(table, campaign.launches);
  if (campaign.stopping == Stopping::kLooks &&
      (campaign.launches.min != kLookLaunches.min || campaign.launches.max > kLookLaunches.max)) {
    table.document().fault(*table.find("launches"),
                           "stopping = \"looks\" looks after 3, 5, 8, 12, 20 and 30 launches",
                           "leave 'launches' out, or write { max = 12 } for fewer looks");
  }
  double budget_s = 0;
  if (table.duration("budget", budget_s)) {
    if (budget_s > 0) {
      campaign.budget_s = budget_s;
    } else {
      table.document().fault(*table.find("budget"), "the budget is 0",
                             "write a time, as in \"150s\", or leave it out for all launches");
    }
  }
  table.number("rounds", campaign.rounds, kRoundBounds);
  table.number("repetitions", campaign.repetitions, kRepetitionBounds);
  word = "shuffled";
  table.word("order", word, {"shuffled", "as-written"});
  campaign.shuffled = word == "shuffled";
  read_together(table, campaign);
}

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

// What is written for one level, as text; nothing (and a fault) for what is no level of the kind.
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
    const Bounds bounds{factor.kind == LevelKind::kRoot ? 0U : 1U, kRankBounds.high};
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

// A level, or a list of them. Returns false where nothing is usable.
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
  for (const record::Factor& factor : record::factors()) {
    if (factor.key.empty() || table.find(factor.key) == nullptr) continue;
    block.positions.keys.emplace(factor.key, table.position(factor.key));
    // A wrong level is not the usual one: nothing is said about what would exclude that.
    if (!read_levels(table, factor, block.levels[std::string(factor.key)])) {
      block.levels[std::string(factor.key)].clear();
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
  if (!cells.random_sizes.empty()) {
    family.document().fault(*selector.find("size"), "a family names its sizes",
                            "write the sizes, or leave 'size' out for all of them");
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

void read_hosts(TomlTable& table, EngineOptions& engine) {
  if (const toml::node* node = table.find("hosts")) {
    std::vector<std::string> words;
    const auto* list = node->as_array();
    if (list == nullptr) {
      table.document().fault(*node, table.named("hosts") + " is no list",
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

// A level of a factor of a launch; nothing (and a fault) for what is none.
std::optional<std::string> read_launch_level(TomlTable& table, const LaunchFactor& factor,
                                             const toml::node& node) {
  std::string written;
  if (const auto* text = node.as_string()) {
    written = text->get();
  } else if (factor.number && node.is_integer()) {
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
          *table.find("window"), "'window' is no length of a window",
          "write 1us to 1s, or leave it out: windows adapt to what a call takes");
    }
  }
  std::vector<std::string> systems;
  for (const LaunchSystemWords& system : kLaunchSystems) systems.emplace_back(system.name);
  table.word("launcher", engine.launcher, systems);
  read_hosts(table, engine);
  for (const char* key : {"record", "pairing", "pinning", "oversubscribe", "window", "launcher",
                          "hosts", "hostfile"}) {
    engine.positions.keys.emplace(key, table.position(key));
  }
}

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
    table.document().fault(*node, table.named("launch") + " is no table",
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
    table.document().fault(*settings, table.named("settings") + " is no table",
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

void read_presets(TomlTable& table, AnalysisOptions& analysis) {
  const toml::node* node = table.find("presets");
  if (node == nullptr) return;
  analysis.positions.keys.emplace("presets", table.position("presets"));
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.document().fault(*node, table.named("presets") + " is no list",
                           "write presets = [\"osu\", \"imb\"]");
    return;
  }
  for (const toml::node& item : *list) {
    const auto* name = item.as_string();
    const std::string written = name == nullptr ? table.document().written(item) : name->get();
    if (name == nullptr || find_preset(written) == nullptr) {
      table.document().fault(item, "there is no preset '" + written + "'",
                             base::did_you_mean(written, preset_names()));
    } else if (std::ranges::find(analysis.presets, written) != analysis.presets.end()) {
      table.document().fault(item, "preset '" + written + "' stands twice", "write it once");
    } else {
      analysis.presets.push_back(written);
    }
  }
}

void read_question(TomlTable& table, AnalysisOptions& analysis, Writer writer) {
  std::string name;
  if (!table.text("question", name)) return;
  analysis.positions.keys.emplace("question", table.position("question"));
  if (const QuestionInfo* known = find_question(name)) {
    analysis.question = known->question;
    return;
  }
  table.document().fault(
      *table.find("question"), "unknown question '" + name + "'",
      writer == Writer::kInvar ? kNewerInvar : base::did_you_mean(name, question_names()));
}

void read_fail_on(TomlTable& table, AnalysisOptions& analysis) {
  std::string written;
  if (!table.text("fail-on", written)) return;
  analysis.positions.keys.emplace("fail-on", table.position("fail-on"));
  Gate gate;
  if (const auto complaint = read_gate(written, gate)) {
    table.document().fault(*table.find("fail-on"), complaint->what, complaint->remedy);
  } else if (!gate.margin) {
    table.document().fault(*table.find("fail-on"), "by how much an arm may be slower is missing",
                           "write fail-on = \"slower:5%\"; any difference is a matter of "
                           "--fail-on slower");
  }
  analysis.gate = gate.margin;
}

void read_analysis(TomlTable& table, AnalysisOptions& analysis, Writer writer) {
  read_question(table, analysis, writer);
  table.word("method", analysis.method, method_names());
  table.word("alternative", analysis.alternative, alternative_names());
  analysis.positions.keys.emplace("alternative", table.position("alternative"));
  read_presets(table, analysis);
  table.word("runtime", analysis.runtime, {"auto", "local", "global"});
  analysis.positions.keys.emplace("runtime", table.position("runtime"));
  if (table.percent("min-effect", analysis.min_effect) && !(analysis.min_effect < 1)) {
    table.document().fault(*table.find("min-effect"), "min-effect is 100% or more",
                           "write the smallest difference that matters, as in \"2%\"");
  }
  if (table.real("alpha", analysis.alpha) && !(analysis.alpha > 0 && analysis.alpha < 1)) {
    table.document().fault(*table.find("alpha"), "alpha must lie between 0 and 1",
                           "write the share of false claims you accept, as in 0.05");
  }
  table.word("correction", analysis.correction, {"bh", "holm"});
  table.truth("own-visits", analysis.own_visits);
  analysis.positions.keys.emplace("own-visits", table.position("own-visits"));
  if (std::string written; table.text("regime", written)) {
    const base::Parsed<base::CanaryBand> band = base::parse_band(written);
    analysis.regime = band.value;
    if (!band.value) {
      table.document().fault(*table.find("regime"), band.error,
                             "write the shortest and the longest canary, as in \"100ns:300ns\"");
    }
  }
  read_fail_on(table, analysis);
  if (!table.text("against", analysis.against)) return;
  analysis.positions.keys.emplace("against", table.position("against"));
  if (record::find_cell_factor(analysis.against) == nullptr) {
    table.document().fault(*table.find("against"),
                           "'" + analysis.against + "' is no factor of cells",
                           base::did_you_mean(analysis.against, record::cell_factor_words()));
    analysis.against.clear();
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

void check_labels(TomlDocument& document, const std::vector<Arm>& arms) {
  std::set<std::string> seen;
  for (const Arm& arm : arms) {
    if (arm.label.empty() || seen.insert(arm.label).second) continue;
    document.fault(arm.at, "two arms have the label '" + arm.label + "'", "give each its own");
  }
}

// What resolve_cells() would find, where the ranks are written: told together with the other faults
// of the file.
void check_roots(TomlDocument& document, const CellsBlock& block) {
  const auto roots = block.levels.find("root");
  const auto ranks = block.levels.find("ranks");
  if (roots == block.levels.end() || ranks == block.levels.end()) return;
  for (const std::string& root : roots->second) {
    for (const std::string& count : ranks->second) {
      const auto number = base::parse_u64(root);
      const auto limit = base::parse_u64(count);
      if (!number || !limit || *number < *limit) continue;
      document.fault(block.positions.of("root"), "root " + root + " is no rank of " + count,
                     "write 0 to " + std::to_string(*limit - 1));
    }
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
  return read_written_by(Writer::kInvar, toml, place, absent, {});
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
