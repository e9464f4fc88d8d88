#include "store/unborn.hpp"

#include <string>
#include <system_error>

#include "base/error.hpp"
#include "store/files.hpp"
#include "store/lock.hpp"
#include "store/manifest/manifest_text.hpp"

namespace invar::store {

namespace fs = std::filesystem;

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

}  // namespace invar::store
