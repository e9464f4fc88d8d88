#include "analysis/directory/progress.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "design/campaign/campaign.hpp"
#include "stats/decide/sequential.hpp"
#include "store/clock_dir.hpp"
#include "store/lock.hpp"
#include "store/open.hpp"

namespace invar::analysis {
namespace {

namespace fs = std::filesystem;

// Highest number of a launch group in the plans so far.
std::uint32_t groups_in_plans(const store::Manifest& manifest) {
  std::uint32_t last = 0;
  for (const store::PlanCopy& copy : manifest.plans) {
    const record::Plan plan = record::read_plan(copy.csv(), copy.file);
    if (!plan.rows.empty()) last = std::max(last, plan.rows.back().group);
  }
  return last;
}

// None where the campaign's file cannot be read any more: the manifest says enough without it.
std::optional<design::Campaign> sealed_campaign(const store::Manifest& manifest) {
  try {
    return design::read_sealed_campaign(manifest.campaign_toml, "");
  } catch (const base::UserError&) {
    return std::nullopt;
  }
}

// What the looks have decided, and when the next one is.
void add_looks(const store::Manifest& manifest, const design::Campaign& campaign,
               Progress& progress) {
  progress.sequential = true;
  progress.looks = manifest.looks;
  const std::uint32_t spare = manifest.batches && !manifest.batches->empty() ? 1 : 0;
  const std::size_t taken = manifest.looks.size();
  progress.next_look = "no further look";
  if (!manifest.planned_groups && taken < stats::kLooks.size() &&
      stats::kLooks.at(taken).launches <= campaign.launches.max) {
    progress.next_look = "look " + std::to_string(taken + 1) + " comes at " +
                         std::to_string(stats::kLooks.at(taken).launches + spare) +
                         " complete groups";
  }
  if (manifest.looks.empty()) return;
  const std::vector<record::Cell> cells = manifest.cells();
  const record::CellTexts text(cells);
  for (const std::uint32_t cell : manifest.looks.back().open) {
    if (cell < cells.size()) progress.undecided.push_back(text(cells[cell]));
  }
}

// How long the group that is being measured takes already: since its first launch was asked for.
std::optional<double> under_way_s(const fs::path& dir, const store::Manifest& manifest) {
  std::set<std::string> sealed;
  for (const auto& [launch, seal] : manifest.seals) sealed.insert(seal.dir);
  const auto now = fs::file_time_type::clock::now();
  std::optional<double> longest_s;
  std::error_code error;
  for (fs::directory_iterator entry(dir / "launches", error), end; !error && entry != end;
       entry.increment(error)) {
    if (sealed.contains("launches/" + entry->path().filename().string())) continue;
    std::error_code gone;
    const auto begin = fs::last_write_time(entry->path() / "launch.spec", gone);
    if (gone) continue;
    const double seconds = std::chrono::duration<double>(now - begin).count();
    longest_s = std::max(longest_s.value_or(0), seconds);
  }
  return longest_s;
}

}  // namespace

base::Exit Progress::status() const {
  if (!missing.empty()) return base::Exit::kDamaged;
  return ended || driver ? base::Exit::kDone : base::Exit::kIncomplete;
}

namespace {

store::Manifest whole_manifest(const fs::path& dir) {
  const auto damaged = [&](std::string what) {
    return base::CommandError(
        base::Exit::kDamaged,
        {{.place = dir.string(), .what = std::move(what), .remedy = "see 'invar verify'"}});
  };
  const store::ManifestText text = store::open_manifest(dir);
  if (!text.lost.empty() || text.lines.empty()) throw damaged("its manifest is damaged");
  try {
    return store::read_manifest(text.lines, (dir / store::kManifest).string());
  } catch (const base::CommandError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw damaged(std::string("its manifest is damaged: ") + error.what());
  }
}

}  // namespace

Progress progress_of(const fs::path& dir) {
  const store::Manifest manifest = whole_manifest(dir);
  Progress progress{.dir = dir.string(),
                    .planned = manifest.planned_groups.value_or(groups_in_plans(manifest)),
                    .ended = manifest.ended,
                    .driver = store::Lock::holder(dir),
                    .failed_cells = manifest.failed_cells};
  for (const store::WarningLine& warning : manifest.warnings) {
    progress.warnings.push_back(warning.text);
  }
  for (const auto& [number, line] : manifest.groups) {
    ++(line.outcome.complete ? progress.complete : progress.failed);
    progress.measured_s += line.outcome.seconds;
    if (!line.outcome.complete) progress.lost.push_back(line.outcome);
  }
  const std::optional<design::Campaign> campaign = sealed_campaign(manifest);
  const bool fixed = campaign && campaign->launches.min == campaign->launches.max;
  progress.at_least = !manifest.planned_groups && !manifest.ended && !fixed;
  if (progress.driver) progress.under_way_s = under_way_s(dir, manifest);
  const std::size_t finished = progress.complete + progress.failed;
  if (!manifest.ended && finished > 0 && progress.planned > finished) {
    progress.left_s = progress.measured_s / static_cast<double>(finished) *
                      static_cast<double>(progress.planned - finished);
  }
  if (campaign && campaign->stopping == design::Stopping::kLooks) {
    add_looks(manifest, *campaign, progress);
  }
  // A driver at work may be moving a launch to discarded/.
  if (progress.driver) return progress;
  for (const auto& [launch, seal] : manifest.seals) {
    std::error_code error;
    if (!fs::is_directory(dir / seal.dir, error)) progress.missing.push_back(seal.dir);
  }
  return progress;
}

base::Exit ClockProgress::status() const { return driver && !damaged ? base::Exit::kDone : found; }

ClockProgress clock_progress_of(const fs::path& dir) {
  const store::Verification found = store::verify_clock_dir(dir);
  ClockProgress progress{.dir = dir.string(),
                         .found = found.status(),
                         .damaged = !found.damage.empty(),
                         .driver = store::Lock::holder(dir)};
  if (progress.found == base::Exit::kDone) progress.failed = store::read_clock_dir(dir).failed;
  return progress;
}

}  // namespace invar::analysis
