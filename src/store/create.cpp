// New directories: of a campaign, of an experiment with clocks.
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/campaign_dir.hpp"
#include "store/clock_dir.hpp"
#include "store/files.hpp"
#include "store/manifest/manifest_text.hpp"
#include "store/unborn.hpp"

namespace invar::store {
namespace {

namespace fs = std::filesystem;

// Takes away what was made, unless it is kept: a start that fails leaves nothing behind.
class Undo {
 public:
  explicit Undo(fs::path dir) : dir_(std::move(dir)) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    if (kept_) return;
    std::error_code error;
    if (ours_) {
      for (const auto& entry : fs::directory_iterator(dir_, error)) fs::remove_all(entry, error);
    }
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, error);
  }

  // Makes the directory and those above it that are missing.
  void make(const fs::path& dir) {
    if (dir.empty() || fs::exists(dir)) return;
    make(dir.parent_path());
    std::error_code error;
    if (!fs::create_directory(dir, error) && error) {
      throw base::UserError(dir.string(), "cannot be made: " + error.message(),
                            "choose a directory that you may write");
    }
    if (!error) made_.push_back(dir);
  }

  // The content of the directory is ours: it is locked and was empty.
  void own() { ours_ = true; }
  void keep() { kept_ = true; }

 private:
  fs::path dir_;
  std::vector<fs::path> made_ = {};
  bool ours_ = false;
  bool kept_ = false;
};

// `locked`: this driver has put its lock there already.
void check_is_new(const fs::path& dir, bool locked) {
  std::error_code error;
  const fs::file_status status = fs::status(dir, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error) {
    throw base::UserError(dir.string(), "cannot be read: " + error.message(),
                          "choose a directory that you may write");
  }
  if (!fs::is_directory(status)) {
    throw base::UserError(dir.string(), "exists already and is not a directory",
                          "choose another name");
  }
  fs::directory_iterator entry(dir, error);
  if (error) {
    throw base::UserError(dir.string(), "cannot be read: " + error.message(),
                          "choose a directory that you may write");
  }
  const auto is_lock = [](const fs::directory_entry& file) {
    return file.path().filename() == "lock";
  };
  if (std::all_of(begin(entry), end(entry),
                  [&](const fs::directory_entry& file) { return locked && is_lock(file); })) {
    return;
  }
  if (is_clock_dir(dir)) {
    throw base::UserError(dir.string(), "an experiment with clocks is there already",
                          "choose another name");
  }
  const bool campaign = holds_campaign(dir);
  throw base::UserError(
      dir.string(), campaign ? "a campaign is there already" : "exists already and is not empty",
      campaign ? "go on with 'invar run --resume -o " + base::shell_quoted(dir.string()) +
                     "', or choose another name"
               : "choose another name");
}

}  // namespace

bool holds_campaign(const fs::path& dir) {
  std::error_code none;
  return fs::exists(dir / kManifest, none) || fs::exists(dir / kManifestCopy, none);
}

void remove_unborn(const fs::path& dir) {
  if (!fs::exists(dir)) return;
  if (const auto holder = Lock::holder(dir)) {
    throw base::UserError(dir.string(), *holder + " is at work on it", "wait for it, or end it");
  }
  std::error_code error;
  fs::directory_iterator entries(dir, error);
  if (error) {
    throw base::UserError(dir.string(), "cannot be read: " + error.message(),
                          "nothing was changed; try again when that is mended");
  }
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    const bool of_a_start = name == "campaign.toml" || name == "plan.csv" || name == "lock" ||
                            is_left_over(entry.path()) ||
                            (name == "launches" && fs::is_empty(entry.path(), error));
    if (of_a_start) continue;
    throw base::UserError(dir.string(),
                          "has lost its manifest, but not all data ('" + name + "' is there)",
                          "move it away, then go on: it is measured anew");
  }
  fs::remove_all(dir, error);
}

void check_new_directory(const fs::path& dir) {
  check_is_new(dir, false);
  fs::path nearest = fs::absolute(dir).lexically_normal();
  while (!fs::exists(nearest) && nearest.has_relative_path()) nearest = nearest.parent_path();
  if (!fs::is_directory(nearest) || access(nearest.c_str(), W_OK | X_OK) != 0) {
    throw base::UserError(dir.string(),
                          fs::is_directory(nearest)
                              ? "cannot be made: you may not write in " + nearest.string()
                              : "cannot be made: " + nearest.string() + " is not a directory",
                          "choose a directory that you may write");
  }
}

namespace {

// Makes the directory and what `fill` puts into it; where that fails, nothing is left behind, and
// the failure is one of the directory that was asked for: exit 2.
template <typename Fill>
auto in_new_directory(const fs::path& dir, Fill fill) {
  check_is_new(dir, false);
  const fs::path path = fs::absolute(dir).lexically_normal();
  Undo undo(path);
  try {
    undo.make(path.has_filename() ? path : path.parent_path());
    Lock lock = Lock::acquire(dir);
    check_is_new(dir, true);  // another driver may have been quicker
    undo.own();
    auto filled = fill(std::move(lock));
    undo.keep();
    return filled;
  } catch (const base::CommandError& error) {
    throw base::UserError(error.faults());
  }
}

}  // namespace

CampaignDir CampaignDir::create(const fs::path& dir, const std::string& campaign_toml,
                                const record::Plan& plan, const std::vector<ArmRecord>& arms,
                                const Place& place) {
  return in_new_directory(dir, [&](Lock lock) {
    CampaignDir campaign(dir, std::move(lock));
    const std::string csv = record::plan_csv(plan);
    campaign.session_ = session_name();
    std::string manifest =
        campaign_line(campaign.next_line_++, campaign_toml, place, campaign.session_) + '\n';
    manifest += plan_line(campaign.next_line_++, "plan.csv", plan, csv) + '\n';
    for (const ArmRecord& arm : arms) manifest += arm_line(campaign.next_line_++, arm) + '\n';
    make_directories(dir / "launches");
    write_file(dir / "campaign.toml", campaign_toml);
    write_file(dir / "plan.csv", csv);
    // Last, because it makes the directory a campaign.
    write_file(dir / kManifest, manifest);
    write_file(dir / kManifestCopy, manifest);
    campaign.state_ = {
        .campaign_toml = campaign_toml, .place = place, .plans = {plan}, .arms = arms};
    return campaign;
  });
}

ClockDir ClockDir::create(const fs::path& dir, const ClockHead& head, const std::string& spec) {
  return in_new_directory(dir, [&](Lock lock) {
    const std::string manifest =
        clocks_line(1, head) + '\n' + clock_file_line(2, kClockSpec, spec) + '\n';
    write_file(dir / kClockSpec, spec);
    write_file(dir / kManifest, manifest);
    write_file(dir / kManifestCopy, manifest);
    return ClockDir(dir, std::move(lock));
  });
}

}  // namespace invar::store
