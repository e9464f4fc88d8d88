#include "store/manifest/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "record/operation/operation_json.hpp"
#include "store/json_text.hpp"
#include "store/own_files.hpp"
#include "store/version.hpp"

namespace invar::store {
namespace {

using Json = nlohmann::json;

std::uint32_t checksum_of(const Json& text) {
  const std::string digits = text.get<std::string>();
  std::uint32_t crc = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), crc, 16);
  if (error != std::errc() || digits.size() != 8 || end != digits.data() + digits.size()) {
    throw std::runtime_error("'" + digits + "' is not a checksum");
  }
  return crc;
}

record::Cell cell_from(const Json& factors, const Json& levels, std::size_t id) {
  record::Cell cell = record::cell_of_absent_levels(static_cast<std::uint32_t>(id));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::string name = factors.at(i).get<std::string>();
    const record::Factor* known = record::find_factor(name);
    if (known == nullptr || !known->parse(cell, levels.at(i).get<std::string>())) {
      throw std::runtime_error("cell " + std::to_string(id) + ": no level of factor '" + name +
                               "'");
    }
  }
  return cell;
}

// A line's keys, the plan's text left out.
Json parse_head(std::string_view line, std::string_view plan_key) {
  const std::size_t csv = line.find(plan_key);
  if (csv == std::string_view::npos) return parse_json<Json>(line);
  return parse_json<Json>(std::string(line.substr(0, csv)) + '}');
}

class Folding {
 public:
  explicit Folding(std::string place) : place_(std::move(place)) {}

  void take(std::uint64_t number, const std::string& line) {
    constexpr std::string_view kCsvKey = ",\"csv\":";
    const bool plan = line.starts_with("{\"type\":\"plan\"");
    const Json head = plan ? parse_head(line, kCsvKey) : parse_json<Json>(line);
    const std::string type = head.at("type").get<std::string>();
    const auto known = kinds().find(type);
    if (known == kinds().end()) {
      throw base::UserError({.place = place_,
                             .line = static_cast<int>(number),
                             .what = "lines of type '" + type + "' are unknown to this version",
                             .remedy = "use the version of invar that made this campaign"});
    }
    if (number == 1 && type != "campaign")
      throw std::runtime_error("the first line is not that of a campaign");
    if (type != "restored" && type != "session" && type != "warning") manifest_.ended = false;
    known->second(*this, head);
    if (plan) {
      const std::size_t key = line.find(kCsvKey);
      const std::size_t begin = key + kCsvKey.size();
      const std::size_t end = line.rfind(",\"line_crc\":");
      if (key == std::string::npos || end == std::string::npos || end < begin) {
        throw std::runtime_error(place_ + ':' + std::to_string(number) + ": lacks the plan's text");
      }
      manifest_.plans.back().escaped_csv = line.substr(begin, end - begin);
    }
  }

  Manifest result() { return std::move(manifest_); }

 private:
  using Take = std::function<void(Folding&, const Json&)>;

  static const std::map<std::string, Take>& kinds() {
    static const std::map<std::string, Take> all{
        {"campaign", &Folding::campaign},
        {"plan", &Folding::plan},
        {"arm", &Folding::arm},
        {"session",
         [](Folding& self, const Json& line) {
           line.at("session").get_to(self.manifest_.session);
           // Earlier versions did not write it here.
           if (line.contains("invar")) self.made_by(line);
         }},
        {"launch", &Folding::launch},
        {"group", &Folding::group},
        {"decision",
         [](Folding& self, const Json& line) {
           self.manifest_.planned_groups = base::whole<std::uint32_t>(line.at("planned_groups"));
         }},
        {"batches",
         [](Folding& self, const Json& line) {
           record::Calls& calls = self.manifest_.batches.emplace();
           for (const Json& batch : line.at("calls")) {
             calls[base::whole<std::uint32_t>(batch.at("cell"))] =
                 base::whole<std::uint32_t>(batch.at("calls"));
           }
         }},
        {"look", &Folding::look},
        {"decided", &Folding::decided},
        {"failed_cell",
         [](Folding& self, const Json& line) {
           self.manifest_.failed_cells.push_back(
               {.cell = base::whole<std::uint32_t>(line.at("cell")),
                .arm = line.at("arm").get<std::string>(),
                .reason = line.at("reason").get<std::string>()});
         }},
        {"dropped_arm",
         [](Folding& self, const Json& line) {
           self.manifest_.dropped_arms.push_back({.arm = line.at("arm").get<std::string>(),
                                                  .reason = line.at("reason").get<std::string>()});
         }},
        {"warning", &Folding::warning},
        {"discarded", &Folding::discarded},
        {"restored", [](Folding&, const Json&) {}},
        {"end", [](Folding& self,
                   const Json&) { self.manifest_.ended = self.manifest_.ended_once = true; }},
    };
    return all;
  }

  void warning(const Json& line) {
    std::string text = line.at("text").get<std::string>();
    if (line.contains("left_open")) {
      const Json& open = line.at("left_open");
      manifest_.warnings.emplace_back(
          LeftOpen{.reason = open.at("reason").get<std::string>(),
                   .undecided = base::whole<std::size_t>(open.at("undecided")),
                   .questions = base::whole<std::size_t>(open.at("questions"))});
    } else if (std::optional<LeftOpen> open = left_open_in_words(text)) {
      manifest_.warnings.emplace_back(std::move(*open));
    } else {
      manifest_.warnings.emplace_back(std::move(text));
    }
  }

  void campaign(const Json& line) {
    if (const int schema = base::whole<int>(line.at("schema")); schema != kSchema) {
      throw base::UserError({.place = place_,
                             .line = 1,
                             .what = "schema " + std::to_string(schema) +
                                     " is unknown to this version, which knows schema " +
                                     std::to_string(kSchema),
                             .remedy = "use the version of invar that made this campaign"});
    }
    made_by(line);
    line.at("time").get_to(manifest_.created);
    line.at("scope").get_to(manifest_.place.scope);
    manifest_.place.cpus = base::whole_numbers<std::uint32_t>(line.at("cpus"));
    if (line.contains("hosts")) line.at("hosts").get_to(manifest_.place.hosts);
    manifest_.place.regime_before = band_of(line, "regime_before");
    if (line.contains("variables")) manifest_.place.variables = texts_of(line, "variables");
    line.at("session").get_to(manifest_.session);
    line.at("toml").get_to(manifest_.campaign_toml);
  }

  void made_by(const Json& line) {
    std::string text = version_text(line.at("invar").get<std::string>(), line.value("commit", ""));
    std::vector<std::string>& all = manifest_.made_by;
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
  }

  // Empty: the line has no such key.
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> texts_of(const Json& line,
                                                                                 const char* key) {
    std::vector<std::pair<std::string, std::string>> texts;
    const auto written = line.find(key);
    if (written == line.end()) return texts;
    for (const auto& [name, text] : written->items()) {
      texts.emplace_back(name, text.template get<std::string>());
    }
    return texts;
  }

  // None: the line has no such key.
  [[nodiscard]] std::optional<base::CanaryBand> band_of(const Json& line, const char* key) const {
    const auto written = line.find(key);
    if (written == line.end()) return std::nullopt;
    const auto band = base::parse_band(written->get<std::string>());
    if (!band.value) throw std::runtime_error(place_ + ": " + band.error);
    return band.value;
  }

  // What a line names is read, moved and written: it lies in the campaign, or somebody made it up.
  void check_name(const Json& line, const std::string& name, bool own) const {
    if (own) return;
    throw base::UserError({.place = place_,
                           .line = base::whole<int>(line.at("line")),
                           .what = "names '" + name + "', which is not part of a campaign",
                           .remedy = "no invar wrote this: do not use the directory"});
  }

  // With its text, unless that is still to be cut from the line.
  void plan(const Json& line) {
    PlanCopy copy{.file = line.at("file").get<std::string>(), .crc = checksum_of(line.at("crc"))};
    check_name(line, copy.file, is_plan_name(copy.file));
    const Json& factors = line.at("factors");
    for (const Json& name : factors) {
      if (record::find_factor(name.get<std::string>()) != nullptr) continue;
      throw base::UserError({.place = place_,
                             .line = base::whole<int>(line.at("line")),
                             .what = "unknown factor '" + name.get<std::string>() + "'",
                             .remedy = "made by a newer Invar? Then use that one"});
    }
    for (const Json& levels : line.at("cells")) {
      copy.cells.push_back(cell_from(factors, levels, copy.cells.size()));
    }
    if (const auto csv = line.find("csv"); csv != line.end()) copy.escaped_csv = csv->dump();
    manifest_.plans.push_back(std::move(copy));
  }

  void decided(const Json& line) {
    DecidedLine decided{.decision = line.at("decision").get<std::string>(),
                        .why = line.at("why").get<std::string>(),
                        .fields = line.at("fields").dump()};
    for (const Json& some : line.at("not_judging")) {
      decided.not_judging.push_back(
          {.groups = base::whole_numbers<std::uint32_t>(some.at("groups")),
           .cells = base::whole_numbers<std::uint32_t>(some.at("cells")),
           .arms = some.value("arms", std::vector<std::string>())});
      // Each alone means all of them.
      const NotJudging& read = decided.not_judging.back();
      if (read.groups.empty() && read.cells.empty()) {
        throw std::runtime_error(place_ + ": the decision '" + decided.decision +
                                 "' names neither groups nor cells that do not judge");
      }
    }
    if (const Json& groups = line.at("planned_groups"); !groups.is_null()) {
      decided.planned_groups = manifest_.planned_groups = base::whole<std::uint32_t>(groups);
    }
    const bool with_plan = line.contains("file");
    if (with_plan) plan(line);
    for (const Json& added : line.at("added")) {
      const auto cell = base::whole<std::uint32_t>(added.at("cell"));
      if (!with_plan || cell >= manifest_.plans.back().cells.size()) {
        throw std::runtime_error(place_ + ": cell " + std::to_string(cell) +
                                 " was added by a decision whose plan does not have it");
      }
      decided.added.push_back({.cell = manifest_.plans.back().cells[cell],
                               .arms = added.at("arms").get<std::vector<std::string>>()});
    }
    manifest_.decided.push_back(std::move(decided));
  }

  record::OperationInfo operation(const Json& info, const ArmRecord& arm, const Json& line) const {
    try {
      return record::operation_from(info);
    } catch (const record::NewerWord& newer) {
      throw base::UserError({.place = place_,
                             .line = base::whole<int>(line.at("line")),
                             .what = "arm '" + arm.label + "', operation '" +
                                     info.at("name").get<std::string>() + "': " + newer.what(),
                             .remedy = "made by a newer Invar? Then use that one"});
    }
  }

  static TriedLevel level(const Json& one) {
    TriedLevel level{.operation = one.at("operation").get<std::string>(),
                     .level = one.at("level").get<std::string>(),
                     .ranks = base::whole<std::uint32_t>(one.at("ranks")),
                     .problem = one.value("problem", ""),
                     .ran = one.value("ran", ""),
                     .same_as = one.value("same_as", ""),
                     .empty_failure = one.value("empty_failure", ""),
                     .ordered_failure = one.value("ordered_failure", "")};
    if (const Json& size = one.at("size_bytes"); !size.is_null()) {
      level.size_bytes = base::whole<std::uint64_t>(size);
    }
    return level;
  }

  void arm(const Json& line) {
    ArmRecord arm{.label = line.at("label").get<std::string>(),
                  .library = line.at("library").get<std::string>(),
                  .library_version = line.at("library_version").get<std::string>()};
    for (const Json& setting : line.at("settings")) {
      arm.settings.emplace_back(setting.at("name").get<std::string>(),
                                setting.at("value").get<std::string>());
      arm.settings_checked.push_back(setting.at("checked").get<std::string>());
    }
    line.at("checksums").get_to(arm.checksums);
    line.at("profile_json").get_to(arm.profile_json);
    if (const auto components = line.find("components"); components != line.end()) {
      for (const Json& one : *components) {
        arm.components.emplace_back(one.at("name").get<std::string>(),
                                    one.at("chosen").get<std::string>());
      }
    }
    if (const auto levels = line.find("levels"); levels != line.end()) {
      for (const Json& one : *levels) arm.levels.push_back(level(one));
    }
    if (const auto operations = line.find("operations"); operations != line.end()) {
      for (const Json& info : *operations) arm.operations.push_back(operation(info, arm, line));
    }
    if (const auto program = line.find("program"); program != line.end()) {
      program->at("command").get_to(arm.program);
      program->at("parse").get_to(arm.program_parse);
      program->at("file").get_to(arm.program_file);
    }
    manifest_.arms.push_back(std::move(arm));
  }

  void launch(const Json& line) {
    LaunchSeal seal{.launch = base::whole<std::uint32_t>(line.at("launch")),
                    .group = base::whole<std::uint32_t>(line.at("group")),
                    .arm = line.at("arm").get<std::string>(),
                    .dir = line.at("dir").get<std::string>(),
                    .session = line.at("session").get<std::string>()};
    check_name(line, seal.dir, is_name_in("launches", seal.dir));
    for (const auto& [name, file] : line.at("files").items()) {
      check_name(line, name, is_plain_name(name));
      seal.files[name] = {.bytes = base::whole<std::uint64_t>(file.at("bytes")),
                          .crc = checksum_of(file.at("crc"))};
    }
    manifest_.seals[seal.launch] = std::move(seal);
  }

  void group(const Json& line) {
    GroupLine group{.outcome = {.group = base::whole<std::uint32_t>(line.at("group")),
                                .complete = line.at("complete").get<bool>(),
                                .reason = line.at("reason").get<std::string>(),
                                .arm = line.at("arm").get<std::string>(),
                                .seconds = line.at("seconds").get<double>(),
                                .tries = base::whole<std::uint32_t>(line.at("tries"))},
                    .launches = base::whole_numbers<std::uint32_t>(line.at("launches"))};
    manifest_.groups[group.outcome.group] = std::move(group);
  }

  void look(const Json& line) {
    LookLine look{.look = base::whole<std::uint32_t>(line.at("look")),
                  .alpha = line.at("alpha").get<double>(),
                  .groups = base::whole_numbers<std::uint32_t>(line.at("groups")),
                  .open = base::whole_numbers<std::uint32_t>(line.at("open")),
                  .questions = base::whole<std::size_t>(line.at("questions")),
                  .undecided = base::whole<std::size_t>(line.at("undecided"))};
    const auto number = [](const Json& value) {
      return value.is_null() ? std::nullopt : std::optional(value.get<double>());
    };
    for (const Json& decided : line.at("decided")) {
      look.decided.push_back({.cell = base::whole<std::uint32_t>(decided.at("cell")),
                              .arm_a = decided.at("arm_a").get<std::string>(),
                              .arm_b = decided.value("arm_b", ""),
                              .time_a = decided.value("time_a", ""),
                              .time_b = decided.value("time_b", ""),
                              .verdict = decided.at("verdict").get<std::string>(),
                              .ratio = number(decided.at("ratio")),
                              .p_adjusted = number(decided.at("p_adjusted"))});
      if (decided.contains("cell_b")) {
        look.decided.back().cell_b = base::whole<std::uint32_t>(decided.at("cell_b"));
      }
    }
    if (!line.at("rounds").is_null()) look.rounds = base::whole<std::uint32_t>(line.at("rounds"));
    for (const Json& tuned : line.at("repetitions")) {
      look.repetitions[base::whole<std::uint32_t>(tuned.at("cell"))] =
          base::whole<std::uint32_t>(tuned.at("repetitions"));
    }
    look.regime = band_of(line, "regime");
    append_look(manifest_.looks, std::move(look));
  }

  void discarded(const Json& line) {
    const auto group = manifest_.groups.find(base::whole<std::uint32_t>(line.at("group")));
    if (group != manifest_.groups.end() && group->second.outcome.complete) {
      manifest_.groups.erase(group);
    }
    for (const Json& launch : line.at("launches")) {
      Move move{.launch = base::whole<std::uint32_t>(launch.at("launch")),
                .from = launch.at("from").get<std::string>(),
                .to = launch.at("to").get<std::string>()};
      check_name(line, move.from, is_name_in("launches", move.from));
      check_name(line, move.to, move.to.empty() || is_name_in("discarded", move.to));
      manifest_.seals.erase(move.launch);
      manifest_.moves.push_back(std::move(move));
    }
  }

  std::string place_;
  Manifest manifest_ = {};
};

}  // namespace

std::string PlanCopy::csv() const {
  try {
    return parse_json<Json>(escaped_csv).get<std::string>();
  } catch (const Json::exception& error) {
    throw std::runtime_error("the manifest's copy of " + file +
                             " is not text: " + without_code(error.what()));
  }
}

std::vector<record::Cell> Manifest::cells() const {
  std::vector<record::Cell> all;
  for (const PlanCopy& plan : plans) {
    if (plan.cells.size() > all.size()) all = plan.cells;
  }
  return all;
}

namespace {

bool concerns(const NotJudging& some, std::uint32_t cell, std::string_view arm) {
  return (some.arms.empty() || std::ranges::find(some.arms, arm) != some.arms.end()) &&
         (some.cells.empty() || std::ranges::find(some.cells, cell) != some.cells.end());
}

}  // namespace

bool judges(const std::vector<DecidedLine>& decided, std::uint32_t group, std::uint32_t cell,
            std::string_view arm) {
  return std::ranges::none_of(decided, [&](const DecidedLine& line) {
    return std::ranges::any_of(line.not_judging, [&](const NotJudging& some) {
      const bool here =
          some.groups.empty() || std::ranges::find(some.groups, group) != some.groups.end();
      return here && concerns(some, cell, arm);
    });
  });
}

bool judges_nowhere(const std::vector<DecidedLine>& decided, std::uint32_t cell,
                    std::string_view arm) {
  return std::ranges::any_of(decided, [&](const DecidedLine& line) {
    return std::ranges::any_of(line.not_judging, [&](const NotJudging& some) {
      return some.groups.empty() && concerns(some, cell, arm);
    });
  });
}

void append_look(std::vector<LookLine>& looks, LookLine look) {
  std::erase_if(looks, [&](const LookLine& before) { return before.look >= look.look; });
  looks.push_back(std::move(look));
}

Manifest read_manifest(const std::vector<std::string>& lines, const std::string& place) {
  Folding folding(place);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    try {
      folding.take(i + 1, lines[i]);
    } catch (const Json::exception& error) {
      throw std::runtime_error(place + ':' + std::to_string(i + 1) +
                               ": is not a line that invar writes: " + without_code(error.what()));
    }
  }
  return folding.result();
}

}  // namespace invar::store
