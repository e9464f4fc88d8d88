// `invar env DIR [DIR2]`: what a campaign was measured on, and what differs between two.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "launch/metadata.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string first = {};
  std::string second = {};
  std::string format = "table";
  bool all = false;
};

void print(const Json& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, Json::error_handler_t::replace));
}

bool is_variable(const std::string& fact) { return fact.find(": variable ") != std::string::npos; }

// Groups with damage are left out, as everywhere.
int status_of(const store::Data& data) {
  for (const store::DataFault& fault : data.damage) {
    fmt::print(stderr, "invar: damaged and left out: {}: {}\n", fault.place, fault.what);
  }
  return static_cast<int>(data.damage.empty() ? base::Exit::kDone : base::Exit::kDamaged);
}

void warn_unreadable(const launch::Metadata& metadata) {
  for (const std::string& path : metadata.unreadable) {
    fmt::print(stderr, "warning: {} cannot be read\n", path);
  }
}

int show(const Options& options) {
  const store::Data data = store::read_campaign_dir(options.first);
  const launch::Metadata metadata = launch::read_metadata(data);
  warn_unreadable(metadata);
  if (options.format == "json") {
    Json json = {{"schema", 1},
                 {"dir", options.first},
                 {"scope", data.scope},
                 {"session", data.session},
                 {"launches", metadata.launches}};
    json["facts"] = Json::object();
    for (const auto& [name, values] : metadata.facts) json["facts"][name] = values;
    print(json);
    return 0;
  }
  fmt::print("{} of {}, {}, session {}.\n\n", base::count_text(metadata.launches, "launch"),
             base::count_text(data.arms.size(), "arm"), data.scope, data.session);
  std::size_t variables = 0;
  for (const auto& [name, values] : metadata.facts) {
    if (is_variable(name) && !options.all) {
      ++variables;
      continue;
    }
    fmt::print("  {:<36} {}\n", name, launch::values_text(values));
  }
  if (variables > 0) {
    fmt::print("\n  {} control variables are not shown; --all shows them\n", variables);
  }
  return 0;
}

int compare(const Options& options) {
  const launch::Metadata first = launch::read_metadata(store::read_campaign_dir(options.first));
  const launch::Metadata second = launch::read_metadata(store::read_campaign_dir(options.second));
  warn_unreadable(first);
  warn_unreadable(second);
  const std::vector<launch::MetadataDifference> differences =
      launch::compare_metadata(first, second);
  if (options.format == "json") {
    Json json = {{"schema", 1}, {"first", options.first}, {"second", options.second}};
    json["differences"] = Json::array();
    for (const launch::MetadataDifference& one : differences) {
      json["differences"].push_back({{"fact", one.fact},
                                     {"first", one.first},
                                     {"second", one.second},
                                     {"importance", one.importance}});
    }
    print(json);
    return 0;
  }
  std::size_t important = 0;
  for (const launch::MetadataDifference& one : differences)
    important += one.importance <= 1 ? 1 : 0;
  if (differences.empty()) {
    fmt::print("Nothing that is recorded differs between {} and {}.\n", options.first,
               options.second);
    return 0;
  }
  fmt::print("{} recorded facts differ between {} and {}; {} of them change results directly.\n",
             differences.size(), options.first, options.second, important);
  int rank = -1;
  for (const launch::MetadataDifference& one : differences) {
    const int level = one.importance <= 1 ? 0 : 1;
    if (level != rank) {
      fmt::print("\n  {}\n", level == 0 ? "these change results directly" : "these may matter");
      rank = level;
    }
    const auto text = [](const std::string& value) {
      return launch::values_text(value.empty() ? std::set<std::string>{}
                                               : std::set<std::string>{value});
    };
    fmt::print("    {}\n      {}\n      {}\n", one.fact, text(one.first), text(one.second));
  }
  return 0;
}

}  // namespace

void add_env(CLI::App& app, Outcome& outcome) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("env", "what a campaign was measured on; with two, what differs");
  command->add_option("DIR", options->first, "a campaign's directory")->required();
  command->add_option("DIR2", options->second, "another one");
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}));
  command->add_flag("--all", options->all, "also every control variable of the libraries");
  command->callback([options, &outcome] {
    outcome.run = [options] {
      return options->second.empty() ? show(*options) : compare(*options);
    };
  });
}

}  // namespace invar::cli
