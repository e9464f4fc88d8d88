// campaign.toml and the plans against the manifest's copies of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/campaign_dir.hpp"
#include "store/fault.hpp"
#include "store/manifest/manifest.hpp"

namespace invar::store {

struct SealedCopy {
  std::string file = {};  // "campaign.toml", "plan.csv", "plan-2.csv"
  std::string text = {};  // the manifest's
};

struct CopyCheck {
  std::vector<DataFault> damage = {};       // missing or unreadable as what it should be
  std::vector<base::Fault> edits = {};      // reads well, but is not what was sealed
  std::vector<SealedCopy> to_restore = {};  // of the damaged ones
  std::vector<std::string> whole = {};      // files that are as sealed
};

// Throws std::runtime_error if a plan in the manifest is not what its own checksum says.
CopyCheck check_sealed_copies(const std::filesystem::path& dir, const Manifest& manifest,
                              const CampaignCheck& campaign_check);

}  // namespace invar::store
