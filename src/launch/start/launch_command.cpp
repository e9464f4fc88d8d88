#include "launch/start/launch_command.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/kinds/kind.hpp"
#include "launch/process/command.hpp"
#include "launch/start/launch_template.hpp"
#include "launch/systems/system.hpp"

namespace invar::launch {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::uint32_t ranks_per_host(const StartOptions& options) {
  return options.hosts.empty() ? options.ranks
                               : options.ranks / static_cast<std::uint32_t>(options.hosts.size());
}

Words names_of(const StartOptions& options) {
  Words names;
  for (const design::Host& host : options.hosts) names.push_back(host.name);
  return names;
}

// "a:2,b:2"
std::string hosts_with_ranks(const StartOptions& options,
                             std::uint32_t (*count)(const StartOptions&, const design::Host&)) {
  Words hosts;
  for (const design::Host& host : options.hosts) {
    hosts.push_back(host.name + ":" + std::to_string(count(options, host)));
  }
  return base::join(hosts, ",");
}

namespace {

std::vector<std::pair<std::string, std::string>> all_given(const Profile& profile,
                                                           const StartOptions& options) {
  std::vector<std::pair<std::string, std::string>> given = profile.environment;
  for (auto& [name, value] : given) {
    const char* old = std::getenv(name.c_str());
    value = with_old_value(name, value, old != nullptr ? old : "");
  }
  given.insert(given.end(), options.environment.begin(), options.environment.end());
  return given;
}

bool is_word(const Profile& profile, std::string_view name) {
  const LibraryKind& kind = kind_of(profile.family);
  return kind.variables_are_words && has_variable(kind, name);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> given_environment(const Profile& profile,
                                                                   const StartOptions& options) {
  auto given = all_given(profile, options);
  std::erase_if(given, [&](const auto& one) { return is_word(profile, one.first); });
  return given;
}

std::vector<std::pair<std::string, std::string>> given_options(const Profile& profile,
                                                               const StartOptions& options) {
  auto given = all_given(profile, options);
  std::erase_if(given, [&](const auto& one) { return !is_word(profile, one.first); });
  return given;
}

std::vector<std::string> command_of(const Profile& profile, const StartOptions& options,
                                    const std::string& hostfile) {
  if (profile.name.empty()) return options.program;
  const bool foreign = !options.program.empty();
  const std::string program = foreign ? options.program.front() : profile.engine.string();
  const Words arguments =
      foreign ? Words(options.program.begin() + 1, options.program.end()) : options.arguments;
  const LaunchSystem& system = launch_system(options.launcher);
  if (!system.takes_template || profile.launch_template.empty()) {
    Words words = system.words(profile, options);
    words.push_back(program);
    append(words, arguments);
    return words;
  }
  return fill_template(profile.launch_template,
                       LaunchWords{.ranks = options.ranks,
                                   .hosts = names_of(options),
                                   .hostfile = hostfile,
                                   .ppn = ranks_per_host(options),
                                   .environment = given_environment(profile, options),
                                   .program = program,
                                   .arguments = arguments},
                       "profile " + profile.name);
}

std::string hostfile_text(const Profile& profile, const StartOptions& options) {
  Words names = names_of(options);
  if (names.empty()) names.emplace_back("localhost");
  const std::string ranks = std::to_string(ranks_per_host(options));
  std::string text;
  for (const std::string& name : names) {
    text += name;
    const std::string_view before = kind_of(profile.family).before_slots;
    if (!before.empty()) text += std::string(before) + ranks;
    text += '\n';
  }
  return text;
}

}  // namespace invar::launch
