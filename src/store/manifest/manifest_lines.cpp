// The manifest's lines as they are written.
#include "base/crc32c.hpp"
#include "base/json_writer.hpp"
#include "record/journal.hpp"
#include "record/operation/operation_json.hpp"
#include "store/clock_dir.hpp"
#include "store/files.hpp"
#include "store/manifest/manifest.hpp"
#include "store/version.hpp"

namespace invar::store {
namespace {

// Begins a line: type, number, time.
base::JsonWriter begun(const char* type, std::uint64_t number) {
  base::JsonWriter json;
  json.begin_object().field("type", type).field("line", number).field("time", utc_time_text());
  return json;
}

std::string finished(const base::JsonWriter& json) { return record::with_line_crc(json.text()); }

void add_plan(base::JsonWriter& json, const PlanText& text) {
  json.field("file", text.file).field("crc", base::crc_text(base::crc32c(text.csv)));
  json.key("factors").begin_array();
  const std::vector<const record::Factor*> written = record::written_factors(text.plan.cells);
  for (const record::Factor* factor : written) json.value(factor->name);
  json.end_array().key("cells").begin_array();
  for (const record::Cell& cell : text.plan.cells) {
    json.begin_array();
    for (const record::Factor* factor : written) json.value(factor->text(cell));
    json.end_array();
  }
  // Last, so that a reader can leave it out.
  json.end_array().field("csv", text.csv);
}

template <typename Items>
void add_array(base::JsonWriter& json, std::string_view key, const Items& items) {
  json.key(key).begin_array();
  for (const auto& item : items) json.value(item);
  json.end_array();
}

void add_object(base::JsonWriter& json, std::string_view key,
                const std::vector<std::pair<std::string, std::string>>& fields) {
  json.key(key).begin_object();
  for (const auto& [name, value] : fields) json.field(name, value);
  json.end_object();
}

}  // namespace

std::string campaign_line(std::uint64_t number, const std::string& toml, const Place& place,
                          const std::string& session) {
  base::JsonWriter json = begun("campaign", number);
  json.field("schema", kSchema)
      .field("invar", invar_version())
      .field("commit", invar_commit())
      .field("scope", place.scope);
  json.key("cpus").begin_array();
  for (const std::uint32_t cpu : place.cpus) json.value(cpu);
  json.end_array().key("hosts").begin_array();
  for (const std::string& host : place.hosts) json.value(host);
  json.end_array();
  if (place.regime_before) json.field("regime_before", base::band_text(*place.regime_before));
  if (place.variables) add_object(json, "variables", *place.variables);
  json.field("session", session).field("toml", toml);
  return finished(json);
}

std::string plan_line(std::uint64_t number, const std::string& file, const record::Plan& plan,
                      const std::string& csv) {
  base::JsonWriter json = begun("plan", number);
  add_plan(json, {.file = file, .plan = plan, .csv = csv});
  return finished(json);
}

namespace {

void write_level(base::JsonWriter& json, const TriedLevel& level) {
  json.begin_object()
      .field("operation", level.operation)
      .field("level", level.level)
      .field("ranks", level.ranks)
      .field("size_bytes", level.size_bytes);
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) json.field(name, text);
  };
  add("problem", level.problem);
  add("ran", level.ran);
  add("same_as", level.same_as);
  add("empty_failure", level.empty_failure);
  add("ordered_failure", level.ordered_failure);
  json.end_object();
}

}  // namespace

std::string arm_line(std::uint64_t number, const ArmRecord& arm) {
  base::JsonWriter json = begun("arm", number);
  json.field("label", arm.label)
      .field("library", arm.library)
      .field("library_version", arm.library_version);
  json.key("settings").begin_array();
  for (std::size_t i = 0; i < arm.settings.size(); ++i) {
    json.begin_object()
        .field("name", arm.settings[i].first)
        .field("value", arm.settings[i].second)
        .field("checked", i < arm.settings_checked.size() ? arm.settings_checked[i] : "")
        .end_object();
  }
  json.end_array().key("checksums").begin_object();
  for (const auto& [file, checksum] : arm.checksums) json.field(file, checksum);
  json.end_object().field("profile_json", arm.profile_json);
  if (!arm.components.empty()) {
    // In their order, which an object would not keep.
    json.key("components").begin_array();
    for (const auto& [name, chosen] : arm.components) {
      json.begin_object().field("name", name).field("chosen", chosen).end_object();
    }
    json.end_array();
  }
  if (!arm.levels.empty()) {
    json.key("levels").begin_array();
    for (const TriedLevel& level : arm.levels) write_level(json, level);
    json.end_array();
  }
  if (!arm.operations.empty()) {
    json.key("operations").begin_array();
    for (const record::OperationInfo& info : arm.operations) record::write_operation(json, info);
    json.end_array();
  }
  if (!arm.program.empty()) {
    json.key("program")
        .begin_object()
        .field("command", arm.program)
        .field("parse", arm.program_parse)
        .field("file", arm.program_file)
        .end_object();
  }
  return finished(json);
}

std::string session_line(std::uint64_t number, const std::string& session) {
  base::JsonWriter json = begun("session", number);
  return finished(json.field("session", session)
                      .field("invar", invar_version())
                      .field("commit", invar_commit()));
}

std::string launch_line(std::uint64_t number, const LaunchSeal& seal) {
  base::JsonWriter json = begun("launch", number);
  json.field("launch", seal.launch)
      .field("group", seal.group)
      .field("arm", seal.arm)
      .field("dir", seal.dir)
      .field("session", seal.session);
  json.key("files").begin_object();
  for (const auto& [name, file] : seal.files) {
    json.key(name)
        .begin_object()
        .field("bytes", file.bytes)
        .field("crc", base::crc_text(file.crc))
        .end_object();
  }
  return finished(json.end_object());
}

std::string group_line(std::uint64_t number, const GroupLine& group) {
  base::JsonWriter json = begun("group", number);
  json.field("group", group.outcome.group)
      .field("complete", group.outcome.complete)
      .field("reason", group.outcome.reason)
      .field("arm", group.outcome.arm)
      .field("seconds", group.outcome.seconds)
      .field("tries", group.outcome.tries);
  json.key("launches").begin_array();
  for (const std::uint32_t launch : group.launches) json.value(launch);
  return finished(json.end_array());
}

std::string decision_line(std::uint64_t number, std::uint32_t planned_groups,
                          const std::string& why) {
  base::JsonWriter json = begun("decision", number);
  return finished(json.field("planned_groups", planned_groups).field("why", why));
}

std::string batches_line(std::uint64_t number, const record::Calls& calls, const std::string& why) {
  base::JsonWriter json = begun("batches", number);
  json.key("calls").begin_array();
  for (const auto& [cell, count] : calls) {
    json.begin_object().field("cell", cell).field("calls", count).end_object();
  }
  return finished(json.end_array().field("why", why));
}

std::string look_line(std::uint64_t number, const LookLine& look) {
  base::JsonWriter json = begun("look", number);
  json.field("look", look.look).field("alpha", look.alpha).key("groups").begin_array();
  for (const std::uint32_t group : look.groups) json.value(group);
  json.end_array()
      .field("questions", static_cast<std::uint64_t>(look.questions))
      .field("undecided", static_cast<std::uint64_t>(look.undecided))
      .key("decided")
      .begin_array();
  for (const LookLine::Decided& decided : look.decided) {
    json.begin_object().field("cell", decided.cell);
    if (decided.cell_b) json.field("cell_b", *decided.cell_b);
    json.field("arm_a", decided.arm_a);
    if (!decided.arm_b.empty()) json.field("arm_b", decided.arm_b);
    if (!decided.time_a.empty()) json.field("time_a", decided.time_a);
    if (!decided.time_b.empty()) json.field("time_b", decided.time_b);
    json.field("verdict", decided.verdict)
        .field("ratio", decided.ratio)
        .field("p_adjusted", decided.p_adjusted)
        .end_object();
  }
  json.end_array().key("open").begin_array();
  for (const std::uint32_t cell : look.open) json.value(cell);
  json.end_array().field("rounds", look.rounds).key("repetitions").begin_array();
  for (const auto& [cell, count] : look.repetitions) {
    json.begin_object().field("cell", cell).field("repetitions", count).end_object();
  }
  json.end_array();
  if (look.regime) json.field("regime", base::band_text(*look.regime));
  return finished(json);
}

std::string decided_line(std::uint64_t number, const DecidedLine& decided,
                         const std::optional<PlanText>& plan) {
  base::JsonWriter json = begun("decided", number);
  json.field("decision", decided.decision).field("why", decided.why);
  json.key("not_judging").begin_array();
  for (const NotJudging& some : decided.not_judging) {
    json.begin_object();
    add_array(json, "groups", some.groups);
    add_array(json, "cells", some.cells);
    // Decisions about all arms stand as they did before there were others.
    if (!some.arms.empty()) add_array(json, "arms", some.arms);
    json.end_object();
  }
  json.end_array().key("added").begin_array();
  for (const AddedCell& added : decided.added) {
    json.begin_object().field("cell", added.cell.id);
    add_array(json, "arms", added.arms);
    json.end_object();
  }
  json.end_array().field("planned_groups", decided.planned_groups);
  json.key("fields").raw(decided.fields);
  if (plan) add_plan(json, *plan);
  return finished(json);
}

std::string failed_cell_line(std::uint64_t number, const FailedCell& failed) {
  base::JsonWriter json = begun("failed_cell", number);
  return finished(
      json.field("cell", failed.cell).field("arm", failed.arm).field("reason", failed.reason));
}

std::string dropped_arm_line(std::uint64_t number, const DroppedArm& dropped) {
  base::JsonWriter json = begun("dropped_arm", number);
  return finished(json.field("arm", dropped.arm).field("reason", dropped.reason));
}

std::string warning_line(std::uint64_t number, const WarningLine& warning) {
  base::JsonWriter json = begun("warning", number);
  json.field("text", warning.text);
  if (warning.left_open) {
    json.key("left_open")
        .begin_object()
        .field("reason", warning.left_open->reason)
        .field("undecided", warning.left_open->undecided)
        .field("questions", warning.left_open->questions)
        .end_object();
  }
  return finished(json);
}

std::string discarded_line(std::uint64_t number, std::uint32_t group, const std::string& reason,
                           const std::vector<Move>& moves) {
  base::JsonWriter json = begun("discarded", number);
  json.field("group", group).field("reason", reason).key("launches").begin_array();
  for (const Move& move : moves) {
    json.begin_object()
        .field("launch", move.launch)
        .field("from", move.from)
        .field("to", move.to)
        .end_object();
  }
  return finished(json.end_array());
}

std::string restored_line(std::uint64_t number, const std::string& what) {
  base::JsonWriter json = begun("restored", number);
  return finished(json.field("what", what));
}

std::string end_line(std::uint64_t number) {
  const base::JsonWriter json = begun("end", number);
  return finished(json);
}

std::string clocks_line(std::uint64_t number, const ClockHead& head) {
  base::JsonWriter json = begun("clocks", number);
  json.field("schema", kSchema)
      .field("invar", invar_version())
      .field("commit", invar_commit())
      .field("experiment", head.experiment)
      .field("library", head.library)
      .field("library_version", head.library_version)
      .field("network", head.network);
  add_array(json, "ranks", head.ranks);
  if (head.ranks_per_host) json.field("ranks_per_host", *head.ranks_per_host);
  json.field("host", head.host);
  if (!head.hosts.empty()) add_array(json, "hosts", head.hosts);
  json.field("command", head.command);
  if (!head.machine.empty()) {
    json.key("machine").begin_object();
    for (const auto& [name, value] : head.machine) json.field(name, value);
    json.end_object();
  }
  return finished(json);
}

std::string clock_file_line(std::uint64_t number, std::string_view name, std::string_view text) {
  base::JsonWriter json = begun("clock_file", number);
  return finished(json.field("file", name)
                      .field("bytes", text.size())
                      .field("crc", base::crc_text(base::crc32c(text))));
}

std::string clock_failed_line(std::uint64_t number, const FailedClockLaunch& failed) {
  base::JsonWriter json = begun("clock_failed", number);
  return finished(
      json.field("launch", failed.launch).field("ranks", failed.ranks).field("what", failed.what));
}

std::string clock_end_line(std::uint64_t number) { return finished(begun("clock_end", number)); }

}  // namespace invar::store
