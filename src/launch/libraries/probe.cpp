#include "launch/libraries/probe.hpp"
#include "launch/kinds/kind.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/libraries/toolchain.hpp"
#include "launch/process/files.hpp"
#include "launch/process/paths.hpp"
#include "launch/start/launcher.hpp"
#include "launch/systems/system.hpp"
#include "record/operation/operation_json.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::chrono::seconds kProbeLimit{120};
constexpr std::chrono::milliseconds kProbeLook{10};
// MPICH 4.0 over UCX and TCP may not return from MPI_Finalize; it has answered then.
constexpr std::chrono::seconds kFinalizeGrace{10};

OrderedJson parse(const ProbeResult& result) {
  OrderedJson json = OrderedJson::parse(result.json, nullptr, false);
  if (!json.is_object()) {
    throw base::UserError("invar-engine",
                          "the answer of the probe is no JSON: " + result.json.substr(0, 200));
  }
  return json;
}

// One line, white space between words made single.
std::string tidy(std::string_view text) {
  std::string line;
  for (const char letter : text.substr(0, text.find('\n'))) {
    const bool space = letter == ' ' || letter == '\t' || letter == '\r';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : letter;
  }
  return std::string(base::trim(line));
}

void read_variables(const OrderedJson& list, std::vector<ControlVariable>& variables) {
  for (const OrderedJson& one : list) {
    ControlVariable variable;
    variable.name = one.at("name");
    variable.type = one.at("type");
    if (one.at("value").is_string()) variable.value = one.at("value");
    for (const OrderedJson& item : one.at("items")) variable.items.push_back(item);
    variable.scope = one.value("scope", "");
    variables.push_back(std::move(variable));
  }
}

}  // namespace

ProbeResult run_probe(const Profile& profile, const Environment& environment,
                      const std::string& launcher) {
  const ScratchDir scratch;
  // These may start the ranks on another host: the engine's folder is seen from there.
  const LaunchSystem& system = launch_system(launcher);
  const bool elsewhere = !profile.launch_template.empty() || system.elsewhere;
  const fs::path answer =
      elsewhere ? profile.engine.parent_path() / (scratch.path().filename().string() + ".json")
                : scratch.path() / "probe.json";
  StartOptions options;
  options.ranks = kind_of(profile.family).alone ? 1 : 2;
  options.launcher = launcher;
  // Two ranks anywhere, also where only one core is allowed: nothing is timed.
  options.oversubscribe = core_cpus().size() < 2 || system.elsewhere;
  options.environment = environment;
  options.arguments = {"--probe", answer.string()};
  options.dir = scratch.path();
  const auto begin = std::chrono::steady_clock::now();
  Process process = start(profile, options);
  ProbeResult result;
  result.ranks = options.ranks;
  result.command = command_text(launch_command(profile, options));
  // Written under another name and renamed: once there, it is whole.
  const auto answered = [&] {
    std::error_code error;
    return fs::exists(answer, error);
  };
  std::optional<int> status;
  while (!status && !answered() && std::chrono::steady_clock::now() - begin < kProbeLimit) {
    status = process.wait(kProbeLook);
  }
  if (!status && answered()) status = process.wait(kFinalizeGrace);
  result.hung = !status && !answered();
  result.status = status.value_or(0);
  if (!status) process.kill();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.json = base::read_file(answer.string()).value_or("");
  std::error_code ignored;
  if (elsewhere) fs::remove(answer, ignored);
  result.err = base::read_file((scratch.path() / "stderr").string()).value_or("");
  result.err += base::read_file((scratch.path() / "stdout").string()).value_or("");
  if (const auto components = kind_of(profile.family).components) {
    result.components = components(result.err);
  }
  constexpr std::size_t kLongest = 3000;
  if (result.err.size() > kLongest) result.err = result.err.substr(0, kLongest) + "\n...";
  return result;
}

ProbeResult run_telling_probe(const Profile& profile, const Environment& environment,
                              const std::string& launcher) {
  Environment all = environment;
  const auto told = kind_of(profile.family).told;
  for (auto& variable : told == nullptr ? Environment() : told()) {
    const bool written = std::ranges::any_of(
        environment, [&](const auto& known) { return known.first == variable.first; });
    if (!written) all.push_back(std::move(variable));
  }
  return run_probe(profile, all, launcher);
}

std::string probe_problem(const ProbeResult& result) {
  const std::string launch = result.ranks == 1 ? "a launch" : "a two-rank launch";
  std::string problem;
  if (result.hung) {
    problem = launch + " did not end within 120 s";
  } else if (result.status != 0) {
    problem = launch + " failed with exit status " + std::to_string(result.status);
  } else if (result.json.empty()) {
    problem = launch + " ended well but wrote no answer";
  } else if (const OrderedJson json = OrderedJson::parse(result.json, nullptr, false);
             !json.is_object() || json.value("ranks", 0U) != result.ranks) {
    problem =
        "two ranks were started, but each of them saw only itself: the launcher belongs to another "
        "MPI library than the wrapper";
  }
  if (!problem.empty() && !base::trim(result.err).empty()) {
    problem += ":\n" + std::string(base::trim(result.err));
  }
  return problem;
}

std::vector<ControlVariable> parse_ompi_info(const std::string& output) {
  // mca:FRAMEWORK:COMPONENT:param:NAME:KEY:VALUE, and enumerator:value:N:ITEM behind the name.
  std::map<std::string, ControlVariable> variables;
  for (const std::string_view line : base::split(output, '\n')) {
    const std::vector<std::string_view> words = base::split(line, ':');
    if (words.size() < 6 || words[0] != "mca" || words[3] != "param") continue;
    const std::string name(words[4]);
    ControlVariable& variable = variables[name];
    variable.name = name;
    const auto rest_from = [&](std::size_t index) {
      return std::string(line.substr(static_cast<std::size_t>(words[index].data() - line.data())));
    };
    if (words[5] == "value" && words.size() > 6) {
      variable.value = rest_from(6);
    } else if (words[5] == "type" && words.size() > 6) {
      variable.type = words[6] == "string" ? "char" : std::string(words[6]);
    } else if (words[5] == "status" && words.size() > 6) {
      // It tells no more than whether.
      variable.scope = words[6] == "writeable" ? "all" : "readonly";
    } else if (words[5] == "enumerator" && words.size() > 8 && words[6] == "value") {
      variable.items.push_back(std::string(words[7]) + "=" + rest_from(8));
    }
  }
  std::vector<ControlVariable> list;
  list.reserve(variables.size());
  for (auto& [name, variable] : variables) list.push_back(std::move(variable));
  return list;
}

std::vector<ControlVariable> probed_variables(const ProbeResult& result) {
  std::vector<ControlVariable> variables;
  try {
    read_variables(parse(result).at("library").at("variables"), variables);
  } catch (const OrderedJson::exception& problem) {
    throw base::UserError("invar-engine",
                          std::string("unexpected answer of the probe: ") + problem.what());
  }
  return variables;
}

std::vector<std::string> probed_hosts(const ProbeResult& result) {
  try {
    const OrderedJson json = parse(result);
    if (!json.contains("machine_hosts")) return {};
    auto hosts = json.at("machine_hosts").get<std::vector<std::string>>();
    std::ranges::sort(hosts, base::natural_less);
    return hosts;
  } catch (const OrderedJson::exception& problem) {
    throw base::UserError("invar-engine",
                          std::string("unexpected answer of the probe: ") + problem.what());
  }
}

namespace {

void take_identity(Profile& profile, const OrderedJson& json) {
  const OrderedJson& library = json.at("library");
  profile.version = tidy(library.at("version").get<std::string>());
  profile.standard = library.at("standard");
  if (const LibraryKind* kind = kind_of_library(profile.version)) profile.family = kind->name;
  if (const std::string version = find_version(profile.version); !version.empty()) {
    profile.short_version = version;
  }
  profile.checksums.clear();
  for (const OrderedJson& path : json.at("mapped")) {
    profile.checksums[path] = file_checksum(path.get<std::string>());
  }
}

}  // namespace

namespace {

// All lines of MPI_Get_library_version.
std::string library_text(const ProbeResult& result) {
  const OrderedJson json = parse(result);
  return json.contains("library") ? json["library"].value("version", "") : std::string();
}

}  // namespace

void take_library(Profile& profile, const ProbeResult& result) {
  try {
    take_identity(profile, parse(result));
  } catch (const OrderedJson::exception& problem) {
    throw base::UserError(profile.name,
                          std::string("the probe's answer is not readable: ") + problem.what());
  }
}

void take_probe(Profile& profile, const ProbeResult& result) {
  try {
    const OrderedJson json = parse(result);
    take_identity(profile, json);
    profile.operations.clear();
    for (const OrderedJson& one : json.at("engine").at("operations")) {
      profile.operations.push_back(record::operation_from(one));
    }
  } catch (const base::UserError&) {
    throw;
  } catch (const std::exception& problem) {
    throw base::UserError("invar-engine",
                          std::string("unexpected answer of the probe: ") + problem.what());
  }
  if (const auto configured = kind_of(profile.family).configured) {
    profile.configured = configured(profile, library_text(result));
  }
  profile.variables = probed_variables(result);
  if (const auto more = kind_of(profile.family).more_variables) {
    std::set<std::string> known;
    for (const ControlVariable& variable : profile.variables) known.insert(variable.name);
    for (ControlVariable& variable : more(profile)) {
      if (known.insert(variable.name).second) profile.variables.push_back(std::move(variable));
    }
  }
  std::sort(profile.variables.begin(), profile.variables.end(),
            [](const ControlVariable& a, const ControlVariable& b) { return a.name < b.name; });
  profile.startup_s = result.seconds;
}

}  // namespace invar::launch
