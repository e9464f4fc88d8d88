#include "launch/kinds/simgrid.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "launch/process/files.hpp"
#include "launch/start/launch_command.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct SimgridOption {
  std::string_view name;
  std::string_view value;
};

// Nothing but what is simulated takes time, and the same launch takes the same time again.
constexpr std::array kAlways{
    // smpirun's 1e-9 s would round what overheads are made of. (3.34 has another name for it, and
    // knows this one.)
    SimgridOption{"surf/precision", "1e-12"},
    SimgridOption{"smpi/simulate-computation", "no"},
    // What our own code between calls takes is not measured; the speed is asked for all the same.
    SimgridOption{"smpi/host-speed", "1Gf"},
    // Costs of MPI_Test and MPI_Iprobe are what they are set to, however often they are called.
    SimgridOption{"smpi/grow-injected-times", "no"},
};

// What a launch says itself; an arm that says it differently measures nothing that means anything.
constexpr std::array<std::string_view, 6> kOurs{
    "smpi/np",     "smpi/hostfile", "smpi/simulate-computation", "smpi/privatization",
    "smpi/tmpdir", "smpi/replay"};

constexpr std::string_view kWtime = "smpi/wtime";

const std::string* value_of(const Environment& settings, std::string_view name) {
  // The last word counts: a profile's settings come before the arm's.
  const auto found = std::find_if(settings.rbegin(), settings.rend(),
                                  [&](const auto& one) { return one.first == name; });
  return found == settings.rend() ? nullptr : &found->second;
}

fs::path hostfile_of(const StartOptions& options) { return options.scratch / "hosts"; }

// A cluster as people have at home, for tests of behaviour.
std::string own_platform(std::uint32_t hosts) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n"
         "  <zone id=\"world\" routing=\"Full\">\n"
         "    <cluster id=\"cluster\" prefix=\"host-\" suffix=\"\" radical=\"0-" +
         std::to_string(hosts - 1) +
         "\" speed=\"1Gf\" bw=\"1.25GBps\" lat=\"5us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
         "  </zone>\n"
         "</platform>\n";
}

fs::path own_platform_file(const StartOptions& options) { return options.scratch / "platform.xml"; }

}  // namespace

bool is_simgrid_option(std::string_view name) {
  return name == kPlatform || name.find('/') != std::string_view::npos;
}

Words simgrid_words(const Profile& profile, const StartOptions& options) {
  const Environment settings = given_options(profile, options);
  const std::string* const platform = value_of(settings, kPlatform);
  Words words{"-np", std::to_string(options.ranks), "-platform",
              platform == nullptr ? own_platform_file(options).string() : *platform};
  if (!options.hosts.empty()) append(words, {"-hostfile", hostfile_of(options).string()});
  std::vector<std::pair<std::string, std::string>> all;
  for (const SimgridOption& option : kAlways) all.emplace_back(option.name, option.value);
  for (const auto& setting : settings) {
    if (setting.first == kPlatform) continue;
    // Each once: smpirun says something of those that stand twice.
    std::erase_if(all, [&](const auto& known) { return known.first == setting.first; });
    all.push_back(setting);
  }
  for (const auto& [name, value] : all) words.push_back("--cfg=" + name + ":" + value);
  words.emplace_back("--log=root.thres:warning");
  return words;
}

void write_simgrid_files(const Profile& profile, const StartOptions& options) {
  const Environment settings = given_options(profile, options);
  if (value_of(settings, kPlatform) == nullptr) {
    write_atomically(own_platform_file(options), own_platform(options.ranks));
  }
  if (options.hosts.empty()) return;
  // A name for each rank: of "host:2" smpirun would make a file in the folder where it runs.
  std::string text;
  for (const std::string& name : names_of(options)) {
    for (std::uint32_t i = 0; i < ranks_per_host(options); ++i) text += name + '\n';
  }
  write_atomically(hostfile_of(options), text);
}

Environment simgrid_environment(const StartOptions& /*options*/, const fs::path& scratch) {
  return {{"TMPDIR", scratch.string()}};
}

// Nothing is simulated: it ends when it has told. It wants the names of a platform and a program,
// and looks into neither.
std::vector<ControlVariable> ask_simgrid(const Profile& profile) {
  const CommandResult told = run_command(
      {profile.mpirun, "-np", "1", "-platform", profile.engine.string(), "engine", "--help"},
      profile.environment, 30);
  return parse_simgrid_help(told.out);
}

//    smpi/np: Number of processes to be created
//        Type: int; Current value: 0
std::vector<ControlVariable> parse_simgrid_help(std::string_view output) {
  constexpr std::string_view kType = "Type: ";
  constexpr std::string_view kValue = "; Current value:";
  std::vector<ControlVariable> variables{
      {.name = std::string(kPlatform), .type = "char", .scope = "constant"}};
  std::string name;
  for (const std::string_view raw : base::split(output, '\n')) {
    const std::string_view line = base::trim(raw);
    if (line.starts_with(kType) && !name.empty()) {
      const std::size_t value = line.find(kValue);
      if (value == std::string_view::npos) continue;
      const std::string_view type = line.substr(kType.size(), value - kType.size());
      variables.push_back({.name = std::move(name),
                           .type = type == "string" ? "char" : std::string(type),
                           .value = std::string(base::trim(line.substr(value + kValue.size()))),
                           .scope = "constant"});
      name.clear();
      continue;
    }
    const std::string_view word = line.substr(0, line.find(": "));
    const bool named = word.size() < line.size() && word.find(' ') == std::string_view::npos &&
                       word != kPlatform && is_simgrid_option(word);
    if (named) name = word;
  }
  return variables;
}

std::vector<std::pair<std::string, std::string>> simgrid_doubts(const Environment& of_arm,
                                                                const Environment& of_profile) {
  std::vector<std::pair<std::string, std::string>> doubts;
  if (value_of(of_arm, kPlatform) == nullptr && value_of(of_profile, kPlatform) == nullptr) {
    doubts.emplace_back("nothing says which machine is simulated",
                        "add platform=FILE, SimGrid's description of it, to this arm");
  }
  for (const std::string_view ours : kOurs) {
    if (value_of(of_arm, ours) == nullptr) continue;
    doubts.emplace_back(std::string(ours) + " is what every launch says itself", "leave it out");
  }
  const std::string* const wtime = value_of(of_arm, kWtime);
  if (wtime != nullptr && base::parse_double(*wtime).value_or(1) <= 0) {
    doubts.emplace_back(
        std::string(kWtime) + " is 0: a rank that waits on a clock would wait for ever",
        "write what a look at the clock costs, 1e-8 for 10 ns");
  }
  return doubts;
}

}  // namespace invar::launch
