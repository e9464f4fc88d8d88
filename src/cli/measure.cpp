#include "cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare.hpp"
#include "analysis/show.hpp"
#include "analysis/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/files.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

std::string arms_text(const driver::Prepared& prepared) {
  std::string text;
  const std::size_t count = prepared.arms.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == count ? " and " : ", ";
    const launch::CheckedArm& arm = prepared.arms[i];
    text += arm.label;
    if (arm.program) {
      text +=
          fmt::format(" ({} runs {})",
                      arm.profile.name.empty() ? std::string("by itself")
                                               : arm.profile.name + " " + arm.profile.short_version,
                      arm.program->file);
      if (i == 0 && count > 1) text += " (reference)";
      continue;
    }
    text += arm.label == arm.profile.name
                ? " " + arm.profile.short_version
                : fmt::format(" ({} {})", arm.profile.name, arm.profile.short_version);
    if (i == 0 && count > 1) text += " (reference)";
  }
  return text;
}

}  // namespace

void announce(const driver::Prepared& prepared, const std::filesystem::path& dir) {
  const design::Campaign& campaign = prepared.campaign;
  const bool open = campaign.launches.min < campaign.launches.max;
  fmt::print(stderr, "data: {}\n", dir.empty() ? "not kept; -o DIR keeps them" : dir.string());
  fmt::print(
      stderr, "{}{}, {}, {}, {}\n", arms_text(prepared),
      prepared.arms.size() < 2             ? ""
      : campaign.engine.pairing == "turns" ? " by turns"
      : campaign.has_program() ? " in launches one after the other (programs take no turns)"
                               : " in launches one after the other",
      driver::scope_text(prepared), analysis::count_text(prepared.cells.cells.size(), "cell"),
      open ? fmt::format("{} {}{}",
                         campaign.stopping == design::Stopping::kLooks ? "sequential: looks from"
                                                                       : "at least",
                         base::count_text(campaign.launches.min, "group"),
                         campaign.budget_s ? ", budget " + base::span_text(*campaign.budget_s)
                                           : std::string())
           : base::count_text(campaign.launches.max, "group"));
  if (const std::string text = driver::beyond_budget_text(prepared); !text.empty()) {
    fmt::print(stderr, "{} (a rough estimate)\n", text);
  }
  const record::CellTexts text(design::all_cells(prepared.cells));
  for (const design::LeftOut& left_out : prepared.cells.left_out) {
    fmt::print(stderr, "left out: {} in '{}': {}\n", text(left_out.cell), left_out.arm,
               left_out.reason);
  }
  if (const std::string lonely = driver::lonely_cells_text(prepared); !lonely.empty()) {
    fmt::print(stderr, "{}\n", lonely);
  }
}

int answer(const std::filesystem::path& dir, const driver::RunResult& result,
           const AnswerOptions& options) {
  const std::string resume = "invar run --resume -o " + base::shell_quoted(dir.string());
  if (result.interrupted) {
    fmt::print(stderr, "invar: interrupted after {}; go on with: {}\n",
               base::count_text(result.groups_complete, "complete group"), resume);
    return static_cast<int>(base::Exit::kIncomplete);
  }
  if (result.library_changed) return static_cast<int>(base::Exit::kMeasurementFailed);
  const store::Data data = store::read_campaign_dir(dir);
  if (data.arms.size() < 2) {
    print_show(analysis::show(data, {}), options.format);
    const bool failed =
        !data.failed_groups.empty() || !data.failed_cells.empty() || !data.missed.empty();
    return static_cast<int>(failed ? base::Exit::kMeasurementFailed : base::Exit::kDone);
  }
  const analysis::Comparison comparison = analysis::compare(data, analysis::CompareOptions{});
  return print_outcome(comparison, options);
}

}  // namespace invar::cli
