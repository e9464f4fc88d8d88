#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "launch/profile.hpp"

namespace invar::cli {
namespace {

struct Row {
  record::OperationInfo info = {};
  std::map<std::string, std::string> missing = {};  // profile -> why; empty: it has it
};

std::string takes(const record::OperationInfo& info) {
  std::string text;
  const auto add = [&text](const char* word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  if (info.sized) add("size");
  if (info.rooted) add("root");
  if (info.reduces) add("reduction");
  return text.empty() ? "-" : text;
}

int run() {
  const std::vector<launch::Profile> profiles = launch::all_profiles();
  std::map<std::string, Row> rows;
  for (const launch::Profile& profile : profiles) {
    for (const record::OperationInfo& info : profile.operations) {
      Row& row = rows[info.name];
      row.info = info;
      row.missing[profile.name] = info.missing;
    }
  }
  fmt::print("{}; each is verified in every launch before it is timed.\n\n",
             base::count_text(rows.size(), "operation"));
  fmt::print("  {:<22}{:<24}", "operation", "takes");
  for (const launch::Profile& profile : profiles) fmt::print("{:<12}", profile.name);
  fmt::print("what it does\n");
  std::string reasons;
  for (const auto& [name, row] : rows) {
    fmt::print("  {:<22}{:<24}", name, takes(row.info));
    for (const launch::Profile& profile : profiles) {
      const auto known = row.missing.find(profile.name);
      const bool has = known != row.missing.end() && known->second.empty();
      fmt::print("{:<12}", has ? "yes" : "no");
      if (has) continue;
      reasons += fmt::format(
          "  {} has no {}: {}\n", profile.name, name,
          known == row.missing.end() ? "its engine was built without it" : known->second);
    }
    fmt::print("{}\n", row.info.summary);
  }
  if (!reasons.empty()) fmt::print("\n{}", reasons);
  return 0;
}

}  // namespace

void add_ops(CLI::App& app, Outcome& outcome) {
  CLI::App* command = app.add_subcommand("ops", "what can be timed, and what each library lacks");
  command->callback([&outcome] { outcome.run = run; });
}

}  // namespace invar::cli
