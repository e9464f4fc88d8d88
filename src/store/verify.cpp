#include <algorithm>
#include <set>
#include <stdexcept>

#include "store/files.hpp"
#include "store/launch_files.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/manifest/sealed_copies.hpp"
#include "store/open.hpp"
#include "store/reader.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;

class Verifier {
 public:
  Verifier(const fs::path& dir, const CampaignCheck& campaign_check)
      : dir_(dir), campaign_check_(campaign_check) {}

  Verification verify() {
    ManifestText text = open_manifest(dir_);
    result_.damage = std::move(text.damage);
    result_.unfinished = std::move(text.unfinished);
    try {
      manifest_ = read_manifest(text.lines, (dir_ / kManifest).string());
      for (const std::string& line : text.lines) result_.bytes += line.size() + 1;
      // Without the first line nothing says what campaign.toml should be.
      if (!text.lines.empty() && !text.lines.front().empty()) check_copies();
      check_launches();
      check_groups();
    } catch (const base::CommandError&) {
      throw;
    } catch (const std::runtime_error& error) {
      result_.damage.push_back({.place = std::string(kManifest), .what = error.what()});
      return std::move(result_);
    }
    check_strays();
    return std::move(result_);
  }

 private:
  void check_copies() {
    CopyCheck copies = check_sealed_copies(dir_, manifest_, campaign_check_);
    for (DataFault& fault : copies.damage) result_.damage.push_back(std::move(fault));
    result_.edits = std::move(copies.edits);
    std::error_code error;
    for (const std::string& file : copies.whole) result_.bytes += fs::file_size(dir_ / file, error);
  }

  void check_launches() {
    for (const auto& [launch, seal] : manifest_.seals) {
      const LaunchFiles files = read_sealed_launch(dir_, seal);
      result_.damage.insert(result_.damage.end(), files.faults.begin(), files.faults.end());
      result_.bytes += files.bytes;
      ++result_.launches;
    }
  }

  // Groups of the plan without an outcome, and what else is still to be done.
  void check_groups() {
    std::set<std::uint32_t> planned;
    for (const PlanCopy& plan : manifest_.plans) {
      for (const record::PlanRow& row : record::read_plan(plan.csv(), plan.file).rows) {
        planned.insert(row.group);
      }
    }
    const auto measured = [&](std::uint32_t group) { return manifest_.groups.contains(group); };
    std::uint64_t all = planned.size();
    std::uint64_t done = static_cast<std::uint64_t>(std::ranges::count_if(planned, measured));
    if (manifest_.planned_groups) {
      // Counted, not listed: the number is only as plausible as the line that it comes from.
      all = *manifest_.planned_groups;
      done = static_cast<std::uint64_t>(std::ranges::count_if(
          manifest_.groups,
          [&](const auto& group) { return group.first >= 1 && group.first <= all; }));
    }
    const std::uint64_t open = all - done;
    const auto failed = std::ranges::count_if(
        manifest_.groups, [](const auto& group) { return !group.second.outcome.complete; });
    if (failed > 0 && !manifest_.ended) {
      result_.unfinished.push_back(std::to_string(failed) + " of " + std::to_string(all) +
                                   " groups failed, and a resume tries once more");
    }
    if (open > 0 && !manifest_.ended) {
      result_.unfinished.push_back(std::to_string(open) + " of " + std::to_string(all) +
                                   " groups are not measured yet");
    } else if (!manifest_.ended) {
      result_.unfinished.emplace_back("the campaign was not brought to its end");
    }
  }

  // Launches that no manifest line vouches for, and temporary files.
  void check_strays() {
    std::set<std::string> sealed;
    for (const auto& [launch, seal] : manifest_.seals) sealed.insert(seal.dir);
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dir_ / "launches", error)) {
      const std::string name = "launches/" + entry.path().filename().string();
      if (!sealed.contains(name)) found.push_back(name + " is not sealed");
    }
    for (const auto& entry : fs::directory_iterator(dir_, error)) {
      if (is_left_over(entry.path())) {
        found.push_back(entry.path().filename().string() + " was not finished");
      }
    }
    std::sort(found.begin(), found.end());
    result_.unfinished.insert(result_.unfinished.end(), found.begin(), found.end());
  }

  const fs::path& dir_;
  const CampaignCheck& campaign_check_;
  Verification result_ = {};
  Manifest manifest_ = {};
};

}  // namespace

base::Exit Verification::status() const {
  if (!damage.empty()) return base::Exit::kDamaged;
  if (!edits.empty()) return base::Exit::kUsage;
  return unfinished.empty() ? base::Exit::kDone : base::Exit::kIncomplete;
}

Verification verify_campaign_dir(const fs::path& dir, const CampaignCheck& campaign_check) {
  return Verifier(dir, campaign_check).verify();
}

}  // namespace invar::store
