// What the Anonymiser learns from a campaign, and where a campaign's strings are.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.hpp"
#include "record/clock_spec.hpp"
#include "report/anonymise/anonymise.hpp"
#include "report/anonymise/anonymise_patterns.hpp"
#include "store/files.hpp"
#include "store/json_text.hpp"

namespace invar::report {
namespace {

using Json = nlohmann::json;

// Digits of jobs and accounts. Shorter numbers than Open MPI's would be replaced wherever somebody
// counts something.
constexpr std::size_t kTellingNumber = 7;

// Not by recursion: how deep data are nested is theirs to say.
template <typename Visit>
void each_string(const Json& json, const Visit& visit) {
  std::vector<const Json*> left{&json};
  while (!left.empty()) {
    const Json& next = *left.back();
    left.pop_back();
    if (next.is_string()) visit(next.get_ref<const std::string&>());
    if (!next.is_structured()) continue;
    for (auto part = next.rbegin(); part != next.rend(); ++part) left.push_back(&*part);
  }
}

std::string string_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& part_of(const Json& object, const char* key) {
  static const Json none = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : none;
}

// Shorter ones ("quiet") everybody has, and they would be replaced in every sentence.
constexpr std::size_t kTellingText = 8;

}  // namespace

void Anonymiser::learn_environment(std::string_view env_json) {
  const Json json = store::parse_json_or_none<Json>(env_json);
  if (!json.is_object()) return;
  const auto hosts = json.find("hosts");
  if (hosts != json.end() && hosts->is_array()) {
    for (const Json& host : *hosts) {
      if (!host.is_object()) continue;
      learn_host(string_of(host, "host_name"));
      const std::string boot = string_of(host, "boot_id");
      // Sessions have its first digits.
      constexpr std::size_t kDigits = 8;
      if (boot.size() > kDigits) {
        hide("boot", boot);
        hide("boot", std::string_view(boot).substr(0, kDigits), boot);
      }
      // Also where a sentence tells hosts apart by them.
      const std::string command_line = string_of(part_of(host, "kernel"), "command_line");
      if (command_line.size() >= kTellingText) hide("command-line", command_line);
      learn_kernel(string_of(part_of(host, "kernel"), "release"));
      const auto environment = host.find("environment");
      if (environment == host.end() || !environment->is_object()) continue;
      for (const auto& [name, value] : environment->items()) {
        if (value.is_string()) learn_job(name, value.get_ref<const std::string&>());
      }
      for (const char* name : {"USER", "LOGNAME", "SLURM_JOB_USER", "PBS_O_LOGNAME", "LSB_SUB_USER",
                               "SGE_O_LOGNAME"}) {
        learn_user(string_of(*environment, name));
      }
      const std::string account = string_of(*environment, "SLURM_JOB_ACCOUNT");
      if (!account.empty()) hide("account", account);
    }
  }
  const auto variables = part_of(json, "library").find("variables");
  if (variables != part_of(json, "library").end() && variables->is_array()) {
    for (const Json& variable : *variables) {
      if (variable.is_object())
        learn_job(string_of(variable, "name"), string_of(variable, "value"));
    }
  }
  const auto map = json.find("map");
  if (map != json.end() && map->is_array()) {
    for (const Json& rank : *map) {
      if (rank.is_object()) learn_host(string_of(rank, "host"));
    }
  }
  each_string(json, [&](const std::string& text) { learn_users_of(text); });
}

void Anonymiser::learn_job(std::string_view name, std::string_view value) {
  const std::string_view job = job_of_variable(name, value);
  if (job.size() >= kTellingNumber) hide("job", job);
}

void Anonymiser::learn_own() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) learn_host(name.data());
  for (const char* variable : {"USER", "LOGNAME"}) {
    if (const char* value = std::getenv(variable); value != nullptr) learn_user(value);
  }
  if (const char* home = std::getenv("HOME"); home != nullptr) learn_users_of(home);
}

void Anonymiser::learn(const store::ClockData& data) {
  learn_host(data.head.host);
  for (const std::string& host : data.head.hosts) learn_host(host);
  const record::ClockSpec spec =
      record::read_clock_spec(data.spec, (data.dir / store::kClockSpec).string());
  // "node1:4"
  for (const std::string& host : spec.hosts) learn_host(host.substr(0, host.find(':')));
  learn_users_of(data.head.command);
  for (const store::FailedClockLaunch& failed : data.failed) {
    learn_users_of(failed.what);
    learn_speakers_of(failed.what);
  }
}

// "--account=physics", "-A physics" of batch systems, as launch templates have them.
void Anonymiser::learn_accounts_of(std::string_view text) {
  for (const std::string_view option :
       {"--account=", "--account ", "--project=", "--project ", " -A ", " -P "}) {
    for (std::size_t at = 0; (at = text.find(option, at)) != std::string_view::npos;) {
      at += option.size();
      const std::string_view rest = text.substr(at);
      const std::string_view account = rest.substr(0, rest.find_first_of(" \"'\\,;"));
      // "-P 10" of another launcher counts something, and so does 10 elsewhere.
      const bool counts = account.size() < kTellingNumber && base::parse_u64(account);
      if (!counts) hide("account", account);
    }
  }
}

// "rank 1 on node77: ...", as engines speak.
void Anonymiser::learn_speakers_of(std::string_view text) {
  constexpr std::string_view kRank = "rank ";
  constexpr std::string_view kOn = " on ";
  for (std::size_t at = 0; (at = text.find(kRank, at)) != std::string_view::npos;) {
    at += kRank.size();
    const std::string_view rest =
        text.substr(std::min(text.find_first_not_of("0123456789", at), text.size()));
    if (!rest.starts_with(kOn)) continue;
    const std::string_view host = rest.substr(kOn.size());
    learn_host(host.substr(0, host.find_first_of(": ,")));
  }
}

void Anonymiser::learn(const store::Data& data) {
  for (const std::string& host : data.hosts) learn_host(host);
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (const auto text = store::read_text(launch.dir / "env.json")) {
        learn_environment(*text);
      }
    }
  }
  // After the boots, of which sessions have a part.
  learn_session(data.session);
  for (const std::string& session : data.sessions) learn_session(session);
  for (const store::ArmRecord& arm : data.arms) {
    learn_users_of(arm.profile_json);
    learn_accounts_of(arm.profile_json);
    learn_users_of(arm.program);
    learn_accounts_of(arm.program);
  }
  learn_users_of(data.campaign_toml);
  // Hosts that only failed.
  const auto learn_words = [&](std::string_view text) {
    learn_users_of(text);
    learn_speakers_of(text);
  };
  for (const store::ArmRecord& arm : data.arms) {
    for (const store::TriedLevel& level : arm.levels) {
      for (const std::string* text :
           {&level.problem, &level.empty_failure, &level.ordered_failure}) {
        learn_words(*text);
      }
    }
  }
  for (const store::GroupOutcome& group : data.failed_groups) learn_words(group.reason);
  for (const store::FailedCell& cell : data.failed_cells) learn_words(cell.reason);
  for (const store::Missed& missed : data.missed) learn_words(missed.reason);
  for (const store::WarningLine& warning : data.warnings) learn_words(warning.text);
}

void Anonymiser::apply(store::Data& data) {
  const auto change = [&](std::string& text) { text = apply(text); };
  for (store::ArmRecord& arm : data.arms) {
    for (std::string* name : {&arm.label, &arm.library}) {
      const std::string before = *name;
      change(*name);
      if (*name == before) continue;
      // Analyses look the labels up in the campaign, where they stand in quotes.
      const std::string quoted = '"' + before + '"';
      const std::string instead = '"' + *name + '"';
      for (std::size_t at = data.campaign_toml.find(quoted); at != std::string::npos;
           at = data.campaign_toml.find(quoted, at + instead.size())) {
        data.campaign_toml.replace(at, quoted.size(), instead);
      }
    }
    for (std::string* text : {&arm.library_version, &arm.program, &arm.program_file}) change(*text);
    for (auto& [name, value] : arm.settings) value = variable(name, value);
    for (std::string& text : arm.settings_checked) change(text);
    for (auto& [name, value] : arm.components) change(value);
    // A library's own words may name hosts and paths.
    for (store::TriedLevel& level : arm.levels) {
      for (std::string* text : {&level.problem, &level.empty_failure, &level.ordered_failure}) {
        change(*text);
      }
    }
    std::map<std::string, std::string> checksums;
    for (const auto& [file, checksum] : arm.checksums) checksums.emplace(apply(file), checksum);
    arm.checksums = std::move(checksums);
  }
  for (std::string* text : {&data.scope, &data.session}) change(*text);
  if (data.variables) {
    for (auto& [name, value] : *data.variables) value = variable(name, value);
  }
  for (record::Cell& cell : data.cells) change(cell.family);
  for (std::string& host : data.hosts) change(host);
  for (std::string& session : data.sessions) change(session);
  for (store::Group& group : data.groups) {
    for (store::Launch& launch : group.launches) {
      change(launch.session);
      change(launch.network_interface);
    }
  }
  for (store::GroupOutcome& group : data.failed_groups) {
    change(group.reason);
    change(group.arm);
  }
  for (store::Missed& missed : data.missed) change(missed.reason);
  for (store::FailedCell& cell : data.failed_cells) {
    change(cell.reason);
    change(cell.arm);
  }
  for (store::DroppedArm& arm : data.dropped_arms) {
    change(arm.reason);
    change(arm.arm);
  }
  for (store::WarningLine& warning : data.warnings) {
    change(warning.text);
    if (warning.left_open) change(warning.left_open->reason);
  }
  for (store::DataFault& fault : data.damage) {
    change(fault.place);
    change(fault.what);
  }
  for (store::LookLine& look : data.looks) {
    for (store::LookLine::Decided& decided : look.decided) {
      change(decided.arm_a);
      change(decided.arm_b);
    }
  }
  for (store::DecidedLine& decided : data.decided) {
    change(decided.why);
    change(decided.fields);
    for (store::NotJudging& some : decided.not_judging) {
      for (std::string& arm : some.arms) change(arm);
    }
    for (store::AddedCell& added : decided.added) {
      for (std::string& arm : added.arms) change(arm);
    }
  }
}

void Anonymiser::apply(analysis::Values& values, std::string_view fact_name) {
  std::set<std::string> texts;
  for (const std::string& text : values.texts) texts.insert(fact(fact_name, text));
  values.texts = std::move(texts);
}

void Anonymiser::apply(analysis::Facts& facts, std::string_view prefix) {
  analysis::Facts changed;
  for (auto& [name, values] : facts) {
    apply(values, std::string(prefix) + name);
    // Names of network interfaces may be addresses.
    changed[apply(name)] = std::move(values);
  }
  facts = std::move(changed);
}

void Anonymiser::apply(std::vector<analysis::ComparedArm>& arms) {
  for (analysis::ComparedArm& arm : arms) {
    for (std::string* text : {&arm.label, &arm.library, &arm.library_version, &arm.program}) {
      *text = apply(*text);
    }
    for (auto& [name, value] : arm.settings) value = variable(name, value);
  }
}

void Anonymiser::apply(analysis::Metadata& metadata) {
  const auto all = [&](std::set<std::string>& texts) {
    std::set<std::string> changed;
    for (const std::string& text : texts) changed.insert(apply(text));
    texts = std::move(changed);
  };
  metadata.name = apply(metadata.name);
  metadata.scope = apply(metadata.scope);
  for (std::string& session : metadata.sessions) session = apply(session);
  for (std::string& path : metadata.unreadable) path = apply(path);
  all(metadata.hosts);
  all(metadata.host_differences);
  apply(metadata.facts, "");
  for (analysis::ArmFacts& arm : metadata.arms) {
    arm.library = apply(arm.library);
    arm.program = apply(arm.program);
    for (auto& [name, value] : arm.settings) value = variable(name, value);
    for (std::string& label : arm.labels) label = apply(label);
    std::map<std::string, std::set<std::string>> files;
    for (const auto& [file, checksums] : arm.files) files[apply(file)] = checksums;
    arm.files = std::move(files);
    apply(arm.facts, "");
    apply(arm.variables, "");
  }
}

}  // namespace invar::report
