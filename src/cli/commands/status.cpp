#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/answer.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "design/campaign/campaign.hpp"
#include "stats/decide/sequential.hpp"
#include "store/clock_dir.hpp"
#include "store/lock.hpp"
#include "store/manifest/manifest.hpp"
#include "store/open.hpp"

namespace invar::cli {
namespace {

// Highest number of a launch group in the plans so far.
std::uint32_t groups_in_plans(const store::Manifest& manifest) {
  std::uint32_t last = 0;
  for (const store::PlanCopy& copy : manifest.plans) {
    const record::Plan plan = record::read_plan(copy.csv(), copy.file);
    if (!plan.rows.empty()) last = std::max(last, plan.rows.back().group);
  }
  return last;
}

// The campaign says itself how many groups there are, whatever is measured.
bool is_fixed(const std::string& campaign_toml) {
  try {
    const design::Launches launches = design::read_sealed_campaign(campaign_toml, "").launches;
    return launches.min == launches.max;
  } catch (const base::UserError&) {
    return false;
  }
}

// What the looks of a sequential campaign have decided, and when the next one is.
void print_looks(const store::Manifest& manifest) {
  design::Campaign campaign;
  try {
    campaign = design::read_sealed_campaign(manifest.campaign_toml, "");
  } catch (const base::UserError&) {
    return;
  }
  if (campaign.stopping != design::Stopping::kLooks) return;
  const std::uint32_t spare = manifest.batches && !manifest.batches->empty() ? 1 : 0;
  const std::size_t taken = manifest.looks.size();
  std::string next = "no further look";
  if (!manifest.planned_groups && taken < stats::kLooks.size() &&
      stats::kLooks.at(taken).launches <= campaign.launches.max) {
    next = fmt::format("look {} comes at {} complete groups", taken + 1,
                       stats::kLooks.at(taken).launches + spare);
  }
  if (manifest.looks.empty()) {
    print(fmt::format("  sequential: no look yet; {}\n", next));
    return;
  }
  for (const store::LookLine& look : manifest.looks) {
    print(fmt::format("  look {} after {}: {} of {} decided\n", look.look,
                      base::count_text(look.groups.size(), "group"),
                      look.questions - look.undecided,
                      base::count_text(look.questions, "question")));
  }
  const store::LookLine& last = manifest.looks.back();
  const std::vector<record::Cell> cells = manifest.cells();
  const record::CellTexts text(cells);
  std::vector<std::string> open;
  for (const std::uint32_t cell : last.open) {
    if (cell < cells.size()) open.push_back(text(cells[cell]));
  }
  constexpr std::size_t kMostListed = 8;
  if (!open.empty()) {
    print(fmt::format("  undecided: {}\n", base::first_items(open, kMostListed, "; ", "cell")));
  }
  print(fmt::format("  {}\n", next));
}

// How long the group that is being measured takes already: since its first launch was asked for.
std::optional<double> under_way_s(const std::filesystem::path& dir,
                                  const store::Manifest& manifest) {
  std::set<std::string> sealed;
  for (const auto& [launch, seal] : manifest.seals) sealed.insert(seal.dir);
  const auto now = std::filesystem::file_time_type::clock::now();
  std::optional<double> longest_s;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(dir / "launches", error), end;
       !error && entry != end; entry.increment(error)) {
    if (sealed.contains("launches/" + entry->path().filename().string())) continue;
    std::error_code gone;
    const auto begin = std::filesystem::last_write_time(entry->path() / "launch.spec", gone);
    if (gone) continue;
    const double seconds = std::chrono::duration<double>(now - begin).count();
    longest_s = std::max(longest_s.value_or(0), seconds);
  }
  return longest_s;
}

int clock_status(const std::string& dir) {
  const store::Verification found = store::verify_clock_dir(dir);
  const auto driver = store::Lock::holder(dir);
  print(fmt::format("{}: an experiment with clocks, {}.\n", dir,
                    found.status() == base::Exit::kDone ? "complete"
                    : !found.damage.empty()             ? "damaged"
                    : driver                            ? "running (" + *driver + ")"
                             : "not finished: delete it and measure again"));
  return driver && found.damage.empty() ? 0 : static_cast<int>(found.status());
}

// Reads the manifest, and looks whether the launches are there: cheap enough for somebody who looks
// every second, and safe while a driver is at work.
int run_status(const std::string& dir) {
  if (store::is_clock_dir(dir)) return clock_status(dir);
  const store::ManifestText text = store::open_manifest(dir);
  if (!text.lost.empty() || text.lines.empty()) {
    throw base::CommandError(
        base::Exit::kDamaged,
        {{.place = dir, .what = "its manifest is damaged", .remedy = "see 'invar verify'"}});
  }
  const store::Manifest progress = store::read_manifest(text.lines, dir);
  const auto driver = store::Lock::holder(dir);
  std::size_t complete = 0;
  std::size_t failed = 0;
  double seconds = 0;
  for (const auto& [number, line] : progress.groups) {
    const store::GroupOutcome& group = line.outcome;
    ++(group.complete ? complete : failed);
    seconds += group.seconds;
  }
  const std::uint32_t planned = progress.planned_groups.value_or(groups_in_plans(progress));
  const std::size_t finished = complete + failed;
  const bool done = progress.ended;
  print(fmt::format(
      "{}: {} of {}{} done{}{}.\n", dir, complete,
      progress.planned_groups || done || is_fixed(progress.campaign_toml) ? "" : "at least ",
      base::count_text(planned, "launch group"),
      failed == 0 ? "" : fmt::format(", {} failed", failed),
      done     ? ", the campaign has ended"
      : driver ? ", running (" + *driver + ")"
               : ", nobody is at work on it"));
  print(fmt::format("  measured for {}", base::span_text(seconds)));
  if (const auto under_way = driver ? under_way_s(dir, progress) : std::nullopt) {
    print(fmt::format(", and {} in the group under way", base::span_text(*under_way)));
  }
  if (!done && finished > 0 && planned > finished) {
    print(fmt::format(", about {} left", base::span_text(seconds / static_cast<double>(finished) *
                                                         static_cast<double>(planned - finished))));
  }
  print("\n");
  print_looks(progress);
  for (const auto& [number, line] : progress.groups) {
    if (!line.outcome.complete)
      print(fmt::format("  group {} failed: {}\n", number, line.outcome.reason));
  }
  for (const store::FailedCell& cell : progress.failed_cells) {
    print(fmt::format("  cell {} fails in '{}': {}\n", cell.cell, cell.arm, cell.reason));
  }
  // A driver at work may be moving a launch to discarded/.
  if (!driver) {
    bool lost = false;
    for (const auto& [launch, seal] : progress.seals) {
      std::error_code error;
      if (std::filesystem::is_directory(std::filesystem::path(dir) / seal.dir, error)) continue;
      print(fmt::format("  {} is missing\n", seal.dir));
      lost = true;
    }
    if (lost) {
      print(fmt::format("data are damaged; go on with: invar run --resume -o {}\n",
                        base::shell_quoted(dir)));
      return static_cast<int>(base::Exit::kDamaged);
    }
  }
  for (const std::string& warning : progress.warnings)
    print(fmt::format("  look at: {}\n", warning));
  if (!done && !driver) {
    print(fmt::format("go on with: invar run --resume -o {}\n", base::shell_quoted(dir)));
    return static_cast<int>(base::Exit::kIncomplete);
  }
  return 0;
}

}  // namespace

void add_status(CLI::App& app, Outcome& outcome) {
  auto dir = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("status", "how far a campaign is, also while it runs");
  command->add_option("DIR", *dir, "the campaign's directory")->required();
  command->callback([&outcome, dir] { outcome.run = [dir] { return run_status(*dir); }; });
}

}  // namespace invar::cli
