#include "launch/start/launch_template.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::launch {
namespace {

const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> known{"ranks", "hosts",   "hostfile", "ppn",
                                              "env",   "program", "args"};
  return known;
}

std::vector<std::string> split_words(std::string_view text, const std::string& place,
                                     base::Faults& faults) {
  const auto words = base::shell_words(text);
  if (!words) faults.add(place, "a quote is not closed", "close it");
  return words.value_or(std::vector<std::string>{});
}

std::string host_list(const LaunchWords& words) {
  return words.hosts.empty() ? "localhost" : base::join(words.hosts, ",");
}

// Replaces the placeholders of one word; notes faults.
std::string fill_word(std::string_view word, const LaunchWords& words, const std::string& place,
                      base::Faults& faults) {
  std::string filled;
  for (std::size_t i = 0; i < word.size();) {
    const std::size_t close = word[i] == '{' ? word.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      filled += word[i++];
      continue;
    }
    const std::string name(word.substr(i + 1, close - i - 1));
    if (name == "ranks") {
      filled += std::to_string(words.ranks);
    } else if (name == "ppn") {
      filled += std::to_string(words.ppn);
    } else if (name == "hosts") {
      filled += host_list(words);
    } else if (name == "hostfile") {
      filled += words.hostfile;
    } else if (name == "program") {
      filled += words.program;
    } else if (name == "env" || name == "args") {
      faults.add(place,
                 "{" + name + "} must be a word of its own, here it is part of '" +
                     std::string(word) + "'",
                 "put spaces around it");
    } else {
      faults.add(place, "unknown placeholder {" + name + "}",
                 base::did_you_mean(name, placeholders()));
    }
    i = close + 1;
  }
  return filled;
}

}  // namespace

std::vector<std::string> fill_template(std::string_view text, const LaunchWords& words,
                                       const std::string& place) {
  base::Faults faults;
  const std::vector<std::string> pattern = split_words(text, place, faults);
  std::vector<std::string> command;
  for (const std::string& word : pattern) {
    if (word == "{args}") {
      command.insert(command.end(), words.arguments.begin(), words.arguments.end());
    } else if (word == "{env}") {
      if (!words.environment.empty()) command.emplace_back("env");
      for (const auto& [name, value] : words.environment) command.push_back(name + "=" + value);
    } else {
      command.push_back(fill_word(word, words, place, faults));
    }
  }
  const std::string whole(text);
  for (const char* needed : {"{ranks}", "{program}", "{args}"}) {
    if (whole.find(needed) == std::string::npos) {
      faults.add(place, std::string("the launch template has no ") + needed,
                 "for example: srun -n {ranks} {program} {args}");
    }
  }
  const auto env = std::find(pattern.begin(), pattern.end(), "{env}");
  const auto program = std::find(pattern.begin(), pattern.end(), "{program}");
  if (env != pattern.end() && program < env) {
    faults.add(place, "{env} must stand before {program}: it becomes `env KEY=VALUE ...`",
               "for example: srun -n {ranks} {env} {program} {args}");
  }
  faults.throw_if_any();
  return command;
}

void check_template(std::string_view text, const std::string& place) {
  fill_template(text, LaunchWords{.hostfile = "hosts", .program = "program"}, place);
}

std::string template_program(std::string_view text) {
  base::Faults faults;
  const std::vector<std::string> words = split_words(text, "", faults);
  return words.empty() || words.front().find('{') != std::string::npos ? "" : words.front();
}

bool wants_hostfile(std::string_view text) {
  return text.find("{hostfile}") != std::string_view::npos;
}

}  // namespace invar::launch
