#include "analysis/metadata/environment.hpp"

#include <algorithm>
#include <utility>

#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Names of ClockHead::machine begin with it where they are of a library.
constexpr std::string_view kOfLibrary = "library.";

// "libmpi.so.40.30.4 bbc3c550-1229432 and 36 more files"
std::string files_text(const ArmFacts& arm) {
  if (arm.files.empty()) return "(not recorded)";
  auto shown = arm.files.begin();
  for (auto file = arm.files.begin(); file != arm.files.end(); ++file) {
    if (file->first.starts_with("libmpi.")) shown = file;
  }
  std::string text = shown->first;
  for (const std::string& checksum : shown->second) text += " " + checksum;
  if (arm.files.size() > 1) {
    text += " and " + base::count_text(arm.files.size() - 1, "more file");
  }
  return text;
}

void add_arm(const ArmFacts& arm, bool all, std::vector<EnvironmentFact>& lines) {
  const std::string section = "library " + arm.name();
  lines.push_back({section, "arms", list_text(arm.labels)});
  for (const char* name : {"version", "standard", "configured", "compiler", "compiler_flags",
                           "mpicxx", "mpirun", "launch_template", "transport libraries",
                           "settling calls", "settling page faults", "settling ended by"}) {
    const auto found = arm.facts.find(name);
    // The two that are empty or nothing where nobody asked for them.
    if (found == arm.facts.end() || found->second.text() == "(empty)") continue;
    lines.push_back({section, name, found->second.text()});
  }
  lines.push_back({section, "files", files_text(arm)});
  for (const auto& [name, values] : arm.facts) {
    if (name.starts_with("checked ") || name.starts_with("chosen "))
      lines.push_back({section, name, values.text()});
  }
  if (!all) {
    lines.push_back({section, "control variables",
                     std::to_string(arm.variables.size()) + " recorded (--all shows them)"});
    return;
  }
  for (const auto& [name, checksums] : arm.files) {
    lines.push_back(
        {section, "file " + name,
         base::join(std::vector<std::string>(checksums.begin(), checksums.end()), " ")});
  }
  for (const auto& [name, values] : arm.facts) {
    if (name.starts_with("environment.") || name == "mapped") {
      lines.push_back({section, name, values.text()});
    }
  }
  for (const auto& [name, values] : arm.variables) {
    lines.push_back({section, "variable " + name, values.text()});
  }
}

// The sections together, in the order of their first lines.
std::vector<EnvironmentFact> by_section(std::vector<EnvironmentFact> facts) {
  std::vector<std::string> order;
  for (const EnvironmentFact& fact : facts) {
    if (std::ranges::find(order, fact.section) == order.end()) order.push_back(fact.section);
  }
  std::ranges::stable_sort(facts, std::ranges::less(), [&](const EnvironmentFact& fact) {
    return std::ranges::find(order, fact.section) - order.begin();
  });
  return facts;
}

}  // namespace

const char* section_of(Weight weight) {
  return weight == Weight::kLibrary ? "environment of the command" : group_of(weight);
}

std::vector<EnvironmentFact> environment_of(const Metadata& metadata, bool all) {
  std::vector<EnvironmentFact> lines;
  std::string unknown;
  const std::vector<std::string> hosts(metadata.hosts.begin(), metadata.hosts.end());
  if (const auto by = metadata.facts.find(kMeasuredBy); by != metadata.facts.end()) {
    lines.push_back({"campaign", by->first, by->second.text()});
  }
  lines.push_back({"hosts", "names", hosts.empty() ? "(not recorded)" : base::join(hosts, ", ")});
  for (const std::string& difference : metadata.host_differences) {
    lines.push_back({"hosts", "not alike", difference});
  }
  for (const Weight weight : {Weight::kLibrary, Weight::kProcessor, Weight::kKernel,
                              Weight::kPlaces, Weight::kState, Weight::kRest, Weight::kNature}) {
    if (weight == Weight::kState && metadata.canary) {
      lines.push_back(
          {section_of(weight),
           std::string(base::canary_name(metadata.canary->kind)) + ", median [5 %, 95 %]",
           metadata.canary->text()});
    }
    for (const auto& [name, values] : metadata.facts) {
      if (weight_of(name) != weight || name == kMeasuredBy) continue;
      const bool on_page = weight != Weight::kNature && weight != Weight::kRest;
      const bool for_paper = name.starts_with("clock.") || name.starts_with("load.memory_total") ||
                             name == "container" || name == "rdma_devices";
      if (!all && !on_page && !for_paper) continue;
      if (!all && values.text() == "(unknown)") {
        unknown += (unknown.empty() ? "" : ", ") + name;
        continue;
      }
      if (!all && values.text() == "(empty)") continue;
      // The page is for people: what the kernel was started with is too long for it.
      if (!all && name == "kernel.command_line") continue;
      lines.push_back({name.starts_with("clock.") ? "kernel and clock" : section_of(weight), name,
                       values.text()});
    }
  }
  if (!unknown.empty()) lines.push_back({section_of(Weight::kRest), "cannot be read", unknown});
  for (const ArmFacts& arm : metadata.arms) add_arm(arm, all, lines);
  if (!all) {
    for (const auto& [name, values] : metadata.facts) {
      const Weight weight = weight_of(name);
      if (values.texts.size() > 1 && weight != Weight::kNature && weight != Weight::kRest) {
        lines.push_back({"varied between launches or hosts", name, values.text()});
      }
    }
  }
  return by_section(std::move(lines));
}

std::vector<EnvironmentFact> environment_of(const store::ClockData& data) {
  const store::ClockHead& head = data.head;
  std::vector<std::string> ranks;
  for (const std::uint32_t count : head.ranks) ranks.push_back(std::to_string(count));
  std::vector<EnvironmentFact> facts{{"experiment", "name", head.experiment},
                                     {"experiment", "command", head.command},
                                     {"experiment", "ranks", base::join(ranks, ", ")}};
  if (head.ranks_per_host) {
    facts.push_back({"experiment", "ranks a host", std::to_string(*head.ranks_per_host)});
  }
  if (!head.network.empty()) facts.push_back({"experiment", "simulated network", head.network});
  facts.push_back({"experiment", kMeasuredBy, data.made_by});
  facts.push_back(
      {"hosts", "names", head.hosts.empty() ? head.host : base::join(head.hosts, ", ")});
  if (!head.hosts.empty()) facts.push_back({"hosts", "started from", head.host});
  for (const auto& [name, value] : head.machine) {
    if (name.starts_with(kOfLibrary)) continue;
    facts.push_back({section_of(weight_of(name)), name, value});
  }
  if (!head.library.empty()) {
    const std::string section = "library " + head.library;
    facts.push_back({section, "version", head.library_version});
    for (const auto& [name, value] : head.machine) {
      if (name.starts_with(kOfLibrary)) {
        facts.push_back({section, name.substr(kOfLibrary.size()), value});
      }
    }
  }
  return by_section(std::move(facts));
}

}  // namespace invar::analysis
