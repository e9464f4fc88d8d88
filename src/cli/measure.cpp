#include "cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/compare/reference_regime.hpp"
#include "analysis/study/study.hpp"
#include "analysis/words/words.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/files.hpp"
#include "cli/network/platform_directory.hpp"
#include "cli/plan_text.hpp"
#include "cli/tuning/tuned_directory.hpp"
#include "design/factors/launch_factors.hpp"
#include "driver/decide/budget.hpp"
#include "driver/prepare/checks.hpp"
#include "driver/prepare/last_regime.hpp"
#include "driver/prepare/prepare.hpp"
#include "driver/sizes/sizes.hpp"
#include "host/identity.hpp"
#include "store/campaign_dir.hpp"
#include "store/reader.hpp"

namespace invar::cli {
namespace {

// " 4.1.4", " (openmpi 4.1.4)", " (openmpi 4.1.4 runs IMB-MPI1)".
std::string library_text(const launch::CheckedArm& arm, const std::string& label) {
  const launch::Profile& profile = arm.profile;
  if (arm.program) {
    return fmt::format(" ({} runs {})",
                       profile.name.empty() ? std::string("by itself")
                                            : profile.name + " " + profile.short_version,
                       arm.program->file);
  }
  return label == profile.name ? " " + profile.short_version
                               : fmt::format(" ({} {})", profile.name, profile.short_version);
}

// Variants of an arm are told by their number.
std::string arms_text(const driver::Prepared& prepared) {
  const std::vector<design::Arm>& arms = prepared.campaign.arms;
  std::vector<std::string> texts;
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::string& label = design::base_label(arms[i]);
    if (!arms[i].variant_of.empty()) {
      if (std::ranges::find(seen, label) != seen.end()) continue;
      seen.push_back(label);
    }
    texts.push_back(label + library_text(prepared.arms[i], label));
    const auto variants = std::ranges::count(arms, label, &design::Arm::variant_of);
    if (variants > 1) texts.back() += fmt::format(" in {} launch settings", variants);
    if (i == 0 && arms.size() > 1) texts.back() += " (reference)";
  }
  return analysis::list_text(texts);
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
  if (const std::string text = driver::adaptive_text(prepared); !text.empty()) {
    fmt::print(stderr, "{}\n", text);
  }
  if (const std::string text = driver::beyond_budget_text(prepared); !text.empty()) {
    fmt::print(stderr, "{} (a rough estimate)\n", text);
  }
  for (const std::string& text : driver::left_out_texts(prepared)) {
    fmt::print(stderr, "left out: {}\n", text);
  }
  for (const std::string& text : driver::unanswerable_texts(prepared)) {
    fmt::print(stderr, "{}\n", text);
  }
}

std::optional<int> unfinished_status(const std::filesystem::path& dir,
                                     const driver::RunResult& result) {
  const std::string resume = "invar run --resume -o " + base::shell_quoted(dir.string());
  if (result.interrupted) {
    fmt::print(stderr, "invar: interrupted after {}; go on with: {}\n",
               base::count_text(result.groups_complete, "complete group"), resume);
    return static_cast<int>(base::Exit::kIncomplete);
  }
  // What somebody has edited meanwhile is input; a library that was installed anew is not.
  if (result.file_edited) return static_cast<int>(base::Exit::kUsage);
  if (result.library_changed) return static_cast<int>(base::Exit::kMeasurementFailed);
  return std::nullopt;
}

int measure_own(const OwnCampaign& own,
                const std::function<int(const std::filesystem::path& dir)>& answers) {
  const std::string dir = own.output.empty() ? new_directory_name(own.command) : own.output;
  store::check_new_directory(dir);
  driver::Prepared prepared = driver::prepare(own.make(), {}, own.command);
  driver::check_launches(prepared);
  driver::check_budget_for_least(prepared);
  if (own.dry_run) {
    print_plan(prepared, driver::first_plan(prepared), false);
    return 0;
  }
  announce(prepared, dir);
  const driver::RunResult result = driver::run_new(prepared, std::nullopt, dir);
  if (const auto status = unfinished_status(dir, result)) return *status;
  return answers(dir);
}

std::optional<std::filesystem::path> asked_directory(const MeasureOrAsk& written) {
  const std::vector<std::string>& targets = written.targets;
  if (targets.size() != 1 || !names_campaign(targets.front())) {
    if (written.regime.empty()) return std::nullopt;
    throw base::UserError("--regime", "which regimes the machine is in is not known beforehand",
                          "measure first, and ask the directory: invar " + written.command +
                              " DIR --regime " + base::shell_quoted(written.regime));
  }
  base::Faults faults;
  refuse_measuring(written.measuring, targets.front(), "leave it out, or name libraries", faults);
  faults.throw_if_any();
  return targets.front();
}

void refuse_measuring(const std::vector<std::string>& measuring, const std::string& measured,
                      const std::string& remedy, base::Faults& faults) {
  for (const std::string& option : measuring) {
    faults.add(option, measured + " is measured already", remedy);
  }
}

std::string suites_remark(const std::filesystem::path& dir, const std::string& presets) {
  return fmt::format("  what the suites would report: invar show {} --as {}\n",
                     base::shell_quoted(dir.string()), presets);
}

int answer(const std::filesystem::path& dir, const driver::RunResult& result,
           const AnswerOptions& options) {
  if (const auto status = unfinished_status(dir, result)) return *status;
  store::Data data = store::read_campaign_dir(dir);
  const std::string host = data.hosts.empty() ? host::host_name() : data.hosts.front();
  const analysis::Study study(std::move(data));
  const analysis::AskedQuestion asked = analysis::asked_question(study);
  if (asked.question == design::Question::kNetwork) return show_network(study, options);
  write_what_follows(dir, asked.question);
  const int status = ask_and_print(study, asked, options);
  if (asked.question == design::Question::kCompare) {
    if (const auto band = analysis::reference_band_of(study)) driver::remember_regime(host, *band);
  }
  return status;
}

}  // namespace invar::cli
