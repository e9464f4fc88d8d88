#include "store/open.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "store/clock_dir.hpp"
#include "store/files.hpp"
#include "store/own_files.hpp"
#include "store/reproduction.hpp"

namespace invar::store {

namespace fs = std::filesystem;

namespace {

// What a start leaves that was killed before its manifest was there: the lock, and of the rest
// whatever was written until then.
bool only_begun(const fs::path& dir) {
  constexpr std::array<std::string_view, 5> kWritten{"lock", "launches", "campaign.toml",
                                                     "plan.csv", kClockSpec};
  bool locked = false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(kWritten, name) == kWritten.end() && !is_left_over(entry.path())) {
      return false;
    }
    locked = locked || name == "lock";
  }
  return locked;
}

ManifestText open_any(const fs::path& dir) {
  std::error_code error;
  const fs::file_status status = fs::status(dir, error);
  if (!fs::is_directory(status)) {
    throw base::UserError(dir.string(),
                          status.type() == fs::file_type::not_found ? "no such directory"
                          : error                                   ? error.message()
                                                                    : "is not a directory",
                          "name the directory of a campaign");
  }
  refuse_links(dir);
  ManifestText text = read_manifest_text(dir);
  if (text.present) return text;
  if (holds_repeats(dir)) {
    throw base::UserError(dir.string(), "holds repeats of a campaign, and is none itself",
                          "name one of them (" + repeat_dir(dir, 1, "invar").string() +
                              "), or: invar reproduce " + dir.string());
  }
  const bool begun = only_begun(dir);
  throw base::UserError(dir.string(), "is not a campaign: it has no manifest.jsonl",
                        begun ? "a start was interrupted before anything was measured: delete it "
                                "and start again"
                              : "name a directory that 'invar run' or 'invar race' made");
}

}  // namespace

ManifestText open_manifest(const fs::path& dir) {
  ManifestText text = open_any(dir);
  if (!is_of_clocks(text)) return text;
  throw base::UserError(dir.string(), "holds an experiment with clocks, and is not a campaign",
                        "invar show " + dir.string() + ", verify and report take it");
}

ManifestText open_clock_manifest(const fs::path& dir) {
  ManifestText text = open_any(dir);
  if (is_of_clocks(text)) return text;
  throw base::UserError(dir.string(), "holds a campaign, and no experiment with clocks",
                        "invar show " + dir.string());
}

}  // namespace invar::store
