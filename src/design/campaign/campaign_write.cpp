// campaign_toml: a campaign as TOML with every default written out.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/campaign.hpp"
#include "design/campaign/gate.hpp"
#include "design/campaign/virtual_clocks.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"

namespace invar::design {
namespace {

using record::LevelKind;

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_key(std::string_view key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string_view::npos;
  return bare ? std::string(key) : toml_string(key);
}

// Shortest digits that read back as the same number, without an exponent.
std::string digits(double value) {
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) throw std::invalid_argument("a number without finite digits");
  return {buffer.data(), end};
}

// `value` in units of which `per_one` make 1, as text that `parse` reads back as exactly `value`
// if there is one: the shortest (products and quotients round, so the number to write, 7 and not
// 7.000000000000001, may be a neighbour of the product).
template <typename Parse>
std::string in_unit(double value, double per_one, std::string_view unit, Parse parse) {
  const double product = value * per_one;
  std::string shortest;
  for (const double candidate :
       {product, std::nextafter(product, 0), std::nextafter(product, INFINITY)}) {
    std::string text = digits(candidate) + std::string(unit);
    const bool shorter = shortest.empty() || text.size() < shortest.size();
    if (shorter && parse(text).value == value) shortest = std::move(text);
  }
  return shortest;
}

std::string duration(double value_s) {
  struct Unit {
    std::string_view name;
    double per_second;
  };
  constexpr std::array<Unit, 4> kUnits{{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};
  std::string shortest;
  for (const Unit& unit : kUnits) {
    const std::string text = in_unit(value_s, unit.per_second, unit.name, base::parse_duration_s);
    if (!text.empty() && (shortest.empty() || text.size() < shortest.size())) shortest = text;
  }
  return toml_string(shortest);
}

std::string percent(double value) { return toml_string(percent_words(value)); }

template <typename Items, typename Write>
std::string toml_list(const Items& items, Write write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + write(item);
  return "[" + text + "]";
}

std::string sizes(const CellsBlock& block) {
  std::string text;
  for (const std::uint64_t size_bytes : block.sizes_bytes) {
    text += (text.empty() ? "" : ", ") + std::to_string(size_bytes);
  }
  for (const RandomSizes& random : block.random_sizes) {
    text += fmt::format("{}{{ loguniform = [{}, {}], count = {}", text.empty() ? "" : ", ",
                        random.low_bytes, random.high_bytes, random.count);
    if (random.multiple_bytes > 1) text += fmt::format(", multiple = {}", random.multiple_bytes);
    if (random.per_launch > 0) text += fmt::format(", per-launch = {}", random.per_launch);
    if (random.hold_out > 0) text += fmt::format(", hold-out = {}", random.hold_out);
    if (random.every > 1) text += fmt::format(", every = {}", random.every);
    if (random.seed) text += fmt::format(", seed = {}", *random.seed);
    text += " }";
  }
  for (const AdaptiveSizes& asked : block.adaptive) {
    text += (text.empty() ? "" : ", ") + adaptive_toml(asked);
  }
  return text;
}

// "1000" as "1us": the shortest text that is read as the same number of nanoseconds.
std::string nanoseconds(const record::Factor& factor, const std::string& text) {
  if (text == "0") return "\"off\"";
  std::string shortest = text + "ns";
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [unit, unit_ns] : kUnits) {
    const std::string candidate = digits(std::stod(text) / unit_ns) + std::string(unit);
    const bool same = level_text(factor, candidate).text == text;
    if (same && candidate.size() <= shortest.size()) shortest = candidate;
  }
  return toml_string(shortest);
}

std::string level(const record::Factor& factor, const std::string& text) {
  if (factor.kind == LevelKind::kTruth) return text == "yes" ? "true" : "false";
  const bool bare =
      factor.kind == LevelKind::kNumber || (factor.kind == LevelKind::kRoot && text != "rotating");
  if (factor.kind == LevelKind::kDuration) return nanoseconds(factor, text);
  return bare ? text : toml_string(text);
}

// In the order of the keys' table, with `between` behind each.
std::string levels_text(const Levels& levels, std::string_view between = "\n") {
  std::string text;
  for (const record::Factor& factor : record::factors()) {
    const auto found = levels.find(factor.key);
    if (found == levels.end()) continue;
    const auto write = [&](const std::string& one) { return level(factor, one); };
    text += std::string(factor.key) + " = " +
            (found->second.size() == 1 ? write(found->second.front())
                                       : toml_list(found->second, write));
    text += between;
  }
  return text;
}

std::string launch_levels_text(const EngineOptions& engine) {
  std::string text;
  for (const LaunchFactor& factor : launch_factors()) {
    if (factor.only == nullptr || engine.launch_levels.contains(factor.key)) continue;
    const std::string& level = engine.*factor.only;
    text += std::string(factor.key) + " = " + (factor.number ? level : toml_string(level)) + '\n';
  }
  for (const auto& [key, levels] : engine.launch_levels) {
    text += key + " = " + toml_list(levels, toml_string) + '\n';
  }
  return text;
}

// A number, or how it is predicted.
std::string repetitions_text(const Campaign& campaign) {
  if (!campaign.prediction) return std::to_string(campaign.repetitions);
  std::string text;
  for (const auto& [key, words] : rule_words(*campaign.prediction)) {
    text += (text.empty() ? "" : ", ") + key + " = " + toml_string(words);
  }
  return "{ " + text + " }";
}

std::string cells_table(const CellsBlock& block) {
  std::string text = "\n[[cells]]\noperation = " + toml_list(block.operations, toml_string) + '\n';
  if (const std::string list = sizes(block); !list.empty()) text += "size = [" + list + "]\n";
  if (!block.arms.empty()) text += "arms = " + toml_list(block.arms, toml_string) + '\n';
  return text + levels_text(block.levels);
}

// { operation = ["bcast"], size = [8] }
std::string selector_text(const CellsBlock& selector) {
  std::string text = "operation = " + toml_list(selector.operations, toml_string) + ", ";
  if (const std::string list = sizes(selector); !list.empty()) text += "size = [" + list + "], ";
  text += levels_text(selector.levels, ", ");
  return "{ " + text.substr(0, text.size() - 2) + " }";
}

std::string family_table(const FamilyBlock& family) {
  return "\n[[family]]\nname = " + toml_string(family.name) +
         "\ncells = " + toml_list(family.cells, selector_text) + '\n';
}

// { size = 8, arm = "mpich", why = "..." }
std::string not_measured_text(const NotMeasured& absent) {
  std::string text = "{ ";
  if (absent.size_bytes) text += fmt::format("size = {}, ", *absent.size_bytes);
  if (!absent.arm.empty()) text += "arm = " + toml_string(absent.arm) + ", ";
  return text + "why = " + toml_string(absent.why) + " }";
}

std::string guideline_table(const GuidelineBlock& guideline) {
  std::string text = "\n[[guideline]]\nrule = " + toml_string(guideline.rule) + '\n';
  if (!guideline.families.empty()) {
    text += "families = " + toml_list(guideline.families, toml_string) + '\n';
  }
  if (!guideline.not_measured.empty()) {
    text += "not-measured = " + toml_list(guideline.not_measured, not_measured_text) + '\n';
  }
  return text;
}

// { is = "algorithm:chain", arm = "algorithms" }
std::string race_candidate_text(const RaceCandidate& candidate) {
  return "{ is = " + toml_string(candidate.is) + ", arm = " + toml_string(candidate.arm) + " }";
}

std::string left_candidate_text(const LeftCandidate& left) {
  return "{ is = " + toml_string(left.is) + ", why = " + toml_string(left.why) + " }";
}

std::string race_table(const RaceBlock& race) {
  std::string text = "\n[[race]]\noperation = " + toml_string(race.operation) + '\n';
  if (race.size_bytes) text += fmt::format("size = {}\n", *race.size_bytes);
  text += fmt::format("ranks = {}\nfamily = {}\n", race.ranks, toml_string(race.family));
  text += "candidates = " + toml_list(race.candidates, race_candidate_text) + '\n';
  if (!race.not_raced.empty()) {
    text += "not-raced = " + toml_list(race.not_raced, left_candidate_text) + '\n';
  }
  return text;
}

std::string entry_table(const EntryBlock& block) {
  const tuning::Entry& entry = block.entry;
  return fmt::format(
      "\n[[entry]]\noperation = {}\nranks = {}\nfrom = {}\nto = {}\ncandidate = {}\n",
      toml_string(entry.operation), entry.ranks, entry.from_bytes, entry.to_bytes,
      toml_string(tuning::to_string(entry.candidate)));
}

std::string inline_table(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text;
  for (const auto& [key, value] : entries) {
    text += (text.empty() ? "" : ", ") + toml_key(key) + " = " + toml_string(value);
  }
  return "{ " + text + " }";
}

// Keys and their values as TOML, those that the arm has.
std::vector<std::pair<std::string, std::string>> arm_entries(const Arm& arm) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) entries.emplace_back(key, toml_string(value));
  };
  add("library", arm.library);
  add("ops", arm.operations);
  if (arm.is_program()) {
    add("program", arm.program.command);
    entries.emplace_back("parse", toml_string(arm.program.parse));
    add("unit", arm.program.unit);
  }
  add("label", arm.label);
  add("variant-of", arm.variant_of);
  if (!arm.launch.empty()) entries.emplace_back("launch", inline_table(arm.launch));
  if (!arm.settings.empty()) entries.emplace_back("settings", inline_table(arm.settings));
  return entries;
}

std::string arm_table(const Arm& arm) {
  std::string text = "\n[[arm]]\n";
  for (const auto& [key, value] : arm_entries(arm)) text += key + " = " + value + '\n';
  return text;
}

// A line an arm, to stand before the first table of the file.
std::string arm_list(const std::vector<Arm>& arms) {
  std::string text = "arm = [\n";
  for (const Arm& arm : arms) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : arm_entries(arm)) entries.push_back(key + " = " + value);
    text += "  { " + base::join(entries, ", ") + " },\n";
  }
  return text + "]\n";
}

}  // namespace

std::string campaign_toml(const Campaign& campaign) {
  if (campaign.seed > kMaxSeed) throw std::invalid_argument("the seed does not fit a campaign");
  const EngineOptions& engine = campaign.engine;
  const AnalysisOptions& analysis = campaign.analysis;
  std::string text = fmt::format("schema = 1\nname = {}\nseed = {}\n\n[design]\n",
                                 toml_string(campaign.name), campaign.seed);
  text += fmt::format("launches = {{ min = {}, max = {} }}\n", campaign.launches.min,
                      campaign.launches.max);
  if (campaign.budget_s) text += "budget = " + duration(*campaign.budget_s) + '\n';
  text += fmt::format("stopping = \"{}\"\nrounds = {}\nrepetitions = {}\norder = \"{}\"\n",
                      campaign.stopping == Stopping::kLooks ? "looks" : "fixed", campaign.rounds,
                      repetitions_text(campaign), campaign.shuffled ? "shuffled" : "as-written");
  if (!campaign.together.empty()) {
    text += "together = " + toml_list(campaign.together, toml_string) + '\n';
  }
  for (const CellsBlock& block : campaign.cells) text += cells_table(block);
  for (const FamilyBlock& family : campaign.families) text += family_table(family);
  for (const GuidelineBlock& guideline : campaign.guidelines) text += guideline_table(guideline);
  for (const RaceBlock& race : campaign.races) text += race_table(race);
  for (const EntryBlock& entry : campaign.entries) text += entry_table(entry);
  text += fmt::format("\n[engine]\npairing = {}\n", toml_string(engine.pairing)) +
          levels_text(engine.levels) + fmt::format("record = {}\n", toml_string(engine.record)) +
          launch_levels_text(engine) + fmt::format("oversubscribe = {}\n", engine.oversubscribe) +
          fmt::format("launcher = {}\n", toml_string(engine.launcher));
  if (!engine.hosts.empty()) {
    text += "hosts = " +
            toml_list(engine.hosts, [](const Host& host) { return toml_string(host_text(host)); }) +
            '\n';
  }
  if (!engine.hostfile.empty()) text += "hostfile = " + toml_string(engine.hostfile) + '\n';
  if (engine.retry_cap != EngineOptions().retry_cap) {
    text += fmt::format("retry-cap = {}\n", engine.retry_cap);
  }
  if (engine.skew_limit_s != EngineOptions().skew_limit_s) {
    text += "skew-limit = " + duration(engine.skew_limit_s) + '\n';
  }
  if (engine.window_s) text += "window = " + duration(*engine.window_s) + '\n';
  if (engine.visit_limit_s) text += "visit-limit = " + duration(*engine.visit_limit_s) + '\n';
  text += virtual_clocks_toml(campaign.virtual_clocks);
  for (const Arm& arm : campaign.arms) text += arm_table(arm);
  text += fmt::format(
      "\n[analysis]\nquestion = {}\nmethod = {}\nruntime = {}\nmin-effect = {}\nalpha = "
      "{}\ncorrection = {}\n",
      toml_string(to_string(analysis.question)), toml_string(analysis.method),
      toml_string(analysis.runtime), percent(analysis.min_effect), analysis.alpha,
      toml_string(analysis.correction));
  if (analysis.alternative != AnalysisOptions().alternative) {
    text += "alternative = " + toml_string(analysis.alternative) + '\n';
  }
  if (!analysis.presets.empty()) {
    text += "presets = " + toml_list(analysis.presets, toml_string) + '\n';
  }
  if (!analysis.own_visits) text += "own-visits = false\n";
  if (analysis.regime) text += "regime = " + toml_string(base::band_text(*analysis.regime)) + '\n';
  if (analysis.gate) {
    text += "fail-on = " + toml_string(gate_words({.margin = analysis.gate})) + '\n';
  }
  if (!analysis.against.empty()) text += "against = " + toml_string(analysis.against) + '\n';
  return text;
}

std::string short_campaign(const std::vector<Arm>& arms, const std::vector<std::string>& operations,
                           const std::vector<std::uint64_t>& sizes_bytes) {
  std::string text =
      R"(# A campaign for Invar. `invar plan FILE` says what it will do and how long that takes; `invar run FILE -o DIR`
# measures and answers. `invar init --all` writes every key there is, each explained.
schema = 1
name = "my-campaign"
seed = 1                    # the same campaign and seed give the same plan everywhere
)";
  // Many tables of two lines each would not fit on a screen.
  constexpr std::size_t kMostTables = 2;
  if (arms.size() > kMostTables) {
    text += "\n# Who is compared; the first arm is the reference.\n" + arm_list(arms);
  }
  text += R"(
[design]
stopping = "looks"          # what is decided after 3, 5, 8, 12, 20 or 30 launches is measured no more
budget = "2m"               # for everything
rounds = 10                 # visits of every cell in a launch
repetitions = 50            # timed calls in a visit

# What is measured: every operation (`invar ops` lists them) with every size, one rank a core. There may be several
# [[cells]].
[[cells]]
)";
  text += "operation = " + toml_list(operations, toml_string) + '\n';
  const auto size = [](std::uint64_t bytes) {
    std::string written = base::size_text(bytes);
    if (written.ends_with(" B")) written.resize(written.size() - 2);
    std::erase(written, ' ');
    return toml_string(written);
  };
  text += "size = " + toml_list(sizes_bytes, size) +
          "     # or { from = \"4\", to = \"64KiB\", factor = 4 }\n";
  text += arms.empty() ? std::string(R"(
# Who is compared: all libraries of this machine (`invar mpi list`). To choose: [[arm]] and library = "openmpi" for
# each, the reference first.
)")
                       : std::string();
  if (!arms.empty() && arms.size() <= kMostTables) {
    text += "\n# Who is compared; the first arm is the reference.";
    for (const Arm& arm : arms) text += arm_table(arm);
  }
  return text + R"(
[analysis]
question = "compare"
min-effect = "2%"           # differences below this do not matter
alpha = 0.05                # share of false claims, over everything that is compared
)";
}

std::string percent_words(double value) {
  const std::string text = in_unit(value, 100, "%", base::parse_percent);
  return text.empty() ? digits(value * 100) + "%" : text;
}

std::string gate_words(const Gate& gate) {
  return gate.margin ? "slower:" + percent_words(*gate.margin) : "slower";
}

}  // namespace invar::design
