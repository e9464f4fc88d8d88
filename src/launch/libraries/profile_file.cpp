#include "launch/libraries/profile_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_nesting.hpp"
#include "base/json_whole.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"
#include "record/operation/operation_json.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

// Raised when the file's keys change.
constexpr int kSchema = 2;

std::string dump(const OrderedJson& json) {
  // Wrappers and libraries may print bytes that are no UTF-8.
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson to_json(const Profile& profile) {
  OrderedJson environment = OrderedJson::array();
  for (const auto& [name, value] : profile.environment) environment.push_back({name, value});
  OrderedJson operations = OrderedJson::array();
  for (const record::OperationInfo& info : profile.operations) {
    base::JsonWriter json;
    record::write_operation(json, info);
    operations.push_back(OrderedJson::parse(json.text()));
  }
  OrderedJson variables = OrderedJson::array();
  for (const ControlVariable& variable : profile.variables) {
    variables.push_back({{"name", variable.name},
                         {"type", variable.type},
                         {"value", variable.value},
                         {"items", variable.items},
                         {"scope", variable.scope}});
  }
  return {{"name", profile.name},
          {"mpicxx", profile.mpicxx},
          {"mpirun", profile.mpirun},
          {"environment", environment},
          {"launch_template", profile.launch_template},
          {"cxxflags", profile.cxxflags},
          {"engine_of", profile.engine_of},
          {"wheel", profile.wheel},
          {"venv", profile.venv},
          {"family", profile.family},
          {"version", profile.version},
          {"configured", profile.configured},
          {"short_version", profile.short_version},
          {"standard", profile.standard},
          {"compiler", profile.compiler},
          {"compiler_flags", profile.compiler_flags},
          {"engine", profile.engine.string()},
          {"detected", profile.detected},
          {"startup_s", profile.startup_s},
          {"checksums", profile.checksums},
          {"operations_dir", profile.operations_dir.string()},
          {"operation_sources", profile.operation_sources},
          {"made_by_race", profile.made_by_race},
          {"operations", operations},
          {"variables", variables}};
}

// What a profile was made of, the same in every schema.
Profile to_order(const OrderedJson& json) {
  Profile profile;
  profile.name = json.at("name");
  profile.mpicxx = json.at("mpicxx");
  profile.mpirun = json.at("mpirun");
  for (const OrderedJson& pair : json.at("environment")) {
    profile.environment.emplace_back(pair.at(0), pair.at(1));
  }
  profile.launch_template = json.at("launch_template");
  profile.detected = json.at("detected");
  // Not in files of earlier versions, which had none of these.
  profile.cxxflags = json.value("cxxflags", "");
  profile.engine_of = json.value("engine_of", "");
  profile.wheel = json.value("wheel", "");
  profile.venv = json.value("venv", "");
  profile.operations_dir = json.value("operations_dir", "");
  profile.made_by_race = json.value("made_by_race", false);
  return profile;
}

Profile to_profile(const OrderedJson& json) {
  Profile profile = to_order(json);
  profile.family = json.at("family");
  profile.version = json.at("version");
  profile.configured = json.value("configured", "");
  profile.short_version = json.at("short_version");
  profile.standard = json.at("standard");
  profile.compiler = json.at("compiler");
  profile.compiler_flags = json.at("compiler_flags");
  profile.startup_s = json.at("startup_s");
  for (const auto& [path, checksum] : json.at("checksums").items()) {
    profile.checksums.emplace(path, checksum);
  }
  if (json.contains("operation_sources")) {
    for (const auto& [path, checksum] : json.at("operation_sources").items()) {
      profile.operation_sources.emplace(path, checksum);
    }
  }
  for (const OrderedJson& one : json.at("operations")) {
    profile.operations.push_back(record::operation_from(one));
  }
  for (const OrderedJson& one : json.at("variables")) {
    ControlVariable variable;
    variable.name = one.at("name");
    variable.type = one.at("type");
    variable.value = one.at("value");
    variable.items = one.at("items").get<std::vector<std::string>>();
    variable.scope = one.value("scope", "");  // files of earlier versions have none
    profile.variables.push_back(std::move(variable));
  }
  return profile;
}

OrderedJson read_json(const fs::path& dir) {
  const std::optional<std::string> text = base::read_file((dir / "profile.json").string());
  // Others may have written it (INVAR_HOME may be shared), or it is damaged.
  if (!text || base::is_nested_too_deeply(*text)) {
    return OrderedJson(OrderedJson::value_t::discarded);
  }
  return OrderedJson::parse(*text, nullptr, false);
}

}  // namespace

fs::path profiles_dir() { return invar_home() / "profiles"; }

std::string profile_json(const Profile& profile) { return dump(to_json(profile)); }

std::optional<StoredProfile> read_profile(const fs::path& dir) {
  const OrderedJson json = read_json(dir);
  try {
    if (!json.is_object() || base::whole_or(json, "schema", 0) != kSchema) return std::nullopt;
    StoredProfile stored;
    stored.profile = to_profile(json.at("profile"));
    // Folders may be moved or copied with INVAR_HOME.
    stored.profile.name = dir.filename().string();
    const std::string& owner = stored.profile.engine_of;
    stored.profile.engine = (owner.empty() ? dir : dir.parent_path() / owner) / kEngineName;
    const OrderedJson& toolchain = json.at("toolchain");
    stored.toolchain.mpicxx = stored.profile.mpicxx;
    stored.toolchain.mpirun = stored.profile.mpirun;
    stored.toolchain.shown = toolchain.at("shown");
    stored.toolchain.library = toolchain.at("library");
    stored.toolchain.compiler_path = toolchain.at("compiler_path");
    stored.toolchain.compiler = toolchain.at("compiler");
    stored.toolchain.family = toolchain.at("family");
    stored.toolchain.version = toolchain.at("version");
    stored.toolchain.state = toolchain.at("state");
    stored.engine_key = json.at("engine_key");
    stored.engine_stamp = json.at("engine_stamp");
    for (const auto& [path, stamp] : json.at("stamps").items()) stored.stamps.emplace(path, stamp);
    stored.failure = json.at("failure");
    stored.failure_key = json.at("failure_key");
    return stored;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

UnreadProfile read_unread_profile(const fs::path& dir) {
  UnreadProfile unread{.why = (dir / "profile.json").string() + " is damaged"};
  const OrderedJson json = read_json(dir);
  try {
    const int schema = base::whole<int>(json.at("schema"));
    unread.profile = to_order(json.at("profile"));
    unread.profile->name = dir.filename().string();
    unread.library = json.at("toolchain").value("library", "");
    if (schema != kSchema) {
      unread.why = "it was made by another version of Invar (schema " + std::to_string(schema) +
                   " of profile.json, here " + std::to_string(kSchema) + ")";
    }
  } catch (const OrderedJson::exception&) {
    unread.profile.reset();
  }
  return unread;
}

void write_profile(const fs::path& dir, const StoredProfile& stored) {
  const Toolchain& toolchain = stored.toolchain;
  const OrderedJson json{{"schema", kSchema},
                         {"profile", to_json(stored.profile)},
                         {"toolchain",
                          {{"shown", toolchain.shown},
                           {"library", toolchain.library},
                           {"compiler_path", toolchain.compiler_path},
                           {"compiler", toolchain.compiler},
                           {"family", toolchain.family},
                           {"version", toolchain.version},
                           {"state", toolchain.state}}},
                         {"engine_key", stored.engine_key},
                         {"engine_stamp", stored.engine_stamp},
                         {"stamps", stored.stamps},
                         {"failure", stored.failure},
                         {"failure_key", stored.failure_key}};
  write_atomically(dir / "profile.json", dump(json) + "\n");
}

std::vector<std::string> stored_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(profiles_dir(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && fs::is_regular_file(entry->path() / "profile.json", ignored)) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace invar::launch
