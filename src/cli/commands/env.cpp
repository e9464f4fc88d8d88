// `invar env DIR [DIR2]`: what a campaign was measured on, on one page; what differs between two,
// what matters most first.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/metadata/metadata.hpp"
#include "analysis/metadata/metadata_compare.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/text_table.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kValueWidth = 100;

struct EnvOptions {
  std::string first = {};
  std::string second = {};
  std::string format = "table";
  bool all = false;
};

// A line of the page.
struct Line {
  std::string section = {};
  std::string name = {};
  std::string value = {};
};

void print_json(const OrderedJson& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, OrderedJson::error_handler_t::replace));
}

// Groups with damage are left out, as everywhere.
bool warn_of_damage(const store::Data& data) {
  for (const store::DataFault& fault : data.damage) {
    fmt::print(stderr, "invar: damaged and left out: {}: {}\n", fault.place, fault.what);
  }
  return !data.damage.empty();
}

analysis::Metadata read(const store::Data& data) {
  analysis::Metadata metadata = analysis::read_metadata(data);
  for (const std::string& path : metadata.unreadable) {
    fmt::print(stderr, "warning: {} cannot be read\n", path);
  }
  return metadata;
}

// "libmpi.so.40.30.4 bbc3c550-1229432 and 36 more files"
std::string files_text(const analysis::ArmFacts& arm) {
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

void add_arm(const analysis::ArmFacts& arm, bool all, std::vector<Line>& lines) {
  const std::string section = "library " + arm.name();
  lines.push_back({section, "arms", analysis::list_text(arm.labels)});
  for (const char* name :
       {"version", "standard", "compiler", "compiler_flags", "mpicxx", "mpirun", "launch_template",
        "transport libraries", "settling calls", "settling page faults", "settling ended by"}) {
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
                     fmt::format("{} recorded (--all shows them)", arm.variables.size())});
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

const char* section_of(analysis::Weight weight) {
  switch (weight) {
    case analysis::Weight::kProcessor:
      return "processor";
    case analysis::Weight::kKernel:
      return "kernel and clock";
    case analysis::Weight::kPlaces:
      return "ranks and cores";
    case analysis::Weight::kState:
      return "state";
    case analysis::Weight::kNature:
      return "changes by nature";
    case analysis::Weight::kLibrary:
      return "environment of the command";
    default:
      return "more";
  }
}

// What a paper has to say; with `all` everything that is recorded.
std::vector<Line> page(const analysis::Metadata& metadata, bool all) {
  using analysis::Weight;
  std::vector<Line> lines;
  std::string unknown;
  const std::vector<std::string> hosts(metadata.hosts.begin(), metadata.hosts.end());
  lines.push_back({"hosts", "names", hosts.empty() ? "(not recorded)" : base::join(hosts, ", ")});
  for (const std::string& difference : metadata.host_differences) {
    lines.push_back({"hosts", "not alike", difference});
  }
  for (const Weight weight : {Weight::kLibrary, Weight::kProcessor, Weight::kKernel,
                              Weight::kPlaces, Weight::kState, Weight::kRest, Weight::kNature}) {
    if (weight == Weight::kState && metadata.canary) {
      lines.push_back({section_of(weight), "canary, median [5 %, 95 %]", metadata.canary->text()});
    }
    for (const auto& [name, values] : metadata.facts) {
      if (analysis::weight_of(name) != weight) continue;
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
  for (const analysis::ArmFacts& arm : metadata.arms) add_arm(arm, all, lines);
  if (!all) {
    for (const auto& [name, values] : metadata.facts) {
      const Weight weight = analysis::weight_of(name);
      if (values.texts.size() > 1 && weight != Weight::kNature && weight != Weight::kRest) {
        lines.push_back({"varied between launches or hosts", name, values.text()});
      }
    }
  }
  // The sections together, in the order of their first lines.
  std::vector<std::string> order;
  for (const Line& line : lines) {
    if (std::find(order.begin(), order.end(), line.section) == order.end()) {
      order.push_back(line.section);
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    return std::find(order.begin(), order.end(), a.section) <
           std::find(order.begin(), order.end(), b.section);
  });
  return lines;
}

void print_page(const std::vector<Line>& lines, bool all) {
  std::string section;
  for (const Line& line : lines) {
    if (line.section != section) {
      section = line.section;
      fmt::print("\n  {}\n", report::printable(section));
    }
    std::string value = report::printable(line.value);
    if (!all && value.size() > kValueWidth) value = value.substr(0, kValueWidth) + "...";
    fmt::print("    {:<30}  {}\n", report::printable(line.name), value);
  }
}

int show_environment(const EnvOptions& options) {
  const store::Data data = store::read_campaign_dir(options.first);
  const bool damaged = warn_of_damage(data);
  const analysis::Metadata metadata = read(data);
  const std::vector<Line> lines = page(metadata, options.all);
  if (options.format == "json") {
    OrderedJson json = {{"schema", 2},
                        {"dir", options.first},
                        {"scope", metadata.scope},
                        {"sessions", metadata.sessions},
                        {"launches", metadata.launches}};
    json["facts"] = OrderedJson::array();
    for (const Line& line : lines) {
      json["facts"].push_back(
          {{"section", line.section}, {"name", line.name}, {"value", line.value}});
    }
    print_json(json);
  } else if (options.format == "csv") {
    analysis::TidyTable table{
        .columns = {{.name = "section"}, {.name = "name"}, {.name = "value"}}};
    for (const Line& line : lines) table.rows.push_back({line.section, line.name, line.value});
    print(report::table_csv(table));
  } else {
    fmt::print("{}: {}, {} of {}, {}{}.\n", options.first, metadata.scope,
               base::count_text(metadata.launches, "launch"),
               base::count_text(data.arms.size(), "arm"),
               metadata.sessions.size() == 1 ? "session " : "sessions ",
               base::join(metadata.sessions, ", "));
    print_page(lines, options.all);
  }
  return static_cast<int>(damaged ? base::Exit::kDamaged : base::Exit::kDone);
}

const char* heading_of(analysis::Weight weight) {
  return weight == analysis::Weight::kLibrary ? "library" : section_of(weight);
}

void print_differences(const std::vector<analysis::MetadataDifference>& differences,
                       const EnvOptions& options) {
  fmt::print("{}.\n", report::printable(analysis::differences_sentence(differences)));
  std::size_t rest = 0;
  std::string heading;
  for (const analysis::MetadataDifference& one : differences) {
    if (!analysis::matters(one) && !options.all) {
      ++rest;
      continue;
    }
    if (heading != heading_of(one.weight)) {
      heading = heading_of(one.weight);
      fmt::print("\n  {}\n", heading);
    }
    const auto value = [&](const std::string& text) {
      const std::string line = report::printable(text);
      return options.all || line.size() <= kValueWidth ? line : line.substr(0, kValueWidth) + "...";
    };
    fmt::print("    {}{}\n      {}\n      {}\n", report::printable(one.fact),
               one.remark.empty() ? "" : " (" + one.remark + ")", value(one.first),
               value(one.second));
  }
  if (rest > 0) {
    fmt::print("\n  {} recorded {} too and should not matter (--all shows {})\n", rest,
               rest == 1 ? "fact differs" : "facts differ", rest == 1 ? "it" : "them");
  }
}

int compare(const EnvOptions& options) {
  const store::Data one = store::read_campaign_dir(options.first);
  const store::Data other = store::read_campaign_dir(options.second);
  const bool damaged_one = warn_of_damage(one);
  const bool damaged = warn_of_damage(other) || damaged_one;
  const std::vector<analysis::MetadataDifference> differences =
      analysis::compare_metadata(read(one), read(other));
  if (options.format == "json") {
    OrderedJson json = {{"schema", 2},
                        {"sentence", analysis::differences_sentence(differences)},
                        {"first", options.first},
                        {"second", options.second}};
    json["differences"] = OrderedJson::array();
    for (const analysis::MetadataDifference& difference : differences) {
      json["differences"].push_back({{"weight", static_cast<int>(difference.weight)},
                                     {"fact", difference.fact},
                                     {"first", difference.first},
                                     {"second", difference.second},
                                     {"remark", difference.remark}});
    }
    print_json(json);
  } else if (options.format == "csv") {
    analysis::TidyTable table;
    for (const char* name : {"weight", "fact", "first", "second", "remark"}) {
      table.columns.push_back({.name = name});
    }
    for (const analysis::MetadataDifference& each : differences) {
      table.rows.push_back(
          {static_cast<int>(each.weight), each.fact, each.first, each.second, each.remark});
    }
    print(report::table_csv(table));
  } else {
    print_differences(differences, options);
  }
  return static_cast<int>(damaged ? base::Exit::kDamaged : base::Exit::kDone);
}

}  // namespace

void add_env(CLI::App& app, Outcome& outcome) {
  const auto options = std::make_shared<EnvOptions>();
  CLI::App* command =
      app.add_subcommand("env", "what a campaign was measured on; with two, what differs");
  command->add_option("DIR", options->first, "a campaign's directory")->required();
  command->add_option("DIR2", options->second, "another one");
  command->add_option("--format", options->format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  command->add_flag("--all", options->all, "everything that is recorded");
  command->callback([options, &outcome] {
    outcome.run = [options] {
      return options->second.empty() ? show_environment(*options) : compare(*options);
    };
  });
}

}  // namespace invar::cli
