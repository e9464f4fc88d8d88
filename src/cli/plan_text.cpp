#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "design/plan/families.hpp"
#include "driver/decide/repetitions.hpp"

namespace invar::cli {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6)
                            : fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

void print_plan(const driver::Prepared& prepared, const record::Plan& plan, bool as_planned) {
  const design::Campaign& campaign = prepared.campaign;
  const design::Estimate estimate =
      design::estimate(campaign, prepared.cells, plan, driver::startup_s(prepared));
  std::set<std::uint32_t> groups;
  for (const record::PlanRow& row : plan.rows) groups.insert(row.group);
  const double group_s = estimate.seconds / static_cast<double>(groups.size());
  const bool open = !as_planned && campaign.launches.min < campaign.launches.max;
  const auto total = static_cast<double>(
      open ? design::groups_for_budget(campaign.launches, campaign.budget_s, group_s, 1, group_s)
           : static_cast<std::uint32_t>(groups.size()));
  const double scale = total / static_cast<double>(groups.size());
  print(fmt::format(
      "{}, {}: about {}, {} of wall time, {:.4f} node-hours, {} of data.\n\n",
      base::count_text(prepared.cells.cells.size(), "cell"),
      base::count_text(campaign.arms.size(), "arm"),
      base::count_text(static_cast<std::uint64_t>(total), "launch group"),
      base::span_text(estimate.seconds * scale), estimate.node_hours * scale,
      bytes_text(static_cast<std::uint64_t>(static_cast<double>(estimate.data_bytes) * scale))));
  if (const std::string text = as_planned ? "" : driver::beyond_budget_text(prepared);
      !text.empty()) {
    print(fmt::format("{} (a rough estimate).\n\n", text));
  }
  if (const std::string text = driver::lonely_cells_text(prepared); !text.empty()) {
    print(fmt::format("Look at: {}.\n\n", text));
  }
  print(fmt::format("  scope          {}\n", driver::scope_text(prepared)));
  for (std::size_t i = 0; i < campaign.arms.size(); ++i) {
    const design::Arm& arm = campaign.arms[i];
    const launch::CheckedArm& checked = prepared.arms[i];
    std::string settings;
    for (std::size_t n = 0; n < arm.settings.size(); ++n) {
      settings += fmt::format(", {}={} ({})", arm.settings[n].first, arm.settings[n].second,
                              checked.settings_checked.at(n));
    }
    if (checked.program) {
      settings += fmt::format(", runs {} ('{}', time: {})", checked.program->file,
                              arm.program.command, arm.program.parse);
    }
    print(fmt::format("  arm            {}: {} {}{}{}\n", arm.label,
                      checked.profile.name.empty() ? "no library" : checked.profile.name,
                      checked.profile.short_version, settings, i == 0 ? " (reference)" : ""));
  }
  const record::CellTexts text(design::all_cells(prepared.cells));
  for (const std::string& left_out : driver::left_out_texts(prepared)) {
    print(fmt::format("  left out       {}\n", left_out));
  }
  print(fmt::format(
      "  launch groups  {}\n",
      open ? fmt::format("{} at least, {} at most{}; {}", campaign.launches.min,
                         campaign.launches.max,
                         campaign.budget_s ? ", budget " + base::span_text(*campaign.budget_s)
                                           : std::string(),
                         campaign.stopping == design::Stopping::kLooks
                             ? "looks decide, and what is decided is measured no more"
                             : "the first one's cost decides")
           : std::to_string(groups.size())));
  print(fmt::format("  launches       about {:.0f}\n",
                    static_cast<double>(estimate.launches) * scale));
  const bool predicted = driver::predicts_repetitions(prepared);
  print(fmt::format("  visits         about {:.0f}, {}{} each after warm-up{}\n",
                    static_cast<double>(estimate.visits) * scale, predicted ? "at most " : "",
                    base::count_text(campaign.repetitions, "repetition"),
                    predicted ? ", then as many as the first group needs" : ""));
  print(fmt::format("  a group        about {} (a rough estimate; the first group is measured)\n",
                    base::span_text(group_s)));
  const std::vector<std::string> families = design::family_texts(prepared.cells.cells);
  if (!families.empty()) {
    print(fmt::format("  families       {}\n", base::first_items(families, 6, ", ")));
  }
  print(fmt::format("  buffers        {}\n", driver::largest_buffers_text(prepared)));
  print(fmt::format("  cells          "));
  for (std::size_t i = 0; i < prepared.cells.cells.size(); ++i) {
    if (i == 8 && prepared.cells.cells.size() > 10) {
      print(fmt::format("                 ... and {} more\n", prepared.cells.cells.size() - i));
      break;
    }
    print(fmt::format("{}{}\n", i == 0 ? "" : "                 ", text(prepared.cells.cells[i])));
  }
}

}  // namespace invar::cli
