#include "design/campaign/program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <regex>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "design/plan/schedule.hpp"
#include "record/memory/levels.hpp"

namespace invar::design {
namespace {

// A unit of times has `ns`, one of rates has `bytes_per_s`. The other number is 0.
struct Unit {
  std::string_view name;
  double ns = 0;
  double bytes_per_s = 0;
};
constexpr std::array<Unit, 11> kUnits{{{"ns", 1},
                                       {"us", 1e3},
                                       {"ms", 1e6},
                                       {"s", 1e9},
                                       {.name = "B/s", .bytes_per_s = 1},
                                       {.name = "kB/s", .bytes_per_s = 1e3},
                                       {.name = "MB/s", .bytes_per_s = 1e6},
                                       {.name = "GB/s", .bytes_per_s = 1e9},
                                       {.name = "KiB/s", .bytes_per_s = 1024},
                                       {.name = "MiB/s", .bytes_per_s = 1048576},
                                       {.name = "GiB/s", .bytes_per_s = 1073741824}}};
constexpr const char* kUnitsToWrite =
    "ns, us, ms or s, or of a rate B/s, kB/s, MB/s, GB/s, KiB/s, "
    "MiB/s or GiB/s";

const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> known{"size", "log2size", "bytes", "ranks", "operation"};
  return known;
}

// More messages in a row than any program is asked for.
constexpr std::uint64_t kMostInACommand = 1U << 30U;

bool is_suite(std::string_view parse) {
  return parse == "imb" || parse == "osu" || parse.starts_with("imb:") || parse.starts_with("osu:");
}

// Null: there is no such unit.
const Unit* find_unit(std::string_view name) {
  const auto* found = std::ranges::find(kUnits, name, &Unit::name);
  return found == kUnits.end() ? nullptr : found;
}

// The unit behind the group: "([0-9.]+) ms", "([0-9.]+)\s*us". Empty: there is none.
std::string unit_behind_group(const std::string& pattern) {
  static const std::regex behind(
      R"(\)(?: |\\s|[*+?])*\[?(ns|us|ms|s|seconds|sec|(?:k|M|G|Ki|Mi|Gi)?B\\?/s)(?![A-Za-z0-9_]))");
  std::smatch found;
  if (!std::regex_search(pattern, found, behind)) return {};
  std::string unit = found[1];
  std::erase(unit, '\\');  // "GB\/s"
  return unit.starts_with("sec") ? "s" : unit;
}

std::optional<Complaint> pattern_complaint(const Program& program) {
  const std::string quoted = "parse '" + program.parse + "'";
  std::size_t groups = 0;
  try {
    groups = std::regex(program.parse).mark_count();
  } catch (const std::regex_error&) {
    return Complaint{quoted + " is neither imb, imb:min, imb:max, osu nor a regular expression",
                     "write an ECMAScript expression with the number in (), as in 'time: "
                     "([0-9.]+) ms'"};
  }
  if (groups != 1) {
    return Complaint{
        quoted + (groups == 0 ? " has no group" : " has " + std::to_string(groups) + " groups"),
        "the rules are imb, imb:min, imb:max, osu, or a regular expression with the number in one "
        "(), as in 'time: ([0-9.]+) ms'; other groups are written (?:...)"};
  }
  const std::string behind = unit_behind_group(program.parse);
  if (program.unit.empty() && behind.empty()) {
    return Complaint{
        quoted + " does not say in which unit the number is",
        std::string("add the unit: ") + kUnitsToWrite + " (--unit, or unit = in a campaign)"};
  }
  if (!program.unit.empty() && find_unit(program.unit) == nullptr) {
    return Complaint{"unit '" + program.unit + "' is none", std::string("write ") + kUnitsToWrite};
  }
  if (!program.unit.empty() && !behind.empty() && behind != program.unit) {
    return Complaint{
        quoted + " says " + behind + " behind the number, and the unit is given as " + program.unit,
        "which one is it? correct the other"};
  }
  return std::nullopt;
}

// Splits a word into text and placeholders; false at a placeholder that is unknown.
template <typename Text, typename Name>
bool walk(std::string_view word, Text text, Name name) {
  for (std::size_t i = 0; i < word.size();) {
    const bool brace = word[i] == '{' || word[i] == '}';
    if (brace && i + 1 < word.size() && word[i + 1] == word[i]) {
      text(word[i]);
      i += 2;
    } else if (const std::size_t close = word.find('}', i);
               word[i] == '{' && close != std::string_view::npos) {
      if (!name(std::string(word.substr(i + 1, close - i - 1)))) return false;
      i = close + 1;
    } else {
      text(word[i++]);
    }
  }
  return true;
}

std::string value_of(const std::string& name, const record::Cell& cell,
                     const record::OperationInfo& operation, const std::string& place) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    return base::UserError(place, record::cell_text(cell) + ": " + what, remedy);
  };
  if (name == "operation") return cell.operation;
  if (name == "ranks") return std::to_string(cell.ranks);
  if (!cell.size_bytes) {
    throw refuse("the command has {" + name + "}, and this cell has no size",
                 "leave the operation out, or give it an arm of its own");
  }
  if (name == "size") return std::to_string(*cell.size_bytes);
  if (name == "bytes") return std::to_string(bytes_of_pass(cell, operation).value_or(0));
  if (!std::has_single_bit(*cell.size_bytes)) {
    throw refuse("{log2size} needs a power of two", "use {size}, or sizes 1, 2, 4, 8, ...");
  }
  return std::to_string(std::bit_width(*cell.size_bytes) - 1);
}

// The number behind an option, as its own word, or with `joined` as "-W32" and "--window-size=32".
// Nothing: the option is not there. 0: what stands behind it is not a number.
std::optional<std::uint32_t> number_behind(const std::vector<std::string>& words,
                                           std::string_view option, bool joined) {
  std::optional<std::uint32_t> found;
  const auto number = [](std::string_view text) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(base::parse_u64(text).value_or(0), kMostInACommand));
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == option) {
      found = i + 1 < words.size() ? number(words[i + 1]) : 0;
    } else if (joined && word.starts_with(option)) {
      std::string_view rest = word.substr(option.size());
      if (rest.starts_with('=')) rest.remove_prefix(1);
      found = number(rest);
    }
  }
  return found;
}

// ParseRule::window, of the uniband and biband of IMB, and of osu_bw and osu_bibw.
std::uint32_t window_of(const Program& program, ParseRule::Kind kind) {
  constexpr std::uint32_t kOsuWindow = 64;
  constexpr std::uint32_t kImbWindow = 256;
  const auto words = base::shell_words(program.command);
  if (!words || words->empty()) return 0;
  const std::string name = program_name(program.command);
  if (kind == ParseRule::Kind::kImb) {
    if (!name.starts_with("IMB")) return 0;
    return number_behind(*words, "-window_size", false).value_or(kImbWindow);
  }
  if (!name.starts_with("osu_")) return 0;
  if (const auto given = number_behind(*words, "--window-size", true)) return *given;
  return number_behind(*words, "-W", true).value_or(kOsuWindow);
}

bool is_windowed(const record::Cell& cell) {
  return cell.operation == "stream" || cell.operation == "bistream";
}

// A suite that sends another number of messages in a row than the cell has measures something else.
// There is no complaint of an operation that no engine knows: the suite's number is what is meant.
std::optional<Complaint> window_complaint(const Program& program, const record::Cell& cell) {
  const bool suite = program.parse == "osu" || program.parse.starts_with("imb");
  if (!suite || !is_windowed(cell) || cell.pattern.empty()) return std::nullopt;
  const std::uint32_t window = parse_rule(program).window;
  if (window == cell.window || window == 0) return std::nullopt;
  const std::string asked = std::to_string(cell.window);
  return Complaint{
      "sends " + std::to_string(window) + " messages in a row, and the cell has window " + asked,
      "write " + std::string(program.parse == "osu" ? "-W " : "-window_size ") + asked +
          " into the command, or window = " + std::to_string(window)};
}

// A rate is that of a pass, and a repetition of ours must be one that can be counted in passes too,
// wherever times are compared.
std::optional<Complaint> rate_complaint(const Campaign& campaign, const Program& program,
                                        const record::Cell& cell,
                                        const record::OperationInfo& operation) {
  if (parse_rule(program).unit_bytes_per_s == 0) return std::nullopt;
  if (!cell.size_bytes) {
    return Complaint{"prints a rate, and a call without a size has no bytes",
                     "leave the operation out, or parse a time"};
  }
  if (operation.walks == 0 || campaign.analysis.question == Question::kMemory) return std::nullopt;
  const auto loops = record::parse_loops(cell.loops);
  if (!loops || (!loops->automatic && loops->number == 1)) return std::nullopt;
  return Complaint{
      "prints a rate, which is that of one pass, and the cell has loops \"" + cell.loops + "\"",
      "write loops = \"1\", or question = \"memory\", which counts in passes"};
}

}  // namespace

std::optional<Complaint> parse_rule_complaint(const Program& program) {
  if (!is_suite(program.parse)) return pattern_complaint(program);
  const std::vector<std::string> known{"imb", "imb:avg", "imb:min", "imb:max", "osu"};
  if (std::ranges::find(known, program.parse) == known.end()) {
    return Complaint{"parse '" + program.parse + "' is not known",
                     base::did_you_mean(program.parse, known)};
  }
  if (!program.unit.empty()) {
    return Complaint{"a unit is given, but " + program.parse + " prints microseconds",
                     "leave the unit out"};
  }
  return std::nullopt;
}

ParseRule parse_rule(const Program& program) {
  if (program.parse == "osu") {
    return {.kind = ParseRule::Kind::kOsu, .window = window_of(program, ParseRule::Kind::kOsu)};
  }
  if (is_suite(program.parse)) {
    const std::size_t colon = program.parse.find(':');
    return {.kind = ParseRule::Kind::kImb,
            .column = colon == std::string::npos ? "avg" : program.parse.substr(colon + 1),
            .window = window_of(program, ParseRule::Kind::kImb)};
  }
  const std::string unit = program.unit.empty() ? unit_behind_group(program.parse) : program.unit;
  const Unit* const known = find_unit(unit);
  return {.kind = ParseRule::Kind::kPattern,
          .pattern = program.parse,
          .unit_ns = known == nullptr ? 0 : known->ns,
          .unit_bytes_per_s = known == nullptr ? 0 : known->bytes_per_s};
}

std::optional<Complaint> command_complaint(const std::string& command) {
  const std::optional<std::vector<std::string>> words = base::shell_words(command);
  if (!words) return Complaint{"a quote in the command is not closed", "close it"};
  if (words->empty() || words->front().empty()) {
    return Complaint{"the command is empty", "write what is to be run, as in 'IMB-MPI1 Allreduce'"};
  }
  for (const std::string& word : *words) {
    std::string unknown;
    const bool good = walk(
        word, [](char) {},
        [&](const std::string& name) {
          unknown = name;
          return std::ranges::find(placeholders(), name) != placeholders().end();
        });
    if (good) continue;
    return Complaint{
        "unknown placeholder {" + unknown + "} in the command",
        base::did_you_mean(unknown, placeholders()) + " (a brace itself is written {{ or }})"};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> bytes_of_pass(const record::Cell& cell,
                                           const record::OperationInfo& operation) {
  if (!cell.size_bytes) return std::nullopt;
  return *cell.size_bytes * std::max(operation.walks, 1U) * std::max(cell.ranks, 1U);
}

std::vector<std::string> command_words(const std::string& command, const record::Cell& cell,
                                       const record::OperationInfo& operation,
                                       const std::string& place) {
  std::vector<std::string> words;
  for (const std::string& word : base::shell_words(command).value_or(std::vector<std::string>{})) {
    std::string& filled = words.emplace_back();
    walk(
        word, [&](char letter) { filled += letter; },
        [&](const std::string& name) {
          filled += value_of(name, cell, operation, place);
          return true;
        });
  }
  return words;
}

bool takes(const std::string& command, std::string_view placeholder) {
  bool found = false;
  for (const std::string& word : base::shell_words(command).value_or(std::vector<std::string>{})) {
    walk(
        word, [](char) {},
        [&](const std::string& name) {
          found = found || name == placeholder;
          return true;
        });
  }
  return found;
}

std::string program_name(const std::string& command) {
  const auto words = base::shell_words(command);
  std::string name = words && !words->empty() ? words->front() : "program";
  name = name.substr(name.rfind('/') + 1);
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  for (char& c : name) {
    if (!is_good(c)) c = '_';
  }
  constexpr std::size_t kLongest = 30;
  name = name.substr(0, kLongest);
  return name.empty() || name_complaint("label", name) ? "program" : name;
}

void check_commands(const Campaign& campaign, const ResolvedCells& cells,
                    const std::string& place) {
  base::Faults faults;
  const record::CellTexts text(cells.cells);
  for (std::uint32_t arm = 0; arm < campaign.arms.size(); ++arm) {
    const Arm& one = campaign.arms[arm];
    if (!one.is_program()) continue;
    const std::string who = "arm '" + one.label + "'";
    std::map<std::string, const record::Cell*> known;
    for (const record::Cell& cell : cells.cells) {
      const auto& of_cell = cells.arms.at(cell.id);
      if (std::ranges::find(of_cell, arm) == of_cell.end()) continue;
      const record::OperationInfo& operation = cells.operation(cell.operation);
      auto complaint = window_complaint(one.program, cell);
      if (!complaint) complaint = rate_complaint(campaign, one.program, cell, operation);
      if (complaint) {
        faults.add({.place = place,
                    .line = one.at.line,
                    .column = one.at.column,
                    .what = who + ' ' + complaint->what + ": " + text(cell),
                    .remedy = complaint->remedy});
        break;
      }
      try {
        std::string run =
            base::join(command_words(one.program.command, cell, operation, who), "\n");
        if (!one.library.empty()) {
          run += '\n' + std::to_string(cell.ranks) + ' ' + std::to_string(cell.nodes);
        }
        const auto [same, is_new] = known.try_emplace(run, &cell);
        if (is_new) continue;
        faults.add(
            {.place = place,
             .line = one.at.line,
             .column = one.at.column,
             .what = who + " would run the same command for two cells: " + text(*same->second) +
                     "; " + text(cell),
             .remedy =
                 "put {size}, {log2size}, {bytes}, {operation} or {ranks} into the command, or "
                 "leave out what it does not depend on"});
        break;
      } catch (const base::UserError& error) {
        for (const base::Fault& fault : error.faults()) faults.add(fault);
      }
    }
  }
  faults.throw_if_any();
}

}  // namespace invar::design
