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
#include "driver/sizes/sizes.hpp"

namespace invar::cli {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6)
                            : fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

// What all launch groups of a plan or a campaign cost together.
struct WholeCost {
  std::uint32_t groups = 0;
  design::Estimate all = {};
  double group_s = 0;  // of one after the first
};

WholeCost cost_of_plan(const driver::Prepared& prepared, const record::Plan& plan) {
  std::set<std::uint32_t> groups;
  for (const record::PlanRow& row : plan.rows) groups.insert(row.group);
  WholeCost cost{.groups = static_cast<std::uint32_t>(groups.size()),
                 .all = design::estimate(prepared.campaign, prepared.cells, plan,
                                         driver::startup_s(prepared))};
  cost.group_s = cost.all.seconds / static_cast<double>(groups.size());
  return cost;
}

// `asked`: how many launch groups the campaign asks for.
WholeCost cost_of_campaign(const driver::Prepared& prepared, const design::Launches& asked) {
  const auto [first, next] = driver::estimate_groups(prepared);
  WholeCost cost{.groups = asked.min, .all = first, .group_s = next.seconds};
  if (asked.min < asked.max) {
    cost.groups = design::groups_for_budget(asked, prepared.campaign.budget_s, first.seconds, 1,
                                            next.seconds);
  }
  const std::uint32_t more = cost.groups - 1;
  cost.all.visits += more * next.visits;
  cost.all.launches += more * next.launches;
  cost.all.seconds += more * next.seconds;
  cost.all.node_hours += more * next.node_hours;
  cost.all.data_bytes += more * next.data_bytes;
  return cost;
}

// "176 from 1 B to 4 MiB, at most 40 in a launch group (each in one of 5), 17 held out"
std::string random_sizes_text(const design::SizeSample& sample) {
  std::string text = fmt::format("{} from {} to {}", sample.sizes_bytes.size(),
                                 base::size_text(sample.asked.low_bytes),
                                 base::size_text(sample.asked.high_bytes));
  if (sample.parts > 1) {
    text += fmt::format(", at most {} in a launch group (each in one of {})",
                        sample.asked.per_launch, sample.parts);
  }
  std::size_t held_out = 0;
  for (std::size_t i = 0; i < sample.sizes_bytes.size(); ++i) {
    held_out += sample.is_held_out(i) ? 1U : 0U;
  }
  if (held_out > 0) text += fmt::format(", {} held out of fits", held_out);
  return text;
}

}  // namespace

void print_plan(const driver::Prepared& prepared, const record::Plan& plan, bool as_planned) {
  const design::Campaign& campaign = prepared.campaign;
  const design::Launches asked{.min = driver::with_choosing_pilot(prepared, campaign.launches.min),
                               .max = driver::with_choosing_pilot(prepared, campaign.launches.max)};
  const bool open = !as_planned && asked.min < asked.max;
  const bool chooses = !as_planned && asked.min > campaign.launches.min;
  const auto [groups, all, group_s] =
      as_planned ? cost_of_plan(prepared, plan) : cost_of_campaign(prepared, asked);
  const bool predicted = driver::predicts_repetitions(prepared);
  const bool looks = open && campaign.stopping == design::Stopping::kLooks;
  // Every group is taken to measure everything, and what is decided is measured no more.
  const std::string visits_are = looks ? "at most" : "about";
  print(fmt::format("{}, {}: about {}, {} of wall time, {:.4f} node-hours, {}{} of data.\n\n",
                    base::count_text(prepared.cells.cells.size(), "cell"),
                    base::count_text(campaign.arms.size(), "arm"),
                    base::count_text(groups, "launch group"), base::span_text(all.seconds),
                    all.node_hours, looks || predicted ? "at most " : "",
                    bytes_text(all.data_bytes)));
  if (const std::string text = as_planned ? "" : driver::beyond_budget_text(prepared);
      !text.empty()) {
    print(fmt::format("{} (a rough estimate).\n\n", text));
  }
  for (const std::string& text : driver::unanswerable_texts(prepared)) {
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
      open ? fmt::format("{} at least, {} at most{}; {}", asked.min, asked.max,
                         campaign.budget_s ? ", budget " + base::span_text(*campaign.budget_s)
                                           : std::string(),
                         looks ? "looks decide, and what is decided is measured no more"
                               : "the first one's cost decides")
           : std::to_string(groups)));
  if (chooses) {
    print("  first group    chooses into how many calls splits divide, and judges none of them\n");
  }
  print(fmt::format("  launches       about {}\n", all.launches));
  print(fmt::format("  visits         {} {}, {}{} each after warm-up{}\n", visits_are, all.visits,
                    predicted ? "at most " : "",
                    base::count_text(campaign.repetitions, "repetition"),
                    predicted ? ", then as many as the first group needs" : ""));
  print(fmt::format("  a group        about {} (a rough estimate; the first group is measured)\n",
                    base::span_text(group_s)));
  for (const design::SizeSample& sample : prepared.cells.samples) {
    print(fmt::format("  random sizes   {}\n", random_sizes_text(sample)));
  }
  if (const std::string sizes = as_planned ? std::string() : driver::adaptive_text(prepared);
      !sizes.empty()) {
    print(fmt::format("  sizes          {}\n", sizes));
  }
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
