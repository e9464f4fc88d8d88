// `invar env DIR [DIR2]`: what a campaign, or an experiment with clocks, was measured on, on one
// page; what differs between two, what matters most first.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/answer/tidy_table.hpp"
#include "analysis/metadata/metadata.hpp"
#include "analysis/metadata/metadata_compare.hpp"
#include "analysis/page/page.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/environment_page.hpp"
#include "report/anonymise/anonymise.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/text_table.hpp"
#include "store/clock_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct EnvOptions {
  std::string first = {};
  std::string second = {};
  std::string format = "table";
  bool all = false;
  bool anonymise = false;
};

using Line = EnvironmentLine;

void print_json(const OrderedJson& json) {
  print(fmt::format("{}\n", json.dump(1, ' ', false, OrderedJson::error_handler_t::replace)));
}

// Groups with damage are left out, as everywhere.
bool warn_of_damage(const store::Data& data, report::Anonymiser* names) {
  for (const store::DataFault& fault : data.damage) {
    const std::string text = fault.place + ": " + fault.what;
    fmt::print(stderr, "invar: damaged and left out: {}\n",
               names == nullptr ? text : names->apply(text));
  }
  return !data.damage.empty();
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
  if (const auto by = metadata.facts.find(analysis::kMeasuredBy); by != metadata.facts.end()) {
    lines.push_back({"campaign", by->first, by->second.text()});
  }
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
      if (name == analysis::kMeasuredBy) continue;
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
  return by_section(std::move(lines));
}

OrderedJson facts_json(const std::vector<Line>& lines) {
  OrderedJson facts = OrderedJson::array();
  for (const Line& line : lines) {
    facts.push_back({{"section", line.section}, {"name", line.name}, {"value", line.value}});
  }
  return facts;
}

// The names of what is given away; null: nothing is replaced.
std::unique_ptr<report::Anonymiser> names_of(const EnvOptions& options,
                                             std::initializer_list<const store::Data*> campaigns) {
  if (!options.anonymise) return nullptr;
  auto names = std::make_unique<report::Anonymiser>();
  for (const store::Data* data : campaigns) names->learn(*data);
  names->learn_own();
  return names;
}

// Given away it is the campaign's name alone: folders tell who measured.
std::string dir_text(const std::string& dir, report::Anonymiser* names) {
  return names == nullptr ? dir : names->apply(analysis::campaign_names({dir}).front());
}

analysis::Metadata read(const store::Data& data, report::Anonymiser* names) {
  analysis::Metadata metadata = analysis::read_metadata(data);
  if (names != nullptr) names->apply(metadata);
  for (const std::string& path : metadata.unreadable) {
    fmt::print(stderr, "warning: {} cannot be read\n", path);
  }
  return metadata;
}

// What was asked by this campaign, and how that is known.
Line question_line(const store::Data& data, report::Anonymiser* names) {
  std::string value;
  try {
    const analysis::AskedQuestion asked = analysis::asked_question(analysis::Study(data));
    value = std::string(design::to_string(asked.question)) + " (" + asked.how + ")";
  } catch (const base::UserError& error) {
    value = std::string("(unknown: ") + error.what() + ")";
  }
  return {"campaign", "question", names == nullptr ? value : names->apply(value)};
}

int show_environment(const EnvOptions& options) {
  const store::Data data = store::read_campaign_dir(options.first);
  const auto names = names_of(options, {&data});
  const bool damaged = warn_of_damage(data, names.get());
  const analysis::Metadata metadata = read(data, names.get());
  const std::string dir = dir_text(options.first, names.get());
  std::vector<Line> lines = page(metadata, options.all);
  lines.insert(lines.begin(), question_line(data, names.get()));
  if (options.format == "json") {
    print_json({{"schema", 2},
                {"dir", dir},
                {"scope", metadata.scope},
                {"sessions", metadata.sessions},
                {"launches", metadata.launches},
                {"facts", facts_json(lines)}});
  } else if (options.format == "csv") {
    print_environment_csv(lines);
  } else {
    print(fmt::format("{}: {}, {} of {}, {}{}.\n", dir, metadata.scope,
                      base::count_text(metadata.launches, "launch"),
                      base::count_text(data.arms.size(), "arm"),
                      metadata.sessions.size() == 1 ? "session " : "sessions ",
                      base::join(metadata.sessions, ", ")));
    print_environment(lines, options.all);
  }
  return static_cast<int>(damaged ? base::Exit::kDamaged : base::Exit::kDone);
}

// Names of ClockHead::machine begin with that of a library where they are of one.
constexpr std::string_view kOfLibrary = "library.";

std::vector<Line> clock_page(const store::ClockData& data) {
  const store::ClockHead& head = data.head;
  std::vector<std::string> ranks;
  for (const std::uint32_t count : head.ranks) ranks.push_back(std::to_string(count));
  std::vector<Line> lines{{"experiment", "name", head.experiment},
                          {"experiment", "command", head.command},
                          {"experiment", "ranks", base::join(ranks, ", ")}};
  if (head.ranks_per_host) {
    lines.push_back({"experiment", "ranks a host", std::to_string(*head.ranks_per_host)});
  }
  if (!head.network.empty()) lines.push_back({"experiment", "simulated network", head.network});
  lines.push_back({"experiment", analysis::kMeasuredBy, data.made_by});
  lines.push_back(
      {"hosts", "names", head.hosts.empty() ? head.host : base::join(head.hosts, ", ")});
  if (!head.hosts.empty()) lines.push_back({"hosts", "started from", head.host});
  for (const auto& [name, value] : head.machine) {
    if (name.starts_with(kOfLibrary)) continue;
    lines.push_back({section_of(analysis::weight_of(name)), name, value});
  }
  if (!head.library.empty()) {
    const std::string section = "library " + head.library;
    lines.push_back({section, "version", head.library_version});
    for (const auto& [name, value] : head.machine) {
      if (name.starts_with(kOfLibrary)) {
        lines.push_back({section, name.substr(kOfLibrary.size()), value});
      }
    }
  }
  return by_section(std::move(lines));
}

int show_clock_environment(const EnvOptions& options) {
  const store::ClockData data = store::read_clock_dir(options.first);
  std::vector<Line> lines = clock_page(data);
  std::string dir = options.first;
  if (options.anonymise) {
    report::Anonymiser names;
    names.learn(data);
    names.learn_own();
    for (Line& line : lines) line.value = names.fact(line.name, line.value);
    dir = dir_text(dir, &names);
  }
  if (options.format == "json") {
    print_json({{"schema", 2},
                {"dir", dir},
                {"experiment", data.head.experiment},
                {"facts", facts_json(lines)}});
  } else if (options.format == "csv") {
    print_environment_csv(lines);
  } else {
    print(fmt::format("{}: an experiment with clocks, {}.\n", dir, data.head.experiment));
    print_environment(lines, options.all);
  }
  return static_cast<int>(base::Exit::kDone);
}

const char* heading_of(analysis::Weight weight) {
  return weight == analysis::Weight::kLibrary ? "library" : section_of(weight);
}

void print_differences(const std::vector<analysis::MetadataDifference>& differences,
                       const EnvOptions& options) {
  print(fmt::format("{}.\n", report::printable(analysis::differences_sentence(differences))));
  std::size_t rest = 0;
  std::string heading;
  for (const analysis::MetadataDifference& one : differences) {
    if (!analysis::matters(one) && !options.all) {
      ++rest;
      continue;
    }
    if (heading != heading_of(one.weight)) {
      heading = heading_of(one.weight);
      print(fmt::format("\n  {}\n", heading));
    }
    print(fmt::format("    {}{}\n      {}\n      {}\n", report::printable(one.fact),
                      one.remark.empty() ? "" : " (" + one.remark + ")",
                      shown_value(one.first, options.all), shown_value(one.second, options.all)));
  }
  if (rest > 0) {
    print(fmt::format("\n  {} recorded {} too and should not matter (--all shows {})\n", rest,
                      rest == 1 ? "fact differs" : "facts differ", rest == 1 ? "it" : "them"));
  }
}

int compare(const EnvOptions& options) {
  const store::Data one = store::read_campaign_dir(options.first);
  const store::Data other = store::read_campaign_dir(options.second);
  const auto names = names_of(options, {&one, &other});
  const bool damaged_one = warn_of_damage(one, names.get());
  const bool damaged = warn_of_damage(other, names.get()) || damaged_one;
  const std::vector<analysis::MetadataDifference> differences =
      analysis::compare_metadata(read(one, names.get()), read(other, names.get()));
  if (options.format == "json") {
    OrderedJson json = {{"schema", 2},
                        {"sentence", analysis::differences_sentence(differences)},
                        {"first", dir_text(options.first, names.get())},
                        {"second", dir_text(options.second, names.get())}};
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
  command
      ->add_option("DIR", options->first,
                   "a directory of a campaign, or of an experiment with clocks")
      ->required();
  command->add_option("DIR2", options->second, "another campaign's");
  command->add_option("--format", options->format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  command->add_flag("--all", options->all, "everything that is recorded");
  command->add_flag("--anonymise", options->anonymise,
                    "names of hosts and users, addresses, folders and the environment replaced");
  command->callback([options, &outcome] {
    outcome.run = [options] {
      if (!options->second.empty()) return compare(*options);
      return store::is_clock_dir(options->first) ? show_clock_environment(*options)
                                                 : show_environment(*options);
    };
  });
}

}  // namespace invar::cli
