// `invar ops`: what can be timed, and what each library lacks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/study/tidy_table.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "launch/libraries/profile.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Row {
  record::OperationInfo info = {};
  std::map<std::string, std::string> missing = {};  // profile -> why; empty: it has it
};
using Rows = std::map<std::string, Row>;

Rows rows_of(const std::vector<launch::Profile>& profiles) {
  Rows rows;
  for (const launch::Profile& profile : profiles) {
    for (const record::OperationInfo& info : profile.operations) {
      Row& row = rows[info.name];
      if (row.missing.empty() || row.info.datatypes.size() < info.datatypes.size()) row.info = info;
      row.missing[profile.name] = info.missing;
    }
  }
  for (auto& [name, row] : rows) {
    for (const launch::Profile& profile : profiles) {
      row.missing.try_emplace(profile.name, "its engine was built without it");
    }
  }
  return rows;
}

// Of a form the blocking operation: "iallreduce" and "allreduce_init" are of "allreduce".
struct Form {
  std::string base = {};
  std::string form = "blocking";
};

Form form_of(const std::string& name, const Rows& rows) {
  constexpr std::string_view kInit = "_init";
  if (name.starts_with('i') && rows.contains(name.substr(1))) {
    return {name.substr(1), "non-blocking"};
  }
  if (name.ends_with(kInit)) {
    std::string base = name.substr(0, name.size() - kInit.size());
    if (rows.contains(base)) return {std::move(base), "persistent"};
  }
  return {.base = name};
}

std::string takes(const record::OperationInfo& info) {
  std::vector<std::string> words;
  if (info.sized) words.emplace_back("size");
  if (info.rooted) words.emplace_back("root");
  if (info.reduces) words.emplace_back("reduction");
  if (info.in_place) words.emplace_back("in-place");
  if (info.neighbours) words.emplace_back("topology");
  return words.empty() ? "-" : base::join(words, ", ");
}

// One line per datatype: its size and what reduces it.
void print_datatypes(const Rows& rows) {
  std::map<std::string, record::DatatypeInfo> datatypes;
  std::vector<std::string> order;
  for (const auto& [name, row] : rows) {
    for (const record::DatatypeInfo& type : row.info.datatypes) {
      auto [known, added] = datatypes.emplace(type.name, type);
      if (added) order.push_back(type.name);
      if (known->second.reductions.empty()) known->second.reductions = type.reductions;
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return datatypes[a].size_bytes < datatypes[b].size_bytes;
  });
  analysis::TidyTable table{
      .columns = {{.name = "datatype"},
                  {.name = "size_bytes", .kind = analysis::Kind::kCount},
                  {.name = "reductions"}},
      .shown = {{.header = "datatype", .column = "datatype"},
                {.header = "bytes", .column = "size_bytes"},
                {.header = "reductions", .column = "reductions", .absent = "-"}}};
  for (const std::string& name : order) {
    const record::DatatypeInfo& type = datatypes[name];
    table.rows.push_back(
        {name, type.size_bytes,
         type.reductions.empty() ? analysis::Value() : base::join(type.reductions, ", ")});
  }
  print("\n" + report::table_text(table));
}

void print_missing(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  for (const launch::Profile& profile : profiles) {
    std::map<std::string, std::vector<std::string>> names;  // by reason
    for (const auto& [name, row] : rows) {
      const std::string& why = row.missing.at(profile.name);
      if (!why.empty()) names[why].push_back(name);
    }
    if (names.empty()) print(fmt::format("\n{} has them all.\n", profile.name));
    for (const auto& [why, lacking] : names) {
      print(fmt::format("\n{} lacks {} ({}): {}\n", profile.name, base::join(lacking, ", "),
                        lacking.size(), why));
    }
  }
}

void print_table(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  print(fmt::format("{}; each is verified in every launch before it is timed.\n\n",
                    base::count_text(rows.size(), "operation")));
  analysis::TidyTable table;
  for (const char* name : {"operation", "i", "_init", "takes", "what it does"}) {
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = name, .column = name, .absent = "-"});
  }
  for (const auto& [name, row] : rows) {
    if (form_of(name, rows).base != name) continue;
    table.rows.push_back({name, rows.contains("i" + name) ? analysis::Value("i") : std::nullopt,
                          rows.contains(name + "_init") ? analysis::Value("init") : std::nullopt,
                          takes(row.info), row.info.summary});
  }
  print(report::table_text(table));
  print(
      "\ni: non-blocking, timed with its wait (iNAME); init: persistent, start and wait are timed\n"
      "(NAME_init).\n");
  print_datatypes(rows);
  print_missing(rows, profiles);
}

std::vector<std::string> datatype_names(const record::OperationInfo& info) {
  std::vector<std::string> names;
  for (const record::DatatypeInfo& type : info.datatypes) names.push_back(type.name);
  return names;
}

// What a library itself says of an operation; the others' where it does not know it.
const record::OperationInfo& info_of(const launch::Profile& profile, const Row& row) {
  const auto own =
      std::find_if(profile.operations.begin(), profile.operations.end(),
                   [&](const record::OperationInfo& info) { return info.name == row.info.name; });
  return own == profile.operations.end() ? row.info : *own;
}

void print_csv(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  analysis::TidyTable table;
  for (const char* name :
       {"operation", "library", "available", "missing", "collective", "form", "size", "root",
        "reduction", "in_place", "topology", "datatypes", "summary"}) {
    table.columns.push_back({.name = name});
  }
  for (const auto& [name, row] : rows) {
    const Form form = form_of(name, rows);
    for (const launch::Profile& profile : profiles) {
      const record::OperationInfo& info = info_of(profile, row);
      const std::string& why = row.missing.at(profile.name);
      table.rows.push_back({name, profile.name, why.empty(), why, form.base, form.form, info.sized,
                            info.rooted, info.reduces, info.in_place, info.neighbours,
                            base::join(datatype_names(info), " "), info.summary});
    }
  }
  print(report::table_csv(table));
}

void print_json(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  OrderedJson json = {{"schema", 1}, {"operations", OrderedJson::array()}};
  for (const auto& [name, row] : rows) {
    const Form form = form_of(name, rows);
    for (const launch::Profile& profile : profiles) {
      const record::OperationInfo& info = info_of(profile, row);
      const std::string& why = row.missing.at(profile.name);
      OrderedJson datatypes = OrderedJson::array();
      for (const record::DatatypeInfo& type : info.datatypes) {
        datatypes.push_back({{"name", type.name},
                             {"size_bytes", type.size_bytes},
                             {"reductions", type.reductions}});
      }
      json["operations"].push_back({{"operation", name},
                                    {"library", profile.name},
                                    {"available", why.empty()},
                                    {"missing", why},
                                    {"collective", form.base},
                                    {"form", form.form},
                                    {"size", info.sized},
                                    {"root", info.rooted},
                                    {"reduction", info.reduces},
                                    {"in_place", info.in_place},
                                    {"topology", info.neighbours},
                                    {"datatypes", datatypes},
                                    {"summary", info.summary}});
    }
  }
  print(json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

int run_ops(const std::string& format) {
  const std::vector<launch::Profile> profiles = launch::all_profiles();
  const Rows rows = rows_of(profiles);
  if (format == "csv") {
    print_csv(rows, profiles);
  } else if (format == "json") {
    print_json(rows, profiles);
  } else {
    print_table(rows, profiles);
  }
  return 0;
}

}  // namespace

void add_ops(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("ops", "what can be timed, and what each library lacks");
  const auto format = std::make_shared<std::string>("table");
  command->add_option("--format", *format, "table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command->callback([format, &outcome] { outcome.run = [format] { return run_ops(*format); }; });
}

}  // namespace invar::cli
