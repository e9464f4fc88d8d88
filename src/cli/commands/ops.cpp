// `invar ops`: what can be timed, and what each library lacks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "analysis/answer/tidy_table.hpp"
#include "base/text.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "launch/algorithms/told_level.hpp"
#include "launch/libraries/profile.hpp"
#include "record/operation/operation_json.hpp"
#include "record/operation/parts.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"
#include "tuning/algorithm.hpp"
#include "tuning/candidate.hpp"

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

// The blocking operation that this is a form of.
const std::string& base_of(const record::OperationInfo& info) {
  return info.form_of.empty() ? info.name : info.form_of;
}

constexpr std::string_view kNonBlockingForm = "non-blocking";
constexpr std::string_view kPersistentForm = "persistent";
constexpr std::string_view kLargeForm = "large counts";

std::string_view form_of(const record::OperationInfo& info) {
  if (info.persistent) return kPersistentForm;
  if (info.large_counts) return kLargeForm;
  return info.form_of.empty() ? "blocking" : kNonBlockingForm;
}

// `mark`, where the operation has such a form.
analysis::Value form_mark(const std::string& name, std::string_view form, const char* mark,
                          const Rows& rows) {
  const bool has = std::ranges::any_of(rows, [&](const auto& row) {
    return row.second.info.form_of == name && form_of(row.second.info) == form;
  });
  return has ? analysis::Value(mark) : std::nullopt;
}

bool takes_distribution(const record::OperationInfo& info) {
  return info.distributes != record::Distributes::kNothing;
}

// "starts: rank 1; answers: rank 2"; empty: all start. Ranks that no rule names stand by.
std::string roles_text(const record::OperationInfo& info) {
  if (info.messages != record::Messages::kNone) return "as the pattern says";
  std::vector<std::string> texts;
  for (const record::RoleRule& rule : info.roles) {
    std::string ranks(record::name_of(rule.ranks));
    if (rule.ranks == record::Ranks::kNumber) ranks = "rank " + std::to_string(rule.number);
    if (rule.ranks == record::Ranks::kFromEnd) {
      ranks = rule.number == 0 ? "last rank" : "last rank but " + std::to_string(rule.number);
    }
    texts.push_back(std::string(record::name_of(rule.role)) + ": " + ranks);
  }
  return base::join(texts, "; ");
}

std::string takes(const record::OperationInfo& info) {
  std::vector<std::string> words;
  if (info.sized) words.emplace_back("size");
  if (info.rooted) words.emplace_back("root");
  if (info.reduces) words.emplace_back("reduction");
  if (info.in_place) words.emplace_back("in-place");
  if (info.neighbours) words.emplace_back("topology");
  if (takes_distribution(info)) words.emplace_back("distribution");
  if (info.messages != record::Messages::kNone) words.emplace_back("pattern");
  if (info.windowed) words.emplace_back("window");
  if (info.overlaps) words.emplace_back("compute");
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
      // Where more than half is lacking, the list of what there is is the shorter one.
      if (2 * lacking.size() > rows.size()) {
        std::vector<std::string> has;
        for (const auto& [name, row] : rows) {
          if (row.missing.at(profile.name).empty()) has.push_back(name);
        }
        print(fmt::format("\n{} has {} alone: {}\n", profile.name, base::join(has, ", "), why));
        continue;
      }
      print(fmt::format("\n{} lacks {} ({}): {}\n", profile.name, base::join(lacking, ", "),
                        lacking.size(), why));
    }
  }
}

// Prints the operations that have more to tell than one time of all ranks.
void print_times(const Rows& rows) {
  for (const auto& [name, row] : rows) {
    const record::OperationInfo& info = row.info;
    if (info.times.size() < 2 && roles_text(info).empty() && info.marks.empty()) continue;
    print(fmt::format("\n{}\n", name));
    const std::string roles = roles_text(info);
    if (!roles.empty()) print(fmt::format("  roles          {}\n", roles));
    for (const record::TimeInfo& time : info.times) {
      print(fmt::format("  time {:<9} {}\n", time.name, time.summary));
    }
    for (const record::MarkInfo& mark : info.marks) {
      print(fmt::format("  mark {:<9} {}\n", mark.name, mark.summary));
    }
  }
}

// Those that give the result of another operation by other calls.
void print_mockups(const Rows& rows) {
  analysis::TidyTable table;
  for (const char* name : {"instead of", "by", "scratch a rank"}) {
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = name, .column = name, .absent = "-"});
  }
  for (const auto& [name, row] : rows) {
    const record::OperationInfo& info = row.info;
    if (info.emulates.empty()) continue;
    const std::string scratch = record::scratch_text(info.buffers);
    table.rows.push_back(
        {name.starts_with(info.emulates) ? name : name + " (" + info.emulates + ")",
         info.parts.empty() ? info.summary : record::parts_text(info.parts),
         scratch.empty() ? analysis::Value() : analysis::Value(scratch)});
  }
  if (table.rows.empty()) return;
  print(
      "\nMock-ups and algorithms: the result of an operation by other calls (n: its block, p: "
      "ranks,\nn/p: rounded up).\n\n" +
      report::table_text(table));
}

void print_table(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  print(fmt::format("{}; each is verified in every launch before it is timed.\n\n",
                    base::count_text(rows.size(), "operation")));
  analysis::TidyTable table;
  for (const char* name : {"operation", "i", "_init", "_c", "takes", "what it does"}) {
    table.columns.push_back({.name = name});
    table.shown.push_back({.header = name, .column = name, .absent = "-"});
  }
  for (const auto& [name, row] : rows) {
    if (!row.info.form_of.empty() || !row.info.emulates.empty()) continue;
    table.rows.push_back({name, form_mark(name, kNonBlockingForm, "i", rows),
                          form_mark(name, kPersistentForm, "init", rows),
                          form_mark(name, kLargeForm, "c", rows), takes(row.info),
                          row.info.summary});
  }
  print(report::table_text(table));
  print(
      "\ni: non-blocking, timed with its wait (iNAME); init: persistent, start and wait are timed\n"
      "(NAME_init); c: counts of 64 bits (NAME_c). distribution: blocks may differ in length.\n");
  print_mockups(rows);
  print_times(rows);
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
  for (const char* name : {"operation", "library", "available", "missing", "collective", "form",
                           "size", "root", "reduction", "in_place", "topology", "distribution",
                           "datatypes", "summary", "emulates", "parts", "scratch"}) {
    table.columns.push_back({.name = name});
  }
  for (const auto& [name, row] : rows) {
    for (const launch::Profile& profile : profiles) {
      const record::OperationInfo& info = info_of(profile, row);
      const std::string& why = row.missing.at(profile.name);
      table.rows.push_back({name, profile.name, why.empty(), why, base_of(info),
                            std::string(form_of(info)), info.sized, info.rooted, info.reduces,
                            info.in_place, info.neighbours, takes_distribution(info),
                            base::join(datatype_names(info), " "), info.summary, info.emulates,
                            record::parts_text(info.parts), record::scratch_text(info.buffers)});
    }
  }
  print(report::table_csv(table));
}

void print_json(const Rows& rows, const std::vector<launch::Profile>& profiles) {
  OrderedJson json = {{"schema", 1}, {"operations", OrderedJson::array()}};
  for (const auto& [name, row] : rows) {
    for (const launch::Profile& profile : profiles) {
      const record::OperationInfo& info = info_of(profile, row);
      const std::string& why = row.missing.at(profile.name);
      base::JsonWriter description;
      record::write_operation(description, info);
      const auto said = OrderedJson::parse(description.text());
      json["operations"].push_back({{"operation", name},
                                    {"library", profile.name},
                                    {"available", why.empty()},
                                    {"missing", why},
                                    {"collective", base_of(info)},
                                    {"form", form_of(info)},
                                    {"size", info.sized},
                                    {"root", info.rooted},
                                    {"reduction", info.reduces},
                                    {"in_place", info.in_place},
                                    {"topology", info.neighbours},
                                    {"distribution", takes_distribution(info)},
                                    {"datatypes", said.at("datatypes")},
                                    {"emulates", info.emulates},
                                    {"parts", said.value("parts", OrderedJson::array())},
                                    {"scratch", record::scratch_text(info.buffers)},
                                    {"roles", said.at("roles")},
                                    {"times", said.at("times")},
                                    {"marks", said.at("marks")},
                                    {"summary", info.summary}});
    }
  }
  print(json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

// Which knobs stand behind the algorithm's name.
std::string knobs_text(const tuning::LibraryAlgorithm& algorithm) {
  std::vector<std::string> knobs;
  if (algorithm.fanout != tuning::FanoutOf::kNothing) {
    knobs.push_back("fanout=" + std::to_string(algorithm.usual_fanout));
  }
  if (algorithm.segments) {
    knobs.push_back("segment=" + std::to_string(algorithm.usual_segment_bytes));
  }
  return base::join(knobs, ", ");
}

// Numbers of ranks, and what else it cannot do.
std::string limits_text(const tuning::LibraryAlgorithm& algorithm) {
  std::vector<std::string> limits;
  if (algorithm.ranks == tuning::RankNeed::kTwo) limits.emplace_back("2 ranks");
  if (algorithm.ranks == tuning::RankNeed::kEven) limits.emplace_back("even ranks");
  if (algorithm.ranks == tuning::RankNeed::kPowerOfTwo) limits.emplace_back("2^k ranks");
  if (algorithm.commutative_only) limits.emplace_back("operators that commute");
  if (algorithm.built_in_only) limits.emplace_back("MPI's own operators");
  if (algorithm.count_from_ranks) limits.emplace_back("as many elements as ranks");
  if (algorithm.hierarchy_only) limits.emplace_back("several ranks a host");
  if (algorithm.regular_only) limits.emplace_back("equal counts");
  if (algorithm.needs_elements) limits.emplace_back("counts above 0");
  return base::join(limits, ", ");
}

// When the library can be told: "in a launch", or what its launches need.
std::string told_text(const launch::Profile& profile, const std::string& operation,
                      const tuning::LibraryAlgorithm& algorithm) {
  const tuning::Candidate candidate{.kind = tuning::CandidateKind::kAlgorithm,
                                    .name = std::string(algorithm.name)};
  const launch::AskedLevel asked{.operation = operation, .level = tuning::to_string(candidate)};
  // Numbers are asked of the library when they are needed.
  launch::ItemNumbers numbers;
  for (const auto& item : launch::items_to_ask(profile, std::span(&asked, 1))) {
    numbers.emplace(item, 0);
  }
  const launch::ToldLevel told = launch::told_level(profile, {}, asked, numbers);
  return told.lacks.empty() ? "in a launch" : told.lacks;
}

analysis::TidyTable algorithms_table(const std::vector<launch::Profile>& profiles) {
  analysis::TidyTable table;
  const auto add = [&](const char* name, const char* header, bool shown = true) {
    table.columns.push_back({.name = name});
    if (shown) table.shown.push_back({.header = header, .column = name, .absent = "-"});
  };
  add("library", "library");
  add("operation", "operation");
  add("level", "level");
  add("knobs", "knobs");
  add("item", "its own name");
  add("limits", "only for");
  add("reference", "messages as of");
  add("told", "told", false);
  for (const launch::Profile& profile : profiles) {
    const launch::KnownLibrary known = launch::known_library(profile);
    if (!known.lacks.empty()) continue;
    for (const std::string& operation : tuning::tunable_operations(known.library, known.version)) {
      for (const tuning::LibraryAlgorithm* const one :
           tuning::algorithms_of(known.library, known.version, operation)) {
        const auto text = [](std::string words) {
          return words.empty() ? analysis::Value() : analysis::Value(std::move(words));
        };
        table.rows.push_back(
            {profile.name, operation, "algorithm:" + std::string(one->name), text(knobs_text(*one)),
             text(one->item.empty() ? std::to_string(one->number) : std::string(one->item)),
             text(limits_text(*one)), text(std::string(one->reference)),
             told_text(profile, operation, *one)});
      }
    }
  }
  return table;
}

void print_algorithms(const std::vector<launch::Profile>& profiles, const std::string& format) {
  const analysis::TidyTable table = algorithms_table(profiles);
  if (format == "csv") {
    print(report::table_csv(table));
    return;
  }
  if (format == "json") {
    OrderedJson json = {{"schema", 1}, {"algorithms", OrderedJson::array()}};
    for (const auto& row : table.rows) {
      OrderedJson one;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto* const text = std::get_if<std::string>(&row[i].content);
        one[table.columns[i].name] = text == nullptr ? OrderedJson() : OrderedJson(*text);
      }
      json["algorithms"].push_back(std::move(one));
    }
    print(json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
    return;
  }
  print(
      "What libraries can be told to run: levels of the factor 'algorithm', knobs with their usual "
      "values\nbehind them (algorithm:chain:fanout=2:segment=64).\n\n" +
      report::table_text(table));
  for (const launch::Profile& profile : profiles) {
    const launch::KnownLibrary known = launch::known_library(profile);
    if (!known.lacks.empty()) {
      print(fmt::format("\n{}: {}.\n", profile.name, known.lacks));
      continue;
    }
    const std::vector<std::string> operations =
        tuning::tunable_operations(known.library, known.version);
    if (operations.empty()) continue;
    const auto algorithms = tuning::algorithms_of(known.library, known.version, operations.front());
    print(fmt::format("\n{}: {}.\n", profile.name,
                      told_text(profile, operations.front(), *algorithms.front())));
  }
}

int run_ops(const std::string& format, bool algorithms) {
  const std::vector<launch::Profile> profiles = launch::all_profiles();
  if (algorithms) {
    print_algorithms(profiles, format);
    return 0;
  }
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
  const auto algorithms = std::make_shared<bool>(false);
  command->add_flag("--algorithms", *algorithms,
                    "the algorithms that each library can be told to run: levels of the factor "
                    "'algorithm'");
  command->callback([format, algorithms, &outcome] {
    outcome.run = [format, algorithms] { return run_ops(*format, *algorithms); };
  });
}

}  // namespace invar::cli
